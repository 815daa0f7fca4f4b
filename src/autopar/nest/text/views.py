"""What dictionaries are gone through by: ``d.keys()``, ``d.values()``, ``d.items()``.

Of a dictionary that a nest does not change, these are lists in its order, at paths that begin with
its own: ``for k, v in d.items()`` becomes ``for k, v in zip(d.<keys>, d.<values>)``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autopar.nest.bound import stored
from autopar.nest.hidden import KEYS, VALUES
from autopar.nest.text.building import load, place
from autopar.nest.trees import all_copied, every

_THROUGH = frozenset(
    ("all", "any", "enumerate", "list", "max", "min", "sorted", "sum", "tuple", "zip")
)
"""Functions that go through their arguments, and do nothing else with them."""


def is_view(node: ast.expr) -> bool:
    """Whether `node` asks something with a name, or an attribute, for one of these."""
    return _viewed(node) is not None


def with_views(nodes: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`nodes` with such lists."""
    parts = [part for node in nodes for part in every(node)]
    if not any(isinstance(part, ast.Call) and is_view(part) for part in parts):
        return nodes
    changed = {
        ast.unparse(part.value)
        for part in parts
        if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load)
    }
    return [_Views(changed, stored(nodes)).visit(node) for node in all_copied(nodes)]


def _viewed(node: ast.expr) -> tuple[ast.expr, str] | None:
    """The dictionary, and what of it is gone through."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=base, attr="keys" | "values" | "items" as what),
            args=[],
            keywords=[],
        ) if _root(base) is not None:
            return base, what
    return None


def _root(node: ast.expr) -> str | None:
    """The name that a path begins with, if `node` is one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


class _Views(ast.NodeTransformer):
    """Lists in place of what is gone through.

    Parameters
    ----------
    changed, bound
        What the text stores into, and names that it binds: nobody knows what is in these.
    """

    def __init__(self, changed: set[str], bound: frozenset[str]) -> None:
        self.changed, self.bound = changed, bound

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self.through(node.iter)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.through(node.iter)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node.func:
            case ast.Name(id=name) if name in _THROUGH:
                node.args = list(map(self.through, node.args))
        return self.generic_visit(node)

    def through(self, node: ast.expr) -> ast.expr:
        """`node`, which is gone through."""
        found = _viewed(node)
        if found is None:
            return node
        base, what = found
        if _root(base) in self.bound or ast.unparse(base) in self.changed:
            return node
        parts: list[ast.expr] = [ast.Attribute(base, part, ast.Load()) for part in _PARTS[what]]
        made = parts[0] if len(parts) == 1 else ast.Call(load("zip"), parts, [])
        place([made], node)
        return made


_PARTS = {"keys": (KEYS,), "values": (VALUES,), "items": (KEYS, VALUES)}
