"""Distances, bounds and strides that only the call knows; linearized arrays."""

from ..loop import loop


@loop(n=9, k=(0, 1, -1, 4, 9), a="3 * n", b="n")
def shifted(a, b, n, k):
    "A distance known only at the call."
    for i in range(n):
        a[n + i + k] = a[n + i] + b[i]


@loop(n=9, k=(0, 2, 9), m=(1, 5), a="3 * n", b="n")
def shifted_both(a, b, n, k, m):
    "The difference of two parameters is the distance."
    for i in range(n):
        a[i + k] = a[i + m] * b[i]


@loop(n=8, k=(0, 4, 8), a="2 * n", b="n")
def far_half(a, b, n, k):
    "The second part from the first, as far as it has been read."
    for i in range(n - k):
        a[i + k] = a[i] + b[i]


@loop(n=8, a="2 * n", b="n")
def exactly_n_apart(a, b, n):
    "The distance is the trip count."
    for i in range(n):
        a[i + n] = a[i] + b[i]


@loop(n=4, m=(4, 6), a="n * m + m", b="n * m")
def linearized(a, b, n, m):
    "Rows of a flat array: i m + j with j below m."
    for i in range(n):
        for j in range(m):
            a[i * m + j] = b[i * m + j] + 1.0


@loop(n=4, m=5, a="n * m + m")
def linearized_rows_carried(a, n, m):
    "A flat array, each row from the one above."
    for i in range(n):
        for j in range(m):
            a[(i + 1) * m + j] = a[i * m + j] * 0.5


@loop(n=4, m=5, a="n * m + m")
def linearized_columns_carried(a, n, m):
    "A flat array, each column from the one before."
    for i in range(n):
        for j in range(1, m):
            a[i * m + j] = a[i * m + j - 1] * 0.5


@loop(n=4, m=(3, 5), w=5, a="(n + 1) * (m + w)", b="n, w")
def linearized_too_wide(a, b, n, m, w):
    "Rows longer than the stride overlap."
    for i in range(n):
        for j in range(w):
            a[i * m + j] = b[i, j]


@loop(n=3, m=4, p=5, a="n * m * p", b="n * m * p")
def linearized_cube(a, b, n, m, p):
    "Three subscripts in one."
    for i in range(n):
        for j in range(m):
            for k in range(p):
                a[(i * m + j) * p + k] = b[(i * m + j) * p + k] * 2.0


@loop(n=4, m=5, a="n * m", b="m * n")
def linearized_transpose(a, b, n, m):
    "Row-major from column-major."
    for i in range(n):
        for j in range(m):
            a[i * m + j] = b[j * n + i]


@loop(n=8, s=(1, 2, 3), a="4 * n", b="n")
def strided_store(a, b, n, s):
    "A stride from the call is no obstacle unless it is zero."
    for i in range(n):
        a[i * s] = b[i]


@loop(n=8, s=(0,), a="4 * n", b="n")
def strided_store_zero(a, b, n, s):
    "With stride zero all iterations write one element."
    for i in range(n):
        a[i * s] = b[i]


@loop(n=6, s=(1, 2, 3), a="8 * n")
def strided_from_itself(a, n, s):
    "Written at stride s, read one further: s decides."
    for i in range(n):
        a[i * s + 1] = a[i * s] + 1.0


@loop(n=9, low=(0, 4), high=(4, 9), a="2 * n", b="n")
def part_from_other_part(a, b, n, low, high):
    "Bounds decide whether the written part is the read one."
    for i in range(low, high):
        a[i] = a[i + 5] + b[i]


@loop(n=8, m=(2, 8), a="n + m", b="n")
def read_behind_bound(a, b, n, m):
    "Elements from m on are never written when n <= m."
    for i in range(m):
        a[i] = a[i + m] + b[i % n]


@loop(n=5, k=(0, 1, -1), l=(0, 1), a="n + 2, n + 2")
def plane_shifted(a, n, k, l):
    "A distance vector from the call."
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            a[i, j] = a[i - l, j - k] + 1.0


@loop(n=8, a="n + 1", b="n")
def length_of_array(a, b):
    "Bounds from the arrays themselves."
    for i in range(len(b)):
        a[i] = b[i] + a[a.shape[0] - 1]


@loop(n=7, c=(2, -1, 0), a="4 * n", b="n")
def coefficient_from_call(a, b, n, c):
    "a[c i + n] against a[n + i]: the coefficient decides."
    for i in range(n):
        a[c * i + n] = a[3 * n + i] - b[i]


@loop(n=6, m=(0, 3, 6), a="2 * n", b="n")
def offset_by_half(a, b, n, m):
    "Reads begin where writes end, or not."
    for i in range(m):
        a[i] = b[i] + a[i + m]
    for i in range(m, n):
        a[i] = a[i - m] + b[i]


@loop(n=8, k=(1, 3), a="n + 3", b="n")
def named_offset(a, b, n, k):
    "The distance has a name of its own in the loop."
    for i in range(n):
        up = i + k
        a[up - k] = a[up] + b[i]
        b[i] = 0.0
