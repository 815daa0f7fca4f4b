"""Calls that change their places where `nest.text.comprehensions` writes sequences out as loops.

The loops stand in front of the statement, so what is called in them is called before what Python
evaluates to their left.  That may not store into arrays: `nest.calls.inline` refuses it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from autopar.nest.marks import MOVED, mark
from autopar.nest.text import folding
from autopar.nest.text.drawing import SEQUENCES, Functions, handed
from autopar.nest.trees import children, every


def written_out(node: ast.AST) -> bool:
    """Whether `node` is something that may be written out."""
    match node:
        case ast.ListComp() | ast.GeneratorExp():
            return True
        case ast.Call(func=ast.Name(id="map" | "filter")):
            return True
        case ast.Call(func=ast.Name(id="list"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Name(id="min" | "max"), keywords=[ast.keyword("key")]):
            return True
        case ast.Call(func=func) if folding.named(func) is not None:
            return True
        case ast.BinOp(op=ast.Add()):
            return joined(node) is not None
        case ast.BinOp(op=ast.Mult(), left=ast.List(elts=[_])):
            return True
        case ast.BinOp(op=ast.Mult(), right=ast.List(elts=[_])):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.List(elts=elts)):
            return bool(elts)
        case ast.Call(func=ast.Attribute(attr="append"), args=[ast.List(elts=elts)]):
            return bool(elts)
    return False


def joined(node: ast.expr) -> list[ast.expr] | None:
    """The items of lists that are added up, where all of them are seen to be lists.

    ``[0] + [inf] * n`` has those of ``[0, *[inf] * n]``; what a name stands for may be no list.
    """
    match node:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            parts = [_items(left), _items(right)]
            return None if None in parts else [item for part in parts for item in part or ()]
    return None


def _items(node: ast.expr) -> list[ast.expr] | None:
    """The items of something that is seen to be a list."""
    match node:
        case ast.List(elts=elts):
            return elts
        case (
            ast.ListComp()
            | ast.BinOp(op=ast.Mult(), left=ast.List(elts=[_]))
            | ast.BinOp(op=ast.Mult(), right=ast.List(elts=[_]))
        ):
            return [ast.copy_location(ast.Starred(node, ast.Load()), node)]
    return joined(node)


def mark_moved(node: ast.stmt, functions: Functions) -> None:
    """Note of the calls in `node` which of them would change their places.

    Parameters
    ----------
    functions
        Functions of the text's own, whose calls are written out as well.
    """
    own = [e for e in children(node) if isinstance(e, ast.expr)]
    parts = [part for top in own for part in every(top)]
    ours = {part.id for part in parts if isinstance(part, ast.Name)} & functions.keys()
    if not ours and not any(written_out(part) or _is_sequence(part) for part in parts):
        return
    in_place = {id(part) for top in _one_by_one(node) for part in every(top)}
    _mark(part for part in parts if id(part) not in in_place)
    for function in functions.values() if ours else ():  # they may call one another
        _mark(part for top in (*function.body, function.result) for part in every(top))


def _mark(parts: Iterable[ast.AST]) -> None:
    for part in parts:
        if isinstance(part, ast.Call):
            for function in (part.func, *handed(part)):
                mark(function, MOVED)


def _one_by_one(node: ast.stmt) -> list[ast.AST]:
    """What a statement that consists of one sequence evaluates in turn for each item."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=value):
            pass
        case ast.AugAssign(target=ast.Name(), value=value) | ast.If(test=value):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[value])):
            pass
        case _:
            return []
    match value:
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in SEQUENCES:
            value = inner
    if not isinstance(value, ast.ListComp | ast.GeneratorExp):
        return []
    found: list[ast.AST] = [value.elt]
    for k, one in enumerate(value.generators):
        found += [*one.ifs, *([one.iter] if k else [])]
    return found


def _is_sequence(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in SEQUENCES
    return False
