"""Nests of parallel loops as one range: which loops, in which order, and what stays apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.sched.distribute import schedule
from autopar.sched.flat import by_memory, flattened
from autopar.sched.plan import Loop, launched, walk, whole

RANKS = {"A": 2, "B": 2, "C": 2, "x": 1, "T": 3}
SIZES = {"n": 5, "m": 6, "k": 7}
FACTS = Facts(frozenset(SIZES), tuple(sorted(RANKS.items())))
SHAPES = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}


def planned(source):
    nest = replace(lift_text(source), live_out=())
    analysis = analyse(nest, FACTS)
    return flattened(schedule(nest, analysis, analysis.held(SIZES | SHAPES)))


def nested(body, *headers):
    lines = ["    " * k + f"for {header}:" for k, header in enumerate(headers)]
    return "\n".join([*lines, *("    " * len(headers) + line for line in body.split("\n")), ""])


ROW, COLUMN, DEEP = "i in range(n)", "j in range(m)", "p in range(k)"


@pytest.mark.parametrize(
    ("source", "flat"),
    [
        (nested("A[i, j] = B[j, i]", ROW, COLUMN), 1),
        (nested("T[i, j, p] = A[i, j]", ROW, COLUMN, DEEP), 2),
        (nested("A[i, j] = B[j, i]", "i in range(n - 1, -1, -2)", "j in range(1, m, 3)"), 1),
        (nested("x[i] = x[i] * 2", ROW), 0),
        (nested("A[i, j] = B[j, i]", ROW, "j in range(i)"), 1),  # a triangle
        (nested("A[i, j] = B[j, i]", ROW, "j in range(i, i + 3)"), 0),  # a band
        (nested("A[i, j] = B[j, i]", ROW, "j in range(0, m, k)"), 0),  # of either sign
        (nested("T[i, j, p] = A[i, j]", ROW, COLUMN, "p in range(j)"), 2),
        (nested("T[i, j, p] = A[i, j]", ROW, COLUMN, "p in range(2 * j)"), 1),
        (
            nested(
                "s = 0.0\nfor p in range(k):\n    s += B[i, p] * C[p, j]\nA[i, j] = s", ROW, COLUMN
            ),
            1,
        ),
        (nested("x[i] = x[i] + 1\nfor j in range(m):\n    A[i, j] = x[i]", ROW), 0),
    ],
)
def test_which_loops_are_one_range(source, flat):
    plan = planned(source)
    assert max(loop.flat for loop in launched(plan.body)) == flat
    assert ("# one range with" in str(plan)) == (flat > 0)


def test_only_what_goes_to_work_items():
    two = f"for {ROW}:\n    for {COLUMN}:\n        A[i, j] = B[i + 1, j]\n"
    two += two.replace("A[i, j] = B", "B[i, j] = A").rstrip("\n")
    plan = planned(nested(two, "t in range(n)"))
    outer, *inner = [node for node in walk(plan.body) if isinstance(node, Loop)]
    assert (outer.parallel, outer.flat) == (False, 0)
    assert [loop.flat for loop in inner] == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("body", "layout", "last"),
    [
        ("A[i, j] = B[i, j]", "C", "j"),
        ("A[i, j] = B[i, j]", "F", "i"),
        ("A[j, i] = B[j, i]", "C", "i"),
        ("A[i, j] = B[j, i]", "C", "j"),  # what is stored counts for more
        ("A[i, j] = B[i, j]", "A", "j"),  # nobody knows: as the user has it
        ("A[i, 2 * j] = B[j, i]", "C", "i"),
        ("A[i, i + j] = x[j]", "C", "j"),
    ],
)
def test_neighbours_in_memory_are_neighbours_in_time(body, layout, last):
    (loop,) = planned(nested(body, ROW, COLUMN)).body
    outer = whole(loop)
    found = by_memory((outer, outer.body[0]), dict.fromkeys(RANKS, layout))
    assert found[-1].var == last
    assert {one.var for one in found} == {"i", "j"}
