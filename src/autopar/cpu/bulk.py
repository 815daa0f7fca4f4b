"""NumPy's functions on strips of a loop: one call for many elements rather than one for each.

Where iterations may run in any order, what is handed to `np.exp` is computed for a strip of them
first, then NumPy's own loop runs over the strip, and the iterations fetch what it found::

    for base in range(low, high, 512):
        for i in range(base, end): many0_0_[i - base] = …      # vector instructions
        many_("exp", "dd", end - base, many0_0_, many0_)
        for i in range(base, end): …  many0_[i - base] …
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from autopar.cpu.strips import Run, StripWriter
from autopar.cpu.ufuncs import INLINE, alike
from autopar.cpu.writer import Value
from autopar.nest import functions
from autopar.nest.flow import exposed, written
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
    Logic,
    Name,
    Select,
    Stmt,
    While,
)
from autopar.nest.kinds import Kind, family
from autopar.nest.show import text
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import children, statements
from autopar.records import dataclass, field

_MOST = 6  # calls of one loop: their strips must stay in the fastest cache


@dataclass(frozen=True, slots=True)
class Many:
    """A call that is made for a strip at a time.

    Attributes
    ----------
    call, name, loop, kind
        The call, its ufunc, the dtypes it is computed in and found in, and its type.
    before
        Statements of the loop's body that what it is handed depends on.
    room, rooms
        Buffers for what it finds, and for what it is handed.
    """

    call: Call
    name: str
    loop: tuple[str, str]
    kind: Kind
    before: tuple[Stmt, ...]
    room: str
    rooms: tuple[str, ...]


@dataclass(slots=True)
class BulkWriter(StripWriter):
    """Loops that call NumPy's functions for many iterations at a time.

    Attributes
    ----------
    found
        By the identity of a call: what it is, and the text of the number of an iteration.
    """

    found: dict[int, tuple[Many, str]] = field(default_factory=dict)

    @abstractmethod
    def block(self, stmts: Sequence[Stmt]) -> None:
        """Write the statements of a loop body."""

    def raw_value(self, expr: Expr) -> Value:
        if id(expr) in self.found:
            many, position = self.found[id(expr)]
            args = [f"{room}[{position}]" for room in many.rooms]
            here = f"{many.room}[{position}]"
            return self.ufunc_result(many.call, many.name, args, here, many.loop, many.kind)
        # Not `super()`: a dataclass with slots is another class than the one that was written.
        return StripWriter.raw_value(self, expr)

    def bulky(self, loop: For) -> tuple[Many, ...]:
        """The calls of `loop` that are made for a strip at a time."""
        inner = any(isinstance(s, For | While) for top in loop.body for s in statements(top))
        if inner or self.singly or loop.id not in self.independent:
            return ()
        if exposed(loop.body) & written(loop.body):
            return ()
        found: dict[str, Many] = {}
        for number, stmt in enumerate(loop.body):
            if not isinstance(stmt, Assign):
                break
            for call in _calls(stmt.value):
                shown = text(call)
                if shown not in found and len(found) < _MOST:
                    many = self.one(call, loop.body[:number], f"many{len(found)}")
                    if many is not None:
                        found[shown] = many
            if isinstance(stmt.target, Element):
                break  # what comes after may read what is stored
            changed = stmt.target.id
            found = {k: m for k, m in found.items() if not _reads(m.call, changed)}
        return tuple(found.values())

    def rows(self, loop: For) -> tuple[For, ...]:
        # Calls for many iterations at a time have strips of their own.
        found = StripWriter.rows(self, loop)
        return () if found and self.bulky(found[-1]) else found

    def one(self, call: Call, before: tuple[Stmt, ...], room: str) -> Many | None:
        """`call`, if NumPy has a loop for it on real floats that takes longer than to call it."""
        function = dict(self.typed.calls).get(call.func)
        if function is None or function.form != "ufunc" or call.names:
            return None
        if function.name in INLINE:
            return None
        # NumPy looks whether all exponents are one number for which there is a simpler way.
        match call.args:
            case (_, Const(value=exponent)) if exponent not in (2, 1, 0.5, 0, -1):
                pass
            case _ if function.name == "power":
                return None
        operands = tuple(kind_of(self.typed, arg) for arg in call.args)
        atoms = [next(iter(kind)) for kind in operands if len(kind) == 1]
        loop = functions.ufunc_loop(function.name, tuple(atoms))
        kind = kind_of(self.typed, call)
        if len(atoms) != len(call.args) or loop is None or len(kind) != 1:
            return None
        if {family(dtype) for dtype in loop} != {"float"} or not alike(function.name, loop[0]):
            return None
        rooms = tuple(f"{room}_{k}_{loop[0]}_" for k in range(len(call.args)))
        return Many(call, function.name, loop, kind, before, f"{room}_{loop[1]}_", rooms)

    def in_bulk(
        self, loop: For, position: str, count: str, head: Callable[[], Iterator[None]]
    ) -> None:
        """Make the calls of `loop` for a strip.

        Parameters
        ----------
        position
            Text of the number of an iteration within the strip.
        count
            Text of their number.
        head
            Writes the head of the loop; what is written while it waits is its body.
        """
        if self.strip is not None and self.strip.run is Run.UNDOING:
            return
        for many in self.bulky(loop):
            for room in many.rooms:
                self.buffer(room, many.loop[0])
            self.buffer(many.room, many.loop[1])
            for _ in head():
                self.block(many.before)
                for room, arg in zip(many.rooms, many.call.args, strict=True):
                    self.line = many.call.line
                    self.write(
                        f"{room}[{position}] = {self.convert(self.value(arg), many.loop[0])}"
                    )
            chars = "".join(np.dtype(d).char for d in (many.loop[0],) * len(many.rooms))
            chars += np.dtype(many.loop[1]).char
            given = ", ".join((*many.rooms, many.room))
            self.write(f'many_("numpy_{many.name}_{chars}", {count}, {given})')
            for same in _same_calls(loop, many.call):
                self.found[id(same)] = many, position


def _calls(expr: Expr) -> Iterator[Call]:
    """Calls in `expr` that are made in any case, innermost first."""
    match expr:
        case Logic(values=(first, *_)):
            yield from _calls(first)
            return
        case Select(test=test):
            yield from _calls(test)
            return
    for child in children(expr):
        yield from _calls(child)
    if isinstance(expr, Call):
        yield expr


def _same_calls(loop: For, call: Call) -> Iterator[Call]:
    """Calls in `loop` that find the same, until something changes."""
    shown = text(call)
    for stmt in loop.body:
        if not isinstance(stmt, Assign):
            return
        for one in _calls(stmt.value):
            if text(one) == shown:
                yield one
        if isinstance(stmt.target, Element) or _reads(call, stmt.target.id):
            return


def _reads(expr: Expr, name: str) -> bool:
    return (isinstance(expr, Name) and expr.id == name) or any(
        _reads(child, name) for child in children(expr)
    )
