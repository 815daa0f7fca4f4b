"""Loops of kernels that run few times: a text in which that is known, and loops written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import standin
from harness import run_unseen
from test_device_runs import RNG

from autopar.device import cuda
from autopar.device.unrolling import Lengths, defined

pytestmark = pytest.mark.skipif(standin.compiler() is None, reason="there is no C++ compiler")
SMOOTH = """
for i in range(b.shape[0]):
    for j in range(b.shape[1]):
        s = 0.0
        for k in range(m):
            for q in range(w.shape[1]):
                s += a[i + k, j + q] * w[k, q]
        b[i, j] = s
"""


@pytest.fixture
def texts(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What has been compiled for the stand-in."""
    found: list[str] = []
    compiled = cuda.Cuda.compiled

    def noted(self: cuda.Cuda, text: str) -> Any:
        if " kernel0(" in text:
            found.append(text)
        return compiled(self, text)

    monkeypatch.setattr(cuda.Cuda, "compiled", noted)
    return found


def smooth(m: int, q: int) -> None:
    a, b, w = RNG.random((20, 24)), np.zeros((9, 11)), RNG.random((m, q))
    site, _ = run_unseen(SMOOTH, a=a, b=b, w=w, m=m)
    assert site.record.device == "cuda:0"


def numbers(text: str) -> dict[str, int]:
    """The values that a text is for."""
    head, apart, _ = text.partition("#define AP_APART")
    lines = (line.split() for line in head.splitlines() if apart)
    return {name: int(value) for _, name, value in lines}


def test_a_text_for_each_of_a_few_numbers_of_steps(texts):
    smooth(3, 5)
    assert [numbers(text) for text in texts] == [{"AP_kernel0_m": 3, "AP_kernel0_ap_n1_w": 5}]
    smooth(3, 5)
    assert len(texts) == 1


def test_many_steps_are_no_constants(texts):
    smooth(9, 10)
    assert [numbers(text) for text in texts] == [{}]
    smooth(9, 2)
    assert numbers(texts[-1]) == {"AP_kernel0_ap_n1_w": 2}


def test_a_loop_without_steps_is_none_of_them(texts):
    smooth(0, 3)
    assert [numbers(text) for text in texts] == [{"AP_kernel0_ap_n1_w": 3}]


def test_there_are_few_texts_of_a_kernel(texts):
    for m in range(1, 8):
        smooth(m, 3)
    assert [numbers(text).get("AP_kernel0_m", 0) for text in texts] == [1, 2, 3, 4, 0]
    smooth(2, 3)
    assert len(texts) == 5


def test_how_long_loops_are_that_are_written_out():
    lines: list[str] = []
    found = Lengths("kernel3", {"m": "m"})
    found.assigned("v1_", "0")
    found.assigned("v2_", "ap_n1_w")
    found.assigned("q", "m")  # a name of the user's may stand for something else later
    with found.loop(lines, "0", "m"):
        lines.append("outer")
        found.assigned("s", "0.0")
        with found.loop(lines, "v1_", "v2_"):
            lines.append("inner")
            found.assigned("s", "s + 1.0")
            found.assigned("t", "s")
        with found.loop(lines, "0", "q"):
            found.assigned("s", "2.0")
    inner = "AP_kernel3_ap_n1_w * (2)"
    assert lines == [
        f"#if AP_kernel3_m * (2 + {inner}) <= 1000", "#pragma unroll", "#endif", "outer",
        f"#if {inner} <= 1000", "#pragma unroll", "#endif", "inner",
    ]  # fmt: skip
    assert list(found.bounds) == ["ap_n1_w", "m"]
    for start, stop in (("1", "m"), ("0", "v1_"), ("0", "n"), ("0", "q")):
        with found.loop(lines, start, stop):
            pass
    assert len(lines) == 8
    assert defined("kernel3", [("m", 4)]) == "#define AP_kernel3_m 4\n"
