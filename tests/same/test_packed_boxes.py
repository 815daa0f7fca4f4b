"""What a strip reads far apart in memory is copied once, and nothing else is seen of that."""

from __future__ import annotations

from dataclasses import replace

import harness
import numpy as np
import pytest

from autopar import config, pipeline
from autopar.cpu import lanes as cpu_lanes
from autopar.nest.text.lift import lift_text
from autopar.runtime.site import FallbackError
from autopar.sched import lanes as sched_lanes
from autopar.sched.machine import MACHINE

SMALL = replace(MACHINE, strip_lanes=8, packed_bytes=0, panel_lanes=8, least_lanes=2)


@pytest.fixture(autouse=True)
def small(apart, monkeypatch):
    """Strips of few lanes, so that small arrays have several."""
    apart()
    monkeypatch.setattr(cpu_lanes, "MACHINE", SMALL)
    monkeypatch.setattr(sched_lanes, "MACHINE", SMALL)


ROWS = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            s += a[i, k] * b[j, k]
        c[i, j] = s
"""
BETWEEN = """\
for i in range(n):
    for j in range(1, m):
        for k in range(2, p):
            c[i, j] += a[i, k] * b[j - 1, k + q]
"""
CORRELATION = """\
for y in range(n):
    for f in range(m):
        for x in range(p):
            o[f, y, x] = 0.0
            for v in range(2):
                for u in range(q):
                    for d in range(3):
                        o[f, y, x] += g[y + v, x + u, d] * w[f, v, u, d]
"""
TWICE = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            s += a[i, k] * b[j, k]
        for k in range(1, q):
            s -= a[i, k] * b[j, k] + a[i, k + 1] * b[j, k + 1]
        c[i, j] = s
"""
UNDER_A_TEST = """\
for i in range(n):
    for j in range(m):
        s = 0.0
        if q > 2:
            for k in range(p):
                s += a[i, k] * b[j, k]
        c[i, j] = s
"""
INTEGERS = """\
for i in range(n):
    for j in range(m):
        s = h[i, j]
        for k in range(p):
            s += e[i, k] * e[j, k]
        h[i, j] = s
"""
BELOW = """\
for i in range(n):
    for j in range(i + 1):
        c[i, j] *= 0.5
        for k in range(p):
            c[i, j] += a[i, k] * b[j, k]
"""
ABOVE = BELOW.replace("range(i + 1)", "range(i, m)")
OFF = BELOW.replace("range(i + 1)", "range(q - 3, i - 2)").replace("b[j, k]", "b[j + 3, k]")
RANK_TWO = BELOW.replace("a[i, k] * b[j, k]", "a[i, k] * b[j, k] + b[i, k] * a[j, k]")
BY_ROWS = """\
for i in range(2, n):
    for j in range(i):
        s = 0.0
        for k in range(p):
            s += a[i, k] * b[j, k]
        c[i, j] = s
"""
PROGRAMS = {
    "below the diagonal": BELOW,
    "above it": ABOVE,
    "some columns off": OFF,
    "of rank two": RANK_TWO,
    "by rows": BY_ROWS,
    "rows": ROWS,
    "between": BETWEEN,
    "correlation": CORRELATION,
    "twice": TWICE,
    "under a test": UNDER_A_TEST,
    "integers": INTEGERS,
}


def given(n, m, p, q=2):
    rng = np.random.default_rng(n * 100 + m * 10 + p)
    most = max(n, m, p) + 4

    def table(*shape, dtype=float):
        return np.array(rng.random(shape) * 9 - 4, dtype)

    return {
        "n": n, "m": m, "p": p, "q": q,
        "a": table(most, most), "b": table(most + 2, most + 2), "c": table(most, most),
        "e": table(most, most, dtype="int32"), "h": table(most, most, dtype="int64"),
        "g": table(most, most + 3, 3, dtype="float32"), "w": table(most, 2, 6, 3, dtype="float32"),
        "o": table(most, most, most, dtype="float32"),
    }  # fmt: skip


def unseen(source):
    """The nest of `source`, whose variables nobody sees."""
    return replace(lift_text(source), live_out=())


@pytest.fixture
def alone(monkeypatch):
    """One thread runs nests whose variables nobody sees: of a triangle, no row is the last."""
    config.use(replace(config.current(), threads=1))
    monkeypatch.setattr(harness, "lift_text", unseen)


@pytest.fixture
def texts(monkeypatch):
    """The texts of the kernels that have been written."""
    found = []
    fill = cpu_lanes.LaneWriter.fill

    def filling(writer, pack, strip):
        fill(writer, pack, strip)
        found.append(writer.lines[-1])

    monkeypatch.setattr(cpu_lanes.LaneWriter, "fill", filling)
    return found


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("unseen", [False, True])
def test_as_the_interpreter(name, unseen, request, texts):
    if unseen:
        request.getfixturevalue("alone")
    for n, m, p, q in [(7, 19, 5, 3), (8, 9, 4, 4), (1, 8, 6, 0), (5, 10, 0, 1), (3, 2, 9, 5)]:
        _, left = harness.run(PROGRAMS[name], **given(n, m, p, q))
        assert left is not None, (n, m, p, q)
    assert texts or not unseen  # where it is seen, `s` may be of two types


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("room", [0, 200, 2000])
@pytest.mark.parametrize("name", ["rows", "correlation", "twice"])
def test_as_many_lanes_as_there_is_room_for(name, room, monkeypatch):
    """With room for none nothing is packed."""
    monkeypatch.setattr(cpu_lanes, "MACHINE", replace(SMALL, strip_lanes=16, private_bytes=room))
    _, left = harness.run(PROGRAMS[name], **given(9, 21, 6, 3))
    assert left is not None


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("n", "m", "p"), [(0, 9, 4), (9, 0, 4), (4, 9, 0)])
def test_what_no_iteration_reads_need_not_be_there(n, m, p):
    names = given(n, m, p)
    for name in "ab":
        names[name] = names[name][: min(n, m), :p]
    _, left = harness.run(ROWS, **names)
    assert left is not None


@pytest.mark.usefixtures("quiet", "alone")
@pytest.mark.parametrize("name", ["below the diagonal", "above it", "by rows"])
def test_triangles_of_all_sizes(name, texts):
    """Rows that go on together, those that are left, and strips that some of them end in."""
    for n in (*range(1, 14), 26, 33):
        _, left = harness.run(PROGRAMS[name], **given(n, n, 5))
        assert left is not None, n
    assert texts


@pytest.mark.usefixtures("quiet", "alone")
def test_what_no_row_reads_need_not_be_there(texts):
    """The longest row of all has as many columns as there are rows of `b`."""
    names = given(12, 12, 5)
    names["b"] = names["b"][:12, :5].copy()
    _, left = harness.run(BELOW, **names)
    assert left is not None
    assert texts
    names["b"] = names["b"][:11].copy()
    with pytest.raises(FallbackError):
        harness.run(BELOW, **names)


REFUSED = {
    "a diagonal": """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            s += a[i, k] * b[j, j + k]
        c[i, j] = s
""",
    "places that are looked up": """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            s += a[i, k] * b[j, h[0, k] % 3]
        c[i, j] = s
""",
    "a band": BELOW.replace("range(i + 1)", "range(i, i + q)"),
    "rows that grow by two": BELOW.replace("range(i + 1)", "range(2 * i)"),
    "what one row reads only": """\
for i in range(n):
    for j in range(m):
        s = 0.0
        for k in range(p):
            s += b[j, i + k]
        c[i, j] = s
""",
}


@pytest.mark.usefixtures("quiet", "alone")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_packed(name, texts):
    names = given(6, 9, 5)
    names["b"] = np.random.default_rng(0).random((20, 40))
    _, left = harness.run(REFUSED[name], **names)
    assert left is not None
    assert not any(" b[" in text for text in texts)


@pytest.mark.usefixtures("quiet")
def test_not_what_is_stored_meanwhile(texts):
    names = given(6, 9, 5)
    names["b"] = names["c"]
    _, left = harness.run(ROWS, **names)
    assert left is not None
    assert not texts


IN_PLACE = """\
for i in range(r, n):
    for j in range(c, {stop}):
        for k in range(e, f):
            a[i, j] -= a[i, k + {more}] * a[j{shift}, k]
"""


@pytest.mark.usefixtures("quiet", "alone")
@pytest.mark.parametrize("stop", ["i", "m", "i + 1"])
@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("shift", ["", " + 9"])
def test_other_cells_of_what_is_stored_in(stop, more, shift, texts):
    """Columns on the left of those that change, or rows below: as long as nothing meets."""
    source, rng = IN_PLACE.format(stop=stop, more=more, shift=shift), np.random.default_rng(4)
    packed = []
    for turn in range(24):
        e, r = (int(x) for x in rng.integers(0, 6, 2))
        f, n = e + int(rng.integers(0, 7)), r + int(rng.integers(1, 20))
        c = f + more if turn % 2 else int(rng.integers(0, 9))
        del texts[:]
        names = {"r": r, "n": n, "c": c, "m": c + int(rng.integers(1, 19)), "e": e, "f": f}
        _, left = harness.run(source, **names, a=rng.random((48, 48)))
        assert left is not None
        packed.append(bool(texts))
        assert not (packed[-1] and f + more > max(c, e) and n - r > 9 and not shift), names
    assert any(packed)


@pytest.mark.usefixtures("quiet")
def test_sums_of_integers_of_numpy_may_wrap():
    """In 8 bits ``j + q`` goes on at -128, so the rows are not one after the other."""
    source = ROWS.replace("b[j, k]", "b[q + j, k]")
    for q in (np.int8(120), np.int64(1)):
        names = given(5, 12, 4) | {"q": q}
        names["b"] = np.random.default_rng(0).random((140, 9))
        with np.errstate(all="ignore"):
            harness.run(source, **names)


@pytest.mark.usefixtures("quiet", "alone")
def test_ends_of_rows_may_wrap(texts):
    """In 8 bits ``i + q`` goes on at -128, so the last row is not the longest."""
    source = BELOW.replace("range(i + 1)", "range(i + q)")
    names = given(12, 12, 4)
    for name in "abc":
        names[name] = np.random.default_rng(0).random((140, 140))
    for q, packed in ((1, True), (np.int8(120), False)):
        del texts[:]
        with np.errstate(all="ignore"):
            _, left = harness.run(source, **(names | {"q": q}))
        assert left is not None
        assert bool(texts) == packed


SEVERAL = """\
for t in range(2):
    u = v[t]
    for i in range(n):
        for j in range(m):
            c[t, i, j] = c[t, i, j] + x[j, 0] * u
    for i in range(n):
        for j in range(m):
            d[t, i, j] = d[t, i, j] * x[j, 0] + x[j, 1] * x[j, 2] * u
"""


@pytest.mark.usefixtures("quiet", "alone")
def test_strips_of_several_lengths_have_room(monkeypatch):
    """Both loops of a kernel have copies of the same name, of which the first has more."""
    wide = replace(SMALL, packed_bytes=8 * 48)
    monkeypatch.setattr(sched_lanes, "MACHINE", wide)
    texts = []
    emitted = pipeline.emit

    def noted(*args):
        program = emitted(*args)
        texts.extend(kernel.text for kernel in program.kernels)
        return program

    monkeypatch.setattr(pipeline, "emit", noted)
    rng = np.random.default_rng(0)
    tables = {name: rng.random((2, 5, 48)) for name in "cd"}
    _, left = harness.run(SEVERAL, n=5, m=48, x=rng.random((48, 3)), v=rng.random(2), **tables)
    assert left is not None
    (text,) = texts
    assert text.count("packed0_float64_ = room_") == 1
    assert 'packed0_float64_ = room_("float64", 48)' in text
    assert 'packed2_float64_ = room_("float64", 16)' in text


def test_boxes_and_cells_are_told_apart(quiet, alone):
    """So many cells are packed that their numbers are those of boxes, too."""
    cells = " + ".join(f"x[j, {k}]" for k in range(40))
    source = f"""\
for t in range(2):
    u = v[t]
    for i in range(n):
        for j in range(i + 1):
            for k in range(p):
                c[t, i, j] += a[i, k] * b[j, k] * u
    for i in range(n):
        for j in range(m):
            d[t, i, j] = d[t, i, j] * u + {cells}
"""
    rng = np.random.default_rng(0)
    shapes = {"a": (20, 5), "b": (20, 5), "x": (20, 40), "v": 2, "c": (2, 20, 20), "d": (2, 20, 20)}
    tables = {name: rng.random(shape) for name, shape in shapes.items()}
    _, left = harness.run(source, n=20, m=20, p=5, **tables)
    assert left is not None


@pytest.mark.usefixtures("quiet")
def test_several_threads_pack_for_many_rows_each(texts, monkeypatch):
    config.use(replace(config.current(), threads=2))
    monkeypatch.setattr(harness, "lift_text", unseen)
    least = []
    emitted = pipeline.emit

    def noted(*args):
        program = emitted(*args)
        least.extend(kernel.least for kernel in program.kernels if kernel.parallel)
        return program

    monkeypatch.setattr(pipeline, "emit", noted)
    _, left = harness.run(BELOW, **given(70, 70, 3))
    assert left is not None
    assert texts
    assert least == [32]
