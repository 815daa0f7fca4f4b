"""Programs in which several analyses met, each cut down to what it needs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autopar import config

sys.path.insert(0, str(Path(__file__).parents[1] / "same"))
import harness

from fuzz.compare import judge
from fuzz.program import Program
from fuzz.setting import eager

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]


def both(source: str, **names: Any) -> dict[str, Any] | None:
    """What kernels gave, or None; raises where the interpreter gives something else."""
    here, found = harness.run(source, **names)
    assert here.record is not None
    refusal = here.record.refusal
    assert refusal is None or refusal.code != "internal", refusal
    return found


# ---------------------------------------------------------------------------- index arrays


@pytest.mark.parametrize("least", [-14, -7, 0])
def test_what_holds_of_an_element_says_nothing_of_one_whose_subscript_wraps(least):
    """That ``p[j]`` is ``p[0] + j`` would make every `j` at least 0, and ``a[p[j]]`` in bounds."""
    a, p = np.arange(40), np.arange(14) + least
    both(
        "for i in range(2, 7):\n    for j in range(p[i], p[i + 1]):\n        a[p[j]] += h\n",
        a=a, p=p, h=100,
    )  # fmt: skip
    assert np.count_nonzero(a >= 100) == 5


# ---------------------------------------------------------------------------- warnings


def test_a_product_in_parts_warns_where_it_does_in_order() -> None:
    """No part of the product leaves 64 bits, nor does the sum of all of them."""
    source = "for i in range(n):\n    for j in range(n):\n        a[0] *= k\n"
    setup = "n = 8\nk = 2\na = values('int64', (9,), 1)\na[0] = 3\n"
    program = Program(setup, source, order=0)
    with eager():
        judge(program)


# ---------------------------------------------------------------------------- private arrays


def test_a_loop_that_a_closed_form_has_left_empty_beside_a_private_array() -> None:
    """Nobody reads `k` afterwards, so the loop that steps it has nothing left to do."""
    source = (
        "for i in range(n):\n"
        "    z = k\n"
        "    for j in range(n):\n"
        "        t[j] = z + j\n"
        "    for j in range(n):\n"
        "        a[i, j] = t[n - 1 - j]\n"
        "    for j in range(m):\n"
        "        k += h\n"
    )
    setup = "n = 6\nm = 3\nh = 2\nk = 0\na = values('float64', (8, 8), 1)\nt = a[7].copy()\n"
    with eager():
        config.use(replace(config.current(), verify=True))
        judge(Program(setup, source, place="result", order=1))


# ---------------------------------------------------------------------------- strips


@pytest.mark.parametrize("order", [0, 1])
def test_a_loop_in_order_has_the_number_of_one_in_parallel(order):
    """Distributed, `i` runs in parallel in one copy and in order, under the `if`, in the other."""
    setup = "M = np.zeros((4, 30))\nC = np.ones(3)\nD = np.ones(30)\nD[7] = 0\nm = h = 4\nn = 30\n"
    loop = (
        "for t in range(m):\n    if t < h:\n        for i in range(n):\n            M[t, i] = i\n"
        "            C[0] = C[0] + 1.0 / (1.0 / D[i]) + M[t, i]\n"
    )
    with eager():
        judge(Program(setup=setup, loop=loop, threads=3, order=order))
