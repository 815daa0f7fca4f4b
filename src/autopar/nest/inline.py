"""Calls of helper functions, written out.

What a call computes is put in front of the statement that needs it, in variables of its own.  An
argument that is only handed on keeps its name, so arrays and objects may be handed on too.

Names of a helper's module are live-ins as well.  Their paths begin with the path of the helper:
``f.<globals>.c``, ``f.<closure>.c`` for a variable of a function around it, ``f.<defaults>.0``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from autopar.nest import ir
from autopar.nest.functions import COUNTING
from autopar.nest.helper import RESULT, Helper
from autopar.nest.hoist import Hoist, called
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Dim,
    Expr,
    For,
    If,
    Leave,
    Load,
    Name,
    Nest,
    Stmt,
    While,
)
from autopar.nest.meaning import rebuilt
from autopar.nest.show import text
from autopar.verdict import Reason, Refusal, Refused, Span

GLOBALS, CLOSURE, DEFAULTS = "<globals>", "<closure>", "<defaults>"
_MOST_STATEMENTS = 400  # of a nest with all that its calls compute


def inlined(
    nest: Nest, helpers: Mapping[str, Helper], kept: frozenset[str] = frozenset()
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
    if sum(1 for _ in ir.statements(loop)) > _MOST_STATEMENTS:
        where = Span(nest.file, nest.loop.line)
        return Refusal(Reason.CALL, where, "helper functions that are too long")
    paths = frozenset(nest.paths) - helpers.keys() | inliner.paths
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted(paths)),
        scalars=tuple(sorted(ir.assigned(loop))),
    )


@dataclass(slots=True)
class _Inliner(Hoist):
    """Writes calls out; `kept` ones are only put where they are evaluated, in their order."""

    helpers: Mapping[str, Helper]
    kept: frozenset[str]
    paths: set[str] = field(default_factory=set)

    def takes(self, func: str) -> bool:
        return func in self.helpers or func in self.kept

    def call(self, call: Call, first: list[Stmt]) -> Expr:
        if call.func in self.helpers:
            return self.written(call, self.helpers[call.func], first)
        value = called(call.func, next(self.ids))
        first.append(Assign(value, call, next(self.ids), call.line))
        return value

    def written(self, call: Call, helper: Helper, first: list[Stmt]) -> Expr:
        """What `call` computes."""
        args = self.arguments(call, helper)
        number = next(self.ids)
        meant: dict[str, Expr] = {}
        before: list[Stmt] = []

        def variable(name: str) -> Name:
            what = f"{helper.name}()" if name == RESULT else f"{name} of {helper.name}"
            return Name(f"<{what} {number}>")

        for param, arg in zip(helper.params, args, strict=True):
            if param in helper.variables or not isinstance(arg, Name | Const):
                meant[param] = variable(param)
                before.append(Assign(variable(param), arg, next(self.ids), call.line))
            else:
                meant[param] = arg
        meant |= {name: variable(name) for name in helper.variables if name not in meant}
        copy = _Copy(call, helper, meant, self.nest, self.ids)
        body = tuple(map(copy.statement, helper.body))
        self.paths |= copy.paths
        first += (*before, *body)
        return meant[RESULT]

    def arguments(self, call: Call, helper: Helper) -> list[Expr]:
        owner = (Name(call.func.rpartition(".")[0]),) if helper.bound else ()
        first = len(call.args) - len(call.names)
        given = dict(zip(helper.params, (*owner, *call.args[:first]), strict=False))
        twice = (given.keys() | helper.nameless) & set(call.names)
        given |= dict(zip(call.names, call.args[first:], strict=True))
        optional = helper.params[len(helper.params) - helper.defaults :]
        for k, param in enumerate(optional):
            if param not in given:
                path = f"{call.func}.{DEFAULTS}.{k - helper.defaults}"  # from the last one on
                self.paths.add(path)
                given[param] = Name(path)
        count = len(owner) + len(call.args)
        if twice or given.keys() != set(helper.params) or count > len(helper.params):
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

    def __post_init__(self) -> None:
        for name in COUNTING & self.helper.paths:  # which are no calls in the IR
            self.path(name)

    def statement(self, stmt: Stmt) -> Stmt:
        here = next(self.ids)
        match stmt:
            case Assign(target=Name(id=name), value=value):
                target = self.meant[name]
                assert isinstance(target, Name)
                return replace(stmt, target=target, value=self.expr(value), id=here)
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
            case Leave():
                return replace(stmt, id=here)
        detail = f"{text(self.call)} does more than compute a value"
        raise Refused(Refusal(Reason.CALL, Span(self.nest.file, self.call.line), detail))

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Name(id=name) if name in self.meant:
                return self.fresh(self.meant[name])
            case Name(id=path):
                return Name(self.path(path, number=True))
            case Dim(array=path):
                return replace(expr, array=self.path(path))
            case Load(array=path, index=index):
                inner = tuple(map(self.expr, index))
                return replace(expr, array=self.path(path), index=inner, id=next(self.ids))
            case Call(func=func) if func.startswith("<"):
                return rebuilt(expr, self.expr)
            case Call(func=func, args=args):
                return replace(expr, func=self.path(func), args=tuple(map(self.expr, args)))
        return rebuilt(expr, self.expr)

    def fresh(self, expr: Expr) -> Expr:
        """`expr` with numbers of its own: an argument may be needed more than once."""
        made = rebuilt(expr, self.fresh)
        return replace(made, id=next(self.ids)) if isinstance(made, Load) else made

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
            _is_name(scalar, root) for scalar in self.nest.scalars
        ):  # it may be the very variable, which changes in the nest
            detail = f"{text(self.call)}, which reads {root}"
            raise Refused(Refusal(Reason.CALL, Span(self.nest.file, self.call.line), detail))
        else:
            scope = CLOSURE if root in self.helper.free else GLOBALS
            found = f"{self.call.func}.{scope}.{path}"
        self.paths.add(found)
        return found


def _is_name(scalar: str, root: str) -> bool:
    """Whether both may be one variable: a private name has the name of its class in front."""
    return scalar == root or (scalar.startswith("__") and root.endswith(scalar))
