"""Triangular and trapezoidal domains, steps other than one."""

from ..loop import loop


@loop(n=6, a="n, n", b="n, n")
def lower_triangle(a, b, n):
    "Inner bound from the outer variable."
    for i in range(n):
        for j in range(i + 1):
            a[i, j] = b[i, j] * 2.0


@loop(n=6, a="n, n")
def upper_from_lower(a, n):
    "The mirror image of a triangle."
    for i in range(n):
        for j in range(i + 1, n):
            a[i, j] = a[j, i]


@loop(n=6, a="n, n")
def triangle_inside_row(a, n):
    "Within a row, from the diagonal on."
    for i in range(n):
        for j in range(i + 1, n):
            a[i, j] = a[i, j - 1] + 1.0


@loop(n=7, a="n", b="n, n")
def triangle_read_ahead(a, b, n):
    "Row i reads a beyond i, which it never writes."
    for i in range(n):
        for j in range(i + 1, n):
            b[i, j] = a[j] - a[i]


@loop(n=6, x="n", a="n, n", b="n")
def forward_substitution(x, a, b, n):
    "A triangular system: each unknown needs all before it."
    for i in range(n):
        s = b[i]
        for j in range(i):
            s = s - a[i, j] * x[j]
        x[i] = s / (3.0 + i)


@loop(n=6, x="n", a="n, n")
def column_elimination(x, a, n):
    "The same system by columns: the inner loop is free."
    for j in range(n):
        for i in range(j + 1, n):
            x[i] = x[i] - a[i, j] * x[j]


@loop(n=5, a="n, n", w=2, b="n, n")
def band(a, b, n, w):
    "A trapezoid: bounds with min and max."
    for i in range(n):
        for j in range(max(0, i - w), min(n, i + w + 1)):
            a[i, j] = b[i, j] + 1.0


@loop(n=5, a="2 * n, n")
def skewed(a, n):
    "A parallelogram in memory."
    for i in range(n):
        for j in range(i, i + n):
            a[j, i] = a[j, i] + 1.0


@loop(n=5, a="n, 3 * n")
def trapezoid_rows_meet(a, n):
    "Each row from the row above, shifted domain."
    for i in range(1, n):
        for j in range(i, 2 * n - i):
            a[i, j] = a[i - 1, j] + a[i - 1, j + 1]


@loop(n=5, a="n, n, n")
def tetrahedron(a, n):
    "Three nested triangular bounds."
    for i in range(n):
        for j in range(i + 1):
            for k in range(j + 1):
                a[i, j, k] = 1.0 + i - j * k


@loop(n=6, a="n, n")
def factorization_step(a, n):
    "Elimination below and right of a pivot."
    for k in range(n):
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i, j] = a[i, j] - a[i, k] * a[k, j]


@loop(n=6, d="n, n")
def shortest_paths(d, n):
    "Row and column k may be written while they are read."
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


@loop(n=9, a="n + 1", b="n")
def downwards(a, b, n):
    "A negative step turns a recurrence into an antidependence."
    for i in range(n - 1, -1, -1):
        a[i + 1] = a[i] + b[i]


@loop(n=9, a="n + 1", b="n")
def downwards_recurrence(a, b, n):
    "And the other way round."
    for i in range(n - 1, -1, -1):
        a[i] = a[i + 1] + b[i]


@loop(n=9, a="n", b="n")
def downwards_free(a, b, n):
    "A negative step with nothing carried."
    for i in range(n - 1, -1, -2):
        a[i] = b[n - 1 - i]


@loop(n=12, a="n + 2")
def every_second(a, n):
    "Step 2 over a distance of 1."
    for i in range(1, n, 2):
        a[i] = a[i - 1] + 1.0


@loop(n=12, a="n + 2")
def every_second_carried(a, n):
    "Step 2 over a distance of 2."
    for i in range(2, n, 2):
        a[i] = a[i - 2] + 1.0


@loop(n=12, a="n + 6")
def every_third(a, n):
    "Step 3 over a distance of 2."
    for i in range(0, n, 3):
        a[i + 2] = a[i] * 0.5


@loop(n=12, s=(1, 2, 3, -2), a="3 * n", b="3 * n")
def step_from_call(a, b, n, s):
    "A step that the call gives; which elements are visited depends on it."
    for i in range(n, 2 * n if s > 0 else 0, s):
        a[i] = a[i + 1] + b[i]


@loop(n=12, s=(1, 2, 4), a="2 * n")
def blocks_of_step(a, n, s):
    "Strip mining: an inner loop over a strip."
    for i in range(0, n, s):
        for j in range(i, min(i + s, n)):
            a[j] = a[j] * 2.0


@loop(n=12, s=(2, 3), a="2 * n")
def strips_with_recurrence(a, n, s):
    "Strips are free, each is a recurrence."
    for i in range(0, n, s):
        for j in range(i + 1, min(i + s, n)):
            a[j] = a[j - 1] + a[j]


@loop(n=8, a="n, n")
def checkered(a, n):
    "Elements of one colour from those of the other."
    for i in range(1, n - 1):
        for j in range(1 + i % 2, n - 1, 2):
            a[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]


@loop(n=8, m=(0, 1, 8), a="n", b="n")
def empty_or_short(a, b, n, m):
    "Loops of no, one and many iterations."
    for i in range(1, m):
        a[i] = a[i - 1] + b[i]
