"""Potential of point charges at the points of a grid in the plane z = 0."""

import math

import numpy as np

SIZES = {"tiny": 7, "quick": 60, "normal": 130}


def make(n, seed):
    rng = np.random.default_rng(seed)
    atoms = rng.random((n, 4)) + 0.01
    atoms[:, 3] -= 0.5
    return {"atoms": atoms, "step": 1.0 / n, "potential": np.zeros((n, n))}


def run(atoms, step, potential):
    rows, cols = potential.shape
    for i in range(rows):
        for j in range(cols):
            total = 0.0
            for k in range(atoms.shape[0]):
                dx = j * step - atoms[k, 0]
                dy = i * step - atoms[k, 1]
                dz = atoms[k, 2]
                total += atoms[k, 3] / math.sqrt(dx * dx + dy * dy + dz * dz)
            potential[i, j] = total
