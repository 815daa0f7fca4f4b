"""Arrays that each iteration of a loop fills before it reads them: each may have a copy.

Dependences through such an array are between cells that the same iteration has just written; they
bind iterations to an order only because they all write into one piece of memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import islpy as isl

from autopar.deps.affine import Atom, Linear, Params, parameter, variable
from autopar.deps.certain import Certain
from autopar.deps.data import ALWAYS, NEVER, Condition, Facts, Private
from autopar.deps.domains import Range, Reach, Reader
from autopar.deps.sets import Solver
from autopar.deps.solver import PATIENCE_S
from autopar.deps.system import Row, System, TooHard
from autopar.nest.ir import For, Nest
from autopar.nest.walking import statements
from autopar.records import dataclass

_SET: Any = isl.dim_type.set
_DIV: Any = isl.dim_type.div
_MOST_PIECES, _MOST_DIVS = 8, 1  # of what is written for certain; isl's time to subtract explodes


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

    What *may* be accessed is a superset, as for dependences.  What is *surely* written is a subset:
    targets of assignments under no test that the loop evaluates itself (or in both branches of
    one), in ranges that are known exactly, in loops that nothing leaves early, with affine
    subscripts.  Doubts speak against.

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


class _Sure(System):
    """A system that says nothing rather than too much."""

    def leave_out(self, form: Linear) -> None:
        raise TooHard("a constraint that cannot be left out")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Dimensions of one question.

    First the variables of the loops around (`depth` of them), that of the loop itself, and the
    `rank` subscripts of a cell; then whatever else a set needs.
    """

    depth: int
    rank: int

    @property
    def more(self) -> int:
        """The first dimension that is free."""
        return self.depth + 1 + self.rank

    def rows(self, reach: Reach, own: int, inner: int) -> list[Row]:
        """What the loop variables of `reach` are, its iteration of the loop being `own`."""
        dims = [*range(self.depth), own, *range(inner, inner + self.inside(reach))]
        return [{k: 1} for k in dims]

    def inside(self, reach: Reach) -> int:
        """How many loops there are around `reach` in the loop."""
        return len(reach.place.loops) - self.depth - 1

    def touch(self, system: System, reach: Reach, rows: Sequence[Row]) -> None:
        """Demand that the cell is the one that `reach` accesses."""
        for axis, form in enumerate(reach.index):
            if form is not None:
                system.equate(form, rows, variable(0), [{self.depth + 1 + axis: 1}])


class _Question:
    """Whether one array is private to one loop."""

    def __init__(
        self, loop: For, array: str, reader: Reader, params: Params, solver: Solver
    ) -> None:
        self.loop, self.params, self.solver = loop, params, solver
        self.reaches = [
            (order, reach)
            for order, reach in enumerate(reader.reaches)
            if reach.access.array == array
            and any(around.loop.id == loop.id for around in reach.place.loops)
        ]
        self.certain = Certain([reach for _, reach in self.reaches], reader.places, params)
        self.layout = _Layout(
            len(reader.places[loop.id].loops),
            max((len(reach.index) for _, reach in self.reaches), default=0),
        )

    def shared(self) -> Iterator[Condition]:
        """Conditions under which iterations need the array of another."""
        if not self.reaches:
            return
        around = self.reaches[0][1].place.loops[self.layout.depth]
        if around.sign == 0 or any(len(r.index) != self.layout.rank for _, r in self.reaches):
            yield ALWAYS
            return
        sure = frozenset(self.certain.surely(self.loop))
        writes = [(order, reach) for order, reach in self.reaches if reach.writes]
        # An access with several cases surely makes none of them.
        made = Counter(reach.access.id for _, reach in self.reaches)
        certain = [
            (order, reach)
            for order, reach in writes
            if reach.stmt.id in sure and None not in reach.index and made[reach.access.id] == 1
        ]
        last = [self.by_the_last(reach, around) for _, reach in certain]
        for _, write in writes:
            yield self.solver.exists(_without(self.may_write(write), last))
        for order, reach in self.reaches:
            if not reach.writes:
                yield from self.fed(order, reach, writes, certain, around)

    # ------------------------------------------------------------------ what is certain

    def by_the_last(self, write: Reach, around: Range) -> Any:
        """Cells that `write` makes in the last iteration, whatever iteration is asked about."""
        layout, loop = self.layout, self.loop
        inner = layout.inside(write)
        system = _Sure(layout.more + 1 + inner)
        rows = layout.rows(write, layout.more, layout.more + 1)
        self.run(system, write, rows, layout.depth)
        at = variable(layout.depth)
        start, stop = self.certain.ends(loop)
        if around.scale and start is not None and stop is not None:
            beyond = at + Linear((), around.scale) - stop
            system.add([Atom(">=", beyond.times(around.sign))], rows)
        elif self.certain.steady(loop):
            end = parameter(self.params.use(f"loop{loop.id}.last"))
            system.add([Atom("==", at - end)], rows)
        else:
            raise TooHard("which iteration is the last")
        return self.known([system], 1 + inner)

    def before(self, order: int, reach: Reach, write: Reach, at: int) -> Any:
        """Cells that `write`, at `at` in the text, makes before `reach` in the same iteration."""
        layout = self.layout
        mine, theirs = layout.inside(reach), layout.inside(write)
        here = layout.rows(reach, layout.depth, layout.more)
        there = layout.rows(write, layout.depth, layout.more + mine)
        pairs = zip(reach.place.loops, write.place.loops, strict=False)
        common = [a for a, b in pairs if a.loop.id == b.loop.id]
        systems = []
        for k in range(layout.depth + 1, len(common) + 1):
            system = _Sure(layout.more + mine + theirs)
            for outer in range(layout.depth + 1, k):
                system.equate(variable(outer), here, variable(outer), there)
            if k < len(common):
                (left,), (right,) = here[k], there[k]
                sign = common[k].sign
                system.rows.append((">=", {left: sign, right: -sign}, -1))
            elif at > order:
                continue
            self.run(system, write, there, layout.depth + 1)
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

    def may_write(self, write: Reach) -> Any:
        """Iterations and the cells that they write, with the inner loops of `write`."""
        layout = self.layout
        width = layout.more + layout.inside(write)
        return self.may(write, width, layout.rows(write, layout.depth, layout.more))

    def may(self, reach: Reach, width: int, rows: Sequence[Row], order: Row | None = None) -> Any:
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
        if made is None:  # a guard that is never true
            system = System(width)
            system.rows.append((">=", {}, -1))
            made = self.solver.solutions(system)
        return made

    def fed(
        self,
        order: int,
        reach: Reach,
        writes: Sequence[tuple[int, Reach]],
        certain: Sequence[tuple[int, Reach]],
        around: Range,
    ) -> Iterator[Condition]:
        """When the read `reach` gets what an earlier iteration wrote."""
        layout = self.layout
        mine = layout.inside(reach)
        width = layout.more + mine
        cells = self.may(reach, width, layout.rows(reach, layout.depth, layout.more))
        cells = _without(cells, [self.before(order, reach, w, at) for at, w in certain])
        if cells.is_empty():
            return
        for _, write in writes:
            rows = layout.rows(write, width, width + 1)
            later: Row = {layout.depth: around.sign, width: -around.sign}
            total = width + 1 + layout.inside(write)
            made = self.may(write, total, rows, later)
            widened = cells.add_dims(_SET, 1 + layout.inside(write))
            yield self.solver.exists(widened.intersect(made))


def _without(points: Any, others: Iterable[Any]) -> Any:
    """`points` that are in none of `others`, which may have fewer dimensions."""
    for other in others:
        if other is None or points.is_empty():
            continue
        missing = points.dim(_SET) - other.dim(_SET)
        points = points.subtract(other.add_dims(_SET, missing) if missing else other)
        if points.n_basic_set() > _MOST_PIECES:
            raise TooHard("cells that are left")
    return points
