"""Conditional subscripts, ``b[n - 1 if i == 0 else i - 1]``, as one access for each case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from autopar.nest.ir import Binary, Call, Compare, Expr, Select, Unary
from autopar.nest.meaning import rebuilt

_MOST_CASES = 4  # of one access; each is paired with all others

_BETTER: dict[str, Literal["<", ">"]] = {"min": "<", "max": ">"}

Tests = tuple[tuple[Expr, bool], ...]
"""Conditions, and whether each is true."""


def cases(
    index: tuple[Expr, ...], builtins: frozenset[str] = frozenset()
) -> tuple[tuple[Tests, tuple[Expr, ...]], ...]:
    """`index` without ``if`` in each case, and what is true there; together they are all cases.

    Too many are left as they are: a conditional expression is no affine form.

    Parameters
    ----------
    builtins
        Which of ``min`` and ``max`` still mean the builtins: ``min(i, k)`` is
        ``k if k < i else i``.

    Notes
    -----
    Quasi-affine cases as in Feautrier, *Dataflow analysis of array and scalar references*, 1991,
    section 3.

    Examples
    --------
    ``(0 if i < n else 1, j)`` is ``(0, j)`` where ``i < n`` holds, and ``(1, j)`` where it does
    not.
    """
    index = tuple(_spelled_out(expr, builtins) for expr in index)
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


def _spelled_out(expr: Expr, builtins: frozenset[str]) -> Expr:
    """`expr` with ``min`` and ``max`` as the conditionals that they are, on integers."""
    match expr:
        case Unary() | Binary():
            return rebuilt(expr, lambda e: _spelled_out(e, builtins))
        case Call(func=func, args=(first, *others), line=line) if func in builtins and others:
            best, op = _spelled_out(first, builtins), _BETTER[func]
            for other in others:
                arg = _spelled_out(other, builtins)
                best = Select(Compare(op, arg, best, line), arg, best, line)
            return best
    return expr


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
        case Unary() | Binary():
            return rebuilt(expr, lambda e: _chosen(e, test, holds))
    return expr
