"""Local alignment of two DNA sequences with affine gaps (Smith-Waterman, Gotoh).

    python alignment.py --length 1300

One random sequence and a relative of it that has lost, gained and changed letters.  Prints the best
local alignment, a dot plot in characters, the distribution of scores of shuffled sequences, and
the longest common substring.
"""

import argparse
import random

import numpy as np

LETTERS = "ACGT"
CODE = {letter: k for k, letter in enumerate(LETTERS)}
MATCH, MISMATCH, TRANSITION = 5, -6, -4
GAP_OPEN, GAP_EXTEND = -14, -2
STOP, DIAGONAL, UP, LEFT = 0, 1, 2, 3


def substitution_matrix():
    """Transitions (A-G and C-T) cost less than other changes."""
    s = np.full((4, 4), MISMATCH)
    for a, b in (("A", "G"), ("C", "T")):
        s[CODE[a], CODE[b]] = s[CODE[b], CODE[a]] = TRANSITION
    for k in range(4):
        s[k, k] = MATCH
    return s


def random_sequence(length):
    return "".join(random.choice(LETTERS) for _ in range(length))


def evolve(sequence, rate):
    """A copy with substitutions, deletions and insertions."""
    result = []
    i = 0
    while i < len(sequence):
        u = random.random()
        if u < rate:
            result.append(random.choice(LETTERS))
        elif u < 1.3 * rate:
            i += random.randint(1, 6)
            continue
        elif u < 1.6 * rate:
            result.append(sequence[i])
            result.extend(random_sequence(random.randint(1, 6)))
        else:
            result.append(sequence[i])
        i += 1
    return "".join(result)


def encode(sequence):
    return np.array([CODE[letter] for letter in sequence])


def align(x, y, s):
    """Score matrix and where each score came from.

    E ends with a gap in x, F with a gap in y, H is the best of all.
    """
    n, m = len(x), len(y)
    H = np.zeros((n + 1, m + 1), dtype=int)
    E = np.full((n + 1, m + 1), -(10**6))
    F = np.full((n + 1, m + 1), -(10**6))
    came = np.zeros((n + 1, m + 1), dtype=np.int8)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            E[i, j] = max(H[i, j - 1] + GAP_OPEN, E[i, j - 1] + GAP_EXTEND)
            F[i, j] = max(H[i - 1, j] + GAP_OPEN, F[i - 1, j] + GAP_EXTEND)
            best = H[i - 1, j - 1] + s[x[i - 1], y[j - 1]]
            way = DIAGONAL
            if E[i, j] > best:
                best = E[i, j]
                way = LEFT
            if F[i, j] > best:
                best = F[i, j]
                way = UP
            if best <= 0:
                best = 0
                way = STOP
            H[i, j] = best
            came[i, j] = way
    return H, E, F, came


def best_cell(H):
    """The first place with the largest score, by rows."""
    top, at = 0, (0, 0)
    for i in range(H.shape[0]):
        for j in range(H.shape[1]):
            if H[i, j] > top:
                top = H[i, j]
                at = (i, j)
    return int(top), at


def trace_back(a, b, H, E, F, came, i, j):
    """The two lines of the alignment that ends at i, j."""
    top, bottom = [], []
    while i > 0 and j > 0 and came[i, j] != STOP:
        if came[i, j] == DIAGONAL:
            top.append(a[i - 1])
            bottom.append(b[j - 1])
            i -= 1
            j -= 1
        elif came[i, j] == LEFT:
            while True:
                opened = H[i, j - 1] + GAP_OPEN == E[i, j]
                top.append("-")
                bottom.append(b[j - 1])
                j -= 1
                if opened:
                    break
        else:
            while True:
                opened = H[i - 1, j] + GAP_OPEN == F[i, j]
                top.append(a[i - 1])
                bottom.append("-")
                i -= 1
                if opened:
                    break
    return "".join(reversed(top)), "".join(reversed(bottom)), i, j


def score_only(x, y, s):
    """Best score with two rows of lists instead of matrices."""
    m = len(y)
    above = [0] * (m + 1)
    gap_down = [-(10**6)] * (m + 1)
    best = 0
    for i in range(len(x)):
        row = [0] * (m + 1)
        gap = -(10**6)
        for j in range(1, m + 1):
            gap = max(row[j - 1] + GAP_OPEN, gap + GAP_EXTEND)
            gap_down[j] = max(above[j] + GAP_OPEN, gap_down[j] + GAP_EXTEND)
            value = max(0, above[j - 1] + s[x[i]][y[j - 1]], gap, gap_down[j])
            row[j] = value
            if value > best:
                best = value
        above = row
    return best


def longest_common_substring(x, y):
    """Length and end in x of the longest run of equal letters."""
    lengths = np.zeros(len(y) + 1, dtype=np.int64)
    best, end = 0, 0
    for i in range(len(x)):
        for j in reversed(range(len(y))):
            if x[i] == y[j]:
                lengths[j + 1] = lengths[j] + 1
                if lengths[j + 1] > best:
                    best, end = lengths[j + 1], i + 1
            else:
                lengths[j + 1] = 0
    return int(best), end


def dot_plot(x, y, window, size):
    """Counts of matching windows in size x size blocks, as lines of characters."""
    counts = np.zeros((size, size), dtype=int)
    for i in range(len(x) - window):
        for j in range(len(y) - window):
            k = 0
            while k < window and x[i + k] == y[j + k]:
                k += 1
            if k == window:
                counts[i * size // len(x), j * size // len(y)] += 1
    return ["".join(" .:*#"[min(int(c), 4)] for c in row) for row in counts]


def main():
    parser = argparse.ArgumentParser(description="Local alignment of two DNA sequences")
    parser.add_argument("--length", type=int, default=1300)
    parser.add_argument("--rate", type=float, default=0.12, help="changes per letter")
    parser.add_argument("--shuffles", type=int, default=6)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()

    random.seed(args.seed)
    a = random_sequence(args.length)
    b = random_sequence(args.length // 5) + evolve(a[args.length // 4 :], args.rate)
    s = substitution_matrix()
    x, y = encode(a), encode(b)
    H, E, F, came = align(x, y, s)
    score, (i, j) = best_cell(H)
    top, bottom, i0, j0 = trace_back(a, b, H, E, F, came, i, j)
    same = sum(p == q for p, q in zip(top, bottom))
    print(f"lengths {len(a)} and {len(b)}, score {score}")
    print(f"{i0}-{i} with {j0}-{j}: {len(top)} columns, {same} equal, {top.count('-')} gaps")
    for start in range(0, min(len(top), 240), 60):
        one, two = top[start : start + 60], bottom[start : start + 60]
        print("  ", one)
        print("  ", "".join("|" if p == q else " " for p, q in zip(one, two)))
        print("  ", two)

    scores = []
    table = s.tolist()
    for _ in range(args.shuffles):
        letters = list(b)
        random.shuffle(letters)
        scores.append(score_only(encode(a).tolist(), encode(letters).tolist(), table))
    print("shuffled:", scores)
    print("check:", score_only(x.tolist(), y.tolist(), table) == score)
    length, end = longest_common_substring(x, y)
    print(f"longest common substring {length}: {a[end - length : end]}")
    for line in dot_plot(x, y, 7, 24):
        print(f"|{line}|")


if __name__ == "__main__":
    main()
