"""NumPy's reductions of arrays, in the order in which NumPy adds.

Along the last axis NumPy adds pairwise, in blocks, and its own loop does it here as well
(`ir.For.fold`); along other axes it adds whole rows, one after the other.  Other layouts than C
order are not taken: there the order is another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from autopar.nest.ir import Assign, Binary, Call, Compare, Const, Expr, For, Name, Stmt, Unary
from autopar.nest.library import library
from autopar.nest.polynomial import Polynomial, symbol
from autopar.nest.section import ONE, ZERO, Index, Section
from autopar.nest.show import text
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.elements import Elements, Value

Step = Callable[[Expr, Expr], Expr]
"""What a reduction makes of what it has and one more element."""


def _added(line: int) -> Step:
    return lambda total, one: Binary("+", total, one, line, whole=True, reduced=True)


def _multiplied(line: int) -> Step:
    return lambda total, one: Binary("*", total, one, line, whole=True, reduced=True)


def _better(name: str, line: int) -> Step:
    return lambda best, one: Call(f"<ufunc {name}>", (best, one), line, whole=True)


@library("a axis")
def sum_(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    whole = _operand(nest, call, a)
    if whole.boolean or whole.signed:
        line = call.line
        counted = nest.mapped([whole], lambda e: Call("<cast int64>", (e[0],), line), line)
        return _reduced(nest, call, counted, axis, _added(call.line), 0, ordered=False)
    _real(nest, call, whole)
    return _reduced(nest, call, whole, axis, _added(call.line), 0)


@library("a axis")
def prod(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    whole = _operand(nest, call, a)
    _real(nest, call, whole)
    return _reduced(nest, call, whole, axis, _multiplied(call.line), 1)


@library("a axis")
def mean(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    whole, line = _operand(nest, call, a), call.line
    _real(nest, call, whole)
    total = _reduced(nest, call, whole, axis, _added(line), 0)
    number = ONE
    for k, extent in enumerate(whole.extents):
        if not isinstance(total, Section) or k == _axis(nest, call, whole, axis):
            number = number * extent
    if isinstance(total, Section):
        return nest.mapped(
            [total, number.expr(line)], lambda e: Binary("/", e[0], e[1], line, True), line
        )
    return Binary("/", total, number.expr(line), line)


@library("a axis")
def max_(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    return _best(nest, call, a, axis, "maximum")


@library("a axis")
def min_(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    return _best(nest, call, a, axis, "minimum")


@library("a axis")
def any_(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    return _decided(nest, call, a, axis, "|", False)


@library("a axis")
def all_(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    return _decided(nest, call, a, axis, "&", True)


@library("a b")
def matmul(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    """The product of two vectors, by the very function of BLAS that NumPy calls."""
    line = call.line
    rows = [_operand(nest, call, e) for e in (a, b)]
    if any(row.rank != 1 or not row.double for row in rows):
        raise nest.refuse(Reason.CALL, line, text(call))
    nest.equal(rows[0].extents[0], rows[1].extents[0], line)
    one, two = (
        row if row.compute is None and row.distinct else nest.kept(row, line) for row in rows
    )
    extent = next((r.extents[0] for r in (one, two) if r.extents[0] != ONE), ONE)
    number, var = next(nest.ids), symbol(Name(f"<element of line {line}>"))
    total = Name(f"<product {number}>")
    nest.first.append(Assign(total, Call("<cast float64>", (Const(0.0),), line), number, line))
    factors = [nest.element(row, (var,), line) for row in (one, two)]
    product = Binary("*", factors[0], factors[1], line, whole=True)
    update = Assign(total, _added(line)(total, product), next(nest.ids), line)
    (name,) = var.names
    nest.first.append(
        For(name, Const(0), extent.expr(line), Const(1), (update,), next(nest.ids), line, True)
    )
    return total


@library("a b")
def dot(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    """The same; where a row goes backwards, NumPy copies it first."""
    for e in (a, b):
        if not _operand(nest, call, e).ordered:
            raise nest.refuse(Reason.CALL, call.line, text(call))
    return matmul(nest, call, a, b)  # type: ignore[no-any-return]


@library("a b")
def outer(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    line = call.line
    one, two = (_operand(nest, call, e) for e in (a, b))
    if one.rank != 1 or two.rank != 1:
        raise nest.refuse(Reason.CALL, line, text(call))

    def compute(index: Index) -> Expr:
        return nest.element(one, index[:1], line)

    tall = replace(one, extents=(*one.extents, ONE), compute=compute, path="", new=False)
    return nest.mapped([tall, two], lambda e: Binary("*", e[0], e[1], line, True), line)


def _best(nest: Elements, call: Call, a: Expr, axis: Expr | None, name: str) -> Value:
    whole = _operand(nest, call, a)
    if not whole.signed:
        _real(nest, call, whole)
    return _reduced(
        nest, call, whole, axis, _better(name, call.line), None, ordered=not whole.signed
    )


def _decided(nest: Elements, call: Call, a: Expr, axis: Expr | None, op: str, start: bool) -> Value:
    whole = _operand(nest, call, a)
    if whole.real or whole.counting:
        line = call.line
        whole = nest.mapped([whole], lambda e: Compare("!=", e[0], Const(0), line), line)
    elif not whole.boolean:
        raise nest.refuse(Reason.CALL, call.line, text(call))

    def step(total: Expr, one: Expr) -> Expr:
        return Binary(op, total, one, call.line, whole=True)

    return _reduced(nest, call, whole, axis, step, int(start), ordered=False)


# ---------------------------------------------------------------------------- what they share


def _operand(nest: Elements, call: Call, a: Expr) -> Section:
    whole = nest.value(a)
    if not isinstance(whole, Section):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    if whole.mask is not None:
        whole = nest.packed(whole, call.line)
    several = whole.rank > 1
    if several and (not whole.ordered or ONE in whole.extents):
        raise nest.refuse(Reason.CALL, call.line, f"{text(call)} in an order of NumPy's own")
    return whole


def _real(nest: Elements, call: Call, whole: Section) -> None:
    if not whole.real:
        raise nest.refuse(Reason.CALL, call.line, f"{text(call)} of what may be no floats")


def _axis(nest: Elements, call: Call, whole: Section, axis: Expr | None) -> int | None:
    match axis:
        case None:
            return None
        case Const(value=int(value)):
            pass
        case Unary(op="-", operand=Const(value=int(value))):
            value = -value
        case _:
            raise nest.refuse(Reason.CALL, call.line, text(call))
    if not -whole.rank <= value < whole.rank:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return value % whole.rank


def _reduced(
    nest: Elements,
    call: Call,
    whole: Section,
    axis: Expr | None,
    step: Step,
    start: int | None,
    ordered: bool = True,
) -> Value:
    """The reduction of `whole` along an axis, or of all of it.

    Parameters
    ----------
    start
        What there is before the first element; None: the first element is there.
    ordered
        Whether the result depends on the order.
    """
    line = call.line
    for extent in whole.extents:
        nest.require(extent, 1, None, line, "a reduction of no elements")
    along = _axis(nest, call, whole, axis)
    if along is None and whole.rank > 1:
        if ordered and not whole.fresh and whole.path not in nest.known.dense:
            raise nest.refuse(Reason.CALL, line, f"{text(call)} in an order of NumPy's own")
        if ordered and not whole.fresh and whole.where is not tuple:
            raise nest.refuse(Reason.CALL, line, f"{text(call)} in an order of NumPy's own")
        whole = nest.flat(whole, line)
        along = 0
    last = along is None or along == whole.rank - 1
    if last and ordered and (whole.compute is not None or not whole.distinct):
        whole = nest.kept(whole, line)
    along = whole.rank - 1 if along is None else along
    others = tuple(e for k, e in enumerate(whole.extents) if k != along)

    def row(index: Index, i: Polynomial) -> Expr:
        return nest.element(whole, (*index[:along], i, *index[along:]), line)

    def one(index: Index) -> tuple[list[Stmt], Expr]:
        number = next(nest.ids)
        total = Name(f"<reduced {number}>")
        first = row(index, ZERO)
        begin: Expr = first
        if start is not None:
            begin = Call("<like>", (Const(start), first), line)
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
    return replace(found, real=whole.real)
