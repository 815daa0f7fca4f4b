"""Which cells of its arrays a nest needs from outside, and which it changes."""

from __future__ import annotations

from typing import Any

import islpy as isl

from autopar.deps.affine import Params
from autopar.deps.analyse import known
from autopar.deps.cells import NO_CELLS, Cells, Footprint, Moved
from autopar.deps.certain import Certain
from autopar.deps.data import Facts
from autopar.deps.domains import Reach, Reader
from autopar.deps.enumeration import listed, simple
from autopar.deps.regions import Layout, Numbered, Regions, Sure, certain, within, without
from autopar.deps.sets import Solver
from autopar.deps.solver import PATIENCE_S
from autopar.deps.system import System, TooHard
from autopar.nest.ir import Nest

_SET: Any = isl.dim_type.set
_NUMBERS_PATIENCE_S = 0.2  # what holds for one tuple of numbers is asked often
_MOST_PAIRS = 400  # of a read and a write that may come before it, of one array


def footprint(nest: Nest, facts: Facts) -> Footprint:
    """What of its arrays `nest` may read before it has surely written it, and what it may write.

    It is said as if no array shared memory with another, nor with itself.  Accesses must stay in
    bounds but for those in `facts.unreadable`, which may be anywhere.

    Notes
    -----
    A cell *comes* if it may be read while the nest may not have written it yet (what data-flow
    analysis calls upward exposed), or if it *goes* without having surely been written, so that
    whoever takes what goes finds there what was there before.  A cell goes if it may be written.

    Kernels do for any contents of memory what the nest does, so it does not matter what they find
    in all other cells.

    What may be is a superset and what is sure a subset; see `deps.regions`.  Whatever takes long is
    the whole array.

    References
    ----------
    B. Creusillet, F. Irigoin, "Interprocedural array region analyses", IJPP 24(6), 1996, for the
    regions (IN and OUT, may and must); order within the nest as in P. Feautrier, "Dataflow analysis
    of array and scalar references", IJPP 20(1), 1991, section 4.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    solver = Solver(params, _NUMBERS_PATIENCE_S if facts.values else PATIENCE_S)
    ranks = dict(facts.ranks)
    found: list[Moved] = []
    for array in sorted({reach.access.array for reach in reader.reaches}):
        coming: Cells | None = None
        going: Cells | None = None
        if ranks.get(array):
            question = _Question(nest, array, ranks[array], reader, params, solver)
            try:
                solver.hurry()
                coming, going = question.answer()
            except TooHard:
                if not any(reach.writes for _, reach in question.reaches):
                    going = NO_CELLS
        found.append(Moved(array, coming, going))
    used = {p for one in found for c in (one.coming, one.going) if c is not None for p in c.params}
    return Footprint(tuple(name for name in params.names if name in used), tuple(found))


class _Question:
    """What of one array comes and goes."""

    def __init__(
        self, nest: Nest, array: str, rank: int, reader: Reader, params: Params, solver: Solver
    ) -> None:
        self.nest, self.array, self.rank = nest, array, rank
        self.params, self.solver = params, solver
        self.reaches = within(reader.reaches, array)
        self.certain = Certain([reach for _, reach in self.reaches], reader.places, params)
        self.layout = Layout(0, rank)
        self.regions = Regions(self.layout, solver)

    def answer(self) -> tuple[Cells, Cells]:
        """What comes, and what goes."""
        if any(len(reach.index) != self.rank for _, reach in self.reaches):
            raise TooHard("a part of an array")
        bounds = self.bounds()
        writes = [reach for _, reach in self.reaches if reach.writes]
        sure = certain(self.reaches, frozenset(self.certain.always((self.nest.loop,))))
        coming = going = bounds.subtract(bounds)
        for reach in writes:
            going = going.union(self.cells(self.regions.may(reach), bounds))
        going = simple(going, bounds)
        reads = [(order, reach) for order, reach in self.reaches if not reach.writes]
        if len(reads) * len(sure) > _MOST_PAIRS:
            sure = []
        for order, reach in reads:
            needed = self.cells(self.exposed(order, reach, sure), bounds)
            if not needed.is_subset(coming):
                coming = simple(coming.union(needed), bounds)
        coming = simple(coming.union(self.unsure(going, sure)), bounds)
        names = self.params.names
        return listed(coming, self.solver, names), listed(going, self.solver, names)

    def bounds(self) -> Any:
        """All cells of the array."""
        system = System(self.rank)
        for axis in range(self.rank):
            extent = self.params.extent(self.array, axis)
            assert extent is not None
            system.rows.append((">=", {axis: 1}, 0))
            system.rows.append((">=", {extent: 1, axis: -1}, -1))
        return self.solver.solutions(system)

    def cells(self, points: Any, bounds: Any) -> Any:
        """The cells in `points`, which may have more dimensions."""
        self.solver.hurry()
        inner = points.dim(_SET) - self.rank
        return simple(points.project_out(_SET, self.rank, inner).intersect(bounds), bounds)

    def exposed(self, order: int, reach: Reach, sure: list[Numbered]) -> Any:
        """What `reach` may read before it is surely written, with its inner loops."""
        points = self.regions.may(reach)
        for at, write in sure:
            self.solver.hurry()
            if points.is_empty():
                break
            try:
                points = without(points, [self.regions.before(order, reach, write, at)])
            except TooHard:
                continue  # so much the more comes
        return points

    def unsure(self, going: Any, sure: list[Numbered]) -> Any:
        """Those of the cells `going` that may not be written after all."""
        for _, write in sure:
            self.solver.hurry()
            inner = self.layout.inside(write)
            system = Sure(self.layout.more + inner)
            try:
                self.regions.run(system, write, self.layout.rows(write, self.layout.more), 0)
                going = without(going, [self.regions.known([system], inner)])
            except TooHard:
                continue
        return going
