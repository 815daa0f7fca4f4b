"""Calls of helper functions, written out.

What a call computes is put in front of the statement that needs it, in variables of its own.  An
argument that is only handed on keeps its name, so arrays and objects may be handed on too.

Names of a helper's module are live-ins as well.  Their paths begin with the path of the helper:
``f.<globals>.c``, ``f.<closure>.c`` for a variable of a function around it, ``f.<defaults>.0``,
``f.<defaults>.d`` for a parameter by keyword only.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from autopar.nest import ir, walking
from autopar.nest.calls.definition import RESULT, Helper
from autopar.nest.calls.hoist import Hoist, called
from autopar.nest.hidden import CLOSURE, DEFAULTS, GLOBALS
from autopar.nest.ir import (
    Asked,
    Assign,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Name,
    Nest,
    Put,
    Stmt,
    View,
    While,
    Word,
)
from autopar.nest.meaning import on_line, rebuilt, renumbered
from autopar.nest.show import text
from autopar.nest.text.asked import pruned
from autopar.nest.text.reading import LENGTH, METHODS, SHAPE
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

_TYPED = (ir.NOTHING, ir.START, ir.BEGUN, ir.SUMMED, ir.LOST, ir.WHOLE)
"""These have the name of a scalar in theirs."""
_MOST_STATEMENTS = 2000  # of a nest with all that its calls compute


def inlined(
    nest: Nest,
    helpers: Mapping[str, Helper],
    kept: frozenset[str] = frozenset(),
) -> Nest | Refusal:
    """`nest` without calls of `helpers`, which are known by the paths that it calls them by.

    A helper may call others; these calls are left for another round.

    Parameters
    ----------
    kept
        Paths of functions whose calls must stay in order with those of `helpers`.
    """
    inliner = _Inliner(nest, helpers, kept)
    try:
        (loop,) = inliner.statement(nest.loop)
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    if sum(1 for _ in walking.statements(loop)) > _MOST_STATEMENTS:
        where = Span(nest.file, nest.loop.line)
        return Refusal(Reason.CALL, where, "helper functions that are too long")
    paths = frozenset(nest.paths) - helpers.keys() | inliner.paths
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted(paths)),
        scalars=tuple(sorted(walking.assigned(loop))),
        counting=tuple(sorted({*nest.counting, *inliner.counting.items()})),
        elsewhere=nest.elsewhere or any(helper.elsewhere for helper in helpers.values()),
    )


@dataclass(slots=True)
class _Inliner(Hoist):
    """Writes calls out; `kept` ones are only put where they are evaluated, in their order."""

    helpers: Mapping[str, Helper]
    kept: frozenset[str]
    paths: set[str] = field(default_factory=set)
    counting: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Hoist.__post_init__(self)
        self.storing = any(helper.stores for helper in self.helpers.values())

    def takes(self, func: str) -> bool:
        return func in self.helpers or func in self.kept

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Assign(target=Name(id=name), value=Call(func=func) as call) if (
                name.startswith(ir.DROPPED) and func in self.helpers
            ):
                first: list[Stmt] = []
                args = tuple(self.in_order(call.args, call.line, first))
                self.written(replace(call, args=args), self.helpers[func], first)
                return tuple(first)
        return Hoist.statement(self, stmt)

    def stores(self, func: str) -> bool:
        helper = self.helpers.get(func)
        return helper is not None and helper.stores

    def call(self, call: Call, first: list[Stmt]) -> Expr:
        helper = self.helpers.get(call.func)
        if helper is not None:
            if helper.stores and call.moved:
                detail = f"{text(call)} does more than compute a value, beside other values"
                raise self.refuse(call.line, detail)
            return self.written(call, helper, first)
        value = called(call.func, next(self.ids))
        first.append(Assign(value, call, next(self.ids), call.line))
        return value

    def written(self, call: Call, helper: Helper, first: list[Stmt]) -> Expr:
        """What `call` computes."""
        before: list[Stmt] = []
        args = self.arguments(call, helper, before)
        number = next(self.ids)
        meant: dict[str, Expr] = {}

        def variable(name: str) -> Name:
            if name.startswith(ir.DROPPED):
                return Name(f"{name[:-1]} {number}>")
            what = f"{helper.name}()" if name == RESULT else f"{name} of {helper.name}"
            return Name(f"<{what} {number}>")

        for param, arg in zip(helper.params, args, strict=True):
            if param in helper.variables or not isinstance(arg, Name | Const | Word):
                meant[param] = variable(param)
                before.append(Assign(variable(param), arg, next(self.ids), call.line))
            else:
                meant[param] = arg
        meant |= {name: variable(name) for name in helper.variables if name not in meant}
        copy = _Copy(call, helper, meant, self.nest, self.ids)
        body = tuple(map(copy.statement, pruned(helper.body, copy.answer)))
        self.paths |= copy.paths
        self.counting |= copy.counting
        if helper.elsewhere:
            body = tuple(on_line(stmt, call.line) for stmt in body)
        first += (*before, *body)
        return meant.get(RESULT, Word(None, call.line))

    def spread(self, call: Call, helper: Helper, before: list[Stmt]) -> Call:
        """`call` with as many arguments for one with a star as parameters are left for it."""
        stars = [k for k, arg in enumerate(call.args) if _is_star(arg)]
        if not stars:
            return call
        (k,) = stars
        number = len(helper.params) - helper.bound - (len(call.args) - 1)
        star = call.args[k]
        if helper.defaults or helper.keywords or number < 1 or not isinstance(star, Call):
            raise self.refuse(call.line, text(call))
        here = next(self.ids)
        held = Name(f"{ir.UNPACKED}{here}>")
        items = Call(f"{ir.UNPACK}{number}>", star.args, call.line)
        before.append(Assign(held, items, here, call.line))
        several = (View(held, (Const(j),), call.line) for j in range(number))
        return replace(call, args=(*call.args[:k], *several, *call.args[k + 1 :]))

    def arguments(self, call: Call, helper: Helper, before: list[Stmt]) -> list[Expr]:
        owner = (Name(call.func.rpartition(".")[0]),) if helper.bound else ()
        call = self.spread(call, helper, before)
        first = len(call.args) - len(call.names)
        placed = helper.placed
        given = dict(zip(placed, (*owner, *call.args[:first]), strict=False))
        twice = (given.keys() | helper.nameless) & set(call.names)
        given |= dict(zip(call.names, call.args[first:], strict=True))
        optional = placed[len(placed) - helper.defaults :]
        # From the last one on, and by name.
        defaults = [(param, str(k - helper.defaults)) for k, param in enumerate(optional)]
        defaults += [(param, param) for param, has_default in helper.keywords if has_default]
        for param, place in defaults:
            if param not in given:
                path = f"{call.func}.{DEFAULTS}.{place}"
                self.paths.add(path)
                given[param] = Name(path)
        count, most = len(owner) + len(call.args), len(placed) + len(call.names)
        if twice or given.keys() != set(helper.params) or count > most:
            raise self.refuse(call.line, f"{text(call)} with these {count} arguments")
        return [given[param] for param in helper.params]


@dataclass(slots=True)
class _Copy:
    """The body of a helper for one call, with names and numbers of its own."""

    call: Call
    helper: Helper
    meant: dict[str, Expr]
    nest: Nest
    ids: count[int]
    paths: set[str] = field(default_factory=set)
    counting: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.counting = {self.path(path): name for path, name in self.helper.counting}

    def statement(self, stmt: Stmt) -> Stmt:
        here = next(self.ids)
        match stmt:
            case Assign(target=Name(id=name), value=value):
                target = self.meant[name]
                assert isinstance(target, Name)
                if isinstance(value, Call) and value.func.startswith(_TYPED):
                    word, _, typed = value.func.partition(" ")
                    value = replace(value, func=f"{word} {self.called(typed[:-1])}>")
                return replace(stmt, target=target, value=self.expr(value), id=here)
            case Put(
                target=View(array=Name(id=name), index=("append",) | ("pop",)) as place,
                value=value,
            ):
                if name not in self.helper.variables:
                    detail = f"{text(self.call)} does more than compute a value"
                    raise Refused(Refusal(Reason.CALL, Span(self.nest.file, stmt.line), detail))
                place = replace(place, array=self.meant[name])
                return replace(stmt, target=place, value=self.expr(value), id=here)
            case Assign(target=Element(array=path, index=index) as target, value=value):
                value = self.expr(value)
                spot = replace(
                    target,
                    array=self.path(path),
                    index=tuple(map(self.expr, index)),
                    id=next(self.ids),
                )
                return replace(stmt, target=spot, value=value, id=here)
            case Put(target=target, value=value):
                part = self.expr(target)
                assert isinstance(part, View)
                return replace(stmt, target=part, value=self.expr(value), id=here)
            case If(test=test, body=body, orelse=orelse):
                return replace(
                    stmt,
                    test=self.expr(test),
                    body=tuple(map(self.statement, body)),
                    orelse=tuple(map(self.statement, orelse)),
                    id=here,
                )
            case While(test=test, body=body):
                inside = tuple(map(self.statement, body))
                return replace(stmt, test=self.expr(test), body=inside, id=here)
            case For(var=var, start=start, stop=stop, step=step, body=body):
                own = self.meant[var]
                assert isinstance(own, Name)
                start, stop, step = map(self.expr, (start, stop, step))
                inside = tuple(map(self.statement, body))
                return For(own.id, start, stop, step, inside, here, stmt.line)
        assert isinstance(stmt, Leave)
        return replace(stmt, id=here)

    def called(self, scalar: str) -> str:
        """A scalar of the helper, as it is called in the nest."""
        own = self.meant[scalar]
        assert isinstance(own, Name)
        return own.id

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Name(id=name) if name in self.meant:
                return renumbered(self.meant[name], self.ids)
            case Name(id=path):
                return Name(self.path(path, number=True))
            case Asked(op=op, left=left, right=right, line=line):
                one, two = self.expr(left), self.expr(right)
                scalar, other = (isinstance(e, Name) and self.made(e.id) for e in (left, right))
                if op == "is" and isinstance(two, Word) and scalar:
                    return Call(ir.IS_NONE, (one,), line)
                if op == "==" and (scalar or other):  # perhaps a character
                    return Compare("==", one, two, line)
                return Asked(op, one, two, line)
            case Dim(array=path, axis=int(axis), attribute=attribute) if self.made(path):
                owner = renumbered(self.meant[path], self.ids)
                if not attribute:
                    return Call(LENGTH, (owner,), self.call.line)
                return View(Call(SHAPE, (owner,), self.call.line), (Const(axis),), self.call.line)
            case Load(array=path, index=index, line=line) if self.made(path) and index:
                inner = tuple(map(self.expr, index))
                owner = renumbered(self.meant[path], self.ids)
                if not expr.nested:
                    return View(owner, inner, line, expr.tupled)
                if expr.tupled:  # who knows where one subscript ends
                    raise Refused(Refusal(Reason.CALL, Span(self.nest.file, line), text(self.call)))
                for part in inner:
                    owner = View(owner, (part,), line)
                return owner
            case Dim(array=path):
                return replace(expr, array=self.path(path))
            case Load(array=path, index=index):
                inner = tuple(map(self.expr, index))
                return replace(expr, array=self.path(path), index=inner, id=next(self.ids))
            case Call(func=func) if func.startswith("<"):
                return rebuilt(expr, self.expr)
            case Call(func=func, args=args):
                args = tuple(map(self.expr, args))
                moved = expr.moved or self.call.moved
                root, _, method = func.partition(".")
                if method in METHODS and self.made(root):
                    owner = renumbered(self.meant[root], self.ids)
                    return replace(expr, func=f"<.{method}>", args=(owner, *args), moved=moved)
                return replace(expr, func=self.path(func), args=args, moved=moved)
        return rebuilt(expr, self.expr)

    def answer(self, question: Expr) -> bool | None:
        """What literals that are handed on say to a question of the helper."""
        if not isinstance(question, Asked):
            return None
        sides = [
            self.meant.get(s.id, s) if isinstance(s, Name) else s
            for s in (question.left, question.right)
        ]
        literals = [side.value for side in sides if isinstance(side, Const | Word)]
        if len(literals) < len(sides):
            return None
        one, two = literals
        return one is two if question.op == "is" else one == two

    def made(self, path: str) -> bool:
        """Whether `path` is a parameter for something that the nest makes or chooses."""
        arg = self.meant.get(path)
        return isinstance(arg, Name) and (arg.id in self.nest.scalars or arg.id.startswith("<"))

    def path(self, path: str, number: bool = False) -> str:
        """The live-in path that `path` of the helper is in the nest.

        A `number` may be an attribute that the nest assigns, and a scalar of it.
        """
        root, dot, rest = path.partition(".")
        if root in self.meant:
            arg = self.meant[root]
            if not isinstance(arg, Name) or arg.id in self.nest.scalars or arg.id.startswith("<"):
                detail = f"{text(self.call)}, to which no array or object is handed as {root}"
                raise Refused(Refusal(Reason.CALL, Span(self.nest.file, self.call.line), detail))
            found = arg.id + dot + rest
            if number and found in self.nest.scalars:
                return found
        elif any(
            _is_name(name, root) for name in (*self.nest.scalars, *self.nest.results)
        ):  # it may be the very variable, which changes in the nest
            detail = f"{text(self.call)}, which reads {root}"
            raise Refused(Refusal(Reason.CALL, Span(self.nest.file, self.call.line), detail))
        else:
            scope = CLOSURE if root in self.helper.free else GLOBALS
            found = f"{self.call.func}.{scope}.{path}"
        self.paths.add(found)
        return found


def _is_star(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.func == ir.STAR


def _is_name(scalar: str, root: str) -> bool:
    """Whether both may be one variable: a private name has the name of its class in front."""
    return scalar == root or (scalar.startswith("__") and root.endswith(scalar))
