"""Parts of arrays that a strip of lanes reads far apart in memory, again and again.

In ``c[i, j] += a[i, k] * b[j, k]`` neighbouring `j` lie a row apart.  All `i` read the same, so
what a strip of `j` reads may be copied once, with the lanes side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from autopar.nest.flow import names, written
from autopar.nest.ir import Assign, Binary, Const, Element, Expr, For, If, Load, Name, Stmt
from autopar.nest.walking import accesses, walk
from autopar.records import dataclass
from autopar.sched.always import evaluated
from autopar.sched.bands import harmless, has_loops


@dataclass(frozen=True, slots=True)
class Box:
    """The cells that one access comes to in a strip, which are all of a box.

    Attributes
    ----------
    load
        The access.
    axes
        For each axis of the array, the variables by which its subscript moves.
    loops
        What these are the variables of, but for that of the strip.
    tests
        The access is made if these are true, and each of the loops has an iteration.
    """

    load: Load
    axes: tuple[tuple[str, ...], ...]
    loops: tuple[For, ...]
    tests: tuple[Expr, ...]

    @property
    def same(self) -> tuple[object, ...]:
        """What two accesses to the same box have in common."""
        return self.load.array, self.load.index, tuple(loop.id for loop in self.loops), self.tests


def boxes(
    strip: For, around: Sequence[For], body: Sequence[Stmt], settled: Collection[int] = ()
) -> list[Box]:
    """The boxes that all iterations of a loop of `around` read again, while `strip` is at hand.

    Parameters
    ----------
    strip
        Whose iterations go on together.
    around
        Loops between it and `body`.
    settled
        Ids of accesses to arrays that `body` stores in, but not in what these read.

    Notes
    -----
    A subscript is a sum of variables, each of which occurs once in all of them, and of what stays
    the same.  The ranges of the loops do not depend on one another, so every cell of the box is
    accessed in some iteration: it exists where the guard has shown that of the access.

    References
    ----------
    K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3),
    2008, section 4, packs panels of matrices; here of whatever is accessed in this way.
    """
    stored = {a.array for stmt in body for _, a in accesses(stmt) if isinstance(a, Element)}
    turning = {loop.var for loop in around}
    fixed = written(body) | turning | {strip.var}
    found = []
    for load, loops, tests in _loads(body, (), (), fixed):
        moving = frozenset((strip.var, *(loop.var for loop in loops)))
        axes = tuple(moved(index, moving) for index in load.index)
        used = [var for axis in axes if axis is not None for var in axis]
        still = names(load.index) - moving
        if None in axes or used.count(strip.var) != 1:
            continue
        if load.array in stored and load.id not in settled:
            continue
        if len(used) != len(set(used)) or still & fixed or not turning:
            continue
        mine = tuple(loop for loop in loops if loop.var in used)
        found.append(Box(load, tuple(axis or () for axis in axes), mine, tests))
    return found


def _loads(
    stmts: Sequence[Stmt], loops: tuple[For, ...], tests: tuple[Expr, ...], fixed: frozenset[str]
) -> Iterator[tuple[Load, tuple[For, ...], tuple[Expr, ...]]]:
    """Loads that are made if loops have iterations and tests are true, both known before."""
    for stmt in stmts:
        match stmt:
            case Assign(value=value):
                for load in evaluated(value):
                    yield load, loops, tests
            case For(step=Const(value=1), fold=False, start=start, stop=stop, body=body):
                bounds = (start, stop)
                if not names(bounds) & fixed and all(map(harmless, bounds)):
                    yield from _loads(body, (*loops, stmt), tests, fixed)
            case If(test=test, body=body) if has_loops(stmt) and not names((test,)) & fixed:
                if not any(isinstance(e, Load) for e in walk(test)):
                    yield from _loads(body, loops, (*tests, test), fixed)


def moved(index: Expr, moving: frozenset[str]) -> tuple[str, ...] | None:
    """Those variables of `moving` that `index` adds up; None where it is no such sum."""
    match index:
        case Name(id=name) if name in moving:
            return (name,)
        case Binary(op="+", left=left, right=right):
            one, two = moved(left, moving), moved(right, moving)
            return None if one is None or two is None else (*one, *two)
        case Binary(op="-", left=left, right=right) if not names((right,)) & moving:
            return moved(left, moving) if harmless(right) else None
    return () if harmless(index) and not names((index,)) & moving else None
