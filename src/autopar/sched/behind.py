"""Sweeps whose rows may follow one another some columns behind, where nothing is independent.

Of two loops, one right inside the other, every dependence from row to row must then point to a
later step: with rows `b` columns behind one another, one of `r` rows and `c` columns points
``c + b * r`` steps ahead.

References
----------
M. Wolfe, "Loop skewing: the wavefront method revisited", IJPP 15(4), 1986.
"""

from __future__ import annotations

from autopar.deps.data import Analysis, Dependence
from autopar.nest.ir import Assign, Const, Element, For, Stmt
from autopar.nest.kinds import family
from autopar.nest.typed.types import Typed
from autopar.nest.walking import blocks

_FARTHEST = 4
"""Columns: farther behind, most of a short row goes by before all rows have begun."""


def behind(typed: Typed, analysis: Analysis, held: frozenset[int]) -> tuple[tuple[int, int], ...]:
    """Ids of loops, and by how many steps of the loop in them their iterations may be behind.

    Parameters
    ----------
    held
        Positions of the dependences that exist.
    """
    known = [analysis.dependences[k] for k in sorted(held)]
    found = []
    for rows, level in _loops(typed.nest.loop, 1):
        match rows:
            case For(body=(For(step=Const(value=1)) as columns,), step=Const(value=1)) if not (
                rows.fold or columns.fold or not _waits(columns, typed)
            ):
                steps = _steps(columns, known, level)
                if steps is not None:
                    found.append((rows.id, steps))
    return tuple(found)


def _loops(stmt: Stmt, level: int) -> list[tuple[For, int]]:
    """Loops of which only loops are around, and their level."""
    own = [(stmt, level)] if isinstance(stmt, For) else []
    inner = (s for block in blocks(stmt) for s in block if isinstance(s, For))
    return own + [found for s in inner for found in _loops(s, level + 1)]


def _waits(columns: For, typed: Typed) -> bool:
    """Whether a step takes long enough to wait for: sums and quotients of floats do.

    Integers are added in no time, and branches are guessed.
    """
    stores = [stmt.target for stmt in columns.body if isinstance(stmt, Assign)]
    found = [typed.array(s.array).dtype for s in stores if isinstance(s, Element)]
    floats = any(family(dtype) in ("float", "complex") for dtype in found)
    return floats and all(isinstance(stmt, Assign) for stmt in columns.body)


def _steps(columns: For, known: list[Dependence], level: int) -> int | None:
    """How far behind rows must be; None where they need not be, or cannot be."""
    ids = {columns.id, *(stmt.id for stmt in columns.body)}
    carried = [d for d in known if {d.source, d.sink} <= ids and d.level in (level, level + 1)]
    if not all(any(d.level == k for d in carried) for k in (level, level + 1)):
        return None  # one of the two loops may run in any order
    steps = 1
    for dep in carried:
        if dep.level == level:
            down, along = _least(dep, level), _least(dep, level + 1)
            if down is None or along is None or down < 1:
                return None
            steps = max(steps, -((along - 1) // down))
    return steps if steps <= _FARTHEST else None


def _least(dep: Dependence, level: int) -> int | None:
    """The least distance of a dependence along a loop."""
    distance = dep.distance[level - 1] if len(dep.distance) >= level else None
    if distance is None and len(dep.least) >= level:
        return dep.least[level - 1]
    return distance
