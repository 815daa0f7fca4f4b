"""Statements of iterations that go on together.

Statements without loops are a *run*.  Where iterations lie in a strip, each run stands in a loop of
its own over the strip; where they are copies, the run is written out for each.  What a run leaves
for another one is kept for each lane: a scalar for a copy, an array on the stack for a strip.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from enum import Enum
from itertools import groupby, product
from math import prod

from autopar.cpu.bulk import Found, Many
from autopar.cpu.loops import LoopWriter
from autopar.cpu.packs import Range
from autopar.cpu.power_lanes import AT_ONCE, MOST
from autopar.cpu.powers import GROWING, PLAIN
from autopar.cpu.repeated import places
from autopar.cpu.staggered import StaggeredWriter
from autopar.cpu.sticky import Trail
from autopar.nest.flow import exposed, written
from autopar.nest.flow import names as read
from autopar.nest.ir import Assign, Binary, Const, Element, For, If, Load, Name, Stmt
from autopar.nest.walking import blocks, expressions, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.alike import alike
from autopar.sched.bands import has_loops

_POWERS = 16
"""Powers of one loop over a strip that are found ahead of it: each has a buffer of its own."""
_BLOCK = 128
"""Iterations of a loop that is not cut into strips, whose powers are found ahead of them."""
_IN_FULL = 64
"""Statements of which all steps of loops are written out, at the most."""


Ahead = dict[tuple[int, int], dict[int, Found]]
"""What has been found ahead of statements, by copy and step."""


@dataclass(frozen=True, slots=True)
class Own:
    """What the lanes of a strip have each of its own, or all in common.

    Attributes
    ----------
    rooms
        Of each array that is private to an iteration, where it is: its last axis goes from lane to
        lane.
    varying
        Scalars and arrays that may differ from lane to lane, if that is known.
    """

    rooms: Mapping[str, str]
    varying: frozenset[str] | None

    def alike(self, stmt: Stmt) -> bool:
        """Whether `stmt`, which has no loops, does the same in all lanes."""
        return self.varying is not None and alike(stmt, self.varying)


SHARED = Own({}, None)


@dataclass(frozen=True, slots=True)
class Tiled:
    """Iterations that are being written together.

    Attributes
    ----------
    copies
        For each one that is written out: texts of the variables of loops.
    strip
        What each run goes through, if it does.
    kept
        Scalars that one run leaves for another.
    own
        What its lanes have each of its own.
    tests
        For each copy the text of whether it is there, if not all of them are.
    """

    copies: tuple[Mapping[str, str], ...]
    strip: Range | None
    kept: frozenset[str]
    own: Own
    tests: tuple[str, ...] = ()


@dataclass(slots=True)
class RunWriter(StaggeredWriter):
    """Loops of one kernel, in some of which statements are written for many iterations.

    Attributes
    ----------
    tile
        What is being written together.
    polls
        Whether to look between tiles whether to stop.
    """

    tile: Tiled | None = None
    polls: bool = False

    def varying(self) -> frozenset[str]:
        """Scalars that are something else in each of the iterations that go on together."""
        tile = self.tile
        if tile is None:
            return frozenset()
        own = {tile.strip.loop.var} if tile.strip is not None else set()
        return tile.kept.union(own, *tile.copies)

    def element(self, access: Load | Element) -> str:
        if self.tile is None:
            return LoopWriter.element(self, access)
        room = self.tile.own.rooms.get(access.array)
        if room is not None:
            return f"{room}[{', '.join((*self.place(access), 'lane_'))}]"
        if access.id in self.boxes and self.tile.strip is not None:
            return self.in_box(self.boxes[access.id], self.tile.strip)
        found = self.packs.get((access.array, access.index))
        return found or LoopWriter.element(self, access)

    def following(self, var: str, count: int) -> list[str]:
        """Texts of so many numbers from `var` on."""
        return [var, *(self.temp(f"{var} + {k}") for k in range(1, count))]

    def tiled(self, tile: Tiled, body: Sequence[Stmt]) -> None:
        """The iterations of `tile`, statement by statement."""
        if self.polls:
            self.poll()
        if tile.strip is None:
            for name in sorted(tile.kept):
                storage = self.storage(name)
                for place in self.places(tile, name):
                    zero = "False" if storage == "bool" else f"{storage}(0)"
                    self.write(f"{place} = {zero}")
        self.tile = tile
        self.advance(body)
        self.tile = None

    def advance(self, stmts: Sequence[Stmt]) -> None:
        """The same statements in all lanes: runs, and what is around loops once for all."""
        assert self.tile is not None
        for kind, group in _kinds(stmts, self.tile.own):
            if kind is Kind.RUN:
                self.run(group, ({},))
            elif kind is Kind.ALIKE:
                self.nonnegatives.clear()
                self.block(group)
                self.nonnegatives.clear()
            for stmt in group if kind is Kind.LOOPS else ():
                if isinstance(stmt, If):
                    self.write(f"if {self.condition(stmt.test)}:")
                    with self.indented():
                        self.advance(stmt.body)
                    if stmt.orelse:
                        self.write("else:")
                        with self.indented():
                            self.advance(stmt.orelse)
                elif isinstance(stmt, For):
                    with self.deferring(stmt), self.ahead(stmt):
                        self.steps(stmt)

    def steps(self, loop: For) -> None:
        """A loop that all lanes go through step by step, several at once where it says so."""
        assert self.tile is not None
        turns = _turns(loop) if self.tile.strip is not None else ()
        if turns:
            self.written_in_full(turns)
            return
        plain = self.plainly_bound(loop)
        low, high = self.ends(loop)
        assert isinstance(loop.step, Const)
        innermost = not any(map(has_loops, loop.body))
        if innermost and self.tile.strip is None and loop.step.value == 1:
            powers = self.powers_in(loop, loop.body)
            if powers:
                self.by_blocks(loop, plain, (low, high), powers)
                return
        count = loop.lanes.copies if loop.lanes is not None else 1
        if count > 1 and innermost:
            var = self.names[loop.var]
            middle = self.temp(f"{low} + max({high} - {low}, 0) // {count} * {count}")
            for _ in self.head(loop, plain, f"{low}, {middle}, {count}"):
                texts = self.following(var, count)
                self.run(loop.body, tuple({loop.var: text} for text in texts))
            low = middle
        step = "" if loop.step.value == 1 else f", {loop.step.value}"
        for _ in self.head(loop, plain, f"{low}, {high}{step}"):
            self.advance(loop.body)

    def by_blocks(
        self, loop: For, plain: bool, ends: tuple[str, str], powers: Sequence[Many]
    ) -> None:
        """A loop in which the powers of many iterations are found ahead, for each copy."""
        assert self.tile is not None
        self.temps += 1
        base, before = f"base{self.temps}_", self.begin(loop, plain)
        many = len(powers) * len(self.tile.copies)
        together = many * AT_ONCE <= MOST and not _within_others(powers)
        block = min(_BLOCK, MOST // many // AT_ONCE * AT_ONCE) if together else _BLOCK
        self.write(f"for {base} in range({', '.join(ends)}, {block}):")
        with self.indented():
            top = self.temp(f"min({base} + {block}, {ends[1]})")
            if together:
                found = self.find_together(powers, loop, (base, top), block)
            else:
                found = self.find(powers, ({},), loop, (base, top))
            self.write(f"for {self.names[loop.var]} in {self.order(loop)}({base}, {top}):")
            with self.indented():
                self.run(loop.body, ({},), found)
        self.end(loop, before)

    def written_in_full(self, turns: Sequence[tuple[For, range]]) -> None:
        """All steps of loops in one another, in one loop over the strip.

        What one step leaves for the next is not kept in between.
        """
        loops = [loop for loop, _ in turns]
        plain = [self.begin(loop, self.plainly_bound(loop)) for loop in loops]
        texts = [[(loop.var, self.temp(f"{k}")) for k in numbers] for loop, numbers in turns]
        self.run(loops[-1].body, [dict(step) for step in product(*texts)])
        for loop, before in zip(reversed(loops), reversed(plain), strict=True):
            self.end(loop, before)
        for loop, numbers in turns:
            self.write(f"{self.names[loop.var]} = {numbers[-1]}")

    def run(
        self, stmts: Sequence[Stmt], steps: Sequence[Mapping[str, str]], ahead: Ahead | None = None
    ) -> None:
        """Statements without loops, in each lane.

        Parameters
        ----------
        steps
            For each time that they run, one after the other: texts of the variables of loops.
        ahead
            What has been found ahead of them, if not for a strip.
        """
        assert self.tile is not None
        self.nonnegatives.clear()
        assigned, sometimes = written(stmts), _sometimes(stmts)
        taken = self.tile.kept & (exposed(stmts) | sometimes)
        left = self.tile.kept & assigned
        strip = self.tile.strip
        if ahead is None:
            powers = self.powers_in(strip.loop, stmts) if strip is not None else ()
            few = len(powers) * len(self.tile.copies) * len(steps) <= _POWERS
            ahead = {}
            if powers and few and strip is not None:
                ahead = self.find(powers, steps, strip.loop, (strip.low, strip.high))
        for copy, here in enumerate(self.lanes(taken, left)):
            for number, step in enumerate(steps):
                self.names = {**here, **step}
                self.found = ahead.get((copy, number), {})
                self.block(stmts)
        self.found = {}
        self.nonnegatives.clear()

    def powers_in(self, loop: For, stmts: Sequence[Stmt]) -> tuple[Many, ...]:
        """The powers in `stmts` that can be found for many iterations of `loop`, ahead of them.

        One by one, each might be left to C's ``pow``, and nothing else became vectors.
        """
        tile = self.tile
        assert tile is not None
        if tile.tests or self.singly or self.strip is not None:
            return ()
        if tile.strip is not None and tile.strip.lanes.strip > MOST:
            return ()
        # In order, as steps are: a later one may read what an earlier one has stored.
        found = places(replace(loop, body=tuple(stmts)), False, self.apart, self.pure)
        calls = ((place, place.call) for place in found if place.branch is None)
        powers = (self.one_power(p, call, "") for p, call in calls if isinstance(call, Binary))
        return tuple(many for many in powers if many is not None)

    def find(
        self,
        powers: Sequence[Many],
        steps: Sequence[Mapping[str, str]],
        loop: For,
        ends: tuple[str, str],
    ) -> Ahead:
        """Write what finds `powers` for the iterations of `loop` between `ends`."""
        tile, names = self.tile, self.names
        assert tile is not None
        room = "powers_of_float64_"
        most = (_BLOCK if tile.strip is None else tile.strip.lanes.strip) + AT_ONCE
        position = f"{names[loop.var]} - {ends[0]}" if tile.strip is None else "lane_"
        self.buffer(room, "float64", most)
        ahead: Ahead = {}
        for (copy, here), (number, step) in product(enumerate(tile.copies), enumerate(steps)):
            self.found = ahead.setdefault((copy, number), {})
            for k, power in enumerate(powers):
                many = replace(power, room=f"powers{k}_{copy}_{number}_float64_", rooms=(room,))
                self.buffer(many.room, "float64", most)
                self.write(f"for {names[loop.var]} in apart_({', '.join(ends)}):")
                self.names = {**names, **here, **step}
                with self.indented():
                    if tile.strip is not None:
                        self.write(f"lane_ = {names[loop.var]} - {ends[0]}")
                    self.operand_of(many, copy, position)
                self.names = names
                self.make(many, f"{ends[1]} - {ends[0]}")
                for same in many.place.same:
                    self.found[id(same)] = many, (f"{many.room}[{position}]",)
        self.found = {}
        return ahead

    def find_together(
        self, powers: Sequence[Many], loop: For, ends: tuple[str, str], block: int
    ) -> Ahead:
        """The same for all copies at once, of `block` iterations of a loop that is in no strip.

        Those of one copy may be few, and what finds them would begin for each of them anew.
        """
        tile, names = self.tile, self.names
        assert tile is not None
        trips, at = self.temp(f"{ends[1]} - {ends[0]}"), f"{names[loop.var]} - {ends[0]}"
        ahead: Ahead = {}
        last: dict[str, tuple[int, Many]] = {}
        for copy, here in enumerate(tile.copies):
            for power in powers:
                count = last[power.name][0] if power.name in last else 0
                rooms = (f"given_{power.name}float64_",)
                many = replace(power, room=f"found_{power.name}float64_", rooms=rooms)
                last[power.name] = count + 1, many
                position = f"{count} * {trips} + {at}"
                self.write(f"for {names[loop.var]} in apart_({', '.join(ends)}):")
                self.names = {**names, **here}
                with self.indented():
                    self.operand_of(many, copy, position)
                self.names = names
                found = ahead.setdefault((copy, 0), {})
                for same in many.place.same:
                    found[id(same)] = many, (f"{many.room}[{position}]",)
        for count, many in last.values():
            for room in (many.room, *many.rooms):
                self.buffer(room, "float64", count * block + AT_ONCE)
            self.make(many, f"{count} * {trips}")
        return ahead

    def operand_of(self, power: Many, copy: int, position: str) -> None:
        """Write what `power` is of in one iteration, and what that needs."""
        tile, before = self.tile, power.place.before
        assert tile is not None
        needed = exposed(before) | (read(power.args) - written(before))
        for name in sorted(tile.kept & needed):
            self.write(f"{self.names[name]} = {self.places(tile, name)[copy]}")
        self.nonnegatives.clear()
        self.block(before)
        self.hand(power, position, PLAIN[power.name] in GROWING)

    def lanes(self, taken: frozenset[str], left: frozenset[str]) -> Iterator[Mapping[str, str]]:
        """Once for each lane that is written out, in the loop over the strip if there is one.

        Yields the names there.

        Parameters
        ----------
        taken, left
            Kept scalars that are read, and that are assigned.
        """
        tile, names = self.tile, self.names
        assert tile is not None
        with ExitStack() as stack:
            if tile.strip is not None:
                var = names[tile.strip.loop.var]
                self.write(f"for {var} in apart_({tile.strip.low}, {tile.strip.high}):")
                stack.enter_context(self.indented())
                self.write(f"lane_ = {var} - {tile.strip.low}")
            for k, copy in enumerate(tile.copies):
                with ExitStack() as alone:
                    if tile.tests:
                        self.write(f"if {tile.tests[k]}:")
                        alone.enter_context(self.indented())
                        self.nonnegatives.clear()  # what the one before has found may not be there
                    for name in sorted(taken):
                        self.write(f"{names[name]} = {self.places(tile, name)[k]}")
                    yield {**names, **copy}
                    self.names = names
                    for name in sorted(left):
                        self.write(f"{self.places(tile, name)[k]} = {names[name]}")

    def places(self, tile: Tiled, name: str) -> list[str]:
        """Where the lanes keep a scalar, for each copy."""
        here, copies = self.names[name], range(len(tile.copies))
        if tile.strip is None:
            return [f"{here}_lane{k}_" for k in copies]
        rooms = [f"{here}_lanes{k}_" for k in copies]
        for room in rooms:
            self.buffer(room, self.storage(name), tile.strip.lanes.strip)
        return [f"{room}[lane_]" for room in rooms]

    # ------------------------------------------------------------------ watching

    def lasting(self, loop: For) -> frozenset[int]:
        found = LoopWriter.lasting(self, loop)
        if self.tile is None:
            return found
        # Of the cells that the lanes store into, only the last one's is at hand then.
        inside = (s for s in statements(loop) if isinstance(s, Assign))
        return found & {s.id for s in inside if isinstance(s.target, Name)}

    def trails(self, loop: For) -> tuple[Trail, ...]:
        return () if self.tile is not None else LoopWriter.trails(self, loop)

    def overdue(self, owed: Sequence[tuple[str, str]]) -> None:
        if self.tile is None or not owed:
            LoopWriter.overdue(self, owed)
            return
        texts = {text for text, _ in owed}
        taken = frozenset(name for name in self.tile.kept if self.names[name] in texts)
        for _ in self.lanes(taken, frozenset()):
            LoopWriter.overdue(self, owed)


def kept_in(body: Sequence[Stmt], own: Own) -> frozenset[str]:
    """Scalars that one run of `body` leaves for another, or for itself in a loop around it."""
    runs = list(_runs(body, own))
    found: set[str] = set()
    for k, run in enumerate(runs):
        others = (other for n, other in enumerate(runs) if n != k)
        read = exposed(run).union(*(exposed(other) for other in others))
        found |= written(run) & read
    return frozenset(found if own.varying is None else found & own.varying)


class Kind(Enum):
    """How statements that follow one another are written where lanes go on together."""

    LOOPS = "loops"
    """Loops, and branches around loops: what is in them."""
    RUN = "run"
    """In each lane."""
    ALIKE = "alike"
    """Once for all lanes."""


def _kinds(stmts: Sequence[Stmt], own: Own) -> Iterator[tuple[Kind, tuple[Stmt, ...]]]:
    """Statements of one kind, as long as they follow one another."""

    def kind(stmt: Stmt) -> Kind:
        if has_loops(stmt):
            return Kind.LOOPS
        return Kind.ALIKE if own.alike(stmt) else Kind.RUN

    for found, group in groupby(stmts, kind):
        yield found, tuple(group)


def _runs(body: Sequence[Stmt], own: Own) -> Iterator[tuple[Stmt, ...]]:
    """Statements of `body` without loops, as long as they follow one another."""
    for kind, group in _kinds(body, own):
        if kind is not Kind.LOOPS:
            yield group
            continue
        for stmt in group:
            for block in blocks(stmt):
                yield from _runs(block, own)


def _turns(loop: For) -> tuple[tuple[For, range], ...]:
    """`loop`, and those that alone are in one another, with their numbers.

    None where that would be more than `_IN_FULL`.
    """
    match loop:
        case For(
            start=Const(value=int(low)), stop=Const(value=int(high)), step=Const(value=int(by))
        ):
            numbers = range(low, high, by) if by else range(0)
        case _:
            return ()
    found: tuple[tuple[For, range], ...] = ((loop, numbers),)
    match loop.body:
        case (For() as inner,):
            found = (*found, *_turns(inner))
            if len(found) == 1:
                return ()
        case stmts if any(map(has_loops, stmts)):
            return ()
    size = sum(1 for _ in statements(found[-1][0])) * prod(len(n) for _, n in found)
    return found if 0 < size <= _IN_FULL else ()


def _sometimes(stmts: Sequence[Stmt]) -> frozenset[str]:
    """Scalars that `stmts` assign under a condition."""
    inside = (s for stmt in stmts for s in statements(stmt) if isinstance(s, If))
    return frozenset().union(*(written((stmt,)) for stmt in inside))


def _within_others(powers: Sequence[Many]) -> bool:
    """Whether what one of `powers` is of has another one in it."""
    found = {id(same) for power in powers for same in power.place.same}
    for power in powers:
        before = (e for stmt in power.place.before for e in expressions(stmt))
        if any(id(part) in found for top in (*power.args, *before) for part in walk(top)):
            return True
    return False
