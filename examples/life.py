"""Conway's game of life on a torus, started from a random soup and a glider.

python examples/life.py --size 150 --generations 100
"""

import argparse
import hashlib

import numpy as np

GLIDER = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]])


def soup(n, seed):
    """Random cells in the right half, one glider in the upper left corner."""
    rng = np.random.default_rng(seed)
    board = np.zeros((n, n), dtype=np.int64)
    board[:, n // 2 :] = rng.random((n, n - n // 2)) < 0.3
    board[1:4, 1:4] = GLIDER
    return board


def generation(board, after):
    """One step: three neighbours give birth, two or three keep a cell alive."""
    n = board.shape[0]
    for i in range(n):
        for j in range(n):
            alive = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    alive += board[(i + di) % n, (j + dj) % n]
            alive -= board[i, j]
            if alive == 3:
                after[i, j] = 1
            elif alive == 2:
                after[i, j] = board[i, j]
            else:
                after[i, j] = 0


def age(board, ages):
    """Generations that each cell has been alive without a break."""
    n = board.shape[0]
    for i in range(n):
        for j in range(n):
            ages[i, j] = ages[i, j] + 1 if board[i, j] == 1 else 0


def main():
    parser = argparse.ArgumentParser(description="Conway's game of life on a torus")
    parser.add_argument("--size", type=int, default=150)
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()

    board = soup(options.size, options.seed)
    after = np.zeros_like(board)
    ages = np.zeros_like(board)
    for g in range(options.generations):
        generation(board, after)
        board, after = after, board
        age(board, ages)
        if g % 20 == 0:
            print(f"generation {g + 1:4d}: {int(board.sum())} alive, oldest {int(ages.max())}")
    print("checksum", hashlib.sha256(board.tobytes() + ages.tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
