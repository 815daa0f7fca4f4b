"""Elementary functions of a device's own, where the last bit is given up."""

from __future__ import annotations

import importlib
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from harness import run
from on_device import left, suite

from autopar import config, journal
from autopar.device import ulps
from autopar.device.devices import find
from autopar.device.elementary import FUNCTIONS, meant
from autopar.hook.loader import code_of
from autopar.verdict import Refusal

SPANS = {one.name: one.domain for one in FUNCTIONS}


@pytest.fixture
def ulp(pocl: None, apart: Any) -> None:
    """On PoCL with ``fp = "ulp"``; what is computed may differ in the last digits."""
    apart("fp = ulp")
    config.use(replace(config.current(), fp="ulp", check=True))


def columns(name: str, dtype: str = "float64") -> dict[str, Any]:
    rng = np.random.default_rng(4)
    found = {f"x{k}": rng.uniform(*span, 500) for k, span in enumerate(SPANS[name])}
    if dtype == "float32":
        found = {key: np.clip(one, -5, 5) if key == "x1" else one for key, one in found.items()}
        found = {key: np.clip(one, -50, 50).astype(dtype) for key, one in found.items()}
    return {**found, "y": np.zeros(500, dtype)}


def text(call: str, data: dict[str, Any]) -> str:
    args = ", ".join(f"{name}[i]" for name in data if name != "y")
    return f"for i in range(len(y)):\n    y[i] = {call}({args})\n"


def apart_by(one: Any, two: Any) -> float:
    return float(np.max(np.abs(one - two) / np.spacing(np.abs(two))))


@pytest.mark.parametrize(
    "name", [one.name for one in FUNCTIONS if hasattr(math, one.name) and one.name != "hypot"]
)
def test_functions_of_math(name: str, ulp: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ulps, "TOO_FAR", 5.0)  # PoCL's cube root is wrong by three
    data = columns(name)
    if name == "log":
        data["x0"] = np.abs(data["x0"])
    expected = [getattr(math, name)(*row) for row in zip(*[*data.values()][:-1], strict=True)]
    site, _ = run(text(f"math.{name}", data), math=math, **data)
    assert site.record is not None
    assert site.record.device == "opencl:0"
    assert apart_by(data["y"], np.array(expected)) <= 4


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("one", [f for f in FUNCTIONS if f.ufunc])
@pytest.mark.filterwarnings("ignore")
def test_functions_of_numpy(
    one: Any, dtype: str, ulp: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ulps, "TOO_FAR", 5.0)
    data = columns(one.name, dtype)
    function = getattr(np, one.ufunc)
    site, _ = run(text(f"np.{one.ufunc}", data), np=np, **data)
    assert site.record is not None
    assert site.record.device == "opencl:0"
    expected = function(*[*data.values()][:-1])
    assert apart_by(data["y"].astype("f8"), expected.astype("f8")) <= 8 * 2.0 ** (
        0 if dtype == "float64" else 29
    )


def test_powers_and_squares(ulp: None) -> None:
    x = np.random.default_rng(4).uniform(0.5, 9.0, 400)
    data = {"x": x, "a": np.zeros(400), "b": np.zeros(400)}
    source = (
        "for i in range(len(a)):\n    a[i] = x[i] ** 2.5 + float(x[i]) ** 2\n"
        "    b[i] = (x[i] - 1.0) ** 2 + (x[i] - 2.0) ** 2\n"
    )
    site, _ = run(source, **data)
    assert site.record is not None
    assert site.record.device == "opencl:0"
    assert apart_by(data["a"], x**2.5 + x**2) <= 4
    assert apart_by(data["b"], (x - 1.0) ** 2 + (x - 2.0) ** 2) <= 4


def test_where_the_host_raises_the_cpu_finds_out(ulp: None) -> None:
    config.use(replace(config.current(), fail_on_fallback=False))
    x = np.array([1.0, 4.0, -1.0, 2.0])
    site, found = run("for i in range(len(x)):\n    y[i] = math.log(x[i])\n",
                      math=math, x=x, y=np.zeros(4))  # fmt: skip
    assert found is None
    assert site.record is not None
    assert site.record.refusal is not None


def test_exact_mode_leaves_them_to_the_cpu(ulp: None) -> None:
    config.use(replace(config.current(), fp="exact"))
    data = columns("exp")
    expected = [math.exp(x) for x in data["x0"]]
    site, _ = run(text("math.exp", data), math=math, **data)
    assert site.record is not None
    assert site.record.device == "cpu"
    assert data["y"].tolist() == expected


def test_a_function_that_is_too_far_off_is_left_to_the_cpu(
    ulp: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = ulps.table(find("opencl", 0))
    monkeypatch.setattr(ulps, "table", lambda device: {**true, "exp": 2.5})
    data = columns("exp")
    site, _ = run(text("math.exp", data), math=math, **data)
    assert site.record is not None
    assert site.record.device == "cpu"


def test_the_table_is_kept(ulp: None, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ulps.table(find("opencl", 0))
    assert {one.name for one in FUNCTIONS} == first.keys()
    assert max(first.values()) < 16  # what OpenCL allows
    monkeypatch.setattr(ulps, "measured", lambda device: {})
    assert ulps.table(find("opencl", 0)) == first


@pytest.mark.parametrize(
    ("found", "wanted", "raised", "far"),
    [
        (1.0, 1.0 + 2**-52, False, 1.0),
        (np.nan, np.nan, False, 0.0),
        (1.0, np.nan, False, np.inf),
        (np.inf, 1e308, False, np.inf),
        (1.0, 0.0, True, np.inf),
        (np.nan, 0.0, True, 0.0),
        (-np.inf, np.inf, False, np.inf),
    ],
)
def test_distances(found: float, wanted: float, raised: bool, far: float) -> None:
    assert ulps._farthest(*map(np.array, ([found], [wanted], [raised]))) == far


def test_words_that_are_meant() -> None:
    assert meant("libm_exp") == ("exp", "float64")
    assert meant("numpy_arctan2_ddd") == ("atan2", "float64")
    assert meant("numpy_exp_ff") == ("exp", "float32")
    for other in ("libm_hypotf", "numpy_exp_DD", "numpy_exp_ddd", "numpy_fmod_ddd", "sqrt_", "exp"):
        assert meant(other) is None


@pytest.mark.parametrize("name", ["black_scholes", "rbf_rows"])
def test_benchmarks_that_exact_mode_leaves_to_the_cpu(
    name: str, ulp: None, for_cuda: list[Any]
) -> None:
    plain = importlib.import_module(suite.PLACES[name][0])
    size = suite.sizes(name)["tiny"]
    expected = left(plain.run, plain.make(size, 1))
    assert plain.__file__ is not None
    journal.clear()
    space: dict[str, Any] = {"__name__": f"on_device_{name}"}
    with open(plain.__file__, encoding="utf-8") as lines:
        code = code_of(lines.read(), plain.__file__, "text")
    assert code is not None
    exec(code, space)
    found = left(space["run"], space["make"](size, 1))
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-13, atol=1e-13)
    assert {one.device for one in journal.records() if one.runs} == {"opencl:0"}
    assert for_cuda
    assert not any(isinstance(sources, Refusal) for sources in for_cuda)
