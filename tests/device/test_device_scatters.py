"""Elements of arrays that all parts of a loop update: copies on the device, put together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from harness import run

from autopar import config
from autopar.runtime.run import joins, on_device

COUNT = "for i in range(len(k)):\n    h[k[i]] += w[i]\n"
pytestmark = [pytest.mark.usefixtures("pocl"), pytest.mark.filterwarnings("ignore")]


def where(source: str, **names: Any) -> tuple[str | None, str]:
    """On which device it ran, and what the report remarks; verified."""
    site, found = run(source, **names)
    assert found is not None
    assert site.record is not None
    return site.record.device, str(site.record.refusal or "")


def data(dtype: str, bins: int = 20, count: int = 5000) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    return {
        "k": rng.integers(0, bins, count),
        "h": np.zeros(bins, dtype),
        "w": rng.integers(0, 3, count).astype(dtype),
    }


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "uint64", "int16"])
def test_what_overflows_is_left_to_the_cpu(dtype: str) -> None:
    """NumPy warns of it in the order of the text."""
    names = data(dtype)
    names["h"][3] = np.iinfo(dtype).max - 1
    device, why = where(COUNT, **names)
    assert device == "cpu"
    assert "only the CPU can tell" in why


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint64", "int16"])
def test_what_does_not_runs_there(dtype: str) -> None:
    assert where(COUNT, **data(dtype)) == ("opencl:0", "")


def test_it_may_have_overflowed_on_the_way() -> None:
    """Up and down again: which parts have which does not matter."""
    names = data("int8", count=400)
    names["w"][:] = np.where(np.arange(400) % 2, 100, -100)
    assert where(COUNT, **names)[0] == "cpu"


def test_a_nan_that_was_there_is_left_to_the_cpu() -> None:
    source = "for i in range(len(k)):\n    if w[i] > h[k[i]]:\n        h[k[i]] = w[i]\n"
    names = data("float64")
    assert where(source, **names) == ("opencl:0", "")
    names = data("float64")
    names["w"][7] = np.nan
    device, _ = where(source, **names)
    assert device in ("cpu", "opencl:0")  # verified in any case


def test_floats_are_added_in_relaxed_mode_only(apart: Any) -> None:
    names = data("float64")
    apart()
    config.use(replace(config.current(), fp="relaxed"))
    assert where(COUNT, **names) == ("opencl:0", "")
    config.use(replace(config.current(), fp="exact"))
    names = data("float64")
    device, why = where(COUNT, **names)
    assert device == "opencl:0"
    assert "in order" in why


def test_large_arrays_are_left_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "_JOINED", 1 << 12)
    device, why = where(COUNT, **data("int64", bins=300))
    assert device == "cpu"
    assert "which is large" in why


def test_a_part_that_is_forgotten_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verification would see it."""
    from autopar.runtime.verify import VerifyError

    gather = joins.gather
    monkeypatch.setattr(joins, "gather", lambda r, array, parts: gather(r, array, parts[1:]))
    with pytest.raises(VerifyError):
        where(COUNT, **data("int64"))


def test_nothing_changes_where_a_later_loop_gives_up() -> None:
    names = data("int64") | {"g": np.full(20, 250, np.uint8), "u": np.ones(5000, np.uint8)}
    source = (
        "for t in range(2):\n    for i in range(len(k)):\n        h[k[i]] += w[i]\n"
        "    for i in range(len(k)):\n        g[k[i]] += u[i]\n"
    )
    assert where(source, **names)[0] == "cpu"
