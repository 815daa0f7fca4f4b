"""Nests over lists of Python numbers, as they stand in textbooks; see `lists.py`."""

import random


def product(a, b, c):
    n = len(a)
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i][j] += a[i][k] * b[k][j]


def shortest_ways(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]


def smoothed(x, y):
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i]


def distances(points, d):
    for i, p in enumerate(points):
        for j, q in enumerate(points):
            d[i][j] = ((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2) ** 0.5


def heat(now, following, steps):
    for _t in range(steps):
        for i in range(1, len(now) - 1):
            following[i] = now[i] + 0.25 * (now[i - 1] - 2.0 * now[i] + now[i + 1])
        now, following = following, now


def edit_distance(x, y, d):
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost = 0 if x[i - 1] == y[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost)


def squares(rows):
    total = 0.0
    for row in rows:
        for v in row:
            total += v * v
    return total


SIZES = {
    "product": 200,
    "shortest_ways": 150,
    "smoothed": 300_000,
    "distances": 300,
    "heat": 20_000,
    "edit_distance": 400,
    "squares": 500,
}


def make(name, n, seed):
    """Arguments of a program, the same for the same seed."""
    rng = random.Random(seed)

    def row(count):
        return [rng.random() for _ in range(count)]

    match name:
        case "product":
            return [row(n) for _ in range(n)], [row(n) for _ in range(n)], [[0] * n for _ in row(n)]
        case "shortest_ways":
            return ([row(n) for _ in range(n)],)
        case "smoothed":
            return row(n), [0.0] * n
        case "distances":
            return [row(3) for _ in range(n)], [[0] * n for _ in range(n)]
        case "heat":
            return row(n), row(n), 50
        case "edit_distance":
            texts = [[rng.randrange(4) for _ in range(n)] for _ in range(2)]
            return *texts, [[i + j for j in range(n + 1)] for i in range(n + 1)]
        case "squares":
            return ([row(n) for _ in range(n)],)
    raise ValueError(name)
