"""Deriche's recursive filter: edges of an image, along rows and then along columns."""

import math

import numpy as np

SIZES = {"tiny": 9, "quick": 250, "normal": 700}


def make(n, seed):
    image = np.random.default_rng(seed).random((n, n + 5))
    return {"alpha": 0.25, "image": image, "out": np.zeros((n, n + 5))}


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
    forth = np.zeros((rows, cols))
    back = np.zeros((rows, cols))
    for i in range(rows):
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        for j in range(cols):
            forth[i, j] = a1 * image[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1 = image[i, j]
            y2 = y1
            y1 = forth[i, j]
    for i in range(rows):
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        x2 = 0.0
        for j in range(cols - 1, -1, -1):
            back[i, j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2 = x1
            x1 = image[i, j]
            y2 = y1
            y1 = back[i, j]
    for i in range(rows):
        for j in range(cols):
            out[i, j] = forth[i, j] + back[i, j]
    for j in range(cols):
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        for i in range(rows):
            forth[i, j] = a1 * out[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1 = out[i, j]
            y2 = y1
            y1 = forth[i, j]
    for j in range(cols):
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        x2 = 0.0
        for i in range(rows - 1, -1, -1):
            back[i, j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2 = x1
            x1 = out[i, j]
            y2 = y1
            y1 = back[i, j]
    for i in range(rows):
        for j in range(cols):
            out[i, j] = forth[i, j] + back[i, j]
