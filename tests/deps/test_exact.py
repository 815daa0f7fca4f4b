"""Exact elimination against a search, and against isl on whole nests."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nests import INTS, RANKS, nests

from autopar.deps import exact, sets
from autopar.deps.affine import Params
from autopar.deps.analyse import _analyse
from autopar.deps.data import ALWAYS, NEVER, Facts
from autopar.deps.exact import Inexact, Nothing, eliminate, irredundant
from autopar.deps.points import Exact
from autopar.deps.solver import Solver
from autopar.deps.system import System, TooHard
from autopar.nest.text.lift import lift_text

FACTS = Facts(frozenset(INTS), tuple(sorted(RANKS.items())))
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
BOX = range(-2, 3)
FORMS = st.tuples(
    st.dictionaries(st.integers(-2, 2), st.integers(-3, 3), min_size=1, max_size=3),
    st.integers(-5, 5),
)


def boxed(forms):
    """`forms` as rows, every column within `BOX`, so that a search sees all there is."""
    rows: dict = {}
    for column in range(-2, 3):
        exact.demand(rows, {column: 1}, -BOX[0])
        exact.demand(rows, {column: -1}, BOX[-1])
    for factors, const in forms:
        exact.demand(rows, factors, const)
    return rows


def true_of(rows, values):
    return all(sum(f * values[c] for c, f in terms) + const >= 0 for terms, const in rows.items())


@QUICK
@given(st.lists(FORMS, min_size=1, max_size=3))
def test_what_is_left_of_a_system_is_its_shadow(forms):
    try:
        left = eliminate(boxed(forms), frozenset(), True)
    except Nothing:
        left = None
    except Inexact:
        return
    points = [dict(zip((-2, -1), at, strict=True)) for at in product(BOX, repeat=2)]
    for values in points:
        everything = (
            values | dict(zip((0, 1, 2), rest, strict=True)) for rest in product(BOX, repeat=3)
        )
        real = any(
            all(sum(f * at[c] for c, f in factors.items()) + const >= 0 for factors, const in forms)
            for at in everything
        )
        assert real == (left is not None and true_of(left, values))
    if left is not None:
        short = irredundant(left, {})
        assert [true_of(short, v) for v in points] == [true_of(left, v) for v in points]


def test_a_system_without_integers_is_empty_although_it_has_fractions():
    rows: dict = {}
    exact.demand(rows, {1: 2, 2: -2}, -1)  # 1 <= 2 * (x - y) <= 1
    exact.demand(rows, {1: -2, 2: 2}, 1)
    with pytest.raises(Nothing):
        eliminate(rows, frozenset(), False)


def test_elimination_that_is_not_exact_is_refused():
    """``2 * x <= p`` and ``3 * x >= p`` leave more than ``p >= 0``: there is no x for p = 1."""
    with pytest.raises(Inexact):
        eliminate({((-1, 1), (1, -2)): 0, ((-1, -1), (1, 3)): 0}, frozenset(), True)
    rows = {((-1, 1), (1, -2)): 0, ((-1, -1), (1, 3)): 0}
    assert eliminate(rows, frozenset(), True, loose=True) == {((-1, 1),): 0}
    # Between bounds that are wide enough apart there always is one.
    wide = {((-1, 1), (1, -2)): 9, ((-1, -1), (1, 2)): 0}
    assert eliminate(wide, frozenset(), True) == {}


def test_delinearization_comes_of_tightening():
    """``8 * a + b == 8 * c + d`` with b and d within 0 to 7 means a == c."""
    rows: dict = {}
    for column in (2, 4):
        exact.demand(rows, {column: 1}, 0)
        exact.demand(rows, {column: -1}, 7)
    for sign in (1, -1):
        exact.demand(rows, {1: 8 * sign, 2: sign, 3: -8 * sign, 4: -sign}, 0)
    assert eliminate(rows, frozenset((1, 3)), False) == {((1, 1), (3, -1)): 0, ((1, -1), (3, 1)): 0}


def test_a_bound_that_follows_from_others_does_not_stand_in_the_way():
    """``64 * x >= 1 - p`` says nothing where ``x >= 1`` and ``p >= 1``."""
    rows = {((1, 1),): -1, ((-1, 1), (1, 64)): -1, ((-1, 1),): -1, ((-1, 1), (1, -64)): -1}
    assert eliminate(rows, frozenset(), True) == {((-1, 1),): -65}
    del rows[((-1, 1),)]
    with pytest.raises(Inexact):
        eliminate(rows, frozenset(), True)


def test_what_cannot_be_said_is_not_empty():
    params = Params(frozenset("p"), {})
    p = params.use("p")
    system = System(1)
    system.rows += [(">=", {0: -2, p: 1}, 0), (">=", {0: 3, p: -1}, 0)]
    points = Exact(params).points([system], 1)
    for _ in range(2):  # also when it is asked again
        assert not points.is_empty()
        with pytest.raises(Inexact):
            points.exists()


def test_conditions_say_what_extents_do_not():
    params = Params(frozenset("n"), {"A": 1})
    n, extent = params.use("n"), params.extent("A", 0)
    system = System(1)
    system.rows += [(">=", {0: 1}, 0), (">=", {0: -1, n: 1}, -1)]
    points = Exact(params).points([system], 1)
    assert str(points.exists()) == "n >= 1"
    assert points.ends(0) == (0, None)
    assert points.at_least(0, 5).ends(0) == (5, None)
    assert points.fixed(0, 3).value(0) == 3
    outside = system.extended()
    outside.rows += [(">=", {0: 1, extent: -1}, 0)]
    assert str(Exact(params).points([outside], 1).exists()) == "n >= A.shape[0] + 1"
    any_extent = System(0)
    any_extent.rows += [(">=", {extent: 1}, 0)]
    assert Exact(params).points([any_extent], 0).exists() == ALWAYS
    any_extent.rows += [(">=", {extent: -1}, -1)]
    assert Exact(params).points([any_extent], 0).exists() == NEVER


def analysed(nest, isl=False):
    """The analysis, and whether isl had to say more than is true; `isl` lets it do everything.

    It has to where its time is over, which depends on the machine.
    """
    left, true = [], sets.Solver.hurry

    def hurry(solver):
        try:
            true(solver)
        except TooHard:
            left.append(1)
            raise

    with pytest.MonkeyPatch.context() as patch:
        if isl:
            patch.setattr(Solver, "first", lambda solver, work: work(solver._isl))
        wider = sets.wider
        patch.setattr(sets, "wider", lambda *args: left.append(1) or wider(*args))
        patch.setattr(sets.Solver, "hurry", hurry)
        return _analyse.__wrapped__(nest, FACTS, ()), bool(left)


def key(dep):
    return dep.source, dep.sink, dep.kind, dep.level, dep.source_text, dep.sink_text


@QUICK
@given(source=nests(), seed=st.integers(0, 1_000_000))
def test_isl_says_the_same_of_every_pair(source, seed):
    nest = lift_text(source)
    one, _ = analysed(nest)
    two, wider = analysed(nest, isl=True)
    if not wider:
        assert [key(d) for d in one.dependences] == [key(d) for d in two.dependences]
        for a, b in zip(one.dependences, two.dependences, strict=True):
            assert all(e in (d, None) for d, e in zip(a.distance, b.distance, strict=True))
            assert all(e in (d, "*") for d, e in zip(a.direction, b.direction, strict=True))
    random = Random(seed)
    names = sorted({*one.params, *two.params})
    for _ in range(50):
        values = {p: random.randint(0 if "shape" in p else -4, 7) for p in names}
        held = {key(one.dependences[k]) for k in one.held(values)}
        by_isl = {key(two.dependences[k]) for k in two.held(values)}
        assert held <= by_isl if wider else held == by_isl
        assert one.inside(values) >= two.inside(values)
        assert wider or one.inside(values) == two.inside(values)


def test_common_nests_need_no_isl():
    """An import of islpy takes longer than their whole analysis."""
    source = (
        "for t in range(m):\n"
        "    for i in range(1, n - 1):\n"
        "        for j in range(i, n):\n"
        "            B[i, j + q] = B[i - 1, j] + A[8 * i + j]\n"
    )
    asked = []

    def isl(solver):
        asked.append(solver)
        return sets.Solver(solver._params, solver._patience_s)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Solver, "_isl", property(isl))
        _analyse.__wrapped__(lift_text(source), FACTS, ())
        assert not asked
        needs_it = "for i in range(n):\n    A[3 * i] = A[5 * i + q]\n"
        _analyse.__wrapped__(lift_text(needs_it), FACTS, ())
        assert asked
