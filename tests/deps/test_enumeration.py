"""Texts that list what is in a set, and that isl's loops are not believed."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import islpy as isl
import pytest

from autopar.deps import enumeration
from autopar.deps.data import ALWAYS
from autopar.deps.enumeration import listed, reached
from autopar.deps.sets import Solver, formula
from autopar.deps.system import TooHard

REMAINDERS = (
    "0 <= i <= 4 and i < p1 and 0 <= j <= 6 and j < p1"
    " and 35*floor((-16 - 14p0 + 14i - 15j)/35) <= -46 - 14p0 + 14i - 15j"
)
"""The cells of ``a[(p0 + k) % 5, (k - 1) % 7]`` for five `k`, of which isl's loops miss four."""
SETS = {
    "a box": "0 <= i < p0 and 0 <= j < p1",
    "a triangle": "0 <= i <= j < p0",
    "a diagonal": "0 <= i < p0 and j = i",
    "every third": "0 <= i < p0 and 0 <= j < p1 and (i + j) mod 3 = 1",
    "in two pieces": "0 <= i < p0 and 0 <= j < p1 and (i < 2 or j > 3)",
    "a quotient": "0 <= i < p0 and j = floor(i/2)",
    "backwards": "0 <= i < p0 and p1 - i <= j < p1",
}


@pytest.fixture
def solver():
    params: Any = SimpleNamespace(names=("p0", "p1"), extents=frozenset())
    return Solver(params, 10.0)


def of(solver, text):
    space = f"[p0, p1] -> {{ [i, j] : {text} }}"
    return isl.Set.read_from_str(solver.build.get_ctx(), space)


def points(some, values):
    """What is in a set, for numbers of the parameters."""
    found = set()
    fixed = some
    for k, value in enumerate(values):
        fixed = fixed.fix_val(isl.dim_type.param, k, isl.Val(value, context=some.get_ctx()))

    def note(point):
        both = (point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(2))
        found.add(tuple(both))

    fixed.foreach_point(note)
    return found


def cells(found, values):
    known = dict(zip(("p0", "p1"), values, strict=True))
    listed = []
    for first, directions in found.at(known):
        for steps in itertools.product(*(range(count) for count, _ in directions)):
            moves = [
                [k * along for along in step]
                for k, (_, step) in zip(steps, directions, strict=True)
            ]
            listed.append(tuple(map(sum, zip(first, *moves, strict=True))))
    assert len(listed) == len({*listed})
    return {*listed}


@pytest.mark.parametrize("name", SETS)
def test_all_of_a_set_is_listed(name, solver):
    some = of(solver, SETS[name])
    found = listed(some, solver, ("p0", "p1"))
    for values in itertools.product((0, 1, 3, 6), repeat=2):
        assert cells(found, values) == points(some, values)


def test_loops_that_miss_a_point_are_not_taken(solver):
    some = of(solver, REMAINDERS)
    assert points(some, (2, 14)) == {(2, 6), (3, 0), (4, 1), (0, 2), (1, 3)}
    with pytest.raises(TooHard):
        listed(some, solver, ("p0", "p1"))


@pytest.mark.parametrize("name", SETS)
def test_what_loops_go_through_is_told_from_less(name, solver):
    some = of(solver, SETS[name])
    (one, *_) = some.make_disjoint().get_basic_sets()
    one = isl.Set.from_basic_set(one)
    loops = enumeration._loops(one, solver)
    assert reached(loops, one).is_equal(one)
    more = one.union(of(solver, "i = 7 and j = 7"))
    assert not reached(loops, more).is_equal(more)


CONDITIONS = {
    "(p0 + p1) mod 3 = 1": "p0 = 4 and p1 = 1",
    "p0 > 3 or p1 < 2": "p0 = 5 and p1 = 9",
    "exists (a : 2a <= p0 <= 2a + p1)": "p0 = 3 and p1 = 1",
    "1 = 1": "p0 = 0",
}


@pytest.mark.parametrize("test", CONDITIONS)
def test_a_condition_holds_where_its_set_does(test, solver):
    needed = isl.Set.read_from_str(solver.build.get_ctx(), f"[p0, p1] -> {{ : {test} }}")
    assert solver._says(solver.build.expr_from_set(needed), needed)
    less = isl.Set.read_from_str(solver.build.get_ctx(), f"[p0, p1] -> {{ : {CONDITIONS[test]} }}")
    assert not solver._says(solver.build.expr_from_set(less), needed)


def test_a_condition_that_says_less_than_it_should_is_always_met(solver, monkeypatch):
    needed = isl.Set.read_from_str(solver.build.get_ctx(), "[p0, p1] -> { : p0 > p1 }")
    assert solver._condition(needed).text == "p0 >= p1 + 1"
    monkeypatch.setattr(Solver, "_says", lambda self, expr, needed: False)
    assert solver._condition(needed) == ALWAYS


def test_what_cannot_be_said_again_is_too_hard(solver):
    build = solver.build
    piecewise = isl.PwAff.read_from_str(build.get_ctx(), "[p0] -> { [p0] : p0 > 0; [7] : p0 < -3 }")
    with pytest.raises(TooHard):
        formula(build.expr_from_pw_aff(piecewise))
