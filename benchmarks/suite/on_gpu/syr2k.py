"""Symmetric rank-2k update: tiles as of `gemm`, of rows of both matrices twice.

Blocks above the diagonal have nothing to do.  The product of `a` with `b` and its transpose make
the sum, which expressions of arrays use; in tiles both products come from the same four.
"""

import functools

from suite.on_gpu.launch import blocks, compiled, largest

READ = ("a", "b", "c")
WRITTEN = ("c",)
SIDE = 16
THREADS = (SIDE, SIDE)
TILE = 2 * SIDE  # Numba takes shapes of names and numbers only
PADDED = SIDE + 1

TEXT = """
#ifndef EACH
#define EACH 4
#endif
#define SIDE 16
#define TILE (SIDE * EACH)

extern "C" __global__ __launch_bounds__(SIDE * SIDE)
void syr2k(double alpha, double beta, const double* __restrict__ a,
           const double* __restrict__ b, double* __restrict__ c, long long n, long long inner) {
    if (blockIdx.x > blockIdx.y) return;
    __shared__ double a_i[TILE][SIDE + 1], b_i[TILE][SIDE + 1];
    __shared__ double a_j[TILE][SIDE + 1], b_j[TILE][SIDE + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = blockIdx.y * (long long)TILE;
    const long long left = blockIdx.x * (long long)TILE;
    double total[EACH][EACH] = {};
    for (long long start = 0; start < inner; start += SIDE) {
        const long long k = start + x;
        #pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int at = y + e * SIDE;
            const long long i = top + at, j = left + at;
            const bool has_i = i < n && k < inner;
            const bool has_j = j < n && k < inner;
            a_i[at][x] = has_i ? a[i * inner + k] : 0.0;
            b_i[at][x] = has_i ? b[i * inner + k] : 0.0;
            a_j[at][x] = has_j ? a[j * inner + k] : 0.0;
            b_j[at][x] = has_j ? b[j * inner + k] : 0.0;
        }
        __syncthreads();
        #pragma unroll 4
        for (int m = 0; m < SIDE; m++) {
            double p[EACH], q[EACH], u[EACH], v[EACH];
            #pragma unroll
            for (int e = 0; e < EACH; e++) {
                p[e] = a_i[y + e * SIDE][m];
                q[e] = b_i[y + e * SIDE][m];
                u[e] = a_j[x + e * SIDE][m];
                v[e] = b_j[x + e * SIDE][m];
            }
            #pragma unroll
            for (int r = 0; r < EACH; r++)
                #pragma unroll
                for (int s = 0; s < EACH; s++) total[r][s] += p[r] * v[s] + q[r] * u[s];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < EACH; r++)
        #pragma unroll
        for (int s = 0; s < EACH; s++) {
            const long long i = top + y + r * SIDE, j = left + x + s * SIDE;
            if (i < n && j <= i) c[i * n + j] = beta * c[i * n + j] + alpha * total[r][s];
        }
}
"""


@functools.cache
def tiles():
    from numba import cuda, float64

    @cuda.jit
    def update(alpha, beta, a, b, c):
        if cuda.blockIdx.x > cuda.blockIdx.y:
            return
        a_i = cuda.shared.array((TILE, PADDED), float64)
        b_i = cuda.shared.array((TILE, PADDED), float64)
        a_j = cuda.shared.array((TILE, PADDED), float64)
        b_j = cuda.shared.array((TILE, PADDED), float64)
        x = cuda.threadIdx.x
        y = cuda.threadIdx.y
        top = cuda.blockIdx.y * TILE
        left = cuda.blockIdx.x * TILE
        n, inner = a.shape
        t00 = t01 = t10 = t11 = 0.0
        for start in range(0, inner, SIDE):
            k = start + x
            for at in range(y, TILE, SIDE):
                i = top + at
                j = left + at
                has_i = i < n and k < inner
                has_j = j < n and k < inner
                a_i[at, x] = a[i, k] if has_i else 0.0
                b_i[at, x] = b[i, k] if has_i else 0.0
                a_j[at, x] = a[j, k] if has_j else 0.0
                b_j[at, x] = b[j, k] if has_j else 0.0
            cuda.syncthreads()
            for m in range(SIDE):
                p0 = a_i[y, m]
                p1 = a_i[y + SIDE, m]
                q0 = b_i[y, m]
                q1 = b_i[y + SIDE, m]
                u0 = a_j[x, m]
                u1 = a_j[x + SIDE, m]
                v0 = b_j[x, m]
                v1 = b_j[x + SIDE, m]
                t00 += p0 * v0 + q0 * u0
                t01 += p0 * v1 + q0 * u1
                t10 += p1 * v0 + q1 * u0
                t11 += p1 * v1 + q1 * u1
            cuda.syncthreads()
        i = top + y
        j = left + x
        if i < n and j <= i:
            c[i, j] = beta * c[i, j] + alpha * t00
        if i < n and j + SIDE <= i:
            c[i, j + SIDE] = beta * c[i, j + SIDE] + alpha * t01
        if i + SIDE < n and j <= i + SIDE:
            c[i + SIDE, j] = beta * c[i + SIDE, j] + alpha * t10
        if i + SIDE < n and j <= i:
            c[i + SIDE, j + SIDE] = beta * c[i + SIDE, j + SIDE] + alpha * t11

    return update


@functools.cache
def elements():
    from numba import cuda

    @cuda.jit
    def update(alpha, beta, a, b, c):
        j, i = cuda.grid(2)
        if i < a.shape[0] and j <= i:
            c[i, j] = beta * c[i, j]
            for k in range(a.shape[1]):
                c[i, j] += alpha * a[i, k] * b[j, k] + alpha * b[i, k] * a[j, k]

    return update


def by_numba(alpha, beta, a, b, c):
    n = a.shape[0]
    tiles()[blocks((n, TILE), (n, TILE)), THREADS](alpha, beta, a, b, c)


def by_raw(alpha, beta, a, b, c):
    n, inner = a.shape

    def grid(each):
        return blocks((n, SIDE * each), (n, SIDE * each))

    each = largest((1, 2, 4), grid)
    given = (alpha, beta, a, b, c, n, inner)
    compiled(TEXT, "syr2k", f"-DEACH={each}")(grid(each), THREADS, given)


def by_arrays(alpha, beta, a, b, c):
    import cupy

    product = alpha * (a @ b.T)
    lower = cupy.tri(a.shape[0], dtype=bool)
    cupy.copyto(c, beta * c + product + product.T, where=lower)


def one_each(alpha, beta, a, b, c):
    n = a.shape[0]
    elements()[blocks((n, SIDE), (n, SIDE)), THREADS](alpha, beta, a, b, c)
