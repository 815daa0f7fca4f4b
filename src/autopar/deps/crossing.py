"""Where the dependences that a loop carries start and end: between the two it may be cut.

In ``a[i] = a[k] + b[i]`` all dependences start or end at the iteration `k`, and in
``a[i] = a[n - 1 - i]`` all cross the middle.  Cut there, no part of the loop carries any.  Nor do
strips of `k` iterations of ``a[i + k] = a[i]``.  Where `k` is the variable of a loop around, as in
Gauss-Jordan elimination or in Floyd and Warshall's shortest paths, the place is another each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import thread_time

from autopar.deps.affine import Atom, Params, number, parameter, variable
from autopar.deps.analyse import known
from autopar.deps.data import ALWAYS, END, START, Condition, Crossing, Crossings, Ends, Facts
from autopar.deps.domains import Range, Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import common_loops, kind, pairs, systems_of, variables
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import Row, System, TooHard
from autopar.nest.ir import Nest

_PATIENCE_S = 0.1  # for all of it: cutting is one way of several, and rarely the one


def crossings(
    nest: Nest, facts: Facts, loops: frozenset[int], wanted: frozenset[Ends]
) -> Crossings:
    """Where dependences through arrays lie that one of `loops`, by `For.id`, carries.

    Parameters
    ----------
    wanted
        Those that hold: nothing is said of others.

    Notes
    -----
    The systems are those of dependence analysis, with what a part of the loop is as parameters.
    Where a condition is said to hold more often than it does, parts are smaller than they could be.

    References
    ----------
    Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, sections 3.3.2 (weak-zero and
    weak-crossing subscripts, loop peeling and splitting) and 5.7 (index-set splitting; crossing
    thresholds).  Departure: the place is found at the call, for any affine subscripts.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    finder = _Finder(params, Solver(params, PATIENCE_S), wanted)
    found: dict[Crossing, None] = {}
    for one, two, met in pairs(reader.reaches, facts):
        for level, around in enumerate(common_loops(one, two), start=1):
            if around.loop.id in loops:
                found |= dict.fromkeys(finder.of_pair(one, two, met, level, around))
    used = {p for c in found for when in _conditions(c) for p in when.params}
    names = tuple(name for name in params.names if name in used and name not in (START, END))
    return Crossings(names, tuple(found))


def _conditions(crossing: Crossing) -> Iterator[Condition]:
    yield from (crossing.within, crossing.near)
    for _, before, after in crossing.beside:
        yield from (before, after)


class _Finder:
    def __init__(self, params: Params, solver: Solver, wanted: frozenset[Ends]) -> None:
        self.solver, self.wanted = solver, wanted
        self.deadline = thread_time() + _PATIENCE_S
        self.start, self.end = parameter(params.use(START)), parameter(params.use(END))

    def of_pair(
        self, one: Reach, two: Reach, met: Meeting, level: int, around: Range
    ) -> Iterator[Crossing]:
        """What `around`, the loop at `level`, carries between two accesses, in both directions."""
        try:
            systems = systems_of(one, two, met, self.solver)
        except TooHard:
            systems = []
        for forward in (True, False) if one is not two else (True,):
            source, sink = (one, two) if forward else (two, one)
            ends = source.stmt.id, sink.stmt.id, source.access.array, kind(source, sink), level
            if ends not in self.wanted:
                continue
            within = near = ALWAYS
            beside: list[tuple[int, Condition, Condition]] = []
            if around.sign and systems:
                rows = variables(one, two)
                first, last = rows if forward else rows[::-1]
                depth, at = len(one.place.loops), variable(level - 1)
                carried = [self.carried(s, depth, level, forward) for s in systems]
                # In order of execution: a loop may count down.
                after = Atom(">=", (at - self.start).times(around.sign))
                before = Atom(">=", (self.end - at).times(around.sign) - number(1))
                within = self.exists(carried, [(after, first), (before, last)], depth)
                difference: Row = {depth + level - 1: abs(around.unit) * (1 if forward else -1)}
                closer = Atom(">=", self.end - variable(0) - number(1))
                near = self.exists(carried, [(closer, [difference])], depth)
                for k, outer in enumerate(common_loops(one, two)[: level - 1]):
                    below = Atom(">=", variable(k) - at - number(1))
                    above = Atom(">=", at - variable(k) - number(1))
                    both = [
                        self.exists(carried, [(side, first), (side, last)], depth)
                        for side in (below, above)
                    ]
                    beside.append((outer.loop.id, both[0], both[1]))
            yield Crossing(ends, around.loop.id, within, near, tuple(beside))

    def carried(self, system: System, depth: int, level: int, forward: bool) -> System:
        """`system`, with the iterations as far apart as the loop at `level` carries them."""
        made = system.extended()
        for k in range(level - 1):
            made.rows.append(("==", {depth + k: 1}, 0))
        made.rows.append((">=", {depth + level - 1: 1 if forward else -1}, -1))
        return made

    def exists(
        self, systems: list[System], atoms: Sequence[tuple[Atom, Sequence[Row]]], depth: int
    ) -> Condition:
        """When any of `systems` has points where all `atoms` are true.

        Beside each atom stands what the loop variables in it are in the columns of `Pair.points`.
        """
        if thread_time() > self.deadline:
            return ALWAYS
        made = [system.extended() for system in systems]
        for system in made:
            for atom, rows in atoms:
                system.add((atom,), rows)
        try:
            return self.solver.first(lambda way: way.points(made, depth).exists())
        except TooHard:
            return ALWAYS
