"""Nests in which every loop carries something: only along a diagonal iterations are free."""

from ..loop import loop


@loop(n=7, a="n, n")
def from_above_and_left(a, n):
    "The classical one."
    for i in range(1, n):
        for j in range(1, n):
            a[i, j] = a[i - 1, j] + a[i, j - 1]


@loop(n=7, a="n, n", b="n, n")
def sweep_in_place(a, b, n):
    "A relaxation that uses new values at once."
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i + 1, j] + a[i, j + 1] + b[i, j]) * 0.2


@loop(n=6, steps=4, a="n")
def sweeps_in_time(a, n, steps):
    "Sweeps over one row, step after step."
    for t in range(steps):
        for i in range(1, n - 1):
            a[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.3


@loop(n=5, steps=3, a="n, n")
def plane_sweeps_in_time(a, n, steps):
    "Sweeps over a plane, step after step."
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i + 1, j] + a[i, j + 1]) * 0.2


@loop(n=7, m=6, d="int n, m", x="int n", y="int m")
def edit_distance(d, x, y, n, m):
    "A table filled from three neighbours."
    for i in range(1, n):
        for j in range(1, m):
            d[i, j] = min(
                d[i - 1, j] + 1,
                d[i, j - 1] + 1,
                d[i - 1, j - 1] + (x[i] != y[j]),
            )


@loop(n=7, m=6, d="int n, m", x="int n", y="int m")
def common_subsequence(d, x, y, n, m):
    "A table filled under a test."
    for i in range(1, n):
        for j in range(1, m):
            if x[i] == y[j]:
                d[i, j] = d[i - 1, j - 1] + 1
            else:
                d[i, j] = max(d[i - 1, j], d[i, j - 1])


@loop(n=7, a="n, n")
def from_below_and_left(a, n):
    "One loop runs downwards."
    for i in range(n - 2, -1, -1):
        for j in range(1, n):
            a[i, j] = a[i + 1, j] * 0.5 + a[i, j - 1]


@loop(n=7, a="n, n + 2")
def knight_move(a, n):
    "Distances (1, -1) and (0, 1): a steeper front."
    for i in range(1, n):
        for j in range(1, n):
            a[i, j] = a[i - 1, j + 1] + a[i, j - 1]


@loop(n=5, a="n, n, n")
def cube_corner(a, n):
    "Three directions at once."
    for i in range(1, n):
        for j in range(1, n):
            for k in range(1, n):
                a[i, j, k] = a[i - 1, j, k] + a[i, j - 1, k] + a[i, j, k - 1]


@loop(n=7, a="n, n")
def triangle_table(a, n):
    "Intervals by length: the table of a chain."
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            a[i, j] = max(a[i + 1, j], a[i, j - 1]) + 1.0


@loop(n=8, w="int n", best="int n, 12")
def along_one_diagonal(w, best, n):
    "A front although the inner loop alone is free."
    for i in range(1, n):
        for j in range(1, 12):
            best[i, j] = max(best[i - 1, j], best[i - 1, j - 1] + w[i])


@loop(n=6, a="n + 1, n + 1", b="n + 1, n + 1")
def two_tables(a, b, n):
    "Two tables that feed each other."
    for i in range(1, n):
        for j in range(1, n):
            a[i, j] = b[i - 1, j] + 1.0
            b[i, j] = a[i, j - 1] * 0.5


@loop(n=6, k=(1, 2), a="n + 2, n + 2")
def front_from_call(a, n, k):
    "A distance that the call gives."
    for i in range(k, n):
        for j in range(1, n):
            a[i, j] = a[i - k, j] + a[i, j - 1]


@loop(n=8, m=5, a="n * m")
def flat_front(a, n, m):
    "The same in a flat array."
    for i in range(1, n):
        for j in range(1, m):
            a[i * m + j] = a[(i - 1) * m + j] + a[i * m + j - 1]


@loop(n=9, a="2 * n")
def free_along_antidiagonal(a, n):
    "a[i + j]: every loop writes what another iteration reads."
    for i in range(1, n):
        for j in range(1, n):
            a[i + j] = a[i + j - 1] + 1.0


@loop(n=7, a="n, n")
def on_the_diagonal(a, n):
    "One loop along the diagonal of a square."
    for i in range(1, n):
        a[i, i] = a[i - 1, i - 1] + 1.0


@loop(n=7, a="n, n")
def beside_the_diagonal(a, n):
    "The diagonal from its neighbours."
    for i in range(1, n):
        a[i, i] = a[i, i - 1] + a[i - 1, i]


@loop(n=6, a="n, n")
def along_antidiagonals(a, n):
    "Written by hand as fronts: the inner loop is free."
    for d in range(2, 2 * n - 1):
        for i in range(max(1, d - n + 1), min(d, n)):
            a[i, d - i] = a[i - 1, d - i] + a[i, d - i - 1]
