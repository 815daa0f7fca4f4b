"""Python's own trees, gone through and copied.

`ast.walk` and `copy.deepcopy` do the same for whatever there may be, in three and ten times as
long; a module is gone through again and again before its loops are known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeVar

N = TypeVar("N", bound=ast.AST)
_NO_NODES = frozenset(
    ("ctx", "id", "attr", "arg", "asname", "type_comment", "kind", "module", "level", "simple",
     "is_async", "conversion")
)  # fmt: skip
_SHARED = ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop
_fields: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}
"""By class, the fields in which nodes may be."""


def every(top: ast.AST) -> list[ast.AST]:
    """The nodes of `top` in the order of `ast.walk`, but for contexts of expressions."""
    found = [top]
    for node in found:
        names = _fields.get(type(node))
        for name in _inside(type(node)) if names is None else names:
            value = getattr(node, name, None)
            if type(value) is list:
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes that are parts of `node` itself, but for contexts of expressions.

    `every` has this loop, too: with a call for each node it takes half as long again.
    """
    found: list[ast.AST] = []
    names = _fields.get(type(node))
    for name in _inside(type(node)) if names is None else names:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def _inside(kind: type[ast.AST]) -> tuple[str, ...]:
    found = _fields[kind] = tuple(name for name in kind._fields if name not in _NO_NODES)
    return found


def copied(top: N, copies: dict[int, Any] | None = None) -> N:
    """A copy of a tree, with all that its nodes are said to be; what is in it twice stays one.

    Parameters
    ----------
    copies
        Of nodes, by the `id` of the original; those that are made are added.
    """
    copies = {} if copies is None else copies
    known: N | None = copies.get(id(top))
    if known is not None:
        return known
    made = copies[id(top)] = top.__class__.__new__(top.__class__)
    held: dict[str, Any] = made.__dict__
    for name, value in top.__dict__.items():
        if type(value) is list:
            value = [_copy(item, copies) for item in value]
        elif isinstance(value, ast.AST):
            value = _copy(value, copies)
        held[name] = value
    return made


def _copy(value: Any, copies: dict[int, Any]) -> Any:
    """A copy of a node; operators and contexts are the same wherever they stand."""
    if not isinstance(value, ast.AST) or isinstance(value, _SHARED):
        return value
    return copied(value, copies)


def all_copied(tops: Iterable[N], copies: dict[int, Any] | None = None) -> list[N]:
    """Copies of several trees; see `copied`."""
    copies = {} if copies is None else copies
    return [copied(top, copies) for top in tops]
