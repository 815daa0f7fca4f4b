"""NumPy's reductions of arrays, in the order in which NumPy adds.

Along the last axis NumPy adds pairwise, in blocks, and its own loop does it here as well
(`ir.For.fold`); along other axes it adds whole rows, one after the other.  Other layouts than C
order are not taken: there the order is another one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, Literal

import numpy as np

from autopar.nest.arrays.library import LIBRARY, library
from autopar.nest.arrays.section import ONE, ZERO, Index, Item, New, Run, Section, even, part
from autopar.nest.arrays.stores import axis_of
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Expr,
    For,
    If,
    Logic,
    Name,
    Select,
    Stmt,
    Unary,
)
from autopar.nest.polynomial import Polynomial, symbol
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements, Value

_NO = Const(False)
_BLOCK = 8192  # elements: what NumPy sums up of a table with gaps at a time
Step = Callable[[Expr, Expr], Expr]
"""What a reduction makes of what it has and one more element."""


def added(line: int) -> Step:
    return lambda total, one: Binary("+", total, one, line, whole=True, reduced=True)


def _multiplied(line: int) -> Step:
    return lambda total, one: Binary("*", total, one, line, whole=True, reduced=True)


def _better(name: str, line: int) -> Step:
    return lambda best, one: Call(f"<ufunc {name}>", (best, one), line, whole=True)


Reduction = Callable[["Elements", Call, Section, int | None], "Value"]


def reduction(function: Reduction) -> Reduction:
    """Register what follows: it is handed the array, and the axis or None for all of them."""

    @library("a axis * keepdims")
    @wraps(function)
    def called(
        nest: Elements, call: Call, a: Expr, axis: Expr | None = None, keepdims: Expr | None = None
    ) -> Value:
        whole = operand(nest, call, a)
        along = axis_in(nest, call, whole, axis)
        return stretched(nest, call, function(nest, call, whole, along), along, keepdims)

    return function


@reduction
def sum_(nest: Elements, call: Call, whole: Section, axis: int | None) -> Value:
    line = call.line
    if whole.boolean or whole.signed or whole.unsigned:
        dtype = "uint64" if whole.unsigned else "int64"
        counted = nest.mapped([whole], lambda e: Call(f"<cast {dtype}>", (e[0],), line), line)
        signed = not whole.unsigned
        counted = replace(counted, counting=True, signed=signed, unsigned=whole.unsigned)
        return reduced(nest, call, counted, axis, added(line), 0, ordered=False, dtype=dtype)
    _real(nest, call, whole)
    return reduced(nest, call, whole, axis, added(line), 0, dtype=_double(whole))


@reduction
def prod(nest: Elements, call: Call, whole: Section, axis: int | None) -> Value:
    _real(nest, call, whole)
    return reduced(nest, call, whole, axis, _multiplied(call.line), 1, dtype=_double(whole))


@reduction
def max_(nest: Elements, call: Call, whole: Section, axis: int | None) -> Value:
    return _best(nest, call, whole, axis, "maximum")


@reduction
def min_(nest: Elements, call: Call, whole: Section, axis: int | None) -> Value:
    return _best(nest, call, whole, axis, "minimum")


@reduction
def any_(nest: Elements, call: Call, whole: Section, axis: int | None) -> Value:
    return _decided(nest, call, whole, axis, "|")


@reduction
def all_(nest: Elements, call: Call, whole: Section, axis: int | None) -> Value:
    return _decided(nest, call, whole, axis, "&")


for _name in ("max", "min"):
    LIBRARY[f"a{_name}"] = LIBRARY[_name]


@library("a axis")
def argmax(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    return _place_of_best(nest, call, a, axis, "<=")


@library("a axis")
def argmin(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    return _place_of_best(nest, call, a, axis, ">=")


def _place_of_best(
    nest: Elements, call: Call, a: Expr, axis: Expr | None, op: Literal["<=", ">="]
) -> Value:
    """Where the first of the best elements is; a nan is better than any number."""
    whole, line = operand(nest, call, a), call.line
    along = axis_in(nest, call, whole, axis)
    if not (whole.real or whole.counting) or (whole.rank > 1 and along is None):
        raise nest.refuse(Reason.CALL, line, text(call))
    along = along or 0
    for extent in whole.extents:
        nest.require(extent, 1, None, line, "a reduction of no elements")
    if whole.compute is not None and whole.rank > 1:  # an element is needed twice
        whole = nest.kept(whole, line)

    def place_in(index: Index) -> tuple[list[Stmt], Expr]:
        number, name = next(nest.ids), f"<element of line {line}>"
        best, place = Name(f"<best {number}>"), Name(f"<place {number}>")

        def at(k: Polynomial) -> Expr:
            return nest.element(whole, (*index[:along], k, *index[along:]), line)

        here = symbol(Name(name))
        better: Expr = Unary("not", Compare(op, at(here), best, line), line)
        if whole.real:
            better = Logic("and", (Compare("==", best, best, line), better), line)
        taken = (
            Assign(best, at(here), next(nest.ids), line),
            Assign(place, Name(name), next(nest.ids), line),
        )
        body = If(better, taken, (), next(nest.ids), line)
        stop = whole.extents[along].expr(line)
        made: list[Stmt] = [
            Assign(best, at(ZERO), number, line),
            Assign(place, Const(0), next(nest.ids), line),
            For(name, Const(1), stop, Const(1), (body,), next(nest.ids), line),
        ]
        return made, Call("<strong>", (place,), line)

    others = tuple(e for k, e in enumerate(whole.extents) if k != along)
    if others:
        found = nest.filled_by(others, place_in, line)
        return replace(found, counting=True, signed=True)
    before, result = place_in(())
    nest.first += before
    return result


def _best(nest: Elements, call: Call, whole: Section, axis: int | None, name: str) -> Value:
    line = call.line
    step = _better(name, line)
    if whole.counting:
        return reduced(nest, call, whole, axis, step, None, ordered=False)
    _real(nest, call, whole)
    straight = whole.rank == 1 or (whole.ordered and _without_gaps(nest, whole))
    if axis is not None or straight:
        return reduced(nest, call, whole, axis, step, None)
    found = reduced(nest, call, whole, axis, step, None, ordered=False)
    assert not isinstance(found, Section)
    # In another order, the same comes out, but for which of two zeros.
    flag = Select(Compare("==", found, Const(0), line), Const(1), Const(0), line)
    nest.hold(Call("<within>", (flag, Const(0), Const(0)), line), line, "ok")
    return found


def _decided(nest: Elements, call: Call, whole: Section, axis: int | None, op: str) -> Value:
    line = call.line
    if whole.real or whole.counting:
        whole = nest.mapped([whole], lambda e: Compare("!=", e[0], Const(0), line), line)
        whole = replace(whole, boolean=True, real=False, double=False)
    elif not whole.boolean:
        raise nest.refuse(Reason.CALL, line, text(call))

    def step(total: Expr, one: Expr) -> Expr:
        return Binary(op, total, one, line, whole=True)

    return reduced(nest, call, whole, axis, step, int(op == "&"), ordered=False)


# ---------------------------------------------------------------------------- what they share


def operand(nest: Elements, call: Call, a: Expr) -> Section:
    whole = nest.value(a)
    if not isinstance(whole, Section):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return whole


def in_c_order(nest: Elements, call: Call, whole: Section) -> None:
    """NumPy goes through it row by row."""
    if whole.rank > 1 and (not whole.ordered or ONE in whole.extents):
        raise nest.refuse(Reason.CALL, call.line, f"{text(call)} in an order of NumPy's own")
    for extent in whole.extents if whole.rank > 1 else ():  # NumPy leaves out axes of one element
        nest.require(extent, 2, None, call.line, "a reduction in an order of NumPy's own")


def _without_gaps(nest: Elements, whole: Section) -> bool:
    """Whether its elements lie one after the other: it is new, or whole rows of an array."""
    if whole.fresh:
        return True
    if not nest.lies_dense(whole.path):
        return False
    probe = tuple(map(axis_of, range(whole.rank)))
    place = whole.where(probe)
    full = nest.shape_of(whole.path, len(place))
    one_by_one = not (place[0] - probe[0]).names & frozenset().union(*(p.names for p in probe))
    return one_by_one and place[1:] == probe[1:] and full[1:] == whole.extents[1:]


@cache
def _in_one_block() -> bool:
    """Whether NumPy sums up a small part of a table as it does a row."""
    table = np.random.default_rng(0).normal(size=(70, 4097)) * 10.0 ** np.arange(70)[:, None]
    parts = (table[1 : 1 + rows, 1 : 1 + _BLOCK // rows] for rows in (2, 3, 9, 64))
    return all(bool(part.sum() == part.copy().ravel().sum()) for part in parts)


def _real(nest: Elements, call: Call, whole: Section) -> None:
    if not whole.real:
        raise nest.refuse(Reason.CALL, call.line, f"{text(call)} of what may be no floats")


def _double(whole: Section) -> str | None:
    return "float64" if whole.double else None


def axis_in(nest: Elements, call: Call, whole: Section, axis: Expr | None) -> int | None:
    match axis:
        case None:
            return None
        case Const(value=int(value)) if type(value) is int:
            pass
        case Unary(op="-", operand=Const(value=int(value))) if type(value) is int:
            value = -value
        case _:
            raise nest.refuse(Reason.CALL, call.line, text(call))
    if not -whole.rank <= value < whole.rank:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return value % whole.rank


def stretched(
    nest: Elements, call: Call, found: Value, along: int | None, keepdims: Expr | None
) -> Value:
    """`found`, with the axis that was reduced if the user keeps it."""
    if keepdims in (None, _NO):
        return found
    if keepdims != Const(True) or along is None or not isinstance(found, Section):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    array = found if found.compute is None else nest.kept(found, call.line)
    items: list[Item] = [Run(extent) for extent in array.extents]
    return part(array, [*items[:along], New(), *items[along:]])


def reduced(
    nest: Elements,
    call: Call,
    whole: Section,
    along: int | None,
    step: Step,
    start: int | None,
    ordered: bool = True,
    dtype: str | None = None,
) -> Value:
    """The reduction of `whole` along an axis, or of all of it.

    Parameters
    ----------
    start
        What there is before the first element; None: the first element is there.
    ordered
        Whether the result depends on the order.
    dtype
        That of the result of no elements; None: there must be some.
    """
    line = call.line
    if ordered:
        in_c_order(nest, call, whole)
    elif along is not None and whole.rank > 2 and not whole.ordered:
        raise nest.refuse(Reason.CALL, line, f"{text(call)}, whose layout is NumPy's own")
    for axis, extent in enumerate(whole.extents):
        none = dtype is not None and (along == axis or whole.rank == 1)
        nest.require(extent, 0 if none else 1, None, line, "a reduction of no elements")
    if along is None and whole.rank > 1:
        if ordered and not _without_gaps(nest, whole):
            if whole.rank > 2 or np.getbufsize() != _BLOCK or not _in_one_block():
                raise nest.refuse(Reason.CALL, line, f"{text(call)} in an order of NumPy's own")
            size = whole.extents[0] * whole.extents[1]
            nest.require(size, 1, _BLOCK, line, "a reduction in several blocks")
        whole = nest.flat(whole, line)
        along = 0
    last = along is None or along == whole.rank - 1
    if last and ordered:
        computed = whole.compute is not None or not whole.distinct
        if computed or not even(whole, whole.rank - 1):
            whole = nest.kept(whole, line)
    along = whole.rank - 1 if along is None else along
    others = tuple(e for k, e in enumerate(whole.extents) if k != along)

    def row(index: Index, i: Polynomial) -> Expr:
        return nest.element(whole, (*index[:along], i, *index[along:]), line)

    def one(index: Index) -> tuple[list[Stmt], Expr]:
        number = next(nest.ids)
        total = Name(f"<reduced {number}>")
        if start is None:
            begin = row(index, ZERO)
        elif dtype is not None:
            begin = Call(f"<cast {dtype}>", (Const(start),), line)
        else:
            begin = Call("<like>", (Const(start), row(index, ZERO)), line)
        made: list[Stmt] = [Assign(total, begin, number, line)]
        low = Const(0 if start is not None else 1)
        var = f"<element of line {line}>"
        update = Assign(total, step(total, row(index, symbol(Name(var)))), next(nest.ids), line)
        extent = whole.extents[along].expr(line)
        fold = ordered and last
        made.append(For(var, low, extent, Const(1), (update,), next(nest.ids), line, fold))
        return made, total

    if not others:
        before, total = one(())
        nest.first += before
        return total
    found = nest.filled_by(others, one, line)
    return replace(
        found,
        boolean=whole.boolean,
        counting=whole.counting,
        real=whole.real,
        signed=whole.signed,
        unsigned=whole.unsigned,
        double=whole.double,
    )
