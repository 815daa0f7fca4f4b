"""Zeros of both signs that replace one another: of equals the last one stays, or the first one.

A part of the loop that had not come to an element took the value from before for its own, and
replaced what an earlier part had written.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from outcome import both

from autopar import config

pytestmark = pytest.mark.usefixtures("strict")

HEAD = """
import numpy as np
N = 4000
k = np.arange(N) % 7
h, x = np.full(8, ZERO), np.ones(N)
if OP in ("<=", "<"):
    x[k == 3] = -1.0
else:
    x[:] = -x
    x[k == 3] = 1.0
k[10], x[10] = 7, -ZERO
k[2000], x[2000] = 6, -ZERO
k[2600], x[2600] = 6, ZERO
"""
TESTS = {op: f"for i in range(N):\n    if x[i] {op} h[k[i]]:\n        h[k[i]] = x[i]\n"
         for op in ("<=", ">=", "<", ">")}  # fmt: skip
TURNED = "for i in range(N):\n    if h[k[i]] >= x[i]:\n        h[k[i]] = x[i]\n"


@pytest.mark.parametrize("device", ["cpu", "opencl"])
@pytest.mark.parametrize("zero", ["0.0", "-0.0"])
@pytest.mark.parametrize("op", TESTS)
def test_zeros(op: str, zero: str, device: str) -> None:
    if device == "opencl":
        pytest.importorskip("pyopencl")
    config.use(replace(config.current(), device=device))
    both(HEAD.replace("ZERO", zero).replace("OP", repr(op)) + TESTS[op])


@pytest.mark.parametrize("zero", ["0.0", "-0.0"])
def test_zeros_of_the_other_side(zero: str) -> None:
    both(HEAD.replace("ZERO", zero).replace("OP", "'<='") + TURNED)


def test_only_zeros_are_no_reason_to_be_unsure() -> None:
    from autopar.kernel import Reduction
    from autopar.runtime.run import joins

    reduction = Reduction("h", "<=", frozenset(), array=True)
    zeros, others = np.zeros(3), np.array([-0.0, 1.0, 2.0])
    assert joins.tied(reduction, zeros, [others])
    assert not joins.tied(reduction, zeros, [zeros, np.ones(3)])
    assert not joins.tied(reduction, others, [np.ones(3)])
    assert not joins.tied(Reduction("h", "<", frozenset(), array=True), zeros, [others])
    assert not joins.tied(reduction, np.zeros(3, int), [np.zeros(3, int)])


SCALARS = """
import numpy as np
def run(x, best):
    for i in range(len(x)):
        best = BODY
    return best
x = np.full(40000, 7, KIND)
x[7], x[30000] = FIRST
r = run(x, START)
"""
FORMS = ("min(x[i], best)", "best if best < x[i] else x[i]", "x[i] if x[i] <= best else best")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("device", ["cpu", "opencl"])
def test_a_scalar_that_equals_what_it_was_before(form: str, device: str) -> None:
    """A part without anything as small had the value from before, which replaced an equal one."""
    if device == "opencl":
        pytest.importorskip("pyopencl")
    config.use(replace(config.current(), device=device))
    source = SCALARS.replace("BODY", form)
    for kind, first, start in (
        ("int", "3, 8", "3"), ("int", "3, 3", "3"), ("float", "-0.0, 1.0", "0.0"),
        ("float", "0.0, 1.0", "-0.0"), ("float", "-0.0, 0.0", "0.0"), ("float", "3.0, 5.0", "3"),
    ):  # fmt: skip
        both(source.replace("KIND", kind).replace("FIRST", first).replace("START", start))
