"""Recurrences, search, packing, exits."""

import numpy as np

from ..loop import loop


@loop(n=9, a="n + 1", b="n")
def first_order(a, b, n):
    "Each element from the one before it."
    for i in range(n):
        a[i + 1] = a[i] * 0.5 + b[i]


@loop(n=9, a="n + 2")
def second_order(a, n):
    "From the two before it."
    for i in range(n):
        a[i + 2] = a[i + 1] - a[i] * 0.25


@loop(n=9, a="n", b="n")
def scalar_recurrence(a, b, n):
    "Through a scalar."
    s = 0.0
    for i in range(n):
        s = s * 0.5 + b[i]
        a[i] = s


@loop(n=9, a="n + 1", b="n + 1")
def mutual(a, b, n):
    "Two arrays feed each other."
    for i in range(n):
        a[i + 1] = b[i] + 1.0
        b[i + 1] = a[i] * 0.5


@loop(n=9, a="n + 1", b="n", c="n")
def recurrence_and_use(a, b, c, n):
    "What uses the recurrence may follow it."
    for i in range(n):
        a[i + 1] = a[i] + b[i]
        c[i] = a[i + 1] * 2.0


@loop(n=6, a="n, n + 1", b="n, n")
def rows_of_recurrences(a, b, n):
    "A recurrence in each row."
    for i in range(n):
        for j in range(n):
            a[i, j + 1] = a[i, j] + b[i, j]


@loop(n=6, x="n, n", p="n")
def polynomial(x, p, n):
    "Horner's rule at many points."
    for i in range(n):
        s = 0.0
        for j in range(n):
            s = s * p[i] + x[i, j]
        p[i] = s


@loop(n=8, c="int n + 1")
def logistic_map(c, n):
    "Not linear, still a recurrence."
    for i in range(n):
        c[i + 1] = (c[i] * c[i] + 3) % 101


@loop(n=12, a="n", t=(1.0, 9.0))
def first_above(a, n, t):
    "The first element above a threshold."
    place = -1
    for i in range(n):
        if a[i] > t:
            place = i
            break
    return place


@loop(n=12, a="n", t=(1.0, 9.0))
def last_above(a, n, t):
    "The last element above a threshold, without leaving."
    place = -1
    for i in range(n):
        if a[i] > t:
            place = i
    return place


@loop(n=12, a="n", b="n")
def work_until_sentinel(a, b, n):
    "Elements are transformed until one is negative enough."
    for i in range(n):
        b[i] = a[i] * 2.0
        if a[i] < -1.5:
            break


@loop(n=12, a="n", b="n")
def leave_before_work(a, b, n):
    "The test comes first."
    for i in range(n):
        if a[i] < -1.5:
            break
        b[i] = a[i] * 2.0


@loop(n=12, a="n", b="n")
def leave_on_own_result(a, b, n):
    "The test depends on what was just computed, for this iteration alone."
    for i in range(n):
        b[i] = a[i] * a[i] - 1.5
        if b[i] < 0.0:
            break


@loop(n=7, a="n, n", b="int n")
def leave_inner_loop(a, b, n):
    "Each row is searched by itself."
    for i in range(n):
        b[i] = n
        for j in range(n):
            if a[i, j] > 1.0:
                b[i] = j
                break


@loop(n=9, a="n", b="n")
def skip_some(a, b, n):
    "continue instead of else."
    for i in range(n):
        if a[i] < 0.0:
            continue
        b[i] = a[i] + 1.0


@loop(n=12, a="int n")
def sum_until(a, n):
    "A sum that ends the loop is no reduction."
    s = 0
    for i in range(n):
        s += abs(a[i])
        if s > 30:
            break
    return s


@loop(n=12, a="n", b="n")
def pack_positive(a, b, n):
    "Elements moved together."
    k = 0
    for i in range(n):
        if a[i] > 0.0:
            b[k] = a[i]
            k += 1
    return k


@loop(n=12, a="n", place="int n")
def pack_places(a, place, n):
    "Places of the elements that pass a test, and what they need."
    k = 0
    for i in range(n):
        t = a[i] * a[i]
        if t > 0.5:
            place[k] = i
            k += 1
    return k


@loop(n=12, a="n", b="n", c="n")
def unpack(a, b, c, n):
    "Elements moved apart again."
    k = 0
    for i in range(n):
        if c[i] > 0.0:
            a[i] = b[k]
            k += 1


@loop(n=12, a="n", keep=lambda rng, n: rng.integers(0, 2, n), b="n")
def pack_with_places_known(a, keep, b, n):
    "Places by a running sum in the same loop."
    k = 0
    for i in range(n):
        b[k] = a[i]
        k += keep[i]
    return k


@loop(n=8, a="n", b="n", x=0.4)
def binary_search_each(a, b, n, x):
    "A search of its own for each element."
    for i in range(n):
        low = 0
        high = n
        while low < high:
            middle = (low + high) // 2
            if middle * 0.1 < a[i] + x:
                low = middle + 1
            else:
                high = middle
        b[i] = low


@loop(n=6, a="n", count="int n")
def steps_until_small(a, count, n):
    "An inner while of unknown length."
    for i in range(n):
        x = abs(a[i]) + 1.0
        c = 0
        while x > 0.1 and c < 20:
            x = x * 0.5
            c += 1
        count[i] = c


@loop(n=8, nxt=lambda n: np.roll(np.arange(n), 1), a="n", b="n")
def linked_list(nxt, a, b, n):
    "Along a chain of indices."
    k = 0
    for i in range(n):
        b[i] = a[k]
        k = nxt[k]
