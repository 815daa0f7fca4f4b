"""Branches that data decide."""

from ..loop import loop


@loop(n=9, a="n", b="n")
def guarded(a, b, n):
    "A statement under a test."
    for i in range(n):
        if b[i] > 0.0:
            a[i] = b[i] * 2.0


@loop(n=9, a="n", b="n", c="n")
def two_ways(a, b, c, n):
    "One of two statements."
    for i in range(n):
        if c[i] > 0.0:
            a[i] = b[i]
        else:
            a[i] = -b[i]


@loop(n=9, a="n", b="n", c="n")
def nested_tests(a, b, c, n):
    "Tests inside tests."
    for i in range(n):
        if a[i] > 0.0:
            if b[i] > 0.0:
                c[i] = a[i] + b[i]
            else:
                c[i] = a[i] - b[i]
        elif b[i] > 0.0:
            c[i] = 0.0


@loop(n=9, a="n + 1", b="n")
def guarded_recurrence(a, b, n):
    "A recurrence under a test."
    for i in range(n):
        if b[i] > 0.0:
            a[i + 1] = a[i] + b[i]


@loop(n=9, a="n + 1", b="n", c="n")
def test_on_recurrence(a, b, c, n):
    "The test reads the recurrence, what it guards is free."
    for i in range(n):
        a[i + 1] = a[i] * 0.5 + b[i]
        if a[i + 1] > 0.0:
            c[i] = b[i]


@loop(n=9, a="n + 1", b="n", c="n")
def free_beside_guarded_recurrence(a, b, c, n):
    "One branch carries, the statement after it does not."
    for i in range(n):
        if b[i] > 0.0:
            a[i + 1] = a[i] + 1.0
        c[i] = b[i] * 2.0


@loop(n=9, a="n + 1", b="n", c="n")
def free_and_carried_under_one_test(a, b, c, n):
    "Both in one branch."
    for i in range(n):
        if b[i] > 0.0:
            c[i] = b[i] * 2.0
            a[i + 1] = a[i] + c[i]


@loop(n=9, a="n", b="n")
def chosen_value(a, b, n):
    "A conditional expression."
    for i in range(n):
        a[i] = b[i] if b[i] > 0.0 else 0.0


@loop(n=9, a="n", b="n", c="n")
def chosen_operand(a, b, c, n):
    "Which array is read depends on data."
    for i in range(n):
        a[i] = b[i] if c[i] > 0.0 else a[i] * 2.0


@loop(n=9, a="n", b="n")
def scalar_set_in_both_branches(a, b, n):
    "A scalar assigned on every way."
    for i in range(n):
        if b[i] > 0.0:
            t = b[i]
        else:
            t = -b[i]
        a[i] = t + 1.0


@loop(n=9, a="n", b="n")
def scalar_set_in_one_branch(a, b, n):
    "A scalar that may be old."
    t = 0.0
    for i in range(n):
        if b[i] > 0.0:
            t = b[i]
        a[i] = t


@loop(n=9, flag=(True, False), a="n + 1", b="n")
def decided_before_loop(a, b, n, flag):
    "A test that is the same in all iterations."
    for i in range(n):
        if flag:
            a[i] = b[i]
        else:
            a[i + 1] = a[i]


@loop(n=9, k=(0, 1), a="n + 1", b="n")
def decided_by_number(a, b, n, k):
    "A number of the call decides which statement runs."
    for i in range(n):
        if k > 0:
            a[i + 1] = a[i] + b[i]
        else:
            a[i] = b[i]


@loop(n=9, a="n", b="n")
def short_circuit(a, b, n):
    "A second test that only some iterations make."
    for i in range(1, n):
        if i > 2 and b[i - 2] > 0.0 or b[i] > 1.0:
            a[i] = b[i - 1]


@loop(n=6, a="n, n", b="n, n")
def guarded_diagonal(a, b, n):
    "A test on the loop variables."
    for i in range(n):
        for j in range(n):
            if i == j:
                a[i, j] = 1.0
            else:
                a[i, j] = b[i, j]


@loop(n=6, a="n, n")
def triangle_by_test(a, n):
    "A triangle cut out by a test."
    for i in range(n):
        for j in range(n):
            if j < i:
                a[i, j] = a[j, i]


@loop(n=6, b="n, n", c="n")
def inner_loop_under_test(b, c, n):
    "A loop that only some iterations run."
    for i in range(n):
        if c[i] > 0.0:
            for j in range(n):
                b[i, j] = b[i, j] + c[i]


@loop(n=6, b="n, n", length=lambda n: [3, 0, 5, 2, 6, 1][:n])
def ragged(b, length, n):
    "Rows of different lengths, from a Python list."
    for i in range(n):
        for j in range(length[i]):
            b[i, j] = b[i, j] * 2.0


@loop(n=6, a="n", b="n", pos="n")
def clipped(a, b, pos, n):
    "A value brought between bounds."
    for i in range(n):
        t = a[i] + b[i]
        if t < -1.0:
            t = -1.0
        elif t > 1.0:
            t = 1.0
        pos[i] = t


@loop(n=6, steps=12, re="n", im="n", count="int n")
def escape_time(re, im, count, n, steps):
    "An inner loop that is left when a value grows."
    for i in range(n):
        x = 0.0
        y = 0.0
        c = 0
        for k in range(steps):
            if x * x + y * y > 4.0:
                break
            t = x * x - y * y + re[i]
            y = 2.0 * x * y + im[i]
            x = t
            c += 1
        count[i] = c
