"""Dictionaries with integer keys, and sets of integers, said in arrays.

``d[k]`` becomes ``values[up[k] if k >= 0 else down[k]]``: two arrays say where the value of a key
stands, one for the keys from 0 up, one for those below, which Python counts from the end.  For
numbers that are no keys they name a place behind the last value, and a number that they have no
room for is out of bounds as well: there kernels give up, and the interpreter raises.
``k in d`` asks whether there is room for `k`, and whether the place is that of a value.  Keys that
are characters are their numbers.
One more has the keys, of a dictionary that is gone through: ``for k in d``.
Where a dictionary may get new keys, see `nest.values.new_keys`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from autopar.nest import ir
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
    Load,
    Logic,
    Name,
    Nest,
    Select,
    Stmt,
    Unary,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.show import text
from autopar.nest.text.grown import with_grown
from autopar.nest.values.new_keys import GET, get_keys, owner_of, put, with_defaults
from autopar.nest.walking import assigned, expressions, new_ids, statements, walk
from autopar.records import replace
from autopar.verdict import DOT, Reason, Refusal, Span

TABLE = "<dict "
"""How the roots begin that stand for a dictionary."""
UP, DOWN = " up>", " down>"
"""How those of them end that say where the values stand."""
_EACH = " each>"  # and those that have the keys in their order

_LONGEST = 40  # operations of a key, which is written several times


def tabled(nest: Nest, kinds: Mapping[str, str]) -> Nest | Refusal:
    """`nest` with arrays and lists in place of dictionaries: see `roots_of`, in sorted order.

    A nest that stores values changes the first of them.

    Parameters
    ----------
    kinds
        What the dictionaries do about keys that they have not, by path; see `new_keys`.
    """
    wrong = next(_other_uses(nest, kinds), None)
    if wrong is not None:
        return wrong
    through = gone_through(nest.loop)
    new_keys = get_keys(nest.loop, kinds)
    new = {
        path: roots_of(_called(path, number), path in new_keys, path in through)
        for number, path in enumerate(sorted(kinds))
    }
    each = {path: names[-1] for path, names in new.items() if path in through}
    plain = with_defaults(_with_keys(nest.loop, through, each), kinds)
    bare = _Without(new, new_ids(plain)).stmt(plain)
    assert isinstance(bare, For)
    loop = with_grown(bare)
    roots = tuple(name for names in new.values() for name in names)
    gone = {*kinds, *(path + GET for path in kinds)}
    return replace(
        nest,
        loop=loop,
        roots=(*nest.roots, *roots),
        paths=tuple(sorted({*nest.paths, *roots} - gone)),
        scalars=tuple(sorted(assigned(loop))),
    )


class _Without:
    """Statements and expressions with arrays, named in `new`, in place of dictionaries."""

    def __init__(self, new: dict[str, tuple[str, ...]], ids: Iterator[int]) -> None:
        self.new, self.ids = new, ids

    def stmt(self, stmt: Stmt) -> Stmt:
        """`stmt`, and all in it."""
        return rewritten(stmt, self.expr, self.block)

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(made for stmt in stmts for made in self.target(self.stmt(stmt)))

    def target(self, stmt: Stmt) -> Iterator[Stmt]:
        """``d[k] = value``, where the value and `k` are done."""
        match stmt:
            case Assign(target=Element(array=path, index=(key,)) as target) if path in self.new:
                values, *where = self.new[path]
                if not where[2:] or where[-1].endswith(_EACH):
                    place = self.place(path, key, target.line)
                    yield replace(stmt, target=replace(target, array=values, index=(place,)))
                    return
                name = Name(f"<key {next(self.ids)}>")
                yield Assign(name, key, next(self.ids), target.line)
                held = self.has(path, name, target.line), self.place(path, name, target.line)
                up, down, keys = where
                target = replace(target, index=(name,))
                yield from put(target, stmt.value, held, (values, keys), (up, down), self.ids)
            case _:
                yield stmt

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Call(func=ir.LETTER, args=(number,)):
                return self.expr(number)
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
            case Dim(array=path) if path in self.new:
                return Dim(self.new[path][0], 0)
            case made:
                return made

    def value(self, path: str, key: Expr, line: int) -> Expr:
        """``d[key]``."""
        return Load(self.new[path][0], (self.place(path, key, line),), next(self.ids), line)

    def place(self, path: str, key: Expr, line: int) -> Expr:
        """Where the value of `key` stands, if it is one."""
        _, up, down, *_ = self.new[path]
        above, below = (self.at(one, key, line) for one in (up, down))
        return Select(Compare(">=", self.again(key), Const(0), line), above, below, line)

    def has(self, path: str, key: Expr, line: int) -> Expr:
        """``key in d``."""
        values, up, down, *_ = self.new[path]
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


def lettered(nest: Nest, dicts: Collection[str]) -> frozenset[str]:
    """Those of `dicts` of which each key in `nest` is a character."""
    keys = list(_keys(nest, dicts))
    others = {path for path, key in keys if not _is_letter(key)}
    return frozenset(path for path, _ in keys if path not in others)


def _keys(nest: Nest, dicts: Collection[str]) -> Iterator[tuple[str, Expr]]:
    """What `nest` looks up in `dicts`, and stores there."""
    through = gone_through(nest.loop)
    for stmt in statements(nest.loop):
        for expr in (expr for top in expressions(stmt) for expr in walk(top)):
            match expr:
                case Load(array=path, index=(Name(id=name),)) if name in through.get(path, ()):
                    pass
                case Load(array=path, index=(key,)) if path in dicts:
                    yield path, key
                case Call(func=func, args=(key, *_)) if owner_of(func) in dicts:
                    yield owner_of(func), key
        match stmt:
            case Assign(target=Element(array=path, index=(key,))) if path in dicts:
                yield path, key


def _is_letter(key: Expr) -> bool:
    return isinstance(key, Call) and key.func == ir.LETTER


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


def roots_of(name: str, new_keys: bool, through: bool) -> tuple[str, ...]:
    """What stands for the dictionary of this name, which may get new keys, or be gone `through`.

    These are the values, and where they stand for keys from 0 up, and below; then the new keys, or
    all of them in their order.
    """
    parts = (">", UP, DOWN, *((" keys>",) if new_keys else (_EACH,) if through else ()))
    return tuple(f"{TABLE}{name}{part}" for part in parts)


def _called(path: str, number: int) -> str:
    """What the dictionary behind `path` is called in names of ours; see `verdict.spoken`."""
    words = path.split(".")
    if not all(map(str.isidentifier, words)):
        return str(number)
    return path if len(words) == 1 else DOT.join((*words, "0"))


def _other_uses(nest: Nest, dicts: Mapping[str, str]) -> Iterator[Refusal]:
    """What `dicts` are used for besides looking up short keys, and giving them other values."""
    beside = {local.initial for local in nest.locals} | {row.path for row in nest.rows}
    beside |= {path for turn in nest.turns for path in turn.after}
    early = [one.expr for one in nest.conditions]
    early += [extent for local in nest.locals for extent in local.extents]
    beside |= {e.array for top in early for e in walk(top) if isinstance(e, Dim)}
    letters = lettered(nest, dicts)
    for path, key in _keys(nest, dicts):
        if path not in letters and _is_letter(key):
            yield _refused(nest, nest.loop.line, f"characters and other keys: {path}")
    through, new_keys = gone_through(nest.loop), get_keys(nest.loop, dicts)
    for path in sorted(dicts):
        mixed = path in through and (path in letters or path in new_keys)
        if mixed or path in _counted(nest, path):
            yield _refused(nest, nest.loop.line, f"the keys of {path}")
    for path in sorted(dicts):
        if path in beside or {path, path.split(".")[0]} & set(nest.scalars):
            yield _refused(nest, nest.loop.line, path)
    for stmt in statements(nest.loop):
        for expr in (expr for top in expressions(stmt) for expr in walk(top)):
            match expr:
                case Load(array=path, index=(key,)) if _short(key):
                    pass
                case Dim(array=path, axis=0, attribute=False):
                    pass
                case Name(id=path) | Dim(array=path) | Load(array=path) if path in dicts:
                    yield _refused(nest, stmt.line, text(expr))
                case Call(func=func, args=args, names=names) if owner_of(func) in dicts:
                    if names or len(args) != 2 or not _short(args[0]) or not _plain(args[1]):
                        yield _refused(nest, stmt.line, text(expr))
        match stmt:
            case Assign(target=Element(array=path, index=index) as target) if path in dicts:
                if len(index) != 1 or not _short(index[0]) or stmt.whole:
                    yield _refused(nest, stmt.line, text(target))


def gone_through(loop: For) -> dict[str, set[str]]:
    """What `loop` goes through, item by item, and the variables that no user can write for it.

    Of a list they say where the items are; of a dictionary, which of its keys is at hand.
    """
    found: dict[str, set[str]] = {}
    for stmt in statements(loop):
        if isinstance(stmt, For) and stmt.var.startswith("<"):
            for one in walk(stmt.stop):
                if isinstance(one, Dim) and not one.attribute:
                    found.setdefault(one.array, set()).add(stmt.var)
    read = {
        (expr.array, expr.index[0].id)
        for stmt in statements(loop)
        for top in expressions(stmt)
        for expr in walk(top)
        if isinstance(expr, Load) and len(expr.index) == 1 and isinstance(expr.index[0], Name)
    }
    kept = {path: {name for name in names if (path, name) in read} for path, names in found.items()}
    return {path: names for path, names in kept.items() if names}


def _with_keys(loop: For, through: Mapping[str, Collection[str]], each: Mapping[str, str]) -> For:
    """`loop` with the keys of dictionaries, at `each` path, for what it goes `through`."""

    def said(expr: Expr) -> Expr:
        match expr:
            case Load(array=path, index=(Name(id=name),)) if path in each and name in through[path]:
                return replace(expr, array=each[path])
        return rebuilt(expr, said)

    def inside(block: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(rewritten(stmt, said, inside) for stmt in block)

    made = rewritten(loop, said, inside)
    assert isinstance(made, For)
    return made


def _counted(nest: Nest, path: str) -> Iterator[str]:
    """`path`, where some range ends by how many keys there are, without going through them.

    Of a list, items may be read like that; of a dictionary, these would be values of other keys.
    """
    counts: set[str] = set()
    while True:
        more = counts | {
            stmt.target.id
            for stmt in statements(nest.loop)
            if isinstance(stmt, Assign)
            and isinstance(stmt.target, Name)
            and _counts(stmt.value, path, counts)
        }
        if more == counts:
            break
        counts = more
    through = gone_through(nest.loop).get(path, ())
    loops = (s for s in statements(nest.loop) if isinstance(s, For) and s.var not in through)
    if any(_counts(end, path, counts) for loop in loops for end in expressions(loop)):
        yield path


def _counts(expr: Expr, path: str, counts: Collection[str]) -> bool:
    """Whether it depends on how many keys there are, which these scalars say as well."""
    return any(
        (isinstance(one, Dim) and one.array == path) or (isinstance(one, Name) and one.id in counts)
        for one in walk(expr)
    )


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
