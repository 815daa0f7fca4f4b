"""The oracle on nests whose answer is known, and claims that are wrong, which must not pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from autopar import pipeline
from autopar.sched.plan import Branch, Leaf, Node, Plan
from autopar.sched.plan import Loop as PlanLoop

from .claims import Claim
from .judge import Verdict, beyond, judge
from .loop import Loop, catalogue
from .oracle import truth
from .run import ready

Shown = dict[str, list[int]]


def legal(function: Callable[..., Any], **inputs: Any) -> Shown:
    """By loop variable: the assignments for which it may run in parallel, counted from the top."""
    found = truth(Loop(function, inputs).cases[0])
    first = function.__code__.co_firstlineno
    shown: Shown = {variable: [] for variable in found.shape.loops.values()}
    for loop, line in sorted(found.legal):
        shown[found.shape.loops[loop]].append(line - first)
    return shown


def test_a_recurrence_is_not_legal_and_a_copy_is():
    def nest(a, b, n):
        for i in range(n):
            a[i + 1] = a[i] + 1.0
            b[i] = a[i]

    assert legal(nest, n=6, a="n + 1", b="n") == {"i": [3]}


def test_distance_beyond_the_trip_count_is_legal():
    def nest(a, n, k):
        for i in range(n):
            a[i + k] = a[i] + 1.0

    assert legal(nest, n=6, k=6, a="2 * n") == {"i": [2]}
    assert legal(nest, n=6, k=5, a="2 * n") == {"i": []}
    assert legal(nest, n=6, k=0, a="2 * n") == {"i": [2]}


def test_dependences_carried_outside_leave_inner_loops_free():
    def nest(a, n):
        for i in range(1, n):
            for j in range(1, n):
                a[i, j] = a[i - 1, j - 1] + 1.0

    assert legal(nest, n=5, a="n, n") == {"i": [], "j": [3]}


def test_every_loop_carries_in_a_wavefront():
    def nest(a, n):
        for i in range(1, n):
            for j in range(1, n):
                a[i, j] = a[i - 1, j] + a[i, j - 1]

    assert legal(nest, n=5, a="n, n") == {"i": [], "j": []}


def test_a_cycle_over_two_statements_is_not_legal():
    def nest(a, b, n):
        for i in range(n):
            a[i + 1] = b[i] + 1.0
            b[i + 1] = a[i] + 1.0

    assert legal(nest, n=6, a="n + 1", b="n + 1") == {"i": []}


def test_an_antidependence_orders_statements_but_not_iterations():
    def nest(a, b, n):
        for i in range(n):
            b[i] = a[i + 1]
            a[i] = 0.0

    assert legal(nest, n=6, a="n + 1", b="n") == {"i": [2, 3]}

    def on_itself(a, n):
        for i in range(n):
            a[i] = a[i + 1] + 1.0

    assert legal(on_itself, n=6, a="n + 1") == {"i": []}


def test_scalars_are_private_unless_a_value_crosses_iterations():
    def private(a, b, n):
        for i in range(n):
            t = b[i] * 2.0
            a[i] = t + t

    assert legal(private, n=6, a="n", b="n") == {"i": [2, 3]}

    def carried(a, b, n):
        t = 0.0
        for i in range(n):
            t = t * 0.5 + b[i]
            a[i] = t

    assert legal(carried, n=6, a="n", b="n") == {"i": [4]}


def test_exact_updates_commute_and_float_ones_do_not():
    def total(a, n):
        s = 0
        for i in range(n):
            s += a[i]
        return s

    assert legal(total, n=6, a="int n") == {"i": [3]}
    assert legal(total, n=6, a="n") == {"i": []}

    def seen_on_the_way(a, b, n):
        s = 0
        for i in range(n):
            s += a[i]
            b[i] = s

    assert legal(seen_on_the_way, n=6, a="int n", b="int n") == {"i": [4]}


def test_the_place_of_a_minimum_commutes_unless_it_is_used_on_the_way():
    def place(a, n):
        m = 100.0
        p = -1
        for i in range(n):
            if a[i] < m:
                m = a[i]
                p = i
        return p

    assert legal(place, n=9, a=lambda rng, n: np.sort(rng.normal(size=n))[::-1].copy()) == {
        "i": [5, 6]
    }

    def used(a, b, n):
        m = 100.0
        p = -1
        for i in range(n):
            if a[i] < m:
                m = a[i]
                p = i
            b[i] = p

    falling = {"a": lambda rng, n: np.sort(rng.normal(size=n))[::-1].copy(), "b": "int n"}
    assert 5 not in legal(used, n=9, **falling)["i"]


def test_a_histogram_of_integers_commutes():
    def nest(h, idx, w, n):
        for i in range(n):
            h[idx[i]] += w[i]

    places = {"idx": lambda n: np.arange(n) % 3}
    assert legal(nest, n=9, h="int 3", w="int n", **places) == {"i": [2]}
    assert legal(nest, n=9, h="3", w="n", **places) == {"i": []}


def test_a_temporary_array_is_private_only_if_written_first_and_left_whole():
    def private(a, t, n):
        for i in range(n):
            for j in range(n):
                t[j] = a[i, j] * 2.0
            for k in range(n):
                a[i, k] = t[n - 1 - k]

    assert legal(private, n=4, a="n, n", t="n")["i"] == [3, 5]

    def old_values_read(a, t, n):
        for i in range(n):
            for j in range(1, n):
                t[j] = a[i, j] * 2.0
            for k in range(n):
                a[i, k] = t[k]
            t[0] = 1.0 + i

    assert legal(old_values_read, n=4, a="n, n", t="n")["i"] == []

    def earlier_iterations_seen_afterwards(a, t, n):
        for i in range(n):
            for j in range(n - i):
                t[j] = a[i, j] * 2.0
            for k in range(n - i):
                a[i, k] = t[k]

    assert legal(earlier_iterations_seen_afterwards, n=4, a="n, n", t="n")["i"] == []


def test_views_of_one_base_are_one_memory():
    def nest(a, b, n):
        for i in range(n):
            a[i] = b[i] + 1.0

    def views(step):
        def made(rng, n):
            base = rng.normal(size=2 * n)
            return {"a": base[:n], "b": base[step : n + step]}

        return made

    assert legal(nest, n=6, views=views(0)) == {"i": [2]}
    assert legal(nest, n=6, views=views(-1 + 2)) == {"i": []}
    assert legal(nest, n=6, views=views(6)) == {"i": [2]}


def test_a_break_orders_what_it_may_prevent():
    def apart(a, b, n):
        for i in range(n):
            if a[i] > 5.0:
                break
            b[i] = 1.0

    assert legal(apart, n=6, a="n", b="n") == {"i": [4]}

    def fed_by_what_it_prevents(a, b, n):
        for i in range(n):
            if b[i] > 5.0:
                break
            b[i + 1] = a[i]

    assert legal(fed_by_what_it_prevents, n=6, a="n", b="n + 1") == {"i": []}


def test_a_test_that_a_recurrence_feeds_belongs_to_it():
    def nest(a, n):
        s = 0.0
        for i in range(n):
            if s < 1.0:
                s = s + a[i]

    assert legal(nest, n=6, a="n") == {"i": []}


# ---------------------------------------------------------------------------- wrong claims


def all_parallel(plan: Plan) -> Plan:
    """`plan` with every loop in it called parallel."""

    def node(one: Node) -> Node:
        match one:
            case PlanLoop(body=body):
                return replace(one, body=tuple(map(node, body)), parallel=True)
            case Branch(body=body, orelse=orelse):
                return replace(one, body=tuple(map(node, body)), orelse=tuple(map(node, orelse)))
        assert isinstance(one, Leaf)
        return one

    return replace(plan, body=tuple(map(node, plan.body)))


@pytest.fixture
def reckless(cache: Path) -> Iterator[None]:
    """Every loop is planned in parallel."""
    sane = pipeline.plan

    def plan(*args: Any, **options: Any) -> Plan:
        return all_parallel(sane(*args, **options))

    with mock.patch.object(pipeline, "plan", plan), ready(cache):
        yield


@pytest.mark.usefixtures("reckless")
def test_wrong_claims_are_seen_wherever_no_loop_is_legal():
    stuck = [case for one in catalogue() for case in one.cases if truth(case).stuck]
    assert len(stuck) > 90
    loops = {case.loop.name: case.loop for case in stuck}.values()
    verdicts = [verdict for one in loops for verdict in judge(one, compiled=False)]
    passed = {v.case.loop.name for v in verdicts if v.truth.stuck and not v.wrong}
    # Exchanges that undo each other, and equal values for one place: no order can be seen.
    assert passed == {"swap_ends_all_the_way", "marks"}


@pytest.mark.usefixtures("reckless")
def test_a_wrong_claim_is_beyond_the_oracle_and_has_another_result():
    def nest(a, b, n):
        for i in range(n):
            a[i + 1] = a[i] + b[i]

    verdict: Verdict = judge(Loop(nest, {"n": 9, "a": "n + 1", "b": "n"}))[0]
    assert not verdict.legal
    assert verdict.beyond
    assert any("a differs" in line for line in verdict.wrong)


@pytest.mark.usefixtures("reckless")
def test_nothing_is_taken_on_trust():
    """Kernels run only the outermost parallel loop in another order."""
    inner = next(one for one in catalogue() if one.name == "escape_time")
    verdict = judge(inner)[0]
    assert verdict.wrong
    assert all("on trust" in line for line in verdict.wrong)


def test_statements_that_only_distribution_frees_are_not_free_together():
    def nest(a, b, n):
        for i in range(n):
            a[i + 1] = b[i] * 2.0
            b[i] = a[i] + 1.0
            b[n + i] = a[i]

    found = truth(Loop(nest, {"n": 6, "a": "n + 1", "b": "2 * n"}).cases[0])
    loop = nest.__code__.co_firstlineno + 1
    first, third = loop + 1, loop + 3
    assert {(loop, first), (loop, third)} <= found.legal
    assert not beyond([Claim(loop, frozenset({first}))], found)
    assert beyond([Claim(loop, frozenset({first, third}))], found)
