"""Whether rows may be changed by several pivots at a time, and which pivots need copies for that.

In ``a[i, j] -= a[i, k] * a[k, j]``, for all `i` in each iteration of `k`, row `k` is the pivot.  A
block of pivots may change its own rows first, and then each other row by all of them, if what is
done to these goes nowhere but to the same row, or to rows that are in no such block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autopar.deps.analyse import known
from autopar.deps.data import Facts
from autopar.deps.domains import Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import common_loops, difference, empty, pairs, systems_of, variables
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import Row, TooHard
from autopar.nest.ir import Nest
from autopar.nest.walking import statements

_Rows = list[tuple[str, Row, int]]


def copied(
    nest: Nest, facts: Facts, rows: Sequence[int], pivots: frozenset[int]
) -> frozenset[int] | None:
    """The accesses of `pivots` that must read copies; None where pivots must go one by one.

    Parameters
    ----------
    rows
        Loops over rows by `For.id`, each right inside the outermost loop, which counts pivots.
    pivots
        Accesses in them that may read a copy, made in the iteration of the pivot: before its own
        block is changed for rows above that, afterwards for rows below it.

    Notes
    -----
    Of an iteration `k` of the outermost loop and a row `i`, and of a later `k` in the same block,
    it is asked whether there is a dependence from the one to the other if row `i` is outside of the
    block.  A block is a range of numbers, so that means before both or after both.  None may lead
    to another row, nor to what is done once for a pivot.  Where what it starts at is an access to a
    pivot, that reads a copy: then nothing that is done to rows outside of the block may lead to
    that access, since the copy is made before.

    The systems are those of dependence analysis; one that nobody can solve has points.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    found = list(pairs(reader.reaches, facts))
    asked = _Asked(nest, Solver(params, PATIENCE_S), frozenset(rows))
    try:
        needed: set[int] = set()
        for one, two, met in found:
            needed.update(asked.sources(one, two, met, frozenset()))
            if not needed <= pivots:
                return None
        again = frozenset(needed)
        for pair in found:
            for _ in asked.sources(*pair, again):
                return None
    except TooHard:
        return None
    return again


class _Asked:
    """Asks for dependences that start at rows outside of a block."""

    def __init__(self, nest: Nest, solver: Solver, rows: frozenset[int]) -> None:
        self.solver, self.rows = solver, rows
        self.place: Mapping[int, int] = {
            stmt.id: place for place, top in enumerate(nest.loop.body) for stmt in statements(top)
        }

    def row(self, reach: Reach) -> bool:
        """Whether an access is made for each row."""
        loops = reach.place.loops
        return len(loops) > 1 and loops[1].loop.id in self.rows

    def sources(
        self, one: Reach, two: Reach, met: Meeting, copied: frozenset[int]
    ) -> Iterator[int]:
        """Accesses where dependences start that stand in the way; `copied` read copies."""
        if any(around.sign != 1 or around.unit != 1 for around in common_loops(one, two)[:2]):
            raise TooHard("loops that count down")
        here, there = variables(one, two)
        ways = ((one, two, here, there), (two, one, there, here))
        for system in systems_of(one, two, met, self.solver):
            for source, sink, at, to in ways[: 1 if one is two else 2]:
                start = source.access.id
                if not self.row(source) or start in copied:
                    continue
                for rows in self.cases(source, sink, at, to, sink.access.id in copied):
                    made = system.extended()
                    made.rows += rows
                    if not empty(self.solver, made, len(one.place.loops)):
                        yield start
                        break

    def cases(
        self, source: Reach, sink: Reach, at: Sequence[Row], to: Sequence[Row], copied: bool
    ) -> Iterator[_Rows]:
        """Which iterations stand in the way, as constraints on both; any of these.

        Parameters
        ----------
        at, to
            What the loop variables of both are in the columns of the system.
        copied
            Whether the second one reads a copy.
        """
        pivot, later, row = at[0], to[0], at[1]
        mine, other = (self.place[reach.stmt.id] for reach in (source, sink))
        here = self.row(sink)
        following = [_after(to[1], row)] if here else []
        same = ("==", difference(later, pivot), 0)
        # In a later iteration of the outermost loop, or later in the same one.
        orders: list[_Rows] = [[_after(later, pivot)]]
        if mine < other:
            orders.append([same])
        elif mine == other:
            orders.append([same, *following])
            if copied:
                orders.append([same, ("==", difference(to[1], row), 0)])
        apart: list[_Rows] = [[]]
        if here and not copied:
            apart = [following, [_after(row, to[1])]]
        for order in orders:
            for outside in (_after(pivot, row), _after(row, later)):
                for rows in apart:
                    yield [*order, outside, *rows]


def _after(one: Row, two: Row) -> tuple[str, Row, int]:
    """That `one` is greater than `two`."""
    return ">=", difference(one, two), -1
