"""Texts whose characters are compared: ``s[i] == t[j]``, ``s[i] in "AG"``, ``"a" <= s[i] <= "z"``.

A text is an array of the numbers of its characters, as long as nothing but that is done with it.
So is a list of characters, or a table of them: a list of such lists, or of texts.  A name that is
always one of them is such a number.  These are in the order of the characters.  It may be a key of
a dictionary, which then has characters for keys: `nest.values.tables`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count

from autopar.nest import ir
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Asked,
    Assign,
    Call,
    Compare,
    Comparison,
    Condition,
    Const,
    Dim,
    Element,
    Expr,
    For,
    Load,
    Logic,
    Name,
    Nest,
    Part,
    Select,
    Slice,
    Stmt,
    View,
    Word,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.naming import assigns, mentions
from autopar.nest.show import text
from autopar.nest.values.new_keys import owner_of
from autopar.nest.walking import expressions, new_ids, statements, walk
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

_NUMBER = "<index>"


def numbered(nest: Nest, texts: Mapping[str, int]) -> Nest | Refusal:
    """`nest` with comparisons of numbers in place of those of characters.

    Parameters
    ----------
    texts
        Paths of the texts, of lists of characters, and of tables of them: arrays of numbers, of so
        many axes, stand for them. And of characters, for which numbers stand, without axes.
    """
    texts = {path: rank for path, rank in texts.items() if path not in nest.spelled}
    if not any(texts.values()):
        return nest
    nest = _without_rows(nest, texts)
    characters = _characters(nest, texts)
    numbers = _Numbers(nest, texts, characters)
    try:
        (loop,) = numbers.block((nest.loop,))
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    return replace(
        nest,
        loop=loop,
        spelled=nest.spelled.union(texts),
        letters=nest.letters | characters.intersection(nest.live_out),
        conditions=(*nest.conditions, *numbers.conditions),
    )


def left(nest: Nest) -> Refusal | None:
    """Why `nest` is not taken if characters are still keys of something."""
    for stmt in statements(nest.loop):
        tops = [*expressions(stmt)]
        for expr in (expr for top in tops for expr in walk(top)):
            match expr:
                case Call(func=ir.LETTER, line=line):
                    where = Span(nest.file, line)
                    return Refusal(Reason.NOT_ARRAY, where, "a character of a text as a key")
    return None


def _characters(nest: Nest, texts: Mapping[str, int]) -> frozenset[str]:
    """Names that are always characters of `texts`, or words of one."""
    given: dict[str, list[Expr]] = {}
    others = exposed((nest.loop,))
    for stmt in statements(nest.loop):
        match stmt:
            case Assign(target=Name(id=name), value=value, augmented=False):
                given.setdefault(name, []).append(value)
            case _:
                others |= {name for name in nest.scalars if assigns(stmt, name)}
    found = given.keys() - others
    while True:
        fewer = {
            name
            for name in found
            if all(_is_character(value, texts, found) for value in given[name])
        }
        if fewer == found:
            return frozenset(found)
        found = fewer


def _is_one_of(load: Load, texts: Mapping[str, int]) -> bool:
    """Whether `load` is a character, and no row of such; tuples are no subscripts of lists."""
    return len(load.index) == texts.get(load.array) and not load.tupled


def _is_character(value: Expr, texts: Mapping[str, int], names: Collection[str]) -> bool:
    match value:
        case Load():
            return _is_one_of(value, texts)
        case Name(id=name):
            return name in names or texts.get(name) == 0
        case Word(value=str(word)):
            return len(word) == 1
        case Select(body=body, orelse=orelse):
            return all(_is_character(one, texts, names) for one in (body, orelse))
    return False


def _without_rows(nest: Nest, texts: Mapping[str, int]) -> Nest:
    """`nest` with places of tables in place of names for their rows, as loops through them have."""
    if 2 not in texts.values():
        return nest
    outside = exposed((nest.loop,)) | frozenset(nest.live_out)
    rows: dict[str, Load] = {}
    everything = list(statements(nest.loop))
    loops = [loop for loop in everything if isinstance(loop, For) and loop.var.startswith("<")]
    for loop, stmt in ((outer, stmt) for outer in loops for stmt in outer.body):
        match stmt:
            case Assign(target=Name(id=name), value=Load() as load) if texts.get(
                load.array
            ) == 2 and load.index == (Name(loop.var),):
                once = sum(assigns(one, name) for one in everything) == 1
                steady = sum(assigns(one, loop.var) for one in everything) == 1
                inside = mentions(loop, name) == mentions(nest.loop, name) == _parts_of(loop, name)
                if once and steady and inside and name not in outside:
                    rows[name] = load
    (made,) = _Rows(texts, rows, new_ids(nest.loop)).block((nest.loop,))
    assert isinstance(made, For)
    if made == nest.loop:
        return nest
    return replace(nest, loop=made, scalars=tuple(n for n in nest.scalars if n not in rows))


def _parts_of(loop: For, name: str) -> int:
    """How often an item of `name` is read in `loop`, or how many there are."""
    parts = (e for stmt in statements(loop) for top in expressions(stmt) for e in walk(top))
    return sum(_part_of(one) == name for one in parts)


def _part_of(expr: Expr) -> str | None:
    match expr:
        case View(index=(Slice() | str(),)):
            return None
        case (
            View(array=Name(id=name), index=(_,), tupled=0)
            | Call(func="<length>", args=(Name(id=name),))
        ):
            return name
    return None


@dataclass(slots=True)
class _Rows:
    """Puts places of tables in place of names for `rows`, and of items of these."""

    texts: Mapping[str, int]
    rows: Mapping[str, Load]
    ids: count[int]

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(rewritten(s, self.expr, self.block) for s in stmts if not self.names(s))

    def names(self, stmt: Stmt) -> bool:
        match stmt:
            case Assign(target=Name(id=name)):
                return name in self.rows
        return False

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case View(index=(Slice() | str(),)):
                pass
            case View(array=Name(id=name), index=(place,), line=line) if name in self.rows:
                return self.item(self.rows[name], place, line)
            case View(array=Load(array=path, index=(_,)) as row, index=(place,), line=line) if (
                self.texts.get(path) == 2 and not row.tupled
            ):
                return self.item(row, place, line)
            case Call(func="<length>", args=(Name(id=name),)) if name in self.rows:
                return Dim(self.rows[name].array, 1)
        return rebuilt(expr, self.expr)

    def item(self, row: Load, place: Part, line: int) -> Expr:
        assert not isinstance(place, Slice | str)
        index = (*map(self.expr, row.index), self.expr(place))
        return replace(row, index=index, id=next(self.ids), line=line, nested=True)


@dataclass(slots=True)
class _Numbers:
    """Puts numbers in place of characters; `names` are always such."""

    nest: Nest
    texts: Mapping[str, int]
    names: frozenset[str]
    ids: count[int] = field(init=False)
    conditions: dict[Condition, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ids = new_ids(self.nest.loop)

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(self.statement, stmts))

    def statement(self, stmt: Stmt) -> Stmt:
        match stmt:
            case Assign(target=Name(id=name), value=value) if name in self.names:
                number = self.number(value)
                return replace(stmt, value=self.expr(value) if number is None else number)
            case Assign(target=Element(array=path) as target, value=value) if path in self.texts:
                return self.stored(stmt, target, value)
            case Assign(target=Element(index=(key,)) as target):
                letter = self.letter(key)
                if letter is not None:
                    target = replace(target, index=(letter,))
                    return replace(stmt, target=target, value=self.expr(stmt.value))
        return rewritten(stmt, self.expr, self.block)

    def stored(self, stmt: Assign, target: Element, value: Expr) -> Assign:
        """``grid[i][j] = "#"``."""
        known = _is_character(value, self.texts, self.names)
        number = self.number(value) if known else None
        if number is None or target.tupled or len(target.index) != self.texts[target.array]:
            raise self.refuse(f"{text(target)} = {text(value)}, no character", stmt.line)
        return replace(
            stmt, target=replace(target, index=tuple(map(self.expr, target.index))), value=number
        )

    def number(self, expr: Expr) -> Expr | None:
        """Of a character; None: it is none."""
        match expr:
            case Select(test=test, body=body, orelse=orelse):
                one, two = self.number(body), self.number(orelse)
                if one is not None and two is not None:
                    return replace(expr, test=self.expr(test), body=one, orelse=two)
            case Load(index=index, line=line) if _is_one_of(expr, self.texts):
                return Call(_NUMBER, (replace(expr, index=tuple(map(self.expr, index))),), line)
            case Name(id=name) if name in self.names or self.texts.get(name) == 0:
                return expr
            case Word(value=str(word)):
                return Const(ord(word) if len(word) == 1 else -1)  # which no character is
        return None

    def letter(self, key: Expr) -> Expr | None:
        """A character as a key; None: it is none."""
        number = None if isinstance(key, Word) else self.number(key)
        line = getattr(key, "line", self.nest.loop.line)
        return None if number is None else Call(ir.LETTER, (number,), line)

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Call(func=ir.LETTER):
                return expr
            case Load(array=path, index=(key,)) if path not in self.texts:
                letter = self.letter(key)
                return (
                    rebuilt(expr, self.expr) if letter is None else replace(expr, index=(letter,))
                )
            case Call(func=func, args=(key, other)) if owner_of(func):
                letter = self.letter(key)
                key = self.expr(key) if letter is None else letter
                return replace(expr, args=(key, self.expr(other)))
            case Asked(op="==", left=left, right=right, line=line):
                return self.compared("==", left, right, line) or rebuilt(expr, self.expr)
            case Compare(op=op, left=left, right=right, line=line):
                return self.compared(op, left, right, line) or rebuilt(expr, self.expr)
            case Call(func=ir.AMONG, args=(one, Word(value=str(word))), line=line):
                number = self.number(one)
                if number is not None and not isinstance(one, Word):
                    return self.among(number, word, line)
            case Call(func=ir.ORD, args=(one,)):
                number = self.number(one)
                if number is not None and not isinstance(one, Word):
                    return number
            case Call(func="<length>", args=(Load(array=path, index=(place,)),), line=line) if (
                self.texts.get(path) == 2 and self.is_row(path, place, line)
            ):
                return Dim(path, 1)
            case Load(array=path) | Dim(array=path, attribute=True) if path in self.texts:
                raise self.refuse(f"{text(expr)} of a text", getattr(expr, "line", 0))
            case Name(id=name) if name in self.names:
                raise self.refuse(f"{text(expr)}, a character of a text", 0)
            case Name(id=name) if name in self.texts:
                raise self.refuse(f"{text(expr)}, characters as a whole", 0)
        return rebuilt(expr, self.expr)

    def is_row(self, path: str, place: Expr, line: int) -> bool:
        """Whether a table has a row there, for sure or by a condition of the call."""
        match place:
            case Const(value=int(k)) if type(k) is int:
                least = k + 1 if k >= 0 else -k
                why = f"{path} with fewer than {least} rows"
                if least > 1:  # none is empty
                    known = Condition(Dim(path, 0), least, None, (), line, why)
                    self.conditions[known] = None
                return True
            case Name(id=name):
                loops = [s for s in statements(self.nest.loop) if isinstance(s, For)]
                around = [one for one in loops if one.var == name]
                start = [one.start.value for one in around if isinstance(one.start, Const)]
                once = sum(assigns(s, name) for s in statements(self.nest.loop)) == 1
                ends = [one.stop for one in around if one.step == Const(1)]
                return once and start == [0] and ends == [Dim(path, 0)]
        return False

    def compared(self, op: Comparison, left: Expr, right: Expr, line: int) -> Expr | None:
        """The same comparison of the numbers of characters; None: they are none."""
        one, two = self.number(left), self.number(right)
        words = [side for side in (left, right) if isinstance(side, Word)]
        if one is None or two is None or len(words) == 2:
            return None
        long = any(len(word.value or "") != 1 for word in words)
        return None if long and op not in ("==", "!=") else Compare(op, one, two, line)

    def among(self, number: Expr, word: str, line: int) -> Expr:
        """Whether it is the number of a character of `word`."""
        tests = tuple(
            Compare("==", renumbered(number, self.ids), Const(ord(one)), line)
            for one in dict.fromkeys(word)
        )
        return tests[0] if len(tests) == 1 else Logic("or", tests, line)

    def refuse(self, detail: str, line: int) -> Refused:
        span = Span(self.nest.file, line or self.nest.loop.line)
        return Refused(Refusal(Reason.WRONG_TYPE, span, detail))
