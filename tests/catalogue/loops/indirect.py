"""Index arrays: permutations, repeated places, ascending ones, sparse matrices."""

import numpy as np

from ..loop import loop


def reverse(n):
    return np.arange(n)[::-1].copy()


def mixed(n):
    return np.arange(n) * 5 % n


def repeated(n):
    return np.arange(n) // 2


def straight(n):
    return np.arange(n)


@loop(n=9, a="n", b="n", idx=mixed)
def gather(a, b, idx, n):
    "Reading through an index array harms nobody."
    for i in range(n):
        a[i] = b[idx[i]]


@loop(n=9, a="n", b="n", idx=(mixed, reverse, repeated))
def scatter(a, b, idx, n):
    "Writing does, if a place comes twice."
    for i in range(n):
        a[idx[i]] = b[i]


@loop(n=9, a="n", b="n", idx=(mixed, repeated))
def scatter_update(a, b, idx, n):
    "An update of each place, float."
    for i in range(n):
        a[idx[i]] = a[idx[i]] * b[i]


@loop(n=9, a="n", b="n", idx=(reverse, straight))
def gather_from_itself(a, b, idx, n):
    "Whether an earlier or a later place is read, only the index array says."
    for i in range(n):
        a[i] = a[idx[i]] + b[i]


@loop(n=9, a="2 * n", b="n", idx=(mixed, lambda n: np.arange(n) + n // 2))
def gather_from_other_half(a, b, idx, n):
    "Places beyond those written, or not."
    for i in range(n):
        a[n + i] = a[idx[i]] + b[i]


@loop(n=8, a="n", b="n", p=mixed, q=(mixed, reverse, straight))
def two_permutations(a, b, p, q, n):
    "Written through one permutation, read through another."
    for i in range(n):
        a[p[i]] = a[q[i]] + b[i]


@loop(n=9, a="n + 9", b="n", idx=(straight, repeated), k=(0, 9))
def shifted_places(a, b, idx, n, k):
    "An index array and a distance."
    for i in range(n):
        a[idx[i] + k] = b[i]


@loop(n=9, a="2 * n", b="n", idx=mixed)
def doubled_places(a, b, idx, n):
    "Even places through an index array, odd ones read."
    for i in range(n):
        a[2 * idx[i]] = a[2 * i + 1] + b[i]


@loop(n=6, m=4, a="n, m", b="n, m", idx=(reverse, lambda n: np.zeros(n, int)))
def rows_through_index(a, b, idx, n, m):
    "Whole rows to other places."
    for i in range(n):
        for j in range(m):
            a[idx[i], j] = b[i, j]


@loop(n=6, m=4, a="n, m", b="n, m", idx=(reverse, repeated))
def rows_added_through_index(a, b, idx, n, m):
    "Rows added to, columns are free in any case."
    for i in range(n):
        for j in range(m):
            a[idx[i], j] += b[i, j]


@loop(n=8, a="n", b="n", idx=(mixed,), jdx=(reverse,))
def index_of_index(a, b, idx, jdx, n):
    "An index array read through another."
    for i in range(n):
        a[idx[jdx[i]]] = b[i]


@loop(
    n=6,
    ptr=lambda n: np.array([0, 5, 5, 9, 10, 16, 20]),
    col=lambda: np.arange(20) * 3 % 6,
    val="20",
    x="n",
    y="n",
)
def sparse_product(ptr, col, val, x, y, n):
    "A matrix in compressed rows times a vector."
    for i in range(n):
        s = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            s += val[k] * x[col[k]]
        y[i] = s


@loop(
    n=6,
    ptr=(lambda: np.array([0, 2, 2, 5, 6, 9, 10]), lambda: np.array([0, 3, 2, 5, 4, 9, 10])),
    val="10",
    d="n",
)
def sparse_row_scaling(ptr, val, d, n):
    "Ascending bounds never meet; others may."
    for i in range(n):
        for k in range(ptr[i], ptr[i + 1]):
            val[k] = val[k] * d[i]


@loop(
    n=6,
    ptr=lambda: np.array([0, 2, 2, 5, 6, 9, 10]),
    out="10",
)
def expanded_rows(ptr, out, n):
    "The row of each entry."
    for i in range(n):
        for k in range(ptr[i], ptr[i + 1]):
            out[k] = i


@loop(
    n=6,
    ptr=lambda: np.array([0, 2, 2, 5, 6, 9, 10]),
    row=lambda: np.arange(10) * 3 % 6,
    val="10",
    x="n",
    y="n",
)
def sparse_product_by_columns(ptr, row, val, x, y, n):
    "Columns scatter into the result: float sums in order."
    for j in range(n):
        for k in range(ptr[j], ptr[j + 1]):
            y[row[k]] += val[k] * x[j]


@loop(n=10, a="n", b="n", first=lambda: np.array([0, 3, 4]), last=lambda: np.array([3, 4, 9]))
def pieces(a, b, first, last, n):
    "Bounds of pieces from two arrays; pieces do not meet."
    for p in range(3):
        for i in range(first[p], last[p]):
            a[i] = b[i] + p


@loop(n=8, perm=mixed, inverse="int n")
def inverse_permutation(perm, inverse, n):
    "The place of each place."
    for i in range(n):
        inverse[perm[i]] = i


@loop(n=8, left=reverse, right=mixed, a="n", f="n")
def edges(left, right, a, f, n):
    "Forces on both ends of an edge: two float updates."
    for e in range(n):
        d = a[left[e]] - a[right[e]]
        f[left[e]] -= d
        f[right[e]] += d


@loop(n=8, seen="bool n", idx=repeated)
def marks(seen, idx, n):
    "The same value at repeated places: still the same element."
    for i in range(n):
        seen[idx[i]] = True


@loop(n=9, a="n", idx=lambda rng, n: rng.permutation(n), b="n")
def index_written_in_loop(a, idx, b, n):
    "The index array changes on the way: nothing can be known beforehand."
    for i in range(1, n):
        idx[i] = idx[i - 1] // 2
        a[idx[i]] = b[i]


@loop(n=8, table="16", x="n", y="n")
def lookup(table, x, y, n):
    "A place computed from a value."
    for i in range(n):
        y[i] = table[int(x[i] * 2.0) + 8]
