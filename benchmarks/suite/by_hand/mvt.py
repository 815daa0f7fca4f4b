"""Four rows side by side; the second product along rows, too, in blocks of columns."""

from suite.by_hand.parts import columns_times, rows_times


def run(a, x1, x2, y1, y2):
    rows_times(x1, 1.0, a, y1)
    columns_times(x2, 1.0, a, y2)


def whole(a, x1, x2, y1, y2):
    x1 += a @ y1
    x2 += y2 @ a
