"""Whether the statements of a nest may run in the order of columns, panel by panel.

A decomposition in place, row by row, reads and writes the columns of its rows from the left to the
right.  What belongs to the first columns may then be done for all rows before the others, if no
dependence leads from one column to another on its left.
"""

from __future__ import annotations

from collections.abc import Mapping

from autopar.deps.analyse import known
from autopar.deps.data import FIRST, Cells, Columns, Facts
from autopar.deps.domains import Reach, Reader
from autopar.deps.meeting import Meeting
from autopar.deps.relations import (
    common_loops,
    difference,
    empty,
    in_one,
    pairs,
    systems_of,
    variables,
)
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.deps.system import TooHard
from autopar.nest.ir import Nest


def in_columns(nest: Nest, facts: Facts, columns: Columns, cells: Cells) -> bool:
    """Whether no dependence of `nest` leads to a column on the left, for any parameters.

    Then all that is done in some columns may go before what is done in those on their right,
    in the order in which it stood.

    Parameters
    ----------
    cells
        These accesses must be the only ones of their iterations to that cell.

    Notes
    -----
    The systems are those of dependence analysis; one that nobody can solve has points.  What is
    left out of them only adds points.
    """
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    asked = _Asked(Solver(params, PATIENCE_S), dict(columns))
    try:
        for one, two, met in pairs(reader.reaches, facts):
            if not asked.rightwards(one, two, met):
                return False
            if not all(asked.to_itself(one, two, met, *cell) for cell in cells):
                return False
    except TooHard:
        return False
    return True


class _Asked:
    def __init__(self, solver: Solver, columns: Mapping[int, int]) -> None:
        self.solver, self.columns = solver, columns

    def rightwards(self, one: Reach, two: Reach, met: Meeting) -> bool:
        """Whether all dependences between two accesses lead to the same column or to the right."""
        common, depth = common_loops(one, two), len(one.place.loops)
        if any(around.sign != 1 or around.unit != 1 for around in common):
            return False
        here, there = variables(one, two)
        columns = self.columns[one.stmt.id], self.columns[two.stmt.id]
        first, last = (
            None if c == FIRST else v[c] for c, v in zip(columns, (here, there), strict=True)
        )
        systems = systems_of(one, two, met, self.solver)
        for level in range(len(common) + 1):
            made = [in_one(system, depth, level) for system in systems]
            for forward in (True, False):
                if level == len(common) and not forward:
                    continue  # `one` comes first in the text
                source, sink = (first, last) if forward else (last, first)
                if source is None:
                    continue  # it goes before whatever comes later
                for system in made:
                    carried = system.extended()
                    if level < len(common):
                        carried.rows.append((">=", {depth + level: 1 if forward else -1}, -1))
                    if sink is not None:
                        carried.rows.append((">=", difference(source, sink), -1))
                    if not empty(self.solver, carried, depth):
                        return False
        return True

    def to_itself(
        self, one: Reach, two: Reach, met: Meeting, loop: int, cell: frozenset[int]
    ) -> bool:
        """Whether an access to the `cell` of an iteration and another one there never meet."""
        if (one.access.id in cell) == (two.access.id in cell):
            return True
        around = [each.loop.id for each in common_loops(one, two)]
        if loop not in around:
            return True
        depth, level = len(one.place.loops), around.index(loop) + 1
        systems = systems_of(one, two, met, self.solver)
        return all(empty(self.solver, in_one(system, depth, level), depth) for system in systems)
