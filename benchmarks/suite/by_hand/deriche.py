"""Rows in parallel, both directions of one together; columns in blocks, row by row in vectors."""

import math

import numpy as np
from numba import prange


def along(image, out, a1, a2, a3, a4, b1, b2, i):
    cols = image.shape[1]
    y1 = 0.0
    y2 = 0.0
    x1 = 0.0
    v1 = 0.0
    v2 = 0.0
    u1 = 0.0
    u2 = 0.0
    forth = np.empty(cols)
    back = np.empty(cols)
    for j in range(cols):
        forth[j] = a1 * image[i, j] + a2 * x1 + b1 * y1 + b2 * y2
        x1 = image[i, j]
        y2 = y1
        y1 = forth[j]
        k = cols - 1 - j
        back[k] = a3 * u1 + a4 * u2 + b1 * v1 + b2 * v2
        u2 = u1
        u1 = image[i, k]
        v2 = v1
        v1 = back[k]
    for j in range(cols):
        out[i, j] = forth[j] + back[j]


def across(out, a1, a2, a3, a4, b1, b2, low, high):
    rows = out.shape[0]
    width = high - low
    forth = np.zeros((rows + 2, width))
    back = np.zeros((rows + 2, width))
    for i in range(rows):
        for j in range(width):
            x1 = out[i - 1, low + j] if i > 0 else 0.0
            forth[i + 2, j] = (
                a1 * out[i, low + j] + a2 * x1 + b1 * forth[i + 1, j] + b2 * forth[i, j]
            )
    for i in range(rows - 1, -1, -1):
        for j in range(width):
            x1 = out[i + 1, low + j] if i + 1 < rows else 0.0
            x2 = out[i + 2, low + j] if i + 2 < rows else 0.0
            back[i, j] = a3 * x1 + a4 * x2 + b1 * back[i + 1, j] + b2 * back[i + 2, j]
    for i in range(rows):
        for j in range(width):
            out[i, low + j] = forth[i + 2, j] + back[i, j]


def run(alpha, image, out):
    rows, cols = image.shape
    k = (1.0 - math.exp(-alpha)) * (1.0 - math.exp(-alpha))
    k /= 1.0 + 2.0 * alpha * math.exp(-alpha) - math.exp(-2.0 * alpha)
    a1 = k
    a2 = k * math.exp(-alpha) * (alpha - 1.0)
    a3 = k * math.exp(-alpha) * (alpha + 1.0)
    a4 = -k * math.exp(-2.0 * alpha)
    b1 = 2.0 * math.exp(-alpha)
    b2 = -math.exp(-2.0 * alpha)
    for i in prange(rows):
        along(image, out, a1, a2, a3, a4, b1, b2, i)
    width = 32
    for p in prange((cols + width - 1) // width):
        across(out, a1, a2, a3, a4, b1, b2, p * width, min(p * width + width, cols))
