"""Sweeps whose rows may follow one another some columns behind."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.sched.behind import behind
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "x": 1}
FACTS = Facts(frozenset("nm"), tuple(sorted(RANKS.items())))
SIZES = {"n": 9, "m": 8, **{f"{a}.shape[{k}]": 19 for a in RANKS for k in range(2)}}


def found(source, dtype="float64"):
    """The nest, and for each variable of a loop how far behind its iterations may be."""
    nest = lift_text(source)
    arrays = {p: ArrayType(dtype, RANKS[p], "C", True, True) for p in nest.paths if p in RANKS}
    typed = infer(nest, arrays, {p: "int" for p in nest.paths if p in ("n", "m")}, {})
    assert not hasattr(typed, "reason"), typed
    analysis = analyse(nest, FACTS)
    steps = dict(behind(typed, analysis, analysis.held(SIZES)))
    loops, names = [nest.loop], {}
    while loops:
        loop = loops.pop()
        names[loop.id] = loop.var
        loops += [s for s in loop.body if hasattr(s, "body") and hasattr(s, "var")]
    return nest, {names[loop]: far for loop, far in steps.items()}


def sweep(body, rows="1, n", columns="1, m", head=""):
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    text = f"for i in range({rows}):\n    for j in range({columns}):\n{lines}"
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    return f"{head}\n{indented}" if head else text


FOUND = {
    "from above and from the left": ("A[i, j] = A[i - 1, j] + A[i, j - 1]", 1),
    "from above on the right": ("A[i, j] = A[i - 1, j + 1] + A[i, j - 1]", 2),
    "far on the right": ("A[i, j] = A[i - 1, j + 3] + A[i, j - 1]", 4),
    "two rows above": ("A[i, j] = A[i - 2, j + 3] + A[i, j - 1]", 2),
    "all around": (
        "A[i, j] = A[i - 1, j - 1] + A[i + 1, j + 1] + A[i + 1, j - 1] + A[i, j + 1]",
        2,
    ),
    "two arrays": ("A[i, j] = B[i - 1, j] + A[i, j - 1]\nB[i, j] = A[i, j] * 2.0", 1),
    "a scalar of each step": ("t = A[i - 1, j] + 1.0\nA[i, j] = t + A[i, j - 1]", 1),
}
NOT_FOUND = {
    "rows that are independent": "A[i, j] = A[i, j - 1] * 2.0",
    "columns that are independent": "A[i, j] = A[i - 1, j] * 2.0",
    "too far on the right": "A[i, j] = A[i - 1, j + 4] + A[i, j - 1]",
    "anywhere in the row above": "A[i, j] = A[i - 1, j] + A[i, j - 1] + A[i - 1, m - j]",
    "one cell for all": "x[0] = x[0] * 2.0 + A[i, j]",
    "a scalar that goes on": "A[i, j] = A[i - 1, j] + A[i, j - 1] + t\nt = A[i, j]",
    "a branch": "if A[i, j] > 0:\n    A[i, j] = A[i - 1, j] + A[i, j - 1]",
}


@pytest.mark.parametrize(("body", "steps"), FOUND.values(), ids=FOUND)
def test_how_far_behind(body, steps):
    assert found(sweep(body))[1] == {"i": steps}
    assert found(sweep(body, head="for t in range(n):"))[1] == {"i": steps}


@pytest.mark.parametrize("body", NOT_FOUND.values(), ids=NOT_FOUND)
def test_where_they_cannot_or_need_not_be(body):
    assert found(sweep(body))[1] == {}


def test_integers_are_not_waited_for():
    assert found(sweep(FOUND["from above and from the left"][0]), "int64")[1] == {}


def test_rows_backwards_are_left_alone():
    body = "A[i, j] = A[i + 1, j] + A[i, j - 1]"
    assert found(sweep(body, rows="n, 0, -1"))[1] == {}


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_rows_that_are_so_far_behind_leave_the_same(data):
    def element(arrays="AB"):
        shifts = [data.draw(sampled_from(["", " - 1", " + 1", " - 2", " + 3"])) for _ in "ij"]
        names = data.draw(sampled_from(["ij", "ij", "ij", "ji"]))
        array = data.draw(sampled_from(arrays))
        return f"{array}[{', '.join(n + s for n, s in zip(names, shifts, strict=True))}]"

    lines = [f"A[i, j] = {element('A')} + {element('A')} * 2 + {element()}"]
    if data.draw(st.booleans()):
        lines = [f"t = {element()}", *lines, f"{element('B')} = t + {element()}"]
    bounds = sampled_from(["1, n", "m", "2, m", "i, n", "n - i"])
    source = sweep("\n".join(lines), data.draw(sampled_from(["1, n", "m"])), data.draw(bounds))
    nest, steps = found(source)
    if not steps:
        return
    plain, other = (Machine({**SIZES, "t": 3}, dict.fromkeys(RANKS, (19, 19))) for _ in range(2))
    plain.run(nest.loop)
    (columns,) = nest.loop.body
    places = []
    rows = [plain.value(e, nest.loop) for e in (nest.loop.start, nest.loop.stop)]
    for i in range(*rows):
        other.scalars["i"] = i
        for j in range(*(other.value(e, columns) for e in (columns.start, columns.stop))):
            strip, lane = divmod(i - rows[0], 4)
            places.append((strip, j + steps["i"] * lane, -lane, i, j))
    for *_, i, j in sorted(places):
        other.scalars |= {"i": i, "j": j}
        other.block(columns.body)
    assert other.cells == plain.cells, (source, steps)
