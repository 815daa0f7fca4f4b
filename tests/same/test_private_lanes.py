"""Lanes with private arrays each of its own leave what the interpreter leaves, bit for bit."""

from __future__ import annotations

import warnings
from dataclasses import replace

import harness
import numpy as np
import pytest

from autopar import config
from autopar.cpu import lanes as cpu_lanes
from autopar.nest.text.lift import lift_text
from autopar.runtime.choice import choose, waiting, weighed
from autopar.runtime.site import FallbackError
from autopar.sched import lanes as sched_lanes
from autopar.sched.machine import MACHINE

SMALL = replace(MACHINE, strip_lanes=4, packed_bytes=0, panel_lanes=3, least_lanes=2)


@pytest.fixture(autouse=True)
def small(apart, monkeypatch):
    """Strips of few lanes, so that small arrays have several."""
    apart(repr(SMALL))
    monkeypatch.setattr(cpu_lanes, "MACHINE", SMALL)
    monkeypatch.setattr(sched_lanes, "MACHINE", SMALL)


@pytest.fixture(params=["three threads", "chunks of one", "in order", "nobody looks"])
def way(request, apart, monkeypatch):
    """In chunks on three threads or one, and in order on one, as what is small runs.

    At last in a function, where nobody sees variables.
    """
    if request.param != "three threads":
        config.use(replace(config.current(), threads=1))
    if request.param in ("in order", "nobody looks"):
        apart(f"{SMALL}, at once")
        monkeypatch.setattr(weighed, "eager", lambda: False)
        monkeypatch.setattr(waiting.Waiting, "enough", lambda *_: True)
        monkeypatch.setattr(choose, "MACHINE", replace(MACHINE, dispatch_s=0.0, again_ops=0.0))
    if request.param == "nobody looks":
        monkeypatch.setattr(harness, "lift_text", unseen)


def unseen(source):
    """The nest of `source`, whose variables nobody sees."""
    return replace(lift_text(source), live_out=())


DOWN = """\
for i in range(1, n - 1):
    v[0, i] = 1.0
    p[0] = 0.0
    q[0] = v[0, i]
    for j in range(1, m):
        p[j] = -a / (a * p[j - 1] + b)
        old = a * u[j, i - 1] + b * u[j, i] - a * u[j, i + 1]
        q[j] = (old - a * q[j - 1]) / (a * p[j - 1] + b)
    v[m, i] = 1.0
    for j in range(m - 1, 0, -1):
        v[j, i] = p[j] * v[j + 1, i] + q[j]
"""
ALONG = """\
for i in range(1, n - 1):
    u[i, 0] = 1.0
    p[0] = 0.0
    q[0] = u[i, 0]
    for j in range(1, m):
        p[j] = -a / (a * p[j - 1] + b)
        old = a * v[i - 1, j] + b * v[i, j] - a * v[i + 1, j]
        q[j] = (old - a * q[j - 1]) / (a * p[j - 1] + b)
    u[i, m] = 1.0
    for j in range(m - 1, 0, -1):
        u[i, j] = p[j] * u[i, j + 1] + q[j]
"""
BOTH = """\
for k in range(3):
    for i in range(n):
        q[0] = u[0, i] * 0.5
        for j in range(1, m):
            q[j] = q[j - 1] * 0.5 + u[j, i]
        for j in range(m):
            v[j, i] = v[j, i] + q[j]
    for i in range(n):
        p[0] = v[i, 0]
        for j in range(1, m):
            p[j] = p[j - 1] * 0.25 - v[i, j]
        for j in range(m):
            u[i, j] = p[j] * q[j]
"""
BEFORE = """\
for i in range(n):
    q[1] = u[1, i]
    for j in range(2, m):
        q[j] = q[j - 1] * 0.5 + u[j, i] * q[0] - q[m]
    for j in range(1, m):
        v[j, i] = q[j] - q[0]
"""
BRANCHES = """\
for i in range(n):
    q[0] = u[0, i]
    p[0] = 1.0
    for j in range(1, m):
        if z[j] > 0.0:
            s = z[j] * 2.0
            p[j] = p[j - 1] + s
        else:
            s = 1.0
            p[j] = p[j - 1] * 0.5
        if u[j, i] > q[j - 1]:
            q[j] = q[j - 1] * 0.5 - s
        else:
            q[j] = u[j, i] + p[j]
    for j in range(m):
        v[j, i] = q[j] - p[j]
"""
TABLE = """\
for i in range(n):
    for k in range(4):
        w[0, k] = u[k, i]
    for j in range(1, m):
        w[j, 0] = u[j, i] - w[j - 1, 3]
        for k in range(1, 4):
            w[j, k] = w[j, k - 1] * 0.5 + z[k]
    s = 0.0
    for j in range(m):
        for k in range(3, -1, -1):
            s = s * 0.5 + w[j, k]
    v[0, i] = s
"""
FROM_THE_END = """\
for i in range(n):
    q[-1] = u[0, i]
    for j in range(-2, -m, -1):
        q[j] = q[j + 1] * 0.5 + u[-j, i]
    v[1, i] = q[-m + 1]
"""
SINGLE = """\
for i in range(n):
    f[0] = u[0, i]
    for j in range(1, m):
        f[j] = f[j - 1] * 0.3 + u[j, i]
    for j in range(m):
        v[j, i] = f[j]
"""
INTEGERS = """\
for i in range(n):
    e[0] = g[0, i]
    for j in range(1, m):
        e[j] = e[j - 1] * 3 + g[j, i]
    for j in range(m):
        h[j, i] = e[j]
"""
FLAGS = """\
for i in range(n):
    t[0] = u[0, i] > 0.0
    for j in range(1, m):
        t[j] = t[j - 1] != (u[j, i] > 0.5)
    for j in range(m):
        v[j, i] = 1.0 if t[j] else 2.0
"""
ALL_ALIKE = """\
for i in range(n):
    p[0] = 1.0
    for j in range(1, m):
        p[j] = p[j - 1] * 0.5 + z[j]
    s = u[0, i]
    for j in range(m):
        s = s * 0.5 + p[j]
    v[0, i] = s
"""
SCALARS = """\
for i in range(n):
    q[0] = u[0, i]
    s = 0.0
    x = 0.0
    for j in range(1, m):
        r = a * z[j]
        s = s + r
        q[j] = q[j - 1] * s - r
        x = q[j]
    for j in range(m):
        v[j, i] = q[j] * s - x
"""
PLACES = """\
for i in range(n):
    q[0] = u[0, i]
    for j in range(1, m):
        q[j] = q[j - 1] * 0.5 + u[d[j], i]
    for j in range(m):
        v[j, i] = q[d[j]]
"""
PROGRAMS = {
    "down": DOWN,
    "along": ALONG,
    "both": BOTH,
    "before": BEFORE,
    "branches": BRANCHES,
    "table": TABLE,
    "from the end": FROM_THE_END,
    "single": SINGLE,
    "integers": INTEGERS,
    "flags": FLAGS,
    "all alike": ALL_ALIKE,
    "scalars": SCALARS,
    "places": PLACES,
}


def given(n, m, order="C", step=1):
    rng = np.random.default_rng(n * 10 + m)
    most = max(n, m) + 2

    def table(*shape, dtype=float):
        return np.array(rng.random(shape) * 9 - 4, dtype, order=order)

    def row(dtype=float):
        return table(2 * most, dtype=dtype)[::step][:most]

    return {
        "n": n, "m": m, "a": 0.25, "b": 2.5,
        "u": table(most, most), "v": table(most, most), "w": table(most, 4),
        "p": row(), "q": row(), "z": table(most), "f": row("float32"),
        "e": row("int64"), "g": table(most, most, dtype="int32"),
        "h": table(most, most, dtype="int64"), "t": row("int8") > 0,
        "d": rng.permutation(most) % max(m, 1), "s": 0.5, "r": 0.0, "x": 0.0,
    }  # fmt: skip


SIZES = [(9, 6), (11, 3), (3, 8), (6, 2), (1, 5), (0, 4), (14, 1)]


def plans(here):
    return [str(v.plan) for s in here.engine.states.values() for v in s.variants.values()]


@pytest.mark.usefixtures("way", "quiet")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("order", "step"), [("C", 1), ("F", -2)])
def test_as_the_interpreter(name, order, step):
    """The harness compares all arrays, so what the last iteration leaves in the private ones."""
    for n, m in SIZES if order == "C" else SIZES[::2]:
        _, left = harness.run(PROGRAMS[name], **given(n, m, order, step))
        assert left is not None, (n, m)


@pytest.mark.usefixtures("way", "quiet")
@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"places", "from the end"}))
def test_each_lane_has_its_own(name, request):
    """Unless somebody sees a scalar that not every iteration assigns."""
    here, _ = harness.run(PROGRAMS[name], **given(9, 6))
    seen = name == "branches" and "nobody looks" not in request.node.name
    assert seen != any("each with its own" in plan for plan in plans(here))


@pytest.mark.usefixtures("way", "quiet")
@pytest.mark.parametrize("name", ["down", "along", "before", "table"])
@pytest.mark.parametrize("room", [0, 500, 1000])
def test_no_more_lanes_than_there_is_room_for(name, room, apart, monkeypatch):
    """With room for none they go on one after the other."""
    apart()
    monkeypatch.setattr(cpu_lanes, "MACHINE", replace(SMALL, strip_lanes=16, private_bytes=room))
    for n, m in [(40, 6), (19, 9)]:
        _, left = harness.run(PROGRAMS[name], **given(n, m))
        assert left is not None


SHARED = {
    "one another": lambda names: names | {"q": names["p"]},
    "a part of one another": lambda names: names | {"q": names["p"][1:], "p": names["p"][:-1]},
    "a row": lambda names: names | {"q": names["u"][2]},
}


@pytest.mark.usefixtures("way", "quiet")
@pytest.mark.parametrize("name", SHARED)
def test_not_where_they_share_memory(name):
    here, left = harness.run(DOWN, **SHARED[name](given(9, 6)))
    assert left is not None
    assert plans(here)
    assert not any("each with its own" in plan for plan in plans(here))


REFUSED = {
    "what the iteration before has left": """\
for i in range(n):
    for j in range(1, m):
        q[j] = q[j - 1] * 0.5 + u[j, i] + q[j + 1]
    for j in range(m):
        v[j, i] = q[j]
""",
    "what not every iteration fills": """\
for i in range(n):
    q[0] = u[0, i]
    for j in range(1, i + 1):
        q[j] = q[j - 1] * 0.5 + u[j, i]
    for j in range(i + 1):
        v[j, i] = q[j]
""",
    "what is left early": """\
for i in range(n):
    q[0] = u[0, i]
    for j in range(1, m):
        if z[j] > 3.0:
            break
        q[j] = q[j - 1] * 0.5 + u[j, i]
    v[0, i] = q[0]
""",
    "loops that vectors go along anyway": """\
for i in range(n):
    for j in range(m):
        q[j] = u[i, j] * 0.5
    for j in range(m):
        v[i, j] = q[j] + q[m - 1 - j]
""",
}


@pytest.mark.usefixtures("way", "quiet")
@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_on_together(name):
    here, left = harness.run(REFUSED[name], **given(6, 8))
    assert left is not None
    assert plans(here)
    assert not any("each with its own" in plan for plan in plans(here))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["down", "along", "scalars", "all alike"])
def test_warnings_are_those_of_the_interpreter(name):
    names = given(9, 6)
    names["u"][3, 4] = names["v"][4, 3] = names["z"][2] = 1e300
    names["u"][4, 4] = names["v"][5, 3] = names["z"][3] = 1e308
    copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in names.items()}
    with warnings.catch_warnings(record=True) as wanted:
        warnings.simplefilter("default")
        exec(compile(PROGRAMS[name], "<text>", "exec"), {"__name__": "user", **copies})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        _, left = harness.run(PROGRAMS[name], **names)
    assert left is not None
    assert sorted(str(w.message) for w in found) == sorted(str(w.message) for w in wanted)
    for array in "uvpq":
        assert np.array_equal(names[array], copies[array], equal_nan=True)


@pytest.mark.usefixtures("way", "quiet")
def test_a_division_by_zero_leaves_what_came_before():
    source = """\
for i in range(n):
    q[0] = u[0, i]
    for j in range(1, m):
        q[j] = q[j - 1] * 0.5 + 1.0 / float(u[j, i])
    for j in range(m):
        v[j, i] = q[j]
"""
    names = given(9, 6)
    names["u"][3, 7] = 0.0
    before = {k: v.copy() for k, v in names.items() if isinstance(v, np.ndarray)}
    with pytest.raises(FallbackError):
        harness.run(source, **names)
    assert all(np.array_equal(names[k], v) for k, v in before.items())
