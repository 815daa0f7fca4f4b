"""Molecular dynamics of a two-dimensional Lennard-Jones fluid.

    python main.py --side 20 --steps 500

Reduced units.  Velocity Verlet, linked cells, a rescaling thermostat while the fluid warms up, then
constant energy with averages of temperature and pressure, the pair correlation and the mean
squared displacement.
"""

import argparse
import math
import random

import numpy as np
from cells import CellList


class Fluid:
    """Positions, velocities and forces of all atoms in a periodic box."""

    def __init__(self, side, density, temperature, cutoff):
        self.n = side * side
        self.box = math.sqrt(self.n / density)
        self.cutoff = cutoff
        self.x = np.zeros((self.n, 2))
        self.v = np.zeros((self.n, 2))
        self.f = np.zeros((self.n, 2))
        self.travel = np.zeros((self.n, 2))
        self.potential = 0.0
        self.virial = 0.0
        self.cells = CellList(self.box, cutoff, self.n)
        self.place(side)
        self.heat(temperature)

    def place(self, side):
        """A square lattice with a little noise."""
        spacing = self.box / side
        for i in range(self.n):
            self.x[i, 0] = (i % side + 0.5 + 0.1 * (random.random() - 0.5)) * spacing
            self.x[i, 1] = (i // side + 0.5 + 0.1 * (random.random() - 0.5)) * spacing

    def heat(self, temperature):
        """Gaussian velocities without total momentum."""
        for i in range(self.n):
            for k in range(2):
                self.v[i, k] = random.gauss(0.0, math.sqrt(temperature))
        self.v -= self.v.mean(axis=0)
        self.rescale(temperature)

    def kinetic(self):
        return 0.5 * np.sum(self.v * self.v)

    def temperature(self):
        return self.kinetic() / (self.n - 1)

    def pressure(self):
        return (self.n * self.temperature() + 0.5 * self.virial) / self.box**2

    def rescale(self, temperature):
        self.v *= math.sqrt(temperature / self.temperature())

    def forces(self):
        """Forces, potential energy and virial from pairs within the cutoff."""
        self.cells.build(self.x)
        self.f[:] = 0.0
        self.potential = 0.0
        self.virial = 0.0
        rc2 = self.cutoff**2
        shift = 4.0 * (self.cutoff**-12 - self.cutoff**-6)
        half = 0.5 * self.box
        for cell, around in enumerate(self.cells.neighbours):
            i = self.cells.head[cell]
            while i >= 0:
                for other in around:
                    j = self.cells.head[other]
                    while j >= 0:
                        if j < i:
                            dx = self.x[i, 0] - self.x[j, 0]
                            dy = self.x[i, 1] - self.x[j, 1]
                            if dx > half:
                                dx -= self.box
                            elif dx < -half:
                                dx += self.box
                            if dy > half:
                                dy -= self.box
                            elif dy < -half:
                                dy += self.box
                            r2 = dx * dx + dy * dy
                            if r2 < rc2:
                                s = 1.0 / (r2 * r2 * r2)
                                w = 48.0 * s * (s - 0.5)
                                fx = w / r2 * dx
                                fy = w / r2 * dy
                                self.f[i, 0] += fx
                                self.f[i, 1] += fy
                                self.f[j, 0] -= fx
                                self.f[j, 1] -= fy
                                self.potential += 4.0 * s * (s - 1.0) - shift
                                self.virial += w
                        j = self.cells.link[j]
                i = self.cells.link[i]

    def step(self, dt):
        """Velocity Verlet."""
        for i in range(self.n):
            for k in range(2):
                self.v[i, k] += 0.5 * dt * self.f[i, k]
                move = dt * self.v[i, k]
                self.travel[i, k] += move
                self.x[i, k] = (self.x[i, k] + move) % self.box
        self.forces()
        self.v += 0.5 * dt * self.f


def count_pairs(fluid, counts, width):
    """Add the distances of all pairs to a histogram."""
    for i in range(fluid.n - 1):
        for j in range(i + 1, fluid.n):
            dx = fluid.x[i, 0] - fluid.x[j, 0]
            dy = fluid.x[i, 1] - fluid.x[j, 1]
            dx -= fluid.box * round(dx / fluid.box)
            dy -= fluid.box * round(dy / fluid.box)
            k = int(math.sqrt(dx * dx + dy * dy) / width)
            if k < len(counts):
                counts[k] += 2


def pair_correlation(fluid, counts, width, samples):
    density = fluid.n / fluid.box**2
    g = []
    for k, count in enumerate(counts):
        area = math.pi * width * width * ((k + 1) ** 2 - k**2)
        g.append(count / (samples * fluid.n * density * area))
    return g


def mean_squared_displacement(fluid):
    return sum(dx * dx + dy * dy for dx, dy in fluid.travel) / fluid.n


def main():
    parser = argparse.ArgumentParser(description="A Lennard-Jones fluid in two dimensions")
    parser.add_argument("--side", type=int, default=20, help="the square root of the atoms")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--warmup", type=int, default=100)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--density", type=float, default=0.7)
    parser.add_argument("--temperature", type=float, default=0.9)
    parser.add_argument("--dt", type=float, default=0.004)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", metavar="FILE")
    args = parser.parse_args()

    random.seed(args.seed)
    fluid = Fluid(args.side, args.density, args.temperature, 2.5)
    print(f"{fluid.n} atoms, box {fluid.box:.6f}, {fluid.cells.side} x {fluid.cells.side} cells")
    fluid.forces()
    for step in range(args.warmup):
        fluid.step(args.dt)
        if step % 10 == 0:
            fluid.rescale(args.temperature)

    fluid.travel[:] = 0.0
    bins = 60
    width = 0.5 * fluid.box / bins
    counts = [0] * bins
    energies, temperatures, pressures = [], [], []
    samples = 0
    for step in range(1, args.steps + 1):
        fluid.step(args.dt)
        energies.append((fluid.kinetic() + fluid.potential) / fluid.n)
        temperatures.append(fluid.temperature())
        pressures.append(fluid.pressure())
        if step % args.every == 0:
            count_pairs(fluid, counts, width)
            samples += 1
            print(
                f"{step:6d} E {energies[-1]:.9f} T {temperatures[-1]:.9f}"
                f" P {pressures[-1]:.9f} msd {mean_squared_displacement(fluid):.9f}"
            )
    drift = max(abs(e - energies[0]) for e in energies)
    print(f"mean T {np.mean(temperatures):.9f} P {np.mean(pressures):.9f} drift {drift:.3e}")
    g = pair_correlation(fluid, counts, width, samples)
    peak = max(range(bins), key=lambda k: g[k])
    print(f"g(r) has its peak {g[peak]:.6f} at r = {(peak + 0.5) * width:.4f}")
    print("momentum", *(f"{p:.1e}" for p in np.abs(fluid.v.sum(axis=0)).round(9)))

    if args.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
        left.plot(fluid.x[:, 0], fluid.x[:, 1], "o", ms=4)
        left.set_aspect("equal")
        right.plot([(k + 0.5) * width for k in range(bins)], g)
        right.set_xlabel("r")
        fig.savefig(args.plot)


if __name__ == "__main__":
    main()
