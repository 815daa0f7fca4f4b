"""What work items that run together read again and again, or far apart: by way of a device's chip.

    for k in range(n):                      for k0 in range(0, n, 16):
        s += a[i, k] * b[k, j]                  the block's a[…, k0 : k0 + 16] and b[…] to the chip
                                                for k in range(k0, k0 + 16):
                                                    s += …

A block of work items has its iterations of the parallel loops around, and all of them are in the
same step of a loop in order.  What one access comes to in some steps is a box of cells, of which
each item brings a few, side by side in memory; then all read them from there.

References
----------
Shared memory as a cache that programs fill: V. Volkov, J. Demmel, "Benchmarking GPUs to tune dense
linear algebra", SC 2008; from affine accesses: M. Baskaran et al., "Automatic data movement and
computation mapping for multi-level parallel architectures with explicitly managed memories",
PPoPP 2008.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from autopar.nest.flow import names, written
from autopar.nest.ir import Assign, Const, Element, For, If, Leave, Load, Stmt
from autopar.nest.walking import accesses, statements, walk
from autopar.records import dataclass
from autopar.sched.always import evaluated
from autopar.sched.bands import harmless, has_loops, short
from autopar.sched.boxes import moved


@dataclass(frozen=True, slots=True)
class Staged:
    """An access by way of the chip.

    Attributes
    ----------
    axes
        For each axis of the array, the variables by which its subscript moves: of the block's
        loops and of the loop in order.
    """

    load: Load
    axes: tuple[tuple[str, ...], ...]

    @property
    def same(self) -> tuple[object, ...]:
        """What two accesses to the same cells have in common."""
        return self.load.array, self.load.index

    def box(self, extents: Mapping[str, int]) -> dict[int, int]:
        """How many cells it comes to along each axis on which it moves."""
        return {
            k: 1 + sum(extents[var] - 1 for var in axis) for k, axis in enumerate(self.axes) if axis
        }


def staged(
    body: Sequence[Stmt],
    block: Sequence[str],
    arrays: Collection[str],
    layouts: Mapping[str, str],
    steps: int,
) -> dict[int, tuple[Staged, ...]]:
    """By the ids of innermost loops in order in `body`, what is read there by way of the chip.

    Parameters
    ----------
    body
        Of parallel loops.
    block
        The variables of those whose iterations lie side by side in a block, of neighbouring work
        items last.
    arrays
        Those that share no memory with another.
    layouts
        As for `sched.flat.by_memory`.
    steps
        How many iterations of a loop in order go on between two times that work items meet.

    Notes
    -----
    All items of a block must come to a loop in order, and have the same range there.  So what its
    bounds are made of, and the tests around it, is the same in all iterations of the parallel
    loops, and nothing leaves a loop early.  An access that each step makes, in all iterations of a
    box, comes to all cells of the box; and nothing in `body` stores into that array.
    """
    if any(isinstance(stmt, Leave) for top in body for stmt in statements(top)):
        return {}
    stored = {a.array for stmt in body for _, a in accesses(stmt) if isinstance(a, Element)}
    free = frozenset(arrays) - stored
    changed = written(body) | frozenset(block)
    found = {}
    for loop, around in _in_order(body, changed, frozenset()):
        if any(map(has_loops, loop.body)) or short(loop, steps):
            continue
        loads = [s for s in _loads(loop, block, changed - around) if s.load.array in free]
        wanted = [one for one in loads if _worth(one, loop.var, block, layouts)]
        if wanted:
            found[loop.id] = tuple(wanted)
    return found


def _in_order(
    stmts: Sequence[Stmt], changed: frozenset[str], around: frozenset[str]
) -> Iterator[tuple[For, frozenset[str]]]:
    """Loops that all items of a block go through together, and variables of those around them."""
    for stmt in stmts:
        match stmt:
            case If(test=test, body=body, orelse=orelse) if not names((test,)) & (changed - around):
                if not any(isinstance(e, Load) for e in walk(test)):
                    yield from _in_order(body, changed, around)
                    yield from _in_order(orelse, changed, around)
            case For(step=Const(value=1), fold=False, product=False, lanes=None, body=body):
                bounds = (stmt.start, stmt.stop)
                if not all(map(harmless, bounds)) or names(bounds) & (changed - around):
                    continue
                if stmt.var not in written(body):
                    yield stmt, around
                    yield from _in_order(body, changed, around | {stmt.var})


def _loads(loop: For, block: Sequence[str], changed: frozenset[str]) -> Iterator[Staged]:
    """Loads that each step makes, whose subscripts are sums of variables and of what stays."""
    moving = frozenset((loop.var, *block))
    for stmt in loop.body:
        if not isinstance(stmt, Assign):
            continue
        for load in evaluated(stmt.value):
            axes = tuple(moved(index, moving) for index in load.index)
            used = [var for axis in axes if axis is not None for var in axis]
            still = names(load.index) - moving
            if None in axes or loop.var not in used or len(used) != len(set(used)):
                continue
            if not still & changed:
                yield Staged(load, tuple(axis or () for axis in axes))


def _worth(one: Staged, step: str, block: Sequence[str], layouts: Mapping[str, str]) -> bool:
    """Whether several items read the same cell, or neighbours read far apart what lies together."""
    used = [var for axis in one.axes for var in axis]
    if not set(block) <= set(used):
        return True
    dense = {"C": -1, "F": 0}.get(layouts.get(one.load.array, ""))
    return dense is not None and step in one.axes[dense] and block[-1] not in one.axes[dense]


def same_cells(found: Sequence[Staged]) -> tuple[Staged, ...]:
    """One of each of the accesses that come to the same cells."""
    return tuple({one.same: one for one in reversed(found)}.values())
