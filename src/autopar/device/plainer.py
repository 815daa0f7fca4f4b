"""Kernel text without what only processors need: strips between which they look whether to stop.

    for base in range(lo, hi, 65536):                for i in range(lo, hi):
        if stopped_(stop): return 2                      ...
        for i in range(base, min(base + 65536, hi)):
            ...

Nobody can stop a work item, which mostly has one iteration anyway: of the one loop that remains a
compiler then sees that there is nothing to repeat.
"""

from __future__ import annotations

import ast
from typing import Any, TypeGuard


def plainer(function: ast.FunctionDef) -> ast.FunctionDef:
    """`function` without strips in which nothing but a loop stands."""
    made = _Plainer().visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


class _Plainer(ast.NodeTransformer):
    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        return _whole(node) or node


def _whole(strips: ast.For) -> ast.For | None:
    """The one loop that strips of a constant length are of."""
    rest = [stmt for stmt in strips.body if not _looks(stmt)]
    match strips, rest:
        case (
            ast.For(
                target=ast.Name(id=base),
                iter=ast.Call(args=[low, high, ast.Constant(value=int(length))]),
                orelse=[],
            ),
            [
                ast.For(
                    iter=ast.Call(
                        func=order,
                        args=[
                            ast.Name(id=begin),
                            ast.Call(
                                func=ast.Name(id="min"),
                                args=[
                                    ast.BinOp(
                                        left=ast.Name(id=left),
                                        op=ast.Add(),
                                        right=ast.Constant(value=further),
                                    ),
                                    end,
                                ],
                            ),
                        ],
                    ),
                    orelse=[],
                ) as loop
            ],
        ) if (
            begin == left == base
            and further == length > 0
            and ast.dump(end) == ast.dump(high)
            and isinstance(end, ast.Name | ast.Constant)
            and not _breaks(loop.body)
            and base not in _names(loop.body, ast.Load)
            and not _names([ast.Expr(end), ast.Expr(low)], ast.Load) & _names([loop], ast.Store)
        ):
            loop.iter = ast.Call(order, [low, high], [])
            return loop
    return None


def _looks(stmt: ast.stmt) -> TypeGuard[ast.If]:
    match stmt:
        case ast.If(test=ast.Call(func=ast.Name(id="stopped_"))):
            return True
    return False


def _breaks(body: list[ast.stmt]) -> bool:
    """Whether `body` leaves the loop that it is of."""
    return any(
        isinstance(stmt, ast.Break)
        or (isinstance(stmt, ast.If) and (_breaks(stmt.body) or _breaks(stmt.orelse)))
        for stmt in body
    )


def _names(body: list[ast.stmt], way: type[ast.expr_context]) -> set[str]:
    """The names that `body` reads, or those that it assigns."""
    nodes = (node for stmt in body for node in ast.walk(stmt) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, way)}


def none_leaves(function: ast.FunctionDef) -> ast.FunctionDef:
    """`function`, in which work items go on together only where none of them may leave early.

    Those that stay would wait for it.
    """
    made = _NoneLeaves(function).visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


class _NoneLeaves(ast.NodeTransformer):
    """Takes the other branch of a ``together_`` where something returns before its end.

    It stands in no loop but that of the chunk, which has one iteration where work items wait for
    one another: what comes after it in the text comes after it in time.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        looks = {id(inner) for n in ast.walk(function) if _is_look(n) for inner in ast.walk(n)}
        leaves = (n for n in ast.walk(function) if isinstance(n, ast.Return) and id(n) not in looks)
        self.first = min(leave.lineno for leave in leaves)

    def visit(self, node: ast.AST) -> Any:
        return node if isinstance(node, ast.expr) else super().visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        match node.test:
            case ast.Call(func=ast.Name(id="together_")) if self.first <= _last(node.body):
                return node.orelse
        return node


def _is_look(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and _looks(node)


def _last(body: list[ast.stmt]) -> int:
    """The last line of `body`."""
    line = body[-1].end_lineno
    assert line is not None
    return line
