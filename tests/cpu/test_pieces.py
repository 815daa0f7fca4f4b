"""Loops in pieces: where subscripts start anew, and where an iteration stores what others read."""

import itertools

import numpy as np
import pytest
from tests.same.outcome import both, same

from autopar.cpu.pieces import cut

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


@pytest.mark.parametrize("divisor", ["n + 1", "n - m", "-n", "n * m", "a.shape[0]", "n + -m"])
def test_a_divisor_of_several_parts_is_divided_by_as_a_whole(divisor):
    lines = f"    for j in range(0, m):\n        k = j % ({divisor}) + j // ({divisor})"
    text = [line.strip() for line in cut([*lines.splitlines(), "    return 0"])]
    assert f"left0_0_ = (at0_) % ({divisor})" in text
    assert f"turns0_0_ = (at0_) // ({divisor})" in text


@pytest.mark.parametrize("divisor", ["i + 1", "n - i", "m + n - 3"])
def test_divisors_that_change_from_row_to_row(lenient, divisor):
    source = f"""\
import numpy as np
def run(n, m):
    a = np.zeros((n, m), np.int64)
    for i in range(n):
        for j in range(m):
            a[i, j] = j % ({divisor}) * 100 + (j + 5) // ({divisor})
    return a
found = run(n, m)
"""
    for n, m in ((7, 40), (3, 5), (12, 90)):
        both(source, n=n, m=m)


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


def around(index, read, low="0", high="n"):
    line = f"a[{index}] = a[{read}] + 1.0"
    return f"    for j in range({low}, {high}):\n        {line}\n    return 0".splitlines()


MEETINGS = [
    ("i, j", "i, k", ["ahead0_0_ = k - at0_"]),
    ("j", "k + 2", ["ahead0_0_ = k + 2 - at0_"]),
    ("m - j", "k", ["ahead0_0_ = m - at0_ - k"]),
    ("i, j + 1", "k, m", ["ahead0_0_ = m - (at0_ + 1)", "if i != k:", "ahead0_0_ = -1"]),
]


@pytest.mark.parametrize(("index", "read", "found"), MEETINGS)
def test_a_loop_is_cut_around_the_iteration_that_stores_what_others_read(index, read, found):
    lines = [line.strip() for line in cut(around(index, read))]
    assert lines[3 : 3 + len(found)] == found
    rest = "ahead0_0_ if ahead0_0_ > 0 else 1 if ahead0_0_ == 0 else end0_ - at0_"
    assert lines[3 + len(found)] == f"until0_ = at0_ + min(end0_ - at0_, ({rest}))"


@pytest.mark.parametrize(
    ("index", "read", "low", "high"),
    [("i, j", "i, j - 1", "0", "n"), ("i, 2 * j", "i, k", "0", "n"), ("j, j", "i, i", "0", "n"),
     ("i, k", "i, k", "0", "n"), ("i, b[j]", "i, k", "0", "n"), ("i, j", "i, k", "k + 1", "n"),
     ("i, j", "i, k", "0", "k"), ("i, j - 1", "i, k", "k + 2", "n"), ("k - j", "0", "k + 1", "n")],
)  # fmt: skip
def test_loops_that_are_not_cut(index, read, low, high):
    assert cut(around(index, read, low, high)) == around(index, read, low, high)


ROWS = """\
    for i in range(v1_, v2_, 2):
        v3_ = i + 1
        for j in range(0, n):
            v4_ = a[i, k] + b[k, j]
            if v4_ < a[i, j]:
                a[i, j] = v4_
            v5_ = a[v3_, k] + b[k, j]
            if v5_ < a[v3_, j]:
                a[v3_, j] = v5_
    return 0"""


def kept(text, apart=True):
    """What is kept in a register throughout a piece."""
    found = (line.strip() for line in cut(text.splitlines(), apart))
    return [line.partition(" = ")[2] for line in found if line.startswith("kept")]


def test_what_others_store_is_read_once_for_a_piece():
    assert kept(ROWS) == ["a[i, k]", "a[v3_, k]"]
    found = [line.strip() for line in cut(ROWS.splitlines(), True)]
    assert "v5_ = kept0_1_ + b[k, j]" in found
    assert sum(line.startswith("ahead0") for line in found) == 2  # rows do not meet one another
    assert kept(ROWS, apart=False) == []


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("v3_ = i + 1", "v3_ = i + m", ["a[i, k]"]),  # it may be the same row
        ("v3_ = i + 1", "v3_ = i + 0", ["a[i, k]"]),
        ("v3_ = i + 1", "v3_ = i + 1\n        i = m", ["a[i, k]"]),
        (
            "            v4_ = a",
            "            if n > 3:\n                continue\n            v4_ = a",
            [],
        ),
        (
            "            v4_ = a",
            "            if n > 3:\n                return 1\n            v4_ = a",
            [],
        ),
        ("v4_ = a[i, k] + b", "v4_ = a[i, q] * a[i, k] + b", ["a[i, k]", "a[i, q]", "a[v3_, k]"]),
        ("v4_ = a[i, k] + b[k, j]", "v4_ = b[k, j]", ["a[v3_, k]"]),
        ("v4_ = a[i, k]", "v4_ = a[i, k] if n > 2 else 0", ["a[v3_, k]"]),
        ("                a[i, j] = v4_", "                a[i, j] = v4_ - a[i, k]", None),
        ("            v5_ = ", "            c = a[i, k]\n            v5_ = ", ["a[v3_, k]"]),
        ("            v5_ = ", "            a[q, q] = n\n            v5_ = ", []),
        ("            v5_ = ", "            filled(a)\n            v5_ = ", []),
    ],
)
def test_what_may_be_stored_before_it_is_read_again(old, new, left):
    assert sorted(kept(ROWS.replace(old, new, 1))) == (
        ["a[i, k]", "a[v3_, k]"] if left is None else sorted(left)
    )


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
    sizes = itertools.cycle((3, 1))
    for n, (first, last, step) in itertools.product((9, 4, 1, 0, -3), RANGES):
        names = {"given": given, "b": b, "n": n, "m": next(sizes)}
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


PATHS = """
def f(a, b, n, m):
    for k in range(m):
        for i in range(n):
            for j in range({low}, n):
                {statement}
a, b = given.copy(), other.copy()
try:
    f(a, b, n, m)
except Exception as error:
    r = repr(error)
"""
UPDATES = [
    "a[i, j] = min(a[i, j], a[i, k] + a[k, j])",
    "if a[i, k] + a[k, j] < a[i, j]: a[i, j] = a[i, k] + a[k, j]",
    "a[i, j] -= a[i, k] * a[k, j]; b[j] = a[i, k]",
    "a[i, j] = a[i, j] * 0.5 + a[k, k + 1]",
    "a[i, n - 1 - j] = a[i, k] + b[k]; b[j] = b[k] + 1",
    "if j == k: continue\n                a[i, j] += a[i, k]",
    "b[j] = a[k, j] + b[k - 1]",
]
LOWS = ["0", "k", "k + 1", "i"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("low", LOWS)
@pytest.mark.parametrize("statement", UPDATES)
def test_what_one_iteration_stores_and_others_read(lenient, statement, low):
    rng = np.random.default_rng(5)
    dtype = (np.int64, np.float64)[(UPDATES.index(statement) + LOWS.index(low)) % 2]
    for n, m in itertools.product((9, 1), (8, 1, 20)):
        given = rng.integers(-50, 50, (9, 9)).astype(dtype)
        names = {"given": given, "other": np.arange(9).astype(dtype), "n": n, "m": m}
        both(PATHS.format(statement=statement, low=low), **names)


@pytest.mark.filterwarnings("ignore")
def test_sums_that_overflow_in_one_piece(lenient):
    given = np.full((9, 9), 2**62)
    given[3, 4] = 2**62 - 7
    source = PATHS.format(statement=UPDATES[1], low="0")
    both(source, given=given, other=np.zeros(9), n=9, m=9)
