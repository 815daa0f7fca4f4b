"""Python's own ``max``, ``min`` and ``sum`` of a list, or of an array along its only axis.

They go through the items one by one and compare or add as ``>``, ``<`` and ``+`` do, whatever the
sequence is; NumPy's functions of these names do not (`nest.arrays.folds`).
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Literal

from autopar.nest import ir
from autopar.nest.arrays.ordering import sorted_list
from autopar.nest.arrays.section import ZERO, Section
from autopar.nest.ir import Assign, Binary, Call, Compare, Const, Expr, For, If, Name
from autopar.nest.polynomial import symbol
from autopar.nest.show import text
from autopar.records import replace
from autopar.verdict import Reason

if TYPE_CHECKING:
    from autopar.nest.arrays.elements import Elements, Value

_BETTER: dict[object, Literal["<", ">"]] = {builtins.max: ">", builtins.min: "<"}


def iterated(nest: Elements, call: Call, function: object) -> Value | None:
    """What `function` makes of the items of a sequence, if it is such a function and sequence."""
    if function is builtins.sorted and call.args:
        items = nest.meant(call.args[0])
        return sorted_list(nest, call, items) if isinstance(items, Section) else None
    if function not in _BETTER and function is not builtins.sum:
        return None
    if len(call.args) != 1 or call.names:
        return None
    whole = nest.meant(call.args[0])
    if not isinstance(whole, Section):
        return None
    if whole.rank != 1:
        raise nest.refuse(Reason.WRONG_TYPE, call.line, f"{text(call)} of rows")
    if whole.compute is not None:  # a part of a list is gone through before anything is stored
        listed = whole.path and whole.listed
        whole = replace(whole, compute=None) if listed else nest.kept(whole, call.line)
    better = _BETTER.get(function)
    return _sum(nest, call, whole) if better is None else _best(nest, call, whole, better)


def _best(nest: Elements, call: Call, whole: Section, better: Literal["<", ">"]) -> Expr:
    """The first of the best items, of which there must be one."""
    (extent,), line = whole.extents, call.line
    nest.require(extent, 1, None, line, f"{text(call)} of no items")
    number, var = next(nest.ids), f"<item of line {line}>"
    best = Name(f"<best {number}>")
    place = (symbol(Name(var)),)
    test = Compare(better, nest.element(whole, place, line), best, line)
    taken = Assign(best, nest.element(whole, place, line), next(nest.ids), line)
    look = If(test, (taken,), (), next(nest.ids), line)
    nest.first += [
        Assign(best, nest.element(whole, (ZERO,), line), number, line),
        For(var, Const(1), extent.expr(line), Const(1), (look,), next(nest.ids), line),
    ]
    return best


def _sum(nest: Elements, call: Call, whole: Section) -> Expr:
    """All items after the int 0, one after the other."""
    (extent,), line = whole.extents, call.line
    number, var = next(nest.ids), f"<item of line {line}>"
    total, some = Name(f"<sum {number}>"), Name(f"<some {number}>")
    item = nest.element(whole, (symbol(Name(var)),), line)
    steps, lost = [Assign(total, Binary("+", total, item, line), next(nest.ids), line)], []
    if ir.COMPENSATED:  # what is lost to rounding is added up as well
        rest, one = Name(f"<lost {number}>"), Name(f"<item {number}>")
        left = Call(f"{ir.LOST}{total.id}>", (rest, total, one), line)
        sums = {one: item, rest: left, total: Binary("+", total, one, line)}
        steps = [Assign(name, value, next(nest.ids), line) for name, value in sums.items()]
        whole_sum = Call(f"{ir.WHOLE}{total.id}>", (total, rest), line)
        lost = [
            Assign(rest, Const(0.0), next(nest.ids), line),
            Assign(total, whole_sum, next(nest.ids), line),
        ]
    seen = Assign(some, Const(True), next(nest.ids), line)
    begun = Call(f"{ir.BEGUN}{total.id}>", (some,), line)
    nest.first += [
        Assign(some, Const(False), next(nest.ids), line),
        Assign(total, Call(f"{ir.START}{total.id}>", (), line), number, line),
        *lost[:1],
        For(var, Const(0), extent.expr(line), Const(1), (*steps, seen), next(nest.ids), line),
        *lost[1:],
        Assign(Name(f"<none {number}>"), begun, next(nest.ids), line),
    ]
    return total
