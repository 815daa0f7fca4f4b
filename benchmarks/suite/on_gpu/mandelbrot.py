"""Escape times: a warp has a patch of 8 x 4 points, which leave at more alike steps than a row."""

import functools

from suite.on_gpu.launch import blocks, compiled

READ = ()
WRITTEN = ("count",)
WIDTH, HEIGHT = 8, 16

TEXT = """
extern "C" __global__ void mandelbrot(double left, double bottom, double dx, double dy,
                                      long long limit, int* __restrict__ count,
                                      long long rows, long long cols) {
    const long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long i = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    if (i >= rows || j >= cols) return;
    const double cr = left + j * dx, ci = bottom + i * dy;
    double zr = 0.0, zi = 0.0, rr = 0.0, ii = 0.0;
    int steps = 0;
    while (steps < limit && rr + ii <= 4.0) {
        zi = 2.0 * zr * zi + ci;
        zr = rr - ii + cr;
        rr = zr * zr;
        ii = zi * zi;
        steps++;
    }
    count[i * cols + j] = steps;
}
"""


@functools.cache
def kernel():
    from numba import cuda

    @cuda.jit
    def escape(left, bottom, dx, dy, limit, count):
        j, i = cuda.grid(2)
        if i >= count.shape[0] or j >= count.shape[1]:
            return
        cr = left + j * dx
        ci = bottom + i * dy
        zr = zi = rr = ii = 0.0
        steps = 0
        while steps < limit and rr + ii <= 4.0:
            zi = 2.0 * zr * zi + ci
            zr = rr - ii + cr
            rr = zr * zr
            ii = zi * zi
            steps += 1
        count[i, j] = steps

    return escape


def by_numba(left, right, bottom, top, limit, count):
    rows, cols = count.shape
    dx, dy = (right - left) / cols, (top - bottom) / rows
    grid = blocks((cols, WIDTH), (rows, HEIGHT))
    kernel()[grid, (WIDTH, HEIGHT)](left, bottom, dx, dy, limit, count)


def by_raw(left, right, bottom, top, limit, count):
    rows, cols = count.shape
    dx, dy = (right - left) / cols, (top - bottom) / rows
    grid = blocks((cols, WIDTH), (rows, HEIGHT))
    given = (left, bottom, dx, dy, limit, count, rows, cols)
    compiled(TEXT, "mandelbrot")(grid, (WIDTH, HEIGHT), given)


def by_arrays(left, right, bottom, top, limit, count):
    """All points take all steps; those that are outside stay where they are."""
    import cupy

    rows, cols = count.shape
    re = left + cupy.arange(cols) * ((right - left) / cols)
    im = bottom + cupy.arange(rows) * ((top - bottom) / rows)
    c = re + 1j * im[:, None]
    z = cupy.zeros_like(c)
    count[:] = 0
    for _ in range(limit):
        inside = z.real**2 + z.imag**2 <= 4.0
        z = cupy.where(inside, z * z + c, z)
        count += inside
