"""The benchmarks at their tiny sizes on PoCL: CPython's bytes.  CUDA's compiler takes them all."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autopar import config, journal
from autopar.hook.loader import code_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import suite
from alpyna.script import digest

# What runs on the CPU, and why.
REFUSED = {
    "black_scholes": "the device's own log() may have other bits",
    "rbf_rows": "the device's own exp() may have other bits",
    "smo_comprehension": "the device's own pow() may have other bits",
}


def left(function: Any, data: dict[str, Any]) -> dict[str, Any]:
    """All that a call leaves behind, its result included."""
    result = function(**data)
    return {**data, "<result>": 0 if result is None else result}


# What an array of `np.empty` holds is anything, and verification compares it.
NAMES = [name for name in suite.NAMES if name != "smo_loops"]


@pytest.mark.parametrize("name", NAMES)
def test_benchmarks_leave_the_bytes_of_cpython(name, pocl, apart, for_cuda):
    apart()
    config.use(replace(config.current(), fail_on_fallback=False, check=True))
    plain = importlib.import_module(suite.PLACES[name][0])
    size = suite.sizes(name)["tiny"]
    expected = digest(left(plain.run, plain.make(size, 1)))
    assert plain.__file__ is not None
    text = Path(plain.__file__).read_text()
    journal.clear()
    space: dict[str, Any] = {"__name__": f"on_device_{name}"}
    code = code_of(text, plain.__file__, "text")
    assert code is not None
    exec(code, space)
    assert digest(left(space["run"], space["make"](size, 1))) == expected
    ran = [one for one in journal.records() if one.runs]
    assert ran
    for one in ran:
        assert one.device == "opencl:0" or (one.refusal and REFUSED[name] in one.refusal.text)
    assert (name in REFUSED) == any(one.device == "cpu" for one in ran)
