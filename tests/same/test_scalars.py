"""Integer scalars that are stepped along with loops, compared with CPython bit by bit."""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import harness
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autopar import config, journal
from drawn import sampled_from


@pytest.fixture
def checked(cache: Any) -> Iterator[None]:
    """Verify whatever is taken; an error of our own is raised."""
    before = config.current()
    config.use(replace(before, verify=True, check=True, cache_dir=cache, threads=3))
    yield
    config.use(before)


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).random(shape)


def run(source: str, **names: Any) -> tuple[journal.LoopRecord, dict[str, Any]]:
    """Record and live-outs of a nest that must be compiled and that CPython agrees with."""
    here, found = harness.run(source, **names)
    assert found is not None
    assert here.record is not None
    return here.record, found


# ---------------------------------------------------------------------------- looked through


@pytest.mark.usefixtures("strict")
def test_a_subscript_that_is_only_a_name():
    source = "for i in range(n):\n    t = i + 1\n    a[t] = b[t - 1]\n"
    record, found = run(source, a=floats(40), b=floats(40), n=39)
    assert (record.parallel_loops, record.sequential_loops) == (["i"], [])
    assert found == {"i": 38, "t": 39}


@pytest.mark.usefixtures("strict")
def test_a_recurrence_through_a_name_stays_in_order():
    source = "for i in range(n):\n    t = i + 1\n    a[t] = a[t - 1] + b[i]\n"
    record, _ = run(source, a=floats(40), b=floats(40), n=39)
    assert record.parallel_loops == []
    assert record.notes == [
        "line 3 writes `a[t]`, line 3 reads `a[t - 1]`: loop `i` must run in order (distance 1)"
    ]


# ---------------------------------------------------------------------------- induction

PARALLEL = {
    "before and after": "for i in range(n):\n    a[k] = b[k + 1]\n    k += 2\n    c[i] = b[k]\n",
    "several updates": "for i in range(n):\n    k += 1\n    a[k] = 1.0\n    k += 1\n    a[k] = 2.0\n",
    "downwards": "for i in range(n):\n    a[k + 25] = b[i]\n    k = k - 1\n",
    "backwards": "for i in range(n - 1, -1, -1):\n    a[k] = b[i]\n    k += 1\n",
    "steps": "for i in range(1, n, 3):\n    a[k] = b[i]\n    k += 1\n",
    "steps down": "for i in range(n, 0, -3):\n    a[k] = b[i]\n    k += 1\n",
    "the step of a range": "for i in range(0, n, m):\n    a[k] = b[i]\n    k += m\n",
    "by a live-in": "for i in range(n):\n    c[i] = b[k]\n    k += m\n",
    "a name in between": "for i in range(n):\n    s = k\n    k = k + 1\n    a[s] = b[k]\n",
    "before a continue": (
        "for i in range(n):\n    k += 1\n    if b[i] > 0.5:\n        continue\n    a[k] = b[i]\n"
    ),
    "two loops": "for i in range(n):\n    for j in range(2):\n        a[k] = b[j]\n        k += 1\n",
    "two loops, read": "for i in range(n):\n    for j in range(m):\n        D[i, j] = b[k]\n        k += 1\n",
    "a loop before": (
        "for i in range(n):\n    for j in range(2):\n        k += 1\n    a[k] = b[i]\n"
    ),
    "begun inside": (
        "for i in range(n):\n    p = 3\n    for j in range(m):\n        D[i, p] = b[j]\n        p += 1\n"
    ),
    "of another": "for i in range(n):\n    c[i] = b[k]\n    k += i\n",
    "the loop's own variable": "for i in range(n):\n    i = i + 1\n    a[i] = b[i]\n",
    "a triangle, read": (
        "for i in range(n):\n    for j in range(i, n):\n        D[j, i] = b[k]\n        k += 1\n"
    ),
    "wraps around": "for i in range(n):\n    a[i] = b[k]\n    k = i\n",
    "wraps around twice": "for i in range(n):\n    a[i] = b[k] + b[m]\n    m = k\n    k = i\n",
    "wraps around from before": "for i in range(n):\n    a[i] = b[z]\n    z = i\n",
}  # fmt: skip


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("n", [0, 1, 2, 12])
@pytest.mark.parametrize("name", PARALLEL)
def test_closed_forms(name: str, n: int):
    names = {"a": floats(60), "b": floats(100), "c": floats(60), "D": floats(20, 20)}
    source = PARALLEL[name]
    record, found = run(source, **names, n=n, m=4, k=3, z=-1)
    assert record.sequential_loops == []
    assert "i" in record.parallel_loops
    for live, value in found.items():
        if repr(value) != "<unset>":
            space = {key: np.copy(v) for key, v in names.items()} | {
                "n": n,
                "m": 4,
                "k": 3,
                "z": -1,
            }
            exec(source, space)
            assert (type(value), value) == (int, space[live]), live


@pytest.mark.usefixtures("strict")
def test_an_update_that_makes_iterations_meet():
    record, _ = run(
        "for i in range(n):\n    a[k] = a[k - 1] + b[i]\n    k += 1\n",
        a=floats(40), b=floats(40), n=30, k=1,
    )  # fmt: skip
    assert record.parallel_loops == []


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(
    "source",
    [
        "for i in range(n):\n    if b[i] > 0.5:\n        k += 1\n    a[k] = b[i]\n",
        "for i in range(n):\n    if b[i] > 0.5:\n        continue\n    a[k] = b[i]\n    k += 1\n",
        "for i in range(n):\n    for j in range(1):\n        if b[i] > 0.5:\n            break\n        k += 1\n    a[k] = b[i]\n",
        "for i in range(n):\n    a[k] = b[i]\n    k = k * 2 % 7\n",
    ],
)  # fmt: skip
def test_what_no_closed_form_has(source: str):
    record, _ = run(source, a=floats(40), b=floats(40), n=20, k=1)
    assert record.parallel_loops == []


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("k", [np.int64(3), np.int8(120), np.uint8(250), 3.0])
def test_other_numbers_are_left_alone(k: Any):
    """NumPy's integers wrap."""
    with np.errstate(all="ignore"):
        source = "for i in range(n):\n    c[i] = k\n    k += one\n"
        _, found = run(source, c=floats(20), n=10, k=k, one=type(k)(1))
    assert type(found["k"]) is type(k)


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize(
    ("k", "m", "n"),
    [(2**63 - 5, 1, 10), (2**62, 2**61, 3), (-(2**63) + 2, -1, 9), (5, 2**40, 2**3)],
)
def test_values_beyond_64_bits(k: int, m: int, n: int):
    source = "for i in range(n):\n    for j in range(n):\n        c[i] = 1.0\n        k += m\n"
    _, found = harness.run(source, c=floats(20), n=n, k=k, m=m)
    assert found is None or found["k"] == k + n * n * m


@pytest.mark.usefixtures("checked")
def test_an_entry_that_is_unbound():
    assert (
        harness.run("for i in range(n):\n    a[k] = 1.0\n    k += 1\n", a=floats(9), n=3, k=None)[1]
        is None
    )


def test_closed_forms_are_private_to_a_call(strict: None):
    here = harness.site("for i in range(n):\n    a[k] = b[i]\n    k += 1\n")
    a, b = floats(60), floats(60)
    for k in (0, 7, 7, 20):
        names = {"a": a, "b": b, "n": 11, "k": k}
        found = here.run(tuple({**vars(np), **names, "range": range}[r] for r in here.spec.roots))
        assert dict(zip(here.spec.live_out, found, strict=True)) == {"i": 10, "k": k + 11}
        assert a[k : k + 11].tobytes() == b[:11].tobytes()


# ---------------------------------------------------------------------------- at random


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A nest of one to three loops in which `k`, `p` and `q` change in all sorts of ways."""
    scalars = ["k", "p", "q"]

    def atom(around: list[str]) -> str:
        return draw(sampled_from([*scalars, *scalars, *around, "n", "m", "1", "2"]))

    def integer(around: list[str]) -> str:
        op = draw(sampled_from(["{}", "{}", "{} + {}", "{} - {}", "2 * {} - 1", "{} + {} // 2"]))
        return op.format(*(atom(around) for _ in range(op.count("{}"))))

    def statement(around: list[str], pad: str, depth: int) -> list[str]:
        kind = draw(st.integers(0, 15))
        name = draw(sampled_from(scalars))
        if kind <= 4:
            op = draw(sampled_from(["+= 1", "+= 2", "-= 1", "+= m", "-= 2"]))
            return [f"{pad}{name} {op}"]
        if kind == 5:
            return [f"{pad}{name} = {integer(around)}"]
        if kind == 6:
            return [f"{pad}{name} = {draw(sampled_from(around))}"]
        if kind == 7:
            word = draw(sampled_from(["continue", "break", f"{name} += 1", f"{name} = n"]))
            return [f"{pad}if b[{draw(sampled_from(around))}] > 0.7:", f"{pad}    {word}"]
        if kind == 8:
            return [f"{pad}{name} += {draw(sampled_from(around))}"]
        if kind <= 10 and depth < 3:
            return loop(around, pad, depth)
        if kind == 11:
            return [f"{pad}c[{draw(sampled_from(around))}] = {name} * 0.5"]
        target = draw(
            sampled_from([f"a[{integer(around)}]", f"a[{name}]", f"D[{around[0]}, {name}]"])
        )
        return [f"{pad}{target} = b[{integer(around)}] + {len(pad)}"]

    def loop(around: list[str], pad: str, depth: int) -> list[str]:
        var = "ijl"[depth]
        bounds = draw(
            sampled_from(
                ["n", "m", "3", "1, n", "n, 0, -1", "0, n, 2", "n, -1, -3", "m, n, m"]
                + (
                    [
                        around[-1],
                        f"{around[-1]}, n",
                        f"{around[-1]}, -1, -1",
                        f"n - {around[0]}",
                        "k",
                    ]
                    if around
                    else []
                )
            )
        )
        here, inner = [*around, var], pad + "    "
        made = [f"{pad}for {var} in range({bounds}):"]
        for _ in range(draw(st.integers(1, 4 - depth))):
            made += statement(here, inner, depth + 1)
        return made

    return "\n".join(loop([], "", 0)) + "\n"


@pytest.mark.usefixtures("checked")
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    source=programs(),
    n=st.integers(0, 6),
    m=st.integers(1, 4),
    k=st.integers(0, 9),
    p=st.integers(-1, 3),
)
def test_random_updates(source: str, n: int, m: int, k: int, p: int):
    with np.errstate(all="ignore"):
        here, _ = harness.run(
            source,
            a=floats(90),
            b=floats(90),
            c=floats(90),
            D=floats(9, 90),
            n=n,
            m=m,
            k=k,
            p=p,
            q=0,
        )
    assert here.record is not None
    refusal = here.record.refusal
    assert refusal is None or refusal.code != "internal", refusal
