"""The twelve benchmarks as a Numba user writes them by hand.

The same loops, order and arithmetic as the plain files; the outermost loop that may run in parallel
is a `prange`.  Nobody but the author vouches that it may.
"""

import math

from numba import njit, prange


@njit(parallel=True)
def vadd(a, b, c):
    for i in prange(c.shape[0]):
        c[i] = a[i] + b[i]


@njit(parallel=True)
def saxpy(alpha, x, y):
    for i in prange(y.shape[0]):
        y[i] = alpha * x[i] + y[i]


@njit(parallel=True)
def conway(board, after):
    rows, cols = board.shape
    for i in prange(rows):
        for j in range(cols):
            up = (i - 1) % rows
            down = (i + 1) % rows
            left = (j - 1) % cols
            right = (j + 1) % cols
            s = (
                board[up, left]
                + board[up, j]
                + board[up, right]
                + board[i, left]
                + board[i, right]
                + board[down, left]
                + board[down, j]
                + board[down, right]
            )
            if s == 3 or (s == 2 and board[i, j] == 1):
                after[i, j] = 1
            else:
                after[i, j] = 0


@njit(parallel=True)
def hilbert(h):
    n = h.shape[0]
    for i in prange(n):
        for j in range(n):
            h[i, j] = 1.0 / (i + j + 1)


@njit(parallel=True)
def jacobi(a, b, steps):
    n = a.shape[0]
    for t in range(steps):  # noqa: B007
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])


@njit(parallel=True)
def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    n = a.shape[0]
    for i in prange(n):
        for j in range(n):
            a[i, j] = a[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in prange(n):
        for j in range(n):
            x[i] = x[i] + beta * a[j, i] * y[j]
    for i in prange(n):
        x[i] = x[i] + z[i]
    for i in prange(n):
        for j in range(n):
            w[i] = w[i] + alpha * a[i, j] * x[j]


@njit(parallel=True)
def black_scholes(rate, volatility, spot, strike, years, call, put):
    half = math.sqrt(0.5)
    drift = rate + 0.5 * volatility * volatility
    for i in prange(spot.shape[0]):
        spread = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + drift * years[i]) / spread
        d2 = d1 - spread
        n1 = 0.5 * (1.0 + math.erf(d1 * half))
        n2 = 0.5 * (1.0 + math.erf(d2 * half))
        owed = strike[i] * math.exp(-rate * years[i])
        call[i] = spot[i] * n1 - owed * n2
        put[i] = owed * (1.0 - n2) - spot[i] * (1.0 - n1)


@njit(parallel=True)
def fbcorr(images, filters, out):
    for p in prange(out.shape[0]):
        for f in range(out.shape[1]):
            for y in range(out.shape[2]):
                for x in range(out.shape[3]):
                    out[p, f, y, x] = 0.0
                    for v in range(filters.shape[1]):
                        for u in range(filters.shape[2]):
                            for d in range(filters.shape[3]):
                                out[p, f, y, x] += images[p, y + v, x + u, d] * filters[f, v, u, d]


@njit(parallel=True)
def conv_2d(image, weight, out):
    rows, cols = out.shape
    m = weight.shape[0]
    for i in prange(rows):
        for j in range(cols):
            total = 0.0
            for k in range(m):
                for q in range(m):
                    total += image[i + k, j + q] * weight[m - 1 - k, m - 1 - q]
            out[i, j] = total


@njit(parallel=True)
def gemm(alpha, beta, a, b, c):
    rows, cols = c.shape
    inner = a.shape[1]
    for i in prange(rows):
        for j in range(cols):
            c[i, j] = beta * c[i, j]
            for k in range(inner):
                c[i, j] += alpha * a[i, k] * b[k, j]


@njit(parallel=True)
def mandelbrot(left, right, bottom, top, limit, count):
    rows, cols = count.shape
    dx = (right - left) / cols
    dy = (top - bottom) / rows
    for i in prange(rows):
        for j in range(cols):
            cr = left + j * dx
            ci = bottom + i * dy
            zr = 0.0
            zi = 0.0
            steps = 0
            for k in range(limit):
                rr = zr * zr
                ii = zi * zi
                if rr + ii > 4.0:
                    break
                zi = 2.0 * zr * zi + ci
                zr = rr - ii + cr
                steps = k + 1
            count[i, j] = steps


@njit(parallel=True)
def syr2k(alpha, beta, a, b, c):
    n, inner = a.shape
    for i in prange(n):
        for j in range(i + 1):
            c[i, j] = beta * c[i, j]
            for k in range(inner):
                c[i, j] += alpha * a[i, k] * b[j, k] + alpha * b[i, k] * a[j, k]
