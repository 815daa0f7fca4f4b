"""Whether parts of a statement may be moved: random numbers must be drawn in Python's order."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from autopar.nest.text.folding import named
from autopar.nest.text.inner import Own
from autopar.nest.trees import children, every

SEQUENCES = frozenset(("sum", "any", "all", "min", "max", "list", "map", "filter"))
"""Builtins that `nest.text.comprehensions` writes out."""

_PURE = frozenset(
    (
        "abs", "bool", "complex", "enumerate", "float", "int", "len", "range", "reversed", "round",
        "zip",
    )
)  # fmt: skip
"""Builtins that draw no random numbers, and have no effect but their value."""
_ODD = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.SetComp | ast.DictComp
Functions = Mapping[str, Own]


def draws(node: ast.stmt, functions: Functions) -> bool:
    """Whether to move a part of `node` may change which random number goes where.

    Loops draw in the order in which what they are made of does, unless one sequence is computed
    before another one begins.
    """
    own = [e for e in children(node) if isinstance(e, ast.expr)]
    inner = [part for top in own for part in every(top)]
    if any(isinstance(part, _ODD) for part in inner):
        return True
    number = sum(_number(part, functions) for part in inner)
    if number < 2:
        return False
    tops = [top for one in own for top in _sequences(one)]
    within = [sum(_number(part, functions) for part in every(top)) for top in tops]
    if number not in within:
        return True
    (top,) = (top for top, count in zip(tops, within, strict=True) if count == number)
    return any(drawing(source, functions) for source in _sources(top))


def drawing(node: ast.expr, functions: Functions) -> bool:
    """Whether `node` may draw random numbers."""
    return any(_number(part, functions) for part in every(node))


def _sequences(node: ast.expr) -> Iterator[ast.ListComp | ast.GeneratorExp]:
    """The outermost comprehensions in `node`."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        yield node
        return
    for child in children(node):
        if isinstance(child, ast.expr):
            yield from _sequences(child)


def _sources(node: ast.ListComp | ast.GeneratorExp) -> Iterator[ast.expr]:
    """What is gone through in `node`, on any level."""
    for inner in every(node):
        if isinstance(inner, ast.comprehension):
            yield inner.iter


def handed(node: ast.AST) -> list[ast.expr]:
    """Functions that `node` calls for each item of a sequence."""
    match node:
        case ast.Call(func=ast.Name(id="map" | "filter"), args=[function, *_]):
            return [function]
        case ast.Call(func=ast.Name(id="max" | "min"), keywords=[ast.keyword("key", key)]):
            return [key]
        case ast.Call(func=called, args=[one, *rest]) if named(called) is not None:
            return [one] if named(called) == "reduce" else rest[:1]
    return []


def _number(node: ast.AST, functions: Functions) -> int:
    """How many draws `node` itself may make each time."""
    match node:
        case ast.Call() if handed(node):
            named_ones = (f for f in handed(node) if not isinstance(f, ast.Lambda))
            return sum(_unknown(function, functions) for function in named_ones)
        case ast.Call(func=function):
            return _unknown(function, functions)
    return 0


def _unknown(function: ast.expr, functions: Functions) -> int:
    match function:
        case ast.Name(id=name) if name in functions:
            own = functions[name]
            parts = (part for top in (*own.body, own.result) for part in every(top))
            return sum(_number(part, functions) for part in parts)
        case ast.Name(id=name):
            if name.startswith("<"):  # one of ours
                return 0
            return name not in _PURE and name not in SEQUENCES and named(function) is None
        case ast.Attribute(value=ast.Name(id="np" | "numpy" | "math")):
            return 0
        case ast.Attribute(attr="append"):
            return 0
    return int(named(function) is None)
