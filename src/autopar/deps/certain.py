"""What each iteration of a loop does for certain, where dependences need only what is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autopar.deps.affine import Linear, Params, invariant, read
from autopar.deps.domains import Place, Range, Reach
from autopar.deps.order import own_leaves
from autopar.nest.ir import Assign, For, If, Stmt


class Certain:
    """Of the accesses `reaches` to one array, those that are sure to happen."""

    def __init__(
        self, reaches: Sequence[Reach], places: Mapping[int, Place], params: Params
    ) -> None:
        self.reaches, self.places, self.params = reaches, places, params

    def surely(self, loop: For) -> Iterator[int]:
        """Statements that run in each iteration of `loop`, and of the loops in it."""
        if not any(own_leaves(loop)):
            yield from self.always(loop.body)

    def always(self, stmts: Sequence[Stmt]) -> Iterator[int]:
        for stmt in stmts:
            match stmt:
                case Assign():
                    yield stmt.id
                case For() if stmt.body and self.exact(stmt):  # closed forms leave some empty
                    yield from self.surely(stmt)
                case If(body=body, orelse=orelse):
                    # Where both branches write a cell, it is written when the second one ends.
                    cells = {self.cell(number) for number in self.always(body)}
                    both = (k for k in self.always(orelse) if self.cell(k) in cells)
                    yield from (number for number in both if self.cell(number) is not None)

    def cell(self, number: int) -> tuple[object, ...] | None:
        """What statement `number` writes of the array, comparable; None for nothing."""
        found = [r for r in self.reaches if r.writes and r.stmt.id == number]
        if len(found) != 1:  # several cases: one of several cells
            return None
        return tuple(around.loop.id for around in found[0].place.loops), found[0].index

    def exact(self, loop: For) -> bool:
        """Whether all that bounds the variable of `loop` is known."""
        return self.range_of(loop).scale != 0 and (None not in self.ends(loop) or self.steady(loop))

    def range_of(self, loop: For) -> Range:
        depth = len(self.places[loop.id].loops)
        inner: Stmt = loop.body[0]
        return self.places[inner.id].loops[depth]

    def ends(self, loop: For) -> tuple[Linear | None, Linear | None]:
        """Start and stop of its range where they are affine, and no elements of index arrays."""
        scope = self.places[loop.id].scope
        start, stop = (read(end, scope, self.params) for end in (loop.start, loop.stop))
        known = [None if end is None or end.indirect else end for end in (start, stop)]
        return known[0], known[1]

    def steady(self, loop: For) -> bool:
        """Whether the range is one of the call's, so that its ends are parameters."""
        scope = self.places[loop.id].scope
        bounds = (loop.start, loop.stop, loop.step)
        return all(invariant(bound, scope, self.params) for bound in bounds)
