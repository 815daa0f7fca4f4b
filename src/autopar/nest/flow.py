"""Which scalars a run of statements needs from before, and which it leaves behind."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import takewhile

from autopar.nest.ir import (
    Assign,
    Const,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Name,
    Stmt,
    While,
)
from autopar.nest.walking import assigned, expressions, walk

_Defined = frozenset[str] | None  # None: this place is never reached


def written(stmts: Sequence[Stmt]) -> frozenset[str]:
    """Scalars that `stmts` may assign, loop variables included."""
    return frozenset().union(*(assigned(stmt) for stmt in stmts))


def exposed(stmts: Sequence[Stmt]) -> frozenset[str]:
    """Names that `stmts` may read before assigning them: upward-exposed reads.

    Notes
    -----
    A forward walk that carries the names assigned on *every* way to a place.  A `for` or `while`
    body may run zero times, so what it assigns does not count after it, unless the range is one of
    numbers and the assignment comes first, or it is a ``while True``, which is left by a `break`
    only; nothing that follows a `break` or `continue` in its block is
    reached, so such a branch does not weaken the other one.
    Live-in names that nothing assigns are reported too.

    A scalar is private to a loop exactly when it is not exposed in the loop's body: each
    iteration then writes before it reads (Allen & Kennedy, *Optimizing Compilers for Modern
    Architectures*, section 5.3).
    """
    found: set[str] = set()
    _flow(stmts, frozenset(), found, [])
    return frozenset(found)


def elements_read(stmts: Sequence[Stmt]) -> frozenset[str]:
    """Arrays of which `stmts` may read an element that they have not stored just before."""
    found: set[str] = set()
    _elements(stmts, frozenset(), found)
    return frozenset(found)


_Cells = frozenset[tuple[str, tuple[Expr, ...]]]


def _elements(stmts: Sequence[Stmt], stored: _Cells, found: set[str]) -> None:
    """Add arrays to `found` of which an element is read that is not among those `stored`."""
    for stmt in stmts:
        loads = (e for top in expressions(stmt) for e in walk(top) if isinstance(e, Load))
        found |= {load.array for load in loads if (load.array, load.index) not in stored}
        match stmt:
            case Assign(target=Element() as target) if not _loads(target.index):
                stored |= {(target.array, target.index)}
            case If(body=body, orelse=orelse):
                _elements(body, stored, found)
                _elements(orelse, stored, found)
            case For(body=body) | While(body=body):
                # It may have gone round before, or not go round at all.
                _elements(body, _still(stored, stmt), found)
        stored = _still(stored, stmt)


def _still(stored: _Cells, stmt: Stmt) -> _Cells:
    """Those whose subscripts mean the same after `stmt`."""
    changed = assigned(stmt)
    if not changed:
        return stored
    return frozenset(cell for cell in stored if not changed & names(cell[1]))


def names(exprs: Sequence[Expr]) -> frozenset[str]:
    """Scalars and live-in numbers that the expressions read."""
    return frozenset[str]().union(*map(_names, exprs))


@functools.lru_cache(4096)
def _names(expr: Expr) -> frozenset[str]:
    return frozenset(e.id for e in walk(expr) if isinstance(e, Name))


def _flow(
    stmts: Sequence[Stmt], defined: _Defined, found: set[str], breaks: list[frozenset[str]]
) -> _Defined:
    """What is assigned after `stmts`; `breaks` is told what is where they leave their loop."""
    for stmt in stmts:
        if defined is None:
            return None
        found |= names(expressions(stmt)) - defined
        match stmt:
            case Assign(target=Name(id=name)):
                defined = defined | {name}
            case If(body=body, orelse=orelse):
                one = _flow(body, defined, found, breaks)
                other = _flow(orelse, defined, found, breaks)
                defined = _either(one, other)
            case While(test=Const(value=True), body=body):
                ends: list[frozenset[str]] = []
                _flow(body, defined, found, ends)
                defined = frozenset.intersection(*ends) if ends else None
            case While(body=body):
                _flow(body, defined, found, [])
            case For(var=var, body=body):
                _flow(body, defined | {var}, found, [])
                if _runs(stmt):
                    defined = defined | {var} | _at_once(body)
            case Leave(kind=kind):
                if kind == "break":
                    breaks.append(defined)
                return None
    return defined


def _runs(loop: For) -> bool:
    """Whether `loop` is sure to have an iteration."""
    match loop.start, loop.stop, loop.step:
        case Const(value=int(start)), Const(value=int(stop)), Const(value=int(step)) if step:
            return bool(range(start, stop, step))
    return False


def _at_once(body: Sequence[Stmt]) -> frozenset[str]:
    """What the first iteration is sure to assign: what comes before it may be left."""
    return _flow(list(takewhile(_stays, body)), frozenset(), set(), []) or frozenset()


def _stays(stmt: Stmt) -> bool:
    """Whether no iteration of the loop around `stmt` is left there."""
    match stmt:
        case Leave():
            return False
        case If(body=body, orelse=orelse):
            return all(map(_stays, (*body, *orelse)))
    return True


def _either(one: _Defined, other: _Defined) -> _Defined:
    return other if one is None else one if other is None else one & other


def _loads(exprs: Sequence[Expr]) -> bool:
    return any(isinstance(e, Load) for top in exprs for e in walk(top))
