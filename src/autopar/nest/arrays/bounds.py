"""What must be true of subscripts and shapes for a whole-array statement to be written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import Assign, Call, Condition, Const, Expr, For, Load, Name, Nest, Stmt
from autopar.nest.kinds import MAX_INT
from autopar.nest.polynomial import Polynomial, number, read, symbol
from autopar.nest.show import text
from autopar.nest.typed.told import Arrays
from autopar.records import dataclass, field
from autopar.verdict import Reason, Refusal, Refused, Span


@dataclass(slots=True)
class Bounds:
    """Numbers of a nest as it is written out, and what is required of them.

    Attributes
    ----------
    strict
        Whether to check in the nest whatever cannot be known for sure before.
    first
        What is to be done before the statement at hand.
    around
        Heads of the loops around it whose range is exact.
    sure
        Whether it is reached whenever they run.
    indices
        Integers that have been computed for it, by their text.
    most
        What scalars of ours cannot exceed.
    fixed
        Scalars that are assigned once, and to one number at each turn, as that number.
    entering
        Names whose values from before the nest it may read.
    """

    nest: Nest
    known: Arrays
    strict: bool
    first: list[Stmt] = field(default_factory=list)
    around: list[For] = field(default_factory=list)
    sure: bool = True
    conditions: dict[Condition, None] = field(default_factory=dict)
    indices: dict[str, Name] = field(default_factory=dict)
    most: dict[str, Polynomial] = field(default_factory=dict)
    fixed: dict[str, Polynomial] = field(default_factory=dict)
    ids: count[int] = field(init=False)
    counters: frozenset[str] = field(init=False)
    entering: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        loop = self.nest.loop
        self.ids = count(1 + max(walking.numbers(loop)))
        self.entering = exposed((loop,))
        loops = {s.var for s in walking.statements(loop) if isinstance(s, For)}
        assigned = {
            s.target.id
            for s in walking.statements(loop)
            if isinstance(s, Assign) and isinstance(s.target, Name)
        }
        self.counters = frozenset(loops - assigned)

    def refuse(self, reason: Reason, line: int, detail: str) -> Refused:
        return Refused(Refusal(reason, Span(self.nest.file, line), detail))

    # ------------------------------------------------------------------ numbers

    def hold(self, value: Expr, line: int, what: str = "t") -> Name:
        """A scalar that is given `value` before the statement at hand."""
        here = next(self.ids)
        held = Name(f"<{what} {here}>")
        self.first.append(Assign(held, value, here, line))
        return held

    def exact(self, expr: Expr, line: int) -> Polynomial | None:
        """`expr` as a polynomial of Python ints that do not change while loops around it run."""

        def name(id: str) -> Polynomial | None:
            if id in self.fixed:
                return self.fixed[id]
            steady = id in self.known.ints or any(loop.var == id for loop in self.around)
            return symbol(Name(id)) if steady else None

        return read(expr, name, line)

    def integer(self, expr: Expr, line: int) -> Polynomial:
        """What ``operator.index`` makes of `expr`."""
        found = self.exact(expr, line)
        if found is not None:
            return found
        return self.noted(Call("<index>", (expr,), line), line, "index")

    def noted(self, expr: Expr, line: int, what: str) -> Polynomial:
        """An integer that is computed before the statement at hand, once."""
        shown = text(expr)  # the same twice in a statement is the same number
        if shown not in self.indices:
            self.indices[shown] = self.hold(expr, line, what)
        return symbol(self.indices[shown])

    def known_early(self, value: Polynomial) -> bool:
        """Whether `value` is made of live-ins and variables of loops around."""
        return value.names <= self.known.ints | {loop.var for loop in self.around}

    def extent(self, path: str, axis: int) -> Polynomial:
        """How long an array is."""
        return number(1) if (path, axis) in self.known.ones else symbol(ir.Dim(path, axis))

    # ------------------------------------------------------------------ requirements

    def require(self, value: Polynomial, low: int, high: int | None, line: int, why: str) -> None:
        """`value` lies in ``[low, high]``, or the interpreter must run the nest."""
        literal = value.literal
        if literal is not None:
            if literal < low or (high is not None and literal > high):
                raise self.refuse(Reason.SIZES, line, why)
            return
        expr = value.expr(line)
        inside = not value.names <= self.known.ints
        early = not self.strict or (self.sure and not inside)
        if early and self.known_early(value):
            scope = tuple(self.around) if inside else ()
            self.conditions[Condition(expr, low, high, scope, line, why)] = None
        else:
            limits = Const(low), Const(MAX_INT if high is None else high)
            self.hold(Call("<within>", (expr, *limits), line), line, "ok")

    def equal(self, one: Polynomial, two: Polynomial, line: int) -> None:
        """Two extents are the same."""
        self.require(one - two, 0, 0, line, "shapes that do not fit")

    def broadcast(
        self, shapes: Sequence[tuple[Polynomial, ...]], line: int
    ) -> tuple[Polynomial, ...]:
        """The extents of what is computed element by element.

        References
        ----------
        NumPy user guide, "Broadcasting": shapes are aligned at their last axis, and an extent of 1
        stretches.
        """
        rank = max(map(len, shapes))
        found = []
        for axis in range(-rank, 0):
            here = [shape[axis] for shape in shapes if len(shape) >= -axis]
            long = [extent for extent in here if extent != number(1)]
            for other in long[1:]:
                self.equal(long[0], other, line)
            found.append(long[0] if long else number(1))
        return tuple(found)

    # ------------------------------------------------------------------ loops

    def entered(self, loop: For) -> bool:
        """Note that what follows is in `loop`; False where its range is not exact."""
        parts = (loop.start, loop.stop, loop.step)
        if loop.var not in self.counters:
            return False
        found = [self.exact(part, loop.line) for part in parts]
        if None in found:
            return False
        start, stop, step = (
            exact.expr(loop.line)
            if exact is not None and _names(part) & self.fixed.keys()
            else part
            for part, exact in zip(parts, found, strict=True)
        )
        self.around.append(For(loop.var, start, stop, step, (), loop.id, loop.line))
        return True

    def loops(
        self,
        extents: Sequence[Polynomial],
        line: int,
        body: Callable[[tuple[Polynomial, ...]], tuple[Stmt, ...]],
        first: int = 0,
    ) -> tuple[Stmt, ...]:
        """`body` for each index below `extents`, the last axis innermost.

        They are called after their numbers, from `first` on.
        """
        index: list[Polynomial] = []
        heads: list[For] = []
        for extent in extents:
            if extent == number(1):
                index.append(number(0))
                continue
            var = f"<axis {first + len(index)} of line {line}>"
            stop = extent.expr(line)
            heads.append(For(var, Const(0), stop, Const(1), (), next(self.ids), line))
            index.append(symbol(Name(var)))
        stmts = body(tuple(index))
        for head in reversed(heads):
            stmts = (For(head.var, head.start, head.stop, head.step, stmts, head.id, line),)
        return stmts


def _names(expr: Expr) -> set[str]:
    return {inner.id for inner in walking.walk(expr) if isinstance(inner, Name)}


def loads(expr: Expr) -> list[Load]:
    """All reads of elements in `expr`."""
    return [inner for inner in walking.walk(expr) if isinstance(inner, Load)]
