"""A plan cut into regions: what becomes a kernel, and what the driver does around kernels.

A *region* is a piece of the plan that becomes one kernel.  A parallel region is one loop whose
iterations are handed out in chunks; a serial region runs as it stands.  Serial loops and branches
around parallel regions stay in the driver, which is plain Python, and so does what leaves these
loops.  A range that plain Python cannot evaluate, and the test of a branch, are *asked* of a kernel
of their own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from autopar.cpu.scalar import is_plain
from autopar.kernel import Reduction
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import Assign, Binary, Const, Expr, For, If, Leave, Name, Stmt
from autopar.nest.typed.types import Typed
from autopar.nest.walking import blocks, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.plan import Branch, Loop, Node, Plan, launches, statement, whole
from autopar.sched.sweeps import swept


@dataclass(frozen=True, slots=True)
class Serial:
    stmts: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Parallel:
    """A loop whose chunks may run in any order; `asked` when a kernel evaluates its range.

    Attributes
    ----------
    around
        Loops in order, outermost first, that each chunk goes through for itself, with what each
        does before the next.
    steady
        Whether plain Python can evaluate the ranges of these, which do not depend on one another.
    flat
        How many loops in it, each alone in the one around, are one range with it.
    """

    loop: For
    asked: bool
    reductions: tuple[Reduction, ...] = ()
    around: tuple[For, ...] = ()
    steady: bool = False
    flat: int = 0

    @property
    def loops(self) -> tuple[For, ...]:
        """Those that are one range, outermost first; only one where each iteration is a part."""
        found = [self.loop]
        for _ in range(self.flat):
            (inner,) = found[-1].body
            assert isinstance(inner, For)
            found.append(inner)
        return tuple(found)

    @property
    def whole(self) -> For:
        """The statement that all chunks together are."""
        return functools.reduce(
            lambda inner, outer: replace(outer, body=(*outer.body, inner)),
            reversed(self.around),
            self.loop,
        )

    @property
    def unsure(self) -> frozenset[str]:
        """Names whose last value not every chunk, or not the last one, is sure to have."""
        sure = {self.loop.var} | {one.var for one in self.around if self.steady}
        if not any(isinstance(stmt, Leave) for stmt in statements(self.loop)):
            sure |= {
                stmt.target.id
                for stmt in self.loop.body
                if isinstance(stmt, Assign) and isinstance(stmt.target, Name)
            }
        return written((self.whole,)) - sure


@dataclass(frozen=True, slots=True)
class Driven:
    """A serial loop in the driver, around regions."""

    loop: For
    body: tuple[Region, ...]
    asked: bool


@dataclass(frozen=True, slots=True)
class Conditional:
    """An ``if`` in the driver, around regions."""

    stmt: If
    body: tuple[Region, ...]
    orelse: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    """A ``break`` or ``continue`` of the innermost loop in the driver."""

    leave: Leave


Region = Serial | Parallel | Driven | Conditional | Jump


def split(typed: Typed, plan: Plan, sweep: bool) -> tuple[Region, ...]:
    """The regions of `plan`, in order of execution.

    Parameters
    ----------
    sweep
        Whether chunks may go through loops around them for themselves, where the plan says so.
    """
    if plan.serial:
        return (Serial(tuple(map(statement, plan.body))),)
    if sweep:
        regions = _split(typed, plan.body, frozenset(), True)
        outside = needs(regions).union(plan.nest.live_out)
        if not any(outside & region.unsure for region in _sweeping(regions)):
            return regions
    return _split(typed, plan.body, frozenset(), False)


def _sweeping(regions: Iterable[Region]) -> Iterator[Parallel]:
    for region in regions:
        match region:
            case Parallel(around=around) if around:
                yield region
            case Driven(body=body):
                yield from _sweeping(body)
            case Conditional(body=body, orelse=orelse):
                yield from _sweeping((*body, *orelse))


def _split(
    typed: Typed, nodes: Sequence[Node], loops: frozenset[str], sweep: bool
) -> tuple[Region, ...]:
    """`loops`: the driver's loop variables whose range plain Python evaluates."""
    regions: list[Region] = []
    for node in nodes:
        found = swept(node) if sweep else None
        if found is not None and drivable(typed, found[1].loop, loops):
            around, parted = found
            steady = all(drivable(typed, one, loops) for one in around)
            regions.append(Parallel(whole(parted), False, (), around, steady))
            continue
        match node:
            case Loop(loop=loop, spread=True, reductions=reductions):
                asked = not drivable(typed, loop, loops)
                region = Parallel(whole(node), asked, reductions, flat=node.flat)
                plain = all(drivable(typed, one, loops) for one in region.loops)
                regions.append(region if plain else replace(region, flat=0))
            case Loop(loop=loop, body=body) if launches(node):
                plain = drivable(typed, loop, loops)
                inner = loops | {loop.var} if plain else loops - {loop.var}
                regions.append(Driven(whole(node), _split(typed, body, inner, sweep), not plain))
            case Branch(stmt=stmt, body=body, orelse=orelse) if launches(node):
                both = (_split(typed, block, loops, sweep) for block in (body, orelse))
                regions.append(Conditional(stmt, *both))
            case _:
                regions += _in_order((statement(node),))
    return _joined(regions)


def _in_order(stmts: Iterable[Stmt]) -> Iterator[Region]:
    """What runs as it stands, except what leaves the loop around it."""
    for stmt in stmts:
        match stmt:
            case Leave():
                yield Jump(stmt)
            case If(body=body, orelse=orelse) if any(map(leaves, blocks(stmt))):
                yield Conditional(stmt, _joined(_in_order(body)), _joined(_in_order(orelse)))
            case _:
                yield Serial((stmt,))


def _joined(regions: Iterable[Region]) -> tuple[Region, ...]:
    """The regions, of those that run as they stand one where there were neighbours."""
    made: list[Region] = []
    for region in regions:
        match region, made:
            case Serial(stmts=stmts), [*_, Serial(stmts=before)]:
                made[-1] = Serial((*before, *stmts))
            case _:
                made.append(region)
    return tuple(made)


def needs(regions: Iterable[Region]) -> frozenset[str]:
    """Names that some kernel of `regions` reads before it assigns them."""
    found: frozenset[str] = frozenset()
    for region in regions:
        match region:
            case Serial(stmts=stmts):
                found |= exposed(stmts)
            case Parallel():
                found |= exposed((region.whole,))
            case Driven(loop=loop, body=body):
                found |= needs(body) | names((loop.start, loop.stop, loop.step))
            case Conditional(stmt=stmt, body=body, orelse=orelse):
                found |= needs(body) | needs(orelse) | names((stmt.test,))
    return found


def drivable(typed: Typed, loop: For, loops: frozenset[str]) -> bool:
    """Whether plain Python can evaluate the range: parameters and driver loops only."""
    return all(_plain(typed, e, loops) for e in (loop.start, loop.stop, loop.step))


def _plain(typed: Typed, expr: Expr, loops: frozenset[str]) -> bool:
    divisors = (e.right for e in walk(expr) if isinstance(e, Binary) and e.op in ("//", "%"))
    known = all(isinstance(d, Const) and d.value for d in divisors)  # nothing may raise here
    return known and is_plain(typed, expr, loops)


def leaves(stmts: Iterable[Stmt]) -> bool:
    """Whether a ``break`` or ``continue`` of the loop around these statements is among them."""
    return any(
        isinstance(s, Leave) or (isinstance(s, If) and any(map(leaves, blocks(s)))) for s in stmts
    )
