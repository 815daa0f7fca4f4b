"""Coordinates in three vectors, so that a row is computed in vectors."""

import math

import numpy as np
from numba import prange


def run(place, distance):
    n = place.shape[0]
    x = place[:, 0].copy()
    y = place[:, 1].copy()
    z = place[:, 2].copy()
    for i in prange(n):
        xi = x[i]
        yi = y[i]
        zi = z[i]
        row = distance[i]
        for j in range(n):
            dx = xi - x[j]
            dy = yi - y[j]
            dz = zi - z[j]
            row[j] = math.sqrt(dx * dx + dy * dy + dz * dz)


def whole(place, distance):
    apart = place[:, None, :] - place[None, :, :]
    distance[:] = np.sqrt((apart * apart).sum(axis=2))
