"""One thread that works while it waits for sums leaves what the source order does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from outcome import both

from autopar import config, pipeline
from autopar.runtime.choice import choose, weighed
from autopar.runtime.choice.waiting import Waiting
from autopar.sched.machine import MACHINE

SOLVER = """
def f(x, r, p, q, w, z, n, steps):
    s = t = None
    rz = 0.0
    for i in range(n):
        z[i] = w[i] * r[i]
        rz += r[i] * z[i]
    for t in range({steps}):
        s = 0.0
        for i in range(n):
            s += p[i] * {q}
        alpha = rz / (s + 2.0)
        for i in range(n):
            x[i] += alpha * p[i]
        for i in range(n):
            r[i] -= alpha * q[i]
        for i in range(n):
            z[i] = w[i] * r[i]
        before = rz
        rz = 0.5
        for i in range(n):
            rz += r[i] * z[i]
        beta = rz / before
        for i in range(n):
            p[i] = z[i] + beta * p[i]
    return rz, s, t
x, r, p, q, w, z = (a.copy() for a in given)
if alias:
    names = dict(x=x, r=r, p=p, q=q, w=w, z=z)
    one, two = alias
    names[one] = names[two]
    x, r, p, q, w, z = (names[k] for k in "xrpqwz")
try:
    left = f(x, r, p, q, w, z, n, steps)
except ZeroDivisionError as error:
    left = repr(error)
"""


@pytest.fixture
def patient(cache, monkeypatch):
    """Two threads are there to be used, and every nest is worth its kernels."""
    before = config.current()
    config.use(replace(before, check=True, verify=True, cache_dir=cache, threads=2))
    monkeypatch.setattr(weighed, "eager", lambda: False)
    monkeypatch.setattr(choose, "MACHINE", replace(MACHINE, dispatch_s=0.0, again_ops=0.0))
    monkeypatch.setattr(Waiting, "enough", lambda *_: True)
    made = []
    emitted = pipeline.emit

    def noted(*args):
        program = emitted(*args)
        made.append(program)
        return program

    monkeypatch.setattr(pipeline, "emit", noted)
    yield made
    config.use(before)


def solver(steps="steps", q="q[i]"):
    return SOLVER.format(steps=steps, q=q)


def given(n):
    return np.random.default_rng(5).random((6, max(n, 1)))


@pytest.mark.parametrize("steps", ["steps", "2, steps + 2", "steps - 1, -1, -1", "0, steps, 3"])
def test_the_same_numbers(patient, steps):
    for n in (60, 0, 1, 2, 3, 17):
        for count in (3, 0, 1, 2, 7):
            both(solver(steps), given=given(n), n=n, steps=count, alias="")
    assert patient
    assert not any(kernel.parallel for program in patient[:2] for kernel in program.kernels)


def test_what_depends_on_the_step_stays_there(patient):
    for n in (60, 1):
        both(solver(q="(q[i] + t)"), given=given(n), n=n, steps=4, alias="")


@pytest.mark.parametrize("alias", ["pq", "rz", "px", "xr", "wz", "zq", "pz"])
def test_arrays_that_are_one(patient, alias):
    for n, count in ((60, 3), (2, 2)):
        both(solver(), given=given(n), n=n, steps=count, alias=alias)


def test_nothing_to_divide_by(patient):
    """The interpreter finds all as it was, and raises what it raises."""
    zero = np.zeros((6, 9))
    out = both(solver().replace("rz = 0.5", "rz = 0.0"), given=zero, n=9, steps=3, alias="")
    assert "ZeroDivisionError" in str(out.names["left"]) or out.names["left"]


@pytest.mark.parametrize("n", [0, 1, 2, 50])
def test_a_loop_divided_for_nothing(patient, n):
    """In one piece it is as it stood: what was to be parallel is done while the sum waits."""
    source = """
def f(x, y, s):
    for i in range(len(x)):
        y[i] = x[i] * 2.0 + 1.0
        s += y[i] * x[i]
    return s
y = np.zeros(len(x))
left = f(x, y, 0.0)
"""
    both(source, np=np, x=np.arange(n) / 7)
