"""Integers: Python's, which must not overflow, and NumPy's, which wrap and may warn of it."""

from __future__ import annotations

from autopar.cpu.tallies import counts
from autopar.cpu.words import operation
from autopar.cpu.writer import INT64, LEAST, Value, Writer
from autopar.kernel import Claim, Watch
from autopar.nest.ir import Binary
from autopar.nest.kinds import Kind, family
from autopar.records import dataclass

WORDS = {"//": "floordiv", "%": "mod", "<<": "lshift", ">>": "rshift", "**": "pow"}


@dataclass(slots=True)
class Integers(Writer):
    """Integer arithmetic of one kernel."""

    # ------------------------------------------------------------------ NumPy integers

    def numpy_integer(
        self, expr: Binary, left: Kind, right: Kind, a: str, b: str, kind: Kind, out: str
    ) -> Value:
        """``+ - *`` of NumPy integers, which wrap; NumPy's scalars warn of it, its loops do not."""
        name = "" if expr.whole else operation(expr.op, left, right)
        if self.watch is Watch.IGNORE or name == "":
            return Value(self.narrow(f"({a} {expr.op} {b})", out), kind, out)
        a, b = self.temp(a), self.temp(b)
        text, over = self.overflow(expr.op, a, b, out)
        self.alarm_if(over, expr.line, None if name is None else f"overflow encountered in {name}")
        return Value(text, kind, out)

    def wider_sum(self, expr: Binary, left: Value, right: Value) -> Value | None:
        """A sum of unsigned integers that keeps all its bits: if it fits, so did every part."""
        kind = left.kind
        small = left.dtype in ("uint8", "uint16", "uint32") and len(kind) == 1
        if expr.op != "+" or self.watch is not Watch.NOTICE or right.kind != kind or not small:
            return None
        if expr.whole or operation("+", kind, kind) == "":
            return None
        parts = (part for v in (left, right) for part in v.wide or (v.text,))
        return Value("", kind, left.dtype, wide=tuple(parts))

    def overflow(self, op: str, a: str, b: str, out: str) -> tuple[str, str]:
        """Text of ``a op b`` in `out`, and the condition under which it wrapped."""
        if not out.endswith("64"):
            wide = "uint64" if out == "uint32" and op == "*" else "int64"
            exact = self.temp(f"{wide}({a}) {op} {wide}({b})")
            result = self.temp(f"{out}({exact})")
            return result, f"({exact} != {wide}({result}))"
        if op == "*":
            self.temps += 1
            result, over = f"v{self.temps}_", f"over{self.temps}_"
            helper = "checked_mul" if out == "int64" else "checked_umul"
            self.write(f"{result}, {over} = {helper}({a}, {b})")
            return result, over
        result = self.temp(f"{a} {op} {b}")
        if out == "uint64":
            return result, f"({result} < {a})" if op == "+" else f"({a} < {b})"
        if op == "+":
            return result, f"((({a} ^ {result}) & ({b} ^ {result})) < 0)"
        return result, f"((({a} ^ {b}) & ({a} ^ {result})) < 0)"

    def narrow(self, text: str, out: str) -> str:
        """Kernel text computes any integer in 64 bits; the other dtypes stay as they are."""
        narrow = family(out) in ("int", "uint") and not out.endswith("64")
        return f"{out}{text}" if narrow else text

    def wide(self, group: str, word: str, a: str, b: str, kind: Kind, out: str) -> Value:
        """NumPy integers in 64 bits, where every narrower result is the same modulo its width."""
        name, wide = f"{group}_{word}", f"{group}64"
        return Value(f"{out}({name}({wide}({a}), {wide}({b})))", kind, out)

    def nonzero(self, text: str, value: Value, zero: str) -> str:
        if value.const:
            return text
        if value.plain is not None and value.const is None:
            scope = tuple(self.loops)
            self.claims[Claim(value.plain, -INT64, INT64, scope, nonzero=True)] = None
            return text
        held = self.temp(text)
        self.fail_if(f"{held} == {zero}", at_once=zero == "0")
        return held

    # ------------------------------------------------------------------ Python integers

    def checked(self, op: str, a: str, b: str) -> str:
        """``a op b`` in int64, giving up on overflow."""
        self.temps += 1
        value, over = f"v{self.temps}_", f"over{self.temps}_"
        self.write(f"{value}, {over} = checked_{op}({a}, {b})")
        self.fail_if(over)
        return value

    def python_integer(self, expr: Binary, left: Value, right: Value, kind: Kind) -> Value:
        a = self.cast(left.text, left.dtype, "int64")
        b = self.cast(right.text, right.dtype, "int64")
        plain = None
        if left.plain is not None and right.plain is not None:
            plain = Binary(expr.op, left.plain, right.plain, expr.line)
        if expr.op in ("+", "-", "*"):
            if plain is not None:
                # Two's complement: intermediate wrap is harmless, the guard bounds the result.
                return Value(f"({a} {expr.op} {b})", kind, "int64", None, plain)
            self.settle(left, right)
            if counts(expr, self.tallied):
                return Value(f"({a} {expr.op} {b})", kind, "int64")
            word = {"+": "add", "-": "sub", "*": "mul"}[expr.op]
            return Value(self.checked(word, a, b), kind, "int64")
        self.settle(left, right)
        if expr.op in ("&", "|", "^"):
            return Value(f"({a} {expr.op} {b})", kind, "int64")
        if expr.op in ("//", "%"):
            positive = isinstance(right.const, int) and right.const > 0
            if right.plain is not None and right.const is None:
                self.claims[Claim(right.plain, 1, INT64, tuple(self.loops))] = None
                positive = True
            if positive:
                known = None
                if left.plain is not None and right.plain is not None:
                    known = Binary(expr.op, left.plain, right.plain, expr.line)
                return Value(f"({a} {expr.op} {b})", kind, "int64", None, known)
            b = self.nonzero(b, right, "0")
            a, b = self.temp(a), self.temp(b)
            if expr.op == "//":
                self.fail_if(f"{a} == {LEAST} and {b} == -1")
            name = f"int_{WORDS[expr.op]}"
            return Value(f"{name}({a}, {b})", kind, "int64")
        held = self.temp(b)
        self.temps += 1
        value, bad = f"v{self.temps}_", f"over{self.temps}_"
        name = f"checked_{WORDS[expr.op]}"
        self.write(f"{value}, {bad} = {name}({a}, {held})")
        self.fail_if(bad)
        return Value(value, kind, "int64")
