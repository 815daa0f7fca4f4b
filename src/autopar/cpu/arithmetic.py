"""Operators: arithmetic in the dtype NumPy would compute in, Python's integers, truth."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from autopar.cpu.words import operation, operator_words
from autopar.cpu.writer import INT64, LEAST, Value, Writer
from autopar.kernel import Claim, Watch
from autopar.nest import kinds
from autopar.nest.ir import Binary, Compare, Expr, Logic, Select, Unary
from autopar.nest.kinds import Kind, dtype, family, is_python
from autopar.nest.types import kind_of
from autopar.verdict import Reason

_WORDS = {"//": "floordiv", "%": "mod", "<<": "lshift", ">>": "rshift", "**": "pow"}


@dataclass(slots=True)
class Arithmetic(Writer):
    """Operators of one kernel."""

    @abstractmethod
    def raw_value(self, expr: Expr) -> Value:
        """The value of `expr`, perhaps pending."""

    def value(self, expr: Expr) -> Value:
        """The value of `expr`, with its warnings noticed."""
        return self.take(self.raw_value(expr))

    def number(self, expr: Expr) -> Value:
        """The value of `expr`; only a float may be pending."""
        value = self.raw_value(expr)
        return self.take(value) if value.wide is not None else value

    # ------------------------------------------------------------------ one operand

    def unary(self, expr: Unary) -> Value:
        if expr.op == "not":
            return Value(f"(not {self.condition(expr.operand)})", frozenset(("bool",)), "bool")
        value = self.number(expr.operand)
        atoms = [kinds.unary(expr.op, atom) for atom in value.kind]
        if None in atoms:
            raise self.refuse(Reason.WRONG_TYPE, expr)
        kind = frozenset(a for a in atoms if a is not None)
        out = kinds.storage(kind)
        if out is None or not one_width(value.kind):
            raise self.refuse(Reason.MIXED_TYPE, expr)
        result = Value("", kind, out, pending=value.pending)
        if expr.op == "+":
            text = self.cast(value.text, value.dtype, out)
            return replace(result, text=text, plain=value.plain)
        if expr.op == "~":
            if out == "bool":
                return replace(result, text=f"(not {value.text})")
            if "int" in kind:  # the largest integer has no inverse in 64 bits that we allow
                self.within(value, -INT64, INT64 - 1)
            return replace(result, text=f"{out}(~{self.cast(value.text, value.dtype, out)})")
        if "int" in kind and value.plain is None:
            return replace(result, text=self.checked("sub", "0", value.text))
        text = self.cast(value.text, value.dtype, out)
        if family(out) == "complex":
            text = self.temp(text)
            return replace(result, text=f"{out}(complex(-{text}.real, -{text}.imag))")
        if "int" not in kind and family(out) in ("int", "uint"):
            text = self.temp(text)
            worst = f"{text} != 0" if family(out) == "uint" else f"{text} == {np.iinfo(out).min}"
            self.alarm_if(f"({worst})", expr.line, "overflow encountered in scalar negative")
        plain = None if value.plain is None else Unary("-", value.plain, expr.line)
        return replace(result, text=f"{out}(-{text})", plain=plain)

    # ------------------------------------------------------------------ two operands

    def binary(self, expr: Binary) -> Value:
        # An infinity is carried on by these; everything else looks at its operands first.
        left = self.raw_value(expr.left)
        if expr.op not in ("+", "-", "*", "/"):
            left = self.take(left)
        right = self.raw_value(expr.right)
        if expr.op not in ("+", "-", "*"):
            right = self.take(right)
        wider = self.wider_sum(expr, left, right)
        if wider is not None:
            return wider
        left, right = (self.take(v) if v.wide is not None else v for v in (left, right))
        found = kinds.combine(expr.op, left.kind, right.kind)
        if found is None:
            mixed = len(left.kind) > 1 or len(right.kind) > 1
            raise self.refuse(Reason.MIXED_TYPE if mixed else Reason.WRONG_TYPE, expr)
        loop, kind = found
        out = kinds.storage(kind)
        assert out is not None, expr
        if loop == "int64" and "int" in kind:
            return self.python_integer(expr, left, right, kind)
        python = any(is_python(a) for a in kind)
        self.line = expr.line
        a, b = self.convert(left, loop), self.convert(right, loop)
        group = family(loop)
        if group in ("float", "complex"):
            if python:
                b = self.python_divisor(expr.op, group, b, right)
            pending = left.pending or right.pending
            if all(is_python(atom) for atom in kind):
                text = self.float_text(expr, a, b, loop, left.kind | right.kind, True)
                return Value(text, kind, out, pending=pending)
            return self.float_result(expr, (left, right), (a, b), loop, kind, python)
        match expr.op:
            case "+" | "-" | "*":
                return self.numpy_integer(expr, left.kind, right.kind, a, b, kind, out)
            case "//" | "%":
                a, b = self.temp(a), self.temp(b)
                name = operation(expr.op, left.kind, right.kind)
                words = None if not name else f"encountered in {name}"
                self.alarm_if(f"({b} == 0)", expr.line, words and f"divide by zero {words}")
                if expr.op == "//" and group == "int":
                    worst = f"({a} == {np.iinfo(loop).min} and {b} == -1)"
                    self.alarm_if(worst, expr.line, words and f"overflow {words}")
                return self.wide(group, _WORDS[expr.op], a, b, kind, out)
            case "<<" | ">>":
                return self.wide(group, _WORDS[expr.op], a, b, kind, out)
            case "**":
                b = self.temp(b)
                if group == "int":
                    self.fail_if(f"{b} < 0")
                return self.wide(group, "pow", a, b, kind, out)
            case "&" | "|" | "^" if group == "bool":
                word = {"&": "and", "|": "or", "^": "!="}[expr.op]
                return Value(f"({a} {word} {b})", kind, out)
            case "&" | "|" | "^":
                return Value(self.narrow(f"({a} {expr.op} {b})", out), kind, out)
        raise self.refuse(Reason.SYNTAX, expr)

    # ------------------------------------------------------------------ floats

    def python_divisor(self, op: str, group: str, text: str, value: Value) -> str:
        """The divisor of a division that may be Python's, which raises for zero."""
        if group == "complex" and op == "/":
            held = self.temp(text)
            self.fail_if(f"{held}.real == 0.0 and {held}.imag == 0.0")
            return held
        if op in ("/", "//", "%"):
            return self.nonzero(text, value, "0.0")
        return text

    def float_result(
        self,
        expr: Binary,
        operands: tuple[Value, Value],
        texts: tuple[str, str],
        loop: str,
        kind: Kind,
        python: bool,
    ) -> Value:
        """A result that is NumPy's at least sometimes, so that a warning may be due."""
        a, b = texts
        if self.watch in (Watch.NAME, Watch.REHEARSE) or family(loop) == "complex":
            a, b = self.temp(a), self.temp(b)
        left, right = operands
        text = self.float_text(expr, a, b, loop, left.kind | right.kind, python)
        if expr.op == "/" and family(loop) == "complex" and self.watch is not Watch.IGNORE:
            # Smith's method may overflow in the denominator and still come out finite.
            limit = "1e38" if loop == "complex64" else "1e307"
            self.odd_if(f"(abs({b}.real) > {limit} or abs({b}.imag) > {limit})")
        name = operation(expr.op, left.kind, right.kind)
        result = Value(text, kind, loop)
        if name == "" and family(loop) == "float":
            return replace(result, pending=left.pending or right.pending)
        words = operator_words(expr.op, name, b)
        known = words.nan is not None and family(loop) == "float"
        return self.made(result, (a, b) if known else (), expr.line, words)

    def float_text(
        self, expr: Binary, a: str, b: str, loop: str, kinds_used: Kind, python: bool
    ) -> str:
        """``a op b`` in the float or complex dtype `loop`."""
        group = family(loop)
        match expr.op:
            case "+" | "-" | "*":
                return f"({a} {expr.op} {b})"
            case "/" if group == "complex":
                name = "complex_quotient" if python else "complex_divide"
                name = name if loop == "complex128" else "complex64_divide"
                return f"{loop}({self.helper(name)}({a}, {b}))"
            case "/" if group == "float":
                return f"({a} / {b})"
            case "//" | "%" if group == "float":
                name = {"//": "float_floordiv", "%": "float_mod"}[expr.op]
                name = self.helper(name if loop == "float64" else f"{name}_f")
                return f"{loop}({name}({a}, {b}))"
            case "**" if group == "float":
                # A NumPy scalar of the computing dtype calls C's pow; else np.power's loop is run.
                if python or f"np.{loop}" in kinds_used:
                    return self.power(a, b, loop, python)
                char = np.dtype(loop).char
                return f"{self.helper(f'numpy_power_{char * 3}')}({a}, {b})"
        raise self.refuse(Reason.SYNTAX, expr)

    def power(self, a: str, b: str, loop: str, python: bool) -> str:
        name = self.helper("libm_pow" if loop == "float64" else "libm_powf")
        if not python:
            return f"{name}({a}, {b})"
        a, b = self.temp(a), self.temp(b)
        # Python: a negative base gives a complex number, zero a ZeroDivisionError.
        self.fail_if(f"({a} < 0.0 and {b} != floor_({b})) or ({a} == 0.0 and {b} < 0.0)")
        self.symbols["floor_"] = None
        found = self.temp(f"{name}({a}, {b})")
        self.fail_if(f"{found} - {found} != 0.0 and {a} - {a} == 0.0 and {b} - {b} == 0.0")
        return found

    # ------------------------------------------------------------------ NumPy integers

    def numpy_integer(
        self, expr: Binary, left: Kind, right: Kind, a: str, b: str, kind: Kind, out: str
    ) -> Value:
        """``+ - *`` of NumPy integers, which wrap; NumPy's scalars warn of it, its loops do not."""
        name = operation(expr.op, left, right)
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
        if operation("+", kind, kind) == "":
            return None
        exact = " + ".join(v.wide or f"int64({v.text})" for v in (left, right))
        return Value("", kind, left.dtype, wide=exact)

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
            helper = self.helper("checked_mul" if out == "int64" else "checked_umul")
            self.write(f"{result}, {over} = {helper}({a}, {b})")
            return result, over
        result = self.temp(f"{a} {op} {b}")
        if out == "uint64":
            return result, f"({result} < {a})" if op == "+" else f"({a} < {b})"
        if op == "+":
            return result, f"((({a} ^ {result}) & ({b} ^ {result})) < 0)"
        return result, f"((({a} ^ {b}) & ({a} ^ {result})) < 0)"

    def narrow(self, text: str, out: str) -> str:
        """Numba computes integers of any width in 64 bits; the other dtypes stay as they are."""
        narrow = family(out) in ("int", "uint") and not out.endswith("64")
        return f"{out}{text}" if narrow else text

    def wide(self, group: str, word: str, a: str, b: str, kind: Kind, out: str) -> Value:
        """NumPy integers in 64 bits, where every narrower result is the same modulo its width."""
        name, wide = self.helper(f"{group}_{word}"), f"{group}64"
        return Value(f"{out}({name}({wide}({a}), {wide}({b})))", kind, out)

    def nonzero(self, text: str, value: Value, zero: str) -> str:
        if value.const:
            return text
        if value.plain is not None and value.const is None:
            scope = tuple(self.loops)
            self.claims[Claim(value.plain, -INT64, INT64, scope, nonzero=True)] = None
            return text
        held = self.temp(text)
        self.fail_if(f"{held} == {zero}")
        return held

    # ------------------------------------------------------------------ Python integers

    def checked(self, op: str, a: str, b: str) -> str:
        """``a op b`` in int64, giving up on overflow."""
        self.temps += 1
        value, over = f"v{self.temps}_", f"over{self.temps}_"
        self.write(f"{value}, {over} = {self.helper(f'checked_{op}')}({a}, {b})")
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
            name = self.helper(f"int_{_WORDS[expr.op]}")
            return Value(f"{name}({a}, {b})", kind, "int64")
        held = self.temp(b)
        self.temps += 1
        value, bad = f"v{self.temps}_", f"over{self.temps}_"
        name = self.helper(f"checked_{_WORDS[expr.op]}")
        self.write(f"{value}, {bad} = {name}({a}, {held})")
        self.fail_if(bad)
        return Value(value, kind, "int64")

    # ------------------------------------------------------------------ truth

    def compare(self, expr: Compare) -> Value:
        left, right = self.value(expr.left), self.value(expr.right)
        return self.compared(expr.op, left, right, expr)

    def compared(self, op: str, left: Value, right: Value, expr: Expr) -> Value:
        found = kinds.combine(op, left.kind, right.kind)
        if found is None:
            raise self.refuse(Reason.MIXED_TYPE, expr)
        loop, kind = found
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
        self.write(f"if {test}:")
        self.lines += then_lines
        self.write(f"    {held} = {out}({then})")
        self.write("else:")
        self.lines += other_lines
        self.write(f"    {held} = {out}({other})")
        return Value(held, kind, out, pending=pending)


def one_width(kind: Kind) -> bool:
    """Whether integers of `kind` wrap in one and the same way; floats are exact in any width."""
    names = {dtype(atom) for atom in kind}
    return len(names) == 1 or all(family(name) in ("float", "complex") for name in names)
