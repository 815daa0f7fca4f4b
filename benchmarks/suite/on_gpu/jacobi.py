"""Jacobi iteration: a launch for each sweep, neighbours come from the cache."""

import functools

from suite.on_gpu.launch import blocks, compiled

READ = ("a", "b")
WRITTEN = ("a", "b")
WIDTH, HEIGHT = 32, 8

TEXT = """
extern "C" __global__ void sweep(const double* __restrict__ from, double* __restrict__ to,
                                 long long n) {
    const long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x + 1;
    const long long i = blockIdx.y * (long long)blockDim.y + threadIdx.y + 1;
    if (i >= n - 1 || j >= n - 1) return;
    const double* at = from + i * n + j;
    to[i * n + j] = 0.2 * (at[0] + at[-1] + at[1] + at[n] + at[-n]);
}
"""


@functools.cache
def kernel():
    from numba import cuda

    @cuda.jit
    def sweep(a, b):
        j, i = cuda.grid(2)
        i += 1
        j += 1
        if i < a.shape[0] - 1 and j < a.shape[1] - 1:
            b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])

    return sweep


def by_numba(a, b, steps):
    inside = a.shape[0] - 2
    sweep = kernel()[blocks((inside, WIDTH), (inside, HEIGHT)), (WIDTH, HEIGHT)]
    for _ in range(steps):
        sweep(a, b)
        sweep(b, a)


def by_raw(a, b, steps):
    n = a.shape[0]
    grid = blocks((n - 2, WIDTH), (n - 2, HEIGHT))
    sweep = compiled(TEXT, "sweep")
    for _ in range(steps):
        sweep(grid, (WIDTH, HEIGHT), (a, b, n))
        sweep(grid, (WIDTH, HEIGHT), (b, a, n))


def by_arrays(a, b, steps):
    for _ in range(steps):
        for x, y in ((a, b), (b, a)):
            cross = x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1]
            y[1:-1, 1:-1] = 0.2 * cross
