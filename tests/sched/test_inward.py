"""Loops in order that move into the parallel loops in them, and those that must stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.sched.distribute import schedule

RANKS = {"a": 2, "b": 2, "c": 2}
SIZES = {"n": 7, "m": 6, "p": 5}
FACTS = Facts(frozenset(SIZES), tuple(sorted(RANKS.items())))
SHAPES = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}


def plan(source, live_out="", facts=FACTS):
    nest = replace(lift_text(source), live_out=tuple(live_out))
    analysis = analyse(nest, facts)
    return str(schedule(nest, analysis, analysis.held(SIZES | SHAPES)))


ROWS, COLUMNS, BELOW = "i in range(n)", "j in range(m)", "k in range(i)"


def nested(first, second, third, *body):
    lines = [f"for {first}:", f"    for {second}:", f"        for {third}:"]
    return "\n".join([*lines, *(f"            {line}" for line in body), ""])


def test_below_the_diagonal():
    source = nested(ROWS, COLUMNS, BELOW, "c[k, j] += b[i, j] * a[i, k]")
    assert plan(source).splitlines()[:3] == [
        "parallel for k in range(n):",
        "    parallel for j in range(m):",
        "        for i in range(k + 1, n):",
    ]


def test_all_of_a_rectangle():
    source = nested(
        "i in range(n)", "k in range(p)", "j in range(m)", "c[k, j] += b[i, j] * a[i, k]"
    )
    assert plan(source).splitlines()[:3] == [
        "parallel for k in range(p):",
        "    parallel for j in range(m):",
        "        for i in range(n):",
    ]


@pytest.mark.parametrize(
    ("source", "live_out"),
    [
        # Each iteration has cells of its own.
        (nested("i in range(1, n)", COLUMNS, "k in range(p)", "c[i, j] = c[i - 1, j] + 1"), ""),
        # What one iteration adds to another cell is read by a later one.
        (nested(ROWS, "j in range(m - 1)", "k in range(i)", "c[k, j] += c[k, j + 1]"), ""),
        (nested(ROWS, COLUMNS, BELOW, "c[k, j] += c[k + 1, j] * b[i, j]"), ""),
        # Somebody sees which iteration was the last.
        (nested(ROWS, COLUMNS, BELOW, "c[k, j] += b[i, j]"), "i"),
        (nested(ROWS, COLUMNS, BELOW, "c[k, j] += b[i, j]"), "k"),
        # Scalars, branches, and ranges of another form.
        (nested(ROWS, COLUMNS, BELOW, "t = b[i, j]", "c[k, j] += t"), ""),
        (nested(ROWS, COLUMNS, BELOW, "if b[i, j] > 0: c[k, j] += 1.0"), ""),
        (nested(ROWS, COLUMNS, "k in range(i + 1)", "c[k, j] += b[i, j]"), ""),
        (nested("i in range(2, n)", COLUMNS, BELOW, "c[k, j] += b[i, j]"), ""),
        (nested(ROWS, COLUMNS, "k in range(0, i, 2)", "c[k, j] += b[i, j]"), ""),
        (nested(ROWS, "j in range(i)", "k in range(i)", "c[k, j] += b[i, j]"), ""),
        (nested(ROWS, COLUMNS, "k in range(j)", "c[k, j] += b[i, j]"), ""),
    ],
)  # fmt: skip
def test_what_stays(source, live_out):
    assert "for i in" in plan(source, live_out).splitlines()[0]


def test_a_loop_that_counts_down_stays():
    source = nested("i in range(n, 0, -1)", "j in range(m)", "k in range(p)", "c[k, j] += b[i, j]")
    assert "for i in" in plan(source).splitlines()[0]
