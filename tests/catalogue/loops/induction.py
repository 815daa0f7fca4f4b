"""Induction variables: counters that the loop moves along itself, and wrap-around variables."""

from ..loop import loop


@loop(n=8, a="2 * n + 2", b="n")
def by_twos(a, b, n):
    "A counter that grows by 2."
    k = 0
    for i in range(n):
        a[k] = b[i]
        k += 2


@loop(n=8, a="2 * n + 2", b="n")
def by_twos_before(a, b, n):
    "The counter moves first."
    k = -1
    for i in range(n):
        k = k + 2
        a[k] = b[i] + 1.0
    return k


@loop(n=8, a="n", b="n")
def downward_counter(a, b, n):
    "The counter goes the other way."
    k = n - 1
    for i in range(n):
        a[i] = b[k]
        k -= 1


@loop(n=8, s=(1, 3), a="4 * n", b="n")
def by_parameter(a, b, n, s):
    "The counter moves by what the call says."
    k = 0
    for i in range(n):
        a[k] = b[i]
        k += s


@loop(n=5, a="n * n", b="n, n")
def one_counter_two_loops(a, b, n):
    "One counter through a plane."
    k = 0
    for i in range(n):
        for j in range(n):
            a[k] = b[i, j]
            k += 1


@loop(n=6, a="n * n", b="n, n")
def counter_through_triangle(a, b, n):
    "Packed storage of a triangle: the closed form is quadratic."
    k = 0
    for i in range(n):
        for j in range(i + 1):
            a[k] = b[i, j]
            k += 1


@loop(n=8, a="4 * n", b="n")
def two_counters(a, b, n):
    "Two counters at different speeds."
    j = 0
    k = 1
    for i in range(n):
        a[k] = a[j] + b[i]
        j += 2
        k += 2


@loop(n=8, a="n * n + n", b="n")
def counter_of_counter(a, b, n):
    "A counter that grows by a counter."
    j = 0
    k = 0
    for i in range(n):
        a[k] = b[i]
        j += 1
        k += j


@loop(n=8, a="2 * n", b="n")
def moved_in_both_branches(a, b, n):
    "Both branches move the counter by the same amount."
    k = 0
    for i in range(n):
        if b[i] > 0.0:
            a[k] = b[i]
            k += 1
        else:
            a[k] = 0.0
            k += 1


@loop(n=8, a="3 * n", b="n")
def moved_twice(a, b, n):
    "Two steps in one iteration."
    k = 0
    for i in range(n):
        a[k] = b[i]
        k += 1
        a[k] = -b[i]
        k += 1


@loop(n=8, a="n + 1", b="n")
def counter_feeds_recurrence(a, b, n):
    "The counter is an index in disguise; the recurrence stays."
    k = 0
    for i in range(n):
        a[k + 1] = a[k] + b[i]
        k += 1


@loop(n=8, a="n", b="n")
def previous_index(a, b, n):
    "Wraps around once, then follows one behind."
    before = n - 1
    for i in range(n):
        a[i] = (b[i] + b[before]) * 0.5
        before = i


@loop(n=8, a="n", b="n")
def two_previous_indices(a, b, n):
    "Wraps around twice."
    one = n - 1
    two = n - 2
    for i in range(n):
        a[i] = b[i] + b[one] - b[two]
        two = one
        one = i


@loop(n=8, a="n", b="n")
def previous_value(a, b, n):
    "A value carried over to the next iteration, made anew each time."
    t = 0.0
    for i in range(n):
        s = b[i] * 2.0
        a[i] = s + t
        t = s


@loop(n=8, a="2, n", b="n")
def alternating(a, b, n):
    "Two planes in turn."
    now = 0
    for i in range(n):
        a[now, i] = b[i]
        now = 1 - now


@loop(n=8, a="2 * n", b="n")
def geometric(a, b, n):
    "A counter that doubles."
    k = 1
    for i in range(4):
        a[k] = b[i]
        k *= 2


@loop(n=5, a="3 * n * n", b="n, n")
def restarted_per_row(a, b, n):
    "The counter begins anew with each row."
    for i in range(n):
        k = 3 * i * n
        for j in range(n):
            a[k] = b[i, j]
            k += 3


@loop(n=6, m=4, a="2 * n * m", b="n, m")
def moved_by_outer_loop(a, b, n, m):
    "The outer loop moves the base of a row."
    base = 0
    for i in range(n):
        for j in range(m):
            a[base + j] = b[i, j]
        base += m


@loop(n=8, a="n", b="n")
def conditional_counter(a, b, n):
    "A counter that moves only sometimes is no induction variable."
    k = 0
    for i in range(n):
        if b[i] > 0.0:
            k += 1
        a[i] = b[k]


@loop(n=8, a="n + 1", b="n", h=0.25)
def float_counter(a, b, n, h):
    "A float that moves along rounds at each step."
    x = 0.0
    for i in range(n):
        a[i] = x * b[i]
        x += h
