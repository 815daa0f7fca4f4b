"""Runs a plan on real arrays as an interpreter, the iterations of parallel loops in odd orders.

Where the order of the iterations of a loop that the plan calls parallel can be seen, it is seen
here: each iteration has the scalars that it assigns for itself, the others are shared.
"""

from __future__ import annotations

import contextlib
import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
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
    Leave,
    Load,
    Logic,
    Name,
    Select,
    Stmt,
    Unary,
    While,
)
from autopar.nest.walking import statements
from autopar.runtime.process import UNSET
from autopar.runtime.values.facts import Values
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, statement

_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
    "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_,
}  # fmt: skip


_OURS = {"<min>": min, "<max>": max}


class Unknown(Exception):
    """The plan has a node or an expression that this interpreter does not know."""


class Unassigned(Exception):
    """A scalar that each iteration should have for itself was read before it was assigned."""


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


_MISSING = object()


@dataclass
class Machine:
    """One run; `order` shuffles parallel loops, None runs them backwards."""

    values: Values
    order: random.Random | None
    scalars: dict[str, Any] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def run(self, plan: Plan, live_out: Sequence[str]) -> tuple[Any, ...]:
        """Carry out the plan; the final values of `live_out`."""
        self.scalars = dict(self.values.numbers)
        # Of objects: what is noted is handed on as it is.
        notes = {t.path: np.empty(len(self.turns(t.loop)), object) for t in plan.temporaries}
        self.values = replace(self.values, arrays=self.values.arrays | notes)
        self.nodes(plan.body)
        return tuple(self.scalars[n] if n in self.touched else UNSET for n in live_out)

    # ------------------------------------------------------------------ plans

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            match node:
                case Leaf(stmt=stmt):
                    self.statement(stmt)
                case Branch(stmt=stmt, body=body, orelse=orelse):
                    self.nodes(body if self.value(stmt.test) else orelse)
                case Loop(loop=loop, body=body, parallel=False):
                    self.loop(loop, lambda body=body: self.nodes(body))
                case Loop():
                    self.parallel(node)
                case _:
                    raise Unknown(type(node).__name__)

    def parallel(self, node: Loop) -> None:
        """Scalars that an iteration assigns first are its own; the last iteration's remain."""
        loop = node.loop
        turns = list(enumerate(self.turns(loop)))
        if self.order is None:
            turns.reverse()
        else:
            self.order.shuffle(turns)
        body = [statement(inner) for inner in node.body]
        if written(body) & exposed(body) & _searched(body):
            raise Unknown("which of equal values is kept is not the machine's to say")
        private = (written(body) - exposed(body)) | {loop.var}
        before, before_touched = dict(self.scalars), set(self.touched)
        last: dict[str, tuple[int, Any]] = {}
        arrays = self.values.arrays
        own = {r.name: arrays[r.name] for r in node.reductions if r.private}
        start = {name: array.copy() for name, array in own.items()}
        for count, value in turns:
            mine = {name: array.copy() for name, array in start.items()}
            if count == len(turns) - 1:  # the last one leaves what it has
                for name, array in own.items():
                    np.copyto(array, start[name])
                mine = own
            arrays.update(mine)
            for name in private:
                self.scalars[name] = _MISSING
            self.touched -= private
            self.assign(loop.var, value)
            try:
                self.nodes(node.body)
            except _Continue:
                pass
            except _Break:
                raise Unknown("a parallel loop that is left") from None
            for name in private & self.touched:
                if last.get(name, (-1, None))[0] < count:
                    last[name] = count, self.scalars[name]
        arrays.update(own)
        for name in private:
            self.scalars.pop(name, None)
            if name in last:
                self.scalars[name] = last[name][1]
            elif name in before:
                self.scalars[name] = before[name]
        self.touched |= before_touched | set(last)

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt]) -> None:
        for stmt in stmts:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Assign(target=Name(id=name), value=value):
                self.assign(name, self.value(value))
            case Assign(target=Element(array=array, index=index), value=value):
                found = self.value(value)
                self.values.arrays[array][self.place(index)] = found
            case If(test=test, body=body, orelse=orelse):
                self.block(body if self.value(test) else orelse)
            case While(test=test, body=body):
                with contextlib.suppress(_Break):
                    while self.value(test):
                        with contextlib.suppress(_Continue):
                            self.block(body)
            case Leave(kind=kind):
                raise _Break if kind == "break" else _Continue
            case For(body=body):
                self.loop(stmt, lambda: self.block(body))
            case _:
                raise Unknown(type(stmt).__name__)

    def loop(self, loop: For, body: Callable[[], None]) -> None:
        with contextlib.suppress(_Break):
            for value in self.turns(loop):
                self.assign(loop.var, value)
                with contextlib.suppress(_Continue):
                    body()

    def turns(self, loop: For) -> range:
        return range(*(self.value(e) for e in (loop.start, loop.stop, loop.step)))

    def assign(self, name: str, value: Any) -> None:
        self.scalars[name] = value
        self.touched.add(name)

    # ------------------------------------------------------------------ expressions

    def place(self, index: Sequence[Expr]) -> tuple[Any, ...]:
        return tuple(self.value(axis) for axis in index)

    def value(self, expr: Expr) -> Any:
        match expr:
            case Const(value=value):
                return value
            case Name(id=name):
                found = self.scalars[name]
                if found is _MISSING:
                    raise Unassigned(name)
                return found
            case Dim(array=array, axis=axis):
                found = self.values.arrays[array]
                return found.size if axis is None else found.shape[axis]
            case Load(array=array, index=index):
                return self.values.arrays[array][self.place(index)]
            case Unary(op=op, operand=operand):
                return _UNARY[op](self.value(operand))
            case Binary(op=op, left=left, right=right) | Compare(op=op, left=left, right=right):
                return _OPS[op](self.value(left), self.value(right))
            case Logic(op="and", values=values):
                for operand in values:
                    found = self.value(operand)
                    if not found:
                        break
                return found
            case Logic(values=values):
                for operand in values:
                    found = self.value(operand)
                    if found:
                        break
                return found
            case Select(test=test, body=body, orelse=orelse):
                return self.value(body if self.value(test) else orelse)
            case Call(func=func, args=args) if func in self.values.calls or func in _OURS:
                function = self.values.calls.get(func) or _OURS[func]
                return function(*(self.value(a) for a in args))
        raise Unknown(type(expr).__name__)


def _searched(body: Sequence[Stmt]) -> frozenset[str]:
    """Scalars that are assigned where a test of themselves allows it: of equal values, which?"""
    found: set[str] = set()
    for top in body:
        for stmt in statements(top):
            if isinstance(stmt, If):
                found |= names((stmt.test,)) & written((stmt,))
    return frozenset(found)
