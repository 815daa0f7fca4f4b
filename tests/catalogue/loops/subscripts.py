"""Subscripts without, with one, and with several loop variables; coupled subscripts."""

from ..loop import loop


@loop(n=9, a="n", b="n")
def scaled(a, b, n):
    "Each element by itself."
    for i in range(n):
        a[i] = b[i] * 2.0


@loop(n=9, a="n", b="n")
def updated_in_place(a, b, n):
    "A read and a write of the same element in one iteration."
    for i in range(n):
        a[i] = a[i] * b[i] + 1.0


@loop(n=9, a="n", b="n", c="n")
def fixed_read(a, b, c, n):
    "An element that no iteration writes."
    for i in range(n):
        a[i] = b[i] + c[2]


@loop(n=9, k=(0, 8, 9, 12), a="n + 4", b="n")
def fixed_place_read(a, b, n, k):
    "One iteration may write what all read."
    for i in range(n):
        a[i] = b[i] - a[k]


@loop(n=9, a="n", b="n")
def fixed_place_written(a, b, n):
    "Every iteration writes the same element."
    for i in range(n):
        a[3] = b[i]


@loop(n=9, a="n + 1", b="n")
def next_read(a, b, n):
    "Each iteration reads what the next one writes: an antidependence on itself."
    for i in range(n):
        a[i] = a[i + 1] + b[i]


@loop(n=6, a="n, n", b="n, n")
def scaled_plane(a, b, n):
    "Two loops, nothing carried."
    for i in range(n):
        for j in range(n):
            a[i, j] = b[i, j] + 1.0


@loop(n=6, a="n, n", b="n, n")
def transposed_copy(a, b, n):
    "Rows from columns of another array."
    for i in range(n):
        for j in range(n):
            a[i, j] = b[j, i]


@loop(n=6, a="n, n")
def transposed_in_place(a, n):
    "The other half of a square: distances of both signs."
    for i in range(n):
        for j in range(n):
            a[i, j] = a[j, i] + 1.0


@loop(n=6, a="n, n")
def transposed_triangle(a, n):
    "Below the diagonal from above it: never the same element."
    for i in range(n):
        for j in range(i):
            a[i, j] = a[j, i]


@loop(n=6, a="n, n", b="n")
def row_from_vector(a, b, n):
    "A vector seen from every row."
    for i in range(n):
        for j in range(n):
            a[i, j] = b[j] * 3.0


@loop(n=6, a="2 * n", b="n, n")
def sum_of_indices(a, b, n):
    "a[i + j] is written from many pairs."
    for i in range(n):
        for j in range(n):
            a[i + j] = b[i, j]


@loop(n=6, a="2 * n", b="n, n")
def sum_of_indices_read(a, b, n):
    "Reads along antidiagonals are harmless."
    for i in range(n):
        for j in range(n):
            b[i, j] = a[i + j]


@loop(n=5, a="3 * n", b="n, n")
def interleaved(a, b, n):
    "a[2 i + j]: overlapping combs."
    for i in range(n):
        for j in range(n):
            a[2 * i + j] = b[i, j]


@loop(n=5, a="2 * n", b="n, 2")
def pairs_apart(a, b, n):
    "a[2 i + j] with j below 2: no two iterations meet."
    for i in range(n):
        for j in range(2):
            a[2 * i + j] = b[i, j]


@loop(n=8, a="2 * n + 2", b="n")
def odd_from_even(a, b, n):
    "Even elements written, odd ones read: the divisor settles it."
    for i in range(n):
        a[2 * i] = a[2 * i + 1] + b[i]


@loop(n=8, a="6 * n + 6", b="n")
def no_common_divisor(a, b, n):
    "4 i + 6 i' = 1 has no solution."
    for i in range(n):
        a[4 * i] = a[2 * i + 1] * b[i]


@loop(n=8, a="3 * n + 3")
def double_of_index(a, n):
    "a[2 i] read while a[i] is written: distances grow."
    for i in range(n):
        a[i] = a[2 * i] + 1.0


@loop(n=8, a="3 * n + 3")
def half_of_index(a, n):
    "a[i] read while a[2 i] is written."
    for i in range(n):
        a[2 * i] = a[i] + 1.0


@loop(n=6, a="n + 1, n + 1", b="n, n")
def up_and_left(a, b, n):
    "Distances (1, 0) and (0, 1) at once."
    for i in range(1, n):
        for j in range(1, n):
            a[i, j] = a[i - 1, j] + a[i, j - 1] + b[i, j]


@loop(n=6, a="n + 1, n + 1")
def diagonal_step(a, n):
    "Distance (1, 1): the inner loop is free."
    for i in range(1, n):
        for j in range(1, n):
            a[i, j] = a[i - 1, j - 1] * 2.0


@loop(n=6, a="n, n")
def coupled_apart(a, n):
    "Each subscript alone would allow a meeting, both together do not."
    for i in range(n - 1):
        a[i + 1, i] = a[i, i + 1] + 1.0


@loop(n=7, a="n + 2, n + 2")
def coupled_one_line(a, n):
    "Both subscripts agree on the distance 1."
    for i in range(n):
        a[i + 1, i + 2] = a[i, i + 1] + 1.0


@loop(n=7, a="n + 2, n + 2")
def coupled_disagreeing(a, n):
    "One subscript asks for distance 1, the other for 2."
    for i in range(n):
        a[i + 1, i + 2] = a[i, i] + 1.0


@loop(n=5, a="n, n, n", b="n, n")
def same_variable_twice(a, b, n):
    "a[i, i, j]: one plane through a cube."
    for i in range(n):
        for j in range(n):
            a[i, i, j] = b[i, j] + a[j, i, i]


@loop(n=4, a="n, n, n", b="n, n, n")
def cube(a, b, n):
    "Three loops; only the middle one carries something."
    for i in range(n):
        for j in range(1, n):
            for k in range(n):
                a[i, j, k] = a[i, j - 1, k] + b[k, j, i]


@loop(n=4, a="n, n, n", b="n, n, n")
def cube_outer_carried(a, b, n):
    "Three loops; the outermost carries, with the innermost index reversed."
    for i in range(1, n):
        for j in range(n):
            for k in range(n):
                a[i, j, k] = a[i - 1, j, n - 1 - k] + b[i, j, k]


@loop(n=5, a="n, n", b="n, n", c="n, n")
def matrix_product(a, b, c, n):
    "Float sums keep the innermost loop in order."
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i, j] += a[i, k] * b[k, j]


@loop(n=5, a="int n, n", b="int n, n", c="int n, n")
def matrix_product_of_integers(a, b, c, n):
    "Integer sums do not."
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i, j] += a[i, k] * b[k, j]


@loop(n=6, a="n, n", x="n", y="n")
def matrix_vector(a, x, y, n):
    "A row at a time into a scalar."
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += a[i, j] * x[j]
        y[i] = s
