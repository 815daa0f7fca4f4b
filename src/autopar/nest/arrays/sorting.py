"""What NumPy makes of the elements of an array in order: they, their places, the median."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autopar.nest.arrays.folds import axis_in
from autopar.nest.arrays.library import library
from autopar.nest.arrays.ordering import MOST, VAR, each, ordered, without_signs
from autopar.nest.arrays.section import ONE, ZERO, Index, Section
from autopar.nest.ir import Binary, Call, Compare, Const, Expr, If, Logic, Name, Select, Stmt, Word
from autopar.nest.polynomial import Polynomial, symbol
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements, Value

_MOST = 256
"""Elements of an array beyond which `np.median` is faster: before it sorts it does much else."""


def _row(nest: Elements, call: Call, a: Expr, axis: Expr | None, kind: Expr | None) -> Section:
    """The one axis of an array that NumPy can sort."""
    whole, line = nest.value(a), call.line
    if not isinstance(whole, Section) or whole.rank != 1 or not (whole.real or whole.counting):
        raise nest.refuse(Reason.CALL, line, text(call))
    axis_in(nest, call, whole, axis)
    if not (kind is None or (isinstance(kind, Word) and kind.value == "stable")):
        raise nest.refuse(Reason.CALL, line, text(call))
    nest.require(whole.extents[0], 1, MOST, line, "a sort of no elements, or of many")
    return whole


@library("a axis kind")
def sort(
    nest: Elements, call: Call, a: Expr, axis: Expr | None = None, kind: Expr | None = None
) -> Section:
    made = ordered(nest, _row(nest, call, a, axis, kind), call.line)
    if kind is None:
        without_signs(nest, made, call.line)
    return made


@library("a axis kind")
def argsort(
    nest: Elements, call: Call, a: Expr, axis: Expr | None = None, kind: Expr | None = None
) -> Section:
    """The places of the elements in order."""
    whole, line = _row(nest, call, a, axis, kind), call.line

    def place(index: Index) -> Expr:
        return Call("<cast int64>", (index[0].expr(line),), line)

    numbers = Section(whole.extents, place, dtype="int64", counting=True, signed=True)
    places = replace(nest.kept(numbers, line), counting=True, signed=True)
    made = ordered(nest, whole, line, also=places.path)
    if kind is None:
        here = symbol(Name(VAR.format(line)))
        one, two = (nest.element(made, (here - back,), line) for back in (ZERO, ONE))
        equal = Compare("==", one, two, line)
        nest.first.append(each(nest, whole.extents[0], 1, equal, line))
    return places


@library("a axis")
def median(nest: Elements, call: Call, a: Expr, axis: Expr | None = None) -> Value:
    """The mean of the one or two elements in the middle.

    References
    ----------
    NumPy, ``numpy/lib/_function_base_impl.py``, ``_median``.
    """
    whole, line = nest.meant(a), call.line
    if not isinstance(whole, Section) or whole.listed not in (0, whole.rank):
        raise nest.refuse(Reason.CALL, line, text(call))
    along = axis_in(nest, call, whole, axis)
    known = whole.listed or whole.real or whole.counting
    if (whole.rank > 1 and (along is not None or whole.listed)) or not known:
        raise nest.refuse(Reason.CALL, line, text(call))
    if whole.rank > 1:
        flat = nest.flat(whole, line)
        whole = replace(flat, real=whole.real, counting=whole.counting)
    (size,) = whole.extents
    nest.require(size, 1, _MOST, line, "a median of no elements, or of many")
    made = ordered(nest, whole, line)
    kind = "<double>" if whole.listed else "<cast float64>" if whole.counting else "<strong>"

    def middle(place: Polynomial) -> Name:
        return nest.hold(Call(kind, (nest.element(made, (place,), line),), line), line)

    low, high = (size - ONE).floor(2, line), size.floor(2, line)
    first = middle(low)
    if low == high:
        found: Expr = first
    else:
        # Of an odd number of elements, both are one and the same, which may be too large to double.
        alone = Compare("==", low.expr(line), high.expr(line), line)
        one = nest.hold(Select(alone, Const(1), Const(2), line), line)
        none = Call("<like>", (Const(0), first), line)
        second = Select(Compare("==", one, Const(1), line), none, middle(high), line)
        total = Binary("+", first, nest.hold(second, line), line, whole=True, reduced=True)
        found = nest.hold(Binary("/", total, one, line, whole=True, reduced=True), line)
    if not whole.counting:
        nest.first.append(_zeros_are_plain(nest, made, found, line))
    return found


def _zeros_are_plain(nest: Elements, made: Section, found: Expr, line: int) -> Stmt:
    """Give up where a zero has been `found`, and one of those it may have been has a sign."""
    here = symbol(Name(VAR.format(line)))

    def element() -> Expr:
        return nest.element(made, (here,), line)

    signed = Call("<ufunc signbit>", (element(),), line, whole=True)
    wrong = Logic("and", (Compare("==", element(), Const(0), line), signed), line)
    look = each(nest, made.extents[0], 0, wrong, line)
    return If(Compare("==", found, Const(0), line), (look,), (), next(nest.ids), line)
