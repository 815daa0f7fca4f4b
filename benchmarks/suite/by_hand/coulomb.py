"""A row of the grid at a time, charge by charge, so that points are computed in vectors."""

import math

import numpy as np
from numba import prange


def run(atoms, step, potential):
    rows, cols = potential.shape
    for i in prange(rows):
        row = potential[i]
        row[:] = 0.0
        for k in range(atoms.shape[0]):
            x = atoms[k, 0]
            charge = atoms[k, 3]
            dy = i * step - atoms[k, 1]
            dy2 = dy * dy
            dz2 = atoms[k, 2] * atoms[k, 2]
            for j in range(cols):
                dx = j * step - x
                row[j] += charge / math.sqrt(dx * dx + dy2 + dz2)


def whole(atoms, step, potential):
    rows, cols = potential.shape
    x = np.arange(cols) * step
    y = np.arange(rows) * step
    potential[:] = 0.0
    for ax, ay, az, charge in atoms:
        potential += charge / np.sqrt((x - ax) ** 2 + (y[:, None] - ay) ** 2 + az**2)
