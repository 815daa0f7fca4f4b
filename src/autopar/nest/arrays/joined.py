"""Arrays put together, turned over, rolled, and summed up on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from autopar.nest.arrays.folds import axis_in
from autopar.nest.arrays.library import LIBRARY, library
from autopar.nest.arrays.section import ONE, ZERO, Index, Item, Run, Section, part
from autopar.nest.ir import Binary, Call, Compare, Const, Expr, Items, Select
from autopar.nest.polynomial import Polynomial, number, symbol
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements

_FIRST, _SECOND = Const(0), Const(1)


def _array(nest: Elements, call: Call, a: Expr) -> Section:
    found = nest.value(a)
    if not isinstance(found, Section):
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return found


def _along(nest: Elements, call: Call, whole: Section, axis: Expr | None) -> int:
    """The axis that an argument means; of one axis, None means that one."""
    found = axis_in(nest, call, whole, axis)
    if found is None and whole.rank > 1:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return found or 0


# ---------------------------------------------------------------------------- put together


def _several(nest: Elements, call: Call, arrays: Expr) -> list[Section]:
    if not isinstance(arrays, Items) or not arrays.values:
        raise nest.refuse(Reason.CALL, call.line, text(call))
    return [_array(nest, call, one) for one in arrays.values]


def _with_axis(section: Section, axis: int) -> Section:
    """`section` with one axis more, of extent 1."""
    compute, where = section.compute, section.where

    def own(index: Index) -> Index:
        return (*index[:axis], *index[axis + 1 :])

    return replace(
        section,
        extents=(*section.extents[:axis], ONE, *section.extents[axis:]),
        where=lambda index: where(own(index)),
        compute=None if compute is None else lambda index: compute(own(index)),
    )


def _joined(nest: Elements, call: Call, pieces: Sequence[Section], axis: int) -> Section:
    """One after the other along an axis."""
    line, rank = call.line, pieces[0].rank
    if any(p.rank != rank or (rank > 1 and not p.ordered) for p in pieces) or axis >= rank:
        raise nest.refuse(Reason.CALL, line, text(call))
    for other in pieces[1:]:
        for k, (one, two) in enumerate(zip(pieces[0].extents, other.extents, strict=True)):
            if k != axis and one != two:
                nest.equal(one, two, line)
    extent, starts = ZERO, []
    for piece in pieces:
        starts.append(extent)
        extent = extent + piece.extents[axis]
    extents = (*pieces[0].extents[:axis], extent, *pieces[0].extents[axis + 1 :])
    alike = all(piece.double for piece in pieces)

    def element(piece: Section) -> Callable[[Index], Expr]:
        def one(index: Index) -> Expr:
            own = nest.element(piece, index, line)
            if alike:
                return own
            first = tuple(nest.element(p, (ZERO,) * rank, line) for p in pieces)
            return Call("<among>", (own, *first), line)

        return one

    parts = [(piece, start, element(piece)) for piece, start in zip(pieces, starts, strict=True)]
    found = nest.pieced(extents, axis, parts, line)
    return replace(found, real=any(p.real for p in pieces), double=alike)


@library("arrays axis")
def concatenate(nest: Elements, call: Call, arrays: Expr, axis: Expr = _FIRST) -> Section:
    pieces = _several(nest, call, arrays)
    return _joined(nest, call, pieces, axis_in(nest, call, pieces[0], axis) or 0)


@library("arrays axis")
def stack(nest: Elements, call: Call, arrays: Expr, axis: Expr = _FIRST) -> Section:
    pieces = _several(nest, call, arrays)
    along = axis_in(nest, call, _with_axis(pieces[0], 0), axis) or 0
    for other in pieces[1:]:
        if other.rank != pieces[0].rank:
            raise nest.refuse(Reason.CALL, call.line, text(call))
    return _joined(nest, call, [_with_axis(piece, along) for piece in pieces], along)


@library("tup")
def hstack(nest: Elements, call: Call, tup: Expr) -> Section:
    pieces = _several(nest, call, tup)
    return _joined(nest, call, pieces, min(1, pieces[0].rank - 1))


@library("tup")
def vstack(nest: Elements, call: Call, tup: Expr) -> Section:
    pieces = _several(nest, call, tup)
    return _joined(nest, call, [_with_axis(p, 0) if p.rank == 1 else p for p in pieces], 0)


@library("tup")
def column_stack(nest: Elements, call: Call, tup: Expr) -> Section:
    pieces = _several(nest, call, tup)
    return _joined(nest, call, [_with_axis(p, 1) if p.rank == 1 else p for p in pieces], 1)


# ---------------------------------------------------------------------------- turned over


def _backwards(nest: Elements, call: Call, m: Expr, axis: Expr | None) -> Section:
    """A view of an array, from its end along an axis."""
    whole = _array(nest, call, m)
    along = _along(nest, call, whole, axis)
    if whole.compute is not None:
        whole = nest.kept(whole, call.line)
    items: list[Item] = [Run(extent) for extent in whole.extents]
    extent = whole.extents[along]
    items[along] = Run(extent, extent - ONE, -1)
    return part(whole, items)


@library("m axis")
def flip(nest: Elements, call: Call, m: Expr, axis: Expr | None = None) -> Section:
    return _backwards(nest, call, m, axis)


@library("m")
def flipud(nest: Elements, call: Call, m: Expr) -> Section:
    return _backwards(nest, call, m, _FIRST)


@library("m")
def fliplr(nest: Elements, call: Call, m: Expr) -> Section:
    return _backwards(nest, call, m, _SECOND)


@library("a shift axis")
def roll(nest: Elements, call: Call, a: Expr, shift: Expr, axis: Expr | None = None) -> Section:
    whole, line = _array(nest, call, a), call.line
    along = _along(nest, call, whole, axis)
    if not whole.ordered and whole.rank > 1:
        raise nest.refuse(Reason.CALL, line, text(call))  # its layout is that of `a`
    extent = whole.extents[along]
    by = nest.exact(nest.scalar(shift), line)
    if by is None:
        raise nest.refuse(Reason.CALL, line, text(call))
    if by.literal is not None:
        nest.require(extent - number(abs(by.literal)), 0, None, line, "a roll of more than all")
        first = by if by.literal >= 0 else extent + by
    else:
        nest.require(extent, 1, None, line, "a roll of no elements")
        first = nest.noted(Binary("%", by.expr(line), extent.expr(line), line), line, "shift")

    def source(k: Polynomial) -> Polynomial:
        before = Compare("<", k.expr(line), first.expr(line), line)
        return symbol(Select(before, (k + extent - first).expr(line), (k - first).expr(line), line))

    def compute(index: Index) -> Expr:
        places = (*index[:along], source(index[along]), *index[along + 1 :])
        return nest.element(whole, places, line)

    return replace(whole, compute=compute, ordered=True, distinct=True)


# ---------------------------------------------------------------------------- on the way


@library("a n axis")
def diff(
    nest: Elements, call: Call, a: Expr, n: Expr = _SECOND, axis: Expr | None = None
) -> Section:
    whole, line = _array(nest, call, a), call.line
    along = whole.rank - 1 if axis is None else _along(nest, call, whole, axis)
    if n != _SECOND or whole.boolean or not (whole.real or whole.counting):
        raise nest.refuse(Reason.CALL, line, text(call))
    nest.require(whole.extents[along], 1, None, line, "differences of no elements")
    if whole.compute is not None:
        whole = nest.kept(whole, line)
    ends: list[Section] = []
    for start in (ONE, ZERO):
        items: list[Item] = [Run(extent) for extent in whole.extents]
        items[along] = Run(whole.extents[along] - ONE, start)
        ends.append(part(whole, items))

    def between(e: list[Expr]) -> Expr:
        return Binary("-", e[0], e[1], line, whole=True, reduced=True)

    made = nest.mapped([*ends], between, line)
    return replace(made, counting=whole.counting, signed=whole.signed)


def _running(op: str) -> Callable[..., Section]:
    def make(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Section:
        whole, line = _array(nest, call, a), call.line
        along = _along(nest, call, whole, axis)
        if whole.rank > 1 and not whole.ordered:
            raise nest.refuse(Reason.CALL, line, text(call))  # its layout is that of `a`
        if whole.boolean or whole.signed:
            whole = nest.mapped([whole], lambda e: Call("<cast int64>", (e[0],), line), line)
            whole = replace(whole, counting=True, signed=True)
        elif not whole.real:
            raise nest.refuse(Reason.CALL, line, f"{text(call)} of what may be no floats")
        nest.require(whole.extents[along], 1, None, line, "a sum of no elements")

        def step(before: Expr, one: Expr) -> Expr:
            return Binary(op, before, one, line, whole=True, reduced=True)

        return nest.running(whole, along, step, line)

    return make


LIBRARY["cumsum"] = ("a", "axis"), _running("+")
LIBRARY["cumprod"] = ("a", "axis"), _running("*")
