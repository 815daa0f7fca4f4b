"""The benchmarks as tests run them on devices: which ones, and what each leaves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import suite
from alpyna.script import digest

__all__ = ["NAMES", "REFUSED", "digest", "left", "suite"]

# What runs on the CPU, and why.
REFUSED = {
    "black_scholes": "the device's own log() may have other bits",
    "rbf_rows": "the device's own exp() may have other bits",
    "smo_comprehension": "the device's own pow() may have other bits",
}
# What an array of `np.empty` holds is anything, and a digest would tell.
NAMES = [name for name in suite.NAMES if name != "smo_loops"]


def left(function: Any, data: dict[str, Any]) -> dict[str, Any]:
    """All that a call leaves behind, its result included."""
    result = function(**data)
    return {**data, "<result>": 0 if result is None else result}
