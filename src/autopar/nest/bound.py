"""What the text of a nest binds: names, and attributes of objects that it does not bind itself."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

from autopar.nest.trees import copied, every

T = TypeVar("T", bound=ast.stmt)
_BINDING = frozenset(
    (ast.Name, ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.ExceptHandler, ast.FunctionDef,
     ast.AsyncFunctionDef, ast.ClassDef, ast.alias)
)  # fmt: skip


def stored(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names that `nodes` bind or delete."""
    return frozenset(
        name
        for top in nodes
        for node in every(top)
        if type(node) in _BINDING and (name := _stored(node)) is not None
    )


def _stored(node: ast.AST) -> str | None:
    """The name that `node` itself binds or deletes."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return name
        case ast.MatchAs(name=name) | ast.MatchStar(name=name) | ast.MatchMapping(rest=name):
            return name
        case ast.ExceptHandler(name=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.alias(name=name, asname=other):
            return other or name.partition(".")[0]
    return None


def attributes_named(nodes: Sequence[T]) -> Sequence[T]:
    """`nodes` with a name like ``self.t`` for each attribute that they assign.

    That of an object which they do not assign itself; the run time shows that no other path leads
    to the same attribute, and that assigning it runs nothing of the user's.
    """
    inner = [n for top in nodes for n in every(top) if isinstance(n, ast.Attribute)]
    targets = {_dotted(n) for n in inner if isinstance(n.ctx, ast.Store)} - {None}
    if not targets:
        return nodes
    plain = stored(nodes)
    named = {path for path in targets if path and path.split(".")[0] not in plain}

    class Named(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            path = _dotted(node)
            if path in named:
                return ast.copy_location(ast.Name(path, node.ctx), node)
            return self.generic_visit(node)

    return [Named().visit(copied(node)) for node in nodes]


def _dotted(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            base = _dotted(value)
            private = attr.startswith("__") and not attr.endswith("__")
            return None if base is None or private else f"{base}.{attr}"
    return None
