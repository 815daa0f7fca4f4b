"""Statement reordering, distribution, interchange, node splitting, scalar expansion."""

from ..loop import loop


@loop(n=9, a="n + 1", b="n", c="n + 1")
def forward_flow(a, b, c, n):
    "The second statement reads what the first wrote an iteration ago."
    for i in range(1, n):
        a[i] = b[i] + 1.0
        c[i] = a[i - 1] * 2.0


@loop(n=9, a="n + 1", b="n", c="n + 1")
def backward_flow(a, b, c, n):
    "The same with the statements in the other order: they must change places."
    for i in range(1, n):
        c[i] = a[i - 1] * 2.0
        a[i] = b[i] + 1.0


@loop(n=9, a="n + 1", b="n", c="n")
def forward_anti(a, b, c, n):
    "The first statement reads what the second writes later."
    for i in range(n):
        c[i] = a[i + 1] + b[i]
        a[i] = b[i] * 2.0


@loop(n=9, a="n + 1", b="n", c="n")
def anti_and_flow(a, b, c, n):
    "A cycle that one early copy would cut."
    for i in range(n):
        a[i] = b[i] * 2.0
        c[i] = a[i] + a[i + 1]


@loop(n=9, a="n + 2", b="n", c="n")
def two_early_reads(a, b, c, n):
    "Two reads of old values in a cycle."
    for i in range(n):
        t = a[i + 1]
        a[i] = b[i] + t
        c[i] = a[i] * t


@loop(n=9, a="n + 1", b="n", c="n", d="n")
def recurrence_between(a, b, c, d, n):
    "A recurrence between two statements that are free."
    for i in range(n):
        b[i] = c[i] + 1.0
        a[i + 1] = a[i] + b[i]
        d[i] = a[i + 1] * c[i]


@loop(n=9, a="n + 1", b="n + 1", c="n + 1")
def chain_of_three(a, b, c, n):
    "Three statements in a chain, each an iteration behind."
    for i in range(1, n):
        a[i] = c[i] + 1.0
        b[i] = a[i - 1] * 2.0
        c[i - 1] = b[i]


@loop(n=9, a="n + 1", b="n + 1", c="n + 1")
def cycle_of_two_and_one(a, b, c, n):
    "Two statements in a cycle, the third outside it."
    for i in range(1, n):
        a[i] = b[i - 1] + 1.0
        b[i] = a[i] * 0.5
        c[i] = a[i] + b[i]


@loop(n=9, a="n", b="n", c="n")
def reorder_around_overwrite(a, b, c, n):
    "Written twice, the second write for the element ahead."
    for i in range(n - 1):
        a[i] = b[i] + c[i]
        a[i + 1] = c[i] * 2.0


@loop(n=6, a="n, n", b="n, n", c="n")
def distribute_for_outer(a, b, c, n):
    "An inner recurrence and an inner free loop."
    for i in range(n):
        for j in range(1, n):
            a[i, j] = a[i, j - 1] + b[i, j]
            b[i, j] = c[j] * 2.0


@loop(n=6, a="n, n", b="n, n")
def distribute_outer_carried(a, b, n):
    "The outer loop carries for one statement only."
    for i in range(1, n):
        for j in range(n):
            a[i, j] = a[i - 1, j] + 1.0
            b[i, j] = b[i, j] * 2.0


@loop(n=6, a="n, n", s="n")
def imperfect(a, s, n):
    "Statements before and after an inner loop."
    for i in range(n):
        s[i] = 0.0
        for j in range(n):
            s[i] = s[i] + a[i, j]
        s[i] = s[i] * 0.5


@loop(n=6, a="n, n", x="n", y="n")
def imperfect_carried(a, x, y, n):
    "The inner loop feeds the next outer iteration."
    for i in range(1, n):
        x[i] = y[i - 1] + 1.0
        for j in range(n):
            a[i, j] = a[i, j] * x[i]
        y[i] = x[i] * 0.5


@loop(n=6, a="n, n")
def better_interchanged(a, n):
    "Carried outside, free inside: rows from rows."
    for i in range(1, n):
        for j in range(n):
            a[i, j] = a[i - 1, j] + 1.0


@loop(n=6, a="n, n")
def inner_carried(a, n):
    "Free outside, carried inside: columns from columns."
    for i in range(n):
        for j in range(1, n):
            a[i, j] = a[i, j - 1] + 1.0


@loop(n=6, a="n + 1, n + 1")
def interchange_not_allowed(a, n):
    "Distance (1, -1)."
    for i in range(1, n):
        for j in range(n):
            a[i, j] = a[i - 1, j + 1] + 1.0


@loop(n=6, a="n, n", b="n, n")
def interchange_triangle(a, b, n):
    "A triangle, columns carried."
    for i in range(n):
        for j in range(1, i + 1):
            a[i, j] = a[i, j - 1] + b[j, i]


@loop(n=9, a="n", b="n", c="n")
def scalar_between(a, b, c, n):
    "A scalar made and used in one iteration."
    for i in range(n):
        t = a[i] + b[i]
        c[i] = t * t


@loop(n=9, a="n + 1", b="n", c="n")
def scalar_across_distribution(a, b, c, n):
    "A scalar that a recurrence and a free statement share."
    for i in range(n):
        t = b[i] * 2.0
        a[i + 1] = a[i] + t
        c[i] = t + 1.0


@loop(n=9, a="n", b="n", c="n", d="n")
def scalar_reused(a, b, c, d, n):
    "One name for two values."
    for i in range(n):
        t = a[i] + b[i]
        c[i] = t * 2.0
        t = a[i] - b[i]
        d[i] = t * 3.0


@loop(n=9, a="n", b="n")
def exchange(a, b, n):
    "Two arrays change places."
    for i in range(n):
        t = a[i]
        a[i] = b[i]
        b[i] = t


@loop(n=9, a="n", b="n")
def exchange_at_once(a, b, n):
    "The same in one statement."
    for i in range(n):
        a[i], b[i] = b[i], a[i]


@loop(n=6, a="n, n", b="n, n")
def scalar_in_plane(a, b, n):
    "A scalar in the inner of two loops."
    for i in range(n):
        for j in range(n):
            t = b[i, j] * 2.0
            a[i, j] = t + b[i, j]


@loop(n=6, a="n, n", b="n")
def scalar_for_inner_loop(a, b, n):
    "A scalar made outside the inner loop, used in it."
    for i in range(n):
        t = b[i] * 2.0
        for j in range(n):
            a[i, j] = a[i, j] + t


@loop(n=6, u="n, n", v="n, n")
def relaxation_apart(u, v, n):
    "From one plane into another."
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            v[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * 0.25


@loop(n=6, steps=3, u="n", v="n")
def relaxation_in_time(u, v, n, steps):
    "Two sweeps in each step of time."
    for t in range(steps):
        for i in range(1, n - 1):
            v[i] = (u[i - 1] + u[i + 1]) * 0.5
        for i in range(1, n - 1):
            u[i] = v[i]


@loop(n=9, a="n", b="n", c="n")
def three_loops_in_a_row(a, b, c, n):
    "Loops one after the other."
    for i in range(n):
        a[i] = b[i] + 1.0
    for i in range(n):
        b[i] = a[n - 1 - i]
    for i in range(1, n):
        c[i] = c[i - 1] + b[i]
