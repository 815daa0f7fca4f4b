"""Loops through what a call returns: ``for w, u, v in sorted(edges)``, ``for i in np.argsort(x)``.

The interpreter evaluates that once, before it asks, and the nest goes through it under a name of
ours.  Nobody knows what it is before that: a list, an array, or something that only Python takes.
"""

from __future__ import annotations

import ast
import copy

from autopar.nest.text.building import load
from autopar.nest.text.iteration import called
from autopar.nest.trees import every
from autopar.verdict import THROUGH

_AROUND = frozenset(("enumerate", "reversed"))
_MAKING = frozenset(("list", "sorted", "tuple"))
_MODULES = frozenset(("np", "numpy"))
_ARRAYS = frozenset(
    ("argsort", "astype", "choice", "choices", "copy", "cumsum", "diff", "flatten", "integers",
     "nonzero", "normal", "permutation", "ravel", "reshape", "sample", "tolist", "uniform")
)  # fmt: skip
"""Methods that return arrays, or lists of numbers.

What other functions return is seldom an array, and to ask takes half as long as to go through three
items.
"""
_PAUSING = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr


def source_of(loop: ast.For) -> ast.expr | None:
    """What `loop` goes through, numbered or backwards perhaps, if it has to be evaluated first."""
    node = _inner(loop.iter)
    if node is not loop.iter and _may_run_anything(node):
        return None  # `reversed` is looked up before that is evaluated
    match node:
        case ast.Call() if not _returns_items(node):
            return None
        case ast.Subscript(value=ast.Call() as whole) if not _returns_items(whole):
            return None
        case ast.Subscript(value=ast.Name(), slice=part) if not isinstance(part, ast.Compare):
            return None
        case ast.Call() | ast.BinOp() | ast.ListComp() | ast.Subscript():
            pass
        case _:
            return None
    return None if any(isinstance(part, _PAUSING) for part in every(node)) else node


def _may_run_anything(node: ast.expr) -> bool:
    """Whether a function of the user's may be called: as a key, or under another name."""
    calls = (part for part in every(node) if isinstance(part, ast.Call))
    return any(call.keywords or not _returns_items(call) for call in calls)


def _returns_items(call: ast.Call) -> bool:
    """Whether it is likely to return an array, or a list."""
    match call.func:
        case ast.Name(id=name):
            return name in _MAKING
        case ast.Attribute(value=owner, attr=name):
            if isinstance(owner, ast.Name) and owner.id in _MODULES:
                return called(call) is None
            return name in _ARRAYS
    return False


def _inner(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[one], keywords=[]) if name in _AROUND:
            return one
        case ast.Call(func=ast.Name(id="enumerate"), args=[one, ast.Constant()], keywords=[]):
            return one
        case ast.Call(
            func=ast.Name(id="enumerate"),
            args=[one],
            keywords=[ast.keyword(arg="start", value=ast.Constant())],
        ):
            return one
    return node


def through(loop: ast.For, source: ast.expr) -> ast.For:
    """`loop` through what has been made of `source` by then."""
    made = copy.copy(loop)
    made.iter = in_place(loop.iter, source, load(THROUGH, source))
    return made


def in_place(node: ast.expr, source: ast.expr, other: ast.expr) -> ast.expr:
    """`node`, what a loop goes through, with `other` in place of its `source`."""
    if node is source:
        return other
    assert isinstance(node, ast.Call)
    made = copy.copy(node)
    made.args = [other, *node.args[1:]]
    return made
