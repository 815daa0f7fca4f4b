"""Integer scalars that are only names for an expression: ``up = (i - 1) % rows``.

Forward substitution (Allen, Kennedy, "Optimizing Compilers for Modern Architectures", 2002,
section 4.5.1), used to know a scalar's range and value, and what a subscript that names it means;
the statements themselves stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from autopar.nest.flow import exposed, names
from autopar.nest.ir import Assign, Expr, For, Load, Name, Nest, Stmt
from autopar.nest.meaning import rebuilt
from autopar.nest.walking import blocks, children, statements, walk
from autopar.records import replace

_LONGEST = 200  # operands and operators of a definition; names of sums of names double each time

Definitions = Mapping[str, Expr]


def definitions(nest: Nest) -> Definitions:
    """Scalars with one assignment, of an expression in live-ins, loop variables, and such scalars.

    A scalar that is not upward-exposed has been assigned before each of its reads in the same
    iteration of every loop around the assignment, so the loop variables in its definition still
    have the values that they have at the read.
    """
    counts: dict[str, int] = {}
    loops: set[str] = set()
    for stmt in statements(nest.loop):
        match stmt:
            case Assign(target=Name(id=name)):
                counts[name] = counts.get(name, 0) + 1
            case For(var=var):
                loops.add(var)
    once = {n for n, count in counts.items() if count == 1} - loops - exposed((nest.loop,))
    found: dict[str, Expr] = {}
    _collect((nest.loop,), frozenset(), once, frozenset(nest.scalars), found)
    return found


def _collect(
    stmts: tuple[Stmt, ...],
    around: frozenset[str],
    once: set[str],
    scalars: frozenset[str],
    found: dict[str, Expr],
) -> None:
    for stmt in stmts:
        match stmt:
            case Assign(target=Name(id=name), value=value) if name in once:
                value = substitute(value, found)
                short = sum(1 for _ in islice(walk(value), _LONGEST)) < _LONGEST
                if short and not (names((value,)) & scalars) - around:
                    found[name] = value
            case For(var=var, body=body):
                _collect(body, around | {var}, once, scalars, found)
            case _:
                for block in blocks(stmt):
                    _collect(block, around, once, scalars, found)


def substitute(expr: Expr, known: Definitions) -> Expr:
    """`expr` with the names in `known` replaced, but not in subscripts: an element may change."""
    match expr:
        case Name(id=name):
            return known.get(name, expr)
        case Load():
            return expr
    inner = [substitute(child, known) for child in children(expr)]
    if all(made is child for made, child in zip(inner, children(expr), strict=True)):
        return expr
    parts = iter(inner)
    return rebuilt(expr, lambda _: next(parts))


def looked_through(loop: For, known: Definitions) -> For:
    """`loop` with the names in `known` replaced in its range."""
    start, stop, step = (substitute(e, known) for e in (loop.start, loop.stop, loop.step))
    return replace(loop, start=start, stop=stop, step=step)
