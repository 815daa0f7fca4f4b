"""NumPy's functions, and powers, on strips of a loop: found for many elements at once.

Where iterations may run in any order, what is handed to `np.exp` is computed for a strip of them
first (`cpu.repeated` says of which calls), then NumPy's own loop runs over the strip, and the
iterations fetch what it found::

    for base in range(low, high, 512):
        for i in range(base, end): many0_0_[i - base] = …      # vector instructions
        many_("exp", "dd", end - base, many0_0_, many0_)
        for i in range(base, end): …  many0_[i - base] …

For a call in a branch, operands stand one behind the other (``many0_at_`` counts them), and what
is found is spread again (``all_many0_``) to the iterations that took it (``many0_is_``).

Whether a product is the power that C's ``pow`` answers (`cpu.powers`) takes a branch that would
keep the rest of the loop from becoming vector instructions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from autopar.cpu.arithmetic import DOUBLES
from autopar.cpu.power_lanes import AT_ONCE, MOST
from autopar.cpu.powers import PLAIN
from autopar.cpu.repeated import Branch, Place, places
from autopar.cpu.strips import KEPT_STRIP, Run, StripWriter
from autopar.cpu.ufuncs import INLINE, alike
from autopar.cpu.writer import Value
from autopar.nest import functions
from autopar.nest.ir import Binary, Call, Const, Expr, For, Stmt
from autopar.nest.kinds import Kind, family, storage
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import walk
from autopar.records import dataclass, field

_MOST = 6  # calls of one loop: their strips must stay in the fastest cache
assert KEPT_STRIP <= MOST  # powers of a strip


@dataclass(frozen=True, slots=True)
class Many:
    """A call, or a power, that is found for a strip at a time.

    Attributes
    ----------
    place, args
        Where it stands, and what it is of.
    name, loop, kind
        Its ufunc, or the word for that power; the dtypes it is computed and found in; its type.
    room, rooms
        Buffers for what it finds, and for what it is handed.
    """

    place: Place
    args: tuple[Expr, ...]
    name: str
    loop: tuple[str, str]
    kind: Kind
    room: str
    rooms: tuple[str, ...]


Found = tuple[Many, tuple[str, ...]]
"""What has been found for a strip: texts of its operands, if they are still there, and result."""


@dataclass(slots=True)
class BulkWriter(StripWriter):
    """Loops that call NumPy's functions for many iterations at a time, or find their powers.

    Attributes
    ----------
    found
        Those that have been found, by their identity.
    handed
        Operands that need not be computed again, by their identity.
    asked
        Loops by their identity, and their calls.
    """

    found: dict[int, Found] = field(default_factory=dict)
    handed: dict[int, Value] = field(default_factory=dict)
    asked: dict[int, tuple[For, tuple[Many, ...]]] = field(default_factory=dict)

    @abstractmethod
    def block(self, stmts: Sequence[Stmt]) -> None:
        """Write the statements of a loop body."""

    def raw_value(self, expr: Expr) -> Value:
        if id(expr) in self.handed:
            return self.handed[id(expr)]
        if id(expr) in self.found:
            many, (*args, here) = self.found[id(expr)]
            if isinstance(expr, Call):
                return self.ufunc_result(expr, many.name, args, here, many.loop, many.kind)
            if isinstance(expr, Binary) and args and id(expr.left) not in self.handed:
                return self.power_of(expr, Value(args[0], many.kind, many.loop[0]))
        # Not `super()`: a dataclass with slots is another class than the one that was written.
        return StripWriter.raw_value(self, expr)

    def power_of(self, expr: Binary, operand: Value) -> Value:
        """A power that has been found, of what is in a strip: to compute that again takes long."""
        if any(isinstance(part, Call) for part in walk(expr.left)):
            self.handed[id(expr.left)] = operand
        power = StripWriter.raw_value(self, expr)
        self.handed.pop(id(expr.left), None)
        return power

    def with_word(self, word: str, expr: Binary, a: str) -> str:
        if id(expr) not in self.found:
            return StripWriter.with_word(self, word, expr, a)
        return self.found[id(expr)][1][-1]

    def bulky(self, loop: For) -> tuple[Many, ...]:
        """The calls of `loop` that are made for a strip at a time."""
        if id(loop) not in self.asked:
            self.asked[id(loop)] = loop, () if self.singly else tuple(self.calls_of(loop))
        return self.asked[id(loop)][1]

    def calls_of(self, loop: For) -> Iterator[Many]:
        count = 0
        for place in places(loop, loop.id in self.independent, self.apart, self.pure):
            many = self.one(place, f"many{count}")
            if many is not None:
                count += 1
                yield many
            if count == _MOST:
                return

    def pure(self, call: Call) -> bool:
        """Whether `call` computes a value and does nothing else, such as to draw a number."""
        function = dict(self.typed.calls).get(call.func)
        return function is not None and function.form not in ("draw", "drawn")

    def rows(self, loop: For) -> tuple[For, ...]:
        # Calls for many iterations at a time have strips of their own.
        found = StripWriter.rows(self, loop)
        return () if found and self.bulky(found[-1]) else found

    def one(self, place: Place, room: str) -> Many | None:
        """A call, if there is a loop for it on real floats that takes longer than to call it."""
        call = place.call
        if isinstance(call, Binary):
            return self.one_power(place, call, room)
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
        return Many(place, call.args, function.name, loop, kind, name, rooms)

    def one_power(self, place: Place, expr: Binary, room: str) -> Many | None:
        """`expr`, if it is such a power of a double that is a scalar, Python's or NumPy's."""
        kind = kind_of(self.typed, expr.left)
        word = None if self.relaxed or expr.whole else self.plain_power(expr)
        if word is None or len(kind) != 1 or not kind <= DOUBLES:
            return None
        loop = "float64", "float64"
        rooms = (f"{room}_0_float64_",)
        return Many(place, (expr.left,), word, loop, kind, f"{room}_float64_", rooms)

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
            rooms = *many.rooms, many.room
            for room in rooms:
                # Powers use what is behind the last one; who spreads what all found looks there.
                self.buffer(room, many.loop[room == many.room], KEPT_STRIP + AT_ONCE)
            if many.place.branch is None:
                for _ in head():
                    self.nonnegatives.clear()
                    self.block(many.place.before)
                    self.hand(many, position)
                self.make(many, count)
            else:
                rooms = self.of_some(many, many.place.branch, position, head)
            for same in many.place.same:
                self.found[id(same)] = many, tuple(f"{room}[{position}]" for room in rooms)

    def of_some(
        self, many: Many, branch: Branch, position: str, head: Callable[[], Iterator[None]]
    ) -> tuple[str, ...]:
        """Make a call for those iterations of a strip that take `branch`.

        What they hand over stands one behind the other, and so does what is found.  Where it is
        known of all iterations, all store it, each where the next that takes the branch will: no
        processor has to foresee which do.

        Returns
        -------
        tuple of str
            Buffers of what it is handed and of what it finds, by the number of an iteration.
        """
        flags, where = f"{many.room}is_", f"{many.room}at_"
        spread = {room: f"all_{room}" for room in (*many.rooms, many.room)}
        self.buffer(flags, "bool", KEPT_STRIP)
        for room, wide in spread.items():
            self.buffer(wide, many.loop[room == many.room], KEPT_STRIP)
        # To negate or to convert another type may be worth a warning.
        silent = {many.loop[0]} == {storage(kind_of(self.typed, arg)) for arg in many.args}
        known = many.place.known and silent
        self.write(f"{where} = int64(0)")
        for _ in head():
            self.nonnegatives.clear()
            self.block(many.place.before)
            test = self.condition(branch.choice.test)
            self.write(f"{flags}[{position}] = {test if branch.taken else f'not ({test})'}")
            if known:
                self.hand(many, where)
            self.write(f"if {flags}[{position}]:")
            with self.indented():
                if not known:
                    self.block(many.place.within)
                    self.hand(many, where)
                self.write(f"{where} = {where} + 1")
        self.make(many, where)
        self.write(f"{where} = int64(0)")
        for _ in head():
            for room, wide in spread.items():
                self.write(f"{wide}[{position}] = {room}[{where}]")
            self.write(f"if {flags}[{position}]:")
            self.write(f"    {where} = {where} + 1")
        return tuple(spread.values())

    def make(self, many: Many, count: str) -> None:
        """Write the call of `many` for so many numbers."""
        chars = "".join(np.dtype(d).char for d in (many.loop[0],) * len(many.rooms))
        chars += np.dtype(many.loop[1]).char
        name = many.name if many.name in PLAIN else f"numpy_{many.name}_{chars}"
        self.write(f'many_("{name}", {count}, {", ".join((*many.rooms, many.room))})')

    def hand(self, many: Many, where: str, carried: bool = False) -> None:
        """Write what `many` is handed in the iteration at hand.

        An infinity need not be looked at where it is `carried` on to what is found.
        """
        self.line = many.place.call.line
        for room, arg in zip(many.rooms, many.args, strict=True):
            value = self.raw_value(arg) if carried else self.value(arg)
            self.write(f"{room}[{where}] = {self.convert(value, many.loop[0])}")
