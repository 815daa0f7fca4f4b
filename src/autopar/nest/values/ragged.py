"""Lists of lists of several lengths that a nest only reads, said in three arrays.

One has all their items, row after row; the others say where each row begins there, and how many
items it has.  ``row = a[i]`` becomes these two numbers, and ``row[k]``, where a loop counts `k` up
to the length of that row, the item that many places behind its beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import repeat

from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Expr,
    For,
    Load,
    Name,
    Nest,
    Stmt,
    View,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.naming import assigns
from autopar.nest.show import text
from autopar.nest.text.reading import LENGTH
from autopar.nest.values.rows import RowReader, in_other_lists
from autopar.nest.walking import assigned, expressions, statements, walk
from autopar.records import dataclass, field, replace
from autopar.verdict import Refusal

ROWS = "<rows "
"""How the roots begin that stand for a list of lists."""


def roots_of(number: int) -> tuple[str, str, str]:
    """All items, the place of the first one of each row, and the lengths of the rows."""
    return f"{ROWS}{number}>", f"{ROWS}{number} from>", f"{ROWS}{number} long>"


def flattened(nest: Nest, paths: Collection[str]) -> Nest | Refusal:
    """`nest` with three roots more for each of `paths`, in sorted order, and none of these."""
    known = {path: roots_of(number) for number, path in enumerate(sorted(paths))}
    return in_other_lists(nest, known, _Rows)


@dataclass(slots=True)
class _Rows(RowReader):
    """A row is said by where it begins and how long it is.

    Attributes
    ----------
    counters
        For loops around: the names that count, and the rows that they count the items of.
    held
        Names of ours for rows that loops go through, and of which lists these are.
    """

    counters: tuple[tuple[frozenset[str], tuple[Expr, ...]], ...] = ()
    held: dict[str, str] = field(default_factory=dict)

    ROWS = "lists that are not alike"

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case For(
                var=var, stop=Call(func=func, args=(Load(array=path, index=(place,)) as row,))
            ) if func == LENGTH and path in self.known and var.startswith("<") and _looks_up(place):
                # Whatever the loop stores, it goes through the list that it began with.
                name = f"<row {next(self.ids)}>"
                self.held[name] = path
                self.named |= {name}
                first = self.bound(Assign(Name(name), row, next(self.ids), stmt.line), name)
                held = Call(LENGTH, (Name(name),), stmt.line)
                body = tuple(self.under_a_name(inner, row, var, name) for inner in stmt.body)
                loop = replace(stmt, stop=held, body=body)
                return (*first, *RowReader.statement(self, loop))
        return RowReader.statement(self, stmt)

    def under_a_name(self, stmt: Stmt, row: Load, var: str, name: str) -> Stmt:
        """`stmt` with `name` for the `row` whose items `var` counts."""

        def named(expr: Expr) -> Expr:
            match expr:
                case View(array=Load() as one, index=(Name(id=place),)) if place == var and _alike(
                    one, row
                ):
                    return replace(expr, array=Name(name))
            return rebuilt(expr, named)

        def inside(block: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
            return tuple(rewritten(inner, named, inside) for inner in block)

        return rewritten(stmt, named, inside)

    def bound(self, stmt: Assign, name: str) -> tuple[Stmt, ...]:
        held = (_first(name), self.first(stmt.value)), (_length(name), self.length(stmt.value))
        return tuple(Assign(Name(n), e, next(self.ids), stmt.line) for n, e in held)

    def body(self, loop: For) -> tuple[Stmt, ...]:
        outside = self.counters
        self.counters = (*outside, (_counting(loop), tuple(self.counted(loop))))
        inside = self.block(loop.body)
        self.counters = outside
        return inside

    def counted(self, loop: For) -> Iterator[Expr]:
        """The rows whose items `loop` counts: it goes no further than each of them is long."""
        match loop:
            case For(start=Const(value=int(start)), step=Const(value=int(step)), stop=stop) if (
                start >= 0 and step > 0
            ):
                pass
            case _:
                return
        least = stop.args if isinstance(stop, Call) and stop.func == "<min>" else (stop,)
        changed = {name for stmt in loop.body for name in assigned(stmt)}
        for one in least:
            match one:
                case Call(func=func, args=(row,)) if func == LENGTH and self.is_row(row):
                    names = {e.id for e in walk(row) if isinstance(e, Name)}
                    other = any(isinstance(e, Load | View) and e is not row for e in walk(row))
                    if not names & changed and not other:
                        yield row

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Call(func=func, args=(row,)) if func == LENGTH and self.is_row(row):
                return self.length(row)
            case View(array=row, index=(Name() as place,), line=line) if self.is_row(row):
                return self.item(row, place, line, expr)
            case Load(array=path, index=(first, Name() as place), line=line, id=number) if (
                path in self.known and expr.nested
            ):
                return self.item(Load(path, (first,), number, line), place, line, expr)
            case Dim(array=path, axis=0, attribute=False) if path in self.known:
                return replace(expr, array=self.known[path][2])
            case Load(array=path) | Dim(array=path) if path in self.known:
                raise self.refuse(self.nest.loop.line, text(expr))
            case Name(id=name) if name in self.named or name in self.known:
                raise self.refuse(self.nest.loop.line, text(expr))
        return rebuilt(expr, self.expr)

    def item(self, row: Expr, place: Name, line: int, expr: Expr) -> Expr:
        """``row[place]``."""
        for names, rows in self.counters:
            if place.id in names and any(_same(row, other) for other in rows):
                where = Binary("+", self.first(row), place, line)
                return Load(self.items(row), (where,), next(self.ids), line)
        raise self.refuse(line, text(expr))

    def items(self, row: Expr) -> str:
        """The list in which the items of `row` are."""
        paths = sorted(self.paths(row, frozenset()))
        if len(paths) != 1:
            raise self.refuse(self.nest.loop.line, text(row))
        return self.known[paths[0]][0]

    def paths(self, row: Expr, met: frozenset[str]) -> set[str]:
        """Of what `row` may be a row."""
        match row:
            case Load(array=path):
                return {path}
            case Name(id=name) if name in self.held:
                return {self.held[name]}
            case Name(id=name) if name not in met:
                return {
                    path
                    for s in statements(self.nest.loop)
                    if isinstance(s, Assign) and assigns(s, name)
                    for path in self.paths(s.value, met | {name})
                }
        return set()

    def first(self, row: Expr) -> Expr:
        return self.about(row, 1)

    def length(self, row: Expr) -> Expr:
        return self.about(row, 2)

    def about(self, row: Expr, which: int) -> Expr:
        """Where `row` begins, or how long it is."""
        match row:
            case Name(id=name):
                return Name(_first(name) if which == 1 else _length(name))
            case Load(array=path, index=(place,), line=line):
                index = (renumbered(self.expr(place), self.ids),)
                return Load(self.known[path][which], index, next(self.ids), line)
        raise self.refuse(self.nest.loop.line, text(row))


def _first(name: str) -> str:
    return f"<from {name}>"


def _length(name: str) -> str:
    return f"<long {name}>"


def _counting(loop: For) -> frozenset[str]:
    """Names that are the counter of `loop` wherever its body reads them."""
    if any(assigns(s, loop.var) for s in _inside(loop)):
        return frozenset()
    found, read = {loop.var}, set[str]()
    for stmt in loop.body:
        if not isinstance(stmt, Assign):
            break
        read |= {e.id for top in expressions(stmt) for e in walk(top) if isinstance(e, Name)}
        match stmt:
            case Assign(target=Name(id=name), value=Name(id=other)) if other == loop.var:
                once = sum(1 for s in _inside(loop) if assigns(s, name)) == 1
                if once and name not in read and not stmt.augmented:
                    found.add(name)
    return frozenset(found)


def _inside(loop: For) -> Iterator[Stmt]:
    return (inner for stmt in loop.body for inner in statements(stmt))


def _looks_up(place: Expr) -> bool:
    """Whether it takes reads to say where a row is."""
    return any(isinstance(part, Load | View) for part in walk(place))


def _alike(one: Expr, two: Expr) -> bool:
    """Whether they say the same, wherever they stand."""
    return renumbered(one, repeat(0)) == renumbered(two, repeat(0))


def _same(one: Expr, two: Expr) -> bool:
    """Whether both are one and the same row."""
    match one, two:
        case Name(id=name), Name(id=other):
            return name == other
        case Load(array=path, index=index), Load(array=other, index=where):
            return path == other and index == where
    return False
