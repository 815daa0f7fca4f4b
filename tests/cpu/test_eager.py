"""Parts of conditions that are evaluated though they may not matter: which, and what comes out."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from test_lower import INT, array, compiled, module

from autopar.cpu.eager import harmless, reached

BEFORE = {
    "s = b[u, j] + b[i, u]": {("b", 0, "u"), ("b", 0, "i"), ("b", 1, "j"), ("b", 1, "u")},
    "a[i] = 0": {("a", 0, "i")},
    "a[i] += c[i + 1]": {("a", 0, "i"), ("c", 0, "i + 1")},
    "s, t = b[i, j], 1": {("b", 0, "i"), ("b", 1, "j")},
    "s = f_(a[i])": {("a", 0, "i")},
    "a[d[i]] = 1": {("a", 0, "d[i]"), ("d", 0, "i")},
    # Nobody knows whether they are evaluated.
    "s = a[i] if t else 0": set(),
    "s = t and a[i] > 0": set(),
    "if t:\n    s = a[i]": set(),
    "for t in range(3):\n    s = a[i]": set(),
    # By then it is another one.
    "s = a[i]\ni = 3": set(),
    "i = a[i]": set(),
    "i, t = a[i], 0": set(),
    "s = a[i]\na = c": set(),
    "s = a[i]\nfor t in range(3):\n    pass": set(),
}


@pytest.mark.parametrize("text", BEFORE)
def test_accesses_prove_their_subscripts_axis_by_axis(text):
    assert reached(ast.parse(text).body) == BEFORE[text]


HARMLESS = [
    "b[i, j] > 0", "not b[i, u] == 1", "int64(b[u, j]) & 3 == s", "-t < 2 or b[i, j] != b[i, u]",
    "s == 1", "float64(b[i, j]) * t < 0.5",
]  # fmt: skip
HARMFUL = [
    "b[j, i] > 0", "b[i, v] > 0", "c[i, j] > 0", "b[i, j + 1] > 0", "s // t > 0",
    "s % t > 0", "s << t > 0", "f_(s) > 0", "b[i, j] / t > 0", "b[b[i, j], j] > 0", "s ** t > 0",
    " + ".join(["s"] * 40) + " > 0", "min(s, t) > 0", "(s if t else u) > 0",
]  # fmt: skip


@pytest.mark.parametrize("text", [*HARMLESS, *HARMFUL])
def test_what_does_no_harm(text):
    known = reached(ast.parse("s = b[u, j] + b[i, u]").body)
    assert harmless(ast.parse(text, mode="eval").body, known) == (text in HARMLESS)


LIFE = """\
def k(b, a):
    for i in range(1, b.shape[0] - 1):
        for j in apart_(1, b.shape[1] - 1):
            u = i - 1
            l = j - 1
            r = j + 1
            s = b[u, l] + b[u, j] + b[u, r] + b[i, l] + b[i, r]
            if {test}:
                a[i, j] = uint8(1)
            else:
                a[i, j] = uint8(0)
    return 0
"""
TESTS = [
    "s == 3 or s == 2 and b[i, j] == 1",
    "s > 2 and b[i, j] == 1 and b[u, j] == 0",
    "(s == 1 or b[i, r] == 1) and (b[i, j] == 0 or s == 0)",
    "not (b[i, j] == 1 and s > 1) and s < 4",
    "s > 3 and b[i, j] == 1 or s // (s - 3) == 2",
    "s != 0 and 12 // s == 4 and b[i, j] == 1 or s == 5",
]


@pytest.mark.parametrize("test", TESTS)
def test_the_same_cells_live(test, optimised):
    """A divisor of zero that Python does not come to shows that it is not come to here."""
    source = LIFE.format(test=test)
    b = (np.random.default_rng(2).random((19, 50)) < 0.4).astype(np.uint8)
    wanted, found = np.zeros_like(b), np.zeros_like(b)
    space: dict[str, Any] = {"uint8": np.uint8, "apart_": range}
    with np.errstate(all="ignore"):
        exec(source, space)
        space["k"](b.astype(int), wanted)
    compiled(source, array(b), array(found))(b, found)
    assert found.tolist() == wanted.tolist()
    assert 0 < found.sum() < found.size


def test_a_condition_without_branches():
    """So it is for LLVM as well, which has nothing left to ask but for the ends of the loops."""
    a = np.zeros((3, 3), np.uint8)
    texts = [module(LIFE.format(test=test), [array(a), array(a)]) for test in (TESTS[0], TESTS[4])]
    assert ['"or' in text for text in texts] == [False, True]
    assert "i1 false" in texts[0] or "i1 0" in texts[0]


@pytest.mark.parametrize("test", ["i + 1 < n and a[i + 1] > s", "i + 1 == n or a[i + 1] > s"])
def test_no_cell_is_read_that_is_not_there(test):
    """Behind the last one there is something else, or no memory at all."""
    source = (
        "def k(a, n):\n    t = 0\n    for i in range(n):\n        s = a[i]\n"
        f"        if {test}:\n            t = t + 1\n    a[0] = t\n    return 0\n"
    )
    a = np.arange(9)[::-1].copy()
    assert f'"{"and" if "and" in test else "or"}' in module(source, [array(a), INT])
    compiled(source, array(a), INT)(a, 9)
    assert a[0] == ("or" in test)


def test_rooms_of_the_kernels_own_are_not_read_in_vain():
    source = (
        "def k(a, n):\n    b = room_('int64', 9)\n    t = 0\n    for i in range(n):\n"
        "        b[i] = a[i]\n        if a[i] > 3 and {}[i] < 7:\n            t = t + 1\n"
        "    a[0] = t\n    return 0\n"
    )
    for array_read, branches in (("a", False), ("b", True)):
        a = np.arange(9)
        assert ('"and' in module(source.format(array_read), [array(a), INT])) == branches
        compiled(source.format(array_read), array(a), INT)(a, 9)
        assert a[0] == 3
