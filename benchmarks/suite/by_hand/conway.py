"""Rows above and below by name, and only the edges of the torus apart, so that a row is vectors."""

import numpy as np
from numba import prange


def cell(up, at, down, left, j, right):
    s = up[left] + up[j] + up[right] + at[left] + at[right] + down[left] + down[j] + down[right]
    return 1 if s == 3 or (s == 2 and at[j] == 1) else 0


def run(board, after):
    rows, cols = board.shape
    for i in prange(rows):
        up = board[i - 1 if i > 0 else rows - 1]
        at = board[i]
        down = board[i + 1 if i + 1 < rows else 0]
        row = after[i]
        row[0] = cell(up, at, down, cols - 1, 0, 1 % cols)
        for j in range(1, cols - 1):
            s = (
                up[j - 1]
                + up[j]
                + up[j + 1]
                + at[j - 1]
                + at[j + 1]
                + down[j - 1]
                + down[j]
                + down[j + 1]
            )
            row[j] = (s == 3) | ((s == 2) & (at[j] == 1))
        row[cols - 1] = cell(up, at, down, (cols - 2) % cols, cols - 1, 0)


def whole(board, after):
    s = np.zeros_like(board)
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            if di or dj:
                s += np.roll(board, (di, dj), axis=(0, 1))
    after[:] = (s == 3) | ((s == 2) & (board == 1))
