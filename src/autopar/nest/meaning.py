"""Operations that mean another one for the types at hand, said in words that kernels know.

``flag + flag`` of NumPy bools is ``flag | flag``; ``i ** -2`` of Python integers is computed, and
typed, as ``i ** -2.0``.  What an operation means depends on kinds only, so typing sees the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autopar.nest.functions import Function
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Load,
    Name,
    Put,
    Stmt,
    Unary,
    View,
    While,
)
from autopar.nest.kinds import PYTHON, Kind, dtype, family, is_python
from autopar.nest.walking import rebuilt as rebuilt  # which needs no NumPy
from autopar.records import replace

KindOf = Callable[[Expr], Kind]

_EXACT = 2**53
MOST_DECIMALS = 8
"""For which NumPy has the power of ten at hand."""
# np.add and np.multiply of bools are logical_or and logical_and.
_BOOL = {"+": "|", "*": "&"}


def meant(expr: Expr, kind: KindOf, calls: dict[str, Function], ranks: dict[str, int]) -> Expr:
    """What `expr` means; its operands as they are."""
    match expr:
        case Dim(array=path, axis=int(axis)) if -ranks[path] <= axis < 0:
            return Dim(path, axis + ranks[path])
        case Binary(op="+" | "*" as op, left=left, right=right):
            a, b = kind(left), kind(right)
            if a and b and a | b <= {"bool", "np.bool"} and {"np.bool"} in (a, b):
                return replace(expr, op=_BOOL[op])
        case Binary(op="**", left=left, right=Const(value=value), whole=True):
            return _power(expr, left, value, kind(left))
        case Binary(op="**", left=left, right=Const(value=value)):
            # Python answers a negative power of integers with floats.
            if type(value) is int and -_EXACT <= value < 0 and _has_python_int(kind(left)):
                return replace(expr, right=Const(float(value)))
        case Call(func=func, args=(one, Const(value=places)), names=()) if func in calls:
            if calls[func].form == "round" and type(places) is int:
                return _rounded(expr, one, places, kind(one))
        case Call(func=func, args=args) if func in calls and len(args) == 1:
            return _call(expr, calls[func].form, args[0], kind(args[0]))
    return expr


def _power(expr: Expr, base: Expr, exponent: object, kind: Kind) -> Expr:
    """A power of an array, of which NumPy computes the simple ones in simpler ways."""
    families = {family(dtype(atom)) for atom in kind}
    names = {2: "square", 0.5: "sqrt", -1: "reciprocal", 1: "positive"}
    line = getattr(expr, "line", 0)
    if families == {"float"} and exponent in names and not isinstance(exponent, complex):
        if not _said_of(exponent, names[exponent]):
            return expr
        return Call(f"<ufunc {names[exponent]}>", (base,), line, whole=True)
    if families <= {"int", "uint"} and families and type(exponent) is int and exponent == 2:
        return Call("<ufunc square>", (base,), line, whole=True)
    if families == {"float"} and isinstance(expr, Binary):
        return Call("<ufunc power>", (base, expr.right), line, whole=True)
    return expr


@functools.lru_cache(typed=True)  # 2 is not 2.0
def _said_of(exponent: object, name: str) -> bool:
    """Whether this NumPy warns of such a power in the name of the simpler function, if at all.

    Some take ``x ** 2.0`` for a square, others for a power with a loop of its own for squares.
    """
    other: Any = exponent
    with np.errstate(all="raise", under="ignore"):
        for value in (np.finfo(np.float64).max, 0.0, -1.0):
            try:
                np.array([value]) ** other
            except FloatingPointError as error:
                return str(error).endswith(f" in {name}")
    return True


def _has_python_int(kind: Kind) -> bool:
    """Whether the power is Python's own; beside NumPy integers a negative exponent raises."""
    floats = {"float", "np.float32", "np.float64"}
    return bool(kind & {"int", "bool"}) and kind <= {"int", "bool"} | floats


def _call(expr: Call, form: str, operand: Expr, kind: Kind) -> Expr:
    families = {family(dtype(atom)) for atom in kind}
    if not kind or "complex" in families:
        return expr
    if form == "index" and kind == {"int"}:
        return operand
    if form == "complex":
        return replace(expr, args=(operand, Const(0.0)))
    if form == "abs" and kind == {"np.bool"}:
        return operand
    if form in ("real", "conjugate"):
        if all(is_python(atom) for atom in kind):
            return Unary("+", operand, expr.line)  # of a bool an int, as its `real`
        if not any(is_python(atom) for atom in kind):
            return operand
    return expr


def _rounded(expr: Call, one: Expr, places: int, kind: Kind) -> Expr:
    """``round(one, places)``."""
    families = {family(dtype(atom)) for atom in kind}
    if not kind or not 0 <= places <= MOST_DECIMALS:
        return expr
    if kind <= {"int", "bool"}:
        return Unary("+", one, expr.line)
    if families <= {"int", "uint"} and not any(is_python(atom) for atom in kind):
        return one
    if kind == {"float"}:
        return Call(f"<decimal {places}>", (one,), expr.line)
    if kind == {"np.float64"}:
        return to_decimals(one, places, expr.line)
    return expr


def to_decimals(one: Expr, places: int, line: int) -> Expr:
    """`numpy.round` of a double.

    References
    ----------
    NumPy, ``numpy/_core/src/multiarray/calculation.c``, ``PyArray_Round``.
    """
    if not places:
        return Call("<ufunc rint>", (one,), line, whole=True)
    power = Const(10.0**places)
    more = Binary("*", one, power, line, whole=True, reduced=True)
    near = Call("<ufunc rint>", (more,), line, whole=True)
    return Binary("/", near, power, line, whole=True, reduced=True)


Block = tuple[Stmt, ...]


def rewritten(
    stmt: Stmt, change: Callable[[Expr], Expr], inside: Callable[[Block], Block] | None = None
) -> Stmt:
    """`stmt` with every whole expression in it changed.

    Parameters
    ----------
    inside
        What becomes of a block in it; None: the same as of `stmt`.
    """
    if inside is None:

        def inside(block: Block) -> Block:
            return tuple(rewritten(inner, change) for inner in block)

    match stmt:
        case Assign(target=Element(index=index) as target, value=value):
            here = replace(target, index=tuple(change(e) for e in index))
            return replace(stmt, target=here, value=change(value))
        case Assign(value=value):
            return replace(stmt, value=change(value))
        case Put(target=view, value=value):
            place = change(view)
            assert isinstance(place, View)
            return replace(stmt, target=place, value=change(value))
        case If(test=test, body=body, orelse=orelse):
            return replace(stmt, test=change(test), body=inside(body), orelse=inside(orelse))
        case While(test=test, body=body):
            return replace(stmt, test=change(test), body=inside(body))
        case For(start=start, stop=stop, step=step, body=body):
            return replace(
                stmt, start=change(start), stop=change(stop), step=change(step),
                body=inside(body),
            )  # fmt: skip
    return stmt


def on_line(stmt: Stmt, line: int) -> Stmt:
    """`stmt` as if it stood in this line."""

    def here(expr: Expr) -> Expr:
        made = rebuilt(expr, here)
        return made if isinstance(made, Const | Name | Dim) else replace(made, line=line)

    def placed(stmt: Stmt) -> Stmt:
        parts: dict[str, Any] = {"line": line}
        match stmt:
            case Assign(target=Element() as target):
                parts["target"] = replace(target, line=line)
            case If(body=body, orelse=orelse):
                parts |= {"body": tuple(map(placed, body)), "orelse": tuple(map(placed, orelse))}
            case While(body=body) | For(body=body):
                parts["body"] = tuple(map(placed, body))
        return replace(stmt, **parts)

    return placed(rewritten(stmt, here))


def zero(atom: str, line: int) -> Expr:
    """Some zero of this type."""
    if is_python(atom):
        return Const(PYTHON[atom](0))
    return Call(f"<cast {dtype(atom)}>", (Const(0),), line)


def renumbered(expr: Expr, ids: Iterator[int]) -> Expr:
    """`expr` with ids of their own for its accesses: what it says may be needed more than once."""
    made = rebuilt(expr, lambda operand: renumbered(operand, ids))
    return replace(made, id=next(ids)) if isinstance(made, Load) else made


def renewed(stmt: Stmt, ids: Iterator[int]) -> Stmt:
    """`stmt` with ids of their own for all statements and accesses in it."""
    return _numbered(rewritten(stmt, lambda expr: renumbered(expr, ids)), ids)


def _numbered(stmt: Stmt, ids: Iterator[int]) -> Stmt:
    parts: dict[str, Any] = {"id": next(ids)}
    match stmt:
        case Assign(target=Element() as target):
            parts["target"] = replace(target, id=next(ids))
        case If(body=body, orelse=orelse):
            parts["body"] = tuple(_numbered(inner, ids) for inner in body)
            parts["orelse"] = tuple(_numbered(inner, ids) for inner in orelse)
        case For(body=body) | While(body=body):
            parts["body"] = tuple(_numbered(inner, ids) for inner in body)
    return replace(stmt, **parts)
