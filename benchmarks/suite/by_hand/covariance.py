"""Along rows throughout; a long and a short row of the triangle make one piece of work."""

from numba import prange

from suite.by_hand.parts import accumulate, turned


def row(data, t, cov, rows, i):
    cols = cov.shape[0]
    for j in range(i, cols):
        cov[i, j] = 0.0
    accumulate(cov[i, i:], 1.0, t[i], data[:, i:])
    for j in range(i, cols):
        cov[i, j] /= rows - 1.0
        cov[j, i] = cov[i, j]


def run(data, mean, cov):
    rows, cols = data.shape
    mean[:] = 0.0
    for i in range(rows):
        for j in range(cols):
            mean[j] += data[i, j]
    for j in range(cols):
        mean[j] /= rows
    for i in range(rows):
        for j in range(cols):
            data[i, j] -= mean[j]
    t = turned(data)
    for p in prange((cols + 1) // 2):
        row(data, t, cov, rows, p)
        if cols - 1 - p > p:
            row(data, t, cov, rows, cols - 1 - p)


def whole(data, mean, cov):
    mean[:] = data.mean(axis=0)
    data -= mean
    cov[:] = data.T @ data / (len(data) - 1.0)
