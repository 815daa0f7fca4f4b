"""Copies of a loop that go through the same, a block of iterations at a time."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.ir import Lanes
from autopar.nest.text.lift import lift_text
from autopar.sched.blocks import blocked, copies
from autopar.sched.distribute import schedule

RANKS = {"A": 2, "B": 2, "x": 1, "y": 1, "z": 1}
FACTS = Facts(frozenset("nm"), tuple(sorted(RANKS.items())))
SIZES = {"n": 5, "m": 6}
SHAPES = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}
TWO = """\
for i in range(n):
    for j in range(m):
        x[i] = x[i] + A[i, j] * z[j]
        y[j] = y[j] + A[i, j] * z[i]
"""


def planned(source):
    nest = lift_text(source)
    nest = replace(nest, live_out=())
    analysis = analyse(nest, FACTS)
    return nest, schedule(nest, analysis, analysis.held(SIZES | SHAPES))


def test_rows_that_two_copies_read():
    _, plan = planned(TWO)
    found = copies(plan)
    assert (found.first, found.last, found.again) == (0, 2, {"A"})
    assert str(blocked(plan, found, 4)).splitlines() == [
        "for <block of i 1> in range(0, n, 4):",
        "    parallel for i in range(<block of i 1>, min(<block of i 1> + 4, n)):",
        "        for j in range(m):",
        "            x[i] = x[i] + A[i, j] * z[j]",
        "    for i in range(<block of i 1>, min(<block of i 1> + 4, n)):"
        "  # in each part of the loop in it",
        "        parallel for j in range(m):",
        "            y[j] = y[j] + A[i, j] * z[i]",
    ]


@pytest.mark.parametrize(
    "source",
    [
        TWO.replace("A[i, j] * z[i]", "B[i, j] * z[i]"),  # nothing in common
        TWO.replace("A[i, j]", "A[j, 0]"),  # the same for all rows
        TWO.replace("A[i, j]", "z[i]"),
        TWO.replace("y[j] = y[j]", "B[i, j] = B[i, j]"),  # one loop
        TWO.replace("in range(n)", "in range(n, 0, -1)"),
        TWO.replace("in range(n)", "in range(0, n, 2)"),
        "for i in range(n):\n    for j in range(m):\n        x[i] = x[i] + A[i, j]\n"
        "for i in range(n):\n    for j in range(m):\n        y[j] = y[j] + A[i, j]\n",
    ],
)
def test_nothing_to_go_in_blocks(source):
    if source.count("for i") > 1:
        source = "for t in range(1):\n    " + source.replace("\n", "\n    ").rstrip(" ")
    assert copies(planned(source)[1]) is None


def test_rows_that_go_side_by_side_stay_together():
    _, plan = planned(TWO)
    first, second = plan.body
    strip = replace(first, loop=replace(first.loop, lanes=Lanes(strip=512)))
    assert copies(replace(plan, body=(strip, second))) is None
    rows = replace(first, loop=replace(first.loop, lanes=Lanes(copies=4)))
    assert copies(replace(plan, body=(rows, second))) is not None


SOURCES = [
    TWO,
    TWO.replace("in range(n)", "in range(1, n)"),
    TWO.replace("x[i] = x[i]", "x[i] = x[i] * 3").replace("* z[i]", "* x[i]"),
    TWO.replace("        y[j] = y[j] +", "        B[i, j] = y[j] * 2\n        y[j] = y[j] +"),
    TWO.replace("x[i] = x[i]", "x[i + 1] = x[i]"),
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("rows", [1, 2, 3, 8])
def test_nothing_changes(source, rows):
    nest, plan = planned(source)
    found = copies(plan)
    if found is None:
        assert source == SOURCES[2] or source == SOURCES[-1]
        return
    made = blocked(plan, found, rows)
    for n in range(7):
        for seed in range(3):
            results = []
            for act in (lambda m: m.run(nest.loop), lambda m: m.plan(made.body)):
                cells = {a: (9,) * rank for a, rank in RANKS.items()}
                machine = Machine(SIZES | {"n": n}, cells, random.Random(seed))
                act(machine)
                results.append(machine.cells)
            assert results[0] == results[1]
