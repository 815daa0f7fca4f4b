"""Nests of parallel loops as one range: which loops, in which order, and what stays apart."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.runtime.choice.items import forms_of
from autopar.sched.distribute import schedule
from autopar.sched.flat import ALONE, Forms, Tile, by_memory, flattened
from autopar.sched.plan import Loop, launched, walk, whole

RANKS = {"A": 2, "B": 2, "C": 2, "x": 1, "T": 3}
SIZES = {"n": 5, "m": 6, "k": 7}
FACTS = Facts(frozenset(SIZES), tuple(sorted(RANKS.items())))
SHAPES = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}


def scheduled(source):
    nest = replace(lift_text(source), live_out=())
    analysis = analyse(nest, FACTS)
    return schedule(nest, analysis, analysis.held(SIZES | SHAPES))


def planned(source):
    return flattened(scheduled(source))


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


SUM = "s = 0.0\nfor q in range(k):\n    s += {}\n{} = s"
TILES = {
    "a product": (
        nested(SUM.format("B[i, q] * C[q, j]", "A[i, j]"), ROW, COLUMN),
        {"i": 2, "j": 3},
    ),
    "a triangle": (
        nested(SUM.format("B[i, q] * C[j, q]", "A[i, j]"), ROW, "j in range(i + 1)"),
        {"i": 2, "j": 3},
    ),
    "two that share more than those beside one another": (
        nested(SUM.format("B[p, q] * C[q, j]", "T[i, p, j]"), ROW, "p in range(k)", COLUMN),
        {"p": 2, "j": 3},
    ),
    "one of them reads nothing again": (
        nested(SUM.format("T[i, j, q]", "A[i, j]"), ROW, COLUMN), {},
    ),
    "a test of the user's that may fail": (
        nested(
            "if B[i, j] > 0.0:\n    s = 0.0\n    for q in range(k):\n"
            "        s += C[i, q] * C[q, j]\n    A[i, j] = s",
            ROW, COLUMN,
        ),
        {},
    ),
    "a sum whose length differs": (
        nested("s = 0.0\nfor q in range(i):\n    s += B[i, q] * C[q, j]\nA[i, j] = s", ROW, COLUMN),
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TILES)
def test_which_loops_have_tiles(name):
    source, expected = TILES[name]
    plan = flattened(scheduled(source), Forms(Tile(2, 2, 2, 3)))
    lanes = {n.loop.var: n.loop.lanes for n in walk(plan.body) if isinstance(n, Loop)}
    assert {var: one.apart for var, one in lanes.items() if one is not None} == expected


@pytest.mark.parametrize(
    ("n", "m", "tile"),
    [
        (2000, 2000, Tile(4, 4, 8, 16)),
        (8, 80_000, Tile(4, 4, 2, 64)),
        (500, 500, Tile(2, 2, 8, 16)),
        (80_000, 8, ALONE),
        (100, 100, ALONE),
    ],
)
def test_tiles_leave_enough_work_items(n, m, tile):
    plan = scheduled(TILES["a product"][0])
    call = SimpleNamespace(middle={"n": n, "m": m, "k": 10}, eager=False)
    assert replace(forms_of(plan, call, ("cuda", 0)).tile, steps=0, rims=False) == tile


def test_the_rows_of_a_tile_are_no_longer_than_what_may_be_chosen():
    plan = scheduled(TILES["two that share more than those beside one another"][0])
    call = SimpleNamespace(middle={"n": 2000, "m": 2000, "k": 8}, eager=False)
    assert replace(forms_of(plan, call, ("cuda", 0)).tile, steps=0, rims=False) == Tile(4, 4, 2, 64)


FEW = Forms(swath=Tile(4, 1, 1, 8), line=Tile(1, 4, 1, 8))
SWATHS = {
    "a line": (nested("x[i] = x[i] * 2", ROW), {"i": (4, 8)}),
    "a line in steps": (nested("x[i] = x[i] * 2", "i in range(0, n, 2)"), {}),
    "rows": (nested("A[i, j] = B[i, j]", ROW, COLUMN), {"i": (4, 1), "j": (1, 8)}),
    "columns": (nested("A[j, i] = B[j, i]", ROW, COLUMN), {"i": (1, 8), "j": (4, 1)}),
    "three loops": (
        nested("T[p, i, j] = A[i, j]", DEEP, ROW, COLUMN), {"i": (4, 1), "j": (1, 8)},
    ),
    "a triangle": (
        nested("A[i, j] = B[j, i]", ROW, "j in range(i)"), {"i": (4, 1), "j": (1, 8)},
    ),
    "a test": (
        nested("if B[i, j] > 0.0:\n    A[i, j] = 1.0", ROW, COLUMN), {"i": (4, 1), "j": (1, 8)},
    ),
    "a loop in order inside": (
        nested("s = 0.0\nfor q in range(k):\n    s += T[i, j, q]\nA[i, j] = s", ROW, COLUMN), {},
    ),
    "a loop in order inside one": (
        nested("s = 0.0\nfor q in range(k):\n    s += A[i, q]\nx[i] = s", ROW), {},
    ),
    "a function": (nested("x[i] = math.exp(x[i])", ROW), {}),
    "many statements": (nested("\n".join(["x[i] = x[i] * 2"] * 9), ROW), {}),
    "steps of another loop": (nested("A[i, j] = B[i, j]", "i in range(0, n, 2)", COLUMN), {}),
    "in order": (nested("x[i] = x[i - 1]", "i in range(1, n)"), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", SWATHS)
def test_which_loops_of_few_statements_have_several_iterations_each(name):
    source, expected = SWATHS[name]
    plan = flattened(scheduled(source), FEW, dict.fromkeys(RANKS, "C"))
    lanes = {n.loop.var: n.loop.lanes for n in walk(plan.body) if isinstance(n, Loop)}
    found = {var: (one.copies, one.apart) for var, one in lanes.items() if one is not None}
    assert found == expected


WINDOW = "s = 0.0\nfor q in range(k):\n    s += {}\nA[i, j] = s"
WINDOWS = {
    "rows": (nested(WINDOW.format("B[i + q, j] * x[q]"), ROW, COLUMN), {"i": (4, 1), "j": (1, 8)}),
    "columns": (
        nested(WINDOW.format("B[j, i + q]").replace("A[i, j]", "A[j, i]"), ROW, COLUMN), {},
    ),
    "a window along one row": (nested(WINDOW.format("B[i, j + q] * x[q]"), ROW, COLUMN), {}),
    "rows of another matrix as well": (
        nested(WINDOW.format("B[i + q, j] * C[i, q]"), ROW, COLUMN), {},
    ),
    "in steps": (
        nested(WINDOW.format("B[i + q, j] * x[q]"), "i in range(0, n, 2)", COLUMN), {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WINDOWS)
def test_rows_that_read_windows_in_common_go_together(name):
    source, expected = WINDOWS[name]
    forms = Forms(window=Tile(4, 1, 1, 8, rims=True))
    plan = flattened(scheduled(source), forms, dict.fromkeys(RANKS, "C"))
    lanes = {n.loop.var: n.loop.lanes for n in walk(plan.body) if isinstance(n, Loop)}
    found = {var: (one.copies, one.apart) for var, one in lanes.items() if one is not None}
    assert found == expected


@pytest.mark.parametrize(("k", "several"), [(3, True), (8, True), (9, False)])
def test_windows_are_for_short_loops(k, several):
    plan = scheduled(WINDOWS["rows"][0])
    call = SimpleNamespace(middle={"n": 2000, "m": 2000, "k": k}, eager=False)
    assert forms_of(plan, call, ("cuda", 0)).window.several == several
    assert not forms_of(plan, replace_middle(call, n=100, m=100), ("cuda", 0)).window.several


def replace_middle(call, **sizes):
    return SimpleNamespace(middle={**call.middle, **sizes}, eager=call.eager)


@pytest.mark.parametrize(
    ("n", "m", "several"),
    [(2000, 2000, True), (2000, 100, False), (3, 1 << 20, False), (300, 300, False)],
)
def test_several_iterations_leave_enough_work_items(n, m, several):
    pair = scheduled(SWATHS["rows"][0])
    found = forms_of(pair, SimpleNamespace(middle={"n": n, "m": m}, eager=False), ("cuda", 0))
    assert found.swath.several == several
    line = scheduled(SWATHS["a line"][0])
    call = SimpleNamespace(middle={"n": n * m}, eager=False)
    assert forms_of(line, call, ("cuda", 0)).line.several == (n * m >= 1 << 17)


def test_a_processor_has_no_chip_of_its_own():
    pytest.importorskip("pyopencl")
    plan = scheduled(TILES["a product"][0])
    call = SimpleNamespace(middle={"n": 2000, "m": 2000, "k": 8}, eager=False)
    assert forms_of(plan, call, ("opencl", 0)) == Forms(Tile(4, 4, 8, 16))


@pytest.mark.parametrize(("k", "tile", "row"), [(10, 0, 0), (40, 16, 0), (100, 16, 32)])
def test_stages_are_for_loops_with_some_of_them(k, tile, row):
    call = SimpleNamespace(middle={"n": 2000, "m": 2000, "k": k}, eager=False)
    pair = forms_of(scheduled(TILES["a product"][0]), call, ("cuda", 0))
    assert pair.tile.steps == tile
    alone = scheduled(SWATHS["a loop in order inside one"][0])
    assert forms_of(alone, call, ("cuda", 0)).row.steps == row
