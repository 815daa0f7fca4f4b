"""Warnings of nests whose infinities are looked for once, after a loop over steps."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from outcome import FILE, taken

from autopar import config, pipeline
from autopar.runtime.choice import choose, ways
from autopar.sched.machine import MACHINE
from autopar.verdict import Refusal

BODIES = {
    "there and back": """
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = (a[i - 1, j] + a[i, j] * c + a[i, j + 1]) / 3.0
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = b[i + 1, j] + b[i, j] * c - b[i, j - 1]
""",
    "each on its own": """
        for j in range(m):
            b[0, j] = c
        for i in range(1, n):
            for j in range(m):
                b[i, j] -= c * (a[i, j] - a[i - 1, j])
        for i in range(n - 1):
            for j in range(m):
                a[i, j] += c * b[i + 1, j]
""",
    "a row": """
        for j in range(m):
            a[2, j] = a[2, j] * c + b[t % n, j]
""",
    "in order": """
        for j in range(1, m - 1):
            a[2, j] = a[2, j] * c + a[2, j - 1]
""",
}


LOOKING = {
    "there and back": [True],
    "each on its own": [True, True],
    "a row": [True],
    "in order": [False],
}
"""Of each kernel that looks at cells, whether it does so with a part of them."""


def started(name, dtype, steps, c):
    n, m = 12, 40
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-1.0, 1.0, (2, n, m)).astype(dtype)
    source = "def f(a, b, c, steps, n, m):\n    for t in range(steps):"
    source += BODIES[name] + "f(a, b, c, steps, n, m)\n"
    scale = np.dtype(dtype).type(c)
    return source, {"a": a, "b": b, "c": scale, "steps": steps, "n": n, "m": m}


def plainly(source, **data):
    exec(compile(source, FILE, "exec"), {"np": np, **data})


def shown(run, source, data):
    """Words and lines of the warnings, and what `run` answers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        result = run(source, **data)
    return [(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning], result


@pytest.fixture
def looks(apart, monkeypatch):
    """Where cells are looked at, whatever it costs to have a copy of them: in which kernels."""
    apart()
    monkeypatch.setattr(choose, "MACHINE", replace(MACHINE, later_share=np.inf))
    found = []
    emitted = pipeline.emit

    def noted(typed, plan, options):
        program = emitted(typed, plan, options)
        if not isinstance(program, Refusal):
            found.extend(kernel.parallel for kernel in program.kernels if kernel.later)
        return program

    monkeypatch.setattr(pipeline, "emit", noted)
    monkeypatch.setattr(ways, "_MOST_TRAILING", 0)  # in blocks of rows, all is looked at at once
    return found


@pytest.mark.parametrize("name", BODIES)
def test_nothing_is_said_of_finite_numbers(name, looks):
    if name == "in order":  # several threads would go along diagonals
        config.use(replace(config.current(), threads=1))
    said, outcome = shown(taken, *started(name, "float64", 20, 0.5))
    assert not said
    assert outcome.loops[2] == "compiled"
    assert looks == LOOKING[name]


def test_cells_that_no_step_comes_to_are_not_looked_at(looks):
    """Where no iteration is, nothing says that the cells are there."""
    source = """
def f(a, n, rows):
    for r in range(n):
        for t in range((r - 5) * 9):
            for j in range((6 - r) * rows):
                a[j] = a[j] * 0.5 + 1.0
            for j in range((6 - r) * rows):
                a[j] = a[j] - 0.25
f(a, 7, 10**9)
"""
    said, outcome = shown(taken, source, {"a": np.ones(5)})
    assert not said
    assert outcome.error is None
    assert outcome.loops[3] == "compiled"


OVERWRITTEN = {
    "from behind": """
def f(a, c, m, steps):
    for t in range(steps):
        for j in range(m):
            a[0, j] = a[0, j] * c[t]
        for i in range(3, -1, -1):
            for j in range(m):
                a[i, j] = 0.5
f(a, c, m, steps)
""",
    "as the next row": """
def f(a, c, m, steps):
    for t in range(steps):
        for j in range(m):
            a[0, j] = a[0, j] * c[t]
        for j in range(m):
            a[1, j] = 0.5
f(a, c, m, steps)
""",
}


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_what_is_overwritten_is_seen_before(name, looks):
    m, steps = 40, 20
    c = np.full(steps, 1e300)
    a = np.full((4, m), 1e10)
    if name == "as the next row":  # each element of one row is the one before of the next
        a = np.lib.stride_tricks.as_strided(a, (2, m), (8, 8))
    data = {"a": a, "c": c, "m": m, "steps": steps}
    expected, _ = shown(plainly, OVERWRITTEN[name], data)
    a[:] = 1e10
    config.use(replace(config.current(), fail_on_fallback=False))
    said, _ = shown(taken, OVERWRITTEN[name], data)
    assert said == expected
    assert expected


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("name", BODIES)
def test_the_same_warnings(name, dtype, looks):
    """Of numbers that grow until there is no larger one, in one of the later steps."""
    growth = float(np.finfo(dtype).max) ** (1 / 25)
    for threads, steps in ((1, 10), (3, 10), (3, 40), (1, 40)):
        config.use(replace(config.current(), threads=threads, fail_on_fallback=False))
        source, data = started(name, dtype, steps, -growth)
        plain = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in data.items()}
        expected, _ = shown(plainly, source, plain)
        said, _ = shown(taken, source, data)
        assert bool(expected) == (steps == 40)
        assert sorted(said) == sorted(expected)
        for path in "ab":
            assert np.array_equal(data[path], plain[path], equal_nan=True)
