"""Weak-zero and weak-crossing subscripts, crossing thresholds, peeling and index-set splitting."""

from ..loop import loop


@loop(n=9, a="n", b="n")
def first_read_by_all(a, b, n):
    "Only the first iteration writes a[0]."
    for i in range(n):
        a[i] = a[0] + b[i]


@loop(n=9, a="n", b="n")
def last_read_by_all(a, b, n):
    "Only the last iteration writes a[n - 1]."
    for i in range(n):
        a[i] = a[n - 1] + b[i]


@loop(n=9, k=(0, 4, 8, 20), a="3 * n", b="n")
def middle_read_by_all(a, b, n, k):
    "Iteration k writes what all read."
    for i in range(n):
        a[i] = a[k] * b[i]


@loop(n=9, k=(-1, 4, 9), a="n + 2", b="n")
def all_write_and_read_one(a, b, n, k):
    "Iteration k reads the place that is written otherwise."
    for i in range(n):
        b[i] = a[i]
        if i == k:
            a[k] = 1.0


@loop(n=9, a="n", b="n")
def reversed_in_place(a, b, n):
    "Iteration i meets iteration n - 1 - i."
    for i in range(n):
        a[i] = a[n - 1 - i] + b[i]


@loop(n=9, a="n", b="n")
def reversed_first_half(a, b, n):
    "The crossing point is never passed."
    for i in range(n // 2):
        a[i] = a[n - 1 - i] + b[i]


@loop(n=10, a="n", b="n")
def reversed_second_half(a, b, n):
    "The other side of the crossing point."
    for i in range(n // 2, n):
        a[i] = a[n - 1 - i] * b[i]


@loop(n=8, k=(3, 8, 20), a="4 * n", b="n")
def crossing_at_k(a, b, n, k):
    "Where i and k - i meet depends on k."
    for i in range(n):
        a[n + i] = a[n + k - i] + b[i]


@loop(n=9, k=(0, 5, 9), a="2 * n", b="n")
def threshold(a, b, n, k):
    "Writes beyond k reads: the threshold splits the loop."
    for i in range(n):
        a[i] = a[i + k] + b[i]


@loop(n=8, a="n", b="n")
def swap_ends(a, b, n):
    "Reversal by exchange, half the way."
    for i in range(n // 2):
        t = a[i]
        a[i] = a[n - 1 - i]
        a[n - 1 - i] = t


@loop(n=8, a="n")
def swap_ends_all_the_way(a, n):
    "Reversal by exchange, all the way: undone again."
    for i in range(n):
        t = a[i]
        a[i] = a[n - 1 - i]
        a[n - 1 - i] = t


@loop(n=9, a="n", b="n", c="n")
def first_is_special(a, b, c, n):
    "A branch that only the first iteration takes."
    for i in range(n):
        if i == 0:
            a[i] = b[i]
        else:
            a[i] = b[i] + c[i - 1]


@loop(n=9, a="n + 1", b="n")
def first_writes_for_all(a, b, n):
    "What the first iteration writes, all others read."
    for i in range(n):
        if i == 0:
            a[n] = b[0] * 2.0
        b[i] = b[i] + a[n]


@loop(n=9, a="n", b="n", c="n")
def last_is_special(a, b, c, n):
    "A branch that only the last iteration takes."
    for i in range(n):
        if i < n - 1:
            a[i] = b[i + 1] - b[i]
        else:
            a[i] = c[i]


@loop(n=10, k=(0, 4, 10), a="n", b="n", c="n")
def split_at_k(a, b, c, n, k):
    "Two formulas, one before k and one from k on."
    for i in range(n):
        if i < k:
            a[i] = b[i]
        else:
            a[i] = c[i] * 2.0


@loop(n=10, k=(3, 10), a="n", b="n")
def recurrence_until_k(a, b, n, k):
    "A recurrence that stops at k."
    for i in range(1, n):
        if i < k:
            a[i] = a[i - 1] + b[i]
        else:
            a[i] = b[i]


@loop(n=10, a="n", b="n")
def lower_half_feeds_upper(a, b, n):
    "The first half is read by the second."
    for i in range(n):
        if i < n // 2:
            a[i] = b[i]
        else:
            a[i] = a[i - n // 2] + b[i]


@loop(n=9, a="n", b="n")
def ring_by_hand(a, b, n):
    "The last element is the left neighbour of the first."
    left = n - 1
    for i in range(n):
        a[i] = b[i] + b[left]
        left = i
