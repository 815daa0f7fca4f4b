"""Lists of lists to whose rows a nest appends: one list of what goes where, until all is done.

``rows[i].append(x)`` becomes ``<added 0>.append((<places 0 0>[i], x))``, where the second list
holds the numbers of the rows: to read one is to see that there is such a row, counted from the
front or the back.  Of ``rows[i][j].append(x)`` there are two such lists.
"""

from __future__ import annotations

from itertools import count

from autopar.nest import ir
from autopar.nest.ir import Dim, Expr, For, Items, Load, Name, Nest, Stmt, View
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.walking import bucket, new_ids
from autopar.records import dataclass, field, replace

ADDED = "<added "
"""How the name of the list begins of what is to be appended."""


def roots_of(number: int, depth: int) -> tuple[str, ...]:
    """The lists that stand for the list of this number: of what is added, and of places."""
    return f"{ADDED}{number}>", *(f"<places {number} {axis}>" for axis in range(depth))


def flat_buckets(nest: Nest, depths: tuple[tuple[str, int], ...]) -> Nest:
    """`nest` with more roots, see `roots_of`, and none of the lists `depths`.

    Parameters
    ----------
    depths
        See `walking.buckets`.
    """
    known = {path: roots_of(number, depth) for number, (path, depth) in enumerate(depths)}
    loop = _Flat(nest, known).statement(nest.loop)
    assert isinstance(loop, For)
    new = tuple(name for names in known.values() for name in names)
    paths = tuple(sorted({*nest.paths, *new} - known.keys()))
    return replace(nest, loop=loop, roots=(*nest.roots, *new), paths=paths)


@dataclass(slots=True)
class _Flat:
    """Rewrites the statements of a nest."""

    nest: Nest
    known: dict[str, tuple[str, ...]]
    ids: count[int] = field(init=False)

    def __post_init__(self) -> None:
        self.ids = new_ids(self.nest.loop)

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(self.statement, stmts))

    def statement(self, stmt: Stmt) -> Stmt:
        row = bucket(stmt)
        if row is None or row.array not in self.known:
            return rewritten(stmt, self.expr, self.block)
        assert isinstance(stmt, ir.Put)
        added, *places = self.known[row.array]
        where = [
            Load(place, (self.expr(index),), next(self.ids), row.line)
            for place, index in zip(places, row.index, strict=True)
        ]
        item = Items((*where, self.expr(stmt.value)), stmt.line)
        return replace(stmt, target=View(Name(added), ("append",), stmt.line), value=item)

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Dim(array=path) if path in self.known:
                return replace(expr, array=self.known[path][1])
        return rebuilt(expr, self.expr)
