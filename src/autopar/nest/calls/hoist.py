"""Calls taken out of expressions: what they need is put in front of the statement, in order.

Each call is evaluated exactly as often as Python evaluates it, and in Python's order: operands that
may not be evaluated become branches, and what the IR says twice though Python evaluates it once
(the middle of ``a < b < c``, the subscript of ``a[i] += 1``) is taken out once.  What has been read
before a call that stores into arrays, as ``a[i]`` in ``a[i] + f(a)``, is read in front of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import count

from autopar.nest import walking
from autopar.nest.ir import (
    STAR,
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Items,
    Load,
    Logic,
    Name,
    Nest,
    Put,
    Select,
    Stmt,
    View,
    While,
)
from autopar.nest.meaning import rebuilt, renumbered
from autopar.nest.show import text
from autopar.nest.text import lazily
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

_STEADY = (Name, Const, Dim)
"""What a call does not change: a name means the same array, and scalars are the nest's own."""


def _moved(expr: Expr) -> Expr:
    """`expr`, of which only the value may be computed in front of the statement."""
    made = rebuilt(expr, _moved)
    return replace(made, moved=True) if isinstance(made, Call) else made


def called(func: str, number: int) -> Name:
    """The scalar that holds what a call by the path `func` has answered."""
    return Name(f"<{func.rpartition('>.')[2]}() {number}>")


@dataclass(slots=True)
class Hoist:
    """Takes the calls that `takes` names out of a nest.

    Attributes
    ----------
    storing
        Whether there are calls that may store into arrays.
    """

    nest: Nest
    ids: count[int] = field(init=False)
    storing: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.ids = count(1 + max(walking.numbers(self.nest.loop)))

    @abstractmethod
    def takes(self, func: str) -> bool:
        """Whether calls by this path are taken out."""

    @abstractmethod
    def call(self, call: Call, first: list[Stmt]) -> Expr:
        """The value of `call`, whose arguments are done; what computes it goes to `first`."""

    def stores(self, func: str) -> bool:
        """Whether a call by this path, which is taken out, may store into arrays."""
        return False

    def refuse(self, line: int, detail: str, reason: Reason = Reason.CALL) -> Refused:
        return Refused(Refusal(reason, Span(self.nest.file, line), detail))

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(made for stmt in stmts for made in self.statement(stmt))

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """`stmt`, and before it what its calls compute."""
        first: list[Stmt] = []

        def seen(expr: Expr) -> Expr:
            return self.expr(expr, first)

        made = stmt
        match stmt:
            case Assign(target=Element() as target, augmented=True) if self.in_any(target.index):
                made = self.updated(stmt, target, first)
            case Assign(target=Element(index=index) as target, value=value):
                if stmt.augmented:
                    self.steady(value, index, stmt)
                value, *places = self.in_order((value, *index), stmt.line, first)
                made = replace(stmt, target=replace(target, index=tuple(places)), value=value)
            case Assign(value=value):
                made = replace(stmt, value=seen(value))
            case Put(target=target, value=value, augmented=augmented):
                if augmented and self.within(target):
                    raise self.refuse(stmt.line, text(target))
                if augmented:
                    self.steady(value, (target,), stmt)
                value, place = self.in_order((value, target), stmt.line, first)
                assert isinstance(place, View)
                made = replace(stmt, target=place, value=value)
            case If(test=test, body=body, orelse=orelse):
                test = seen(test)
                made = replace(stmt, test=test, body=self.block(body), orelse=self.block(orelse))
            case While(test=test, body=body):
                made = lazily.tested(stmt, self.later(test), self.block(body), self.ids)
            case For(start=start, stop=stop, step=step, body=body):
                start, stop, step = self.in_order((start, stop, step), stmt.line, first)
                if first and stmt is self.nest.loop:
                    raise self.refuse(stmt.line, "a call in the range of the outermost loop")
                inside = self.block(body)
                made = replace(stmt, start=start, stop=stop, step=step, body=inside)
        return (*first, made)

    def updated(self, stmt: Assign, target: Element, first: list[Stmt]) -> Assign:
        """``a[i] += value``, whose subscript is evaluated once, before the value."""
        match stmt.value:
            case Binary(left=Load() as old, right=right) as value if not self.acts(right):
                index = tuple(self.expr(e, first) for e in old.index)
                value = replace(
                    value, left=replace(old, index=index), right=self.expr(right, first)
                )
                place = replace(target, index=tuple(renumbered(e, self.ids) for e in index))
                return replace(stmt, target=place, value=value)
        raise self.refuse(stmt.line, text(stmt.value))

    # ------------------------------------------------------------------ expressions

    def within(self, expr: Expr) -> bool:
        """Whether there is a call in `expr` that is taken out."""
        return any(isinstance(part, Call) and self.takes(part.func) for part in walking.walk(expr))

    def in_any(self, exprs: Sequence[Expr]) -> bool:
        return any(map(self.within, exprs))

    def acts(self, expr: Expr) -> bool:
        """Whether a call in `expr` may store into arrays."""
        return self.storing and any(
            isinstance(part, Call) and self.stores(part.func) for part in walking.walk(expr)
        )

    def steady(self, value: Expr, place: Sequence[Expr], stmt: Assign | Put) -> None:
        """See to it that an augmented assignment's subscript is not changed by its value."""
        parts = [
            part for e in place for part in (walking.children(e) if isinstance(e, View) else (e,))
        ]
        if self.acts(value) and not all(isinstance(part, _STEADY) for part in parts):
            raise self.refuse(stmt.line, text(stmt.value))

    def in_order(self, exprs: Sequence[Expr], line: int, first: list[Stmt]) -> list[Expr]:
        """Operands that Python evaluates one after the other."""
        last = max((k for k, expr in enumerate(exprs) if self.acts(expr)), default=0)
        found: list[Expr] = []
        for k, expr in enumerate(exprs):
            if not all(isinstance(value, _STEADY) for value in found) and self.within(expr):
                expr = _moved(expr)
            value = self.expr(expr, first)
            if k < last and not isinstance(value, _STEADY):
                if isinstance(value, Items) or (isinstance(value, Call) and value.func == STAR):
                    raise self.refuse(line, text(value))
                here = next(self.ids)
                held = Name(f"<t {here}>")
                first.append(Assign(held, value, here, line))
                value = held
            found.append(value)
        return found

    def expr(self, expr: Expr, first: list[Stmt]) -> Expr:
        """`expr` without the calls; what they compute goes to `first`."""
        match expr:
            case Logic(chain=True):
                return self.chain(expr, first)
            case Logic():
                return self.logic(expr, first)
            case Select():
                return self.select(expr, first)
        inner = walking.children(expr)
        operands = iter(self.in_order(inner, getattr(expr, "line", 0), first) if inner else ())
        made = rebuilt(expr, lambda _: next(operands))
        if isinstance(made, Call) and self.takes(made.func):
            return self.call(made, first)
        return made

    def select(self, expr: Select, first: list[Stmt]) -> Expr:
        test = self.expr(expr.test, first)
        made, value = lazily.select(
            expr, test, self.later(expr.body), self.later(expr.orelse), self.ids
        )
        first += made
        return value

    def logic(self, expr: Logic, first: list[Stmt]) -> Expr:
        value, *rest = expr.values
        start = self.expr(value, first)
        made, last = lazily.logic(expr, start, list(map(self.later, rest)), self.ids)
        first += made
        return last

    def chain(self, expr: Logic, first: list[Stmt]) -> Expr:
        """``a < b < c``: both comparisons have the one `b`."""
        start, *others = expr.values
        assert isinstance(start, Compare)
        if any(map(self.acts, others)):
            raise self.refuse(expr.line, text(expr))
        left, right = self.in_order((start.left, start.right), start.line, first)
        start = replace(start, left=left, right=right)
        rest: list[lazily.Later] = []
        middle: Expr = start.right
        for other in others:
            assert isinstance(other, Compare)
            if self.within(other.left):
                if rest:  # it may not be evaluated, and two comparisons need it
                    raise self.refuse(expr.line, text(expr))
                other = replace(other, left=renumbered(middle, self.ids))
            made, right = self.later(other.right)
            rest.append((made, replace(other, right=right)))
        stmts, last = lazily.logic(expr, start, rest, self.ids)
        first += stmts
        return last

    def later(self, expr: Expr) -> lazily.Later:
        """`expr`, which may not be evaluated, and what its calls compute."""
        first: list[Stmt] = []
        value = self.expr(expr, first)
        return first, value
