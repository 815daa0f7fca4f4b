"""Scalars that go from one copy of a loop to another: what is noted where, and what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_reductions import typed

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.sched.distribute import schedule
from autopar.sched.reductions import Scope
from autopar.sched.sweeps import swept

SIZES = {"n": 9, "t": 4} | {f"{a}.shape[{k}]": 9 for a in "abfhg" for k in range(2)}


def planned(source, unseen=False, **numbers):
    here = typed(source, **numbers)
    if unseen:  # what variables are left with
        here = replace(here, nest=replace(here.nest, live_out=()))
    facts = Facts(here.ints, tuple((p, k.ndim) for p, k in here.arrays))
    analysis = analyse(here.nest, facts)
    held = analysis.held(SIZES)
    return schedule(here.nest, analysis, held, Scope(here, frozenset()), expand=True)


def lines(plan):
    return str(plan).splitlines()


def test_a_sum_is_noted_where_its_reader_stood():
    plan = planned("for i in range(1, n):\n    x += f[i]\n    h[i] = x > 3.0\n", x="np.float64")
    assert lines(plan) == [
        "for i in range(1, n):",
        "    x = x + f[i]",
        "    <notes of x 0>[i - 1] = x",
        "parallel for i in range(1, n):",
        "    <x of 0> = <notes of x 0>[i - 1]",
        "    h[i] = <x of 0> > 3.0",
    ]
    (temporary,) = plan.temporaries
    assert (temporary.kind, temporary.dtype) == ({"np.float64"}, "float64")


def test_the_value_before_the_update_is_another_note():
    plan = planned(
        "for i in range(n):\n    g[i, 0] = x\n    x = x * f[i]\n    g[i, 1] = x\n    a[i] = x\n",
        x="np.float64",
    )
    assert lines(plan) == [
        "for i in range(n):",
        "    <notes of x 0>[i] = x",
        "    x = x * f[i]",
        "    <notes of x 1>[i] = x",
        "parallel for i in range(n):",
        "    <x of 0> = <notes of x 0>[i]",
        "    g[i, 0] = <x of 0>",
        "    <x of 1> = <notes of x 1>[i]",
        "    g[i, 1] = <x of 1>",
        "    a[i] = <x of 1>",
    ]


def test_several_types_where_no_scalar_depends_on_them():
    plan = planned("for i in range(n):\n    h[i] = m > 0.0\n    m = m * f[i]\n")
    (temporary,) = plan.temporaries
    assert (temporary.kind, temporary.dtype) == ({"float", "np.float64"}, "float64")


def test_a_sum_for_a_loop_of_its_own():
    """Of the rows, only the numbers go from one copy to the other, which has columns in parts."""
    plan = planned(
        "for i in range(n):\n    x = 0.0\n    for j in range(n):\n        x += g[i, j] * f[j]\n"
        "    for j in range(n):\n        h[j] = h[j] + g[i, j] * x\n",
        unseen=True,
    )
    assert lines(plan) == [
        "parallel for i in range(n):",
        "    x = 0.0",
        "    for j in range(n):",
        "        x = x + g[i, j] * f[j]",
        "    <notes of x 0>[i] = x",
        "for i in range(n):  # in each part of the loop in it",
        "    <x of 0> = <notes of x 0>[i]",
        "    parallel for j in range(n):",
        "        h[j] = h[j] + g[i, j] * <x of 0>",
    ]
    around, inner = swept(plan.body[1])
    assert [len(loop.body) for loop in around] == [1]
    assert inner.loop.var == "j"


@pytest.mark.parametrize(
    "reader",
    [
        "for j in range(n):\n        h[j + 1] = h[j] + x\n",  # in order itself
        "for j in range(n):\n        h[j] = h[j] + x\n    b[i + 1] = b[i] + x\n",
        "for j in range(i):\n        h[j] = h[j] + x\n",  # another range each time
    ],
)
def test_what_fetches_and_has_no_parts(reader):
    source = (
        "for i in range(n):\n    x = 0.0\n    for j in range(n):\n        x += g[i, j] * f[j]\n"
    )
    plan = planned(source + "    " + reader, unseen=True)
    assert plan.temporaries
    assert not any(swept(node) for node in plan.body)


def test_steps_and_directions():
    plan = planned("for i in range(n - 1, 0, -2):\n    s = s ^ s * a[i]\n    h[i] = s\n")
    assert "[-(i - (n - 1)) // 2]" in str(plan)


@pytest.mark.parametrize(
    "source",
    [
        # Of two types at that place, which the type of `x` depends on.
        "for i in range(n):\n    x = m + 1.0\n    h[i] = 1\n    m = m * f[i]\n",
        # The number of iterations is not known before the nest starts.
        "for j in range(n):\n    for i in range(j):\n        x *= f[i]\n        h[i] = x > 1.0\n",
        # The reader decides what is assigned.
        "for i in range(n):\n    x = x * f[i]\n    h[i] = x > 1.0\n    x += h[i]\n",
        "for i in range(n):\n    x = x * f[i]\n    h[i] = x > 1.0\n    if h[i]:\n        break\n",
    ],
)
def test_not_these(source):
    plan = planned(source, x="np.float64")
    assert not plan.temporaries
    assert "<" not in str(plan).replace("< ", "")


def test_branches_on_what_stays_the_same_are_taken_apart():
    plan = planned(
        "for i in range(1, n):\n"
        "    if i < t:\n        f[i] = f[i - 1] * 0.5\n    else:\n        a[i] = 1\n"
    )
    assert lines(plan) == [
        "for i in range(1, n):",
        "    if i < t:",
        "        f[i] = f[i - 1] * 0.5",
        "parallel for i in range(1, n):",
        "    if i < t:",
        "        pass",
        "    else:",
        "        a[i] = 1",
    ]


def test_branches_go_by_the_outcome_of_a_test_elsewhere():
    plan = planned(
        "for i in range(1, n):\n    if a[i] < 1:\n        f[i] = f[i - 1] * 0.5\n        h[i] = 1\n"
    )
    ((name, kind),) = plan.tests
    assert kind == {"np.bool"}
    loops = str(plan).replace(name, "<it>").split("for i in range(1, n):\n")
    assert loops == [
        "parallel ",
        "    <it> = a[i] < 1\n    if <it>:\n        h[i] = 1\n"
        "    <notes of <it> 0>[i - 1] = <it>\n",
        "    <<it> of 0> = <notes of <it> 0>[i - 1]\n"
        "    if <<it> of 0>:\n        f[i] = f[i - 1] * 0.5",
    ]


def test_a_note_in_a_branch_is_for_that_branch():
    """Places in a packed array: the counter is noted where it is used, and only then."""
    plan = planned(
        "for i in range(n):\n    if a[i] > 0:\n        h[i] = s\n        s = s * 3\n    b[i] = s\n"
    )
    text = str(plan)
    assert text.count("= s\n") == 2
    (inside, after) = (line for line in lines(plan) if line.endswith("= s"))
    assert (inside[:8], after[:5]) == (" " * 8, "    <")


def test_branches_that_leave_are_not_divided():
    branch = "    if a[i] > 0:\n        f[i + 1] = f[i]\n        continue\n"
    source = f"for i in range(n):\n{branch}    b[i] = 1\n"
    assert not planned(source).tests
