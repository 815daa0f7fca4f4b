"""Heat diffusion in a square plate with one hot edge and a heated disc.

    u_t = D (u_xx + u_yy),  explicit steps, fixed temperature on the rim

Prints the mean temperature every few steps: the time loop stays with the interpreter, the two nests
inside it are what takes the time.

    python examples/heat.py --size 120 --steps 400
"""

import argparse
import hashlib

import numpy as np


def plate(n):
    """Start: 0 inside, 100 on the upper edge, a disc at 60."""
    u = np.zeros((n, n))
    u[0, :] = 100.0
    centre = n // 2
    radius = n // 8
    for i in range(n):
        for j in range(n):
            if (i - centre) ** 2 + (j - centre) ** 2 <= radius**2:
                u[i, j] = 60.0
    return u


def step(u, new, d):
    """One explicit step from `u` to `new`; `d` is D dt / dx^2, at most 0.25 to be stable."""
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            new[i, j] = u[i, j] + d * (around - 4.0 * u[i, j])


def change(u, new):
    """Sum of the squared differences of two states, row by row."""
    n, m = u.shape
    rows = np.zeros(n)
    for i in range(n):
        for j in range(m):
            difference = new[i, j] - u[i, j]
            rows[i] += difference * difference
    return float(np.sqrt(rows.sum()))


def main():
    parser = argparse.ArgumentParser(description="Heat diffusion in a square plate")
    parser.add_argument("--size", type=int, default=120)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--every", type=int, default=50)
    options = parser.parse_args()

    u = plate(options.size)
    new = u.copy()
    for t in range(options.steps):
        step(u, new, 0.2)
        if t % options.every == 0:
            print(f"step {t:5d}  mean {u.mean():.6f}  change {change(u, new):.6e}")
        u, new = new, u
    print("checksum", hashlib.sha256(u.tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
