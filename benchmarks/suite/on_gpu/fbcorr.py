"""Correlation with a bank of filters: filters in shared memory, pixels from the cache.

A pixel of four channels is one access in CUDA C, where a thread uses it for several filters, as
many as leave a block for each multiprocessor.
"""

import functools

from suite.on_gpu.launch import blocks, compiled, largest

READ = ("images", "filters")
WRITTEN = ("out",)
WIDTH, HEIGHT = 32, 4

TEXT = """
#ifndef EACH
#define EACH 4
#define V 5
#define U 5
#endif

extern "C" __global__ void fbcorr(const float4* __restrict__ images,
                                  const float4* __restrict__ filters, float* __restrict__ out,
                                  long long many, long long rows, long long cols) {
    __shared__ float4 some[EACH][V * U];
    const long long groups = (many + EACH - 1) / EACH;
    const long long p = blockIdx.z / groups, first = blockIdx.z % groups * EACH;
    const long long here = min((long long)EACH, many - first);
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < EACH * V * U;
         k += blockDim.x * blockDim.y)
        some[k / (V * U)][k % (V * U)] =
            k / (V * U) < here ? filters[first * V * U + k] : make_float4(0, 0, 0, 0);
    __syncthreads();
    const long long x = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long y = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    if (y >= rows || x >= cols) return;
    const long long wide = cols + U - 1;
    const float4* at = images + (p * (rows + V - 1) + y) * wide + x;
    float total[EACH] = {};
    #pragma unroll
    for (int v = 0; v < V; v++)
        #pragma unroll
        for (int u = 0; u < U; u++) {
            const float4 pixel = at[v * wide + u];
            #pragma unroll
            for (int e = 0; e < EACH; e++) {
                const float4 weight = some[e][v * U + u];
                total[e] += pixel.x * weight.x;
                total[e] += pixel.y * weight.y;
                total[e] += pixel.z * weight.z;
                total[e] += pixel.w * weight.w;
            }
        }
    #pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < here) out[((p * many + first + e) * rows + y) * cols + x] = total[e];
}
"""


@functools.cache
def kernel(high, wide, deep):
    from numba import cuda, float32

    @cuda.jit
    def correlate(images, filters, out):
        weights = cuda.shared.array((high, wide, deep), float32)
        many = filters.shape[0]
        p = cuda.blockIdx.z // many
        f = cuda.blockIdx.z % many
        for v in range(cuda.threadIdx.y, high, HEIGHT):
            for u in range(cuda.threadIdx.x, wide, WIDTH):
                for d in range(deep):
                    weights[v, u, d] = filters[f, v, u, d]
        cuda.syncthreads()
        x = cuda.blockIdx.x * WIDTH + cuda.threadIdx.x
        y = cuda.blockIdx.y * HEIGHT + cuda.threadIdx.y
        if y < out.shape[2] and x < out.shape[3]:
            total = float32(0.0)
            for v in range(high):
                for u in range(wide):
                    for d in range(deep):
                        total += images[p, y + v, x + u, d] * weights[v, u, d]
            out[p, f, y, x] = total

    return correlate


def by_numba(images, filters, out):
    count, many, rows, cols = out.shape
    grid = (*blocks((cols, WIDTH), (rows, HEIGHT)), count * many)
    kernel(*filters.shape[1:])[grid, (WIDTH, HEIGHT)](images, filters, out)


def by_raw(images, filters, out):
    count, many, rows, cols = out.shape
    _, high, wide, deep = filters.shape
    assert deep == 4, "a pixel is a float4"

    def grid(each):
        return *blocks((cols, WIDTH), (rows, HEIGHT)), count * -(-many // each)

    each = largest((1, 2, 4, 8), grid)
    correlate = compiled(TEXT, "fbcorr", f"-DEACH={each}", f"-DV={high}", f"-DU={wide}")
    correlate(grid(each), (WIDTH, HEIGHT), (images, filters, out, many, rows, cols))


def by_arrays(images, filters, out):
    import cupy

    parts = cupy.lib.stride_tricks.sliding_window_view(images, filters.shape[1:3], axis=(1, 2))
    products = cupy.tensordot(filters, parts, axes=((1, 2, 3), (4, 5, 3)))
    out[:] = products.swapaxes(0, 1)
