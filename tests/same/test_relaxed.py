"""Relaxed mode: what may differ from the source order, and what must not."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from harness import run
from outcome import both

from autopar import config
from autopar.runtime.verify import VerifyError

pytestmark = pytest.mark.usefixtures("lenient")
SIZE = 400
THREE, FOUR = "0x4008000000000000", "0x4010000000000000"


@pytest.fixture(autouse=True)
def relaxed(lenient):
    config.use(replace(config.current(), fp="relaxed", fail_on_fallback=True))


def floats(size=SIZE, dtype="float64", seed=0):
    return np.random.default_rng(seed).normal(size=size).astype(dtype)


SUMS = [
    "s += a[i]",
    "s -= a[i] * b[i]",
    "s = s + a[i] * b[i] + b[i]",
    "s += a[i] / b[i]",
    "s += (a[i] - b[i]) * (a[i] - b[i])",
    "s *= 1.0 + a[i] * 0.001",
    "if a[i] > 0.5:\n        s += b[i]",
]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("body", SUMS)
def test_sums_are_near_and_of_their_type(body, dtype, threads):
    config.use(replace(config.current(), threads=threads))
    a, b = floats(dtype=dtype), floats(dtype=dtype, seed=1) + dtype_of(dtype, 8)
    source = f"for i in range(n):\n    {body}\n"
    space = {"a": a, "b": b, "s": 0.0, "n": SIZE}
    exec(source, space)
    found = run(source, a=a, b=b, s=0.0, n=SIZE)[1]
    assert type(found["s"]) is type(space["s"])
    bound = SIZE * np.finfo(dtype).eps * max(1.0, float(np.abs(a).sum() * np.abs(b).max() ** 2))
    assert abs(float(found["s"]) - float(space["s"])) <= bound


def dtype_of(name, value):
    return np.dtype(name).type(value)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("power", [2, 2.0, 3])
def test_small_powers_are_products(power, dtype):
    a, b = floats(dtype=dtype), np.zeros(SIZE, dtype)
    a[:5] = 0.0, -0.0, np.inf, -np.inf, np.nan
    source = f"for i in range(n):\n    b[i] = a[i] ** {power}\n    s += a[i + 5] ** {power}\n"
    here, found = run(source, a=a, b=b, s=0.0, n=SIZE - 5)
    texts = [k.text for v in variants(here) for k in v.program.kernels]
    assert texts
    assert not any("pow" in text or "squared" in text for text in texts)
    n = SIZE - 5
    near = 2 * np.finfo(dtype).eps
    assert np.allclose(b[:n], a[:n] ** power, rtol=near, atol=0.0, equal_nan=True)
    assert np.array_equal(np.signbit(b[:4]), np.signbit(a[:4] ** power))
    assert np.isclose(found["s"], np.sum(a[5:].astype(float) ** power), rtol=1e-3)


def test_a_power_of_pythons_still_overflows(optimised):
    config.use(replace(config.current(), fail_on_fallback=False))
    both(
        """
def run(x, n):
    found = 0
    for i in range(n):
        found = i
        y = x ** 2
        x = x * 1e100
    return y
try:
    run(2.0, 9)
except OverflowError as error:
    said = str(error)
"""
    )


def variants(here):
    return [v for state in here.engine.states.values() for v in state.variants.values()]


def test_complex_sums():
    z = floats() + 1j * floats(seed=2)
    found = run("for i in range(n):\n    s += z[i] * z[i]\n", z=z, s=0j, n=SIZE)[1]
    assert abs(found["s"] - (z * z).sum()) <= SIZE * 1e-15 * (np.abs(z) ** 2).sum()


def test_infinities_and_nans_come_out():
    a, b = floats(), np.zeros(SIZE)
    a[3], a[7], a[11] = np.inf, -np.inf, np.nan
    source = (
        "for i in range(n):\n    b[i] = a[i] * 2.0 + 1.0\n    if a[i] != a[i]:\n        k += 1\n"
    )
    source += "    if a[i] - a[i] != 0.0:\n        m += 1\n    s += a[i]\n"
    found = run(source, a=a, b=b, k=0, m=0, s=0.0, n=SIZE)[1]
    assert (found["k"], found["m"]) == (1, 3)
    assert np.isnan(found["s"])
    assert np.array_equal(b, a * 2.0 + 1.0, equal_nan=True)
    found = run("for i in range(n):\n    s += a[i]\n", a=a[:7], s=0.0, n=7)[1]
    assert found["s"] == np.inf


def test_what_is_no_float_is_exact():
    """`both` compares all of it bit by bit."""
    both(
        """
import numpy as np
def run(a, b, c, n):
    total, most, place, odd = 0, a[0], 0, np.int32(0)
    for i in range(n):
        total += a[i] * 3 - i
        b[i] = a[i] * a[i] * np.int32(77777)
        c[i % 7] += 1
        if a[i] > most:
            most = a[i]
            place = i
        odd ^= a[i]
    return total, most, place, odd
a = (np.arange(400) * 7919 % 1000).astype(np.int32)
b, c = np.zeros(400, np.int32), np.zeros(7, np.int64)
result = [run(a, b, c, 400) for _ in range(3)]
"""
    )


def test_functions_of_numbers_are_exact():
    a, b = np.abs(floats()), np.zeros(SIZE)
    run("for i in range(n):\n    b[i] = np.exp(a[i])\n", a=a, b=b, n=SIZE, np=np)
    assert b.tobytes() == np.exp(a).tobytes()
    run("for i in range(n):\n    b[i] = a[i] // 0.1\n", a=a, b=b, n=SIZE)
    assert b.tobytes() == (a // 0.1).tobytes()
    run("for i in range(n):\n    b[i] = round(a[i], 3)\n", a=a, b=b, n=SIZE)
    assert b.tolist() == [round(x, 3) for x in a]


@pytest.mark.parametrize("body", ["b[i] = 1.0 / x", "b[i + 1] = a[i] + x", "b[i] = y[i] / y[9]"])
def test_exceptions_are_those_of_python(body):
    config.use(replace(config.current(), fail_on_fallback=False))
    both(
        f"""
import numpy as np
def run(a, b, y, n, x):
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += a[j] * 0.5
        {body}
a, b, y = np.ones(60), np.zeros(60), [float(k % 9) for k in range(60)]
try:
    run(a, b, y, 60, 0.0)
except (ArithmeticError, IndexError) as error:
    said = repr(error)
"""
    )


def test_no_warnings_unless_they_act_at_once():
    a, b = np.zeros(SIZE), np.zeros(SIZE)
    source = "for i in range(n):\n    b[i] = a[i] / a[i]\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        here, found = run(source, a=a, b=b, n=SIZE)
    assert found is not None
    assert not caught
    assert np.isnan(b).all()
    config.use(replace(config.current(), fail_on_fallback=False))
    with np.errstate(invalid="raise"):
        here, found = run(source, a=a, b=b, n=SIZE)
    assert found is None
    assert here.record.refusal.code == "error-state"


def test_exact_and_relaxed_kernels_are_kept_apart(
    optimised,
):
    a = floats()
    source = "for i in range(n):\n    s = 0.0\n    for j in range(n):\n        s += a[j] * a[i]\n"
    source += "    b[i] = s\n"
    wanted = np.zeros(SIZE)
    exec(source, {"a": a, "b": wanted, "n": SIZE})
    found = {}
    for turn, fp in enumerate(("exact", "relaxed", "exact", "ulp")):
        config.use(replace(config.current(), fp=fp))
        found[turn] = np.zeros(SIZE)
        with np.errstate(all="ignore"):  # so that no kernel watches
            run(source, a=a, b=found[turn], n=SIZE)
    for turn in (0, 2, 3):
        assert found[turn].tobytes() == wanted.tobytes()
    assert found[1].tobytes() != wanted.tobytes()
    assert np.allclose(found[1], wanted, rtol=0, atol=1e-11)


def test_verify_knows_what_may_differ(apart, monkeypatch):
    from autopar.cpu import machine

    settings = config.current()
    apart()
    config.use(replace(config.current(), fp=settings.fp))
    a = floats()
    source = "for i in range(n):\n    b[i] = a[i] * 3.0\n"
    true = machine.assemble
    with monkeypatch.context() as patch:
        patch.setattr(
            machine,
            "assemble",
            lambda text, **options: true(text.replace(THREE, FOUR), **options),
        )
        with pytest.raises(VerifyError, match="array b differs"):
            run(source, a=a, b=np.zeros(SIZE), n=SIZE)
