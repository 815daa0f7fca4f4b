"""Which loops over rows may trail one another, and how many rows behind.

Of two loops next to one another, a row of the second needs what the first has done to some rows
around it.  So while the rows that the first works on are still in a cache, the second may follow it
at that distance, and threads may have a block of rows each, where they leave to the end what needs
rows of two blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.deps.analyse import known
from autopar.deps.columns import difference, empty
from autopar.deps.data import Facts, Group, Trail
from autopar.deps.domains import Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import pairs, systems_of, variables
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import Row, System, TooHard
from autopar.nest.ir import Nest, Stmt
from autopar.nest.walking import statements

FARTHEST = 4
"""Rows by which a loop may be behind the first one: they have to stay in a cache."""


_NOWHERE = (FARTHEST, -FARTHEST)  # the ends of an empty range


def trails(nest: Nest, facts: Facts, runs: Sequence[Sequence[int]]) -> tuple[Group, ...]:
    """The loops of `runs` that may trail one another, in groups of at least two.

    Parameters
    ----------
    runs
        Loops by `For.id`, each of which follows the one before it in the same block, and which have
        nothing but arrays in common.

    Notes
    -----
    Rows of one loop must be independent.  Within one iteration of the loops around a run, all other
    dependences lead from a loop to those behind it.  If row `i` of a loop needs what one before has
    done to rows ``i + least … i + most``, it may follow when that has done ``i + most``, and in a
    block of rows alone if ``i + least`` is in it as well: fusion with shifts, where what is peeled
    off each block is left for later [1]_.

    The systems are those of dependence analysis; one that nobody can solve has points.

    References
    ----------
    .. [1] N. Manjikian, T. S. Abdelrahman, "Fusion of loops for parallelism and locality", IEEE
       TPDS 8(2), 1997.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    around = {stmt.id: top for top, stmt in _inside(nest, runs)}
    asked = _Asked(Solver(params, PATIENCE_S), around)
    for one, two, met in pairs(reader.reaches, facts):
        asked.look(one, two, met)
    shared = {loop: set[str]() for run in runs for loop in run}
    for reach in reader.reaches:
        if reach.stmt.id in around:
            shared[around[reach.stmt.id]].add(reach.access.array)
    found: list[Group] = []
    for run in runs:
        group: list[Trail] = []
        for loop in run:
            near = any(shared[loop] & shared[trail.loop] for trail in group)
            made = asked.trail(loop, group) if near else None
            if made is None:
                found.append(tuple(group))
                group = [Trail(loop, 0, 0)] if asked.independent(loop) else []
            else:
                group.append(made)
        found.append(tuple(group))
    # Where nobody is behind, they can be joined (`sched.fusion`).
    return tuple(group for group in found if any(t.behind or t.ahead for t in group))


def _inside(nest: Nest, runs: Sequence[Sequence[int]]) -> Iterator[tuple[int, Stmt]]:
    """Each statement in one of the loops of `runs`, after the id of that."""
    known = frozenset(loop for run in runs for loop in run)
    for top in statements(nest.loop):
        if top.id in known:
            for stmt in statements(top):
                yield top.id, stmt


class _Asked:
    """Asks how far apart rows of two loops are that have anything to do with each other.

    Attributes
    ----------
    far
        By the ids of two loops: between which numbers the difference of rows lies, that of the
        first minus that of the second; None where nobody knows.
    """

    def __init__(self, solver: Solver, around: dict[int, int]) -> None:
        self.solver, self.around = solver, around
        self.far: dict[tuple[int, int], tuple[int, int] | None] = {}

    def trail(self, loop: int, group: Sequence[Trail]) -> Trail | None:
        """How `loop` trails all of `group`; None where it does not, or too far behind."""
        behind = ahead = 0
        if not self.independent(loop):
            return None
        for other in group:
            far = self.far.get((other.loop, loop), _NOWHERE)
            if far is None:
                return None
            if far == _NOWHERE:
                continue
            behind = max(behind, other.behind + far[1])
            ahead = max(ahead, other.ahead - far[0])
        return Trail(loop, behind, ahead) if max(behind, ahead) <= FARTHEST else None

    def independent(self, loop: int) -> bool:
        """Whether its rows have nothing to do with each other, so that some can wait."""
        return self.far.get((loop, loop), _NOWHERE) in (_NOWHERE, (0, 0))

    def look(self, one: Reach, two: Reach, met: Meeting) -> None:
        """Note what a pair of accesses says of the loops that they are in."""
        if not {one.stmt.id, two.stmt.id} <= self.around.keys():
            return
        key = self.around[one.stmt.id], self.around[two.stmt.id]
        before = self.far.get(key, _NOWHERE)
        if before is None:
            return
        try:
            far = self.between(one, two, met)
        except TooHard:
            far = None
        self.far[key] = far and (min(far[0], before[0]), max(far[1], before[1]))

    def between(self, one: Reach, two: Reach, met: Meeting) -> tuple[int, int] | None:
        """The least and the greatest difference of rows, as far as these may be."""
        loops = [each.loop.id for each in one.place.loops]
        outer, depth = loops.index(self.around[one.stmt.id]), len(loops)
        here, there = variables(one, two)
        made = []
        for system in systems_of(one, two, met, self.solver):
            same = system.extended()
            same.rows += [("==", {depth + k: 1}, 0) for k in range(outer)]
            if not empty(self.solver, same, depth):
                made.append(same)
        if not made:
            return _NOWHERE
        rows = difference(here[outer], there[outer])
        most = self.end(made, rows, depth)
        least = self.end(made, {key: -factor for key, factor in rows.items()}, depth)
        return None if most is None or least is None else (-least, most)

    def end(self, systems: Sequence[System], rows: Row, depth: int) -> int | None:
        """The least number, of those from 0 on, that `rows` never exceeds; None if that is far."""
        for most in range(FARTHEST + 1):
            if all(self.within(system, rows, most, depth) for system in systems):
                return most
        return None

    def within(self, system: System, rows: Row, most: int, depth: int) -> bool:
        beyond = system.extended()
        beyond.rows.append((">=", rows, -most - 1))
        return empty(self.solver, beyond, depth)
