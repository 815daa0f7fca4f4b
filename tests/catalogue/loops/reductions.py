"""Sums, products, extremes, flags, counts, bit operations, histograms, segments."""

import numpy as np

from ..loop import loop


@loop(n=12, a="int n")
def integer_sum(a, n):
    "Integers may be added in any order."
    s = 0
    for i in range(n):
        s += a[i]
    return s


@loop(n=12, a="n")
def float_sum(a, n):
    "Floats may not: another order rounds otherwise."
    s = 0.0
    for i in range(n):
        s += a[i]
    return s


@loop(n=12, a="float32 n")
def single_precision_sum(a, n):
    "Nor in single precision."
    s = np.float32(0.0)
    for i in range(n):
        s = s + a[i]
    return s


@loop(n=12, a="int n")
def plain_integer_sum(a, n):
    "A Python integer grows as it must."
    s = 0
    for i in range(n):
        s += i * i
        a[i] = 0
    return s


@loop(n=12, a="int n", b="int n")
def integer_dot(a, b, n):
    "Products summed."
    s = 7
    for i in range(n):
        s = s + a[i] * b[i]
    return s


@loop(n=12, a="int n", b="int n")
def sum_of_differences(a, b, n):
    "Added and subtracted."
    s = 0
    for i in range(n):
        s = s + a[i] - b[i]
    return s


@loop(n=12, a="int32 n")
def sum_that_wraps(a, n):
    "int32 wraps, in any order to the same bits."
    s = np.int32(2147483000)
    for i in range(n):
        s += a[i] * np.int32(100)
    return s


@loop(n=10, a="int n")
def integer_product(a, n):
    "Integers may be multiplied in any order."
    p = 1
    for i in range(n):
        p *= a[i]
    return p


@loop(n=10, a="n")
def float_product(a, n):
    "Floats may not."
    p = 1.0
    for i in range(n):
        p *= a[i]
    return p


@loop(n=10, a="n", b="n")
def dot_with_side_effect(a, b, n):
    "A float sum beside a statement that is free."
    s = 0.0
    for i in range(n):
        b[i] = a[i] * 2.0
        s += b[i]
    return s


@loop(n=12, a="n")
def least(a, n):
    "The least element by min."
    m = a[0]
    for i in range(1, n):
        m = min(m, a[i])
    return m


@loop(n=12, a="int n")
def greatest_by_comparison(a, n):
    "The greatest element by a test."
    m = a[0]
    for i in range(1, n):
        if a[i] > m:
            m = a[i]
    return m


@loop(n=12, a="n")
def least_by_choice(a, n):
    "The least element by a conditional expression."
    m = 100.0
    for i in range(n):
        m = a[i] if a[i] < m else m
    return m


@loop(n=12, a="n")
def least_and_greatest(a, n):
    "Two extremes at once."
    low = a[0]
    high = a[0]
    for i in range(n):
        low = min(low, a[i])
        high = max(a[i], high)
    return low, high


@loop(n=12, a=("n", "int n"))
def place_of_least(a, n):
    "Where the least element is; the first of equal ones."
    m = a[0]
    place = 0
    for i in range(1, n):
        if a[i] < m:
            m = a[i]
            place = i
    return m, place


@loop(n=12, a=("n", "int n"))
def last_place_of_greatest(a, n):
    "Where the greatest element is; the last of equal ones."
    m = a[0]
    place = 0
    for i in range(1, n):
        if a[i] >= m:
            m = a[i]
            place = i
    return m, place


@loop(n=6, a="int n, n")
def place_of_greatest_in_plane(a, n):
    "Row and column of the greatest element."
    m = a[0, 0]
    row = 0
    column = 0
    for i in range(n):
        for j in range(n):
            if a[i, j] > m:
                m = a[i, j]
                row = i
                column = j
    return m, row, column


@loop(n=12, a="n")
def greatest_magnitude(a, n):
    "The greatest magnitude."
    m = 0.0
    for i in range(n):
        m = max(m, abs(a[i]))
    return m


@loop(n=12, a="n")
def any_negative(a, n):
    "A flag that is only ever raised."
    found = False
    for i in range(n):
        if a[i] < 0.0:
            found = True
    return found


@loop(n=12, a="n")
def all_small(a, n):
    "A flag that is only ever lowered."
    good = True
    for i in range(n):
        good = good and a[i] < 1.9
    return good


@loop(n=12, a="n")
def any_large_by_or(a, n):
    "or of all tests."
    found = False
    for i in range(n):
        found = found or a[i] > 1.5
    return found


@loop(n=12, a="int n")
def flags_by_bits(a, n):
    "|= of comparisons."
    found = False
    for i in range(n):
        found |= a[i] > 8
    return found


@loop(n=12, a="n")
def count_positive(a, n):
    "A count under a test."
    c = 0
    for i in range(n):
        if a[i] > 0.0:
            c += 1
    return c


@loop(n=12, a="n", b="n")
def two_counts(a, b, n):
    "Two counts, one in each branch."
    up = 0
    down = 0
    for i in range(n):
        if a[i] > b[i]:
            up += 1
        else:
            down += 1
    return up, down


@loop(n=12, a="int n")
def parity(a, n):
    "Exclusive or of all."
    x = 0
    for i in range(n):
        x ^= a[i]
    return x


@loop(n=12, a="uint8 n")
def common_bits(a, n):
    "Bits that all have, bits that any has."
    every = np.uint8(255)
    some = np.uint8(0)
    for i in range(n):
        every &= a[i]
        some |= a[i]
    return every, some


@loop(n=12, a="int n", idx=lambda n: np.arange(n) * 5 % 4, h="int 4")
def histogram(a, idx, h, n):
    "A count for each class."
    for i in range(n):
        h[idx[i]] += 1


@loop(n=12, w="n", idx=lambda n: np.arange(n) * 5 % 4, h="4")
def weighted_histogram(w, idx, h, n):
    "Float weights: the order within a class matters."
    for i in range(n):
        h[idx[i]] += w[i]


@loop(n=12, w="int n", idx=lambda n: np.arange(n) * 7 % 5, h="int 5")
def integer_weights(w, idx, h, n):
    "Integer weights: it does not."
    for i in range(n):
        h[idx[i]] += w[i]


@loop(n=12, w="n", idx=lambda n: np.arange(n) * 7 % 5, h="5")
def greatest_per_class(w, idx, h, n):
    "The greatest of each class."
    for i in range(n):
        h[idx[i]] = max(h[idx[i]], w[i])


@loop(n=6, a="int n, n", h="int 8")
def histogram_of_plane(a, h, n):
    "Two loops into one histogram."
    for i in range(n):
        for j in range(n):
            h[a[i, j] % 8] += 1


@loop(n=12, v="n", row=lambda n: np.arange(n) // 3, y="n")
def segments(v, row, y, n):
    "Float sums by segments of ascending rows."
    for i in range(n):
        y[row[i]] += v[i]


@loop(n=12, v="int n", row=lambda n: np.arange(n) // 3, y="int n")
def integer_segments(v, row, y, n):
    "Integer sums by segments."
    for i in range(n):
        y[row[i]] += v[i]


@loop(n=6, a="int n, n", y="int n")
def row_sums(a, y, n):
    "A sum for each row, into an element."
    for i in range(n):
        y[i] = 0
        for j in range(n):
            y[i] += a[i, j]


@loop(n=6, a="n, n", y="n")
def float_row_sums(a, y, n):
    "A float sum for each row: rows are free."
    for i in range(n):
        y[i] = 0.0
        for j in range(n):
            y[i] += a[i, j]


@loop(n=6, a="n, n", y="n")
def float_column_sums(a, y, n):
    "A sum for each column, row by row: columns are free."
    for i in range(n):
        for j in range(n):
            y[j] += a[i, j]


@loop(n=6, a="int n, n")
def sum_of_plane(a, n):
    "Two loops into one integer."
    s = 0
    for i in range(n):
        for j in range(n):
            s += a[i, j]
    return s


@loop(n=6, a="n, n", b="n")
def least_of_each_row(a, b, n):
    "A minimum for each row, in a scalar."
    for i in range(n):
        m = a[i, 0]
        for j in range(1, n):
            m = min(m, a[i, j])
        b[i] = m


@loop(n=6, a="n, n", best="int n")
def nearest(a, best, n):
    "For each row the place of its least element."
    for i in range(n):
        m = a[i, 0]
        place = 0
        for j in range(1, n):
            if a[i, j] < m:
                m = a[i, j]
                place = j
        best[i] = place


@loop(n=12, a="int n", b="int n")
def running_sum_is_no_reduction(a, b, n):
    "The sum is seen on the way."
    s = 0
    for i in range(n):
        s += a[i]
        b[i] = s


@loop(n=12, a="int n")
def limited_sum_is_no_reduction(a, n):
    "The sum decides whether it grows."
    s = 0
    for i in range(n):
        if s < 10:
            s += abs(a[i])
    return s


@loop(n=12, a="int n", b="int n")
def two_operators_are_no_reduction(a, b, n):
    "Sums and products mixed do not commute."
    s = 1
    for i in range(n):
        s += a[i]
        s *= b[i]
    return s


@loop(n=12, a="int n")
def sum_over_two_statements(a, n):
    "Two updates of one sum."
    s = 0
    for i in range(1, n):
        s += a[i]
        s -= a[i - 1] * 2
    return s
