"""Scalars and arrays that each iteration makes for itself; last values."""

from ..loop import loop


@loop(n=9, a="n", b="n")
def last_value(a, b, n):
    "The scalar of the last iteration is used afterwards."
    t = 0.0
    for i in range(n):
        t = b[i] * 2.0
        a[i] = t
    return t


@loop(n=9, a="n", b="n")
def last_value_under_test(a, b, n):
    "The scalar of the last iteration that assigned it."
    t = -1.0
    for i in range(n):
        if b[i] > 0.0:
            t = b[i]
            a[i] = t
    return t


@loop(n=9, a="n")
def loop_variable_afterwards(a, n):
    "The loop variable itself outlives the loop."
    for i in range(n):
        a[i] = i * 2.0
    return i


@loop(n=6, m=5, a="n, m", b="n, m", t="m")
def temporary_row(a, b, t, n, m):
    "A row written and then read in each iteration."
    for i in range(n):
        for j in range(m):
            t[j] = b[i, j] * 2.0
        for j in range(m):
            a[i, j] = t[j] + t[m - 1 - j]


@loop(n=6, m=5, a="n, m", b="n, m", t="m")
def temporary_row_summed(a, b, t, n, m):
    "The temporary goes into a sum."
    for i in range(n):
        for j in range(m):
            t[j] = b[i, j] * b[i, j]
        s = 0.0
        for j in range(m):
            s += t[j]
        a[i, 0] = s


@loop(n=9, a="n", b="n", t="1")
def temporary_element(a, b, t, n):
    "An array of one element used as a scalar."
    for i in range(n):
        t[0] = b[i] + 1.0
        a[i] = t[0] * t[0]


@loop(n=6, a="n, 3", v="n, 3", w="3")
def temporary_vector(a, v, w, n):
    "Three components by name."
    for i in range(n):
        w[0] = v[i, 1] - v[i, 2]
        w[1] = v[i, 2] - v[i, 0]
        w[2] = v[i, 0] - v[i, 1]
        for k in range(3):
            a[i, k] = w[k] * w[2 - k]


@loop(n=6, m=5, a="n, m", b="n, m", t="m + 1")
def temporary_with_memory(a, b, t, n, m):
    "The first element of the temporary is never written here."
    for i in range(n):
        for j in range(1, m):
            t[j] = b[i, j] + t[0]
        for j in range(1, m):
            a[i, j] = t[j]


@loop(n=6, m=5, a="n, m", b="n, m", t="m + 1")
def temporary_read_too_far(a, b, t, n, m):
    "One element is read before it is written: the last iteration's."
    for i in range(n):
        for j in range(m):
            a[i, j] = t[j + 1]
            t[j] = b[i, j]


@loop(n=6, a="n, n", b="n, n", t="n")
def temporary_growing(a, b, t, n):
    "Iteration i uses i + 1 elements."
    for i in range(n):
        for j in range(i + 1):
            t[j] = b[i, j] * 2.0
        for j in range(i + 1):
            a[i, j] = t[i - j]


@loop(n=6, a="n, n", b="n, n", t="n")
def temporary_shrinking(a, b, t, n):
    "The last iteration leaves what earlier ones wrote."
    for i in range(n):
        for j in range(n - i):
            t[j] = b[i, j] * 2.0
        for j in range(n - i):
            a[i, j] = t[n - i - 1 - j]


@loop(n=6, m=4, a="n, m", b="n, m", t="m")
def temporary_under_test(a, b, t, n, m):
    "Written only sometimes, read always."
    for i in range(n):
        if b[i, 0] > 0.0:
            for j in range(m):
                t[j] = b[i, j]
        for j in range(m):
            a[i, j] = t[j]


@loop(n=5, a="n, n", b="n, n", t="n, n")
def temporary_plane(a, b, t, n):
    "A whole plane for each step of an outer loop."
    for k in range(3):
        for i in range(n):
            for j in range(n):
                t[i, j] = b[i, j] + k
        for i in range(n):
            for j in range(n):
                a[i, j] = a[i, j] + t[j, i]


@loop(n=6, m=4, a="n, m", t="m", b="n, m")
def temporary_scan(a, t, b, n, m):
    "A recurrence inside the temporary."
    for i in range(n):
        t[0] = b[i, 0]
        for j in range(1, m):
            t[j] = t[j - 1] * 0.5 + b[i, j]
        for j in range(m):
            a[i, j] = t[j]


@loop(n=9, a="n", b="n")
def name_for_index(a, b, n):
    "A scalar that is only another name for an index."
    for i in range(1, n):
        k = i - 1
        a[i] = b[k] * 2.0


@loop(n=9, a="n", b="n")
def old_value_first(a, b, n):
    "Read before it is written: the scalar comes from the iteration before."
    t = 1.0
    for i in range(n):
        a[i] = t
        t = b[i]
    return t


@loop(n=6, a="n, n", b="n, n")
def scalar_through_inner_loop(a, b, n):
    "An inner recurrence in a scalar that begins anew."
    for i in range(n):
        t = 0.0
        for j in range(n):
            t = t * 0.5 + b[i, j]
            a[i, j] = t


@loop(n=6, a="n, n", b="n")
def scalar_kept_over_rows(a, b, n):
    "The scalar is set when the row begins and changes in it."
    t = 0.0
    for i in range(n):
        for j in range(n):
            a[i, j] = t
        t = b[i]


@loop(n=6, a="n", x="n", w="n, n")
def several_temporaries(a, x, w, n):
    "A small computation of its own for each i."
    for i in range(n):
        p = x[i] * x[i]
        q = p + 1.0
        r = 0.0
        for j in range(n):
            d = w[i, j] - p
            r = r + d * d
        a[i] = r / q
