"""Sod's shock tube: finite volumes of second order against the exact solution.

    python main.py --cells 800

MUSCL reconstruction with minmod slopes, HLLC fluxes, Heun's method in time.  Then the same with
half of the cells, for the order of convergence.
"""

import argparse
from math import log2

import numpy as np
from flux import GAMMA, energy, hllc, minmod
from riemann import sample, star_state

LEFT = (1.0, 0.0, 1.0)
RIGHT = (0.125, 0.0, 0.1)
GHOST = 2


def initial(cells):
    """Conserved variables with two ghost cells at each end, and the centres of the cells."""
    dx = 1.0 / cells
    x = (np.arange(-GHOST, cells + GHOST) + 0.5) * dx
    U = np.zeros((3, cells + 2 * GHOST))
    for i in range(len(x)):
        rho, u, p = LEFT if x[i] < 0.5 else RIGHT
        U[0, i] = rho
        U[1, i] = rho * u
        U[2, i] = energy(rho, u, p)
    return U, x, dx


def primitive(U):
    """Density, velocity and pressure."""
    rho = U[0]
    u = U[1] / rho
    p = (GAMMA - 1.0) * (U[2] - 0.5 * rho * u * u)
    return np.array([rho, u, p])


def ghosts(U):
    """Open ends: the outermost cell repeats."""
    for g in range(GHOST):
        U[:, g] = U[:, GHOST]
        U[:, -1 - g] = U[:, -1 - GHOST]


def time_step(W, dx, cfl):
    fastest = 0.0
    for i in range(W.shape[1]):
        c = (GAMMA * W[2, i] / W[0, i]) ** 0.5
        fastest = max(fastest, abs(W[1, i]) + c)
    return cfl * dx / fastest


def rate_of_change(U, dx):
    """dU/dt of the inner cells."""
    ghosts(U)
    W = primitive(U)
    n = U.shape[1]
    slope = np.zeros_like(W)
    for v in range(3):
        for i in range(1, n - 1):
            slope[v, i] = minmod(W[v, i] - W[v, i - 1], W[v, i + 1] - W[v, i])
    left = W + 0.5 * slope
    right = W - 0.5 * slope

    flux = np.zeros((3, n))
    for i in range(1, n - 2):
        # between cell i and cell i + 1
        f = hllc(
            left[0, i], left[1, i], left[2, i], right[0, i + 1], right[1, i + 1], right[2, i + 1]
        )
        flux[0, i] = f[0]
        flux[1, i] = f[1]
        flux[2, i] = f[2]
    change = np.zeros_like(U)
    change[:, 2:-2] = -(flux[:, 2:-2] - flux[:, 1:-3]) / dx
    return change


def solve(cells, end, cfl, every=None):
    """Advance to time `end`; returns centres, primitive variables and the history of the totals."""
    U, x, dx = initial(cells)
    t = 0.0
    step = 0
    totals = []
    while t < end:
        dt = time_step(primitive(U), dx, cfl)
        if t + dt > end:
            dt = end - t
        first = U + dt * rate_of_change(U, dx)
        second = first + dt * rate_of_change(first, dx)
        U = 0.5 * (U + second)
        t += dt
        step += 1
        inner = U[:, GHOST:-GHOST]
        totals.append((t, inner[0].sum() * dx, inner[2].sum() * dx))
        if every and step % every == 0:
            W = primitive(U)
            print(f"step {step:5d} t {t:.6f} mass {totals[-1][1]:.12f} max u {W[1].max():.9f}")
    if every:
        print(f"{step} steps, energy {totals[-1][2]:.12f}")
    return x[GHOST:-GHOST], primitive(U)[:, GHOST:-GHOST], totals


def exact(x, t):
    p_star, u_star = star_state(LEFT, RIGHT)
    W = np.zeros((3, len(x)))
    for i, xi in enumerate(x):
        W[:, i] = sample((xi - 0.5) / t, LEFT, RIGHT, p_star, u_star)
    return W


def main():
    parser = argparse.ArgumentParser(description="Sod's shock tube with finite volumes")
    parser.add_argument("--cells", type=int, default=800)
    parser.add_argument("--time", type=float, default=0.2)
    parser.add_argument("--cfl", type=float, default=0.45)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--plot", metavar="FILE")
    args = parser.parse_args()

    p_star, u_star = star_state(LEFT, RIGHT)
    print(f"star state: p {p_star:.12f} u {u_star:.12f}")
    errors = {}
    for cells in (args.cells // 2, args.cells):
        every = args.every if cells == args.cells else None
        x, W, totals = solve(cells, args.time, args.cfl, every)
        truth = exact(x, args.time)
        errors[cells] = [float(np.abs(W[v] - truth[v]).mean()) for v in range(3)]
        print(f"{cells} cells, errors", " ".join(f"{e:.9f}" for e in errors[cells]))
    coarse, fine = errors.values()
    orders = [log2(a / b) for a, b in zip(coarse, fine)]
    print("orders", " ".join(f"{o:.4f}" for o in orders))
    jump = [i for i in range(1, len(x)) if W[2, i - 1] - W[2, i] > 0.02]
    print(f"shock between {x[jump[-1] - 1]:.4f} and {x[jump[-1]]:.4f}" if jump else "no shock")
    print(f"mass drift {totals[-1][1] - totals[0][1]:.3e}")

    if args.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        fig, axes = plt.subplots(3, 1, figsize=(6, 8), sharex=True)
        for v, (ax, name) in enumerate(zip(axes, ("density", "velocity", "pressure"))):
            ax.plot(x, W[v], ".", ms=2)
            ax.plot(x, truth[v], "k-", lw=0.7)
            ax.set_ylabel(name)
        fig.savefig(args.plot)


if __name__ == "__main__":
    main()
