"""What the driver does around kernels: serial loops, branches, ranges that kernels compute."""

from __future__ import annotations

import harness
import numpy as np
import pytest

CASES = {
    "a branch on the driver's loop variable": (
        """
for t in range(6):
    if t % 2 == 0:
        for i in range(n):
            a[i] = b[i] + t
    else:
        for i in range(n):
            b[i] = a[i] * 0.5
""",
        ["i"],
    ),
    "a branch on an element, without else": (
        """
for t in range(6):
    if b[t] > 0.5:
        for i in range(1, n):
            a[i] = a[i] + b[t]
    b[t] = a[t + 1] * 0.1
""",
        ["i"],
    ),
    "a branch inside a branch": (
        """
for t in range(6):
    if t > 1:
        if a[0] < 100.0:
            for i in range(1, n):
                a[i] = a[i] + a[0]
        else:
            a[0] = 0.5
    a[0] = a[0] + a[n - 1]
""",
        ["i"],
    ),
    "a range that an element decides": (
        """
for t in range(5):
    for i in range(k[t], k[t + 1]):
        a[i] = b[i] * 2.0
    k[t + 2] = k[t + 1] + 3
""",
        [],
    ),
    "a range that a scalar decides": (
        """
m = 3
for t in range(5):
    m = m + k[t] % 2
    for i in range(m, n - m):
        a[i] = b[i] + t
    b[t] = a[m]
""".replace("m = 3\n", ""),
        [],
    ),
    "a branch that assigns": (
        """
for t in range(6):
    if t % 3 == 1:
        s = s + 1.0
        for i in range(1, n):
            a[i] = a[i] + s
    a[0] = a[0] + a[n - 1] * s
""",
        ["i"],
    ),
    "a driver loop of computed length": (
        """
for t in range(k[1], k[3]):
    for i in range(1, n):
        a[i] = a[i] + a[0]
    a[0] = a[0] * 0.5 + a[n - 1]
""",
        ["i"],
    ),
}


def names() -> dict[str, object]:
    return {
        "a": np.linspace(0.0, 1.0, 30), "b": np.linspace(1.0, 0.0, 30), "n": 20,
        "k": np.array([0, 4, 4, 9, 12, 15, 17]), "s": 0.5, "m": 3,
    }  # fmt: skip


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("case", CASES)
def test_the_driver_means_the_nest(case):
    source, parallel = CASES[case]
    here, found = harness.run(source.lstrip(), **names())
    assert found is not None
    assert here.record is not None
    assert here.record.runs == 1
    if parallel:
        assert here.record.parallel_loops == parallel


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(
    "bound", ["n // (t - 2)", "k[9 * t]", "n * 10 ** 19 // 10 ** 18", "0, 9, k[t] * 0"]
)
def test_a_range_that_raises_is_the_interpreters(bound):
    source = f"""
for t in range(5):
    for i in range({bound}):
        a[i % 9 + 1] = a[i % 9 + 1] + a[0]
    a[0] = a[0] * 0.5 + a[n - 1]
""".lstrip()
    before = names()
    a, k = before["a"].copy(), before["k"].copy()
    here, found = harness.run(source, **before)
    if found is None:
        assert (before["a"] == a).all()
        assert (before["k"] == k).all()
        assert here.record.refusal is not None
    else:
        assert "**" in bound  # the one that raises nothing


@pytest.mark.usefixtures("strict")
def test_a_parallel_branch_is_launched_once_for_each_time_that_it_is_taken():
    source, _ = CASES["a branch on the driver's loop variable"]
    here, _ = harness.run(source.lstrip(), **names())
    (state,) = here.engine.states.values()
    *_, choice = state.memo.values()
    kernels = choice.variant.loaded.program.kernels
    assert [k.parallel for k in kernels] == [False, True, True]
    assert [k.asks for k in kernels] == [True, False, False]
