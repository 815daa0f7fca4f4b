"""Largest number of pairs of bases in a folded strand of RNA, by dynamic programming."""

import numpy as np

SIZES = {"tiny": 11, "quick": 140, "normal": 300}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"bases": rng.integers(0, 4, n), "table": np.zeros((n, n), dtype=np.int64)}


def run(bases, table):
    n = len(bases)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            pair = 1 if bases[i] + bases[j] == 3 else 0
            if i < j - 1:
                best = max(best, table[i + 1, j - 1] + pair)
            else:
                best = max(best, table[i + 1, j - 1])
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
