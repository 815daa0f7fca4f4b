"""Nests that are run again as they are where a kernel rings: nothing is copied before."""

from __future__ import annotations

import warnings

import harness
import numpy as np
import pytest

from autopar.runtime import running
from autopar.runtime.choice import choose

MEAN = "for i in range(1, len(a)):\n    a[i] = 0.5 * a[i - 1] + x[i] * 4.0\n"
TABLE = """\
for i in range(1, n):
    for j in range(1, m):
        if x[i] > x[j]:
            a[i, j] = a[i - 1, j - 1] * 2 + a[i - 1, j]
        else:
            a[i, j] = max(a[i - 1, j], a[i, j - 1]) + 1
"""
AGAIN = """\
for t in range(1):
    k = 0.0
    while k < 1.5:
        for i in range(1, n):
            if k > 0.5:
                a[i] = x[i] * 2.0
            else:
                c[i] = a[i - 1] * 3.0
        k = k + 1.0
"""
SWEEPS = """\
for t in range(4):
    for i in range(1, n - 1):
        c[i] = (a[i - 1] + a[i + 1]) * 1.5
    for i in range(1, n - 1):
        a[i] = (c[i - 1] + c[i + 1]) * x[i]
"""
STEP = "for i in range(len(a)):\n    a[i] = a[i] * 2.0 + x[i]\n"


@pytest.fixture
def runs(strict, monkeypatch):
    """Of each run, what was copied before it, and whether it might have been run again."""
    found = []
    undone = running.undone

    def noted(loaded, choice, *args):
        again = choice.renewed.issuperset(loaded.program.written)
        found.append((undone(loaded, choice, *args), again))
        return found[-1][0]

    monkeypatch.setattr(running, "undone", noted)
    return found


@pytest.mark.parametrize("at", [0, 1, 17, 39])
@pytest.mark.parametrize("value", [1e308, np.inf, np.nan, 3.0])
def test_a_recurrence(runs, at, value):
    x = np.linspace(1, 2, 40)
    x[at] = value
    harness.same_warnings(MEAN, np.linspace(0, 1, 40), x=x)
    assert set(runs) == {((), True)}


@pytest.mark.parametrize("size", [(5, 9), (80, 80)])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32])
def test_a_table(runs, dtype, size):
    n, m = size
    x = np.random.default_rng(1).random(max(size))
    harness.same_warnings(TABLE, np.ones((n, m), dtype), x=x, n=n, m=m)
    assert set(runs) == {((), True)}


@pytest.mark.parametrize("source", [STEP, STEP.replace("x[i]", "a[i - 1]")])
def test_what_changes_is_not_run_twice(runs, source):
    x = np.linspace(1, 2, 40)
    x[7] = 1.7e308
    harness.same_warnings(source, np.full(40, 1e308), x=x)
    assert not any(again for _, again in runs)


def test_a_loop_that_a_while_goes_through_again(runs):
    x, c = np.full(40, 2.0), np.zeros(40)
    x[5] = 1e308
    harness.same_warnings(AGAIN, np.linspace(0, 1, 40), x=x, c=c, n=40)
    assert not any(again for _, again in runs)


def test_a_subscript_that_wraps(runs):
    """The first iteration reads what the last one stores."""
    source = MEAN.replace("range(1,", "range(0,")
    for value in (1.0, 1e308):
        x = np.full(40, value)
        harness.same_warnings(source, np.linspace(0, 1, 40), x=x)
    assert not any(again for _, again in runs)


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_arrays_that_share_memory(runs, shift):
    memory = np.random.default_rng(1).random(60) * 1e308
    source = "for i in range(40):\n    a[i] = x[i] * 3.0\n"
    made = memory.copy(), memory.copy()
    for given in made:
        views = {"a": given[5:45], "x": given[5 + shift : 45 + shift]}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            if given is made[0]:
                exec(compile(source, "<text>", "exec"), views)
            else:
                harness.run_unseen(source, **views)
        assert len(caught) == 1
    assert made[0].tobytes() == made[1].tobytes()
    # What was read before it is stored is not the same the second time.
    assert not any(again for _, again in runs) or shift < 0


@pytest.fixture
def noticing(monkeypatch):
    """Kernels do not know which of their lines rings, however small they are."""
    monkeypatch.setattr(choose.Chooser, "keeping", lambda self, state, variant, *rest: variant)


@pytest.mark.parametrize("value", [1e308, np.inf, -np.inf, 3.0])
@pytest.mark.parametrize("place", [0, 5, 20, 39])
def test_of_two_arrays_the_one_that_is_read_first_is_copied(runs, noticing, value, place):
    a, x, c = np.linspace(0, 1, 40), np.full(40, 0.5), np.linspace(1, 2, 40)
    a[place] = c[-1 - place] = value
    harness.same_warnings(SWEEPS, a, x=x, c=c, n=40)
    assert runs[0] == (("a",), False)


def test_where_both_are_one_array_it_is_copied(runs, noticing):
    a, x = np.linspace(0, 1, 40), np.full(40, 0.5)
    a[7] = 1e308
    harness.same_warnings(SWEEPS, a, x=x, c=a, n=40)
    assert "a" in runs[0][0]


def test_what_is_stored_here_or_there_is_copied(runs, noticing):
    a, x, c = np.linspace(1, 2, 40), np.linspace(-1, 1, 40), np.ones(80)
    a[7] = 1e308
    source = SWEEPS.replace("c[i] =", "c[i if x[i] > 0.0 else n + i] =")
    harness.same_warnings(source.replace("* x[i]", "* 2.0"), a, x=x, c=c, n=40)
    assert set(runs[0][0]) == set("ac")
