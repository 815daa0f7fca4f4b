"""Subscripts that are checked before a loop, once, rather than in each of its iterations.

Of ``x[row, k]`` in a loop over `k` nobody may know before the kernel runs where `row` is; but it is
the same all the time, and `k` goes from one end of its range to the other.  Where each iteration
comes to the access, it is as good to look beforehand whether Python would raise, and without a way
out of the loop LLVM can make vectors of it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from autopar.cpu.loops import LoopWriter
from autopar.cpu.strips import Run
from autopar.cpu.writer import INT64
from autopar.nest.flow import names, written
from autopar.nest.ir import Binary, Const, Expr, For, Leave, Name
from autopar.nest.kinds import dtype, family
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import accesses, statements
from autopar.records import dataclass
from autopar.sched.always import always, runs
from autopar.sched.bands import harmless


@dataclass(slots=True)
class AheadWriter(LoopWriter):
    """Loops of one kernel, with what can be checked before them."""

    def varying(self) -> frozenset[str]:
        """Scalars that are something else in each of the iterations that go on together."""
        return frozenset()

    def chunk(self, loop: For, asked: bool) -> None:
        with self.ahead(loop, whole=False):
            LoopWriter.chunk(self, loop, asked)

    @contextmanager
    def ahead(self, loop: For, whole: bool = True) -> Generator[None, None, None]:
        """Around a loop: check the subscripts of what all of its iterations come to.

        Parameters
        ----------
        whole
            Whether it is all of the loop, not the part of it from ``lo`` to ``hi``.
        """
        before = dict(self.checked_at)
        undoing = self.strip is not None and self.strip.run is Run.UNDOING
        if not undoing and not any(isinstance(s, Leave) for s in statements(loop)):
            self.look_ahead(loop, whole)
        yield
        self.checked_at = before

    def look_ahead(self, loop: For, whole: bool) -> None:
        counters = frozenset(s.var for s in statements(loop) if isinstance(s, For))
        changed = written((loop,)) | self.varying() | counters
        wanted: dict[tuple[str, int, Expr, int], dict[tuple[int, ...], tuple[For, ...]]] = {}
        for cell, around, _ in always((loop,), ()):
            if cell.id in self.inside:
                continue
            inner = around if whole else around[1:]
            if names([e for one in inner for e in (one.start, one.stop)]) & changed:
                continue  # nobody knows yet whether there is an iteration
            for axis, expr in enumerate(cell.index):
                if (cell.id, axis) in self.checked_at or not self.steady(expr, inner, changed):
                    continue
                own = _counter(expr, inner)
                key = cell.array, axis, expr, -1 if own is None else own.id
                wanted.setdefault(key, {})[tuple(one.id for one in inner)] = inner
        before = "" if whole else "lo < hi"
        for (array, axis, expr, _), found in wanted.items():
            place = self.check(array, axis, expr, tuple(found.values()), before)
            # It has been looked at if one of these loops has an iteration: nobody outside of them
            # may rely on that.
            for around in found.values():
                for number in _accesses(around[-1] if around else loop, array, axis, expr):
                    self.checked_at[number, axis] = place

    def steady(self, expr: Expr, around: Sequence[For], changed: frozenset[str]) -> bool:
        """Whether it can be said beforehand what all iterations make of the subscript `expr`."""
        own = _counter(expr, around)
        if own is not None:  # from the end of an axis, each iteration looks for itself
            return _counts(own) and _rises(own.start, (*self.loops, *around))
        atoms = kind_of(self.typed, expr) if harmless(expr) and not names((expr,)) & changed else ()
        return bool(atoms) and all(
            family(dtype(atom)) in ("int", "uint") and dtype(atom) != "uint64" for atom in atoms
        )

    def check(
        self, array: str, axis: int, expr: Expr, found: Sequence[Sequence[For]], before: str
    ) -> str:
        """Give up unless `expr` is a subscript of this axis in all iterations, if there are any.

        The answer is where it is then; empty where that differs from iteration to iteration.

        Parameters
        ----------
        found
            The loops around each of the accesses that it is a subscript of.
        before
            What else has to be true for them to be reached.
        """
        extent = f"{self.names[array]}.shape[{axis}]"
        own = _counter(expr, found[0])
        place = "" if own is not None else self.temp("int64(0)")
        ways = []
        for around in found:
            tests = (self.condition(test) for one in around for test in runs(one))
            ways.append(" and ".join(tests) or "True")
        reached = "True" if "True" in ways else " or ".join(f"({way})" for way in ways)
        self.write(f"if {before} and ({reached}):" if before else f"if {reached}:")
        with self.indented():
            if own is not None:
                high = self.bounds(own)[1]
                self.fail_if(f"{self.cast(high.text, high.dtype, 'int64')} > {extent}")
                return place
            value = self.value(expr)
            if value.may_be_int:
                self.within(value, -INT64, INT64)
            self.write(f"{place} = int64({value.text})")
            self.write(f"if {place} < 0:")
            self.write(f"    {place} += {extent}")
            self.fail_if(f"{place} < 0 or {place} >= {extent}")
        return place


def _accesses(loop: For, array: str, axis: int, expr: Expr) -> Iterator[int]:
    """Accesses in the iterations of `loop` that have this subscript, by their ids."""
    for stmt in loop.body:
        for _, cell in accesses(stmt):
            if cell.array == array and cell.index[axis : axis + 1] == (expr,):
                yield cell.id


def _counts(loop: For) -> bool:
    """Whether the variable of `loop` goes up one by one, and nothing in the loop assigns it."""
    return loop.step == Const(1) and loop.var not in written(loop.body)


def _rises(start: Expr, around: Sequence[For]) -> bool:
    """Whether a range from `start` on, in the loops `around`, has no negative number."""
    match start:
        case Const(value=int(first)):
            return first >= 0
        case Name(id=name):
            at = max((k for k, one in enumerate(around) if one.var == name), default=None)
            return at is not None and _counts(around[at]) and _rises(around[at].start, around[:at])
        case Binary(op="+", left=left, right=right):
            return _rises(left, around) and _rises(right, around)
    return False


def _counter(expr: Expr, around: Sequence[For]) -> For | None:
    """The loop of which `expr` is the variable."""
    return next((one for one in reversed(around) if expr == Name(one.var)), None)
