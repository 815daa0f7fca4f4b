"""Texts whose characters are compared: ``s[i] == t[j]``, ``s[i] in "AG"``, ``"a" <= s[i] <= "z"``.

A text is an array of the numbers of its characters, as long as nothing but that is done with it,
and a name that is always one of them is such a number.  These are in the order of the characters.
It may be a key of a dictionary, which then has characters for keys: `nest.values.tables`.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from autopar.nest import ir
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Asked,
    Assign,
    Call,
    Compare,
    Comparison,
    Const,
    Dim,
    Element,
    Expr,
    For,
    Load,
    Logic,
    Name,
    Nest,
    Stmt,
    Word,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.naming import assigns
from autopar.nest.show import text
from autopar.nest.values.new_keys import owner_of
from autopar.nest.walking import expressions, new_ids, statements, walk
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

_NUMBER = "<index>"


def numbered(nest: Nest, texts: Collection[str]) -> Nest | Refusal:
    """`nest` with comparisons of numbers in place of those of characters.

    Parameters
    ----------
    texts
        Paths of the texts; arrays of numbers stand for them.
    """
    characters = _characters(nest, texts)
    try:
        (loop,) = _Numbers(nest, texts, characters).block((nest.loop,))
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    return replace(nest, loop=loop, letters=nest.letters | characters.intersection(nest.live_out))


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


def _characters(nest: Nest, texts: Collection[str]) -> frozenset[str]:
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


def _is_character(value: Expr, texts: Collection[str], names: Collection[str]) -> bool:
    match value:
        case Load(array=path, index=(_,)):
            return path in texts
        case Name(id=name):
            return name in names
        case Word(value=str(word)):
            return len(word) == 1
    return False


@dataclass(slots=True)
class _Numbers:
    """Puts numbers in place of characters; `names` are always such."""

    nest: Nest
    texts: Collection[str]
    names: frozenset[str]
    ids: count[int] = field(init=False)

    def __post_init__(self) -> None:
        self.ids = new_ids(self.nest.loop)

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(self.statement, stmts))

    def statement(self, stmt: Stmt) -> Stmt:
        match stmt:
            case Assign(target=Name(id=name), value=value) if name in self.names:
                number = self.number(value)
                return replace(stmt, value=self.expr(value) if number is None else number)
            case Assign(target=Element(index=(key,)) as target):
                letter = self.letter(key)
                if letter is not None:
                    target = replace(target, index=(letter,))
                    return replace(stmt, target=target, value=self.expr(stmt.value))
        return rewritten(stmt, self.expr, self.block)

    def number(self, expr: Expr) -> Expr | None:
        """Of a character; None: it is none."""
        match expr:
            case Load(array=path, index=(index,), line=line) if path in self.texts:
                return Call(_NUMBER, (replace(expr, index=(self.expr(index),)),), line)
            case Name(id=name) if name in self.names:
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
            case Call(func=func, args=(Load(array=path) as load,)) if func == _NUMBER:
                if path in self.texts:  # as this has put it
                    return replace(expr, args=(rebuilt(load, self.expr),))
            case Load(array=path) | Dim(array=path, attribute=True) if path in self.texts:
                raise self.refuse(f"{text(expr)} of a text", getattr(expr, "line", 0))
            case Name(id=name) if name in self.names:
                raise self.refuse(f"{text(expr)}, a character of a text", 0)
        return rebuilt(expr, self.expr)

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
