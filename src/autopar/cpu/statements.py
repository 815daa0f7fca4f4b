"""Statements of one kernel as kernel text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autopar.cpu.joins import JoinWriter
from autopar.cpu.signs import nonnegative
from autopar.cpu.sticky import carriers
from autopar.cpu.writer import Value
from autopar.kernel import Status, Watch
from autopar.nest import kinds
from autopar.nest.flow import written
from autopar.nest.ir import Assign, Binary, Element, Expr, For, If, Leave, Name, Stmt, While
from autopar.records import dataclass
from autopar.verdict import Reason


@dataclass(slots=True)
class KernelWriter(JoinWriter):
    """Statements of one kernel.

    Attributes
    ----------
    elements
        Scalars that stand for elements of arrays: they are given what an element would be.
    """

    elements: frozenset[str] = frozenset()

    @property
    def scalars(self) -> dict[str, kinds.Kind]:
        return dict(self.typed.scalars)

    def enter(
        self, slots: dict[str, int], names: Sequence[str], ins: Sequence[str], chunked: bool
    ) -> None:
        """Give every scalar of the kernel a value of its type before anything else."""
        for name in names:
            if name not in self.scalars or self.plain_loops.get(name):
                continue
            here = self.names[name]
            if self.start(name, slots.get(name, 0)):
                continue
            if name in ins:
                self.write(f"{here} = {here}_out[0]")
                self.write(f"{here}_tag = int64(tags[0, {slots[name]}])")
                continue
            storage = self.storage(name)
            self.write(f"{here} = False" if storage == "bool" else f"{here} = {storage}(0)")
            if name in self.tagged:
                self.write(f"{here}_tag = int64(0)")

    def leave(self, slots: dict[str, int], outs: Sequence[str], chunked: bool) -> None:
        if self.failing:
            self.lines[:0] = ["    failed_ = False"]
            self.write("if failed_:")
            self.write(f"    return {Status.FAILED}")
        if self.odd:
            starts, up = self.flags("odd")
            self.lines[:0] = [f"    {line}" for line in starts]
            self.write(f"if {up}:")
            self.write(f"    return {Status.ALARMED}")
        rooms = [f'    {name} = room_("{d}", {length})' for name, (d, length) in self.rooms.items()]
        self.lines[:0] = rooms
        row = "chunk + 1" if chunked else "0"
        self.finish(row)
        for number in self.alarms.values():
            self.lines.insert(0, f"    rang{number}_ = False")
            self.write(f"if rang{number}_:")
            self.write(f"    noted_[{row}, {number}] = 1")
        for name in outs:
            here = self.names[name]
            assigned, tag = self.updated(name)
            self.write(f"if {assigned}:")
            self.write(f"    {here}_out[{row}] = {here}")
            self.write(f"    tags[{row}, {slots[name]}] = {tag}")
        self.write(f"return {Status.DONE}")

    # ------------------------------------------------------------------ for the driver

    def answer_range(self, loop: For) -> None:
        """Start, stop and step of a loop that the driver starts."""
        for k, bound in enumerate(self.bounds(loop)):
            self.write(f"answer_[{k}] = {self.cast(bound.text, bound.dtype, 'int64')}")
            if k == 2:
                self.fail_if("answer_[2] == 0")

    def answer_test(self, test: Expr) -> None:
        self.write(f"answer_[0] = int64({self.condition(test)})")

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt]) -> None:
        here = carriers(stmts) if self.watch is Watch.NOTICE else {}
        for stmt in stmts:
            self.carriers = here  # blocks in a statement have their own
            self.read.clear()
            self.statement(stmt)
            for place in [p for p, (*_, by) in self.going_on.items() if by == stmt.id]:
                self.look_back(place)

    def statement(self, stmt: Stmt) -> None:
        with self.updating(stmt):
            self.plainly(stmt)

    def plainly(self, stmt: Stmt) -> None:
        match stmt:
            case Assign(target=Name(id=name)):
                self.assign(name, stmt.value, stmt)
            case Assign(target=Element() as target, value=value):
                self.store(target, value, stmt)
            case Leave(kind=kind):
                self.write(kind)
            case If() | While() | For():
                self.nonnegatives -= written((stmt,))
                self.compound(stmt)
                self.nonnegatives -= written((stmt,))

    def compound(self, stmt: If | While | For) -> None:
        match stmt:
            case If():
                self.write(f"if {self.condition(stmt.test)}:")
                before = frozenset(self.nonnegatives)
                with self.indented():
                    self.block(stmt.body)
                if stmt.orelse:
                    self.nonnegatives = set(before)
                    self.write("else:")
                    with self.indented():
                        self.block(stmt.orelse)
            case While():
                self.write("while True:")
                with self.indented():
                    self.poll()
                    self.write(f"if not {self.condition(stmt.test)}:")
                    self.write("    break")
                    self.block(stmt.body)
            case For():
                with self.deferring(stmt), self.ahead(stmt):
                    self.loop(stmt)

    @property
    def later(self) -> frozenset[int]:
        """Assignments whose results are looked at after a loop."""
        return self.unwatched | self.deferred

    def look(self, text: str, dtype: str, stmt: int) -> None:
        """Notice an infinity or nan that `stmt` has left in `text`, now or after a loop."""
        if stmt in self.unwatched:
            self.missed.add(stmt)
        elif stmt in self.deferred:
            self.owed[stmt] = (text, dtype)
        else:
            self.notice(text, dtype)

    def element_of(self, dtype: str, expr: Expr, stmt: Assign) -> tuple[Value, str]:
        """What `stmt` makes of `expr` for an element of an array, and its text."""
        self.line = stmt.line
        value = self.number(expr)
        if kinds.family(dtype) not in ("float", "complex"):
            value = self.take(value)
        self.line = stmt.line
        if stmt.whole and stmt.augmented and not np.can_cast(value.dtype, dtype, "same_kind"):
            raise self.refuse(Reason.WRONG_TYPE, expr)
        if stmt.whole and stmt.augmented and isinstance(expr, Binary):
            self.casting = kinds.UFUNCS[expr.op].__name__  # which casts as it goes
        text = self.stored(value, dtype, expr, stmt.whole)
        self.casting = "cast"
        return value, text

    def store(self, target: Element, expr: Expr, stmt: Assign) -> None:
        dtype = self.typed.array(target.array).dtype
        value, text = self.element_of(dtype, expr, stmt)
        if value.pending and stmt.id in self.deferred:
            self.write(f"kept{stmt.id}_ = {text}")
            text = f"kept{stmt.id}_"
        elif value.pending:
            text = self.temp(text)
        updates = any(stmt.id in r.updates for r in self.reductions)
        carrier = self.carriers.get(stmt.id)
        goes_on = carrier is not None and not updates and stmt.id not in self.deferred
        if value.pending and not goes_on:
            self.look(text, dtype, stmt.id)
        if updates:
            text = self.temp(text)
            self.report(stmt, text)
        place = self.element(target)
        if self.strip is not None and self.strip.keeps(stmt):
            self.keep(self.strip, stmt, place)
        cell = target.array, target.index
        self.look_back(cell)
        self.write(f"{place} = {text}")
        if value.pending and carrier is not None and goes_on:
            self.going_on[cell] = text, dtype, carrier

    def assign(self, name: str, expr: Expr, stmt: Assign) -> None:
        if name in self.elements:
            value, text = self.element_of(self.storage(name), expr, stmt)
        else:
            self.line = stmt.line
            value = self.number(expr)
            text = self.exact(value, self.storage(name))
        joined = self.joined.get(name)
        steady = joined is not None and self.steady_tag(joined) is not None
        steady = steady or name in self.whole_numbers
        tag = self.tag(expr) if name in self.tagged and not steady else None
        if nonnegative(expr, self.typed, self.nonnegatives):
            self.nonnegatives.add(name)
        else:
            self.nonnegatives.discard(name)
        here = self.names[name]
        self.look_back(name)
        # Both from the old values: `s = s * 2` reads the tag of the old s.
        if tag is not None:
            self.write(f"{here}_tag, {here} = int64({tag}), {text}")
        else:
            self.write(f"{here} = {text}")
        carrier = self.carriers.get(stmt.id)
        if value.pending and carrier is not None and tag is None and stmt.id not in self.deferred:
            self.going_on[name] = here, self.storage(name), carrier
        elif value.pending:
            self.look(here, self.storage(name), stmt.id)
        self.report(stmt, here)
