"""Arrays in another shape, triangles of tables, and what NumPy computes in a few plain steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autopar.nest.arrays.folds import operand, reduced
from autopar.nest.arrays.library import LIBRARY, library
from autopar.nest.arrays.section import ONE, ZERO, Index, Section
from autopar.nest.ir import Binary, Call, Compare, Const, Expr, Items, Load, Unary
from autopar.nest.meaning import MOST_DECIMALS, to_decimals
from autopar.nest.polynomial import number
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements, Value

_ZERO, _RELATIVE, _ABSOLUTE = Const(0), Const(1e-5), Const(1e-8)


def _op(word: str, one: Expr, two: Expr, line: int) -> Binary:
    """Of one element; what NumPy warns of is said to be in a line of its own."""
    return Binary(word, one, two, line, whole=True, reduced=True)


# ---------------------------------------------------------------------------- shapes


@library("a shape second third")
def reshape(
    nest: Elements,
    call: Call,
    a: Expr,
    shape: Expr,
    second: Expr | None = None,
    third: Expr | None = None,
) -> Section:
    wanted = [e for e in (shape, second, third) if e is not None]
    match wanted:
        case [Items(values=values)]:
            wanted = list(values)
        case [Call(func="<shape>", args=(owner,))]:
            return _shaped(nest, call, a, nest.shape(owner, call.line))
    if not wanted or call.names:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    sizes = [nest.integer(nest.scalar(e), call.line) for e in wanted]
    return _shaped(nest, call, a, tuple(sizes))


@library("a")
def ravel(nest: Elements, call: Call, a: Expr) -> Section:
    return _shaped(nest, call, a, (number(-1),))


@library("a")
def flatten(nest: Elements, call: Call, a: Expr) -> Section:
    return _shaped(nest, call, a, (number(-1),), copied=True)


def _shaped(nest: Elements, call: Call, a: Expr, sizes: Index, copied: bool = False) -> Section:
    """The elements of an array, one after the other, in another shape; a view, unless `copied`."""
    whole, line = operand(nest, call, a), call.line
    dense = copied or whole.fresh or _dense(nest, whole)
    if not whole.ordered or not dense:
        raise nest.refuse(Reason.CALL, line, text(call))  # NumPy makes a copy in its own order
    size, given = ONE, ONE
    for extent in whole.extents:
        nest.require(extent, 1, None, line, "an array of no elements in another shape")
        size = size * extent
    for one in sizes:
        if one.literal != -1:
            nest.require(one, 1, None, line, "an array of no elements in another shape")
            given = given * one
    open_ends = [k for k, one in enumerate(sizes) if one.literal == -1]
    if len(open_ends) > 1 or (open_ends and given.literal is None):
        raise nest.refuse(Reason.CALL, line, text(call))
    if open_ends:
        rest = size if given == ONE else size.floor(given.literal or 1, line)
        sizes = tuple(rest if k in open_ends else one for k, one in enumerate(sizes))
        given = given * rest
    nest.equal(size, given, line)
    row = nest.flat(whole, line) if whole.rank > 1 or not whole.new else whole
    where = row.where

    def place(index: Index) -> Index:
        at = ZERO
        for i, extent in zip(index, sizes, strict=True):
            at = at * extent + i
        return where((at,))

    if whole.fresh or copied:
        alike = nest.mapped([row], lambda e: e[0], line)

        def compute(index: Index) -> Expr:
            return Load(row.path, tuple(i.expr(line) for i in place(index)), next(nest.ids), line)

        return replace(
            alike,
            extents=sizes,
            compute=compute,
            boolean=row.boolean,
            counting=row.counting,
            signed=row.signed,
        )
    return replace(row, extents=sizes, where=place, shared=True, new=True)


def _dense(nest: Elements, whole: Section) -> bool:
    """Whether it is all of an array that lies in memory without gaps."""
    return whole.where is tuple and nest.lies_dense(whole.path)


def _triangle(nest: Elements, call: Call, m: Expr, k: Expr, lower: bool) -> Section:
    """What lies on one side of a diagonal; zeros elsewhere."""
    whole, line = operand(nest, call, m), call.line
    if whole.rank != 2 or not whole.ordered:
        raise nest.refuse(Reason.CALL, line, text(call))
    by = nest.exact(nest.scalar(k), line)
    if by is None:
        raise nest.refuse(Reason.CALL, line, text(call))
    table = whole if whole.compute is None else nest.kept(whole, line)

    def compute(index: Index) -> Expr:
        one = nest.element(table, index, line)
        beyond = (index[0] + by - index[1]).expr(line)
        inside = Compare(">=", beyond, Const(0 if lower else 1), line)
        flag = Call("<strong>", (inside,), line)
        zero = Call("<like>", (Const(0), nest.element(table, index, line)), line)
        return Call("<where>", (flag, *((one, zero) if lower else (zero, one))), line)

    return replace(table, compute=compute, path="", where=tuple, new=False)


@library("m k")
def tril(nest: Elements, call: Call, m: Expr, k: Expr = _ZERO) -> Section:
    return _triangle(nest, call, m, k, True)


@library("m k")
def triu(nest: Elements, call: Call, m: Expr, k: Expr = _ZERO) -> Section:
    return _triangle(nest, call, m, k, False)


# ---------------------------------------------------------------------------- a few plain steps


@library("a axis")
def ptp(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    best, least = (LIBRARY[name][1](nest, call, a, axis) for name in ("max", "min"))
    if isinstance(best, Section):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return _op("-", best, least, call.line)


@library("a decimals")
def round_(nest: Elements, call: Call, a: Expr, decimals: Expr = _ZERO) -> Value:
    """As `numpy.round`, for floats of double precision.

    References
    ----------
    NumPy, ``numpy/_core/src/multiarray/calculation.c``, ``PyArray_Round``.
    """
    whole, line = nest.value(a), call.line
    match decimals:
        case Const(value=int(places)) if type(places) is int and 0 <= places <= MOST_DECIMALS:
            pass
        case _:
            raise nest.refuse(Reason.CALL, line, text(call))
    if not isinstance(whole, Section) and call.func.startswith("<."):
        raise nest.refuse(Reason.CALL, line, text(call))  # which floats of Python's have not
    double = whole.double if isinstance(whole, Section) else nest.double(whole)
    if not double or (isinstance(whole, Section) and not whole.ordered):
        raise nest.refuse(Reason.CALL, line, f"{text(call)} of what may be no doubles")

    if isinstance(whole, Section):
        return nest.mapped([whole], lambda e: to_decimals(e[0], places, line), line)
    return to_decimals(Call("<strong>", (whole,), line), places, line)


LIBRARY["around"] = LIBRARY["round"]


@library("a b rtol atol")
def allclose(
    nest: Elements,
    call: Call,
    a: Expr,
    b: Expr,
    rtol: Expr = _RELATIVE,
    atol: Expr = _ABSOLUTE,
) -> Expr:
    """As `numpy.isclose` computes it, of floats of double precision.

    References
    ----------
    NumPy, ``numpy/_core/numeric.py``.
    """
    line = call.line
    one, two = (operand(nest, call, e) for e in (a, b))
    limits = [nest.scalar(e) for e in (rtol, atol)]
    if not (one.double and two.double and all(map(nest.double, limits))):
        raise nest.refuse(Reason.CALL, line, f"{text(call)} of what may be no doubles")
    factor, least = limits

    def near(e: list[Expr]) -> Expr:
        x, y, share, small = e
        apart = Call("<ufunc absolute>", (_op("-", x, y, line),), line, whole=True)
        size = Call("<ufunc absolute>", (y,), line, whole=True)
        reach = _op("+", small, _op("*", share, size, line), line)
        close = Compare("<=", apart, reach, line)
        finite = Call("<ufunc isfinite>", (y,), line, whole=True)
        both = Binary("&", close, finite, line, whole=True)
        return Binary("|", both, Compare("==", x, y, line), line, whole=True)

    return _all(nest, call, nest.mapped([one, two, factor, least], near, line))


@library("a1 a2")
def array_equal(nest: Elements, call: Call, a1: Expr, a2: Expr) -> Expr:
    one, two = (operand(nest, call, e) for e in (a1, a2))
    if one.rank != two.rank:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    for own, other in zip(one.extents, two.extents, strict=True):
        nest.equal(own, other, call.line)
    alike = nest.mapped([one, two], lambda e: Compare("==", e[0], e[1], call.line), call.line)
    return _all(nest, call, alike)


def _all(nest: Elements, call: Call, tests: Section) -> Expr:
    """Whether all are true, as a bool of Python's."""
    line = call.line
    tests = replace(tests, boolean=True, real=False, double=False)

    def both(total: Expr, one: Expr) -> Expr:
        return Binary("&", total, one, line, whole=True)

    found = reduced(nest, call, tests, None, both, 1, ordered=False)
    assert not isinstance(found, Section)
    return Unary("not", Unary("not", found, line), line)


@library("a b")
def cross(nest: Elements, call: Call, a: Expr, b: Expr) -> Section:
    """Of two vectors in space."""
    line = call.line
    factors = [operand(nest, call, e) for e in (a, b)]
    for factor in factors:
        if factor.rank != 1 or not factor.double:
            raise nest.refuse(Reason.CALL, line, text(call))
        nest.require(factor.extents[0] - number(3), 0, 0, line, "a product of other than vectors")
    one, two = (f if f.compute is None else nest.kept(f, line) for f in factors)

    def product(i: int, k: int) -> Expr:
        left, right = nest.element(one, (number(i),), line), nest.element(two, (number(k),), line)
        return _op("*", left, right, line)

    places = ((1, 2), (2, 0), (0, 1))
    values = [_op("-", product(i, k), product(k, i), line) for i, k in places]
    return nest.listed((number(3),), values, line, double=True)


def _row(nest: Elements, call: Call, *vectors: Expr) -> Value:
    """The product of two vectors."""
    if any(operand(nest, call, e).rank != 1 for e in vectors):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    found: Value = LIBRARY["dot"][1](nest, call, *vectors)
    return found


@library("a b")
def inner(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    return _row(nest, call, a, b)


@library("a b")
def vdot(nest: Elements, call: Call, a: Expr, b: Expr) -> Value:
    return _row(nest, call, a, b)
