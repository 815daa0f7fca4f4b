"""``functools.reduce`` and ``itertools.accumulate``, step by step."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autopar.nest.text.building import load

REST = "<rest>"
"""What is called for all items of a sequence but the first."""


def named(func: ast.expr) -> str | None:
    """Which function of `functools` or `itertools` this may be."""
    match func:
        case ast.Name(id="reduce" | "accumulate" as name):
            return name
        case ast.Attribute(value=ast.Name(), attr="reduce" | "accumulate" as name):
            return name
    return None


def zipped(node: ast.expr) -> list[ast.expr] | None:
    """The sequences that ``zip(…)`` goes through, if `node` is written so."""
    match node:
        case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as args, keywords=[]):
            return None if any(isinstance(arg, ast.Starred) for arg in args) else args
    return None


def first(source: ast.Name) -> ast.expr:
    """The first item of a sequence."""
    return ast.Subscript(load(source.id), ast.Constant(0), ast.Load())


def others(names: Sequence[str], sources: Sequence[ast.Name], step: ast.stmt) -> ast.stmt:
    """`step` for all other items."""
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    through: list[ast.expr] = [load(source.id) for source in sources]
    if len(names) > 1:
        targets = [ast.Tuple(targets, ast.Store())]
        through = [ast.Call(load("zip"), through, [])]
    return ast.For(targets[0], ast.Call(load(REST), through, []), [step], [])
