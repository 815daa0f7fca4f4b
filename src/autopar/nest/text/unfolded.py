"""Sets and dictionaries that are made of something else, as loops that fill empty ones.

``dist = {v: inf for v in range(n)}`` is ``dist = {}`` and a loop that does ``dist[v] = inf``, where
`v` is a name of its own; ``dict.fromkeys(range(n), inf)`` means the same.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autopar.nest.text.building import Renamed, Rewriting, load, loops, mentions, place
from autopar.nest.text.comprehensions import Builtins
from autopar.nest.text.lookups import is_plain
from autopar.nest.trees import all_copied, copied, every

_KEY, _MARKS = "<key>", "<>"


def unfolded(nodes: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`nodes` with such loops."""
    if not any(is_folded(part) for node in nodes for part in every(node)):
        return nodes
    return _Unfolding().block(all_copied(nodes))


def is_folded(node: ast.AST) -> bool:
    """Whether the statement `node` makes a set or a dictionary in this way."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return _parts(value) is not None and not mentions(value, name)
    return False


def _parts(
    value: ast.expr,
) -> tuple[ast.expr, ast.expr | None, list[ast.comprehension]] | None:
    """Key, value and what is gone through."""
    match value:
        case ast.DictComp(key=key, value=item, generators=generators):
            found: ast.expr | None = item
        case ast.SetComp(elt=key, generators=generators):
            found = None
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="dict"), attr="fromkeys"),
            args=[source, ast.Constant() | ast.Name() as item],
            keywords=[],
        ):
            key, found = load(_KEY, value), item
            each = ast.comprehension(ast.Name(_KEY, ast.Store()), source, [], 0)
            place([each.target], value)
            generators = [each]
        case _:
            return None
    odd = ast.Lambda | ast.Await | ast.NamedExpr | ast.Yield | ast.YieldFrom
    if any(isinstance(part, odd) for part in every(value)) or any(g.is_async for g in generators):
        return None
    # A dictionary's key comes before its value, which is of interest where both do something.
    return (key, found, generators) if found is None or is_plain(key) else None


class _Unfolding(Rewriting):
    def __init__(self) -> None:
        self.count = 0

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self.made(node, node.targets[0]) if is_folded(node) else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        return self.made(node, node.target) if is_folded(node) else node

    def made(self, node: ast.Assign | ast.AnnAssign, target: ast.expr) -> list[ast.stmt]:
        assert isinstance(target, ast.Name)
        assert node.value is not None
        parts = _parts(node.value)
        assert parts is not None
        key, value, (first, *others) = parts
        self.count += 1
        targets = (part for one in (first, *others) for part in every(one.target))
        own = {part.id for part in targets if isinstance(part, ast.Name)}
        renamed = Renamed(
            {name: f"<{name.strip(_MARKS)} {self.count} of {target.id}>" for name in own}
        )
        source = first.iter  # which is evaluated around it
        first.iter = ast.Constant(0)
        generators = [renamed.visit(one) for one in (first, *others)]
        first.iter = source
        key = renamed.visit(copied(key))
        if value is None:
            add = ast.Attribute(load(target.id), "add", ast.Load())
            fill: ast.stmt = ast.Expr(ast.Call(add, [key], []))
            empty: ast.expr = ast.Call(load("set"), [], [])
        else:
            there = ast.Subscript(load(target.id), key, ast.Store())
            # The value of ``fromkeys`` is evaluated once, but nothing in the loop changes it.
            fill, empty = ast.Assign([there], renamed.visit(copied(value))), ast.Dict([], [])
        called = {"dict"} if isinstance(node.value, ast.Call) else set()
        node.value = empty
        statements = [Builtins(frozenset(called)), node, loops(generators, [fill])]
        place(statements, node)
        return statements
