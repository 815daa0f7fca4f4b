"""Long chains of numbers that are the same in all turns of a loop.

LLVM's vectoriser asks of an operation whether all turns agree on it, and of its operands in turn,
and remembers no answer: of twenty squarings one after the other it asks a million times.  Inner
loops that it unrolls are such chains too.  It stops at the first operand on which turns differ.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from autopar.nest.trees import children, every

_MOST = 1 << 20  # questions
_UNROLLED = 64  # turns of an inner loop, at the most, that LLVM writes out

Questions = dict[str, int]
"""For each name that is assigned in a loop: questions it takes; 0 where turns do not agree."""


def endless(definition: ast.FunctionDef) -> bool:
    """Whether LLVM would not come to an end if it were to make vectors of the loops in there."""
    loops = (node for node in every(definition) if isinstance(node, ast.For))
    try:
        return any(max(_asked(loop), default=0) > _MOST for loop in loops if _innermost(loop))
    finally:
        _names.cache_clear()


def _innermost(loop: ast.For) -> bool:
    """Whether no loop is left in there once those are written out whose turns are known.

    LLVM asks of no others.
    """
    return all(
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and _turns(node.iter.args) is not None
        for stmt in loop.body
        for node in every(stmt)
        if isinstance(node, ast.For | ast.While)
    )


def _asked(loop: ast.For) -> Iterable[int]:
    """Questions about each of the numbers that are assigned in `loop`, in its last statement."""
    names = dict.fromkeys((*_stored([loop.target]), *_carried(loop.body)), 0)
    _run(loop.body, names, _UNROLLED)
    return names.values()


def _run(stmts: list[ast.stmt], names: Questions, most: int) -> None:
    """What `names` are after `stmts`, whose loops are written out for so many turns at the most."""
    for stmt in stmts:
        match stmt:
            case ast.Assign(targets=targets, value=value):
                found = _questions(value, names)
                names.update(dict.fromkeys(_stored(targets), found))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                both = (names.get(name, 1), _questions(value, names))
                names[name] = min(1 + sum(both), _MOST + 1) if all(both) else 0
            case ast.If(test=test, body=body, orelse=orelse):
                one, two = dict(names), dict(names)
                _run(body, one, most)
                _run(orelse, two, most)
                agreed = _questions(test, names) > 0
                for name in {*_stored(body), *_stored(orelse)}:
                    both = (one.get(name, 1), two.get(name, 1))
                    names[name] = max(both) if agreed and all(both) else 0
            case ast.For(target=target, iter=ast.Call(args=bounds), body=body):
                turns = _turns(bounds)
                if turns is None:
                    names.update(dict.fromkeys(_stored([stmt]), 0))
                    continue
                for _ in range(min(turns, most)):
                    names.update(dict.fromkeys(_stored([target]), 1))
                    _run(body, names, most // turns)
            case ast.While():
                names.update(dict.fromkeys(_stored([stmt]), 0))


def _turns(bounds: list[ast.expr]) -> int | None:
    """How many turns a range has whose bounds are literals."""
    values = (bound.value for bound in bounds if isinstance(bound, ast.Constant))
    numbers = [value for value in values if isinstance(value, int)]
    return len(range(*numbers)) if len(numbers) == len(bounds) else None


def _questions(expr: ast.expr, names: Questions) -> int:
    """How many questions are asked of `expr`; 0 where turns do not agree."""
    each = [names.get(name, 1) for name, _ in _names(expr)]
    return min(1 + sum(each), _MOST + 1) if all(each) else 0


def _stored(nodes: Iterable[ast.AST]) -> list[str]:
    """Names that are assigned anywhere in there."""
    return [name for node in nodes for name, read in _names(node) if not read]


@functools.cache
def _names(top: ast.AST) -> tuple[tuple[str, bool], ...]:
    """The names in a tree, and whether each is read; inner loops are asked of with outer ones."""
    if isinstance(top, ast.Name):
        return ((top.id, isinstance(top.ctx, ast.Load)),)
    return tuple(name for part in children(top) for name in _names(part))


def _carried(body: list[ast.stmt]) -> list[str]:
    """Names that a turn may find as an earlier turn has left them."""
    own, found = set(_stored(body)), set[str]()
    _scan(body, own, set(), found)
    return sorted(found)


def _scan(stmts: list[ast.stmt], own: set[str], assigned: set[str], found: set[str]) -> None:
    """Add to `found` what is read of `own` before it is assigned, and to `assigned` the rest."""
    for stmt in stmts:
        match stmt:
            case ast.If(test=test, body=body, orelse=orelse):
                _read(test, own, assigned, found)
                one, two = set(assigned), set(assigned)
                _scan(body, own, one, found)
                _scan(orelse, own, two, found)
                assigned |= one & two
            case ast.For(target=target, iter=bounds, body=body):
                _read(bounds, own, assigned, found)
                assigned.update(_stored([target]))
                _scan(body, own, assigned, found)
            case ast.While(test=test, body=body):
                _read(test, own, assigned, found)
                _scan(body, own, set(assigned), found)
            case _:
                _read(stmt, own, assigned, found)
                if isinstance(stmt, ast.AugAssign):
                    found |= set(_stored([stmt.target])) - assigned
                assigned.update(_stored([stmt]))


def _read(node: ast.AST, own: set[str], assigned: set[str], found: set[str]) -> None:
    found |= {name for name, read in _names(node) if read} & own - assigned
