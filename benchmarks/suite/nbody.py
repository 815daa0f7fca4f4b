"""Distances between all pairs of bodies."""

import math

import numpy as np

SIZES = {"tiny": 9, "quick": 600, "normal": 1300}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"place": rng.random((n, 3)), "distance": np.zeros((n, n))}


def run(place, distance):
    n = place.shape[0]
    for i in range(n):
        for j in range(n):
            dx = place[i, 0] - place[j, 0]
            dy = place[i, 1] - place[j, 1]
            dz = place[i, 2] - place[j, 2]
            distance[i, j] = math.sqrt(dx * dx + dy * dy + dz * dz)
