"""Which loops over rows may trail one another, and how many rows behind.

Of two loops next to one another, a row of the second needs what the first has done to some rows
around it.  So while the rows that the first works on are still in a cache, the second may follow it
at that distance, and threads may have a block of rows each, where they leave to the end what needs
rows of two blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autopar.deps.analyse import known
from autopar.deps.data import Facts, Group, Trail
from autopar.deps.domains import Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import difference, empty, in_one, pairs, systems_of, variables
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import Row, System, TooHard
from autopar.nest.ir import Nest, Stmt
from autopar.nest.walking import statements

FARTHEST = 4
"""Rows by which a loop may be behind the first one: they have to stay in a cache."""


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
    off each block is left for later [1]_.  That has nothing to do with what is left of the next
    block where these have at least twice as many rows as a loop may be behind.

    The systems are those of dependence analysis; one that nobody can solve has points.

    References
    ----------
    .. [1] N. Manjikian, T. S. Abdelrahman, "Fusion of loops for parallelism and locality", IEEE
       TPDS 8(2), 1997.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    loops = {stmt.id: loop for loop, stmt in _inside(nest, runs)}
    asked = _Asked(Solver(params, PATIENCE_S), loops)
    arrays: dict[int, set[str]] = {}
    for reach in reader.reaches:
        if reach.stmt.id in loops:
            arrays.setdefault(loops[reach.stmt.id], set()).add(reach.access.array)
    for one, two, met in pairs(reader.reaches, facts):
        asked.look(one, two, met)
    found: list[Group] = []
    for run in runs:
        group: list[Trail] = []
        for loop in run:
            near = any(arrays[loop] & arrays[trail.loop] for trail in group)
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
    tops = frozenset(loop for run in runs for loop in run)
    for top in statements(nest.loop):
        if top.id in tops:
            for stmt in statements(top):
                yield top.id, stmt


class _Asked:
    """Asks how far apart rows of two loops are that have anything to do with each other.

    Attributes
    ----------
    loops
        The loop of a run that a statement stands in, by their ids.
    far
        By the ids of two loops: the least and the greatest difference of such rows, that of the
        first loop minus that of the second.
    unknown
        Pairs of loops of which nobody knows, or where it is too much.
    """

    def __init__(self, solver: Solver, loops: Mapping[int, int]) -> None:
        self.solver, self.loops = solver, loops
        self.far: dict[tuple[int, int], tuple[int, int]] = {}
        self.unknown: set[tuple[int, int]] = set()

    def independent(self, loop: int) -> bool:
        """Whether its rows have nothing to do with each other, so that some can wait."""
        pair = loop, loop
        return pair not in self.unknown and self.far.get(pair, (0, 0)) == (0, 0)

    def trail(self, loop: int, group: Sequence[Trail]) -> Trail | None:
        """How `loop` trails all of `group`; None where it does not, or too far behind."""
        if not self.independent(loop) or any((o.loop, loop) in self.unknown for o in group):
            return None
        behind = ahead = 0
        for other in group:
            if (other.loop, loop) in self.far:
                least, most = self.far[other.loop, loop]
                behind, ahead = max(behind, other.behind + most), max(ahead, other.ahead - least)
        return Trail(loop, behind, ahead) if max(behind, ahead) <= FARTHEST else None

    def look(self, one: Reach, two: Reach, met: Meeting) -> None:
        """Note what a pair of accesses says of the loops that they are in."""
        if not {one.stmt.id, two.stmt.id} <= self.loops.keys():
            return
        pair = self.loops[one.stmt.id], self.loops[two.stmt.id]
        if pair in self.unknown:
            return
        try:
            for least, most in self.differences(one, two, met):
                before = self.far.get(pair, (least, most))
                self.far[pair] = min(before[0], least), max(before[1], most)
        except TooHard:
            self.unknown.add(pair)

    def differences(self, one: Reach, two: Reach, met: Meeting) -> Iterator[tuple[int, int]]:
        """Between which numbers that of rows lies, 0 being one of them, for each case there is."""
        loops = [around.loop.id for around in one.place.loops]
        outer, depth = loops.index(self.loops[one.stmt.id]), len(loops)
        here, there = variables(one, two)
        rows = difference(here[outer], there[outer])
        back = {key: -factor for key, factor in rows.items()}
        for system in systems_of(one, two, met, self.solver):
            same = in_one(system, depth, outer)
            if not empty(self.solver, same, depth):
                yield -self.end(same, back, depth), self.end(same, rows, depth)

    def end(self, system: System, rows: Row, depth: int) -> int:
        """The least number, of those from 0 on, that `rows` never exceeds.

        Raises
        ------
        TooHard
            Where that is too far.
        """
        for most in range(FARTHEST + 1):
            beyond = system.extended()
            beyond.rows.append((">=", rows, -most - 1))
            if empty(self.solver, beyond, depth):
                return most
        raise TooHard("rows that are far apart")
