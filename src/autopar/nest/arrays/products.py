"""Products of rows and of matrices, by the very functions of BLAS that NumPy calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autopar.nest.arrays.folds import added, axis_in, in_c_order, operand, reduced
from autopar.nest.arrays.library import library
from autopar.nest.arrays.moments import lengths
from autopar.nest.arrays.section import ONE, Index, Section, even
from autopar.nest.arrays.stores import axis_of
from autopar.nest.ir import Assign, Binary, Call, Const, Expr, For, Name
from autopar.nest.polynomial import Polynomial, symbol
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements, Value


@library("a b")
def matmul(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    """The product of two vectors, of matrices, or of one and the other."""
    return _product(nest, call, *(_factor(nest, call, e) for e in (a, b)))


@library("a b")
def dot(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    """The same, but for layouts of which NumPy makes a copy first."""
    one, two = (_factor(nest, call, e) for e in (a, b))
    for factor in (one, two):
        straight = factor.fresh or _straight(nest, factor)
        if not (nest.forwards(factor) if factor.rank == 1 else straight):
            raise nest.refuse(Reason.CALL, call.line, text(call))
    return _product(nest, call, one, two)


def _straight(nest: Elements, factor: Section) -> bool:
    """Whether it is all of a matrix that lies in memory without gaps, or that on its side."""
    probe = tuple(map(axis_of, range(factor.rank)))
    whole = factor.where(probe) in (probe, probe[::-1]) and len(factor.where(probe)) == factor.rank
    return whole and (nest.lies_dense(factor.path) or factor.path in nest.known.sideways)


def _factor(nest: Elements, call: Call, a: Expr) -> Section:
    found, line = nest.value(a), call.line
    if not isinstance(found, Section) or not found.double or not 1 <= found.rank <= 2:
        raise nest.refuse(Reason.CALL, line, text(call))
    computed = found.compute is not None or not found.distinct
    if not computed and not all(even(found, axis) for axis in range(found.rank)):
        raise nest.refuse(Reason.CALL, line, text(call))
    if found.rank == 2 and (computed or found.new):
        changing = frozenset().union(*(e.names for e in found.extents)) - nest.known.ints
        if changing or (computed and not found.ordered):  # rows would be another distance apart
            raise nest.refuse(Reason.CALL, line, text(call))
    return nest.kept(found, line) if computed else found


def _product(nest: Elements, call: Call, one: Section, two: Section) -> Value:
    line = call.line
    nest.equal(one.extents[-1], two.extents[0], line)
    if one.rank == two.rank == 1:
        return _of_rows(nest, call, one, two)
    extents = (*one.extents[:-1], *two.extents[1:])
    for extent in (*extents, two.extents[0]):
        nest.require(extent, 1, None, line, "a product of no elements")
    if len(extents) == 2 and frozenset().union(*(e.names for e in extents)) - nest.known.ints:
        raise nest.refuse(Reason.CALL, line, f"{text(call)}, whose shape changes")

    def factors(index: Index, k: Polynomial) -> tuple[Expr, Expr]:
        left = (*index[: one.rank - 1], k)
        return nest.element(one, left, line), nest.element(two, (k, *index[one.rank - 1 :]), line)

    return nest.multiplied(extents, two.extents[0], factors, line)


def _of_rows(nest: Elements, call: Call, one: Section, two: Section) -> Expr:
    line = call.line
    extent = next((r.extents[0] for r in (one, two) if r.extents[0] != ONE), ONE)
    number, name = next(nest.ids), f"<element of line {line}>"
    total = Name(f"<product {number}>")
    factors = [nest.element(row, (symbol(Name(name)),), line) for row in (one, two)]
    product = Binary("*", factors[0], factors[1], line, whole=True)
    update = Assign(total, added(line)(total, product), next(nest.ids), line)
    nest.first += [
        Assign(total, Call("<cast float64>", (Const(0.0),), line), number, line),
        For(name, Const(0), extent.expr(line), Const(1), (update,), next(nest.ids), line, True),
    ]
    return total


@library("a b")
def outer(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    line = call.line
    one, two = (operand(nest, call, e) for e in (a, b))
    if one.rank != 1 or two.rank != 1:
        raise nest.refuse(Reason.CALL, line, text(call))

    def compute(index: Index) -> Expr:
        return nest.element(one, index[:1], line)

    tall = replace(one, extents=(*one.extents, ONE), compute=compute, path="", new=False)
    return nest.mapped([tall, two], lambda e: Binary("*", e[0], e[1], line, True), line)


@library("x * axis")
def norm(nest: Elements, call: Call, x: Expr, axis: Expr | None = None) -> Value:
    """The root of the product of all elements with themselves."""
    whole = operand(nest, call, x)
    along = axis_in(nest, call, whole, axis)
    if not whole.double:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    if along is not None:
        return lengths(nest, call, whole, along)
    dense = whole.path in nest.known.dense and whole.where is tuple and whole.compute is None
    in_c_order(nest, call, whole)
    if whole.rank > 1:
        whole = nest.flat(whole, call.line)
    elif not dense:  # NumPy copies it
        whole = nest.kept(whole, call.line)
    return Call("<ufunc sqrt>", (_of_rows(nest, call, whole, whole),), call.line)


@library("a")
def trace(nest: Elements, call: Call, a: Expr) -> Value:
    """The sum along the diagonal."""
    whole, line = nest.value(a), call.line
    if not isinstance(whole, Section) or whole.rank != 2:
        raise nest.refuse(Reason.CALL, line, text(call))
    if not (whole.real or whole.signed):
        raise nest.refuse(Reason.CALL, line, f"{text(call)} of what may be unsigned")
    if whole.compute is not None:
        whole = nest.kept(whole, line)
    tall, wide = whole.extents
    nest.equal(tall, wide, line)
    where = whole.where
    row = replace(
        whole,
        extents=(wide if tall == ONE else tall,),
        where=lambda index: where((index[0], index[0])),
    )
    if whole.signed:
        row = nest.mapped([row], lambda e: Call("<cast int64>", (e[0],), line), line)
    return reduced(nest, call, row, None, added(line), 0, ordered=not whole.signed)
