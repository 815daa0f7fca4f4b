"""Whether iterations may go on together, one statement after the other, by their text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import Assign, Const, Element, For, If, Leave, Load, Name, Stmt, While
from autopar.nest.walking import accesses, blocks, expressions, statements, walk
from autopar.sched.always import evaluated
from autopar.sched.bands import harmless, has_loops
from autopar.sched.boxes import moved


def levels(loop: For, level: int = 1) -> Iterator[tuple[int, int]]:
    """Ids of the loops of a nest, and how many loops lead to each, itself counted."""
    yield loop.id, level

    def inside(stmts: Sequence[Stmt]) -> Iterator[tuple[int, int]]:
        for stmt in stmts:
            if isinstance(stmt, For):
                yield from levels(stmt, level + 1)
            else:
                for block in blocks(stmt):
                    yield from inside(block)

    yield from inside(loop.body)


def together(band: Sequence[For]) -> bool:
    """Whether iterations of `band`, a perfect nest of loops in any order, may go on together.

    Their statements must be the same for all: a loop inside has one range, and a branch around a
    loop one outcome.  Each must assign the scalars that it reads.
    """
    body = band[-1].body
    own = frozenset(loop.var for loop in band)
    assigned = written(body) | own
    for k, loop in enumerate(band):
        bounds = (loop.start, loop.stop)
        around = frozenset(outer.var for outer in band[:k])
        if names(bounds) & (assigned - around) or not all(map(harmless, bounds)):
            return False
        if leans(loop, band[:k]) and loop.lanes is not None and loop.lanes.last:
            return False  # which iteration is the last is not known before all
        if any(
            leans(loop, (one,)) for one in band[:k] if one.lanes is not None and one.lanes.strip
        ):
            return False  # the lanes of a strip have one range
    if any(loop.step != Const(1) or loop.fold for loop in band):
        return False
    if _counted_again(body, own) or own & written(body):
        return False
    if exposed(body) & written(body) or _read_after(body, frozenset()):
        return False
    if _set_as_well(body):
        return False
    return _uniform(body, assigned)


def staggered(rows: Stmt) -> bool:
    """Whether `rows` is a loop around a loop of assignments, over one range for all rows.

    What a step assigns to scalars it must not take from another one.
    """
    match rows:
        case For(
            step=Const(value=1),
            fold=False,
            body=(For(step=Const(value=1), fold=False, body=steps) as columns,),
        ):
            bounds = (rows.start, rows.stop, columns.start, columns.stop)
            assigned = written((rows,))
            fixed = all(map(harmless, bounds)) and not names(bounds) & assigned
            own = {rows.var, columns.var} & written(steps) or exposed(steps) & written(steps)
            return fixed and not own and all(isinstance(stmt, Assign) for stmt in steps)
    return False


def packable(strip: For, around: Sequence[For], body: Sequence[Stmt]) -> list[Load]:
    """Loads that are made in every iteration of `strip`, the same in all of the loops `around`."""
    changed = written(body) | {loop.var for loop in around}
    stored = {a.array for stmt in body for _, a in accesses(stmt) if isinstance(a, Element)}
    return [
        load
        for stmt in body
        if isinstance(stmt, Assign)
        for load in evaluated(stmt.value)
        if load.array not in stored
        and strip.var in names(load.index)
        and not names(load.index) & changed
        and not any(isinstance(e, Load) for top in load.index for e in walk(top))
    ]


def leans(loop: For, around: Sequence[For]) -> bool:
    """Whether `loop` begins or ends elsewhere for each iteration of a loop `around` it."""
    return bool(names((loop.start, loop.stop)) & {outer.var for outer in around})


def slanted(loop: For, around: Sequence[For]) -> bool:
    """Whether `loop` leans on the one loop `around` it by either its begin or its end.

    That goes up with the iterations of the loop around it, one by one, so one of them has all
    iterations of `loop` that any has.
    """
    if len(around) != 1:
        return False
    var = around[0].var
    ends = [moved(bound, frozenset((var,))) for bound in (loop.start, loop.stop)]
    return set(ends) == {(), (var,)}


def _uniform(stmts: Sequence[Stmt], varying: frozenset[str]) -> bool:
    """Whether loops and branches around loops go the same way whatever is `varying`."""
    inside = varying - frozenset(counters(stmts))
    for stmt in stmts:
        match stmt:
            case While() | Leave() | For(fold=True):
                return False
            case For(start=start, stop=stop, step=step, body=body):
                bounds = (start, stop, step)
                if not (isinstance(step, Const) and step.value in (1, -1)):
                    return False
                if names(bounds) & inside or not all(map(harmless, bounds)):
                    return False
                if any(
                    isinstance(s, Assign) and s.target == Name(stmt.var)
                    for inner in body
                    for s in statements(inner)
                ):
                    return False
                if not _uniform(body, varying - {stmt.var}):
                    return False
            case If(test=test) if has_loops(stmt):
                if names((test,)) & inside or any(isinstance(e, Load) for e in walk(test)):
                    return False
                if not all(_uniform(block, varying) for block in blocks(stmt)):
                    return False
            case If():
                if any(isinstance(inner, Leave) for inner in statements(stmt)):
                    return False
    return True


def counters(stmts: Sequence[Stmt]) -> list[str]:
    """Variables of the loops in `stmts`."""
    return [s.var for stmt in stmts for s in statements(stmt) if isinstance(s, For)]


def _counted_again(stmts: Sequence[Stmt], around: frozenset[str]) -> bool:
    """Whether a loop has the variable of one that is around it."""
    for stmt in stmts:
        own = frozenset({stmt.var} if isinstance(stmt, For) else ())
        if own & around or any(_counted_again(block, around | own) for block in blocks(stmt)):
            return True
    return False


def _set_as_well(stmts: Sequence[Stmt]) -> bool:
    """Whether the variable of a loop is also assigned, and so has a value in each iteration."""
    variables = frozenset(counters(stmts))
    every = (inner for stmt in stmts for inner in statements(stmt))
    scalars = (s.target.id for s in every if isinstance(s, Assign) and isinstance(s.target, Name))
    return not variables.isdisjoint(scalars)


def _read_after(stmts: Sequence[Stmt], around: frozenset[str]) -> bool:
    """Whether the variable of a loop is read where that loop is not around."""
    outside = frozenset(counters(stmts))

    def visit(inner: Sequence[Stmt], own: frozenset[str]) -> bool:
        for stmt in inner:
            if names(expressions(stmt)) & (outside - own):
                return True
            here = own | {stmt.var} if isinstance(stmt, For) else own
            if any(visit(block, here) for block in blocks(stmt)):
                return True
        return False

    return visit(stmts, around)
