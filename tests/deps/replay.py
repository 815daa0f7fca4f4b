"""A small interpreter of nests and plans that remembers every access: the truth for these tests."""

from __future__ import annotations

import contextlib
import itertools
import operator
import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    For,
    If,
    Leave,
    Load,
    Logic,
    Name,
    Select,
    Unary,
    While,
)
from autopar.sched.plan import Branch, Leaf, Loop

WHILE = None  # instead of a value, for an iteration of a `while`
PRIME = 1_000_003
OPS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


class Break(Exception):
    pass


class Continue(Exception):
    pass


@dataclass(frozen=True)
class Event:
    """One access at one moment; `at` is (id, iteration, value) per loop around it."""

    stmt: int
    access: int
    array: str
    index: tuple[int, ...]
    writes: bool
    at: tuple[tuple[int, int, int | None], ...]


class Poisoned(Exception):
    """A private scalar was read before the iteration assigned it."""


@dataclass
class Machine:
    """Arrays without bounds (every index tuple is its own element) and scalars."""

    scalars: dict[str, object]
    extents: dict[str, tuple[int, ...]]
    shuffle: random.Random | None = None
    cells: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    scalar_events: list[tuple[int, str, bool, tuple]] = field(default_factory=list)
    at: tuple[tuple[int, int, int], ...] = ()
    set_here: dict[str, None] = field(default_factory=dict)
    budget: int = 20_000

    # ------------------------------------------------------------------ expressions

    def value(self, expr, stmt):
        match expr:
            case Const(value=value):
                return value
            case Name(id=name):
                self.scalar_events.append((stmt.id, name, False, self.at))
                got = self.scalars[name]
                if got is Poisoned:
                    raise Poisoned(name)
                return got
            case Dim(array=array, axis=axis):
                return self.extents[array][axis or 0]
            case Load(array=array, index=index, id=id):
                place = tuple(self.value(axis, stmt) for axis in index)
                return self.read(array, place, id, stmt)
            case Unary(op=op, operand=operand):
                got = self.value(operand, stmt)
                return {"-": operator.neg, "+": operator.pos, "not": operator.not_}[op](got)
            case Binary(op=op, left=left, right=right) | Compare(op=op, left=left, right=right):
                return OPS[op](self.value(left, stmt), self.value(right, stmt))
            case Logic(op="and", values=values):
                return all(self.value(v, stmt) for v in values)
            case Logic(values=values):
                return any(self.value(v, stmt) for v in values)
            case Select(test=test, body=body, orelse=orelse):
                return self.value(body if self.value(test, stmt) else orelse, stmt)
            case Call(func="min", args=args):
                return min(self.value(a, stmt) for a in args)
            case Call(func="max", args=args):
                return max(self.value(a, stmt) for a in args)
        raise AssertionError(expr)

    def read(self, array, place, access, stmt):
        self.events.append(Event(stmt.id, access, array, place, False, self.at))
        found = self.cells.get((array, place))
        if found is None:  # small enough to be an index, different enough to be noticed
            found = (sum(7 ** (k + 1) * (x + 50) for k, x in enumerate(place)) + len(array)) % 11
        return found

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Iterable):
        for stmt in stmts:
            self.run(stmt)

    def run(self, stmt):
        self.budget -= 1
        assert self.budget > 0
        match stmt:
            case Assign(target=Name(id=name), value=value):
                got = self.value(value, stmt)
                self.assign(name, got % PRIME if abs(got) > PRIME else got, stmt)
            case Assign(target=Element(array=array, index=index, id=id), value=value):
                got = self.value(value, stmt)
                place = tuple(self.value(axis, stmt) for axis in index)
                self.events.append(Event(stmt.id, id, array, place, True, self.at))
                self.cells[array, place] = got % PRIME
            case If(test=test, body=body, orelse=orelse):
                self.block(body if self.value(test, stmt) else orelse)
            case While(test=test, body=body):
                around = self.at
                try:
                    for count in itertools.count():
                        self.at = (*around, (stmt.id, count, WHILE))
                        if not self.value(test, stmt):
                            break
                        with contextlib.suppress(Continue):
                            self.block(body)
                except Break:
                    pass
                self.at = around
            case Leave(kind=kind):
                raise Break if kind == "break" else Continue
            case For():
                self.loop(stmt, lambda: self.block(stmt.body))

    def assign(self, name, value, stmt):
        self.scalar_events.append((stmt.id, name, True, self.at))
        self.scalars[name] = value
        self.set_here[name] = None

    def loop(self, loop: For, body, parallel=False, private=frozenset()):
        around = self.at
        bounds = [self.value(e, loop) for e in (loop.start, loop.stop, loop.step)]
        turns = list(enumerate(range(*bounds)))
        if not parallel:
            try:
                for count, value in turns:
                    self.turn(loop, body, around, count, value)
            except Break:
                pass
            self.at = around
            return
        if self.shuffle is None:
            turns.reverse()
        else:
            self.shuffle.shuffle(turns)
        before, before_set = dict(self.scalars), dict(self.set_here)
        last: dict[str, tuple[int, object]] = {}
        for count, value in turns:
            self.scalars = dict(before) | dict.fromkeys(private, Poisoned)
            self.set_here = {}
            self.turn(loop, body, around, count, value)
            for name in self.set_here:
                if name not in last or last[name][0] < count:
                    last[name] = count, self.scalars[name]
        self.at = around
        self.scalars = before | {name: value for name, (_, value) in last.items()}
        self.set_here = before_set | dict.fromkeys(last)

    def turn(self, loop, body, around, count, value):
        self.at = (*around, (loop.id, count, value))
        self.assign(loop.var, value, loop)
        with contextlib.suppress(Continue):
            body()

    # ------------------------------------------------------------------ plans

    def plan(self, nodes):
        from autopar.nest.flow import written
        from autopar.sched.plan import statement

        for node in nodes:
            match node:
                case Leaf(stmt=stmt):
                    self.run(stmt)
                case Branch(stmt=stmt, body=body, orelse=orelse):
                    self.plan(body if self.value(stmt.test, stmt) else orelse)
                case Loop(loop=loop, body=body, parallel=parallel):
                    private = written([statement(inner) for inner in body])
                    self.loop(loop, lambda b=body: self.plan(b), parallel, private)


def found_dependences(events: list[Event]) -> set[tuple]:
    """(source, sink, source access, sink access, level, distances) of everything that happened.

    Distances are differences of the loop variables; memory based, not last-write.
    """
    by_cell: dict[tuple, list[Event]] = {}
    for event in events:
        by_cell.setdefault((event.array, event.index), []).append(event)
    found = set()
    for group in by_cell.values():
        for k, one in enumerate(group):
            for two in group[k + 1 :]:
                if one.writes or two.writes:
                    found.add((one, two))
    return {_described(one, two) for one, two in found} - {None}


def _described(one: Event, two: Event):
    common = []
    for a, b in zip(one.at, two.at, strict=False):
        if a[0] != b[0]:
            break
        if a[2] is not WHILE:
            common.append((a, b))
        elif a != b:  # between iterations of a `while`: its own business
            return None
    values = tuple(b[2] - a[2] for a, b in common)
    level = next((k for k, (a, b) in enumerate(common, 1) if a[1] != b[1]), None)
    if level is None and one.stmt == two.stmt:
        return None
    return one.stmt, two.stmt, one.access, two.access, level, values
