"""Sum of two vectors: four elements in one access of a thread."""

import functools

from suite.on_gpu.launch import blocks, compiled

READ = ("a", "b")
WRITTEN = ("c",)
THREADS = 256

TEXT = """
extern "C" __global__ void vadd(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, long long n) {
    long long i = 4 * (blockIdx.x * (long long)blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        const float4 p = *(const float4*)(a + i);
        const float4 q = *(const float4*)(b + i);
        *(float4*)(c + i) = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
        return;
    }
    for (; i < n; i++) c[i] = a[i] + b[i];
}
"""


@functools.cache
def kernel():
    from numba import cuda

    @cuda.jit
    def add(a, b, c):
        i = cuda.grid(1)
        if i < c.size:
            c[i] = a[i] + b[i]

    return add


def by_numba(a, b, c):
    kernel()[blocks((c.size, THREADS)), THREADS](a, b, c)


def by_raw(a, b, c):
    grid = blocks((c.size, 4 * THREADS))
    compiled(TEXT, "vadd")(grid, (THREADS,), (a, b, c, c.size))


def by_arrays(a, b, c):
    import cupy

    cupy.add(a, b, out=c)
