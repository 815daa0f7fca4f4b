"""Subscripts with ``min`` or ``max`` in them: each case affine, under a condition of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from autopar.deps.affine import Formula, Linear, Params, Scope, guard, read, together
from autopar.nest.ir import Binary, Call, Compare, Expr, Unary

_MOST_PIECES = 4  # of one access: it is analysed as so many
_Op = Literal["<", "<=", ">", ">="]
# How the one that is meant compares with those before it and with those after it.
_ORDER: dict[str, tuple[_Op, _Op]] = {"min": ("<", "<="), "max": (">", ">=")}

Piece = tuple[Formula | None, tuple[Linear | None, ...]]


def pieces(
    index: Sequence[Expr], builtins: frozenset[str], scope: Scope, params: Params
) -> list[Piece]:
    """The cases of a subscript: when each is meant, and what it is then.

    Parameters
    ----------
    builtins
        Which of ``min`` and ``max`` still mean the builtins.

    Notes
    -----
    ``min(i, k)`` is ``i`` where ``i <= k``, else ``k``.  A condition that cannot be read is left
    out, so a case may be said to be meant more often than it is; one case always is.  Quasi-affine
    cases as in Feautrier, *Dataflow analysis of array and scalar references*, 1991, section 3.
    """
    found = list(_cases(tuple(index), (), builtins))
    if len(found) > _MOST_PIECES:
        found = [(tuple(index), ())]
    return [
        (_all(tests, scope, params), tuple(read(axis, scope, params) for axis in axes))
        for axes, tests in found
    ]


def _all(tests: Sequence[Compare], scope: Scope, params: Params) -> Formula | None:
    formulas = (guard(test, scope, params) for test in tests)
    return together([formula for formula in formulas if formula is not None])


def _cases(
    index: tuple[Expr, ...], tests: tuple[Compare, ...], builtins: frozenset[str]
) -> Iterator[tuple[tuple[Expr, ...], tuple[Compare, ...]]]:
    call = next((c for axis in index for c in _extremes(axis, builtins)), None)
    if call is None:
        yield index, tests
        return
    before, after = _ORDER[call.func]
    for k, arg in enumerate(call.args):  # the first of equals
        more = [
            Compare(before if at < k else after, arg, other, call.line)
            for at, other in enumerate(call.args)
            if at != k
        ]
        chosen = tuple(_put(axis, call, arg) for axis in index)
        yield from _cases(chosen, (*tests, *more), builtins)


def _extremes(expr: Expr, builtins: frozenset[str]) -> Iterator[Call]:
    """Calls of ``min`` and ``max`` in `expr`, inner before outer."""
    match expr:
        case Unary(operand=operand):
            yield from _extremes(operand, builtins)
        case Binary(left=left, right=right):
            yield from _extremes(left, builtins)
            yield from _extremes(right, builtins)
        case Call(func=func, args=args) if func in builtins and func in _ORDER and len(args) > 1:
            for arg in args:
                yield from _extremes(arg, builtins)
            yield expr


def _put(expr: Expr, call: Call, instead: Expr) -> Expr:
    """`expr` with `instead` in the place of `call`."""
    if expr is call:
        return instead
    match expr:
        case Unary(operand=operand):
            return replace(expr, operand=_put(operand, call, instead))
        case Binary(left=left, right=right):
            return replace(expr, left=_put(left, call, instead), right=_put(right, call, instead))
        case Call(args=args):
            return replace(expr, args=tuple(_put(arg, call, instead) for arg in args))
    return expr
