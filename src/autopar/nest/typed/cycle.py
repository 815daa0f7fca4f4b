"""What scalars are at the start of any iteration of one loop, from what one iteration does."""

from __future__ import annotations

from collections.abc import Mapping

from autopar.nest.ir import Compare, Name
from autopar.nest.polynomial import Polynomial, chosen, number, short, symbol
from autopar.records import dataclass

Env = Mapping[str, Polynomial | None]
"""Scalar, and its value at some place; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """The iterations of one loop: its variable, and of its range what is known."""

    var: Name
    start: Polynomial | None
    stop: Polynomial | None
    step: Polynomial | None
    line: int

    @property
    def literal(self) -> int | None:
        """The step, where it is a known number."""
        return None if self.step is None else self.step.literal

    @property
    def ends(self) -> tuple[Polynomial | None, Polynomial | None]:
        """Least and largest value of the variable in an iteration, as far as that is known."""
        step, start, stop = self.literal, self.start, self.stop
        if not step:
            return None, None
        if step > 0:
            return start, None if stop is None else stop - number(1)
        return None if stop is None else stop + number(1), start

    def forms(self, marks: Mapping[str, str], ends: Env, env: Env) -> dict[str, Polynomial | None]:
        """The scalars of `marks` at the start of any iteration; `ends` is in terms of marks."""
        found: dict[str, Polynomial | None] = dict.fromkeys(marks)
        known: dict[str, Polynomial] = {}
        grew = True
        while grew:  # a form may be built on that of another scalar
            grew = False
            open_marks = frozenset(marks.values()) - set(known)
            for name, mark in marks.items():
                end, entry = ends[name], env[name]
                if mark in known or end is None or entry is None:
                    continue
                change = (end - symbol(Name(mark))).where(known, self.line)
                again = end.where(known, self.line)
                if not change.names & open_marks:
                    form = self.summed(entry, change)
                elif not again.names & open_marks:
                    form = self.delayed(entry, again)
                else:
                    continue
                form = short(form)
                if form is not None:
                    found[name] = known[mark] = form
                    grew = True
        return found

    def summed(self, entry: Polynomial, change: Polynomial) -> Polynomial | None:
        """`entry` and the `change` of each iteration before."""
        if not change.terms:
            return entry
        powers = change.by_power(self.var.id)
        if powers is None or len(powers) > 2 or self.start is None or self.step is None:
            return None
        moved = symbol(self.var) - self.start
        if len(powers) == 1:
            if powers[0] == self.step:
                return entry + moved
            times = self.times(moved, powers[0])
            return None if times is None else entry + times
        count = self.times(moved, number(1))
        if count is None:
            return None
        fixed = powers[0] + powers[1] * self.start
        pairs = (count * (count - number(1))).floor(2, self.line)
        return entry + count * fixed + powers[1] * self.step * pairs

    def times(self, moved: Polynomial, change: Polynomial) -> Polynomial | None:
        """`change` times the number of steps in `moved`, which is a multiple of the step."""
        step = self.literal
        if not step:
            return None
        if all(factor % step == 0 for _, factor in change.terms):
            return moved * Polynomial.of({s: factor // step for s, factor in change.terms})
        ahead = moved if step > 0 else number(0) - moved
        return ahead.floor(abs(step), self.line) * change

    def delayed(self, entry: Polynomial, end: Polynomial) -> Polynomial | None:
        """`entry` in the first iteration, and in others the `end` of the one before."""
        if self.start is None or self.step is None:
            return None
        var, line = symbol(self.var), self.line
        before = end.where({self.var.id: var - self.step}, line)
        if entry == end.where({self.var.id: self.start - self.step}, line):
            return before
        first = Compare("==", self.var, self.start.expr(line), line)
        return chosen(first, entry, before, line)
