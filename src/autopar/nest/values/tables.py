"""Dictionaries with integer keys that a nest only reads, said in arrays.

``d[k]`` becomes ``values[up[k] if k >= 0 else down[k]]``: two arrays say where the value of a key
stands, one for the keys from 0 up, one for those below, which Python counts from the end.  For
numbers that are no keys they name a place behind the last value, and a number that they have no
room for is out of bounds as well: there kernels give up, and the interpreter raises.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count

from autopar.nest.ir import (
    Assign,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    Load,
    Name,
    Nest,
    Select,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.show import text
from autopar.nest.walking import expressions, numbers, statements, walk
from autopar.records import replace
from autopar.verdict import Reason, Refusal, Span

TABLE = "<table "
"""How the roots begin that stand for a dictionary."""

_LONGEST = 40  # operations of a key, which is written three times


def tabled(nest: Nest, dicts: Collection[str]) -> Nest | Refusal:
    """`nest` with arrays in place of `dicts`: three roots more for each, in sorted order."""
    wrong = next(_other_uses(nest, dicts), None)
    if wrong is not None:
        return wrong
    ids = count(1 + max(numbers(nest.loop)))
    new = {path: _roots(number) for number, path in enumerate(sorted(dicts))}

    def change(expr: Expr) -> Expr:
        made = rebuilt(expr, change)
        match made:
            case Load(array=path, index=(key,), line=line) if path in new:
                values, up, down = new[path]
                above, below = (renumbered(replace(made, array=name), ids) for name in (up, down))
                place = Select(Compare(">=", key, Const(0), line), above, below, line)
                return replace(made, array=values, index=(place,))
        return made

    loop = rewritten(nest.loop, change)
    assert isinstance(loop, For)
    roots = tuple(name for names in new.values() for name in names)
    return replace(
        nest,
        loop=loop,
        roots=(*nest.roots, *roots),
        paths=tuple(sorted({*nest.paths, *roots} - set(dicts))),
    )


def _roots(number: int) -> tuple[str, str, str]:
    return f"{TABLE}{number}>", f"{TABLE}{number} up>", f"{TABLE}{number} down>"


def _other_uses(nest: Nest, dicts: Collection[str]) -> Iterator[Refusal]:
    """What `dicts` are used for besides looking up short keys."""
    beside = {local.initial for local in nest.locals} | {row.path for row in nest.rows}
    beside |= {path for turn in nest.turns for path in turn.after}
    early = [one.expr for one in nest.conditions]
    early += [extent for local in nest.locals for extent in local.extents]
    beside |= {e.array for top in early for e in walk(top) if isinstance(e, Dim)}
    for path in sorted(dicts):
        if path in beside or {path, path.split(".")[0]} & set(nest.scalars):
            yield _refused(nest, nest.loop.line, path)
    for stmt in statements(nest.loop):
        for expr in (expr for top in expressions(stmt) for expr in walk(top)):
            match expr:
                case Load(array=path, index=(key,)) if sum(1 for _ in walk(key)) <= _LONGEST:
                    pass
                case Name(id=path) | Dim(array=path) | Load(array=path) if path in dicts:
                    yield _refused(nest, stmt.line, text(expr))
        match stmt:
            case Assign(target=Element(array=path) as target) if path in dicts:
                yield _refused(nest, stmt.line, text(target))


def _refused(nest: Nest, line: int, what: str) -> Refusal:
    return Refusal(Reason.NOT_ARRAY, Span(nest.file, line), f"{what} of a dict")
