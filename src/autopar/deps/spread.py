"""How far the accesses to each array spread along each of its axes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import islpy as isl

from autopar.deps.affine import Entry, Floor, Linear, Params, variable
from autopar.deps.analyse import known
from autopar.deps.cells import Box, Boxes
from autopar.deps.data import Facts
from autopar.deps.domains import Reach, Reader
from autopar.deps.enumeration import listed, simple
from autopar.deps.regions import within
from autopar.deps.sets import Solver, wider
from autopar.deps.solver import PATIENCE_S
from autopar.deps.system import Row, System, TooHard
from autopar.nest.ir import Nest

_SET: Any = isl.dim_type.set


def boxes(nest: Nest, facts: Facts) -> Boxes:
    """A box for each array in which all of its accesses lie, by the ranges of their subscripts.

    It is wider than the cells that come and go: no test counts, and of the loops around an access
    only those that its subscript depends on.  So an access of a kernel's that stands before or
    behind a loop that does nothing is in it, too.  Arrays of which nothing is known have none.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    solver = Solver(params, PATIENCE_S)
    found: list[Box] = []
    for array, rank in facts.ranks:
        reaches = [reach for _, reach in within(reader.reaches, array)]
        if not reaches or not rank or any(len(reach.index) != rank for reach in reaches):
            continue
        try:
            axes = tuple(_axis(reaches, array, axis, params, solver) for axis in range(rank))
        except TooHard:
            continue
        found.append(Box(array, tuple(listed(one, solver, params.names) for one in axes)))
    used = {p for box in found for axis in box.axes for p in axis.params}
    return Boxes(tuple(name for name in params.names if name in used), tuple(found))


def _axis(reaches: list[Reach], array: str, axis: int, params: Params, solver: Solver) -> Any:
    """Subscripts of one axis, as an interval."""
    extent = params.extent(array, axis)
    assert extent is not None
    whole = System(1)
    whole.rows += [(">=", {0: 1}, 0), (">=", {extent: 1, 0: -1}, -1)]
    bounds = solver.solutions(whole)
    parts = [_subscripts(reach, axis, solver).intersect(bounds) for reach in reaches]
    together = reduce(lambda one, two: one.union(two), parts)
    return wider(simple(together, bounds)).intersect(bounds)


def _subscripts(reach: Reach, axis: int, solver: Solver) -> Any:
    solver.hurry()
    depth = len(reach.place.loops)
    system = System(1 + depth)
    form = reach.index[axis]
    if form is not None:
        rows: list[Row] = [{1 + k: 1} for k in range(depth)]
        for k in _loops(form, reach):
            around = reach.place.loops[k]
            system.add((*around.atoms, *around.stride), rows)
        system.equate(form, rows, variable(0), [{0: 1}])
    return solver.solutions(system).project_out(_SET, 1, depth)


def _loops(form: Linear, reach: Reach) -> set[int]:
    """The loops on which `form` depends, and those on which their ranges do."""
    found: set[int] = set()
    new = set(_variables(form))
    while new:
        found |= new
        ranges = (reach.place.loops[k] for k in new)
        atoms = [atom for around in ranges for atom in (*around.atoms, *around.stride)]
        new = {k for atom in atoms for k in _variables(atom.form)} - found
    return found


def _variables(form: Linear) -> Iterator[int]:
    for symbol, _ in form.terms:
        match symbol:
            case int():
                yield symbol
            case Floor(inner=inner):
                yield from _variables(inner)
            case Entry(place=place):
                for one in place or ():
                    yield from _variables(one)
