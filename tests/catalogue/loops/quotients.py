"""// % min max in subscripts and bounds."""

from ..loop import loop


@loop(n=10, a="n", b="n")
def halves_read(a, b, n):
    "Two iterations read one element."
    for i in range(n):
        a[i] = b[i // 2]


@loop(n=10, a="n", b="n")
def halves_written(a, b, n):
    "Two iterations write one element."
    for i in range(n):
        a[i // 2] = b[i]


@loop(n=10, a="2 * n", b="n")
def halves_against_rest(a, b, n):
    "Written up to n / 2, read from n on."
    for i in range(n):
        b[i] = a[n + i // 2]
        a[i] = b[i] + 1.0


@loop(n=9, m=(3, 9, 12), a="n + 12", b="n")
def remainder_written(a, b, n, m):
    "Each element once when m is at least n."
    for i in range(n):
        a[i % m] = b[i]


@loop(n=9, m=(3, 9), a="n + 12", b="n + 1")
def remainder_read(a, b, n, m):
    "A repeating pattern."
    for i in range(n):
        a[i] = b[i % m]


@loop(n=8, a="n", b="n")
def around_the_ring(a, b, n):
    "Neighbours on a ring, other array."
    for i in range(n):
        a[i] = b[(i + 1) % n] + b[(i - 1) % n]


@loop(n=8, k=(0, 3), a="n")
def around_the_ring_in_place(a, n, k):
    "Neighbours on a ring, same array."
    for i in range(n):
        a[i] = a[(i + k) % n] * 2.0


@loop(n=12, m=(3, 4), a="n, n", b="n")
def unflattened(a, b, n, m):
    "Row and column from one counter."
    for i in range(n):
        a[i // m, i % m] = b[i]


@loop(n=12, m=(3, 4), a="n + 1, n")
def unflattened_carried(a, n, m):
    "Each row from the one above, one counter."
    for i in range(m, n):
        a[i // m, i % m] = a[i // m - 1, i % m] + 1.0


@loop(n=9, a="n", b="n")
def clamped_read(a, b, n):
    "A border repeated outwards."
    for i in range(n):
        a[i] = b[min(i + 1, n - 1)] - b[max(i - 1, 0)]


@loop(n=9, a="n", b="n")
def clamped_written(a, b, n):
    "Many iterations end at the border."
    for i in range(n):
        a[min(i, 5)] = b[i]


@loop(n=9, k=(3, 9), a="n", b="n")
def clamped_by_call(a, b, n, k):
    "The border lies inside, or beyond."
    for i in range(n):
        a[min(i, k)] = b[i] * 2.0


@loop(n=9, a="2 * n", b="n")
def smaller_of_two(a, b, n):
    "min(i, n - i) folds the loop."
    for i in range(n):
        b[i] = a[min(i, n - i)]


@loop(n=9, m=(4, 12), a="n", b="n + 12")
def bounded_by_least(a, b, n, m):
    "The shorter of two lengths."
    for i in range(min(n, m)):
        a[i] = b[i] + 1.0


@loop(n=12, a="n", b="n")
def odd_even_places(a, b, n):
    "Places 2 (i // 2) and 2 (i // 2) + 1 change places."
    for i in range(n):
        a[i] = b[i + 1 - 2 * (i % 2)]


@loop(n=12, a="2 * n", b="n")
def parity_apart(a, b, n):
    "Even places written, odd places read, through %."
    for i in range(n):
        a[i - i % 2] = a[2 * (i // 2) + 1] + b[i]


@loop(n=8, m=3, a="2 * n")
def rounded_up(a, n, m):
    "Bounds with a rounded quotient."
    for i in range((n + m - 1) // m):
        for j in range(i * m, min(n, i * m + m)):
            a[j] = a[j + n] + 1.0


@loop(n=9, a="n", b="n")
def minus_rounds_down(a, b, n):
    "-i // 2 rounds towards minus infinity."
    for i in range(n):
        a[i] = b[n - 1 + (-i) // 2]
