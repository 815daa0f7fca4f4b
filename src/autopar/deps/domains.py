"""Every array access of a nest with the iterations in which it runs, as affine text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autopar.deps.affine import Linear, Params, Scope, guard, invariant, read
from autopar.deps.data import Facts
from autopar.nest.ir import (
    Assign,
    Const,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Logic,
    Nest,
    Select,
    Stmt,
    Unary,
    While,
    assigned,
    children,
    expressions,
)

_MOST_ALTERNATIVES = 4


@dataclass(frozen=True, slots=True)
class Range:
    """A loop around an access.

    Attributes
    ----------
    sign
        Whether iterations go up (1) or down (-1) in the variable; 0 unknown.
    unit
        Two iterations of *any* two runs of the loop differ by a multiple of this, signed; never 0.
    scale
        Difference in the variable between neighbouring iterations of one run; 0 unknown.
    formulas
        What is known of the variable, except its stride.
    stride
        The stride as a formula, or None.
    """

    loop: For
    sign: int
    unit: int
    scale: int
    formulas: tuple[str, ...]
    stride: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement or a part of an expression stands."""

    loops: tuple[Range, ...] = ()
    guards: tuple[str, ...] = ()
    whiles: tuple[tuple[int, int], ...] = ()  # While.id and the number of loops around it
    scope: Scope = field(default_factory=dict)

    def where(self, formula: str | None) -> Place:
        """The same place, known to be reached only when `formula` is true.

        Alternatives multiply, so after `_MOST_ALTERNATIVES` further ones are left out.
        """
        if formula is None:
            return self
        guards = (*self.guards, formula)
        if sum(g.count("!=") + g.count(" or ") for g in guards) > _MOST_ALTERNATIVES:
            return self
        return replace(self, guards=guards)


@dataclass(frozen=True, slots=True)
class Reach:
    """One access, in textual order of execution; `index` holds None for an unreadable axis."""

    stmt: Stmt
    access: Load | Element
    place: Place
    index: tuple[Linear | None, ...]

    @property
    def writes(self) -> bool:
        """Whether this is the target of an assignment."""
        return isinstance(self.access, Element)


class Reader:
    """Walks a nest once and notes every access and the place of every statement."""

    def __init__(self, nest: Nest, facts: Facts, params: Params) -> None:
        self._steps = dict(facts.steps)
        self._unreadable = facts.unreadable
        self._params = params
        self.reaches: list[Reach] = []
        self.places: dict[int, Place] = {}
        scope: dict[str, int | None] = dict.fromkeys(nest.scalars)
        scope.update(dict.fromkeys(assigned(nest.loop)))
        roots = set(scope)
        scope.update({p: None for p in facts.ints if p.split(".")[0] in roots})
        self._statement(nest.loop, Place(scope=scope))

    def _block(self, stmts: Sequence[Stmt], place: Place) -> None:
        for stmt in stmts:
            self._statement(stmt, place)
            if isinstance(stmt, If) and not stmt.orelse and _leaves(stmt.body):
                place = place.where(guard(stmt.test, place.scope, self._params, holds=False))

    def _statement(self, stmt: Stmt, place: Place) -> None:
        if isinstance(stmt, While):  # its test runs again after its body
            place = replace(place, whiles=(*place.whiles, (stmt.id, len(place.loops))))
        self.places[stmt.id] = place
        for expr in expressions(stmt):
            self._expression(expr, stmt, place)
        match stmt:
            case Assign(target=Element() as target):
                self._access(target, stmt, place)
            case If(test=test, body=body, orelse=orelse):
                scope, params = place.scope, self._params
                self._block(body, place.where(guard(test, scope, params)))
                self._block(orelse, place.where(guard(test, scope, params, holds=False)))
            case While(body=body):
                self._block(body, place)
            case For(body=body):
                self._block(body, self._enter(stmt, place))

    def _expression(self, expr: Expr, stmt: Stmt, place: Place) -> None:
        """Note loads, each under the conditions that short-circuit evaluation puts it."""
        scope, params = place.scope, self._params
        match expr:
            case Select(test=test, body=body, orelse=orelse):
                self._expression(test, stmt, place)
                self._expression(body, stmt, place.where(guard(test, scope, params)))
                other = guard(test, scope, params, holds=False)
                self._expression(orelse, stmt, place.where(other))
            case Logic(op=op, values=values):
                for value in values:
                    self._expression(value, stmt, place)
                    place = place.where(guard(value, scope, params, holds=op == "and"))
            case _:
                for child in children(expr):
                    self._expression(child, stmt, place)
        if isinstance(expr, Load):
            self._access(expr, stmt, place)

    def _access(self, access: Load | Element, stmt: Stmt, place: Place) -> None:
        index: tuple[Linear | None, ...]
        if access.id in self._unreadable:
            index = (None,) * len(access.index)
        else:
            index = tuple(read(axis, place.scope, self._params) for axis in access.index)
        self.reaches.append(Reach(stmt, access, place, index))

    def _enter(self, loop: For, place: Place) -> Place:
        depth = len(place.loops)
        around = self._range(loop, place, f"@{depth}@")
        rebound = any(loop.var in assigned(stmt) for stmt in loop.body)
        scope = {**place.scope, loop.var: None if rebound else depth}
        return replace(place, loops=(*place.loops, around), scope=scope)

    def _range(self, loop: For, place: Place, var: str) -> Range:
        scope, params = place.scope, self._params
        step = _literal(loop.step)
        sign = self._steps.get(loop.id, 0) if step is None else (step > 0) - (step < 0)
        start, stop = read(loop.start, scope, params), read(loop.stop, scope, params)
        formulas = []
        up, down = (">=", "<") if sign > 0 else ("<=", ">")
        if sign and start is not None:
            formulas.append(f"{var} {up} {start.text}")
        if sign and stop is not None:
            formulas.append(f"{var} {down} {stop.text}")
        bounds = (loop.start, loop.stop, loop.step)
        steady = all(invariant(b, scope, params) for b in bounds)
        if sign and steady and (step is None or start is None or stop is None):
            first = params.use(f"loop{loop.id}.first")
            last = params.use(f"loop{loop.id}.last")
            formulas += [f"{var} {up} {first}", f"{var} {'<=' if sign > 0 else '>='} {last}"]
            start = start or Linear(first)
        if step is None or sign == 0:
            return Range(loop, sign, sign or 1, 0, tuple(formulas), None)
        # The distance of two iterations counts in steps only where all runs start in step.
        fixed = start is not None and start.fixed
        stride = None
        if start is not None and abs(step) > 1:
            count = f"e{len(place.loops)}"
            stride = f"(exists {count} : {var} = {start.text} + {step} * {count})"
        return Range(loop, sign, step if fixed else sign, step, tuple(formulas), stride)


def _literal(step: Expr) -> int | None:
    match step:
        case Const(value=bool()):
            return None
        case Const(value=int(value)):
            return value
        case Unary(op="-", operand=operand):
            inner = _literal(operand)
            return None if inner is None else -inner
    return None


def _leaves(stmts: Sequence[Stmt]) -> bool:
    return bool(stmts) and isinstance(stmts[-1], Leave)
