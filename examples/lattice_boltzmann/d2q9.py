"""The D2Q9 lattice: nine velocities, their weights and the equilibrium they relax to."""

import numpy as np

CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
WEIGHTS = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])


def equilibrium(k, rho, ux, uy):
    """Second order expansion of the Maxwell distribution for direction k."""
    cu = CX[k] * ux + CY[k] * uy
    uu = ux * ux + uy * uy
    return WEIGHTS[k] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * uu)


def relaxation_time(speed, length, reynolds):
    """Relaxation time that gives the wanted Reynolds number, in lattice units."""
    viscosity = speed * length / reynolds
    return 3.0 * viscosity + 0.5
