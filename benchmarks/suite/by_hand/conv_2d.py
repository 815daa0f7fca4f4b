"""A row of results at a time, weight by weight, so that it is computed in vectors."""

from numba import prange


def run(image, weight, out):
    rows, cols = out.shape
    m = weight.shape[0]
    for i in prange(rows):
        row = out[i]
        for j in range(cols):
            row[j] = 0.0
        for k in range(m):
            line = image[i + k]
            for q in range(m):
                factor = weight[m - 1 - k, m - 1 - q]
                for j in range(cols):
                    row[j] += line[j + q] * factor


def whole(image, weight, out):
    rows, cols = out.shape
    m = weight.shape[0]
    out[:] = 0.0
    for k in range(m):
        for q in range(m):
            out += image[k : k + rows, q : q + cols] * weight[m - 1 - k, m - 1 - q]
