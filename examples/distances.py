"""Three shortest ways: all pairs in a road network, between two texts, through a matrix product.

Floyd and Warshall's paths (rows are independent for every town in between, but only because every
town is at distance 0 from itself, which the loops do not show), the edit distance of two sequences
(each cell needs its three neighbours, so only diagonals are independent) and the cheapest order of
a chain of matrix products (spans in order, the places of one span are independent).

    python examples/distances.py --towns 200 --letters 1200 --matrices 120
"""

import argparse
import hashlib

import numpy as np


def roads(n, seed):
    """Lengths of random roads, 1e9 where there is none."""
    rng = np.random.default_rng(seed)
    length = rng.integers(1, 100, (n, n))
    length[rng.random((n, n)) > 0.1] = 1_000_000_000
    np.fill_diagonal(length, 0)
    return length


def shortest_paths(length, over):
    """Shortest lengths in place; `over` gets the last town in between, -1 for none."""
    n = length.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if length[i, k] + length[k, j] < length[i, j]:
                    length[i, j] = length[i, k] + length[k, j]
                    over[i, j] = k


def edit_distance(first, second):
    """Insertions, deletions and replacements that turn one sequence into the other."""
    n, m = len(first), len(second)
    cost = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        cost[i, 0] = i
    for j in range(m + 1):
        cost[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = cost[i - 1, j - 1]
            if first[i - 1] != second[j - 1]:
                change += 1
            cost[i, j] = min(change, cost[i - 1, j] + 1, cost[i, j - 1] + 1)
    return cost


def chain(sizes):
    """Fewest multiplications for the product of matrices sizes[i] x sizes[i + 1]."""
    n = len(sizes) - 1
    best = np.zeros((n, n), dtype=np.int64)
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            best[i, j] = best[i + 1, j] + sizes[i] * sizes[i + 1] * sizes[j + 1]
            for k in range(i + 1, j):
                price = best[i, k] + best[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if price < best[i, j]:
                    best[i, j] = price
    return best


def main():
    parser = argparse.ArgumentParser(description="Three shortest ways")
    parser.add_argument("--towns", type=int, default=200)
    parser.add_argument("--letters", type=int, default=1200)
    parser.add_argument("--matrices", type=int, default=120)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    length = roads(options.towns, options.seed)
    over = np.full(length.shape, -1)
    shortest_paths(length, over)
    print(f"longest way between two towns: {length[length < 1_000_000_000].max()}")

    first = rng.integers(0, 4, options.letters)
    second = rng.integers(0, 4, options.letters + 20)
    cost = edit_distance(first, second)
    print(f"edit distance: {cost[-1, -1]}")

    best = chain(rng.integers(5, 60, options.matrices + 1))
    print(f"cheapest product: {best[0, -1]} multiplications")
    state = b"".join(array.tobytes() for array in (length, over, cost, best))
    print("checksum", hashlib.sha256(state).hexdigest()[:16])


if __name__ == "__main__":
    main()
