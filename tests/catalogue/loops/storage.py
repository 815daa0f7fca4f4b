"""Storage equivalence: several views of one base."""

import numpy as np

from ..loop import loop


def halves(n, rng):
    base = rng.normal(size=2 * n)
    return {"a": base[:n], "b": base[n:]}


def overlapping(n, k, rng):
    base = rng.normal(size=3 * n)
    return {"a": base[n : 2 * n], "b": base[n + k : 2 * n + k]}


def combs(n, rng):
    base = rng.normal(size=2 * n)
    return {"a": base[::2], "b": base[1::2]}


def comb_and_whole(n, rng):
    base = rng.normal(size=2 * n)
    return {"a": base[::2], "b": base}


def backwards(n, rng):
    base = rng.normal(size=n)
    return {"a": base, "b": base[::-1]}


def transposed(n, rng):
    base = rng.normal(size=(n, n))
    return {"a": base, "b": base.T}


def flat(n, m, rng):
    base = rng.normal(size=(n, m))
    return {"a": base, "b": base.reshape(-1)}


def same(n, rng):
    base = rng.normal(size=n)
    return {"a": base, "b": base}


def windows(n, rng):
    base = rng.normal(size=n + 2)
    return {"w": np.lib.stride_tricks.as_strided(base, (n, 3), (8, 8), writeable=True)}


@loop(n=8, views=halves)
def two_halves(a, b, n):
    "Views of one base that do not meet."
    for i in range(n):
        a[i] = b[i] + 1.0


@loop(n=8, k=(0, 1, -1, 8), views=overlapping)
def sliding_views(a, b, n, k):
    "b is a, k further on."
    for i in range(n):
        a[i] = b[i] * 0.5


@loop(n=8, k=(0, 1, -1, 5), views=overlapping, c="n")
def sliding_views_recurrence(a, b, c, n, k):
    "The view carries or not, depending on where it begins."
    for i in range(1, n):
        b[i] = a[i - 1] + c[i]


@loop(n=8, views=combs)
def two_combs(a, b, n):
    "Odd and even elements."
    for i in range(1, n):
        a[i] = b[i - 1] + b[i]


@loop(n=8, views=comb_and_whole)
def comb_of_whole(a, b, n):
    "A comb written, all of it read further on."
    for i in range(n):
        a[i] = b[2 * i + 1] + 1.0


@loop(n=8, views=comb_and_whole)
def comb_reads_whole(a, b, n):
    "A comb written, the first half of all read."
    for i in range(n):
        a[i] = b[i] + 1.0


@loop(n=8, views=backwards)
def seen_backwards(a, b, n):
    "The same memory from the other end."
    for i in range(n):
        a[i] = b[i] + 1.0


@loop(n=8, views=backwards)
def seen_backwards_half(a, b, n):
    "The same memory from the other end, half the way."
    for i in range(n // 2):
        a[i] = b[i] + 1.0


@loop(n=5, views=transposed)
def seen_transposed(a, b, n):
    "A square and its transpose."
    for i in range(n):
        for j in range(n):
            a[i, j] = b[i, j] + 1.0


@loop(n=5, views=transposed)
def seen_transposed_triangle(a, b, n):
    "Half of a square and its transpose."
    for i in range(n):
        for j in range(i):
            a[i, j] = b[i, j] * 2.0


@loop(n=4, m=5, views=flat)
def flat_and_square(a, b, n, m):
    "Two shapes of one memory, row by row."
    for i in range(n):
        for j in range(m):
            a[i, j] = b[i * m + j] + 1.0


@loop(n=4, m=5, views=flat)
def flat_and_square_shifted(a, b, n, m):
    "Two shapes of one memory, one row apart."
    for i in range(1, n):
        for j in range(m):
            a[i, j] = b[(i - 1) * m + j] + 1.0


@loop(n=8, views=same, c="n")
def one_array_two_names(a, b, c, n):
    "One array under two names."
    for i in range(1, n):
        a[i] = b[i - 1] + c[i]


@loop(n=8, views=same, c="n")
def one_array_two_names_free(a, b, c, n):
    "One array under two names, the same element."
    for i in range(n):
        a[i] = b[i] + c[i]


@loop(n=8, views=windows)
def overlapping_rows(w, n):
    "A view whose rows share memory."
    for i in range(n):
        w[i, 1] = w[i, 0] + 1.0


@loop(n=8, views=windows, c="n")
def overlapping_rows_one_column(w, c, n):
    "One column of it is an ordinary array."
    for i in range(n):
        w[i, 0] = c[i]


@loop(n=8, base="int 4 * n")
def quarter_blocks(base, n):
    "Parts of one array told apart by offsets."
    for i in range(n):
        base[i] = base[n + i] + base[2 * n + i]
        base[3 * n + i] = base[i]
