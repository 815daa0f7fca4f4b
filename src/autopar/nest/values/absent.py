"""Names that may be None, as a flag and a value.

``which = None`` becomes ``<which given> = False`` where other values of `which` are numbers, and
``which is None`` asks that flag.  Wherever a number is needed and the flag does not follow from the
test of an ``if`` around, a kernel looks at it, and gives up if there is none: the interpreter says
what Python thinks of None there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Absent,
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Items,
    Load,
    Name,
    Nest,
    Put,
    Select,
    Stmt,
    Unary,
    View,
    While,
    Word,
)
from autopar.nest.meaning import rebuilt
from autopar.nest.show import text
from autopar.nest.text.asked import outside_calls
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span


def needed(nest: Nest) -> bool:
    """Whether None is named in `nest`."""
    for stmt in walking.statements(nest.loop):
        for top in walking.expressions(stmt):
            for expr in walking.walk(top):
                if isinstance(expr, Call) and expr.func == ir.IS_NONE:
                    return True
            if any(_is_none(part, frozenset()) for part in outside_calls(top)):
                return True
    return False


def apart(nest: Nest, nothing: frozenset[str] = frozenset()) -> Nest | Refusal:
    """`nest` without None.

    Parameters
    ----------
    nothing
        Live-in paths that are None, and scalars that are at first.
    """
    entered = exposed((nest.loop,)) & frozenset(nest.scalars)
    never = _never(nest.loop) - entered
    begun = nothing & entered
    never |= nothing - begun
    optional = _optional(nest.loop, begun) - never
    idle = sorted((optional | never | nothing) & nest.idle)
    if idle:
        return Refusal(Reason.UNBOUND, Span(nest.file, nest.loop.line), idle[0].strip("<>"))
    splitter = _Splitter(nest, optional, never)
    try:
        (loop,) = splitter.statement(nest.loop) or (nest.loop,)
        assert isinstance(loop, For)
        return splitter.nest_of(loop, entered, begun)
    except Refused as refused:
        return refused.refusal


def _optional(loop: For, begun: frozenset[str]) -> frozenset[str]:
    """The scalars that may be None, those that have `begun` so among them."""
    found = begun
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
        case Word(value=None):
            return True
        case Name(id=name):
            return name in never
    return False


def _is_none_part(part: ir.Part, never: frozenset[str]) -> bool:
    return isinstance(part, Name) and part.id in never


def _may_be_none(expr: Expr, optional: frozenset[str]) -> bool:
    match expr:
        case Word(value=None):
            return True
        case Name(id=name):
            return name in optional
        case Select(body=body, orelse=orelse):
            return _may_be_none(body, optional) or _may_be_none(orelse, optional)
    return False


def _nothing(name: str, line: int) -> Expr:
    """A number of no interest, of the type of a scalar."""
    return Call(f"{ir.NOTHING}{name}>", (), line)


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

    def nest_of(self, loop: For, entered: frozenset[str], begun: frozenset[str]) -> Nest:
        """The nest whose loop has been made; it is `entered` with a value of these scalars."""
        nest, line = self.nest, self.nest.loop.line
        first: list[Stmt] = []
        for name in sorted(self.optional & entered):
            if name in begun:
                first.append(self.set(Name(name), _nothing(name, line)))
            first.append(self.set(_flag(name), Const(name not in begun)))
        if first:
            loop = ir.preceded(loop, tuple(first), next(self.ids))
        live, absents = list(nest.live_out), []
        for position, name in enumerate(nest.live_out):
            if name in self.never and name in nest.scalars:
                raise self.refuse(f"{name.strip('<>')}, which is None")
            if name in self.optional:
                absents.append(Absent(position, len(live)))
                live.append(_flag(name).id)
        return replace(
            nest,
            loop=loop,
            scalars=tuple(sorted(walking.assigned(loop))),
            live_out=tuple(live),
            absents=(*nest.absents, *absents),
            names=(*nest.results, *live[len(nest.live_out) :]),
        )

    def set(self, name: Name, value: Expr) -> Stmt:
        return Assign(name, value, next(self.ids), self.nest.loop.line)

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
                if isinstance(test, Const):
                    return self.block(body) if test.value else self.block(orelse)
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
                return both(Const(False), _nothing(name, stmt.line))
            case Name(id=other) if other in self.optional:
                return both(_flag(other), value)
            case Select(test=test, body=body, orelse=orelse) if _may_be_none(value, self.optional):
                test = self.expr(test)
                if isinstance(test, Const):
                    return self.given(stmt, name, body if test.value else orelse)
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
                raise self.refuse("None in the place of a number")
            case Call(func=ir.IS_NONE, args=(value,)) if _is_none(value, self.never):
                return Const(True)
            case Call(func=ir.IS_NONE, args=(Name(id=name),)) if name in self.optional:
                return Unary("not", _flag(name), expr.line)
            case Call(func=ir.IS_NONE, args=(Name() | Const(),)):
                return Const(False)  # of numbers and arrays
            case Call(func=ir.IS_NONE, args=(Items(values=values),)) if all(
                isinstance(value, Name | Const) for value in values
            ):
                return Const(False)
            case Call(func=ir.IS_NONE):
                raise self.refuse(text(expr))
            case View(index=index) if self.adds_axes(index):
                parts = ("None" if _is_none_part(part, self.never) else part for part in index)
                return self.expr(replace(expr, index=tuple(parts)))
            case Load(array=path, index=index, line=line) if self.adds_axes(index):
                return self.expr(View(Name(path), index, line, expr.tupled))
            case Call(args=args):
                inside = (a if isinstance(a, Word) else self.expr(a) for a in args)
                return replace(expr, args=tuple(inside))
            case Name(id=name) if name in self.optional and name not in self.sure:
                return Call(ir.GIVEN, (expr, _flag(name)), self.line)
            case Unary(op="not", operand=operand):
                opposite = self.expr(operand)
                if isinstance(opposite, Const) and type(opposite.value) is bool:
                    return Const(not opposite.value)
                return replace(expr, operand=opposite)
            case Select(test=test, body=body, orelse=orelse):
                holds = self.expr(test)
                if isinstance(holds, Const):
                    return self.expr(body if holds.value else orelse)
                return replace(expr, test=holds, body=self.expr(body), orelse=self.expr(orelse))
            case ir.Logic():
                return self.logic(expr)
        return rebuilt(expr, self.expr)

    def adds_axes(self, index: Sequence[ir.Part]) -> bool:
        """Whether a subscript names None, as `np.newaxis` does."""
        return any(_is_none_part(part, self.never) for part in index)

    def logic(self, expr: ir.Logic) -> Expr:
        """``and`` or ``or``, without what follows from None alone."""
        values: list[Expr] = []
        outside = self.sure
        for value in expr.values:
            found = self.expr(value)
            yes, no = self.tested(value)
            self.sure |= yes if expr.op == "and" else no
            if not isinstance(found, Const) or type(found.value) is not bool:
                values.append(found)
                continue
            if found.value is (expr.op == "or"):  # the rest is not evaluated
                values.append(found)
                break
            if value is expr.values[-1]:
                values.append(found)
        self.sure = outside
        return values[0] if len(values) == 1 else replace(expr, values=tuple(values))
