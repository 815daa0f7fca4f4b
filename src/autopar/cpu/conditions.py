"""Truth: comparisons, lazy ``and`` and ``or``, conditional expressions."""

from __future__ import annotations

from autopar.cpu.arithmetic import Arithmetic
from autopar.cpu.writer import Value
from autopar.nest import kinds
from autopar.nest.ir import Compare, Expr, Logic, Select
from autopar.nest.kinds import dtype, family
from autopar.nest.typed.types import kind_of
from autopar.records import dataclass
from autopar.verdict import Reason


@dataclass(slots=True)
class Conditions(Arithmetic):
    """Conditions of one kernel."""

    def compare(self, expr: Compare) -> Value:
        left, right = self.value(expr.left), self.value(expr.right)
        return self.compared(expr.op, left, right, expr)

    def compared(self, op: str, left: Value, right: Value, expr: Expr) -> Value:
        found = kinds.combine(op, left.kind, right.kind)
        if found is None:
            raise self.refuse(Reason.MIXED_TYPE, expr)
        loop, kind = found
        self.line = getattr(expr, "line", self.line)
        if loop == "int64":
            self.settle(left, right)
            a, b = (self.cast(v.text, v.dtype, loop) for v in (left, right))
        else:
            a, b = self.convert(left, loop), self.convert(right, loop)
        return Value(f"({a} {op} {b})", kind, "bool")

    def truth(self, value: Value) -> str:
        if value.dtype == "bool":
            return value.text
        self.settle(value)
        return f"({value.text} != 0)"

    def condition(self, expr: Expr) -> str:
        """Truth of `expr`; ``and`` and ``or`` stay lazy even when their parts need statements."""
        if not isinstance(expr, Logic):
            return self.truth(self.value(expr))
        first = self.condition(expr.values[0])
        for other in expr.values[1:]:
            first = self.lazy(expr.op, first, other)
        return first

    def lazy(self, op: str, first: str, other: Expr) -> str:
        before, self.lines = self.lines, []
        self.depth += 1
        second = self.condition(other)
        self.depth -= 1
        inner, self.lines = self.lines, before
        if not inner:
            return f"({first} {op} {second})"
        held = self.temp(first)
        self.write(f"if {held}:" if op == "and" else f"if not {held}:")
        self.lines += inner
        self.write(f"    {held} = {second}")
        return held

    def logic(self, expr: Logic) -> Value:
        kind = frozenset().union(*(kind_of(self.typed, v) for v in expr.values))
        if {family(dtype(a)) for a in kind} != {"bool"}:
            # `a or b` returns an operand; only for bools is that its truth value.
            raise self.refuse(Reason.SYNTAX, expr)
        return Value(self.condition(expr), kind, "bool")

    def select(self, expr: Select) -> Value:
        kind = kind_of(self.typed, expr.body) | kind_of(self.typed, expr.orelse)
        out = kinds.storage(kind)
        if out is None:
            raise self.refuse(Reason.MIXED_TYPE, expr)
        test = self.condition(expr.test)
        before = self.lines
        branches = []
        pending = False
        self.depth += 1
        for branch in (expr.body, expr.orelse):
            self.lines = []
            value = self.number(branch)
            pending |= value.pending
            branches.append((self.exact(value, out), self.lines))
        self.depth -= 1
        self.lines = before
        (then, then_lines), (other, other_lines) = branches
        if not then_lines and not other_lines:
            return Value(f"({then} if {test} else {other})", kind, out, pending=pending)
        self.temps += 1
        held = f"v{self.temps}_"
        if out != "bool":  # which has no conversions to itself
            then, other = f"{out}({then})", f"{out}({other})"
        self.write(f"if {test}:")
        self.lines += then_lines
        self.write(f"    {held} = {then}")
        self.write("else:")
        self.lines += other_lines
        self.write(f"    {held} = {other}")
        return Value(held, kind, out, pending=pending)
