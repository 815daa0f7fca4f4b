"""Whether a nest that has been run, or a part of it, comes to the same when it is run once more."""

from __future__ import annotations

from autopar.deps.analyse import known
from autopar.deps.data import Facts
from autopar.deps.domains import Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import common_loops, empty, in_one, pairs, systems_of
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import TooHard
from autopar.nest.ir import Nest


def idempotent(nest: Nest, facts: Facts) -> bool:
    """Whether nothing that `nest` reads is stored later, whatever the parameters.

    No subscript may wrap.

    Notes
    -----
    What is read has then been stored before, by the same run, or nobody stores it: in both cases
    it does not matter what an earlier run, or a part of one, has left.  (The last run must come to
    its end, for what it has not stored yet may have been stored by an earlier one.)  That is so
    where there is no antidependence, carried or not, nor from a statement to itself, as in
    ``a[i] = a[i] + 1`` (Allen & Kennedy, *Optimizing Compilers for Modern Architectures*,
    section 2.2).

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
    """Whether the one that reads may come to an element before the other one stores it.

    `one` comes first in the text.  In a ``while`` that both are in, one iteration of a loop around
    that may come to either first, and each iteration of a loop in it to any of the other's.
    """
    common, depth = common_loops(one, two), len(one.place.loops)
    shared = set(one.place.whiles) & set(two.place.whiles)
    ordered = min((loops for _, loops in shared), default=len(common))
    later = -1 if one.writes else 1  # the sign of `two` minus `one` where what stores comes later
    for system in systems_of(one, two, met, solver):
        for level, around in enumerate(common):
            counted = around.sign and level < ordered
            for way in (later,) if counted else (1, -1):
                made = in_one(system, depth, level)
                made.rows.append((">=", {depth + level: way}, -1))
                if not empty(solver, made, depth):
                    return True
        same = not one.writes or bool(shared)
        if same and not empty(solver, in_one(system, depth, len(common)), depth):
            return True
    return False
