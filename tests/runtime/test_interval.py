"""Ranges of plain integers against enumeration."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autopar.kernel import Claim
from autopar.nest.ir import Assign, Const, For
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import statements
from autopar.runtime.choice import interval

TEXTS = (
    "i + j",
    "2 * i - j",
    "i * j",
    "(i - 1) % m",
    "(i + j) // 3",
    "min(i, j) + max(i, 2)",
    "-i",
)
BOUNDS = st.integers(-6, 6)


def loops(source):
    nest = lift_text(source)
    found = [s for s in statements(nest.loop) if isinstance(s, For)]
    value = next(s.value for s in statements(nest.loop) if isinstance(s, Assign))
    return found, value


@given(
    text=st.sampled_from(TEXTS),
    bounds=st.tuples(BOUNDS, BOUNDS, BOUNDS, BOUNDS),
    steps=st.tuples(st.sampled_from([1, 2, -1, -3]), st.sampled_from([1, -2])),
    m=st.integers(1, 5),
)
def test_every_value_is_in_the_interval(text, bounds, steps, m):
    a, b, c, d = bounds
    head = f"for i in range({a}, {b}, {steps[0]}):\n    for j in range({c}, i + {d}, {steps[1]}):\n"
    (outer, inner), value = loops(f"{head}        x = {text}\n")
    values = [
        eval(text, {"i": i, "j": j, "m": m, "min": min, "max": max})
        for i in range(a, b, steps[0])
        for j in range(c, i + d, steps[1])
    ]
    env = {"m": (m, m)}
    low, high = min(values, default=0), max(values, default=0)
    assert interval.holds(Claim(value, -10_000, 10_000, (outer, inner)), env)
    if values:
        assert not interval.holds(Claim(value, low + 1, 10_000, (outer, inner)), env)
        assert not interval.holds(Claim(value, -10_000, high - 1, (outer, inner)), env)
        if 0 in values:
            claim = Claim(value, -10_000, 10_000, (outer, inner), nonzero=True)
            assert not interval.holds(claim, env)


def test_unknown_names_bound_nothing():
    (loop,), value = loops("for i in range(3):\n    x = i + k\n")
    assert not interval.holds(Claim(value, -(2**62), 2**62, (loop,)), {})


def test_trips_need_known_bounds():
    (loop,), _ = loops("for i in range(0, n, 3):\n    x = i\n")
    assert interval.trips(loop, {"n": (10, 10)}) == 4
    assert interval.trips(loop, {"n": (1, 10)}) is None
    assert interval.value(Const(True), {}) is None
