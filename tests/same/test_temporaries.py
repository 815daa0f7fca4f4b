"""Temporary arrays of which each thread has a copy: what is left is what one thread leaves."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from harness import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from temporaries import SIZES as SMALL
from temporaries import temporaries

from autopar.runtime.run import joins

pytestmark = pytest.mark.usefixtures("lenient")

SIZES = [(0, 3), (1, 1), (2, 3), (7, 0), (7, 1), (40, 9)]
QUICK = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def data(n, m, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    make = lambda *shape: rng.integers(-9, 9, shape).astype(dtype)  # noqa: E731
    return {"n": n, "m": m, "a": make(n + 1, m + 3), "b": make(n + 1, m + 3), "t": make(m + 3)}


ROW = """
for i in range(n):
    for j in range(m):
        t[j] = b[i, j] * 2
    for j in range(m):
        a[i, j] = t[j] + t[m - 1 - j]
"""
SUMMED = """
for i in range(n):
    for j in range(m):
        t[j] = b[i, j] * b[i, j]
    s = 0
    for j in range(m):
        s += t[j]
    a[i, 0] = s
"""
SCAN = """
for i in range(n):
    t[0] = b[i, 0]
    for j in range(1, m):
        t[j] = t[j - 1] * 3 + b[i, j]
    for j in range(m):
        a[i, j] = t[j]
"""
VECTOR = """
for i in range(n):
    t[0] = b[i, 1] - b[i, 2]
    t[1] = b[i, 2] - b[i, 0]
    t[2] = b[i, 0] - b[i, 1]
    for k in range(3):
        a[i, k] = t[k] * t[2 - k]
"""
BACKWARDS = ROW.replace("range(n)", "range(n - 1, -1, -1)")
REPEATED = "for h in range(3):\n" + "".join(
    f"    {line}\n" for line in (SCAN + "    b[i, 0] = a[i, 0] + h").strip().splitlines()
)
LOOPS = {
    "row": ROW, "summed": SUMMED, "scan": SCAN, "vector": VECTOR, "backwards": BACKWARDS,
    "repeated": REPEATED,
}  # fmt: skip


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_the_outer_loop_is_parallel(loop, dtype, quiet):
    for n, m in SIZES:
        site, found = run(LOOPS[loop], **data(n, m, dtype))
        assert found is not None, site.record.refusal
        if min(n, m) > 2:
            assert site.record.parallel_loops[0] == "i"
            assert any("copy" in note for note in site.record.notes)


@pytest.mark.parametrize(
    "view",
    [lambda t: np.repeat(t, 3)[::3], lambda t: t[::-1], lambda t: np.tile(t, (4, 1)).T[:, 1]],
)
def test_any_layout(view):
    names = data(40, 9)
    names["t"] = view(names["t"])
    site, _ = run(ROW, **names)
    assert site.record.parallel_loops[0] == "i"


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_plane(order):
    source = """
for k in range(n):
    for i in range(m):
        for j in range(m):
            t[i, j] = b[k, j] + i
    for i in range(m):
        a[k, i] = t[i, m - 1 - i] + t[i, i]
"""
    names = data(20, 6) | {"t": np.ones((8, 7), order=order)}
    site, _ = run(source, **names)
    assert site.record.parallel_loops[0] == "k"


NOT = {
    "read first": ROW.replace("t[j] = b[i, j]", "t[j] = t[j] + b[i, j]"),
    "under a test": SCAN.replace(
        "    t[0] = b[i, 0]", "    if b[i, 0] > 0:\n        t[0] = b[i, 0]"
    ),
    "shrinking": ROW.replace("range(m)", "range(m - i % 2)"),
    "left early": ROW.replace(
        "        t[j] =", "        if b[i, j] > 5:\n            break\n        t[j] ="
    ),
}


@pytest.mark.parametrize("why", NOT)
def test_the_outer_loop_is_not(why):
    """Right in any case: verification compares; but nothing is copied for threads."""
    for n, m in SIZES:
        site, found = run(NOT[why], **data(n, m))
        assert found is not None, site.record.refusal
        if (n, m) == (40, 9):
            assert "i" not in site.record.parallel_loops


@pytest.mark.parametrize("other", ["a", "b"])
def test_not_where_the_temporary_is_a_part_of_another_array(other):
    names = data(40, 9)
    names["t"] = names[other][5]
    site, found = run(ROW, **names)
    assert found is not None
    assert "i" not in site.record.parallel_loops


def test_not_where_its_cells_overlap():
    names = data(40, 9)
    names["t"] = np.lib.stride_tricks.as_strided(names["t"], (12,), (0,))
    site, _ = run(ROW, **names)
    assert "i" not in site.record.parallel_loops


def test_an_index_that_fails_half_way_leaves_everything_to_the_interpreter():
    source = ROW + "    a[i, 0] = b[i, idx[i]]\n"
    for bad in (0, 17, 39):
        names = data(40, 9) | {"idx": np.zeros(40, int)}
        names["idx"][bad] = 1000
        before = {k: v.copy() for k, v in names.items() if isinstance(v, np.ndarray)}
        _, found = run(source, **names)
        assert found is None
        assert all((names[k] == before[k]).all() for k in before)
    site, found = run(source, **data(40, 9), idx=np.zeros(40, int))
    assert site.record.parallel_loops[0] == "i"


def test_warnings_come_and_nothing_is_lost():
    names = data(40, 9)
    names["b"][17, 2] = 1e308
    names["b"][39, 1] = np.inf
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        site, found = run(ROW, **names)
    assert found is not None, site.record.refusal
    assert {str(w.message) for w in caught} == {"overflow encountered in scalar multiply"}
    assert np.isinf(names["t"][1])


def test_no_room_for_copies(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(joins, "copies", full)
    site, found = run(REPEATED, **data(40, 9))
    assert found is not None
    assert site.record.runs == 1


@QUICK
@given(source=temporaries(tests=True), sizes=SMALL, seed=st.integers(0, 99))
def test_random_temporaries(source, sizes, seed):
    rng = np.random.default_rng(seed)
    make = lambda *shape: rng.integers(0, 9, shape)  # noqa: E731
    arrays = {"a": make(20, 20), "b": make(20, 20), "t": make(30), "u": make(30, 30)}
    run(source, **arrays, **sizes)
