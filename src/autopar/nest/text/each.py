"""Loops over a few arrays: what they do to each of them, one after the other.

``for a in (x, self.y): a[i] += 1`` becomes ``x[i] += 1; self.y[i] += 1``.  A tuple of numbers is
another matter (`iteration`): an array has no place in a scalar.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from autopar.nest.bound import stored
from autopar.nest.text.building import SCOPES
from autopar.nest.trees import copied, every

Loop = ast.For | ast.While
_MOST = 8  # arrays
# What a body may call: nothing that could put another array under one of the names.
_CALLED = frozenset(("abs", "float", "int", "len", "max", "min", "range", "round"))
_LEAVING = ast.Break | ast.Continue | ast.Return | ast.Raise | ast.Assert


def each_written_out(loop: Loop, live: Callable[[str], bool]) -> Loop:
    """`loop` without such loops in it.

    Parameters
    ----------
    live
        Whether a name may be read after `loop`: the variable of such a loop must not be.
    """
    found = [inner for stmt in loop.body for inner in _loops(stmt) if _is_simple(inner)]
    if not found:
        return loop
    inside: Counter[str] = Counter()
    for inner in found:
        inside[_variable(inner)] += _count(_variable(inner), [inner])
    known = {
        name for name, count in inside.items() if not live(name) and count == _count(name, [loop])
    }
    simple = {id(inner) for inner in found if _variable(inner) in known}
    if not simple:
        return loop
    made = copy.copy(loop)
    made.body = [part for stmt in loop.body for part in _stmts(stmt, simple)]
    return made


def _stmts(stmt: ast.stmt, simple: set[int]) -> list[ast.stmt]:
    """What stands for `stmt`, whose lists of statements may have such loops in them."""
    if isinstance(stmt, SCOPES):
        return [stmt]
    made = copy.copy(stmt)
    for name in ("body", "orelse"):
        if hasattr(stmt, name):
            setattr(made, name, [p for part in getattr(stmt, name) for p in _stmts(part, simple)])
    if id(stmt) not in simple:
        return [made]
    assert isinstance(made, ast.For)
    assert isinstance(made.iter, ast.Tuple | ast.List)
    found: list[ast.stmt] = []
    for array in made.iter.elts:
        put = _Put(_variable(made), array)
        found += [put.visit(copied(part)) for part in made.body]
    return found


class _Put(ast.NodeTransformer):
    """An expression in place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != self.name:
            return node
        return ast.copy_location(copied(self.value), node)


def _loops(stmt: ast.stmt) -> Iterator[ast.For]:
    """The ``for`` loops in `stmt` that are reached through lists of statements alone."""
    if isinstance(stmt, SCOPES):
        return
    if isinstance(stmt, ast.For):
        yield stmt
    for name in ("body", "orelse"):
        for part in getattr(stmt, name, ()):
            yield from _loops(part)


def _is_simple(loop: ast.For) -> bool:
    """Whether `loop` goes through a few arrays, for all that its text says."""
    match loop:
        case ast.For(
            target=ast.Name(id=name), iter=ast.Tuple(elts=arrays) | ast.List(elts=arrays), orelse=[]
        ):
            pass
        case _:
            return False
    inside = [node for stmt in loop.body for node in every(stmt)]
    bound = stored(loop.body)
    subscripted = sum(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in inside
    )
    return (
        0 < len(arrays) <= _MOST
        and all(map(_is_path, arrays))
        and name not in bound
        and not any(_parts(array) & (bound | {name}) for array in arrays)
        and 0 < subscripted == _count(name, loop.body)
        and not any(_is_odd(node) for node in inside)
    )


def _is_odd(node: ast.AST) -> bool:
    """Whether `node` may leave the loop, or put another object under a name or an attribute."""
    if isinstance(node, ast.Call):
        return not (isinstance(node.func, ast.Name) and node.func.id in _CALLED)
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, _LEAVING | SCOPES)


def _is_path(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _parts(node: ast.expr) -> set[str]:
    return {part.id for part in every(node) if isinstance(part, ast.Name)}


def _variable(loop: ast.For) -> str:
    assert isinstance(loop.target, ast.Name)
    return loop.target.id


def _count(name: str, nodes: Sequence[ast.stmt]) -> int:
    """How often `name` stands in `nodes`."""
    return sum(isinstance(n, ast.Name) and n.id == name for top in nodes for n in every(top))
