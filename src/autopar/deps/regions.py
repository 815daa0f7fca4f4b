"""Cells of one array as sets of isl's: what accesses may touch, and what they surely write.

What *may* be accessed is a superset, as for dependences.  What is *surely* written is a subset:
targets of assignments under no test that the loop evaluates itself (or in both branches of one), in
ranges that are known exactly, in loops that nothing leaves early, with affine subscripts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import islpy as isl

from autopar.deps.affine import Entry, Linear, variable
from autopar.deps.domains import Reach
from autopar.deps.sets import Solver
from autopar.deps.system import Row, System, TooHard
from autopar.nest.ir import For
from autopar.records import dataclass

_SET: Any = isl.dim_type.set
_DIV: Any = isl.dim_type.div
_MOST_PIECES, _MOST_DIVS = 8, 1  # of what is written for certain; isl's time to subtract explodes

Numbered = tuple[int, Reach]
"""An access with its place in the text."""


class Sure(System):
    """A system that says nothing rather than too much."""

    def leave_out(self, form: Linear) -> None:
        raise TooHard("a constraint that cannot be left out")

    def _cell(self, entry: Entry, variables: Sequence[Row]) -> int:
        raise TooHard("an element of which only the range is known")


@dataclass(frozen=True, slots=True)
class Layout:
    """Dimensions of one question.

    First the variables of the `around` loops whose iteration is the same for all accesses, the last
    of which is the loop that is asked about, if any; then the `rank` subscripts of a cell; then
    whatever else a set needs.
    """

    around: int
    rank: int

    @property
    def more(self) -> int:
        """The first dimension that is free."""
        return self.around + self.rank

    def rows(self, reach: Reach, inner: int, own: int | None = None) -> list[Row]:
        """What the loop variables of `reach` are: those of its inner loops begin at `inner`.

        The iteration of the loop that is asked about is `own`, where it is another one.
        """
        dims = list(range(self.around))
        if own is not None:
            dims[-1] = own
        return [{k: 1} for k in (*dims, *range(inner, inner + self.inside(reach)))]

    def inside(self, reach: Reach) -> int:
        """How many more loops there are around `reach`."""
        return len(reach.place.loops) - self.around

    def touch(self, system: System, reach: Reach, rows: Sequence[Row]) -> None:
        """Demand that the cell is the one that `reach` accesses."""
        for axis, form in enumerate(reach.index):
            if form is not None:
                system.equate(form, rows, variable(0), [{self.around + axis: 1}])


class Regions:
    """Sets of cells, with the dimensions of `layout`."""

    def __init__(self, layout: Layout, solver: Solver) -> None:
        self.layout, self.solver = layout, solver

    # ------------------------------------------------------------------ what is certain

    def before(self, order: int, reach: Reach, write: Reach, at: int) -> Any:
        """Cells that `write`, at `at` in the text, makes before `reach` at `order`; None for none.

        Their set has the dimensions of `layout` and those of the inner loops of `reach`.
        """
        layout = self.layout
        mine, theirs = layout.inside(reach), layout.inside(write)
        here = layout.rows(reach, layout.more)
        there = layout.rows(write, layout.more + mine)
        pairs = zip(reach.place.loops, write.place.loops, strict=False)
        common = [a for a, b in pairs if a.loop.id == b.loop.id]
        systems = []
        for k in range(layout.around, len(common) + 1):
            system = Sure(layout.more + mine + theirs)
            for outer in range(layout.around, k):
                system.equate(variable(outer), here, variable(outer), there)
            if k < len(common):
                (left,), (right,) = here[k], there[k]
                sign = common[k].sign
                system.rows.append((">=", {left: sign, right: -sign}, -1))
            elif at > order:
                continue
            self.run(system, write, there, layout.around)
            systems.append(system)
        return self.known(systems, theirs)

    def run(self, system: System, write: Reach, rows: Sequence[Row], first: int) -> None:
        """Demand that the loops of `write` from the `first` on are at `rows`, and the cell its."""
        for around in write.place.loops[first:]:
            system.add((*around.atoms, *around.stride), rows)
        self.layout.touch(system, write, rows)

    def known(self, systems: Sequence[System], inner: int) -> Any:
        """The union of `systems` without the last `inner` dimensions; None for none."""
        made = None
        for system in systems:
            points = self.solver.solutions(system).project_out(_SET, system.width - inner, inner)
            made = points if made is None else made.union(points)
        if made is not None:
            pieces = made.get_basic_sets()
            if len(pieces) > _MOST_PIECES or any(p.dim(_DIV) > _MOST_DIVS for p in pieces):
                raise TooHard("written cells")
        return made

    # ------------------------------------------------------------------ what is possible

    def may(self, reach: Reach) -> Any:
        """What `reach` touches, with its inner loops."""
        width = self.layout.more + self.layout.inside(reach)
        return self.may_at(reach, width, self.layout.rows(reach, self.layout.more))

    def may_at(
        self, reach: Reach, width: int, rows: Sequence[Row], order: Row | None = None
    ) -> Any:
        """The same with its loop variables at `rows`; `order`: a form that is positive."""
        made = None
        for guards in reach.place.guards:
            system = System(width)
            for around in reach.place.loops:
                system.add((*around.atoms, *around.stride), rows)
            system.add(guards, rows)
            self.layout.touch(system, reach, rows)
            if order is not None:
                system.rows.append((">=", order, -1))
            points = self.solver.solutions(system)
            made = points if made is None else made.union(points)
        return self.nothing(width) if made is None else made  # a guard that is never true

    def nothing(self, width: int) -> Any:
        """No points at all."""
        system = System(width)
        system.rows.append((">=", {}, -1))
        return self.solver.solutions(system)


def certain(reaches: Sequence[Numbered], sure: Collection[int]) -> list[Numbered]:
    """Of `reaches`, the writes of the statements `sure` of which the cell is known."""
    # An access with several cases surely makes none of them.
    made = Counter(reach.access.id for _, reach in reaches)
    return [
        (order, reach)
        for order, reach in reaches
        if reach.writes
        and reach.stmt.id in sure
        and None not in reach.index
        and made[reach.access.id] == 1
    ]


def within(reaches: Iterable[Reach], array: str, loop: For | None = None) -> list[Numbered]:
    """Those of `reaches`, in textual order, that access `array` in `loop`, or anywhere."""
    return [
        (order, reach)
        for order, reach in enumerate(reaches)
        if reach.access.array == array
        and (loop is None or any(around.loop.id == loop.id for around in reach.place.loops))
    ]


def without(points: Any, others: Iterable[Any]) -> Any:
    """`points` that are in none of `others`, which may have fewer dimensions.

    Raises
    ------
    TooHard
        That would be very long to say.
    """
    for other in others:
        if other is None or points.is_empty():
            continue
        missing = points.dim(_SET) - other.dim(_SET)
        points = points.subtract(other.add_dims(_SET, missing) if missing else other)
        if points.n_basic_set() > _MOST_PIECES:
            raise TooHard("cells that are left")
    return points
