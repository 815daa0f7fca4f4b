"""Names that may be None, as a flag and a value.

``which = None`` becomes ``<which given> = False`` where other values of `which` are numbers, and
``which is None`` asks that flag.  Wherever a number is needed and the flag does not follow from the
test of an ``if`` around, a kernel looks at it, and gives up if there is none: the interpreter says
what Python thinks of None there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Items,
    Name,
    Nest,
    Put,
    Select,
    Stmt,
    Unary,
    View,
    While,
)
from autopar.nest.meaning import rebuilt
from autopar.nest.show import text
from autopar.verdict import Reason, Refusal, Refused, Span


def needed(nest: Nest) -> bool:
    """Whether None is named in `nest`."""
    for stmt in walking.statements(nest.loop):
        for top in walking.expressions(stmt):
            for expr in walking.walk(top):
                if isinstance(expr, Call) and expr.func in (ir.NONE, ir.IS_NONE):
                    return True
    return False


def apart(nest: Nest) -> Nest | Refusal:
    """`nest` without None."""
    never = _never(nest.loop)
    splitter = _Splitter(nest, _optional(nest.loop) - never, never)
    try:
        splitter.local()
        (loop,) = splitter.statement(nest.loop)
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    return replace(nest, loop=loop, scalars=tuple(sorted(walking.assigned(loop))))


def _optional(loop: For) -> frozenset[str]:
    """The scalars that may be None."""
    found: frozenset[str] = frozenset()
    while True:
        more = found | {
            stmt.target.id
            for stmt in walking.statements(loop)
            if isinstance(stmt, Assign)
            and isinstance(stmt.target, Name)
            and _may_be_none(stmt.value, found)
        }
        if more == found:
            return found
        found = more


def _never(loop: For) -> frozenset[str]:
    """The scalars that are never anything but None."""
    values: dict[str, list[Expr]] = {}
    for stmt in walking.statements(loop):
        match stmt:
            case Assign(target=Name(id=name), value=value):
                values.setdefault(name, []).append(value)
            case For(var=var):
                values.setdefault(var, []).append(stmt.start)
    found = frozenset(values)
    while True:
        fewer = frozenset(
            name for name in found if all(_is_none(value, found) for value in values[name])
        )
        if fewer == found:
            return found
        found = fewer


def _is_none(expr: Expr, never: frozenset[str]) -> bool:
    match expr:
        case Call(func=ir.NONE):
            return True
        case Name(id=name):
            return name in never
    return False


def _may_be_none(expr: Expr, optional: frozenset[str]) -> bool:
    match expr:
        case Call(func=ir.NONE):
            return True
        case Name(id=name):
            return name in optional
        case Select(body=body, orelse=orelse):
            return _may_be_none(body, optional) or _may_be_none(orelse, optional)
    return False


def _flag(name: str) -> Name:
    return Name(f"<{name.strip('<>')} given>")


@dataclass(slots=True)
class _Splitter:
    """Makes a flag and a value of each of the `optional` names; of those in `sure` it is up.

    Those in `never` are only ever None.
    """

    nest: Nest
    optional: frozenset[str]
    never: frozenset[str]
    sure: frozenset[str] = frozenset()
    line: int = 0
    ids: count[int] = field(init=False)

    def __post_init__(self) -> None:
        self.ids = count(1 + max(walking.numbers(self.nest.loop)))

    def refuse(self, detail: str) -> Refused:
        return Refused(Refusal(Reason.SYNTAX, Span(self.nest.file, self.line), detail))

    def local(self) -> None:
        """Nobody outside of the nest sees one of these names."""
        self.line = self.nest.loop.line
        seen = (self.optional | self.never) & {*self.nest.live_out, *exposed((self.nest.loop,))}
        for name in sorted(seen):
            raise self.refuse(f"{name.strip('<>')}, which may be None outside of the loop")

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt], sure: frozenset[str] = frozenset()) -> tuple[Stmt, ...]:
        """`stmts`, where these names are `sure` to have a value, too."""
        outside = self.sure
        changed = frozenset().union(*map(walking.assigned, stmts))
        self.sure |= sure - changed
        made = tuple(one for stmt in stmts for one in self.statement(stmt))
        self.sure = outside
        return made

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        self.line = stmt.line
        match stmt:
            case Assign(target=Name(id=name)) if name in self.never:
                return ()
            case Assign(target=Name(id=name), value=value) if name in self.optional:
                return self.given(stmt, name, value)
            case Assign(target=target, value=value):
                if isinstance(target, Element):
                    target = replace(target, index=tuple(map(self.expr, target.index)))
                return (replace(stmt, target=target, value=self.expr(value)),)
            case Put(target=target, value=value):
                place = self.expr(target)
                assert isinstance(place, View)
                return (replace(stmt, target=place, value=self.expr(value)),)
            case If(test=test, body=body, orelse=orelse):
                yes, no = self.tested(test)
                test = self.expr(test)
                both = self.block(body, yes), self.block(orelse, no)
                return (replace(stmt, test=test, body=both[0], orelse=both[1]),)
            case While(test=test, body=body):
                return (replace(stmt, test=self.expr(test), body=self.block(body)),)
            case For(start=start, stop=stop, step=step, body=body):
                start, stop, step = map(self.expr, (start, stop, step))
                return (replace(stmt, start=start, stop=stop, step=step, body=self.block(body)),)
        return (stmt,)

    def given(self, stmt: Assign, name: str, value: Expr) -> tuple[Stmt, ...]:
        """``name = value``, where either may be None."""

        def both(flag: Expr, value: Expr) -> tuple[Stmt, ...]:
            up = Assign(_flag(name), flag, next(self.ids), stmt.line)
            return replace(stmt, value=value, id=next(self.ids)), up

        match value:
            case _ if _is_none(value, self.never):
                return both(Const(False), Call(f"{ir.NOTHING}{name}>", (), stmt.line))
            case Name(id=other) if other in self.optional:
                return both(_flag(other), value)
            case Select(test=test, body=body, orelse=orelse) if _may_be_none(value, self.optional):
                test = self.expr(test)
                yes, no = self.given(stmt, name, body), self.given(stmt, name, orelse)
                return (If(test, yes, no, next(self.ids), stmt.line),)
        return both(Const(True), self.expr(value))

    def tested(self, test: Expr) -> tuple[frozenset[str], frozenset[str]]:
        """Names that are sure to have a value where `test` holds, and where it does not."""
        match test:
            case Call(func=ir.IS_NONE, args=(Name(id=name),)):
                return frozenset(), frozenset((name,))
            case Unary(op="not", operand=operand):
                yes, no = self.tested(operand)
                return no, yes
            case ir.Logic(op="and", values=values):
                return frozenset().union(*(self.tested(v)[0] for v in values)), frozenset()
            case ir.Logic(op="or", values=values):
                return frozenset(), frozenset().union(*(self.tested(v)[1] for v in values))
        return frozenset(), frozenset()

    # ------------------------------------------------------------------ expressions

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case _ if _is_none(expr, self.never):
                raise self.refuse("None as an operand")
            case Call(func=ir.IS_NONE, args=(value,)) if _is_none(value, self.never):
                return Const(True)
            case Call(func=ir.IS_NONE, args=(Name(id=name),)) if name in self.optional:
                return Unary("not", _flag(name), expr.line)
            case Call(func=ir.IS_NONE, args=(Name() | Const() | Items(),)):
                return Const(False)  # numbers and arrays are none
            case Call(func=ir.IS_NONE):
                raise self.refuse(text(expr))
            case Name(id=name) if name in self.optional and name not in self.sure:
                return Call(ir.GIVEN, (expr, _flag(name)), self.line)
        return rebuilt(expr, self.expr)
