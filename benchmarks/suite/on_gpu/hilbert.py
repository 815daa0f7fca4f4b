"""The Hilbert matrix: nothing is read, rows are written by neighbouring threads."""

import functools

from suite.on_gpu.launch import blocks, compiled

READ = ()
WRITTEN = ("h",)
WIDTH, HEIGHT = 32, 8

TEXT = """
extern "C" __global__ void hilbert(double* __restrict__ h, long long n) {
    const long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long i = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    if (i < n && j < n) h[i * n + j] = 1.0 / (double)(i + j + 1);
}
"""


@functools.cache
def kernel():
    from numba import cuda

    @cuda.jit
    def fill(h):
        j, i = cuda.grid(2)
        if i < h.shape[0] and j < h.shape[1]:
            h[i, j] = 1.0 / (i + j + 1)

    return fill


def by_numba(h):
    n = h.shape[0]
    kernel()[blocks((n, WIDTH), (n, HEIGHT)), (WIDTH, HEIGHT)](h)


def by_raw(h):
    n = h.shape[0]
    compiled(TEXT, "hilbert")(blocks((n, WIDTH), (n, HEIGHT)), (WIDTH, HEIGHT), (h, n))


def by_arrays(h):
    import cupy

    k = cupy.arange(h.shape[0], dtype=h.dtype)
    cupy.divide(1.0, k[:, None] + (k + 1.0), out=h)
