"""Whether one thread that waits for sums is priced against several."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.runtime.choice.decide import State, Way, parameters
from autopar.runtime.choice.meanwhile import alone_wins, waits
from autopar.runtime.choice.price import Call
from autopar.sched.plan import in_order

STEP = """
for t in range(q):
    s = 0.0
    for i in range(n):
        s += x[i] * z[i]
    r = s * 0.5
    for i in range(n):
        z[i] = z[i] + y[i] * r
    {beside}
"""
BESIDE = "for k in range(m):\n        w[k] = w[k] * 2.0 + t"


def wins(beside="pass", threads=2, size=1000, launches=2.0, fuse=True, **sizes):
    nest = replace(lift_text(STEP.format(beside=beside)), live_out=())
    arrays = {p: ArrayType("float64", 1, "C", True, True) for p in nest.paths if p in "wxyz"}
    typed = infer(nest, arrays, {p: "int" for p in nest.paths if p in "nmq"}, {})
    state = State(typed)
    numbers = {"n": size, "m": size, "q": 5} | sizes
    env = {name: (number, number) for name, number in numbers.items()}
    env |= {f"{a}.shape[0]": (size, size) for a in "wxyz"}
    known = Facts(typed.ints, tuple((p, k.ndim) for p, k in typed.arrays))
    analysis = state.analyse(known)
    held = analysis.held(parameters(analysis, state, env))
    plan = state.plan(known, held, Way.PARTS)
    assert waits(plan), plan
    alone = state.fusions.plan(known, in_order(plan), env) if fuse else in_order(plan)
    middle = {name: float(low) for name, (low, _) in env.items()}
    call = Call(env, middle, dict.fromkeys("wxyz", 8 * size), 0.0, threads, False)
    return alone_wins(alone, launches, call)


def test_what_is_joined_takes_no_time():
    assert wins(size=10**5)
    assert wins(size=10**5, threads=64)
    assert not wins(size=10**5, fuse=False)


def test_the_rest_goes_faster_on_several():
    assert not wins(BESIDE, size=10**5, m=10**6)
    assert wins(BESIDE, size=10**5, m=10**2)
    assert not wins(BESIDE, size=10**5, m=5 * 10**4, threads=64)


def test_what_comes_from_memory_is_left_to_all():
    assert not wins(size=10**7)


@pytest.mark.parametrize("threads", [2, 16])
def test_launches_count(threads):
    assert wins(BESIDE, size=1000, threads=threads, launches=10**4)
