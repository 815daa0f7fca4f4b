"""Convolution: the part of the image that a block reads, and the weights, are in shared memory.

Kernels are made for the size of the weights, so that these loops are unrolled; in CUDA C a thread
makes four results, one below the other, of the values that it takes from a column.
"""

import functools

from suite.on_gpu.launch import blocks, compiled

READ = ("image", "weight")
WRITTEN = ("out",)
WIDTH, HEIGHT = 32, 8
DOWN = 4

TEXT = """
#ifndef M
#define M 5
#endif
#define WIDTH 32
#define HEIGHT 8
#define DOWN 4

extern "C" __global__ __launch_bounds__(WIDTH * HEIGHT)
void conv_2d(const double* __restrict__ image, const double* __restrict__ weight,
             double* __restrict__ out, long long rows, long long cols) {
    __shared__ double part[HEIGHT * DOWN + M - 1][WIDTH + M - 1];
    __shared__ double turned[M][M];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = blockIdx.y * (long long)(HEIGHT * DOWN);
    const long long left = blockIdx.x * (long long)WIDTH;
    const long long high = rows + M - 1, wide = cols + M - 1;
    for (int k = y * WIDTH + x; k < M * M; k += WIDTH * HEIGHT)
        turned[k / M][k % M] = weight[M * M - 1 - k];
    for (int i = y; i < HEIGHT * DOWN + M - 1; i += HEIGHT)
        for (int j = x; j < WIDTH + M - 1; j += WIDTH)
            if (top + i < high && left + j < wide)
                part[i][j] = image[(top + i) * wide + left + j];
    __syncthreads();
    double total[DOWN] = {};
    #pragma unroll
    for (int i = 0; i < DOWN + M - 1; i++)
        #pragma unroll
        for (int q = 0; q < M; q++) {
            const double value = part[y * DOWN + i][x + q];
            #pragma unroll
            for (int d = 0; d < DOWN; d++)
                if (i >= d && i - d < M) total[d] += value * turned[i - d][q];
        }
    #pragma unroll
    for (int d = 0; d < DOWN; d++) {
        const long long i = top + y * DOWN + d;
        if (i < rows && left + x < cols) out[i * cols + left + x] = total[d];
    }
}
"""


@functools.cache
def kernel(m):
    from numba import cuda, float64

    high, wide = HEIGHT + m - 1, WIDTH + m - 1

    @cuda.jit
    def convolve(image, weight, out):
        part = cuda.shared.array((high, wide), float64)
        turned = cuda.shared.array((m, m), float64)
        x = cuda.threadIdx.x
        y = cuda.threadIdx.y
        top = cuda.blockIdx.y * HEIGHT
        left = cuda.blockIdx.x * WIDTH
        for k in range(y, m, HEIGHT):
            for q in range(x, m, WIDTH):
                turned[k, q] = weight[m - 1 - k, m - 1 - q]
        for i in range(y, high, HEIGHT):
            for j in range(x, wide, WIDTH):
                if top + i < image.shape[0] and left + j < image.shape[1]:
                    part[i, j] = image[top + i, left + j]
        cuda.syncthreads()
        if top + y < out.shape[0] and left + x < out.shape[1]:
            total = 0.0
            for k in range(m):
                for q in range(m):
                    total += part[y + k, x + q] * turned[k, q]
            out[top + y, left + x] = total

    return convolve


def by_numba(image, weight, out):
    rows, cols = out.shape
    grid = blocks((cols, WIDTH), (rows, HEIGHT))
    kernel(weight.shape[0])[grid, (WIDTH, HEIGHT)](image, weight, out)


def by_raw(image, weight, out):
    rows, cols = out.shape
    grid = blocks((cols, WIDTH), (rows, HEIGHT * DOWN))
    convolve = compiled(TEXT, "conv_2d", f"-DM={weight.shape[0]}")
    convolve(grid, (WIDTH, HEIGHT), (image, weight, out, rows, cols))


def by_arrays(image, weight, out):
    rows, cols = out.shape
    m = weight.shape[0]
    out[:] = 0.0
    for k in range(m):
        for q in range(m):
            out += image[k : k + rows, q : q + cols] * weight[m - 1 - k, m - 1 - q]
