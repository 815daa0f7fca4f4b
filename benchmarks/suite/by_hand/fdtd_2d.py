"""Both electric fields in one sweep, then the magnetic one."""

from numba import prange


def run(ex, ey, hz, source):
    rows, cols = hz.shape
    for t in range(source.shape[0]):
        for i in prange(rows):
            if i == 0:
                for j in range(cols):
                    ey[0, j] = source[t]
            else:
                for j in range(cols):
                    ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
            for j in range(1, cols):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in prange(rows - 1):
            for j in range(cols - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


def whole(ex, ey, hz, source):
    for now in source:
        ey[0] = now
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
