"""Arrays that change names from one iteration to the next: ``u, new = new, u`` in a time loop.

Nothing is moved.  Where the names are a permutation of what they were, the loop is written out for
as many iterations as it takes until each name means what it meant at first, and in each of these
copies a name stands for one array.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from autopar.nest import walking
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    EXIT,
    TURN,
    Assign,
    Binary,
    Compare,
    Const,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Name,
    Nest,
    Put,
    Stmt,
    Turn,
    View,
    While,
)
from autopar.nest.meaning import rebuilt
from autopar.records import dataclass, replace

_MOST = 3  # copies


@dataclass(frozen=True, slots=True)
class _Change:
    """Statements ``first:last`` of a loop that only hand arrays on.

    Attributes
    ----------
    meant
        By the names that they assign: those whose arrays they had before.
    """

    first: int
    last: int
    meant: Mapping[str, str]


def turned(nest: Nest, arrays: Collection[str]) -> Nest:
    """`nest` without assignments of arrays to names, where that can be had.

    Parameters
    ----------
    arrays
        Names of the live-in arrays.
    """
    loop = nest.loop
    change = _change(loop.body, arrays)
    if change is None or not _simple(loop):
        return nest
    names = frozenset(name for name in change.meant if name in arrays)
    others = change.meant.keys() - names
    if not names or not names >= set(change.meant.values()):
        return nest
    inside = (*loop.body[: change.first], *loop.body[change.last :])
    if {change.meant[name] for name in names} != names or others & _read(inside, nest):
        return nest
    if any(_binds(stmt, change.meant.keys()) for top in inside for stmt in walking.statements(top)):
        return nest
    meanings = [{name: name for name in names}]
    while len(meanings) <= _MOST:
        before = meanings[-1]
        after = {name: before[change.meant[name]] for name in names}
        if after == meanings[0]:
            break
        meanings.append(after)
    else:
        return nest
    return _written(nest, change, meanings)


def _written(nest: Nest, change: _Change, meanings: Sequence[Mapping[str, str]]) -> Nest:
    loop, line = nest.loop, nest.loop.line
    ids = count(1 + max(walking.numbers(loop)))
    assert isinstance(loop.step, Const)
    assert isinstance(loop.step.value, int)
    step, base = loop.step.value, Name(f"<{loop.var} by {len(meanings)}>")
    seen = loop.var in nest.live_out
    turns: tuple[Stmt, ...] = ()
    for number in reversed(range(len(meanings))):
        here, following = meanings[number], meanings[(number + 1) % len(meanings)]
        at: Expr = base if not number else Binary("+", base, Const(number * step), line)
        body: list[Stmt] = []
        if seen:
            body.append(Assign(Name(loop.var), at, next(ids), line))
        for part, meant in (
            (loop.body[: change.first], here),
            (loop.body[change.last :], following),
        ):
            renamed: dict[str, Expr] = {name: Name(array) for name, array in meant.items()}
            body += (_copied(stmt, {**renamed, loop.var: at}, ids) for stmt in part)
        body.append(Assign(Name(TURN), Const(number), next(ids), line))
        if number:
            test = Compare("<" if step > 0 else ">", at, loop.stop, line)
            turns = (If(test, (*body, *turns), (), next(ids), line),)
        else:
            turns = (*body, *turns)
    whole = For(base.id, loop.start, loop.stop, Const(step * len(meanings)), turns, next(ids), line)
    found = []
    for position, name in enumerate(nest.live_out):
        if name in change.meant:
            source = change.meant[name]
            found.append(Turn(position, tuple(meaning[source] for meaning in meanings)))
    return replace(
        nest,
        loop=whole,
        paths=tuple(sorted({*nest.paths, *meanings[0]})),
        scalars=tuple(sorted(walking.assigned(whole))),
        live_out=tuple(TURN if name in change.meant else name for name in nest.live_out),
        turns=tuple(found),
    )


def _simple(loop: For) -> bool:
    """Whether the range and the variable of `loop` are known, and nothing leaves it early."""
    if not isinstance(loop.step, Const) or type(loop.step.value) is not int or not loop.step.value:
        return False
    own = {name for stmt in loop.body for name in walking.assigned(stmt)}
    reads = {
        e.id for part in (loop.start, loop.stop) for e in walking.walk(part) if isinstance(e, Name)
    }
    loads = any(
        isinstance(e, Load | View) for p in (loop.start, loop.stop) for e in walking.walk(p)
    )
    return not (loads or reads & own or EXIT in own or _leaves(loop.body))


def _leaves(stmts: Sequence[Stmt]) -> bool:
    return any(
        isinstance(stmt, Leave)
        or (not isinstance(stmt, For | While) and any(_leaves(b) for b in walking.blocks(stmt)))
        for stmt in stmts
    )


def _change(stmts: Sequence[Stmt], arrays: Collection[str]) -> _Change | None:
    """The one run of statements that hand arrays on, or None."""
    handing = [k for k, stmt in enumerate(stmts) if _hands(stmt)]
    runs = [k for k in handing if k - 1 not in handing]
    for first in runs:
        last = first
        meant: dict[str, str] = {}
        while last in handing:
            stmt = stmts[last]
            assert isinstance(stmt, Assign)
            assert isinstance(stmt.target, Name)
            assert isinstance(stmt.value, Name)
            source = meant.get(stmt.value.id, stmt.value.id)
            if source not in arrays:
                break
            meant[stmt.target.id] = source
            last += 1
        kept = {name: source for name, source in meant.items() if not name.startswith("<")}
        if any(name != source for name, source in kept.items()):
            return _Change(first, last, kept)
    return None


def _hands(stmt: Stmt) -> bool:
    match stmt:
        case Assign(target=Name(), value=Name(), augmented=False):
            return True
    return False


def _read(stmts: Sequence[Stmt], nest: Nest) -> frozenset[str]:
    """Names that `stmts` read, or that are needed from before the nest."""
    found = {
        e.id
        for top in stmts
        for stmt in walking.statements(top)
        for expr in walking.expressions(stmt)
        for e in walking.walk(expr)
        if isinstance(e, Name)
    }
    return frozenset(found) | (exposed((nest.loop,)) & frozenset(nest.scalars) - {*nest.paths})


def _binds(stmt: Stmt, names: Collection[str]) -> bool:
    match stmt:
        case Assign(target=Name(id=name), augmented=False) | For(var=name):
            return name in names
    return False


def _copied(stmt: Stmt, meant: Mapping[str, Expr], ids: count[int]) -> Stmt:
    """`stmt` with numbers of its own and names that mean something else."""

    def change(expr: Expr) -> Expr:
        if isinstance(expr, Name) and expr.id in meant:
            return meant[expr.id]
        made = rebuilt(expr, change)
        return replace(made, id=next(ids)) if isinstance(made, Load) else made

    def block(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(_copied(inner, meant, ids) for inner in stmts)

    here = next(ids)
    match stmt:
        case Assign(target=Name() as name, value=value):
            target = change(name)
            assert isinstance(target, Name)
            return replace(stmt, target=target, value=change(value), id=here)
        case Assign(target=Element(index=index) as element, value=value):
            place = replace(element, index=tuple(map(change, index)), id=next(ids))
            return replace(stmt, target=place, value=change(value), id=here)
        case Put(target=view, value=value):
            part = change(view)
            assert isinstance(part, View)
            return replace(stmt, target=part, value=change(value), id=here)
        case If(test=test, body=body, orelse=orelse):
            then, other = block(body), block(orelse)
            return replace(stmt, test=change(test), body=then, orelse=other, id=here)
        case While(test=test, body=body):
            return replace(stmt, test=change(test), body=block(body), id=here)
        case For(start=start, stop=stop, step=step, body=body):
            start, stop, step = map(change, (start, stop, step))
            inside = block(body)
            return replace(stmt, start=start, stop=stop, step=step, body=inside, id=here)
    return replace(stmt, id=here)
