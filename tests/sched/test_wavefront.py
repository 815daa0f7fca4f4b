"""Tiles along diagonals: which loops are taken, with which skew, and that nothing changes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import event as note
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.functions import known
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.nest.walking import statements
from autopar.sched.distribute import schedule
from autopar.sched.interchange import interchanged
from autopar.sched.plan import Loop, walk
from autopar.sched.wavefront import Tiling, bands, contains, wavefronts
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "x": 1, "y": 1}
SIZES = {"n": 5, "m": 7, "T": 3}
FACTS = Facts(frozenset(SIZES), tuple(sorted(RANKS.items())), builtins=frozenset(("min", "max")))
SHAPES = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}


def found(source, live_out="", finest=False, **sizes):
    """The nest with its types, its plan, and the bands in it."""
    nest = replace(lift_text(source), live_out=tuple(live_out))
    arrays = {a: ArrayType("int64", rank, "C", True, True) for a, rank in RANKS.items()}
    used = {a: kind for a, kind in arrays.items() if a in nest.paths}
    functions = {f.__name__: known(f) for f in (min, max, range) if f.__name__ in nest.paths}
    numbers = dict.fromkeys((n for n in SIZES if n in nest.paths), "int")
    numbers |= dict.fromkeys((s for s in "st" if s in nest.scalars), "int")
    typed = infer(nest, used, numbers, functions)
    analysis = analyse(typed.nest, FACTS)
    # Dependences that do not exist forbid nothing that must be allowed: more is as good a test.
    held = analysis.held(SIZES | SHAPES | sizes) | analysis.held(SIZES | SHAPES)
    plan = schedule(typed.nest, analysis, held, finest=finest)
    return typed, plan, bands(typed, plan, analysis, held)


def skews(source, live_out=""):
    """Variables and skew of each pair that may run in tiles."""
    _, _, pairs = found(source, live_out)
    return [(b.outer.loop.var + b.inner.loop.var, b.skew) for b in pairs]


def nested(body, *headers):
    headers = headers or ("i in range(1, n)", "j in range(1, m)")
    lines = ["    " * k + f"for {header}:" for k, header in enumerate(headers)]
    return "\n".join([*lines, *("    " * len(headers) + line for line in body.split("\n")), ""])


SWEEP = "A[i, j] = A[i - 1, j] + A[i, j - 1] + A[i + 1, j] + A[i, j + 1]"
NINE = SWEEP + " + A[i - 1, j - 1] + A[i - 1, j + 1] + A[i + 1, j - 1] + A[i + 1, j + 1]"
TIMES = ("t in range(T)", "i in range(1, n)", "j in range(1, m)")


def test_sweeps():
    assert skews(nested(SWEEP)) == [("ij", 0)]
    assert skews(nested(NINE)) == [("ij", 1)]
    assert skews(nested(SWEEP, *TIMES)) == [("ti", 1), ("ij", 0)]
    assert skews(nested(NINE, *TIMES)) == [("ti", 1), ("ij", 1)]
    assert skews(nested("A[i, j] = A[i - 2, j + 3] + A[i, j - 1] + A[i - 1, j]")) == [("ij", 2)]


@pytest.mark.parametrize("one", ["1, n", "n, 0, -1"])
@pytest.mark.parametrize("two", ["1, m", "m, 0, -1"])
def test_both_directions(one, two):
    source = nested(SWEEP, f"i in range({one})", f"j in range({two})")
    assert skews(source) == [("ij", 0)]
    source = nested(NINE, f"i in range({one})", f"j in range({two})")
    assert skews(source) == [("ij", 1)]


def test_intervals():
    """Distances that are not one number, of which the sign is known."""
    body = "for k in range(i, j):\n    A[i, j] = min(A[i, j], A[i, k] + A[k + 1, j])"
    found = skews(nested(body, "i in range(n - 1, -1, -1)", "j in range(i + 1, n)"))
    assert found == [("ij", 0), ("jk", 0)]


def test_a_least_distance_is_enough():
    body = "for k in range(3):\n    A[i, j] = A[i, j] + A[i - 1, j + k - 2] + A[i, j - 1]"
    assert skews(nested(body))[0] == ("ij", 0)
    assert skews(nested(body.replace("k - 2", "k - 1")))[0] == ("ij", 1)
    assert skews(nested(body.replace("k - 2", "k")))[0] == ("ij", 2)


def test_scalars_of_an_iteration():
    body = "t = A[i - 1, j] + 1\nif t > 3:\n    t = 2\nA[i, j] = A[i, j - 1] + t"
    assert skews(nested(body)) == [("ij", 0)]
    assert skews(nested(body), "t") == [("ij", 0)]
    assert skews(nested(body), "ij") == [("ij", 0)]
    inner = "\n        ".join(["for j in range(1, m):", *f"{body} + s".split("\n")])
    rows = f"for i in range(1, n):\n    s = x[i]\n    {inner}\n"
    assert skews(rows) == [("ij", 0)]
    assert skews(rows, "s") == [("ij", 0)]


STEP = "A[i, j] = A[i - 1, j] + A[i, j - 1]"


@pytest.mark.parametrize(
    ("source", "live_out"),
    [
        (nested("A[i, j] = A[i - 1, x[j]] + A[i, j - 1]"), ""),  # anywhere in the row above
        (nested("A[i, j] = A[i - 1, 2 * j] + A[i, j - 1]"), ""),  # farther and farther
        (nested("A[i, j] = A[i - 1, m - j] + A[i, j - 1]"), ""),
        (nested("x[i + j] = x[i + j - 1] + y[j]"), ""),  # (1, -1), and everything in between
        (nested("x[0] = x[0] + A[i, j]"), ""),
        (nested("s = s + A[i, j]"), "s"),  # a sum through a scalar
        (nested(STEP + "\ns = s + A[i, j]"), ""),
        # Which one is the last?
        (nested("if B[i, j] > 3:\n    s = A[i - 1, j]\n    A[i, j] = A[i, j - 1] + s"), "s"),
        (nested("if B[i, j] > 3:\n    continue\ns = A[i - 1, j]\nA[i, j] = A[i, j - 1] + s"), "s"),
        (nested(STEP, "i in range(n)", "j in range(i, m)"), "j"),
        (nested(STEP + "\nif A[i, j] > 3:\n    break"), ""),
        (nested(STEP + "\nwhile A[i, j] > 3:\n    A[i, j] = A[i, j] - 1"), ""),
        (nested(STEP, "i in range(1, n, 2)", "j in range(1, m)"), ""),
        (nested(STEP, "i in range(1, n)", "j in range(x[i], m)"), ""),
        (nested(STEP, "i in range(1, n)", "j in range(i * i, m)"), ""),
        (nested(STEP, "i in range(1, n)", "j in range(i // 2, m)"), ""),
        (nested("A[i, j] = A[i - 1, j + 9] + A[i, j - 1]"), ""),  # too steep
        ("for i in range(1, n):\n    x[i] = A[i - 1, 1]\n    for j in range(1, m):\n"
         f"        {STEP} + x[i]\n", ""),  # another statement before
        ("for i in range(1, n):\n    s = A[i - 1, 3]\n    for j in range(1, m):\n"
         f"        {STEP} + s\n", ""),  # of what the tiles write
        (f"for i in range(1, n):\n    for j in range(1, m):\n        {STEP}\n"
         "    A[i, 2] = A[i, 2] + A[i, 1]\n", ""),  # something after
    ],
)  # fmt: skip
def test_what_must_stay_in_order(source, live_out):
    assert skews(source, live_out) == []


def test_triangles_are_bounded():
    source = nested(NINE, "i in range(1, n)", "j in range(max(1, i - 2), min(m, i + 3))")
    assert skews(source) == [("ij", 1)]


BEST = STEP + "\nif A[i, j] > s:\n    s = A[i, j]\n    t = j"


def test_the_best_so_far_is_searched_apart():
    assert skews(nested(BEST), "st") == []
    _, plan, pairs = found(nested(BEST), "st", finest=True)
    assert [b.skew for b in pairs] == [0]
    assert len(plan.body) == 2
    assert same(nested(BEST), "ijst", {}, 1, finest=True)


def test_what_is_not_finished_is_not_searched():
    """The best so far decides what comes next: no distribution, no tiles."""
    source = nested(BEST.replace("A[i, j - 1]", "A[i, j - 1] + s"))
    assert found(source, "st", finest=True)[2] == ()


def test_what_the_report_says():
    _, plan, pairs = found(nested(NINE, *TIMES))
    tiles = wavefronts(plan, pairs, (Tiling(1, 2, 3),))
    assert (tiles.parallel_loops, tiles.sequential_loops) == (("i", "j"), ("t",))
    assert tiles.parts[-1] == (
        "tiles of loops `i` and `j` run in parallel along diagonals, `j` skewed by 1 times `i`"
    )
    wide = "max(1, (m + (n - 1)) // 3)"
    left = "2 + (<i j diagonal> - <i j tile>) * 3 - i"
    assert str(tiles).splitlines()[:5] == [
        "for t in range(T):",
        f"    for <i j diagonal> in range(n // 2 + {wide} - 1):",
        f"        parallel for <i j tile> in range(max(0, <i j diagonal> + 1 - {wide}), "
        "min(n // 2, <i j diagonal> + 1)):",
        "            for i in range(1 + <i j tile> * 2, min(n, 1 + <i j tile> * 2 + 2)):",
        f"                for j in range(max(1, {left}), min(m, {left} + 3)):",
    ]


# ---------------------------------------------------------------------------- nothing changes


def same(source, live_out, sizes, seed, finest=False):
    """Run all tilings of `source` shuffled and compare with the loops as they are."""
    typed, plan, pairs = found(source, live_out, finest, **sizes)
    values = SIZES | sizes | dict.fromkeys("st", 3)

    def outcome(act, shuffle=None):
        machine = Machine(dict(values), {a: (9,) * r for a, r in RANKS.items()}, shuffle)
        act(machine)
        return machine.cells, {name: machine.scalars.get(name) for name in live_out}, machine

    *wanted, truth = outcome(lambda machine: machine.run(typed.nest.loop))
    for number, pair in enumerate(pairs):
        for rows, columns in ((1, 1), (2, 3), (3, 2), (9, 9)):
            tiles = wavefronts(plan, pairs, (Tiling(number, rows, columns),))
            for shuffle in (None, random.Random(seed)):
                *got, machine = outcome(lambda m, p=tiles: m.plan(p.body), shuffle)
                assert got == wanted, f"{source}\n{tiles}"
            goes_forward(typed, tiles, pair, truth, machine)
            swapped = interchanged(tiles, {})
            *got, _ = outcome(lambda m, p=swapped: m.plan(p.body), random.Random(seed))
            assert got == wanted, f"{source}\n{swapped}"
    return pairs


def goes_forward(typed, tiles, pair, truth, machine):
    """Whatever meets in a cell meets in one tile, or in tiles of later diagonals."""
    users = {s.id for s in statements(typed.nest.loop)}
    heads = {node.stmt.id for node in pair.outer.body[:-1]}

    def when(event):
        return event.access, tuple((i, v) for i, _, v in event.at if i in users)

    tile = {}
    for event in machine.events:
        own = [(loop, value) for loop, _, value in event.at if loop not in users]
        if event.stmt not in heads and own:
            where = tuple(value for _, value in own)
            assert tile.setdefault(when(event), where) == where, "computed twice"
    around = {loop.id for loop in pair.around}
    cells = {}
    for event in truth.events:
        if when(event) in tile:
            run = tuple((i, v) for i, _, v in event.at if i in around)
            cells.setdefault((run, event.array, event.index), []).append(event)
    for meeting in cells.values():
        for k, one in enumerate(meeting):
            for two in meeting[k + 1 :]:
                if one.writes or two.writes:
                    (d, b), (later, other) = tile[when(one)], tile[when(two)]
                    assert (d, b) == (later, other) or d < later, f"{one}\n{two}\n{tiles}"


@st.composite
def programs(draw):
    """Two loops in each direction, over everything that may or may not run in tiles; live-outs."""
    far = st.integers(-2, 2)

    def index(rank):
        names = draw(sampled_from(["ij"] * 6 + ["ji", "ii", "jj"]))[2 - rank :]
        if rank == 1:
            names = draw(sampled_from("iijj"))
        return ", ".join(f"{name} + {draw(far)}" for name in names)

    def element(arrays):
        array = draw(sampled_from(arrays))
        return f"{array}[{index(RANKS[array])}]"

    def backwards(array):
        """An element that an earlier iteration is likely to have written."""
        i, j = draw(sampled_from([(-1, 0), (0, -1), (-1, -1), (-1, 1), (-2, 1), (1, 0)]))
        return f"{array}[i + {i}, j + {j}]"

    terms = ["A[i - 1, j]", "A[i, j - 1]", backwards("A"), element("AB")]
    body = [f"A[i, j] = {' + '.join(draw(st.permutations(terms)))}"]
    kind = draw(st.integers(0, 9))
    if kind == 0:
        body = [f"t = {element('Axy')} + 1", *body, f"{element('Bxy')} = t + {element('AB')}"]
    if kind == 1:
        body = [f"if {element('A')} > 5:", *("    " + line for line in body), "t = A[i, j]"]
    if kind == 2:
        body = [*body, f"if {element('A')} > 5:", "    t = 4"]
    if kind == 3:
        body = ["for k in range(2):", *("    " + x.replace("1, j]", "1, j + k]") for x in body)]
    if kind == 4:
        body = [*body, f"B[i, j] = {backwards('B')} + A[i, j]"]
    if kind == 5:
        body = [f"if {element('AB')} > 6:", "    continue", *body]
    if kind == 8:
        body = [*body, "if A[i, j] > s:", "    s = A[i, j]", "    t = i + j"]
    one = draw(sampled_from(["n", "1, n", "n, 0, -1", "n - 1, -1, -1"]))
    two = draw(sampled_from([
        "m", "1, m", "m, 0, -1", "i", "i, m", "m, i, -1", "i, 0, -1", "m - i",
        "max(1, i - 2), min(m, i + 3)", "2 * i - 3, m - i", "min(m, 2 * i), max(0, i - 2), -1",
    ]))  # fmt: skip
    headers = [f"i in range({one})", f"j in range({two})"]
    if draw(st.integers(0, 3)) == 0:
        headers = ["t in range(T)", *headers] if "t =" not in str(body) else headers
    lines = nested("\n".join(body), *headers).splitlines()
    if kind in (6, 7):
        at = len(headers) - 1
        lines.insert(at, "    " * at + f"s = {element('xyB').replace('j', 'i')}")
        lines[-1] += " + s"
    source = "\n".join([*lines, ""])
    live_out = draw(sampled_from(["", "", "", "i", "ij", "st"]))
    live_out = "".join(name for name in live_out if f"{name} =" in source or name in "ij")
    return source, live_out


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(program=programs(), data=st.data(), seed=st.integers(0, 99))
def test_nothing_changes(program, data, seed):
    source, live_out = program
    sizes = {name: data.draw(st.integers(0, 6)) for name in ("n", "m")}
    sizes["T"] = data.draw(st.integers(0, 3))
    finest = data.draw(st.booleans())
    note("tiles" if same(source, live_out, sizes, seed, finest) else "in order")


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("m", [0, 1, 4, 7])
@pytest.mark.parametrize("body", [SWEEP, NINE, "t = A[i, j - 1]\nA[i, j] = A[i - 1, j + 1] + t"])
def test_all_sizes(body, n, m):
    live_out = "ijt" if "t =" in body else "ij"
    for headers in (TIMES, TIMES[1:]):
        if len(headers) == 2 or "t =" not in body:
            assert same(nested(body, *headers), live_out, {"n": n, "m": m}, 1)


def test_two_sweeps_of_one_time_step():
    back = nested(SWEEP, "i in range(n, 0, -1)", "j in range(m, 0, -1)")
    lines = [*nested(SWEEP).splitlines(), *back.splitlines()]
    source = "\n".join(["for t in range(T):", *("    " + line for line in lines), ""])
    pairs = same(source, "ijt", {}, 1)
    assert [(b.outer.loop.var, b.skew) for b in pairs] == [("i", 0), ("i", 0)]
    _, plan, pairs = found(source)
    tiles = wavefronts(plan, pairs, (Tiling(0, 2, 2), Tiling(1, 2, 2)))
    assert len([n for n in walk(tiles.body) if isinstance(n, Loop) and n.parallel]) == 2
    assert not contains(*pairs)
