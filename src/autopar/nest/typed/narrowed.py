"""Scalars that are of another type after a loop than before it.

``s = 0.0``, then ``s += a[k]`` for some `k`, leaves a ``numpy.float64``, unless there is no `k` at
all.  Types are flow-insensitive, so `s` may be either everywhere.  Where that is in the way, what
reads `s` after the loop reads a copy of it that has the type of what the loop assigns, and that the
loop is gone through at all becomes a condition of the nest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from autopar.nest import kinds
from autopar.nest.forward import definitions, looked_through
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Condition,
    Const,
    Expr,
    For,
    If,
    Leave,
    Name,
    Nest,
    Stmt,
    While,
)
from autopar.nest.kinds import Kind
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.naming import assigns, mentions
from autopar.nest.walking import new_ids, statements
from autopar.records import replace


def narrowed(
    nest: Nest,
    env: Mapping[str, Kind],
    kind: Callable[[Expr], Kind],
    holds: Callable[[Condition], bool],
) -> Nest:
    """`nest` with copies after its loops of scalars that have one type there.

    Parameters
    ----------
    env, kind
        Types of the scalars, and of expressions.
    holds
        Whether a condition is met by the call at hand: others are not made.
    """
    known = definitions(nest)
    ids = new_ids(nest.loop)
    conditions: list[Condition] = []
    names: list[str] = []

    def block(stmts: Sequence[Stmt], around: tuple[For, ...]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        rest = list(stmts)
        while rest:
            stmt = inside(rest.pop(0), around)
            made.append(stmt)
            if not isinstance(stmt, For):
                continue
            head = looked_through(stmt, known)
            entered = _entered(head, around)
            for name, atom in _surely(stmt, env, kind):
                reading = _reading(rest, name)
                if entered is None or not reading or not holds(entered):
                    continue
                conditions.append(entered)
                here = next(ids)
                copy = Name(f"<{name.strip('<>')} after {here}>")
                names.append(copy.id)
                value = Call(f"<cast {kinds.dtype(atom)}>", (Name(name),), stmt.line)
                made.append(Assign(copy, value, here, stmt.line))
                rest[: len(reading)] = [_reads(one, name, copy) for one in reading]
        return tuple(made)

    def inside(stmt: Stmt, around: tuple[For, ...]) -> Stmt:
        match stmt:
            case For(body=body):
                head = replace(looked_through(stmt, known), body=())
                return replace(stmt, body=block(body, (*around, head)))
            case While(body=body):
                return replace(stmt, body=block(body, around))
            case If(body=body, orelse=orelse):
                return replace(stmt, body=block(body, around), orelse=block(orelse, around))
        return stmt

    loop = inside(nest.loop, ())
    assert isinstance(loop, For)
    return replace(
        nest,
        loop=loop,
        scalars=tuple(sorted((*nest.scalars, *names))),
        conditions=(*nest.conditions, *dict.fromkeys(conditions)),
    )


def _entered(head: For, around: tuple[For, ...]) -> Condition | None:
    """That a loop is gone through at all, where its step is known."""
    match head.step:
        case Const(value=int(step)) if step:
            ends = (head.stop, head.start) if step > 0 else (head.start, head.stop)
            trips = Binary("-", *ends, head.line)
            why = f"line {head.line}: a loop that is not gone through"
            return Condition(trips, 1, None, around, head.line, why)
    return None


def _surely(
    loop: For, env: Mapping[str, Kind], kind: Callable[[Expr], Kind]
) -> Iterator[tuple[str, str]]:
    """Scalars that each turn of `loop` assigns, in one place, and their type there."""
    if any(isinstance(inner, Leave) for inner in statements(loop)):
        return
    for stmt in loop.body:
        match stmt:
            case Assign(target=Name(id=name), value=value):
                found, before = kind(value), env.get(name, frozenset())
                alone = sum(assigns(inner, name) for inner in statements(loop)) == 1
                if alone and len(found) == 1 and found < before:
                    (atom,) = found
                    if not kinds.is_python(atom) and kinds.storage(before) == kinds.dtype(atom):
                        yield name, atom


def _reading(rest: Sequence[Stmt], name: str) -> list[Stmt]:
    """The statements that follow in the same block up to one that assigns `name`, if any reads it.

    A copy that has been made before is none that reads it.
    """
    found: list[Stmt] = []
    for stmt in rest:
        if any(assigns(inner, name) for inner in statements(stmt)):
            break
        match stmt:
            case Assign(value=Call(func=func, args=(Name(id=read),))) if (
                read == name and func.startswith("<cast ")
            ):
                return []
        found.append(stmt)
    return found if any(mentions(stmt, name) for stmt in found) else []


def _reads(stmt: Stmt, name: str, copy: Name) -> Stmt:
    """`stmt` with `copy` for `name`."""

    def change(expr: Expr) -> Expr:
        return copy if expr == Name(name) else rebuilt(expr, change)

    return rewritten(stmt, change)
