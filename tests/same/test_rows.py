"""Strips of whole rows: nests whose rows are short are looked at once for many of them."""

from __future__ import annotations

import numpy as np
import pytest
from test_strips import compiled, same, watches

from autopar.cpu.loops import STRIP, LoopWriter
from autopar.kernel import Watch

ROWS, DEEP, SHORT = 5_000, 3, 7
"""Some strips of rows of 21 cells each; a strip ends within none of them."""
CUT = STRIP // (DEEP * SHORT)
AT = ((0, 0, 0), (CUT - 1, DEEP - 1, SHORT - 1), (CUT, 0, 0), (ROWS - 1, 1, SHORT - 1))

NESTS = {
    "two deep": (
        "for i in range(n):\n    for j in range(m):\n        y[i, 0, j] = 10 * x[i, 0, j] + 1\n"
    ),
    "three deep": (
        "for i in range(n):\n    for j in range(d):\n        for k in range(m):\n"
        "            y[i, j, k] = 10 * x[i, j, k] + 1\n"
    ),
    "backwards": (
        "for i in range(n - 1, -1, -1):\n    for j in range(d):\n        for k in range(m):\n"
        "            y[i, j, k] = 10 * x[i, j, k] + 1\n"
    ),
    "every third row": (
        "for i in range(0, n, 3):\n    for j in range(d):\n        for k in range(m):\n"
        "            y[i, j, k] = 10 * x[i, j, k] + 1\n"
    ),
    "within bounds": (
        "for i in range(1, n - 1):\n    for j in range(1, d):\n        for k in range(1, m - 1):\n"
        "            y[i, j, k] = 10 * x[i, j, k] - x[i - 1, j, k + 1]\n"
    ),
    "two lines": (
        "for i in range(n):\n    for j in range(d):\n        for k in range(m):\n"
        "            s = 10 * x[i, j, k]\n            y[i, j, k] = s - s\n"
    ),
}
REFUSED = {
    "bounds that depend on the row": (
        "for i in range(n):\n    for j in range(i % m):\n        y[i, 0, j] = 10 * x[i, 0, j] + 1\n"
    ),
    "something beside the rows": (
        "for i in range(n):\n    z[i] = 1.0\n    for j in range(m):\n"
        "        y[i, 0, j] = 10 * x[i, 0, j] + 1\n"
    ),
    "what was there is read": (
        "for i in range(n):\n    for j in range(m):\n"
        "        y[i, 0, j] = 10 * x[i, 0, j] + y[i, 0, j]\n"
    ),
    "rows that need one another": (
        "for i in range(1, n):\n    for j in range(m):\n"
        "        y[i, 0, j] = 10 * x[i, 0, j] + y[i - 1, 0, j]\n"
    ),
}


def again(nest: str) -> str:
    """The nest twice, and what reads before that, so that it cannot be run again as a whole."""
    inside = "".join(f"    {line}\n" for line in nest.splitlines())
    place = "3, 1" if "range(1" in nest else "0, 0"
    reads = f"    for i in range(4):\n        u[i] = u[i] * 0.5 + y[{place}, i + 1]\n"
    return f"for t in range(2):\n{reads}{inside}"


def values(at: tuple[int, int, int] | None) -> dict[str, object]:
    x = np.random.default_rng(3).random((ROWS, DEEP, SHORT)) + 1
    if at is not None:
        x[at] = np.finfo(x.dtype).max
    return {
        "x": x,
        "y": x + 1,
        "z": np.ones(ROWS),
        "u": np.ones(4),
        "n": ROWS,
        "d": DEEP,
        "m": SHORT,
    }


@pytest.fixture
def cut(monkeypatch, apart):
    """The numbers of loops in the nests of which strips of rows were made."""
    apart()
    found: set[int] = set()
    true = LoopWriter.trips
    monkeypatch.setattr(
        LoopWriter, "trips", lambda self, rows: (found.add(len(rows)), true(self, rows))[1]
    )
    return found


def warned(source: str, at: tuple[int, int, int]) -> bool:
    """Whether the nest comes to the cell that is too large."""
    i, j, k = at
    if "range(1" in source:
        return 0 < i < ROWS - 1 and j > 0 and 0 < k < SHORT - 1
    return (i % 3 == 0 or ", 3)" not in source) and (j == 0 or "range(d)" in source)


@pytest.mark.parametrize("name", NESTS)
def test_the_warnings_are_those_of_the_rows(name, cut):
    places = [at for at in (*AT, (CUT, 1, 2)) if warned(NESTS[name], at)]
    assert places
    for at in places:
        same(again(NESTS[name]), lambda at=at: values(at))
    assert cut == {NESTS[name].count("for ") - 1}


@pytest.mark.parametrize("name", NESTS)
def test_nothing_is_said_where_nothing_rings(name, cut):
    found, record, here = compiled(again(NESTS[name]), **values(None))
    assert not found
    assert record.runs == 1
    assert watches(here) == {Watch.KEEP}
    assert cut


@pytest.mark.parametrize("name", REFUSED)
def test_other_nests_have_no_strips_of_rows(name, cut):
    for at in ((0, 0, 0), (2, 0, 1)) if "%" not in REFUSED[name] else ((3, 0, 1),):
        made = values(at)
        if "i - 1" in REFUSED[name]:
            made["y"] = np.zeros_like(made["y"])
        assert compiled(again(REFUSED[name]), **made)[1].runs == 1
    assert not cut


@pytest.mark.parametrize("extent", ["n", "d", "m"])
def test_rows_of_which_there_are_none(extent, cut):
    found, record, _ = compiled(again(NESTS["three deep"]), **{**values((0, 0, 0)), extent: 0})
    assert not found
    assert record.runs == 1
    assert cut


def test_rows_longer_than_a_strip(cut):
    x = np.ones((3, 1, STRIP + 11))
    x[1, 0, STRIP + 3] = np.finfo(float).max
    same(
        again(NESTS["two deep"]),
        lambda: {"u": np.ones(4), "x": x.copy(), "y": x + 1, "n": 3, "d": 1, "m": x.shape[2]},
    )
    assert cut == {1}
