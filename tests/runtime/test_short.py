"""Parallel loops that are over too soon stay on one thread, between others that do not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from outcome import both

from autopar import config
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.runtime.choice import estimate
from autopar.runtime.choice.decide import State, Way, parameters
from autopar.runtime.choice.price import Call
from autopar.runtime.choice.short import short
from autopar.sched.plan import Loop, launched, walk

STEP = """
for t in range(q):
    for i in range(n):
        x[i] = x[i] * 0.5 + t
    for k in range(m):
        y[k] = y[k] + x[k % n]
    for k in range(m):
        z[k] = z[k] + y[m - 1 - k]
"""


def shortened(source=STEP, threads=2, **sizes):
    """The plan, with its short loops left to one thread, and the numbers of these."""
    nest = replace(lift_text(source), live_out=())
    kinds = {"x": "float64", "y": "float64", "z": "float64", "w": "int64"}
    arrays = {p: ArrayType(kinds[p], 1, "C", True, True) for p in nest.paths if p in kinds}
    typed = infer(nest, arrays, {p: "int" for p in nest.paths if p in "nmq"}, {})
    state = State(typed)
    env = {name: (number, number) for name, number in sizes.items()}
    env |= {f"{a}.shape[0]": (10**7, 10**7) for a in kinds}
    known = Facts(typed.ints, tuple((p, k.ndim) for p, k in typed.arrays))
    analysis = state.analyse(known)
    held = analysis.held(parameters(analysis, state, env))
    plan = state.plan(known, held, Way.PARTS)
    middle = {name: float(low) for name, (low, _) in env.items()}
    numbers = short(plan, Call(env, middle, {}, 0.0, threads, False))
    found = state.shortened(plan, numbers)
    assert found is state.shortened(plan, numbers)
    assert found is plan or numbers
    assert estimate.launches(found.body, middle) <= estimate.launches(plan.body, middle)
    return found, numbers


def test_short_loops_among_long_ones():
    plan, numbers = shortened(n=30, m=10**6, q=5)
    assert numbers == {0}
    assert [loop.loop.var for loop in launched(plan.body)] == ["k", "k"]
    assert [node.brief for node in walk(plan.body) if isinstance(node, Loop)] == [
        False, True, False, False,
    ]  # fmt: skip
    assert "for i in range(n):  # on one thread" in str(plan)
    assert plan.parallel_loops == ("k",)
    assert plan.sequential_loops == ("t", "i")


@pytest.mark.parametrize("sizes", [{"n": 30, "m": 30, "q": 5}, {"n": 10**6, "m": 10**6, "q": 5}])
def test_all_or_none_is_no_matter_of_single_loops(sizes):
    plan, numbers = shortened(**sizes)
    assert not numbers
    assert plan.parallel_loops == ("i", "k")


def test_a_loop_of_unknown_length_counts_as_a_long_one():
    source = STEP.replace("range(n)", "range(w[t])").replace("x[k % n]", "x[k]")
    plan, numbers = shortened(source, m=10**6, q=5)
    assert [loop.loop.var for loop in launched(plan.body)] == ["i", "k", "k"]
    assert not numbers


PROGRAM = """
import numpy as np
def steps(x, y, q):
    best = -1
    for t in range(q):
        low = 1e300
        for i in range(len(x)):
            if x[i] < low:
                low = x[i]
                best = i
        if low > 40.0:
            break
        for j in range(y.shape[0]):
            for k in range(y.shape[1]):
                y[j, k] = y[j, k] * 0.5 + low
        for i in range(len(x)):
            x[i] = x[i] + y[i, i] * 0.125
        x[best] += 3.0
    return best, t
for size in (40, 400, 90, 400):
    x, y = np.arange(float(size)) % 7, np.ones((size, size + 1))
    for _ in range(3): print(size, steps(x, y, 16), x.tobytes(), y.tobytes())
    print(steps(x, y, 0) if size == 0 else "")
"""


def test_a_solver_with_long_and_short_loops(lenient):
    """Statements, short loops and tests of a step are one kernel; its answer is Python's."""
    config.use(replace(config.current(), verify=False, threads=2))
    both(PROGRAM)
