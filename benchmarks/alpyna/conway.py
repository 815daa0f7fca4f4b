"""One generation of Conway's game of life on a torus.

With s the number of live cells among the eight neighbours of a cell, rows and columns counted
modulo the size of the board, a cell lives in the next generation if

    s = 3, or s = 2 and the cell is alive now.
"""

import numpy as np

SIZES = {"check": 240, "steady": 3_000}
PARALLEL = ("i", "j")


def make(n, seed):
    rng = np.random.default_rng(seed)
    alive = rng.random((n, n)) < 0.35
    return {"board": alive.astype(np.uint8), "after": np.zeros((n, n), dtype=np.uint8)}


def run(board, after):
    rows, cols = board.shape
    for i in range(rows):
        for j in range(cols):
            up = (i - 1) % rows
            down = (i + 1) % rows
            left = (j - 1) % cols
            right = (j + 1) % cols
            s = (
                board[up, left]
                + board[up, j]
                + board[up, right]
                + board[i, left]
                + board[i, right]
                + board[down, left]
                + board[down, j]
                + board[down, right]
            )
            if s == 3 or (s == 2 and board[i, j] == 1):
                after[i, j] = 1
            else:
                after[i, j] = 0


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
