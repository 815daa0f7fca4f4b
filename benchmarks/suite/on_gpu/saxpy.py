"""A vector plus a multiple of another one: four elements in one access of a thread."""

import functools

import numpy as np

from suite.on_gpu.launch import blocks, compiled

READ = ("x", "y")
WRITTEN = ("y",)
THREADS = 256

TEXT = """
extern "C" __global__ void saxpy(float alpha, const float* __restrict__ x,
                                 float* __restrict__ y, long long n) {
    long long i = 4 * (blockIdx.x * (long long)blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        const float4 p = *(const float4*)(x + i);
        float4 q = *(const float4*)(y + i);
        q.x += alpha * p.x;
        q.y += alpha * p.y;
        q.z += alpha * p.z;
        q.w += alpha * p.w;
        *(float4*)(y + i) = q;
        return;
    }
    for (; i < n; i++) y[i] += alpha * x[i];
}
"""


@functools.cache
def kernel():
    from numba import cuda

    @cuda.jit
    def add(alpha, x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += alpha * x[i]

    return add


def by_numba(alpha, x, y):
    # A Python float would make the arithmetic double.
    kernel()[blocks((y.size, THREADS)), THREADS](np.float32(alpha), x, y)


def by_raw(alpha, x, y):
    grid = blocks((y.size, 4 * THREADS))
    compiled(TEXT, "saxpy")(grid, (THREADS,), (np.float32(alpha), x, y, y.size))


def by_arrays(alpha, x, y):
    y += alpha * x
