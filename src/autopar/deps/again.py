"""Whether a nest that has been run, or a part of it, comes to the same when it is run once more."""

from __future__ import annotations

from autopar.deps.analyse import known
from autopar.deps.columns import empty
from autopar.deps.data import Facts
from autopar.deps.domains import Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import common_loops, pairs, share_while, systems_of
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import Row, TooHard
from autopar.nest.ir import Nest


def idempotent(nest: Nest, facts: Facts) -> bool:
    """Whether nothing that `nest` reads is stored later, whatever the parameters.

    No subscript may wrap.

    Notes
    -----
    What is read has then been stored before, by the same run, or nobody stores it: in both cases
    it does not matter what an earlier run has left.  That is so where there is no antidependence,
    carried or not, nor from a statement to itself, as in ``a[i] = a[i] + 1`` (Allen & Kennedy,
    *Optimizing Compilers for Modern Architectures*, section 2.2).

    The systems are those of dependence analysis; one that nobody can solve has points.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    solver = Solver(params, PATIENCE_S)
    try:
        return not any(
            _stored_later(one, two, met, solver)
            for one, two, met in pairs(reader.reaches, facts)
            if not (one.writes and two.writes)
        )
    except TooHard:
        return False


def _stored_later(one: Reach, two: Reach, met: Meeting, solver: Solver) -> bool:
    """Whether the one that reads may come to an element before the other one stores it."""
    common, depth = common_loops(one, two), len(one.place.loops)
    sign = -1 if one.writes else 1  # `one` comes first in the text
    orders: list[list[tuple[str, Row, int]]] = []
    for level, around in enumerate(common):
        same: list[tuple[str, Row, int]] = [("==", {depth + k: 1}, 0) for k in range(level)]
        ways = (sign,) if around.sign else (1, -1)
        orders += [[*same, (">=", {depth + level: way}, -1)] for way in ways]
    if not one.writes or share_while(one, two, len(common)):
        orders.append([("==", {depth + k: 1}, 0) for k in range(len(common))])
    for system in systems_of(one, two, met, solver):
        for order in orders:
            made = system.extended()
            made.rows += order
            if not empty(solver, made, depth):
                return True
    return False
