"""Rank-two update and two products: the matrix is read twice and written once.

The first kernel updates it and adds up its columns on the way, in strips of rows whose sums go to
`x` atomically, those of the first strip with `z`.  The second has a row for each warp (CUDA C) or
block (Numba, by a tree in shared memory).
"""

import functools

from suite.on_gpu.launch import blocks, compiled

READ = ("a", "u1", "v1", "u2", "v2", "w", "x", "y", "z")
WRITTEN = ("a", "w", "x")
WIDTH, HEIGHT = 32, 8
STRIP = 64
THREADS = 128
WARPS = 8

TEXT = """
#define WIDTH 32
#define HEIGHT 8
#define STRIP 64

extern "C" __global__ void update(double beta, double* __restrict__ a,
                                  const double* __restrict__ u1, const double* __restrict__ v1,
                                  const double* __restrict__ u2, const double* __restrict__ v2,
                                  double* __restrict__ x, const double* __restrict__ y,
                                  const double* __restrict__ z, long long n) {
    __shared__ double parts[HEIGHT][WIDTH];
    const long long j = blockIdx.x * (long long)WIDTH + threadIdx.x;
    const long long start = blockIdx.y * (long long)STRIP;
    const long long stop = min(start + STRIP, n);
    double total = 0.0;
    if (j < n) {
        const double p = v1[j], q = v2[j];
        #pragma unroll 4
        for (long long i = start + threadIdx.y; i < stop; i += HEIGHT) {
            const double value = a[i * n + j] + u1[i] * p + u2[i] * q;
            a[i * n + j] = value;
            total += value * y[i];
        }
    }
    parts[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || j >= n) return;
    #pragma unroll
    for (int k = 1; k < HEIGHT; k++) total += parts[k][threadIdx.x];
    atomicAdd(x + j, beta * total + (blockIdx.y == 0 ? z[j] : 0.0));
}

extern "C" __global__ void product(double alpha, const double* __restrict__ a,
                                   double* __restrict__ w, const double* __restrict__ x,
                                   long long n) {
    const long long i = blockIdx.x * (long long)blockDim.y + threadIdx.y;
    if (i >= n) return;
    double total = 0.0;
    #pragma unroll 4
    for (long long j = threadIdx.x; j < n; j += WIDTH) total += a[i * n + j] * x[j];
    #pragma unroll
    for (int k = WIDTH / 2; k > 0; k /= 2) total += __shfl_down_sync(0xffffffff, total, k);
    if (threadIdx.x == 0) w[i] += alpha * total;
}
"""


@functools.cache
def kernels():
    from numba import cuda, float64

    @cuda.jit
    def update(beta, a, u1, v1, u2, v2, x, y, z):
        parts = cuda.shared.array((HEIGHT, WIDTH), float64)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        n = a.shape[0]
        j = cuda.blockIdx.x * WIDTH + tx
        start = cuda.blockIdx.y * STRIP
        total = 0.0
        if j < n:
            for i in range(start + ty, min(start + STRIP, n), HEIGHT):
                value = a[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
                a[i, j] = value
                total += value * y[i]
        parts[ty, tx] = total
        cuda.syncthreads()
        if ty == 0 and j < n:
            for k in range(1, HEIGHT):
                total += parts[k, tx]
            total *= beta
            if start == 0:
                total += z[j]
            cuda.atomic.add(x, j, total)

    @cuda.jit
    def product(alpha, a, w, x):
        parts = cuda.shared.array(THREADS, float64)
        i = cuda.blockIdx.x
        t = cuda.threadIdx.x
        total = 0.0
        for j in range(t, a.shape[1], THREADS):
            total += a[i, j] * x[j]
        parts[t] = total
        cuda.syncthreads()
        many = THREADS // 2
        while many:
            if t < many:
                parts[t] += parts[t + many]
            cuda.syncthreads()
            many //= 2
        if t == 0:
            w[i] += alpha * parts[0]

    return update, product


def by_numba(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    n = a.shape[0]
    update, product = kernels()
    grid = blocks((n, WIDTH), (n, STRIP))
    update[grid, (WIDTH, HEIGHT)](beta, a, u1, v1, u2, v2, x, y, z)
    product[n, THREADS](alpha, a, w, x)


def by_raw(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    n = a.shape[0]
    grid = blocks((n, WIDTH), (n, STRIP))
    given = (beta, a, u1, v1, u2, v2, x, y, z, n)
    compiled(TEXT, "update")(grid, (WIDTH, HEIGHT), given)
    compiled(TEXT, "product")(blocks((n, WARPS)), (WIDTH, WARPS), (alpha, a, w, x, n))


def by_arrays(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += u1[:, None] * v1 + u2[:, None] * v2
    x += beta * (y @ a) + z
    w += alpha * (a @ x)
