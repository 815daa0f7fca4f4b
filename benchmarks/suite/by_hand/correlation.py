"""Along rows throughout; a long and a short row of the triangle make one piece of work."""

import math

import numpy as np
from numba import prange

from suite.by_hand.parts import accumulate, turned


def row(data, t, corr, i):
    cols = corr.shape[0]
    corr[i, i] = 1.0
    for j in range(i + 1, cols):
        corr[i, j] = 0.0
    accumulate(corr[i, i + 1 :], 1.0, t[i], data[:, i + 1 :])
    for j in range(i + 1, cols):
        corr[j, i] = corr[i, j]


def run(data, mean, deviation, corr):
    rows, cols = data.shape
    mean[:] = 0.0
    for i in range(rows):
        for j in range(cols):
            mean[j] += data[i, j]
    for j in range(cols):
        mean[j] /= rows
    deviation[:] = 0.0
    for i in range(rows):
        for j in range(cols):
            apart = data[i, j] - mean[j]
            deviation[j] += apart * apart
    scale = np.empty(cols)
    for j in range(cols):
        deviation[j] = math.sqrt(deviation[j] / rows)
        if deviation[j] <= 0.1:
            deviation[j] = 1.0
        scale[j] = math.sqrt(rows) * deviation[j]
    for i in range(rows):
        for j in range(cols):
            data[i, j] = (data[i, j] - mean[j]) / scale[j]
    t = turned(data)
    for p in prange((cols + 1) // 2):
        row(data, t, corr, p)
        if cols - 1 - p > p:
            row(data, t, corr, cols - 1 - p)


def whole(data, mean, deviation, corr):
    mean[:] = data.mean(axis=0)
    deviation[:] = data.std(axis=0)
    deviation[deviation <= 0.1] = 1.0
    data[:] = (data - mean) / (math.sqrt(len(data)) * deviation)
    corr[:] = data.T @ data
    np.fill_diagonal(corr, 1.0)
