"""The decomposition in panels, and two substitutions, which are short."""

from suite.by_hand.lu import decompose


def run(a, b, x, y):
    n = b.shape[0]
    decompose(a)
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= a[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= a[i, j] * x[j]
        x[i] = w / a[i, i]
