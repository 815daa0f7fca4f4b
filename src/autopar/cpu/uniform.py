"""Loops that compute the same in each turn of the loop around them.

LLVM's vectoriser asks of an operation whether all turns agree on it, and of its operands in turn,
and remembers no answer: of twenty squarings one after the other it asks a million times.  Unrolled
loops are such chains.  Where turns of the loop around do not agree, it stops at the first answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def uniform(definition: ast.FunctionDef) -> frozenset[ast.For]:
    """Loops within others that carry numbers used more than once, and the same ones each time."""
    found: set[ast.For] = set()
    for outer in (node for node in ast.walk(definition) if isinstance(node, ast.For)):
        inner = [stmt for stmt in _inside(outer.body) if isinstance(stmt, ast.For)]
        if inner:
            varying = _varying(outer)
            # Beside such a chain, the loop may well carry what does vary: a note of what is odd.
            found.update(one for one in inner if _doubles(one, _assigned(one) - varying))
    return frozenset(found)


def _inside(stmts: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a loop, but for those of loops within it."""
    for stmt in stmts:
        yield stmt
        if isinstance(stmt, ast.If):
            yield from _inside([*stmt.body, *stmt.orelse])


def _assigned(loop: ast.For) -> set[str]:
    """The numbers that are assigned in it."""
    names = (node for stmt in loop.body for node in ast.walk(stmt) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _read(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _varying(loop: ast.For) -> set[str]:
    """Names whose values depend on the turn of `loop`."""
    found = _read(loop.target)
    before = 0
    while len(found) > before:
        before = len(found)
        for stmt in (node for inside in loop.body for node in ast.walk(inside)):
            match stmt:
                case ast.Assign(value=value, targets=targets) if _read(value) & found:
                    for target in targets:
                        found |= _read(target) if not isinstance(target, ast.Subscript) else set()
                case ast.AugAssign(target=ast.Name(id=name), value=value) if _read(value) & found:
                    found.add(name)
                case ast.For(target=ast.Name(id=name), iter=bounds) if _read(bounds) & found:
                    found |= {name, *_assigned(stmt)}
                case ast.If(test=test) | ast.While(test=test) if _read(test) & found:
                    names = (n for n in ast.walk(stmt) if isinstance(n, ast.Name))
                    found |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return found


def _doubles(loop: ast.For, own: set[str]) -> bool:
    """Whether one of its `own` numbers is read more than once."""
    reads = [
        node.id
        for stmt in loop.body
        for node in ast.walk(stmt)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in own
    ]
    return len(reads) > len(set(reads))
