"""Arrays that each iteration of a loop fills before it reads them: each may have a copy.

Dependences through such an array are between cells that the same iteration has just written; they
bind iterations to an order only because they all write into one piece of memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import islpy as isl

from autopar.deps.affine import Atom, Linear, Params, parameter, variable
from autopar.deps.certain import Certain
from autopar.deps.data import ALWAYS, NEVER, Condition, Facts, Private
from autopar.deps.domains import Range, Reach, Reader
from autopar.deps.regions import Layout, Numbered, Regions, Sure, certain, within, without
from autopar.deps.sets import Solver
from autopar.deps.solver import PATIENCE_S
from autopar.deps.system import Row, TooHard
from autopar.nest.ir import For, Nest
from autopar.nest.walking import statements

_SET: Any = isl.dim_type.set


def private(nest: Nest, facts: Facts, pairs: Iterable[tuple[str, int]]) -> Private:
    """When each of `pairs`, of an array and a loop, is an array private to the loop.

    The array must share no memory with another, nor with itself.

    Notes
    -----
    An array is private to a loop when (a) no iteration reads a cell that an earlier iteration may
    have written, unless it has surely written that cell itself before, and (b) the last iteration
    surely writes every cell that any iteration may write.  By (a) each iteration may work on a
    copy of the array as it was before the loop; by (b) the copy of the last iteration is what the
    array holds afterwards.

    What may be accessed and what is surely written is found by `deps.regions`.  Doubts speak
    against.

    References
    ----------
    P. Tu, D. Padua, "Automatic array privatization", LCPC 1993, here with integer sets for
    regions; order within one iteration as in P. Feautrier, "Dataflow analysis of array and scalar
    references", IJPP 20(1), 1991, section 4.  Allen & Kennedy, *Optimizing Compilers for Modern
    Architectures*, section 5.3.
    """
    params = Params(facts.ints, dict(facts.ranks), dict(facts.values))
    reader = Reader(nest, facts, params)
    solver = Solver(params, PATIENCE_S)
    loops = {s.id: s for s in statements(nest.loop) if isinstance(s, For)}
    found: list[tuple[str, int, Condition]] = []
    for array, loop in sorted(pairs):
        try:
            conditions = list(_Question(loops[loop], array, reader, params, solver).shared())
        except TooHard:
            conditions = [ALWAYS]
        # A pair is listed at least once, so that `held` knows that it was asked about.
        found += [(array, loop, c) for c in dict.fromkeys(conditions or [NEVER])]
    used = {p for _, _, condition in found for p in condition.params}
    return Private(tuple(name for name in params.names if name in used), tuple(found))


class _Question:
    """Whether one array is private to one loop."""

    def __init__(
        self, loop: For, array: str, reader: Reader, params: Params, solver: Solver
    ) -> None:
        self.loop, self.params, self.solver = loop, params, solver
        self.reaches = within(reader.reaches, array, loop)
        self.certain = Certain([reach for _, reach in self.reaches], reader.places, params)
        self.depth = len(reader.places[loop.id].loops)
        rank = max((len(reach.index) for _, reach in self.reaches), default=0)
        self.layout = Layout(self.depth + 1, rank)
        self.regions = Regions(self.layout, solver)

    def shared(self) -> Iterator[Condition]:
        """Conditions under which iterations need the array of another."""
        if not self.reaches:
            return
        around = self.reaches[0][1].place.loops[self.depth]
        if around.sign == 0 or any(len(r.index) != self.layout.rank for _, r in self.reaches):
            yield ALWAYS
            return
        writes = [(order, reach) for order, reach in self.reaches if reach.writes]
        sure = certain(self.reaches, frozenset(self.certain.surely(self.loop)))
        last = [self.by_the_last(reach, around) for _, reach in sure]
        for _, write in writes:
            yield self.solver.exists(without(self.regions.may(write), last))
        for order, reach in self.reaches:
            if not reach.writes:
                yield from self.fed(order, reach, writes, sure, around)

    def by_the_last(self, write: Reach, around: Range) -> Any:
        """Cells that `write` makes in the last iteration, whatever iteration is asked about."""
        layout, loop = self.layout, self.loop
        inner = layout.inside(write)
        system = Sure(layout.more + 1 + inner)
        rows = layout.rows(write, layout.more + 1, own=layout.more)
        self.regions.run(system, write, rows, self.depth)
        at = variable(self.depth)
        start, stop = self.certain.ends(loop)
        if around.scale and start is not None and stop is not None:
            beyond = at + Linear((), around.scale) - stop
            system.add([Atom(">=", beyond.times(around.sign))], rows)
        elif self.certain.steady(loop):
            end = parameter(self.params.use(f"loop{loop.id}.last"))
            system.add([Atom("==", at - end)], rows)
        else:
            raise TooHard("which iteration is the last")
        return self.regions.known([system], 1 + inner)

    def fed(
        self,
        order: int,
        reach: Reach,
        writes: Sequence[Numbered],
        sure: Sequence[Numbered],
        around: Range,
    ) -> Iterator[Condition]:
        """When the read `reach` gets what an earlier iteration wrote."""
        layout, regions = self.layout, self.regions
        width = layout.more + layout.inside(reach)
        cells = regions.may(reach)
        cells = without(cells, [regions.before(order, reach, w, at) for at, w in sure])
        if cells.is_empty():
            return
        for _, write in writes:
            rows = layout.rows(write, width + 1, own=width)
            later: Row = {self.depth: around.sign, width: -around.sign}
            total = width + 1 + layout.inside(write)
            made = regions.may_at(write, total, rows, later)
            widened = cells.add_dims(_SET, 1 + layout.inside(write))
            yield self.solver.exists(widened.intersect(made))
