"""Accumulators computed in parts: the value and the type of the source order, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from harness import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autopar import config, pipeline

pytestmark = pytest.mark.usefixtures("lenient")

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SIZE = 300
STARTS = {
    "int": 7, "float": 2.5, "np.int64": np.int64(-3), "np.int32": np.int32(5),
    "np.float64": np.float64(-0.0), "bool": True, "np.bool": np.False_,
}  # fmt: skip


def data(dtype, seed=0, size=SIZE, low=-9, high=9):
    rng = np.random.default_rng(seed)
    return rng.integers(low, high, size).astype(dtype)


def outcome(source, **names):
    """Site and live-outs; `AUTOPAR_VERIFY` has compared them with the interpreter."""
    site, found = run(source, **names)
    assert site.record.status == "parallel", site.record.refusal
    return found


def same(a, b):
    return type(a) is type(b) and np.array(a).tobytes() == np.array(b).tobytes()


SUMS = [
    ("s += a[i]", "int64", "int"),
    ("s += a[i]", "int64", "np.int64"),
    ("s -= a[i]", "int32", "np.int32"),
    ("s += a[i] * 2 - i % 3", "int16", "int"),
    ("s += 1", "int64", "int"),
    ("if a[i] > 2:\n        s += i", "float64", "int"),
    ("s ^= a[i]", "int64", "int"),
    ("s &= a[i] | 64", "int64", "np.int64"),
    ("s |= a[i] & 12", "int64", "int"),
    ("s = max(s, a[i])", "float64", "float"),
    ("s = min(s, a[i])", "float32", "float"),
    ("if a[i] < s:\n        s = a[i]", "float64", "np.float64"),
    ("if a[i] <= s:\n        s = a[i]", "float64", "np.float64"),
    ("s = max(a[i], s)", "float64", "float"),
    ("s = s if s < a[i] else a[i]", "float64", "np.float64"),
    ("s = s and a[i] > -10", "float64", "bool"),
    ("s = s and a[i] > 2", "float64", "bool"),
    ("s = s or a[i] > 7", "float64", "np.bool"),
    ("s |= a[i] > 7", "float64", "bool"),
    ("if s <= a[i]:\n        s = a[i]", "int64", "int"),
    ("s = a[i] if a[i] > s else s", "int64", "int"),
]


@pytest.mark.parametrize(("body", "dtype", "start"), SUMS)
@pytest.mark.parametrize("n", [0, 1, 2, SIZE])
def test_scalars(body, dtype, start, n):
    a, s = data(dtype), STARTS[start]
    source = f"for i in range(n):\n    {body}\n"
    space = {"a": a, "s": s, "n": n}
    exec(source, space)
    found = outcome(source, a=a, s=s, n=n)
    assert same(found["s"], space["s"])


def test_ties_zeros_and_nans():
    """The first of the least ones, of equal zeros too, with the index that goes with it."""
    values = np.array([3.0, np.nan, 0.0, -0.0, 1.0, -0.0, 0.0, np.nan] * 40)
    for op in ("<", "<="):
        for m in (9.0, np.float64(9.0), 0.0, -0.0, float("nan"), -1.0):
            loop = f"for i in range(n):\n    if a[i] {op} m:\n        m = a[i]\n        p = i\n"
            space = {"a": values, "m": m, "n": values.size, "p": -1}
            exec(loop, space)
            found = outcome(loop, a=values, m=m, n=values.size, p=-1)
            assert same(found["m"], space["m"])
            assert space["p"] == -1 or found["p"] == space["p"]


def test_python_integers_grow_beyond_every_dtype():
    a = np.full(SIZE, 2**62)
    source = "for i in range(n):\n    s += int(a[i])\n"
    site, found = run(source, a=a, s=0, n=SIZE)
    assert found is None
    assert site.record.refusal.reason.name == "FAILED_INSIDE"
    site, found = run(source, a=a, s=-(2**62), n=2)
    assert found["s"] == 2**62
    assert type(found["s"]) is int


@pytest.mark.filterwarnings("ignore:overflow")
def test_overflow_of_the_source_order_alone():
    """Parts that fit and a sum that does not on the way, and the other way round."""
    big = 2**62
    for order in ([big, big, -big, -big], [big, -big, big, -big], [-big, -big, -big, big]):
        a = np.repeat(np.array(order), 1)
        source = "for i in range(n):\n    s += a[i]\n"
        space = {"a": a, "s": np.int64(0), "n": a.size}
        exec(source, space)
        _, found = run(source, a=a, s=np.int64(0), n=a.size)
        assert found is None or same(found["s"], space["s"])


def test_wraps_where_nobody_wants_to_know():
    a = np.full(SIZE, 2**62 + 12345)
    source = "for i in range(n):\n    s += a[i]\n    t *= a[i]\n"
    with np.errstate(all="ignore"):
        space = {"a": a, "s": np.int64(1), "t": np.int64(3), "n": SIZE}
        exec(source, space)
        found = outcome(source, a=a, s=np.int64(1), t=np.int64(3), n=SIZE)
    assert same(found["s"], space["s"])
    assert same(found["t"], space["t"])


HISTOGRAMS = [
    "h[idx[i]] += 1",
    "h[idx[i]] -= a[i]",
    "h[idx[i]] = max(h[idx[i]], a[i])",
    "if a[i] < h[idx[i]]:\n        h[idx[i]] = a[i]",
    "h[idx[i] - 20] ^= a[i]",
]


@pytest.mark.parametrize("body", HISTOGRAMS)
@pytest.mark.parametrize("layout", ["whole", "strided", "reversed"])
def test_elements(body, layout):
    idx = data("int64", 1, low=0, high=20)
    base = data("int64", 2, size=40)
    h = {"whole": base[:20], "strided": base[::2], "reversed": base[19::-1]}[layout]
    outcome(f"for i in range(n):\n    {body}\n", h=h, idx=idx, a=data("int64"), n=SIZE)


COUNT = "for i in range(n):\n    h[idx[i]] += 1\n"


def test_an_element_that_would_overflow_keeps_the_source_order():
    h, idx = np.zeros(4, np.int8), np.zeros(SIZE, np.int64)
    with np.errstate(all="ignore"):
        outcome(COUNT, h=h, idx=idx, n=SIZE)
    assert h[0] == SIZE % 256 - 256 * (SIZE % 256 > 127)
    h = np.zeros(4, np.int8)
    site, _ = run(COUNT, h=h, idx=idx, n=100)
    assert site.record.status == "parallel"
    assert h[0] == 100
    site, _ = run(COUNT, h=np.full(4, 100, np.int8), idx=idx, n=9)
    assert site.record.status == "parallel"


def test_an_index_out_of_range_is_left_to_the_interpreter():
    h, idx = np.zeros(4, np.int64), np.array([0, 1, 2, 9])
    _, found = run(COUNT, h=h, idx=idx, n=4)
    assert found is None
    assert not h.any()


def test_what_goes_with_a_minimum_may_fail_where_it_is_not_taken():
    """A part may take more values than the source order, which must not be noticed."""
    a = np.arange(SIZE, 0, -1.0)
    a[:3] = -1.0
    b = np.zeros(SIZE)
    b[0] = 1.0
    source = "for i in range(n):\n    if a[i] < m:\n        m = a[i]\n        q = 1.0 / b[i]\n"
    _, found = run(source, a=a, b=b, m=np.float64(500.0), q=np.float64(0.0), n=SIZE)
    assert found is not None
    assert found["q"] == 1.0


@QUICK
@given(
    values=st.lists(
        st.sampled_from([0.0, -0.0, 1.5, -2.0, float("nan"), float("inf")]), max_size=40
    ),
    start=st.sampled_from([0.0, -0.0, 9.0, float("nan"), np.float64(1.5), 3]),
    op=st.sampled_from(["<", "<=", ">", ">="]),
    turned=st.booleans(),
)
def test_any_minimum(values, start, op, turned):
    a = np.array(values, np.float64)
    test = f"m {op} a[i]" if turned else f"a[i] {op} m"
    source = f"for i in range(n):\n    if {test}:\n        m = a[i]\n        p = i\n"
    space = {"a": a, "m": start, "n": a.size, "p": -1}
    exec(source, space)
    _, found = run(source, a=a, m=start, n=a.size, p=-1)
    assert found is not None
    assert same(found["m"], space["m"])


@pytest.mark.parametrize("start", [5.0, 0.0, 3, np.float32(0.1)])
@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
def test_a_number_of_pythons_among_those_of_fewer_bits(start, op):
    a = np.full(SIZE, 7 if op.startswith("<") else -7, np.float32)
    a[200], a[100] = 0.1, 5
    source = f"for i in range(n):\n    if a[i] {op} s:\n        s = a[i]\n"
    space = {"a": a, "s": start, "n": SIZE}
    exec(source, space)
    assert same(outcome(source, a=a, s=start, n=SIZE)["s"], space["s"])


@pytest.fixture
def text(monkeypatch):
    """What a nest runs as: the texts of its kernels."""
    emit = pipeline.emit

    def of(source, **names):
        found = []

        def noted(*args):
            program = emit(*args)
            found.extend(kernel.text for kernel in program.kernels)
            return program

        monkeypatch.setattr(pipeline, "emit", noted)
        outcome(source, **names)
        return "".join(found)

    return of


@pytest.mark.parametrize("op", ["<", ">"])
def test_an_extreme_says_itself_that_it_was_found(text, op):
    source = f"for i in range(n):\n    if a[i] {op} s:\n        s = a[i]\n"
    found = text(source, a=data("float64"), s=0.0, n=SIZE)
    assert f"if s {op} s_out[0]:" in found
    assert "took" not in found


@pytest.mark.parametrize(
    "body",
    [
        "if a[i] <= s:\n        s = a[i]",  # an equal one of another type replaces it as well
        "s = max(s, a[i])",  # of the type of either
        "s = s if s < a[i] else a[i]",  # a nan replaces it
        "s += b[i]",
    ],
)
def test_others_note_it(text, body):
    start = 7 if "+=" in body else 0.5
    space = {"a": data("float64"), "b": data("int64"), "s": start, "n": SIZE}
    assert "took_s_ = True" in text(f"for i in range(n):\n    {body}\n", **space)


@pytest.mark.parametrize("start", [1.0, float("nan")])
@pytest.mark.parametrize("body", ["m = max(a[i], m)", "m = m if m < a[i] else a[i]"])
def test_a_nan_that_is_taken_or_dropped(body, start):
    for place in (None, 0, 7, SIZE - 1):
        a = data("float64")
        if place is not None:
            a[place] = np.nan
        source = f"for i in range(n):\n    {body}\n"
        space = {"a": a, "m": start, "n": SIZE}
        exec(source, space)
        found = run(source, a=a, m=start, n=SIZE)[1]
        assert found is not None
        assert type(found["m"]) is type(space["m"])
        assert np.array_equal(found["m"], space["m"], equal_nan=True)


def test_relaxed_sums_of_floats_in_parts():
    config.use(replace(config.current(), fp="relaxed", verify=False, fail_on_fallback=True))
    rng = np.random.default_rng(5)
    a, h, idx = rng.normal(size=SIZE), np.zeros(7), rng.integers(0, 7, SIZE)
    found = outcome("for i in range(n):\n    s += a[i]\n", a=a, s=0.0, n=SIZE)
    assert type(found["s"]) is np.float64
    assert np.isclose(found["s"], a.sum())
    outcome("for i in range(n):\n    h[idx[i]] += a[i]\n", a=a, h=h, idx=idx, n=SIZE)
    assert np.allclose(h, np.bincount(idx, a, 7))
    found = outcome("for i in range(n):\n    s += a[i]\n", a=np.full(3, -0.0), s=-0.0, n=3)
    assert same(found["s"], np.float64(-0.0))
