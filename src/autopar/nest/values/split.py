"""Lists of tuples whose items have several types, that a nest only reads: a list for each item.

``for u, v, w in edges`` reads ``<columns 0 0>[k]``, ``<columns 0 1>[k]`` and ``<columns 0 2>[k]``.
A name of such a tuple is that of a tuple of the nest, so it must not be seen after it, where it
would be the very tuple that is in the list.
"""

from __future__ import annotations

from collections.abc import Mapping

from autopar.nest import ir
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Dim,
    Expr,
    Items,
    Load,
    Name,
    Nest,
    Stmt,
    View,
)
from autopar.nest.meaning import rebuilt, renumbered
from autopar.nest.show import text
from autopar.nest.text.reading import LENGTH
from autopar.nest.values.rows import RowReader, in_other_lists
from autopar.records import dataclass, replace
from autopar.verdict import Refusal


def roots_of(number: int, width: int) -> tuple[str, ...]:
    """The lists that stand for the items of the tuples in the list of this number."""
    return tuple(f"<columns {number} {k}>" for k in range(width))


def split(nest: Nest, widths: Mapping[str, int]) -> Nest | Refusal:
    """`nest` with a root for each item of the tuples in the lists `widths`, and none of these.

    Parameters
    ----------
    widths
        How many items the tuples have; paths in sorted order.
    """
    known = {p: roots_of(number, width) for number, (p, width) in enumerate(widths.items())}
    return in_other_lists(nest, known, _Columns)


@dataclass(slots=True)
class _Columns(RowReader):
    """A tuple is said by the items that it has."""

    ROWS = "tuples of several types"

    def bound(self, stmt: Assign, name: str) -> tuple[Stmt, ...]:
        return (replace(stmt, value=self.row(stmt.value)),)

    def row(self, expr: Expr) -> Expr:
        """A tuple of the nest that is equal to the one that `expr` is."""
        match expr:
            case Load(array=path, index=(place,), line=line):
                place = self.expr(place)
                return Items(tuple(self.item(path, k, place, line) for k in self.known[path]), line)
        return expr

    def item(self, path: str, column: str, place: Expr, line: int) -> Load:
        return Load(column, (renumbered(place, self.ids),), next(self.ids), line)

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Call(func=func, args=(row,)) if func.startswith(ir.UNPACK) and self.is_row(row):
                return replace(expr, args=(self.row(row),))
            case Call(func=func, args=(row,)) if func == LENGTH and self.is_row(row):
                return Const(len(self.known[row.array])) if isinstance(row, Load) else expr
            case View(array=Name(id=name), index=(Const(),)) if name in self.named:
                return expr
            case Load(array=path, index=(place, Const(value=int(k))), line=line) if (
                path in self.known and type(k) is int and expr.nested
            ):
                columns = self.known[path]
                if -len(columns) <= k < len(columns):
                    return self.item(path, columns[k], self.expr(place), line)
            case Dim(array=path, axis=0, attribute=False) if path in self.known:
                return replace(expr, array=self.known[path][0])
        match expr:
            case Load(array=path) | Dim(array=path) if path in self.known:
                raise self.refuse(self.nest.loop.line, text(expr))
            case Name(id=name) if name in self.named or name in self.known:
                raise self.refuse(self.nest.loop.line, text(expr))
        return rebuilt(expr, self.expr)
