"""Conditional subscripts, ``b[n - 1 if i == 0 else i - 1]``, as one access for each case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autopar.nest.ir import Binary, Expr, Select, Unary

_MOST_CASES = 4  # of one access; each is paired with all others

Tests = tuple[tuple[Expr, bool], ...]
"""Conditions, and whether each is true."""


def cases(index: tuple[Expr, ...]) -> tuple[tuple[Tests, tuple[Expr, ...]], ...]:
    """`index` without ``if`` in each case, and what is true there; together they are all cases.

    Too many are left as they are: a conditional expression is no affine form.

    Examples
    --------
    ``(0 if i < n else 1, j)`` is ``(0, j)`` where ``i < n`` holds, and ``(1, j)`` where it does
    not.
    """
    found = tuple(_split((), index))
    return found if len(found) <= _MOST_CASES else (((), index),)


def _split(tests: Tests, index: tuple[Expr, ...]) -> Iterator[tuple[Tests, tuple[Expr, ...]]]:
    if len(tests) >= _MOST_CASES:  # too many in any case
        yield tests, index
        return
    for axis, expr in enumerate(index):
        first = _first(expr)
        if first is None:
            continue
        for holds in (True, False):
            chosen = _chosen(expr, first.test, holds)
            here = (*index[:axis], chosen, *index[axis + 1 :])
            yield from _split((*tests, (first.test, holds)), here)
        return
    yield tests, index


def _first(expr: Expr) -> Select | None:
    """A conditional that `expr` is computed from by arithmetic alone."""
    match expr:
        case Select():
            return expr
        case Unary(operand=operand):
            return _first(operand)
        case Binary(left=left, right=right):
            return _first(left) or _first(right)
    return None


def _chosen(expr: Expr, test: Expr, holds: bool) -> Expr:
    """`expr` where `test` is true or false: equal tests of one moment agree."""
    match expr:
        case Select(test=same, body=body, orelse=orelse) if same == test:
            return _chosen(body if holds else orelse, test, holds)
        case Unary(operand=operand):
            return replace(expr, operand=_chosen(operand, test, holds))
        case Binary(left=left, right=right):
            left, right = _chosen(left, test, holds), _chosen(right, test, holds)
            return replace(expr, left=left, right=right)
    return expr
