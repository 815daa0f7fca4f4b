"""NumPy's functions, and squares, on strips of a loop: found for many elements at once.

Where iterations may run in any order, what is handed to `np.exp` is computed for a strip of them
first, then NumPy's own loop runs over the strip, and the iterations fetch what it found::

    for base in range(low, high, 512):
        for i in range(base, end): many0_0_[i - base] = …      # vector instructions
        many_("exp", "dd", end - base, many0_0_, many0_)
        for i in range(base, end): …  many0_[i - base] …

Whether a product is the square that C's ``pow`` answers (`cpu.squares`) takes a branch that would
keep the rest of the loop from becoming vector instructions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from autopar.cpu import squares
from autopar.cpu.arithmetic import is_two
from autopar.cpu.intrinsics import AT_ONCE
from autopar.cpu.strips import KEPT_STRIP, Run, StripWriter
from autopar.cpu.ufuncs import INLINE, alike
from autopar.cpu.writer import Value
from autopar.nest import functions
from autopar.nest.flow import exposed, written
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Load,
    Logic,
    Name,
    Select,
    Stmt,
    While,
)
from autopar.nest.kinds import Kind, family
from autopar.nest.show import text
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import children, expressions, statements, walk
from autopar.records import dataclass, field

_DOUBLES = (frozenset(("float",)), frozenset(("np.float64",)))
_MOST = 6  # calls of one loop: their strips must stay in the fastest cache


@dataclass(frozen=True, slots=True)
class Many:
    """A call, or a square, that is found for a strip at a time.

    Attributes
    ----------
    call, args
        It, and what it is of.
    name, loop, kind
        Its ufunc, the dtypes it is computed in and found in, and its type.
    rest, before
        Statements of the loop's body: from the one where it stands on, and those that what it is
        handed depends on.
    room, rooms
        Buffers for what it finds, and for what it is handed.
    """

    call: Call | Binary
    args: tuple[Expr, ...]
    name: str
    loop: tuple[str, str]
    kind: Kind
    rest: tuple[Stmt, ...]
    before: tuple[Stmt, ...]
    room: str
    rooms: tuple[str, ...]


@dataclass(slots=True)
class BulkWriter(StripWriter):
    """Loops that call NumPy's functions for many iterations at a time, or find their squares.

    Attributes
    ----------
    found
        By the identity of such a call: what it is, and the text of the number of an iteration.
    """

    found: dict[int, tuple[Many, str]] = field(default_factory=dict)

    @abstractmethod
    def block(self, stmts: Sequence[Stmt]) -> None:
        """Write the statements of a loop body."""

    def raw_value(self, expr: Expr) -> Value:
        if isinstance(expr, Call) and id(expr) in self.found:
            many, position = self.found[id(expr)]
            args = [f"{room}[{position}]" for room in many.rooms]
            here = f"{many.room}[{position}]"
            return self.ufunc_result(expr, many.name, args, here, many.loop, many.kind)
        # Not `super()`: a dataclass with slots is another class than the one that was written.
        return StripWriter.raw_value(self, expr)

    def square(self, expr: Binary, a: str) -> str:
        if id(expr) not in self.found:
            return StripWriter.square(self, expr, a)
        many, position = self.found[id(expr)]
        return f"{many.room}[{position}]"

    def bulky(self, loop: For) -> tuple[Many, ...]:
        """The calls of `loop` that are made for a strip at a time.

        Where its iterations run in order, these are handed nothing that one leaves to the next.
        """
        if self.singly or any(isinstance(s, For | While) for s in _inside(loop.body)):
            return ()
        carried = exposed(loop.body) & written(loop.body)
        stored: set[str] = set()
        if carried or loop.id not in self.independent:
            stored.update(*map(_stored, _inside(loop.body)))
            if stored and not self.apart:
                return ()
        found: list[Many] = []
        known: dict[str, Call | Binary] = {}  # what would be found again, for now
        for number, stmt in enumerate(loop.body):
            if not _is_plain(stmt):
                break
            for call in _calls(stmt.value) if isinstance(stmt, Assign) else ():
                shown, before = text(call), _needed(call, loop.body[:number])
                if shown in known or len(found) == _MOST or _loaded(call, before) & stored:
                    continue
                changing = {loop.var, *written(loop.body)}
                steady = not (_named(call) & changing or _loaded(call))  # see `cpu.invariant`
                if steady or _named(call, before) & carried:
                    continue
                many = self.one(call, loop.body[number:], before, f"many{len(found)}")
                if many is not None:
                    found.append(many)
                    known[shown] = call
            stored |= _stored(stmt)
            if _stored(stmt) and not self.apart:
                break  # what comes after may read it
            known = {shown: call for shown, call in known.items() if not _changes(stmt, call)}
        return tuple(found)

    def rows(self, loop: For) -> tuple[For, ...]:
        # Calls for many iterations at a time have strips of their own.
        found = StripWriter.rows(self, loop)
        return () if found and self.bulky(found[-1]) else found

    def one(
        self, call: Call | Binary, rest: tuple[Stmt, ...], before: tuple[Stmt, ...], room: str
    ) -> Many | None:
        """`call`, if there is a loop for it on real floats that takes longer than to call it."""
        if isinstance(call, Binary):
            return self.one_square(call, rest, before, room)
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
        name = f"{room}_{loop[1]}_"
        return Many(call, call.args, function.name, loop, kind, rest, before, name, rooms)

    def one_square(
        self, expr: Binary, rest: tuple[Stmt, ...], before: tuple[Stmt, ...], room: str
    ) -> Many | None:
        """`expr`, if it is the square of a double that is a scalar, Python's or NumPy's."""
        kind = kind_of(self.typed, expr.left)
        simple = self.relaxed or expr.whole or not squares.known()
        if simple or expr.op != "**" or not is_two(expr.right) or kind not in _DOUBLES:
            return None
        loop = "float64", "float64"
        rooms = (f"{room}_0_float64_",)
        name = f"{room}_float64_"
        return Many(expr, (expr.left,), "", loop, kind, rest, before, name, rooms)

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
            more = 0 if many.name else AT_ONCE
            for room in (*many.rooms, many.room):
                dtype = many.loop[room == many.room]
                self.buffer(room, dtype, KEPT_STRIP + more)
            for _ in head():
                self.nonnegatives.clear()
                self.block(many.before)
                for room, arg in zip(many.rooms, many.args, strict=True):
                    self.line = many.call.line
                    self.write(
                        f"{room}[{position}] = {self.convert(self.value(arg), many.loop[0])}"
                    )
            chars = "".join(np.dtype(d).char for d in (many.loop[0],) * len(many.rooms))
            chars += np.dtype(many.loop[1]).char
            name = f"numpy_{many.name}_{chars}" if many.name else "squares_"
            given = ", ".join((*many.rooms, many.room))
            self.write(f'many_("{name}", {count}, {given})')
            for same in self.same_calls(many):
                self.found[id(same)] = many, position

    def same_calls(self, many: Many) -> Iterator[Expr]:
        """The calls that find the same, until something changes."""
        shown = text(many.call)
        for stmt in many.rest:
            for one in _calls(stmt.value) if isinstance(stmt, Assign) else ():
                if text(one) == shown:
                    yield one
            if (
                (_stored(stmt) and not self.apart)
                or not _is_plain(stmt)
                or _changes(stmt, many.call)
            ):
                return


def _calls(expr: Expr) -> Iterator[Call | Binary]:
    """Calls and powers in `expr` that are found in any case, innermost first."""
    match expr:
        case Logic(values=(first, *_)):
            yield from _calls(first)
            return
        case Select(test=test):
            yield from _calls(test)
            return
    for child in children(expr):
        yield from _calls(child)
    if isinstance(expr, Call) or (isinstance(expr, Binary) and expr.op == "**"):
        yield expr


def _is_plain(stmt: Stmt) -> bool:
    """Whether `stmt` is an assignment, or chooses between assignments to variables."""
    if not isinstance(stmt, If):
        return isinstance(stmt, Assign)
    inside = (*stmt.body, *stmt.orelse)
    return all(map(_is_plain, inside)) and not any(map(_stored, inside))


def _stored(stmt: Stmt) -> frozenset[str]:
    """The array of which `stmt` itself stores an element, if it does."""
    match stmt:
        case Assign(target=Element(array=array)):
            return frozenset((array,))
    return frozenset()


def _inside(stmts: Sequence[Stmt]) -> Iterator[Stmt]:
    return (inner for stmt in stmts for inner in statements(stmt))


def _parts(expr: Expr, stmts: Sequence[Stmt]) -> Iterator[Expr]:
    """All that is evaluated in `stmts` and for `expr`."""
    tops = (top for stmt in _inside(stmts) for top in expressions(stmt))
    return (part for top in (expr, *tops) for part in walk(top))


def _needed(expr: Expr, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """Those of `stmts`, which come before `expr`, that the variables in it depend on."""
    found: list[Stmt] = []
    for stmt in reversed(stmts):
        if written((stmt,)) & _named(expr, found):
            found.append(stmt)
    return tuple(reversed(found))


def _named(expr: Expr, stmts: Sequence[Stmt] = ()) -> frozenset[str]:
    """Variables that `expr` or `stmts` read."""
    return frozenset(part.id for part in _parts(expr, stmts) if isinstance(part, Name))


def _loaded(expr: Expr, stmts: Sequence[Stmt] = ()) -> frozenset[str]:
    """Arrays of which `expr` or `stmts` read elements."""
    return frozenset(part.array for part in _parts(expr, stmts) if isinstance(part, Load))


def _changes(stmt: Stmt, expr: Expr) -> bool:
    """Whether `expr` may be something else after `stmt`."""
    return bool(_stored(stmt) & _loaded(expr) or written((stmt,)) & _named(expr))
