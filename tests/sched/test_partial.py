"""Loops in order of which an extreme is partly known before their iterations begin."""

from __future__ import annotations

import pytest

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.nest.walking import statements
from autopar.records import replace
from autopar.sched.partial import partials

RANKS = {"A": 2, "B": 2, "x": 1}
FACTS = Facts(frozenset("nm"), tuple(sorted(RANKS.items())))
SIZES = {"n": 9, "m": 8, **{f"{a}.shape[{k}]": 19 for a in RANKS for k in range(2)}}


def found(source, dtype="int64", alone="ABx", seen=()):
    """By the variable of a loop: the scalar, and how its number is replaced.

    Parameters
    ----------
    seen
        Scalars that are read after the nest.
    """
    nest = replace(lift_text(source), live_out=seen)
    arrays = {p: ArrayType(dtype, RANKS[p], "C", True, True) for p in nest.paths if p in RANKS}
    numbers = {p: "int" for p in nest.paths if p in ("n", "m")}
    typed = infer(nest, arrays, numbers, {p: "min" for p in nest.paths if p in ("min", "max")})
    assert not hasattr(typed, "reason"), typed
    analysis = analyse(nest, FACTS)
    made = dict(partials(typed, analysis, analysis.held(SIZES), frozenset(alone)))
    loops = {s.id: s.var for s in statements(nest.loop) if hasattr(s, "var")}
    return {loops[loop]: (one.scalar, one.op) for loop, one in made.items()}


def intervals(body, steps="i + 1, j", rows="n - 1, -1, -1", first="s = A[i, j - 1]", more=""):
    inside = "".join(f"            {line}\n" for line in body.split("\n"))
    return (
        f"for i in range({rows}):\n    for j in range(i + 1, n):\n        {first}\n"
        f"        for k in range({steps}):\n{inside}        A[i, j] = s{more}\n"
    )


CUT = "e = A[i, k] + A[k + 1, j]\nif e > s:\n    s = e"
TAKEN = {
    "the most of two parts": (intervals(CUT), ">"),
    "the least": (intervals(CUT.replace(">", "<")), "<"),
    "as much": (intervals(CUT.replace(">", "<=")), "<"),
    "the other way round": (intervals(CUT.replace("e > s", "s < e")), ">"),
    "one step more": (intervals(CUT, "i + 1, j + 1"), ">"),
    "weights": (intervals(CUT.replace("+ A[k + 1, j]", "+ A[k + 1, j] * x[k] - x[j]")), ">"),
    "only what is on the left": (intervals(CUT.replace("A[k + 1, j]", "x[k]")), ">"),
    "only what is below": (intervals(CUT.replace("A[i, k]", "x[k]")), ">"),
    "something more": (intervals(CUT, more="\n        B[i, j] = s * 2"), ">"),
    "from the first column": (intervals(CUT, "j"), ">"),
}
LEFT = {
    "what is on the right of the step": CUT.replace("A[i, k]", "A[i, k + 1]"),
    "backwards": CUT.replace("A[i, k]", "A[i, n - k]"),
    "always the same": CUT.replace("A[i, k]", "A[i, 5]"),
    "the column before": CUT.replace("A[k + 1, j]", "A[i, j - 1]"),
    "a sum": "s = s + A[i, k]",
    "stores": CUT + "\nB[i, k] = e",
    "two extremes at once": CUT + "\nif e < t:\n    t = e",
    "where it is": CUT.replace("s = e", "s = e; t = k"),
    "the other is read": CUT.replace("A[k + 1, j]", "t"),
    "it may end": CUT + "\nif e == 3:\n    break",
}


@pytest.mark.parametrize(("source", "op"), TAKEN.values(), ids=TAKEN)
def test_taken(source, op):
    assert found(source) == {"j": ("s", op)}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_left(body):
    first = "s = A[i, j - 1]\n        t = A[i + 1, j]"
    assert found(intervals(body, first=first)) == {}


def test_steps_that_are_not_there_for_all():
    assert found(intervals(CUT, "i + 1, j - 1")) == {}
    assert found(intervals(CUT, "i + 1, j, 2")) == {}
    assert found(intervals(CUT, "i + 1, m")) == {}
    assert found(intervals(CUT, "x[i], j")) == {}
    assert found(intervals(CUT, "s, j")) == {}


def test_what_is_left_behind_is_seen():
    assert found(intervals(CUT), seen=("s", "i", "j")) == {"j": ("s", ">")}
    assert found(intervals(CUT), seen=("e",)) == {}
    assert found(intervals(CUT), seen=("k",)) == {}
    assert found(intervals(CUT, more="\n        B[i, j] = e", first="s = e = 0")) == {}
    assert found(intervals(CUT, more="\n        B[i, j] = k", first="s = k = 0")) == {}


def test_floats_depend_on_their_order():
    assert found(intervals(CUT), "float64") == {}


def test_arrays_that_share_memory():
    assert found(intervals(CUT), alone="Bx") == {}
    other = intervals(CUT.replace("A[i, k]", "B[i, k]").replace("A[k + 1, j]", "B[k, j]"))
    assert found(other) == {"j": ("s", ">")}


def test_what_an_iteration_stores_before_it_looks():
    before = "s = A[i, j - 1]\n        A[i, j] = 7"
    assert found(intervals(CUT, first=before)) == {"j": ("s", ">")}
    read = CUT.replace("A[k + 1, j]", "A[i, j]")
    assert found(intervals(read, first=before)) == {}
    assert found(intervals(read)) == {"j": ("s", ">")}
