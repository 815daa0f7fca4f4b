"""What was computed before the loop, or above in it, decides; functions, types, outer whiles."""

import math

import numpy as np

from ..loop import loop


def square(x):
    return x * x


@loop(n=8, a="2 * n", b="n")
def offset_computed_before(a, b, n):
    "The distance is computed from the length."
    m = n - n // 8 + 1
    for i in range(n):
        a[i] = a[i + m] + b[i]


@loop(n=8, a="2, n", b="n")
def rows_chosen_before(a, b, n):
    "Which rows are used is settled before the loop."
    old = 0
    new = 1 - old
    for i in range(1, n):
        a[new, i] = a[old, i - 1] + b[i]


@loop(n=8, swap=(True, False), a="2, n", b="n")
def rows_chosen_by_call(a, b, n, swap):
    "The same rows, or different ones, by a flag."
    new = 0 if swap else 1
    for i in range(1, n):
        a[new, i] = a[0, i - 1] + b[i]


@loop(n=8, a="2 * n", b="n")
def limits_computed_before(a, b, n):
    "Both limits are results of earlier statements."
    low = n // 2
    high = low + n // 2
    for i in range(low, high):
        a[i] = a[i - low] * b[i]


@loop(n=8, a="2 * n", b="n")
def constant_through_names(a, b, n):
    "A constant under three names, one in the loop."
    one = 1
    two = one + one
    for i in range(n):
        k = two * i
        a[k] = a[k + one] + b[i]


@loop(n=6, a="n, n", b="n")
def index_from_outer_loop(a, b, n):
    "A scalar of the outer loop in subscripts of the inner one."
    for i in range(1, n):
        above = i - 1
        for j in range(n):
            a[i, j] = a[above, j] + b[j]


@loop(n=6, a="n, n", b="n")
def row_below_of_outer_loop(a, b, n):
    "Two scalars of the outer loop."
    for i in range(n // 2):
        here = 2 * i
        there = here + 1
        for j in range(n):
            a[here, j] = a[there, j] + b[j]


@loop(n=9, a="n", b="n")
def fixed_places_saved_before(a, b, n):
    "The element that all need is saved before the loop overwrites it."
    first = a[0]
    for i in range(n):
        a[i] = a[i] - first * b[i]


@loop(n=9, a="n", b="n")
def sum_then_scaled(a, b, n):
    "A sum, then a loop that uses it."
    s = 0.0
    for i in range(n):
        s += a[i]
    for i in range(n):
        b[i] = a[i] / s


@loop(n=6, a="n, n", b="n, n", c="n")
def sum_used_within_row(a, b, c, n):
    "The sum of a row divides the row."
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += a[i, j]
        for j in range(n):
            b[i, j] = a[i, j] / s
        c[i] = s


@loop(n=8, limit=5, u="n", v="n")
def until_settled(u, v, n, limit):
    "Sweeps until nothing changes much; the loops inside are asked each time."
    count = 0
    change = 1.0
    while change > 0.1 and count < limit:
        change = 0.0
        for i in range(1, n - 1):
            v[i] = (u[i - 1] + u[i + 1]) * 0.5
            change = max(change, abs(v[i] - u[i]))
        for i in range(1, n - 1):
            u[i] = v[i]
        count += 1
    return count


@loop(n=8, a="n", b="n")
def mathematical_functions(a, b, n):
    "Functions of the library have no memory."
    for i in range(n):
        a[i] = math.sqrt(abs(b[i])) + math.sin(a[i]) * np.exp(b[i])


@loop(n=8, a="n", b="n")
def function_of_the_users(a, b, n):
    "A function of the user's own, without side effects."
    for i in range(n):
        a[i] = square(b[i]) + 1.0


@loop(n=8, a="int n", b="n")
def conversions(a, b, n):
    "From floats to integers and back."
    for i in range(n):
        k = int(b[i] * 4.0)
        a[i] = k * k
        b[i] = float(k)


@loop(n=8, a="float32 n", b="float32 n", c="int32 n")
def short_types(a, b, c, n):
    "Single precision and 32 bits."
    for i in range(1, n):
        a[i] = b[i] * np.float32(0.5) + b[i - 1]
        c[i] = c[i] * 3 - 1


@loop(n=8, a="uint8 n", b="uint8 n")
def bytes_mixed(a, b, n):
    "Bit by bit on bytes."
    for i in range(n):
        a[i] = (a[i] & b[i]) | (b[i] >> 1)


@loop(n=8, z="complex128 n", w="complex128 n")
def complex_numbers(z, w, n):
    "Complex elements."
    for i in range(n):
        z[i] = z[i] * w[i] + 1j


@loop(n=8, flags="bool n", a="n")
def flags_written(flags, a, n):
    "Comparisons kept as flags, used later."
    for i in range(n):
        flags[i] = a[i] > 0.0
    for i in range(n):
        if flags[i]:
            a[i] = -a[i]


@loop(n=5, a="n, n", b="n, n")
def stencil_then_copy(a, b, n):
    "Two nests that must not be joined carelessly."
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            b[i, j] = a[i - 1, j] + a[i + 1, j]
    for i in range(n):
        for j in range(n):
            a[i, j] = b[i, j]
