"""Lists of rows that a nest only reads, said in other lists: what all such rewriting has in common.

A row is what ``a[i]`` is, a list or a tuple, and a name that is always one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from autopar.nest.ir import (
    Assign,
    Element,
    Expr,
    For,
    Load,
    Name,
    Nest,
    Stmt,
    preceded,
)
from autopar.nest.meaning import rewritten
from autopar.nest.naming import assigns
from autopar.nest.show import text
from autopar.nest.walking import assigned, new_ids, statements, walk
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

Known = Mapping[str, tuple[str, ...]]
"""The roots that stand for each list of rows, by its path."""


def in_other_lists(nest: Nest, known: Known, reader: type[RowReader]) -> Nest | Refusal:
    """`nest` with the roots that stand for the lists in `known`, and none of these."""
    try:
        rows = reader(nest, known)
        *before, loop = rows.statement(nest.loop)
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    if before:
        loop = preceded(loop, tuple(before), next(rows.ids))
    new = tuple(name for names in known.values() for name in names)
    return replace(
        nest,
        loop=loop,
        roots=(*nest.roots, *new),
        paths=tuple(sorted({*nest.paths, *new} - known.keys())),
        scalars=tuple(sorted(assigned(loop))),
    )


@dataclass(slots=True)
class RowReader:
    """Rewrites the statements of a nest.

    Attributes
    ----------
    known
        The roots that stand for each path.
    named
        Scalars that are always rows, and are not seen after the nest.
    """

    nest: Nest
    known: Known
    named: frozenset[str] = frozenset()
    ids: count[int] = field(init=False)

    ROWS = "rows"  # what the lists hold, to the user

    def __post_init__(self) -> None:
        nest = self.nest
        self.ids = new_ids(nest.loop)
        beside = {local.initial for local in nest.locals} | {row.path for row in nest.rows}
        beside |= {path for turn in nest.turns for path in turn.after}
        early = [one.expr for one in nest.conditions]
        early += [extent for local in nest.locals for extent in local.extents]
        beside |= {getattr(e, "array", "") for top in early for e in walk(top)}
        for path in sorted(self.known):
            if path in beside or {path, path.split(".")[0]} & set(nest.scalars):
                raise self.refuse(nest.loop.line, path)
        while True:
            more = {name for name in nest.scalars if name not in self.named and self.is_named(name)}
            if not more:
                break
            self.named |= more

    def refuse(self, line: int, what: str) -> Refused:
        detail = f"{min(self.known)} holds {self.ROWS}, with which {what} is not taken"
        return Refused(Refusal(Reason.WRONG_TYPE, Span(self.nest.file, line), detail))

    def is_row(self, expr: Expr) -> bool:
        match expr:
            case Load(array=path, index=(_,)):
                return path in self.known
            case Name(id=name):
                return name in self.named
        return False

    def is_named(self, name: str) -> bool:
        binds = [s for s in statements(self.nest.loop) if assigns(s, name)]
        return name not in self.nest.live_out and all(
            isinstance(s, Assign) and not s.augmented and self.is_row(s.value) for s in binds
        )

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(made for stmt in stmts for made in self.statement(stmt))

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Assign(target=Name(id=name)) if name in self.named:
                return self.bound(stmt, name)
            case Assign(target=Element(array=path) as target) if path in self.known:
                raise self.refuse(stmt.line, text(target))
            case For(start=start, stop=stop, step=step):
                ends = [self.expr(e) for e in (start, stop, step)]
                body = self.body(stmt)
                return (replace(stmt, start=ends[0], stop=ends[1], step=ends[2], body=body),)
        return (rewritten(stmt, self.expr, self.block),)

    def body(self, loop: For) -> tuple[Stmt, ...]:
        return self.block(loop.body)

    def bound(self, stmt: Assign, name: str) -> tuple[Stmt, ...]:
        """What binds a name to a row."""
        raise NotImplementedError

    def expr(self, expr: Expr) -> Expr:
        """A whole expression."""
        raise NotImplementedError
