"""In single precision, as NumPy multiplies."""

import numpy as np
from numba import prange


def run(alpha, x, y):
    factor = np.float32(alpha)
    for i in prange(y.shape[0]):
        y[i] = factor * x[i] + y[i]


def whole(alpha, x, y):
    y += alpha * x
