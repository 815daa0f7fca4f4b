"""Nests that draw random numbers one by one, as plain loops; see `draws.py`."""

import random

import numpy as np

rng = np.random.default_rng(1)


def pi(n):
    inside = 0
    for _i in range(n):
        x = np.random.rand()
        y = np.random.rand()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


def pi_of_the_library(n):
    inside = 0
    for _i in range(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


def ising(spins, beta, sweeps):
    n = spins.shape[0]
    for _t in range(sweeps):
        for i in range(n):
            for j in range(n):
                s = spins[i, j]
                near = (
                    spins[(i + 1) % n, j] + spins[i - 1, j]
                    + spins[i, (j + 1) % n] + spins[i, j - 1]
                )  # fmt: skip
                cost = 2 * s * near
                if cost <= 0 or np.random.rand() < np.exp(-beta * cost):
                    spins[i, j] = -s
    return spins.sum()


def ising_at_random_places(spins, beta, steps):
    n = spins.shape[0]
    for _t in range(steps):
        i = rng.integers(0, n)
        j = rng.integers(0, n)
        s = spins[i, j]
        near = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
        if rng.random() < np.exp(-2.0 * beta * s * near):
            spins[i, j] = -s
    return spins.sum()


def walk(steps):
    path = np.zeros((steps + 1, 2), np.int64)
    for k in range(1, steps + 1):
        way = np.random.randint(4)
        path[k, 0] = path[k - 1, 0]
        path[k, 1] = path[k - 1, 1]
        if way < 2:
            path[k, 0] += 2 * way - 1
        else:
            path[k, 1] += 2 * way - 5
    return path.sum()


def metropolis(steps):
    samples = np.zeros(steps)
    x = 0.0
    for k in range(steps):
        other = x + rng.normal(0.0, 0.5)
        if rng.random() < np.exp(0.5 * (x * x - other * other)):
            x = other
        samples[k] = x
    return samples.sum()


def in_the_disk(n):
    points = np.zeros((n, 2))
    for k in range(n):
        while True:
            x = rng.uniform(-1.0, 1.0)
            y = rng.uniform(-1.0, 1.0)
            if x * x + y * y < 1.0:
                break
        points[k, 0] = x
        points[k, 1] = y
    return points.sum()


def dice(n):
    counts = np.zeros(13, np.int64)
    for _i in range(n):
        counts[random.randint(1, 6) + random.randint(1, 6)] += 1
    return (counts * np.arange(13)).sum()


def brownian(n):
    x = 0.0
    top = 0.0
    for _i in range(n):
        x += random.gauss(0.0, 1.0)
        if x > top:
            top = x
    return top


def noise(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += np.random.normal(0.0, 0.1)
    return a.sum()


SIZES = {
    "pi": 300_000,
    "pi_of_the_library": 300_000,
    "ising": 100,
    "ising_at_random_places": 100_000,
    "walk": 200_000,
    "metropolis": 200_000,
    "in_the_disk": 150_000,
    "dice": 200_000,
    "brownian": 300_000,
    "noise": 500,
}


def make(name, size):
    """Arguments of one program."""
    match name:
        case "ising":
            return [np.ones((size, size), np.int64), 0.4, 10]
        case "ising_at_random_places":
            return [np.ones((100, 100), np.int64), 0.4, size]
        case "noise":
            return [np.zeros((size, size))]
    return [size]


def states():
    """Where the generators are."""
    legacy = np.random.get_state()
    bits = rng.bit_generator.state
    return legacy[1].tobytes(), legacy[2:], random.getstate(), repr(bits)


def start():
    """Set the generators."""
    np.random.seed(2)
    random.seed(3)
    rng.bit_generator.state = np.random.PCG64(4).state
