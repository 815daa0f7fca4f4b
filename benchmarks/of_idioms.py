"""Loops as scientists write them, with functions, powers, tests and counters; see `idioms.py`."""

import math

import numpy as np


def normal_density(x, mean, width, density):
    for i in range(len(x)):
        z = (x[i] - mean) / width
        density[i] = np.exp(-0.5 * z**2) / (width * np.sqrt(2.0 * np.pi))


def logistic(x, y):
    for i in range(len(x)):
        z = x[i]
        if z < 0.0:
            z = -z
        y[i] = 1.0 / (1.0 + np.exp(-z))


def piecewise(x, y):
    for i in range(len(x)):
        if x[i] > 0.0:
            y[i] = np.log(x[i])
        else:
            y[i] = np.exp(x[i])


def call_prices(spot, strike, years, price):
    for i in range(len(spot)):
        root = np.sqrt(years[i])
        d1 = (np.log(spot[i] / strike[i]) + 0.065 * years[i]) / (0.3 * root)
        d2 = d1 - 0.3 * root
        n1 = 0.5 * (1.0 + np.tanh(0.79788 * (d1 + 0.044715 * d1**3)))
        n2 = 0.5 * (1.0 + np.tanh(0.79788 * (d2 + 0.044715 * d2**3)))
        price[i] = spot[i] * n1 - strike[i] * np.exp(-0.02 * years[i]) * n2


def softmax(a, out):
    n, m = a.shape
    for i in range(n):
        largest = a[i, 0]
        for j in range(m):
            if a[i, j] > largest:
                largest = a[i, j]
        total = 0.0
        for j in range(m):
            out[i, j] = np.exp(a[i, j] - largest)
            total += out[i, j]
        for j in range(m):
            out[i, j] /= total


def log_sum(x, out):
    total = 0.0
    for i in range(len(x)):
        total += np.log(x[i] * x[i] + 1.0)
    out[0] = total


def polar(x, y, radius, angle):
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            radius[i, j] = (x[i, j] ** 2 + y[i, j] ** 2) ** 0.5
            angle[i, j] = np.arctan2(y[i, j], x[i, j])


def lengths(x, y, out):
    for i in range(len(x)):
        out[i] = math.hypot(x[i], y[i])


def edges(picture, strength):
    n, m = picture.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            across = picture[i, j + 1] - picture[i, j - 1]
            down = picture[i + 1, j] - picture[i - 1, j]
            strength[i, j] = math.sqrt(across**2 + down**2)


def variances(a, out):
    n, m = a.shape
    for i in range(n):
        mean = 0.0
        for j in range(m):
            mean += a[i, j]
        mean /= m
        total = 0.0
        for j in range(m):
            total += (a[i, j] - mean) ** 2
        out[i] = total / m


def gravity(place, mass, force):
    n = len(mass)
    for i in range(n):
        for j in range(n):
            if i != j:
                dx = place[j, 0] - place[i, 0]
                dy = place[j, 1] - place[i, 1]
                dz = place[j, 2] - place[i, 2]
                cube = (dx**2 + dy**2 + dz**2 + 0.01) ** 1.5
                force[i, 0] += mass[j] * dx / cube
                force[i, 1] += mass[j] * dy / cube
                force[i, 2] += mass[j] * dz / cube


def between(x, out):
    count = 0
    for i in range(len(x)):
        if x[i] > -0.5 and x[i] < 0.8:
            count += 1
    out[0] = count


def darts(x, y, out):
    inside = 0
    for i in range(len(x)):
        if x[i] ** 2 + y[i] ** 2 <= 1.0:
            inside += 1
    out[0] = 4.0 * inside / len(x)


def nearest_images(x, y, side, out):
    for i in range(len(x)):
        d = x[i] - y[i]
        out[i] = d - side * round(d / side)


def blurred(picture, weights, out):
    n, m = picture.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            total = 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += picture[i + di, j + dj] * weights[di + 1, dj + 1]
            out[i, j] = total


def distances(a, b, out):
    n, d = a.shape
    for i in range(n):
        for j in range(len(b)):
            total = 0.0
            for k in range(d):
                total += (a[i, k] - b[j, k]) ** 2
            out[i, j] = total**0.5


def settled(plate, new, steps):
    n, m = plate.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                new[i, j] = 0.25 * (
                    plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1]
                )
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                plate[i, j] = new[i, j]


SIZES = dict.fromkeys(
    ("normal_density", "logistic", "piecewise", "call_prices", "log_sum", "lengths", "between",
     "darts", "nearest_images"),
    200_000,
) | dict.fromkeys(
    ("softmax", "polar", "edges", "variances", "gravity", "blurred", "distances"), 450
) | {"settled": 950}  # fmt: skip


def make(name, n):
    """Arguments of that program; the same each time."""
    rng = np.random.default_rng(n)

    def normal(*shape):
        return rng.normal(size=shape)

    def positive():
        return rng.uniform(0.5, 2.0, n)

    return {
        "normal_density": lambda: (normal(n), 0.5, 1.3, np.zeros(n)),
        "logistic": lambda: (normal(n), np.zeros(n)),
        "piecewise": lambda: (normal(n), np.zeros(n)),
        "call_prices": lambda: (positive(), positive(), positive(), np.zeros(n)),
        "softmax": lambda: (normal(n, n), np.zeros((n, n))),
        "log_sum": lambda: (normal(n), np.zeros(1)),
        "polar": lambda: (normal(n, n), normal(n, n), np.zeros((n, n)), np.zeros((n, n))),
        "lengths": lambda: (normal(n), normal(n), np.zeros(n)),
        "edges": lambda: (normal(n, n), np.zeros((n, n))),
        "variances": lambda: (normal(n, n), np.zeros(n)),
        "gravity": lambda: (normal(n, 3), positive(), np.zeros((n, 3))),
        "between": lambda: (normal(n), np.zeros(1)),
        "nearest_images": lambda: (normal(n), normal(n), 0.7, np.zeros(n)),
        "blurred": lambda: (normal(n, n), normal(3, 3), np.zeros((n, n))),
        "distances": lambda: (normal(n, 6), normal(n, 6), np.zeros((n, n))),
        "settled": lambda: (normal(n, n), np.zeros((n, n)), 4),
        "darts": lambda: (rng.random(n), rng.random(n), np.zeros(1)),
    }[name]()
