"""Loops in pieces within which no subscript starts from the beginning again."""

import itertools

import numpy as np
import pytest
from tests.same.outcome import both, same

from autopar.cpu.periods import cut

LOOP = """\
    for i in range(0, n):
        for j in range(i, m):
            k = (j - 1) % m
            a[i, k] = b[i, (i - j) % n]
    return 0""".splitlines()

PIECES = """\
    for i in range(0, n):
        at0_ = int64(i)
        end0_ = int64(m)
        while at0_ < end0_:
            left0_0_ = (at0_ - 1) % m
            turns0_0_ = (at0_ - 1) // m
            base0_0_ = (at0_ - 1) - left0_0_
            left0_1_ = (i - at0_) % n
            turns0_1_ = (i - at0_) // n
            base0_1_ = (i - at0_) - left0_1_
            until0_ = at0_ + min(end0_ - at0_, m - left0_0_, left0_1_ + 1)
            for j in range(at0_, until0_):
                k = j - 1 - base0_0_
                a[i, k] = b[i, i - j - base0_1_]
            at0_ = until0_
    return 0""".splitlines()


def test_the_innermost_loop_is_cut_where_a_remainder_starts_anew():
    assert cut(LOOP) == PIECES


@pytest.mark.parametrize(
    "line",
    ["k = (k + 1) % n", "k = (j * j) % n", "k = j % k", "k = (2 * j) % n", "k = (i % n)",
     "k = (j % 3)", "k = (j // 8)", "k = (j & 7) % n", "if j % n == 2:\n            break"],
)  # fmt: skip
def test_what_stays(line):
    body = f"    for j in range(0, n):\n        {line}\n    return 0".splitlines()
    assert cut(body) == body


def test_loops_that_llvm_writes_out_stay():
    body = ["    for j in range((-1), 2):", "        k = (j + i) % n", "    return 0"]
    assert cut(body) == body


SOURCE = """
def f(a, b, n, m, first, last, step):
    s = k = 0
    for i in range(m):
        for j in range(first, last, step):
            {statement}
    return s, k
a = given.copy()
try:
    r = f(a, b, n, m, first, last, step)
except Exception as error:
    r = repr(error)
"""
STATEMENTS = [
    "a[i % 3, (j - 1) % n] += b[(i - j) % n]",
    "a[i, (i + j + m) % n] = b[(j + 3) % n] - b[(j - 3) % n]",
    "a[i, ((j - 1) % n + 1) % n] = j // n + (n - j) // n",
    "s += j % n * (j // n); k = (m - j - i) % n",
    "k = (j + i) % a.shape[1]; a[i, k] += 1.0; s += k",
    "s += (j + 5) % 64 * ((7 - j) // 64)",
    "s += j % n if j > 3 else j // n",
    "if (i + j) % n > 2: continue\n            a[i, (i + j) % n] *= 0.5",
    "if (i + j) % n > 2: break\n            a[i, (i + j) % n] *= 0.5",
    "a[i, (a.shape[0] - j) % n - 1] += (j - n) % n",
]
RANGES = [(0, 9, 1), (-30, 40, 1), (5, 5, 1), (7, 2, 1), (3, 200, 1), (9, -9, -1), (0, 40, 3)]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_same_as_with_a_division_in_each_iteration(lenient, statement):
    given, b = np.arange(27.0).reshape(3, 9), np.arange(9.0) / 7.0
    for n, m, (first, last, step) in itertools.product((9, 4, 1, 0, -3), (3, 1), RANGES):
        names = {"given": given, "b": b, "n": n, "m": m}
        both(SOURCE.format(statement=statement), **names, first=first, last=last, step=step)


def test_numbers_near_the_end_of_64_bits(lenient):
    for n, m in itertools.product((2**63 - 1, 2**62, 3, 2**64), (2**63 - 50, 2**62, -(2**63))):
        names = {"given": np.arange(30.0).reshape(3, 10), "b": np.ones(9), "n": n, "m": 3}
        names |= {"first": m, "last": m + 20, "step": 1}
        both(SOURCE.format(statement="s ^= (j + 5) % n + (i - j) // n; k = j % n"), **names)


def test_a_torus_is_compiled(strict):
    source = SOURCE.format(statement="a[i, (j - 1) % n] += b[(i - j) % n]")
    names = {"given": np.ones((3, 9)), "b": np.ones(9), "n": 9, "m": 3}
    assert "compiled" in same(source, **names, first=0, last=9, step=1).values()
