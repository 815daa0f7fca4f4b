"""Means, variances and lengths: what NumPy computes from sums, step by step as it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autopar.nest.arrays.folds import added, axis_in, operand, reduced, stretched
from autopar.nest.arrays.library import library
from autopar.nest.arrays.section import ONE, Section
from autopar.nest.ir import Binary, Call, Compare, Const, Expr
from autopar.nest.polynomial import Polynomial, number
from autopar.nest.show import text
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements, Value

_LARGEST = 2**53
"""Integers up to here are floats of double precision, and so are their sums, in any order."""
_COUNTS_ARE_STRONG = isinstance(np.count_nonzero(np.zeros(1)), np.integer)


def _op(op: str, one: Expr, two: Expr, line: int) -> Binary:
    """Of one element; the line that NumPy says in a warning is one of its own."""
    return Binary(op, one, two, line, whole=True, reduced=True)


def _count(whole: Section, axis: int | None) -> Polynomial:
    number = ONE
    for extent in whole.extents if axis is None else [whole.extents[axis]]:
        number = number * extent
    return number


def _shared_out(nest: Elements, total: Value, count: Polynomial, line: int) -> Value:
    """``total / count``."""
    if isinstance(total, Section):
        return nest.mapped(
            [total, count.expr(line)], lambda e: Binary("/", e[0], e[1], line, True), line
        )
    return Binary("/", total, count.expr(line), line)


@library("a axis * keepdims")
def mean(
    nest: Elements, call: Call, a: Expr, axis: Expr | None = None, keepdims: Expr | None = None
) -> Value:
    whole, line = operand(nest, call, a), call.line
    along = axis_in(nest, call, whole, axis)
    if whole.boolean or whole.signed or whole.unsigned:
        total: Value = _exact_sum(nest, call, whole, along)
    elif whole.real:
        total = reduced(nest, call, whole, along, added(line), 0)
    else:
        raise nest.refuse(Reason.CALL, line, f"{text(call)} of what may be no floats")
    found = _shared_out(nest, total, _count(whole, along), line)
    return stretched(nest, call, found, along, keepdims)


def _exact_sum(nest: Elements, call: Call, whole: Section, axis: int | None) -> Expr:
    """The sum of integers as floats, which is exact, or the interpreter must run the nest."""
    line = call.line
    if axis is not None and whole.rank > 1:
        raise nest.refuse(Reason.CALL, line, text(call))

    def size(e: list[Expr]) -> Expr:
        return Call("<ufunc absolute>", (e[0],), line, whole=True)

    floats = nest.mapped([whole], lambda e: Call("<cast float64>", (e[0],), line), line)
    sizes = nest.mapped([floats], size, line)
    total, most = (
        reduced(nest, call, part, axis, added(line), 0, ordered=False) for part in (floats, sizes)
    )
    assert not isinstance(total, Section)
    assert not isinstance(most, Section)
    limits = Const(0), Const(_LARGEST)
    nest.hold(Call("<within>", (Call("<int>", (most,), line), *limits), line), line, "ok")
    return total


def _variance(
    nest: Elements, call: Call, a: Expr, axis: Expr | None, ddof: Expr | None
) -> tuple[Value, Section, int | None]:
    """The mean of the squares of what lies between each element and the mean.

    References
    ----------
    NumPy, ``numpy/_core/_methods.py``, ``_var``.
    """
    whole, line = operand(nest, call, a), call.line
    along, less = axis_in(nest, call, whole, axis), 0
    match ddof:
        case None:
            pass
        case Const(value=int(less)) if less >= 0 and type(less) is int:
            pass
        case _:
            raise nest.refuse(Reason.CALL, line, text(call))
    if not whole.double:
        raise nest.refuse(Reason.CALL, line, f"{text(call)} of what may be no doubles")
    if whole.compute is not None:
        whole = nest.kept(whole, line)
    count = _count(whole, along)
    nest.require(count - number(less), 1, None, line, "a variance of too few elements")
    total = reduced(nest, call, whole, along, added(line), 0)
    middle = _shared_out(nest, total, count, line)
    if isinstance(middle, Section):
        assert along is not None
        middle = stretched(nest, call, nest.kept(middle, line), along, Const(True))
    apart = nest.mapped([whole, middle], lambda e: _op("-", e[0], e[1], line), line)
    apart = nest.kept(apart, line)
    squares = nest.mapped([apart, apart], lambda e: _op("*", e[0], e[1], line), line)
    total = reduced(nest, call, squares, along, added(line), 0)
    return _shared_out(nest, total, count - number(less), line), whole, along


@library("a axis * ddof keepdims")
def var(
    nest: Elements,
    call: Call,
    a: Expr,
    axis: Expr | None = None,
    ddof: Expr | None = None,
    keepdims: Expr | None = None,
) -> Value:
    found, _, along = _variance(nest, call, a, axis, ddof)
    return stretched(nest, call, found, along, keepdims)


@library("a axis * ddof keepdims")
def std(
    nest: Elements,
    call: Call,
    a: Expr,
    axis: Expr | None = None,
    ddof: Expr | None = None,
    keepdims: Expr | None = None,
) -> Value:
    found, _, along = _variance(nest, call, a, axis, ddof)
    return stretched(nest, call, _root(nest, found, call.line), along, keepdims)


def _root(nest: Elements, found: Value, line: int) -> Value:
    if not isinstance(found, Section):
        return Call("<ufunc sqrt>", (found,), line)
    return nest.mapped([found], lambda e: Call("<ufunc sqrt>", (e[0],), line, whole=True), line)


def lengths(nest: Elements, call: Call, whole: Section, axis: int) -> Value:
    """The norm of each row of floats."""
    line = call.line
    squares = nest.mapped([whole, whole], lambda e: _op("*", e[0], e[1], line), line)
    total = reduced(nest, call, squares, axis, added(line), 0)
    return _root(nest, total, line)


@library("a")
def count_nonzero(nest: Elements, call: Call, a: Expr) -> Value:
    whole, line = nest.value(a), call.line
    if not isinstance(whole, Section) or not (whole.boolean or whole.counting or whole.real):
        raise nest.refuse(Reason.CALL, line, text(call))

    def one(e: list[Expr]) -> Expr:
        up = e[0] if whole.boolean else Compare("!=", e[0], Const(0), line)
        return Call("<cast int64>", (up,), line)

    ups = nest.mapped([whole], one, line)
    found = reduced(nest, call, ups, None, added(line), 0, ordered=False)
    assert not isinstance(found, Section)
    return found if _COUNTS_ARE_STRONG else Call("<index>", (found,), line)
