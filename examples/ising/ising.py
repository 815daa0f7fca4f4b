"""Two-dimensional Ising model with the Metropolis algorithm.

    python ising.py --size 32 --sweeps 400 --temperatures 9

For each temperature: energy, magnetisation, specific heat and susceptibility per spin, with an
error from blocking and the autocorrelation time of the energy.  J = k = 1, no field.
"""

import argparse
import math

import numpy as np

CRITICAL = 2.0 / math.log(1.0 + math.sqrt(2.0))


def random_lattice(n):
    """Spins +1 and -1 with equal probability."""
    lattice = np.ones((n, n), dtype=int)
    for i in range(n):
        for j in range(n):
            if np.random.rand() < 0.5:
                lattice[i, j] = -1
    return lattice


def total_energy(lattice):
    """Each bond once: right and lower neighbour of every spin, on a torus."""
    n = lattice.shape[0]
    energy = 0
    for i in range(n):
        for j in range(n):
            energy -= lattice[i, j] * (lattice[(i + 1) % n, j] + lattice[i, (j + 1) % n])
    return energy


def metropolis_sweep(lattice, boltzmann):
    """Try n * n spins chosen at random; returns the number that flipped."""
    n = lattice.shape[0]
    flipped = 0
    for _ in range(n * n):
        i = int(n * np.random.rand())
        j = int(n * np.random.rand())
        neighbours = (
            lattice[(i + 1) % n, j]
            + lattice[i - 1, j]
            + lattice[i, (j + 1) % n]
            + lattice[i, j - 1]
        )
        cost = 2 * lattice[i, j] * neighbours
        if cost <= 0 or np.random.rand() < boltzmann[cost]:
            lattice[i, j] = -lattice[i, j]
            flipped += 1
    return flipped


def correlation_function(lattice, reach):
    """Mean product of two spins r apart, along rows and columns."""
    n = lattice.shape[0]
    result = []
    for r in range(reach):
        total = 0
        for i in range(n):
            for j in range(n):
                total += lattice[i, j] * (lattice[(i + r) % n, j] + lattice[i, (j + r) % n])
        result.append(total / (2 * n * n))
    return result


def blocking_error(samples):
    """Largest error estimate over block sizes 1, 2, 4, ... (Flyvbjerg and Petersen)."""
    values = list(samples)
    worst = 0.0
    while len(values) >= 8:
        mean = sum(values) / len(values)
        variance = sum((x - mean) ** 2 for x in values) / (len(values) - 1)
        worst = max(worst, math.sqrt(variance / len(values)))
        values = [0.5 * (a + b) for a, b in zip(values[::2], values[1::2])]
    return worst


def autocorrelation_time(samples):
    """Integrated until the correlation first drops below zero."""
    x = np.array(samples, dtype=float)
    x -= x.mean()
    n = len(x)
    variance = float(np.mean(x * x))
    if variance == 0.0:
        return 0.0
    tau = 0.5
    for lag in range(1, n // 2):
        total = 0.0
        for i in range(n - lag):
            total += x[i] * x[i + lag]
        rho = total / ((n - lag) * variance)
        if rho < 0:
            break
        tau += rho
    return tau


def simulate(lattice, temperature, sweeps, warmup):
    """Averages at one temperature as a dictionary; the lattice carries over to the next."""
    n2 = lattice.size
    boltzmann = {cost: math.exp(-cost / temperature) for cost in (4, 8)}
    for _ in range(warmup):
        metropolis_sweep(lattice, boltzmann)

    energies, magnets = [], []
    flips = 0
    for _ in range(sweeps):
        flips += metropolis_sweep(lattice, boltzmann)
        energies.append(total_energy(lattice) / n2)
        magnets.append(abs(int(np.sum(lattice))) / n2)

    e = np.array(energies)
    m = np.array(magnets)
    return {
        "energy": e.mean(),
        "error": blocking_error(energies),
        "tau": autocorrelation_time(energies),
        "magnet": m.mean(),
        "heat": n2 * e.var() / temperature**2,
        "chi": n2 * m.var() / temperature,
        "accepted": flips / (sweeps * n2),
        "correlation": correlation_function(lattice, min(lattice.shape[0] // 2, 6)),
    }


def main():
    parser = argparse.ArgumentParser(description="Two-dimensional Ising model")
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--sweeps", type=int, default=400)
    parser.add_argument("--warmup", type=int, default=60)
    parser.add_argument("--temperatures", type=int, default=9)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--plot", metavar="FILE")
    args = parser.parse_args()

    np.random.seed(args.seed)
    lattice = random_lattice(args.size)
    results = {}
    print(f"{args.size} x {args.size} spins, critical temperature {CRITICAL:.4f}")
    print("     T      energy     error    tau    |m|       C       chi    accepted")
    for t in reversed(np.linspace(1.6, 3.2, args.temperatures)):
        r = results[float(t)] = simulate(lattice, t, args.sweeps, args.warmup)
        print(
            f"{t:7.3f} {r['energy']:10.6f} {r['error']:9.6f} {r['tau']:6.2f} {r['magnet']:8.5f}"
            f" {r['heat']:8.5f} {r['chi']:8.5f} {r['accepted']:8.5f}"
        )
        print("        correlation", " ".join(f"{c:.4f}" for c in r["correlation"]))
    peak = max(results, key=lambda t: results[t]["heat"])
    print(f"largest specific heat at T = {peak:.3f}")

    if args.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        ts = sorted(results)
        fig, axes = plt.subplots(2, 2, figsize=(8, 6))
        for ax, key in zip(axes.flat, ("energy", "magnet", "heat", "chi")):
            ax.plot(ts, [results[t][key] for t in ts], "o-")
            ax.axvline(CRITICAL, color="grey", lw=0.5)
            ax.set_title(key)
        fig.savefig(args.plot)


if __name__ == "__main__":
    main()
