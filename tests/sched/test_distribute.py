"""Plans against the nest they were made of, run with their parallel loops in odd orders."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nests import FOUR_DEEP, FOUR_DEEP_RANKS, INTS, RANKS, nests
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.sched.distribute import schedule

FACTS = Facts(frozenset(INTS), tuple(sorted(RANKS.items())))
SIZES = st.fixed_dictionaries(
    {"n": st.integers(-1, 5), "m": st.integers(-2, 3), "q": st.integers(-3, 3)}
)
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def planned(source, sizes, live_out=None, facts=FACTS, extent=7, finest=False):
    nest = lift_text(source)
    if live_out is not None:
        nest = replace(nest, live_out=tuple(s for s in nest.scalars if s in live_out))
    analysis = analyse(nest, facts)
    ranks = dict(facts.ranks)
    shapes = {f"{a}.shape[{k}]": extent for a, rank in ranks.items() for k in range(rank)}
    return nest, schedule(nest, analysis, analysis.held(sizes | shapes), finest=finest)


def outcome(sizes, live_out, act, shuffle=None):
    made = Machine(
        {**sizes, "s": 2, "t": 3}, {a: (7,) * rank for a, rank in RANKS.items()}, shuffle
    )
    act(made)
    missing = object()
    return made.cells, {
        name: made.scalars.get(name, missing) is not missing and made.scalars[name]
        for name in live_out
    }


def check(source, sizes, live_out, seed):
    for finest in (True, False):
        nest, plan = planned(source, sizes, live_out, finest=finest)
        want = outcome(sizes, nest.live_out, lambda m: m.run(nest.loop))  # noqa: B023
        for shuffle in (None, random.Random(seed)):
            got = outcome(sizes, nest.live_out, lambda m: m.plan(plan.body), shuffle)  # noqa: B023
            assert got == want, plan
    return nest, plan


@QUICK
@given(source=nests(), sizes=SIZES, seed=st.integers(0, 99))
def test_affine_plans_mean_the_nest(source, sizes, seed):
    check(source, sizes, None, seed)


@QUICK
@given(
    source=nests(affine=False, scalars=True, leaves=True),
    sizes=SIZES,
    live_out=st.sets(st.sampled_from("stijk")),
    seed=st.integers(0, 99),
)
def test_plans_with_scalars_and_leaves_mean_the_nest(source, sizes, live_out, seed):
    check(source, sizes, live_out, seed)


# ---------------------------------------------------------------------------- golden plans


def shown(source, live_out="", **sizes):
    ranks = {a: source.count(f"{a}[") for a in "XYABCDabcu" if f"{a}[" in source}
    nest = replace(lift_text(source), live_out=tuple(live_out))
    two = {a for a in ranks if any("," in part.split("]")[0] for part in source.split(f"{a}[")[1:])}
    facts = Facts(frozenset(sizes), tuple((a, 2 if a in two else 1) for a in ranks))
    analysis = analyse(nest, facts)
    shapes = {f"{a}.shape[{k}]": 99 for a, rank in facts.ranks for k in range(rank)}
    return schedule(nest, analysis, analysis.held(sizes | shapes))


FOUR_STATEMENTS = """
for i in range(1, n):
    X[i] = Y[i] + 10
    for j in range(1, n):
        B[j] = A[j, m]
        for k in range(1, n):
            A[j + p1, k] = B[j] + C[j, k]
        Y[i + j + p2] = A[j + p3, m]
"""


def test_the_nest_of_allen_and_kennedy_as_in_the_book():
    plan = shown(FOUR_STATEMENTS, n=20, m=3, p1=1, p2=0, p3=1)
    assert (
        str(plan)
        == """\
for i in range(1, n):
    for j in range(1, n):
        B[j] = A[j, m]
        parallel for k in range(1, n):
            A[j + p1, k] = B[j] + C[j, k]
    parallel for j in range(1, n):
        Y[i + j + p2] = A[j + p3, m]
parallel for i in range(1, n):
    X[i] = Y[i] + 10"""
    )
    assert plan.parallel_loops == ("k", "j", "i")
    assert plan.sequential_loops == ("i", "j")


def test_the_same_nest_with_other_offsets():
    plan = shown(FOUR_STATEMENTS, n=20, m=3, p1=-1, p2=-30, p3=1)
    assert (
        str(plan)
        == """\
parallel for i in range(1, n):
    X[i] = Y[i] + 10
for i in range(1, n):
    parallel for j in range(1, n):
        B[j] = A[j, m]
        Y[i + j + p2] = A[j + p3, m]
    parallel for j in range(1, n):
        parallel for k in range(1, n):
            A[j + p1, k] = B[j] + C[j, k]"""
    )


def four_deep(**sizes):
    facts = Facts(frozenset(sizes), tuple(FOUR_DEEP_RANKS.items()))
    return planned(FOUR_DEEP, sizes, facts=facts, extent=20)


def test_the_same_nest_one_loop_deeper():
    _, plan = four_deep(n=9, m=3, p1=1, p2=0, p3=1)
    assert (
        str(plan)
        == """\
for i in range(1, n):
    for j in range(1, n):
        B[j] = A[j, m, m]
        parallel for k in range(1, n):
            parallel for l in range(1, n):
                A[j + p1, k, l] = B[j] + C[j, k, l]
    parallel for j in range(1, n):
        Y[i + j + p2] = A[j + p3, m, m]
parallel for i in range(1, n):
    X[i] = Y[i] + 10"""
    )


@pytest.mark.parametrize("p1", [-2, -1, 0, 1, 2, 12])
@pytest.mark.parametrize("p2", [-12, -1, 0, 1])
@pytest.mark.parametrize("p3", [-1, 0, 1])
def test_parallel_loops_in_any_order_leave_the_same_arrays(p1, p2, p3):
    sizes = {"n": 4, "m": 2, "p1": p1, "p2": p2, "p3": p3}
    nest, plan = four_deep(**sizes)
    # With p2 = -1, S4 also writes the Y[i] that S1 has just read: both stay in the order of `i`.
    outer = set() if p2 == -1 else {"i"}
    assert {"k", "l", "j", "i"} >= set(plan.parallel_loops) >= {"k", "l"} | outer
    shapes = {a: (20,) * rank for a, rank in FOUR_DEEP_RANKS.items()}

    def outcome(act, shuffle=None):
        made = Machine(dict(sizes), shapes, shuffle)
        act(made)
        return made.cells

    want = outcome(lambda m: m.run(nest.loop))
    for seed in range(3):
        assert outcome(lambda m: m.plan(plan.body), random.Random(seed)) == want, plan


def test_groups_are_fused_where_nothing_is_lost():
    plan = shown(
        """
for i in range(1, n):
    a[i] = b[i] + 1
    c[i] = c[i - 1] + 1
    b[i] = a[i] * 2
""",
        n=9,
    )
    assert (
        str(plan)
        == """\
parallel for i in range(1, n):
    a[i] = b[i] + 1
    b[i] = a[i] * 2
for i in range(1, n):
    c[i] = c[i - 1] + 1"""
    )


def test_statements_that_share_a_private_scalar_stay_together():
    source = """
for i in range(1, n):
    s = a[i] + 1
    a[i] = a[i - 1] + 1
    b[i] = s
    c[i] = b[i]
"""
    assert (
        str(shown(source, n=9))
        == """\
parallel for i in range(1, n):
    s = a[i] + 1
    b[i] = s
    c[i] = b[i]
for i in range(1, n):
    a[i] = a[i - 1] + 1"""
    )


def test_a_parallel_loop_is_left_whole():
    plan = shown("for i in range(n):\n    a[i] = 1\n    b[i] = a[i]\n", n=9)
    assert str(plan) == "parallel for i in range(n):\n    a[i] = 1\n    b[i] = a[i]"
    assert plan.explain == ()


def test_nothing_is_distributed_for_no_gain():
    plan = shown("for i in range(1, n):\n    a[i] = a[i - 1]\n    b[i] = b[i - 1]\n", n=9)
    assert str(plan) == "for i in range(1, n):\n    a[i] = a[i - 1]\n    b[i] = b[i - 1]"


def test_a_range_that_the_loop_itself_changes_is_computed_once():
    source = """
for i in range(n):
    for j in range(a[0]):
        a[j] = a[j + 1] + a[j - 1]
        b[j] = 1
"""
    assert str(shown(source, n=9)).count("range(a[0])") == 1


def test_every_sequential_loop_is_explained():
    plan = shown(
        """
for i in range(1, n):
    for j in range(1, n):
        u[i, j] = u[i - 1, j] + u[i, j - 1]
""",
        n=9,
    )
    assert plan.explain == (
        "line 4 writes `u[i, j]`, line 4 reads `u[i - 1, j]`: "
        "loop `i` must run in order (distance 1)",
        "line 4 writes `u[i, j]`, line 4 reads `u[i, j - 1]`: "
        "loop `j` must run in order (distance 1)",
    )
    plan = shown("for i in range(n):\n    s = s + a[i]\n", n=9)
    assert plan.explain == (
        "line 2 carries `s` from one iteration to the next: loop `i` must run in order",
    )
    plan = shown("for i in range(n):\n    if a[i] > 3:\n        break\n", n=9)
    assert plan.explain == ("line 3 may leave loop `i` early: loop `i` must run in order",)


def test_a_branch_keeps_its_parallel_loops():
    source = """
for t in range(n):
    if t % 2 == 0:
        for i in range(m):
            a[i] = b[i]
    else:
        for i in range(m):
            b[i] = a[i]
"""
    plan = shown(source, n=9, m=9)
    assert str(plan) == source.strip().replace("for i", "parallel for i")
