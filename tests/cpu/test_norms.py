"""``math.hypot`` has the bits of CPython's own code."""

from __future__ import annotations

import math

import harness
import numpy as np
import pytest

from autopar.cpu import norms
from autopar.runtime.site import FallbackError

pytestmark = pytest.mark.skipif(not norms.known(), reason="of another Python")
ODD = [0.0, -0.0, 5e-324, 4e-309, 9e-309, 1.7e-308, 3e-160, 1e160, 1.7e308, math.inf, math.nan]


def numbers(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    some = rng.uniform(-2, 2, count) * np.exp2(rng.integers(-1070, 1020, count).astype(float))
    return rng.permutation(np.concatenate([some, rng.normal(size=count), ODD * 20, [-math.inf]]))


@pytest.mark.parametrize(
    "call",
    [
        "math.hypot(x[i], y[i])",
        "math.hypot(x[i], y[i], z[i])",
        "math.hypot(x[i], k[i])",
        "math.hypot(float(x[i]), 3)",
        "math.hypot(f[i], x[i])",
        "math.hypot(True, k[i], 0.5)",
    ],
)
def test_the_same_bits(strict, quiet, call):
    names = dict(zip("xyz", (numbers(3_000, seed) for seed in range(3)), strict=True))
    n = len(names["x"])
    names["k"] = np.random.default_rng(5).integers(-(2**62), 2**62, n)
    names["f"] = names["y"].astype("float32")
    b = np.zeros(n)
    source = f"for i in range(n):\n    b[i] = {call}\n"
    here, _ = harness.run(source, **names, b=b, n=n, math=math)
    assert here.record.runs == 1
    plain = {**names, "b": np.zeros(n), "n": n, "math": math}
    exec(compile(source, "<text>", "exec"), plain)
    assert np.array_equal(b, plain["b"], equal_nan=True)


@pytest.mark.parametrize("call", ["math.hypot(x[i])", "math.hypot(x[i], 1.0, 2.0, 3.0)"])
def test_of_other_lengths_it_is_left_to_python(lenient, call):
    source = f"for i in range(n):\n    b[i] = {call}\n"
    assert harness.run(source, x=np.ones(9), b=np.zeros(9), n=9, math=math)[1] is None


def test_of_another_python_it_is_left_to_it(apart, monkeypatch):
    apart()
    monkeypatch.setattr(norms, "known", lambda: False)
    source = "for i in range(n):\n    b[i] = math.hypot(x[i], 1.0)\n"
    with pytest.raises(FallbackError, match="hypot"):
        harness.run(source, x=np.ones(9), b=np.zeros(9), n=9, math=math)
