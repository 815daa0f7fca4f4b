"""Lists of tuples whose items have several types, that a nest only reads: a list for each item.

``for u, v, w in edges`` reads ``<columns 0 0>[k]``, ``<columns 0 1>[k]`` and ``<columns 0 2>[k]``.
A name of such a tuple is that of a tuple of the nest, so it must not be seen after it, where it
would be the very tuple that is in the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from autopar.nest import ir
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Items,
    Load,
    Name,
    Nest,
    Stmt,
    View,
    While,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.naming import assigns
from autopar.nest.show import text
from autopar.nest.text.reading import LENGTH
from autopar.nest.walking import assigned, numbers, statements, walk
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span


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
    try:
        columns = _Columns(nest, known)
        (loop,) = columns.block((nest.loop,))
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    new = tuple(name for names in known.values() for name in names)
    return replace(
        nest,
        loop=loop,
        roots=(*nest.roots, *new),
        paths=tuple(sorted({*nest.paths, *new} - known.keys())),
        scalars=tuple(sorted(assigned(loop))),
    )


@dataclass(slots=True)
class _Columns:
    """Rewrites the statements of a nest.

    Attributes
    ----------
    known
        The roots that stand for each path.
    named
        Scalars that are always tuples of these lists.
    """

    nest: Nest
    known: dict[str, tuple[str, ...]]
    named: frozenset[str] = frozenset()
    ids: count[int] = field(init=False)

    def __post_init__(self) -> None:
        nest = self.nest
        self.ids = count(1 + max(numbers(nest.loop)))
        beside = {local.initial for local in nest.locals} | {row.path for row in nest.rows}
        beside |= {path for turn in nest.turns for path in turn.after}
        early = [one.expr for one in nest.conditions]
        early += [extent for local in nest.locals for extent in local.extents]
        beside |= {getattr(e, "array", "") for top in early for e in walk(top)}
        for path in self.known:
            if path in beside or {path, path.split(".")[0]} & set(nest.scalars):
                raise self.refuse(nest.loop.line, path)
        while True:
            more = {name for name in nest.scalars if name not in self.named and self.is_named(name)}
            if not more:
                break
            self.named |= more

    def refuse(self, line: int, what: str) -> Refused:
        detail = f"{min(self.known)} holds tuples of several types, and {what} is more than reading"
        return Refused(Refusal(Reason.WRONG_TYPE, Span(self.nest.file, line), detail))

    def is_row(self, expr: Expr) -> bool:
        """Whether `expr` is one of the tuples."""
        match expr:
            case Load(array=path, index=(_,)):
                return path in self.known
            case Name(id=name):
                return name in self.named
        return False

    def is_named(self, name: str) -> bool:
        """Whether `name` is always one of the tuples, and is not seen after the nest."""
        binds = [s for s in statements(self.nest.loop) if assigns(s, name)]
        return name not in self.nest.live_out and all(
            isinstance(s, Assign) and not s.augmented and self.is_row(s.value) for s in binds
        )

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(self.statement, stmts))

    def statement(self, stmt: Stmt) -> Stmt:
        match stmt:
            case Assign(target=Name(id=name), value=value) if name in self.named:
                return replace(stmt, value=self.row(value))
            case Assign(target=Element(array=path) as target) if path in self.known:
                raise self.refuse(stmt.line, text(target))
            case If(test=test, body=body, orelse=orelse):
                test = self.expr(test)
                return replace(stmt, test=test, body=self.block(body), orelse=self.block(orelse))
            case While(test=test, body=body):
                return replace(stmt, test=self.expr(test), body=self.block(body))
            case For(start=start, stop=stop, step=step, body=body):
                start, stop, step = map(self.expr, (start, stop, step))
                return replace(stmt, start=start, stop=stop, step=step, body=self.block(body))
        return rewritten(stmt, self.expr)

    # ------------------------------------------------------------------ expressions

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
