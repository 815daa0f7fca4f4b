"""General product of two matrices: tiles in shared memory, several results in registers.

A block of 16 x 16 threads makes a tile of the result, every 16th row and column of it by the same
thread, so that neighbours read neighbouring words.  Large matrices want many results for each
value that is read, small ones want many blocks.
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
void gemm(double alpha, double beta, const double* __restrict__ a, const double* __restrict__ b,
          double* __restrict__ c, long long rows, long long cols, long long inner) {
    __shared__ double of_a[TILE][SIDE + 1];
    __shared__ double of_b[SIDE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = blockIdx.y * (long long)TILE + y;
    const long long left = blockIdx.x * (long long)TILE + x;
    double total[EACH][EACH] = {};
    for (long long start = 0; start < inner; start += SIDE) {
        #pragma unroll
        for (int e = 0; e < EACH; e++) {
            const long long i = top + e * SIDE, j = left + e * SIDE;
            const bool has_a = i < rows && start + x < inner;
            const bool has_b = j < cols && start + y < inner;
            of_a[y + e * SIDE][x] = has_a ? a[i * inner + start + x] : 0.0;
            of_b[y][x + e * SIDE] = has_b ? b[(start + y) * cols + j] : 0.0;
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < SIDE; k++) {
            double p[EACH], q[EACH];
            #pragma unroll
            for (int e = 0; e < EACH; e++) {
                p[e] = of_a[y + e * SIDE][k];
                q[e] = of_b[k][x + e * SIDE];
            }
            #pragma unroll
            for (int r = 0; r < EACH; r++)
                #pragma unroll
                for (int s = 0; s < EACH; s++) total[r][s] += p[r] * q[s];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < EACH; r++)
        #pragma unroll
        for (int s = 0; s < EACH; s++) {
            const long long i = top + r * SIDE, j = left + s * SIDE;
            if (i < rows && j < cols)
                c[i * cols + j] = beta * c[i * cols + j] + alpha * total[r][s];
        }
}
"""


@functools.cache
def tiles():
    from numba import cuda, float64

    @cuda.jit
    def product(alpha, beta, a, b, c):
        of_a = cuda.shared.array((TILE, PADDED), float64)
        of_b = cuda.shared.array((SIDE, TILE), float64)
        x = cuda.threadIdx.x
        y = cuda.threadIdx.y
        i = cuda.blockIdx.y * TILE + y
        j = cuda.blockIdx.x * TILE + x
        rows, cols = c.shape
        inner = a.shape[1]
        t00 = t01 = t10 = t11 = 0.0
        for start in range(0, inner, SIDE):
            of_a[y, x] = of_a[y + SIDE, x] = 0.0
            of_b[y, x] = of_b[y, x + SIDE] = 0.0
            if start + x < inner:
                if i < rows:
                    of_a[y, x] = a[i, start + x]
                if i + SIDE < rows:
                    of_a[y + SIDE, x] = a[i + SIDE, start + x]
            if start + y < inner:
                if j < cols:
                    of_b[y, x] = b[start + y, j]
                if j + SIDE < cols:
                    of_b[y, x + SIDE] = b[start + y, j + SIDE]
            cuda.syncthreads()
            for k in range(SIDE):
                p0 = of_a[y, k]
                p1 = of_a[y + SIDE, k]
                q0 = of_b[k, x]
                q1 = of_b[k, x + SIDE]
                t00 += p0 * q0
                t01 += p0 * q1
                t10 += p1 * q0
                t11 += p1 * q1
            cuda.syncthreads()
        if i < rows and j < cols:
            c[i, j] = beta * c[i, j] + alpha * t00
        if i < rows and j + SIDE < cols:
            c[i, j + SIDE] = beta * c[i, j + SIDE] + alpha * t01
        if i + SIDE < rows and j < cols:
            c[i + SIDE, j] = beta * c[i + SIDE, j] + alpha * t10
        if i + SIDE < rows and j + SIDE < cols:
            c[i + SIDE, j + SIDE] = beta * c[i + SIDE, j + SIDE] + alpha * t11

    return product


@functools.cache
def elements():
    from numba import cuda

    @cuda.jit
    def product(alpha, beta, a, b, c):
        j, i = cuda.grid(2)
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = beta * c[i, j]
            for k in range(a.shape[1]):
                c[i, j] += alpha * a[i, k] * b[k, j]

    return product


def by_numba(alpha, beta, a, b, c):
    rows, cols = c.shape
    grid = blocks((cols, TILE), (rows, TILE))
    tiles()[grid, THREADS](alpha, beta, a, b, c)


def by_raw(alpha, beta, a, b, c):
    rows, cols = c.shape

    def grid(each):
        return blocks((cols, SIDE * each), (rows, SIDE * each))

    each = largest((1, 2, 4), grid)
    given = (alpha, beta, a, b, c, rows, cols, a.shape[1])
    compiled(TEXT, "gemm", f"-DEACH={each}")(grid(each), THREADS, given)


def by_arrays(alpha, beta, a, b, c):
    c *= beta
    c += alpha * (a @ b)


def one_each(alpha, beta, a, b, c):
    rows, cols = c.shape
    elements()[blocks((cols, SIDE), (rows, SIDE)), THREADS](alpha, beta, a, b, c)
