"""Loops over a list that they append to, as loops that count: a search that goes on while it finds.

``for u in found: …; found.append(v)`` comes to each item that is appended on the way, so it is
``k = 0`` and ``while k < len(found): u = found[k]; k += 1; …``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autopar.nest.bound import stored
from autopar.nest.text.building import Rewriting, ours, place, through
from autopar.nest.text.reading import LENGTH
from autopar.nest.trees import all_copied, every


def counted(nodes: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`nodes` with such loops."""
    parts = [part for node in nodes for part in every(node)]
    if not any(isinstance(part, ast.For) and _grows(part) for part in parts):
        return nodes
    return _Counted().block(all_copied(nodes))


def _grows(loop: ast.For) -> bool:
    """Whether `loop` goes through a list under a name, and appends to it."""
    match loop:
        case ast.For(iter=ast.Name(id=name), orelse=[]):
            if name in stored([loop.target, *loop.body]):
                return False  # it goes through the one that it began with
            return any(_appends(part, name) for stmt in loop.body for part in every(stmt))
    return False


def _appends(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=found), attr="append")):
            return found == name
    return False


class _Counted(Rewriting):
    """Loops that count, in place of others."""

    def __init__(self) -> None:
        self.count = 0

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not _grows(node):
            return node
        assert isinstance(node.iter, ast.Name)
        self.count += 1
        name, at = node.iter.id, f"<place {self.count} in {node.iter.id}>"
        made = through(node, name, at, (ast.Constant(0), ours(LENGTH, name)), node.body)
        place(made, node)
        return made
