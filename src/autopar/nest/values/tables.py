"""Dictionaries with integer keys, and sets of integers, said in arrays.

``d[k]`` becomes ``values[up[k] if k >= 0 else down[k]]``: two arrays say where the value of a key
stands, one for the keys from 0 up, one for those below, which Python counts from the end.  For
numbers that are no keys they name a place behind the last value, and a number that they have no
room for is out of bounds as well: there kernels give up, and the interpreter raises, or adds a key.
``k in d`` asks whether there is room for `k`, and whether the place is that of a value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from autopar.nest.ir import (
    IN,
    Assign,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Load,
    Logic,
    Name,
    Nest,
    Select,
    Stmt,
    Unary,
    While,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.show import text
from autopar.nest.walking import expressions, new_ids, statements, walk
from autopar.records import replace
from autopar.verdict import Reason, Refusal, Span

TABLE = "<table "
"""How the roots begin that stand for a dictionary."""
GET = ".get"
"""How the path ends of what is called for ``d.get(k, value)``."""

_LONGEST = 40  # operations of a key, which is written several times


def tabled(nest: Nest, dicts: Collection[str]) -> Nest | Refusal:
    """`nest` with arrays in place of `dicts`: three roots more for each, in sorted order.

    These are the values, and where they stand for keys from 0 up, and below.  A nest that stores
    values changes the first of them.
    """
    wrong = next(_other_uses(nest, dicts), None)
    if wrong is not None:
        return wrong
    new = {path: _roots(number) for number, path in enumerate(sorted(dicts))}
    loop = _Without(new, new_ids(nest.loop)).stmt(nest.loop)
    assert isinstance(loop, For)
    roots = tuple(name for names in new.values() for name in names)
    gone = {*dicts, *(path + GET for path in dicts)}
    return replace(
        nest,
        loop=loop,
        roots=(*nest.roots, *roots),
        paths=tuple(sorted({*nest.paths, *roots} - gone)),
    )


class _Without:
    """Statements and expressions with arrays, named in `new`, in place of dictionaries."""

    def __init__(self, new: dict[str, tuple[str, str, str]], ids: Iterator[int]) -> None:
        self.new, self.ids = new, ids

    def stmt(self, stmt: Stmt) -> Stmt:
        """`stmt`, and all in it."""
        return self.targets(rewritten(stmt, self.expr))

    def targets(self, stmt: Stmt) -> Stmt:
        """``d[k] = value``, where the value and `k` are done."""
        match stmt:
            case Assign(target=Element(array=path, index=(key,)) as target) if path in self.new:
                place = self.place(path, key, target.line)
                values, *_ = self.new[path]
                return replace(stmt, target=replace(target, array=values, index=(place,)))
            case If(body=body, orelse=orelse):
                return replace(stmt, body=self.block(body), orelse=self.block(orelse))
            case While(body=body) | For(body=body):
                return replace(stmt, body=self.block(body))
        return stmt

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(self.targets, stmts))

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Call(func=func, args=(Load(array=path, index=(key,), line=line),)) if (
                func == IN and path in self.new
            ):
                return self.has(path, self.expr(key), line)
            case Call(func=func, args=(key, other), line=line) if owner_of(func) in self.new:
                path, key = owner_of(func), self.expr(key)
                return Select(
                    self.has(path, key, line), self.value(path, key, line), self.expr(other), line
                )
        match rebuilt(expr, self.expr):
            case Load(array=path, index=(key,), line=line) if path in self.new:
                return self.value(path, key, line)
            case made:
                return made

    def value(self, path: str, key: Expr, line: int) -> Expr:
        """``d[key]``."""
        return Load(self.new[path][0], (self.place(path, key, line),), next(self.ids), line)

    def place(self, path: str, key: Expr, line: int) -> Expr:
        """Where the value of `key` stands, if it is one."""
        _, up, down = self.new[path]
        above, below = (self.at(one, key, line) for one in (up, down))
        return Select(Compare(">=", self.again(key), Const(0), line), above, below, line)

    def has(self, path: str, key: Expr, line: int) -> Expr:
        """``key in d``."""
        values, up, down = self.new[path]
        above = Compare("<", self.again(key), Dim(up, 0), line)
        below = Compare(">=", self.again(key), Unary("-", Dim(down, 0), line), line)
        size = Dim(values, 0)
        held_up = Compare("<", self.at(up, key, line), size, line)
        held_down = Compare("<", self.at(down, key, line), size, line)
        return Select(
            Compare(">=", self.again(key), Const(0), line),
            Logic("and", (above, held_up), line),
            Logic("and", (below, held_down), line),
            line,
        )

    def at(self, table: str, key: Expr, line: int) -> Load:
        return Load(table, (self.again(key),), next(self.ids), line)

    def again(self, key: Expr) -> Expr:
        return renumbered(key, self.ids)


def owner_of(func: str) -> str:
    """The path of what may be a dictionary, if `func` is called for its ``get``."""
    return func.removesuffix(GET) if func.endswith(GET) else ""


def asked(nest: Nest) -> frozenset[str]:
    """Paths that `nest` asks with ``in`` and does nothing else with."""
    found: set[str] = set()
    beside: set[str] = set()
    for stmt in statements(nest.loop):
        parts = [expr for top in expressions(stmt) for expr in walk(top)]
        held = {expr.args[0] for expr in parts if isinstance(expr, Call) and expr.func == IN}
        found |= {one.array for one in held if isinstance(one, Load)}
        for expr in parts:
            match expr:
                case Call(func=func) if owner_of(func):
                    beside.add(owner_of(func))
                case Load(array=path) if expr not in held:
                    beside.add(path)
                case Name(id=path) | Dim(array=path):
                    beside.add(path)
        match stmt:
            case Assign(target=Element(array=path)):
                beside.add(path)
    return frozenset(found - beside)


def left(nest: Nest) -> Refusal | None:
    """Why `nest` is not taken if it asks with ``in`` for what is in no dictionary and no set."""
    for stmt in statements(nest.loop):
        for expr in (expr for top in expressions(stmt) for expr in walk(top)):
            match expr:
                case Call(func=func, args=(Load(array=path, index=(key,)),), line=line) if (
                    func == IN
                ):
                    said = f"{text(key)} in {path}"
                    return Refusal(Reason.SYNTAX, Span(nest.file, line), said)
    return None


def _roots(number: int) -> tuple[str, str, str]:
    return f"{TABLE}{number}>", f"{TABLE}{number} up>", f"{TABLE}{number} down>"


def _other_uses(nest: Nest, dicts: Collection[str]) -> Iterator[Refusal]:
    """What `dicts` are used for besides looking up short keys, and giving them other values."""
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
                case Load(array=path, index=(key,)) if _short(key):
                    pass
                case Dim(array=path, axis=0, attribute=False) if path in dicts:
                    yield _refused(nest, stmt.line, f"len({path})")
                case Name(id=path) | Dim(array=path) | Load(array=path) if path in dicts:
                    yield _refused(nest, stmt.line, text(expr))
                case Call(func=func, args=args, names=names) if owner_of(func) in dicts:
                    if names or len(args) != 2 or not _short(args[0]) or not _plain(args[1]):
                        yield _refused(nest, stmt.line, text(expr))
        match stmt:
            case Assign(target=Element(array=path, index=index) as target) if path in dicts:
                if len(index) != 1 or not _short(index[0]) or stmt.whole:
                    yield _refused(nest, stmt.line, text(target))


def _short(key: Expr) -> bool:
    return sum(1 for _ in walk(key)) <= _LONGEST


def _plain(expr: Expr) -> bool:
    """Whether nobody can tell if it is evaluated."""
    match expr:
        case Unary(op="-" | "+", operand=Const()):
            return True
    return isinstance(expr, Const | Name)


def _refused(nest: Nest, line: int, what: str) -> Refusal:
    return Refusal(Reason.NOT_ARRAY, Span(nest.file, line), f"{what} of a dict")
