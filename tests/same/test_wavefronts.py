"""Nests whose every loop carries a dependence: in tiles along diagonals, bit for bit the same."""

from __future__ import annotations

import warnings
from dataclasses import replace

import harness
import numpy as np
import pytest

from autopar import pipeline
from autopar.deps.data import Facts
from autopar.nest.functions import known
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.runtime.choice import waves
from autopar.runtime.site import FallbackError
from autopar.verdict import Reason

pytestmark = pytest.mark.usefixtures("strict", "quiet")

SWEEP = """\
for t in range(T):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = 0.2 * (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i + 1, j] + a[i, j + 1])
"""
SOR = """\
for t in range(T):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            r = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4.0 - a[i, j]
            a[i, j] = a[i, j] + w * r
"""
SYMMETRIC = """\
for t in range(T):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = (b[i, j] - a[i - 1, j] - a[i, j - 1] - a[i + 1, j] - a[i, j + 1]) / 5.0
    for i in range(n - 2, 0, -1):
        for j in range(m - 2, 0, -1):
            a[i, j] = (b[i, j] - a[i - 1, j] - a[i, j - 1] - a[i + 1, j] - a[i, j + 1]) / 5.0
"""
SEIDEL = """\
for t in range(0, T - 1):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j]
                       + a[i, j + 1] + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9.0
"""
EDIT = """\
for i in range(1, n):
    for j in range(1, m):
        cost = 0 if x[i - 1] == y[j - 1] else 1
        d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
"""
LCS = """\
for i in range(1, n):
    here = x[i - 1]
    for j in range(1, m):
        if here == y[j - 1]:
            d[i, j] = d[i - 1, j - 1] + 1
        elif d[i - 1, j] >= d[i, j - 1]:
            d[i, j] = d[i - 1, j]
        else:
            d[i, j] = d[i, j - 1]
"""
SMITH = """\
for i in range(1, n):
    for j in range(1, m):
        s = 3 if x[i - 1] == y[j - 1] else -3
        d[i, j] = max(0, d[i - 1, j - 1] + s, d[i - 1, j] - 2, d[i, j - 1] - 2)
"""
AFFINE = """\
for i in range(1, n):
    for j in range(1, m):
        e = a[i, j - 1] - 1.5
        if b[i, j - 1] - 2.5 > e:
            e = b[i, j - 1] - 2.5
        a[i, j] = e
        f = max(c[i - 1, j] - 1.5, b[i - 1, j] - 2.5)
        c[i, j] = f
        h = b[i - 1, j - 1] + (2.0 if x[i - 1] == y[j - 1] else -1.0)
        b[i, j] = max(0.0, h, e, f)
"""
BANDED = """\
for i in range(1, n):
    for j in range(max(1, i - 4), min(m, i + 5)):
        cost = 0 if x[i - 1] == y[j - 1] else 1
        d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
"""
INTERVALS = """\
for i in range(n - 1, -1, -1):
    for j in range(i + 1, n):
        best = 1e300
        for k in range(i, j):
            q = g[i, k] + g[k + 1, j] + v[i] * v[k + 1]
            if q < best:
                best = q
        g[i, j] = best
"""
TABLE = """\
for i in range(1, n):
    for j in range(1, m):
        a[i, j] = a[i - 1, j] * 0.5 + a[i, j - 1] * 0.25 + b[i, j]
"""
VOLUME = """\
for i in range(1, p):
    for j in range(1, q):
        for k in range(1, q):
            u[i, j, k] = (u[i - 1, j, k] + u[i, j - 1, k] + u[i, j, k - 1]) / 3.0
"""
NUSSINOV = """\
for i in range(n - 1, -1, -1):
    for j in range(i + 1, n):
        g[i, j] = max(g[i, j], g[i, j - 1])
        if i + 1 < n:
            g[i, j] = max(g[i, j], g[i + 1, j])
            if i < j - 1:
                g[i, j] = max(g[i, j], g[i + 1, j - 1] + (1 if x[i] + x[j] == 3 else 0))
        for k in range(i + 1, j):
            g[i, j] = max(g[i, j], g[i, k] + g[k + 1, j])
"""
SMOOTH = """\
for t in range(T + 6):
    for i in range(1, n - 1):
        v[i] = (v[i - 1] + v[i] + v[i + 1]) / 3.0
"""
BEST = """\
for i in range(1, n):
    for j in range(1, m):
        s = 3 if x[i - 1] == y[j - 1] else -3
        d[i, j] = max(0, d[i - 1, j - 1] + s, d[i - 1, j] - 2, d[i, j - 1] - 2)
        if d[i, j] > best:
            best = d[i, j]
            where = i
            there = j
"""
PROGRAMS = {
    "sweep": SWEEP, "sor": SOR, "symmetric": SYMMETRIC, "seidel": SEIDEL, "edit": EDIT,
    "lcs": LCS, "smith": SMITH, "affine": AFFINE, "banded": BANDED, "intervals": INTERVALS,
    "table": TABLE, "volume": VOLUME, "nussinov": NUSSINOV, "smooth": SMOOTH,
    "best": BEST,
}  # fmt: skip
SHAPES = ((0, 0), (1, 3), (2, 2), (3, 3), (4, 5), (5, 6), (6, 3), (7, 10), (13, 4), (14, 21))


def values(n, m, seed=3):
    r = np.random.default_rng(seed)
    shape = (n, m)
    return {
        "T": 3, "n": n, "m": m, "w": 1.3, "p": min(n, 6), "q": min(m, 7),
        "best": -1, "where": 0, "there": 0,
        "a": r.random(shape), "b": r.random(shape), "c": r.random(shape),
        "d": r.integers(0, 9, shape), "x": r.integers(0, 3, n), "y": r.integers(0, 3, m),
        "g": np.zeros((n, n)), "v": r.random(n), "u": r.random((6, 7, 7)),
    }  # fmt: skip


@pytest.fixture
def inside(monkeypatch):
    """As in a function, where nobody sees the scalars afterwards."""
    lift = harness.lift_text
    monkeypatch.setattr(harness, "lift_text", lambda text: replace(lift(text), live_out=()))


def ran_in_tiles(name, loops=2):
    """Run a program in all shapes; whether the larger ones went along diagonals."""
    for n, m in SHAPES:
        site, found = harness.run(PROGRAMS[name], **values(n, m))
        assert found is not None
        if min(n, m) > 5:
            assert site.record.status == "parallel", site.record.refusal
            assert len(site.record.parallel_loops) >= loops
            assert any("diagonals" in note for note in site.record.notes)


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("tile", [(3, 4), (1, 1), (2, 8)])
def test_the_same_in_tiles(name, tile, monkeypatch):
    monkeypatch.setattr(waves, "SMALLEST", tile)
    ran_in_tiles(name)


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - {"banded", "intervals", "nussinov"}))
def test_what_the_scalars_are_afterwards(name):
    ran_in_tiles(name)


@pytest.mark.parametrize("name", ["banded", "intervals", "nussinov"])
def test_scalars_after_rows_that_may_be_empty(name):
    """Which row is the last that is not empty, tiles do not know."""
    site, found = harness.run(PROGRAMS[name], **values(14, 21))
    assert found is not None
    assert not any("diagonals" in note for note in site.record.notes)


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("name", ["sweep", "seidel", "edit", "banded", "intervals", "volume"])
def test_every_band_on_its_own(name, monkeypatch):
    """Not only the outermost pair of loops."""
    choose = waves.tilings

    def last(bands, *rest):
        gain, found = choose(bands, *rest)
        return gain, tuple(waves.Tiling(len(bands) - 1, 2, 3) for _ in found[:1])

    monkeypatch.setattr(waves, "tilings", last)
    ran_in_tiles(name)


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("dtype", ["f4", "i4", "c16", "u1"])
def test_other_types(dtype):
    source = TABLE.replace("* 0.5", "").replace("* 0.25", "")
    data = {k: v.astype(dtype) for k, v in values(14, 21).items() if k in "ab"}
    site, _ = harness.run(source, n=14, m=21, **data)
    assert site.record.status == "parallel"


@pytest.mark.usefixtures("inside")
def test_views_that_overlap():
    """The same memory under two names: what the call finds decides."""
    source = TABLE.replace("b[i, j]", "b[i - 1, j + 1]")
    whole = np.random.default_rng(1).random((20, 30))
    for one, two in ((whole[:, 2:], whole[:, 2:]), (whole[1:], whole[:-1]), (whole, whole.T)):
        k = min(*one.shape, *two.shape) - 1
        _, found = harness.run(source, a=one, b=two, n=k, m=k)
        assert found is not None


@pytest.mark.usefixtures("inside")
def test_what_raises_is_undone():
    """A tile that must give up leaves the arrays as they were, for the interpreter to raise."""
    source = TABLE.replace("0.5", "(1.0 if b[i, j] < 2.0 else k // z)")
    data = values(14, 21)
    assert harness.run(source, k=1, z=0, **data)[1] is not None
    data["b"][9, 11] = 3.0
    before = data["a"].copy()
    with pytest.raises(FallbackError, match=Reason.FAILED_INSIDE.value):
        harness.run(source, k=1, z=0, **data)
    assert data["a"].tobytes() == before.tobytes()


def test_warnings_are_the_same():
    """The same words for the same lines, each once; in which order, no kernel knows."""
    body = "+ b[i, j] / c[i, j]\n        c[i, j] = c[i, j - 1] * 1e200"
    source = TABLE.replace("+ b[i, j]", body)
    shown = []
    for compiled in (False, True):
        data = values(14, 21)
        data["c"][7, 8] = 0.0
        with (
            np.errstate(all="warn", under="ignore"),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("default")
            if compiled:
                site, found = harness.run(source, **data)
                assert found is not None
                assert "diagonals" in site.record.notes[-1]
            else:
                exec(compile(source, "<text>", "exec"), {"__name__": "user", **data})
        shown.append({(str(w.message), w.lineno) for w in caught})
    assert shown[0] == shown[1]
    assert len(shown[0]) >= 2


# ---------------------------------------------------------------------------- when it pays


def sized(source, rows, columns):
    """Schedules and bands of `source`, and what is known of its sizes."""
    nest = replace(lift_text(source), live_out=())
    kinds = {name: ArrayType("float64", 2, "C", True, True) for name in "ab" if name in nest.paths}
    numbers = {name: "int" for name in "nmT" if name in nest.paths}
    numbers |= {name: "float" for name in ("best",) if name in nest.scalars}
    typed = infer(nest, kinds, numbers, {"range": known(range)})
    ints = frozenset(name for name in "nmT" if name in numbers)
    facts = Facts(ints, tuple((name, 2) for name in kinds))
    analysis = pipeline.analyse(typed.nest, facts)
    size = {"n": rows, "m": columns, "T": 20}
    size |= {f"{a}.shape[{k}]": 10**6 for a in "ab" for k in range(2)}
    held = analysis.held(size)

    def bands(finest):
        return pipeline.bands(typed, analysis, held, None, finest)

    def plan(way):
        return pipeline.plan(typed, analysis, held, None, False, way.tilings, way.finest)

    return plan, bands, {name: float(value) for name, value in size.items()}


def sizes_for(source, rows, columns, threads=2, made=()):
    """Bands of `source` and the tiles chosen at this extent; none, where it stays in order."""
    _, bands, env = sized(source, rows, columns)
    return bands(False), waves.tilings(bands(False), env, threads, made, False)[1]


def test_tiles_where_they_pay():
    assert sizes_for(TABLE, 50, 50)[1] == ()
    assert sizes_for(TABLE, 3, 100_000)[1] == ()
    _, (large,) = sizes_for(TABLE, 4000, 4000)
    assert large.rows * large.columns >= 1000
    assert sizes_for(TABLE.replace("b[i, j]", "a[i - 1, j + 1]"), 4000, 4000)[1]
    assert sizes_for(TABLE, 4000, 4000, threads=1)[1] == ()


@pytest.mark.parametrize("extents", [(0, 0), (0, 9), (9, 0), (1, 1)])
def test_nothing_to_do(extents):
    for source in (TABLE, SEIDEL, SEIDEL.replace("T - 1", "T - 20")):
        assert sizes_for(source, *extents)[1] == ()


def test_one_of_two_bands_that_overlap():
    bands, chosen = sizes_for(SEIDEL, 1000, 1000)
    assert [band.outer.loop.var for band in bands] == ["t", "i"]
    assert [tiling.band for tiling in chosen] == [0]
    bands, chosen = sizes_for(SYMMETRIC, 3000, 3000)
    assert [tiling.band for tiling in chosen] == [0, 1]


def test_kernels_that_are_there_are_preferred():
    _, (best,) = sizes_for(TABLE, 4000, 4000)
    near, far = (best.rows // 4, best.columns), (2, 8)
    assert sizes_for(TABLE, 4000, 4000, made=(far, near))[1] == (replace(best, rows=near[0]),)
    assert sizes_for(TABLE, 4000, 4000, made=(far,))[1] == (best,)


def test_distributed_where_that_pays():
    best = "\n        if a[i, j] > best:\n            best = a[i, j]\n"
    for extent, finest in ((4000, True), (40, False)):
        found = waves.waves(*sized(TABLE.rstrip() + best, extent, extent), 2, (), False)
        assert found.finest is finest
        assert len(found.tilings) == finest
    assert waves.waves(*sized(TABLE, 4000, 4000), 2, (), False).finest is False
    assert waves.waves(*sized(TABLE, 4000, 4000), 1, (), False) == waves.WHOLE
