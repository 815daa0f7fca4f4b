"""Every array access of a nest with the iterations in which it runs, as affine constraints."""

from __future__ import annotations

from collections.abc import Sequence

from autopar.deps.affine import (
    Atom,
    Formula,
    Linear,
    Params,
    Scope,
    at_least,
    guard,
    invariant,
    numbers,
    parameter,
    read,
    together,
    variable,
)
from autopar.deps.cases import cases
from autopar.deps.data import Facts
from autopar.nest.forward import definitions, looked_through, substitute
from autopar.nest.ir import (
    Assign,
    Call,
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
    While,
)
from autopar.nest.walking import assigned, children, expressions
from autopar.records import dataclass, field, replace


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
    atoms
        What is known of the variable, except its stride.
    stride
        That it is a number of steps from the start; none for a step of 1 or an unknown start.
    """

    loop: For
    sign: int
    unit: int
    scale: int
    atoms: tuple[Atom, ...]
    stride: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement or a part of an expression stands."""

    loops: tuple[Range, ...] = ()
    guards: Formula = ((),)
    whiles: tuple[tuple[int, int], ...] = ()  # While.id and the number of loops around it
    scope: Scope = field(default_factory=dict)

    def where(self, formula: Formula | None) -> Place:
        """The same place, known to be reached only when `formula` is true."""
        if formula is None:
            return self
        return replace(self, guards=together((self.guards, formula)) or self.guards)


@dataclass(frozen=True, slots=True)
class Reach:
    """One access, in textual order of execution; `index` holds None for an unreadable axis.

    An access whose subscripts are conditional has one of these for each case.
    """

    stmt: Stmt
    access: Load | Element
    place: Place
    index: tuple[Linear | None, ...]

    @property
    def writes(self) -> bool:
        """Whether this is the target of an assignment."""
        return isinstance(self.access, Element)


class Reader:
    """Walks a nest once and notes every access and the place of every statement.

    Subscripts, conditions and ranges are read through the scalars that only stand for an
    expression (`nest.forward`): what such a name means does not change within an iteration of
    the loops around its assignment, and every read of it is in there.
    """

    def __init__(self, nest: Nest, facts: Facts, params: Params) -> None:
        self._steps = dict(facts.steps)
        self._unreadable = facts.unreadable
        self._builtins = facts.builtins
        self._params = params
        self._meaning = definitions(nest)
        self.reaches: list[Reach] = []
        self.places: dict[int, Place] = {}
        scope: dict[str, int | None] = dict.fromkeys(nest.scalars)
        scope.update(dict.fromkeys(assigned(nest.loop)))
        roots = set(scope)
        scope.update({p: None for p in facts.ints if p.split(".")[0] in roots})
        self._statement(nest.loop, Place(scope=scope))

    def _read(self, expr: Expr, scope: Scope) -> Linear | None:
        return read(substitute(expr, self._meaning), scope, self._params)

    def _guard(self, test: Expr, place: Place, holds: bool = True) -> Formula | None:
        return guard(substitute(test, self._meaning), place.scope, self._params, holds)

    def _block(self, stmts: Sequence[Stmt], place: Place) -> None:
        for stmt in stmts:
            self._statement(stmt, place)
            if isinstance(stmt, If) and not stmt.orelse and _leaves(stmt.body):
                place = place.where(self._guard(stmt.test, place, holds=False))

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
                self._block(body, place.where(self._guard(test, place)))
                self._block(orelse, place.where(self._guard(test, place, holds=False)))
            case While(body=body):
                self._block(body, place)
            case For(body=body):
                self._block(body, self._enter(stmt, place))

    def _expression(self, expr: Expr, stmt: Stmt, place: Place) -> None:
        """Note loads, each under the conditions that short-circuit evaluation puts it."""
        match expr:
            case Select(test=test, body=body, orelse=orelse):
                self._expression(test, stmt, place)
                self._expression(body, stmt, place.where(self._guard(test, place)))
                other = self._guard(test, place, holds=False)
                self._expression(orelse, stmt, place.where(other))
            case Logic(op=op, values=values):
                for value in values:
                    self._expression(value, stmt, place)
                    place = place.where(self._guard(value, place, holds=op == "and"))
            case _:
                for child in children(expr):
                    self._expression(child, stmt, place)
        if isinstance(expr, Load):
            self._access(expr, stmt, place)

    def _access(self, access: Load | Element, stmt: Stmt, place: Place) -> None:
        if access.id in self._unreadable:
            self.reaches.append(Reach(stmt, access, place, (None,) * len(access.index)))
            return
        meant = tuple(substitute(i, self._meaning) for i in access.index)
        for tests, index in cases(meant, self._builtins):
            here = place
            for test, holds in tests:
                here = here.where(guard(test, place.scope, self._params, holds))
            forms = tuple(read(axis, place.scope, self._params) for axis in index)
            self.reaches.append(Reach(stmt, access, here, forms))

    def _enter(self, loop: For, place: Place) -> Place:
        depth = len(place.loops)
        rebound = any(loop.var in assigned(stmt) for stmt in loop.body)
        scope = {**place.scope, loop.var: None if rebound else depth}
        return replace(place, loops=(*place.loops, self._range(loop, place)), scope=scope)

    def _range(self, loop: For, place: Place) -> Range:
        scope, params = place.scope, self._params
        var = variable(len(place.loops))
        loop = looked_through(loop, self._meaning)
        moved_by = read(loop.step, scope, params)
        step = None if moved_by is None else moved_by.literal
        sign = self._steps.get(loop.id, 0) if step is None else (step > 0) - (step < 0)
        if sign == 0:  # a step of zero, or one of unknown sign: no order, no bounds
            return Range(loop, 0, 1, 0, (), ())
        wanted = set(params.wanted)
        start = read(loop.start, scope, params)
        nearest, farthest = ("max", "min") if sign > 0 else ("min", "max")
        atoms = [_beyond(var, b, sign, 0) for b in self._bounds(loop.start, nearest, scope)]
        atoms += [_beyond(b, var, sign, 1) for b in self._bounds(loop.stop, farthest, scope)]
        steady = all(invariant(b, scope, params) for b in (loop.start, loop.stop, loop.step))
        if steady:  # its first and last value say as much
            params.wanted = wanted
        if step is None and invariant(loop.step, scope, params):
            params.wanted |= numbers(loop.step, params)
        if steady and (step is None or len(atoms) < 2):
            first = parameter(params.use(f"loop{loop.id}.first"))
            last = parameter(params.use(f"loop{loop.id}.last"))
            atoms += [_beyond(var, first, sign, 0), _beyond(last, var, sign, 0)]
            start = start or first
        if step is None:
            return Range(loop, sign, sign, 0, tuple(atoms), ())
        # The distance of two iterations counts in steps only where all runs start in step.
        unit = step if start is not None and start.fixed else sign
        stride: tuple[Atom, ...] = ()
        if start is not None and abs(step) > 1:
            moved = var - start
            stride = (Atom("==", moved - moved.floor(abs(step)).times(abs(step))),)
        return Range(loop, sign, unit, step, tuple(atoms), stride)

    def _bounds(self, expr: Expr, extreme: str, scope: Scope) -> list[Linear]:
        """What is known to bound the variable: all affine arguments of the right extreme."""
        match expr:
            case Call(func=func, args=args) if func == f"<{extreme}>" or (
                func == extreme and func in self._builtins
            ):
                return [b for arg in args for b in self._bounds(arg, extreme, scope)]
        bound = read(expr, scope, self._params)
        return [] if bound is None else [bound]


def _beyond(form: Linear, other: Linear, sign: int, least: int) -> Atom:
    """`form` comes at least `least` after `other` in the direction of `sign`."""
    return at_least(form, other, least) if sign > 0 else at_least(other, form, least)


def _leaves(stmts: Sequence[Stmt]) -> bool:
    return bool(stmts) and isinstance(stmts[-1], Leave)
