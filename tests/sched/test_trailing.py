"""Which loops over rows may trail one another, how far behind, and what that leaves."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts, Overlap
from autopar.deps.trailing import FARTHEST, trails
from autopar.nest.check import check
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.sched.distribute import schedule
from autopar.sched.trailing import STRIP, runs, trailing
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "C": 2, "x": 1}
SIZES = ("n", "m", "q")
FACTS = Facts(frozenset(SIZES), tuple(sorted(RANKS.items())))
BLOCK = 2 * STRIP


def rows(text, low="1", high="n - 1", near="1", far="m - 1"):
    """A loop over rows of statements."""
    lines = [f"    for i in range({low}, {high}):", f"        for j in range({near}, {far}):"]
    return "\n".join([*lines, *(f"            {line}" for line in text.splitlines())]) + "\n"


def steps(*loops):
    return "for t in range(q):\n" + "".join(loops)


MEAN = rows("B[i, j] = A[i - 1, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j]")
BACK = rows("A[i, j] = B[i, j]")
AGAIN = rows("A[i, j] = B[i - 1, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j]")
EY = rows("A[i, j] -= C[i, j] - C[i - 1, j]", "1", "n", "0", "m")
EX = rows("B[i, j] -= C[i, j] - C[i, j - 1]", "0", "n", "1", "m")
HZ = rows("C[i, j] -= B[i, j + 1] - B[i, j] + A[i + 1, j] - A[i, j]", "0", "n - 1", "0", "m - 1")
FOUND = {
    # What it is, and for each group how far loops are behind and how many rows have to wait.
    "there and back": (steps(MEAN, BACK), [[(0, 0), (1, 1)]]),
    "there and back by a stencil": (steps(MEAN, AGAIN), [[(0, 0), (1, 1)]]),
    "three fields": (steps(EY, EX, HZ), [[(0, 0), (0, 0), (1, 0)]]),
    "a row that comes first": (
        steps("    for j in range(m):\n        A[0, j] = x[t]\n", EY, EX, HZ),
        [[(0, 0), (0, 0), (1, 0)]],
    ),
    "one after the other": (steps(MEAN, AGAIN, MEAN), [[(0, 0), (1, 1), (2, 2)]]),
    "two rows before": (steps(MEAN, rows("C[i, j] = B[i - 2, j]", "3")), [[(0, 0), (0, 2)]]),
    "two rows after": (
        steps(MEAN, rows("C[i, j] = B[i + 2, j]", "0", "n - 4")),
        [[(0, 0), (2, 0)]],
    ),
    "of two groups": (
        steps(MEAN, BACK, "    x[t] = t\n", MEAN, BACK),
        [[(0, 0), (1, 1)], [(0, 0), (1, 1)]],
    ),
    "the first of them for itself": (
        steps(rows("C[j, i] = A[i, j]"), rows("B[i, j] = C[i, j]"), rows("A[i, j] = B[i + 1, j]")),
        [[(0, 0), (1, 0)]],
    ),
    "scalars of a row": (
        steps(rows("s = A[i - 1, j] + A[i + 1, j]\nB[i, j] = s - A[i, j]"), BACK),
        [[(0, 0), (1, 1)]],
    ),
    "a test": (
        steps(rows("if A[i + 1, j] > 3:\n    B[i, j] = A[i - 1, j]"), BACK),
        [[(0, 0), (1, 1)]],
    ),
    "deeper": (
        "for s in range(2):\n    for t in range(q):\n"
        + "".join("    " + line + "\n" for line in (MEAN + BACK).splitlines()),
        [[(0, 0), (1, 1)]],
    ),
}
OTHERS = {
    "one loop": steps(MEAN),
    "something between": steps(MEAN, "    x[t] = B[1, 1]\n", BACK),
    "rows of one number": steps(*2 * ["    for i in range(n):\n        x[i] = x[i] + 1\n"]),
    "rows two by two": steps(MEAN, BACK.replace("n - 1)", "n - 1, 2)")),
    "ends that nobody compares": steps(MEAN, BACK.replace("n - 1", "m")),
    "an end that changes": steps(MEAN + "    n = t\n", BACK),
    "a scalar of the last row": steps(
        rows("s = A[i, j]\nB[i, j] = s"), rows("A[i, j] = B[i, j] + s")
    ),
    "a sum": steps("    s = 0\n", rows("s += A[i, j]\nB[i, j] = A[i + 1, j]"), BACK),
    "a variable for the next step": steps(MEAN, BACK, "    x[t] = i\n"),
    "a variable of the step before": steps("    x[t] = i\n", MEAN, BACK),
    "a variable that is read behind it": "for s in range(2):\n    for t in range(q):\n"
    + "".join("    " + line + "\n" for line in (MEAN + BACK).splitlines())
    + "    x[s] = j\n",
    "one row for all": steps(MEAN, rows("A[i, j] = B[q, j]")),
    "the row that comes last": steps(MEAN, rows("C[2, j] = B[i + 1, j]")),
    "products": steps(*2 * [rows("for k in range(m):\n    A[i, j] = A[i, j] + B[i, k] * C[k, j]")]),
    "left early": steps(MEAN, rows("if B[i, j] > 5:\n    break\nA[i, j] = B[i, j]")),
}
WRONG = {
    "nothing but the same rows": steps(MEAN, rows("C[i, j] = B[i, j]")),
    "nothing in common": steps(MEAN, rows("C[i, j] = C[i, j] + 1")),
    "all rows": steps(MEAN, rows("A[i, j] = B[j, i]")),
    "one cell for all": steps(rows("A[i, j] = B[i, j] + x[j]"), rows("x[j] = A[i, j]")),
    "rows from the other end": steps(MEAN, rows("A[i, j] = B[n - 1 - i, j]")),
    "rows far away": steps(MEAN, rows(f"C[i, j] = B[i - {FARTHEST + 1}, j]", str(FARTHEST + 1))),
    "a row that needs the one before": steps(MEAN, rows("A[i, j] = A[i - 1, j] + B[i, j]")),
    "any row": steps(MEAN, rows("A[i, j] = B[i * i, j]")),
}


def typed(source, live_out=()):
    nest = replace(lift_text(source), live_out=live_out)
    arrays = {p: ArrayType("int64", RANKS[p], "C", True, True) for p in nest.paths if p in RANKS}
    found = infer(nest, arrays, {p: "int" for p in nest.paths if p in SIZES}, {})
    assert not hasattr(found, "reason"), found
    return found


def groups(kinds, facts=FACTS):
    return trails(kinds.nest, facts, runs(kinds))


@pytest.mark.parametrize(("source", "expected"), FOUND.values(), ids=FOUND)
def test_how_far_behind(source, expected):
    kinds = typed(source)
    found = groups(kinds)
    assert [[(trail.behind, trail.ahead) for trail in group] for group in found] == expected
    check(trailing(kinds, found, BLOCK).nest)


@pytest.mark.parametrize("source", OTHERS.values(), ids=OTHERS)
def test_other_loops(source):
    assert runs(typed(source)) == ()


@pytest.mark.parametrize("source", WRONG.values(), ids=WRONG)
def test_loops_that_do_not_trail(source):
    kinds = typed(source)
    assert runs(kinds)
    assert groups(kinds) == ()


@pytest.mark.parametrize("name", "ijt")
def test_what_the_last_iteration_leaves_is_seen(name):
    assert runs(typed(steps(MEAN, BACK), (name,))) == ()


def test_arrays_that_overlap():
    kinds = typed(steps(MEAN, BACK))
    assert groups(kinds)
    assert groups(kinds, replace(FACTS, tangled=frozenset((Overlap("A", "B"),)))) == ()


@pytest.mark.parametrize("shuffle", [None, random.Random(4)], ids=["backwards", "anyhow"])
@pytest.mark.parametrize("source", [steps(MEAN, AGAIN), steps(EY, EX, HZ)], ids=["two", "three"])
def test_blocks_are_independent(source, shuffle):
    kinds = typed(source)
    made = trailing(kinds, groups(kinds), BLOCK).nest
    analysis = analyse(made, FACTS)
    sizes = {"n": 29, "m": 5, "q": 2}
    known = {f"{a}.shape[{k}]": 40 for a, rank in RANKS.items() for k in range(rank)}
    assert len(analysis.inside(sizes | known)) == len(analysis.in_bounds)
    found = schedule(made, analysis, analysis.held(sizes | known))
    blocks, between = found.body[0].body
    assert blocks.parallel
    assert not blocks.body[0].parallel
    assert between.parallel
    machine = Machine(dict(sizes), {}, shuffle, budget=1_000_000)
    machine.plan(found.body)
    assert machine.cells == ran(kinds.nest, **sizes)


def ran(nest, **sizes):
    machine = Machine(sizes, {}, budget=1_000_000)
    machine.run(nest.loop)
    return machine.cells


@pytest.mark.parametrize("size", [0, 1, 2, BLOCK, BLOCK + 1, BLOCK + 2, 3 * BLOCK - 1])
@pytest.mark.parametrize(("source", "expected"), FOUND.values(), ids=FOUND)
def test_blocks_leave_what_the_nest_leaves(source, expected, size):
    kinds = typed(source)
    found = groups(kinds)
    assert len(found) == len(expected)
    sizes = {"n": size, "m": 4, "q": 2}
    assert ran(trailing(kinds, found, BLOCK).nest, **sizes) == ran(kinds.nest, **sizes)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_loops_leave_the_same(data):
    def draw(*choices):
        return data.draw(sampled_from(choices))

    def element(far=("", "", " - 1", " + 1", " + 2", " - 2")):
        array = draw("A", "B", "C")
        row, column = draw("i", "i", "i", "i", "i", "2", "j", "t"), draw("j", "j", "j", "i")
        return f"{array}[{row}{draw(*far)}, {column}{draw('', '', ' - 1', ' + 1')}]"

    def loop():
        target = element(("", "", "", " + 1", " - 1"))
        low, high = draw("0", "1", "2", "3"), draw("n", "n - 1", "n - 2", "n + 1")
        lines = [f"{target} = {element()} + {element()}"]
        if draw(True, False, False):
            lines.insert(0, f"{element(('', ''))} = {element()}")
        return rows("\n".join(lines), low, high)

    source = steps(*(loop() for _ in range(draw(2, 2, 3, 4))))
    kinds = typed(source)
    found = groups(kinds)
    if not found:
        return
    sizes = {"n": draw(0, 1, 7, BLOCK, BLOCK + 1, 2 * BLOCK + 3, 27), "m": 4, "q": 2}
    made = trailing(kinds, found, BLOCK)
    assert ran(made.nest, **sizes) == ran(kinds.nest, **sizes), source
    analysis = analyse(made.nest, FACTS)
    known = {f"{a}.shape[{k}]": 40 for a, rank in RANKS.items() for k in range(rank)}
    machine = Machine(dict(sizes), {}, random.Random(1), budget=1_000_000)
    machine.plan(schedule(made.nest, analysis, analysis.held(sizes | known)).body)
    assert machine.cells == ran(kinds.nest, **sizes), source
