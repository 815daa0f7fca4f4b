"""Into what parts a parallel loop is best cut, by its text."""

from __future__ import annotations

from collections.abc import Iterator

from autopar.nest.flow import names
from autopar.nest.ir import Const, For, If, Leave, Load, While
from autopar.nest.polynomial import of_names
from autopar.nest.walking import assigned, statements, walk
from autopar.sched.bands import has_loops
from autopar.sched.machine import MACHINE

_WIDE = 64  # iterations of a chunk that sweeps
_READ_AGAIN = 32  # iterations that go through a copy, which each chunk makes for itself


def grain(loop: For) -> int:
    """How many iterations of a loop that goes to the threads are written to go on together."""
    lanes = loop.lanes
    if lanes is None or lanes.ordered:
        return 1
    return MACHINE.least_lanes if lanes.strip else lanes.copies


def least(loop: For, sweeps: bool) -> int:
    """How many iterations a chunk should have, if that leaves one for each thread.

    Parameters
    ----------
    sweeps
        Whether a chunk is gone through several times: cells of several cache lines then, and
        others have the ends.
    """
    if sweeps:
        return _WIDE
    inner, packs = loop, False
    while inner.lanes is not None:
        packs = packs or bool(inner.lanes.packs)
        if len(inner.body) != 1 or not isinstance(inner.body[0], For):
            break
        inner = inner.body[0]
    return _READ_AGAIN if packs else grain(loop)


def even(loop: For) -> bool:
    """Whether loops in `loop` run as often in each of its iterations, as far as the text says."""
    inside = [stmt for top in loop.body for stmt in statements(top)]
    varying = frozenset({loop.var}).union(*map(assigned, inside))
    for stmt in inside:
        match stmt:
            case While() | Leave():
                return False
            case If(test=test) if has_loops(stmt):
                if names((test,)) & varying or any(isinstance(e, Load) for e in walk(test)):
                    return False
            case For(start=start, stop=stop):
                read_ = [part for bound in (start, stop) for part in walk(bound)]
                if names((start, stop)) & varying or any(isinstance(e, Load) for e in read_):
                    return False
    return True


def growing(loop: For) -> bool:
    """Whether loops in `loop` run the longer the later its iteration, and none the shorter.

    Threads then begin with the last chunks.  Whoever has the very last one to take, the others wait
    for: with the largest, for an eighth of all the time on two threads.
    """
    found = {*_slopes(loop)}
    return 1 in found and -1 not in found


def _slopes(loop: For) -> Iterator[int]:
    """-1, 0 or 1 for each loop in `loop`: how its number of iterations changes with that one's."""
    direction = int(loop.step.value.real) if isinstance(loop.step, Const) else 0
    for stmt in (inner for top in loop.body for inner in statements(top)):
        match stmt:
            case For(start=start, stop=stop, step=Const(value=int(step))):
                begin, end = (of_names(bound, stmt.line) for bound in (start, stop))
                if begin is None or end is None:
                    continue
                slope = (end - begin).slope(loop.var)
                yield _sign((slope or 0) * step * direction)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
