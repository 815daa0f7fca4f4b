"""Operators, in the dtype NumPy would compute in."""

from __future__ import annotations

import sys
from abc import abstractmethod

import numpy as np

from autopar.cpu import powers
from autopar.cpu.integers import WORDS, Integers
from autopar.cpu.powers import GROWING
from autopar.cpu.signs import positive
from autopar.cpu.words import operation, operator_words
from autopar.cpu.writer import INT64, Value
from autopar.kernel import Watch
from autopar.nest import kinds
from autopar.nest.ir import Binary, Call, Const, Expr, Unary
from autopar.nest.kinds import Kind, dtype, family, is_python
from autopar.nest.typed.types import kind_of
from autopar.records import dataclass, replace
from autopar.verdict import Reason

_SQUARES = sys.version_info < (3, 14)
"""Whether Python multiplies complex numbers for small powers as is known here."""
_PRODUCTS = (2, 3)
"""Powers that a product is as near to as C's ``pow``, within two units in the last place."""


DOUBLES: Kind = frozenset(("float", "np.float64"))
"""Scalars of double precision, Python's and NumPy's."""


@dataclass(slots=True)
class Arithmetic(Integers):
    """Operators of one kernel."""

    @abstractmethod
    def raw_value(self, expr: Expr) -> Value:
        """The value of `expr`, perhaps pending."""

    @abstractmethod
    def condition(self, expr: Expr) -> str:
        """The truth of `expr`."""

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
        if "int" not in kind and family(out) in ("int", "uint") and not expr.whole:
            text = self.temp(text)
            worst = f"{text} != 0" if family(out) == "uint" else f"{text} == {np.iinfo(out).min}"
            self.alarm_if(f"({worst})", expr.line, "overflow encountered in scalar negative")
        plain = None if value.plain is None else Unary("-", value.plain, expr.line)
        return replace(result, text=f"{out}(-{text})", plain=plain)

    # ------------------------------------------------------------------ two operands

    def still_float(self, expr: Expr, of: Binary) -> Value | None:
        """An operand of an operation with another float, if a float is rounded to it.

        It is an integer, and remains a float all the same.
        """
        other = of.right if expr is of.left else of.left
        match of.op, expr:
            case "+" | "-" | "*" | "/", Call() if kind_of(self.typed, other) <= DOUBLES:
                return self.rounded(expr)
        return None

    @abstractmethod
    def rounded(self, call: Call) -> Value | None:
        """The integer that a float is rounded to, as a float; None if it is none of these."""

    def binary(self, expr: Binary) -> Value:
        # An infinity is carried on by these; everything else looks at its operands first.
        left = self.still_float(expr.left, expr) or self.raw_value(expr.left)
        carried = expr.op == "**" and family(left.dtype) == "float" and _grows(expr.right)
        if expr.op not in ("+", "-", "*", "/") and not carried:
            left = self.take(left)
        right = self.still_float(expr.right, expr) or self.raw_value(expr.right)
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
        if expr.whole and not self.as_in_arrays(expr, group, left.kind):
            raise self.refuse(Reason.WRONG_TYPE, expr)
        if group in ("float", "complex"):
            if python and not positive(expr.right, self.typed, self.nonnegatives):
                b = self.python_divisor(expr.op, group, b, right)
            pending = left.pending or right.pending
            if all(is_python(atom) for atom in kind):
                text = self.float_text(expr, a, b, loop, left.kind | right.kind, True)
                if kind == {"int", "float"}:  # an int of Python's is not rounded, be it to this one
                    text = self.temp(text)
                    self.fail_if(f"{text} - {text} == 0.0 and abs({text}) >= {float(2**53)!r}")
                return Value(text, kind, out, pending=pending)
            return self.float_result(expr, (left, right), (a, b), loop, kind, python)
        match expr.op:
            case "+" | "-" | "*":
                return self.numpy_integer(expr, left.kind, right.kind, a, b, kind, out)
            case "//" | "%":
                a, b = self.temp(a), self.temp(b)
                name = operation(expr.op, left.kind, right.kind, expr.whole, expr.reduced)
                words = None if not name else f"encountered in {name}"
                self.alarm_if(f"({b} == 0)", expr.line, words and f"divide by zero {words}")
                if expr.op == "//" and group == "int":
                    worst = f"({a} == {np.iinfo(loop).min} and {b} == -1)"
                    self.alarm_if(worst, expr.line, words and f"overflow {words}")
                return self.wide(group, WORDS[expr.op], a, b, kind, out)
            case "<<" | ">>":
                return self.wide(group, WORDS[expr.op], a, b, kind, out)
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

    def as_in_arrays(self, expr: Binary, group: str, left: Kind) -> bool:
        """Whether NumPy computes elements of arrays, many at a time, as we would one by one.

        Products of complex numbers may be rounded once less there.
        """
        if group == "complex":
            return expr.op in ("+", "-")
        families = {family(dtype(atom)) for atom in left}
        if expr.op == "**" and "bool" in families:
            return False
        integers = families <= {"int", "uint"}
        return not (expr.op == "**" and integers and group == "float")

    # ------------------------------------------------------------------ floats

    def python_divisor(self, op: str, group: str, text: str, value: Value) -> str:
        """The divisor of a division that may be Python's, which raises for zero."""
        if group == "complex" and op == "/":
            held = self.temp(text)
            self.fail_if(f"{held}.real == 0.0 and {held}.imag == 0.0", at_once=False)
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
        if self.watch in (Watch.NAME, Watch.KEEP) or family(loop) == "complex":
            a, b = self.temp(a), self.temp(b)
        left, right = operands
        text = self.float_text(expr, a, b, loop, left.kind | right.kind, python)
        if expr.op == "/" and family(loop) == "complex" and self.watch is not Watch.IGNORE:
            # Smith's method may overflow in the denominator and still come out finite.
            limit = "1e38" if loop == "complex64" else "1e307"
            self.odd_if(f"(abs({b}.real) > {limit} or abs({b}.imag) > {limit})")
        name = operation(expr.op, left.kind, right.kind, expr.whole, expr.reduced)
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
                exact = python and loop == "complex128"
                name = "complex_quotient" if exact else "complex_divide"
                return f"{loop}({name}({a}, {b}))"
            case "/" if group == "float":
                return f"({a} / {b})"
            case "//" | "%" if group == "float":
                name = {"//": "float_floordiv", "%": "float_mod"}[expr.op]
                return f"{loop}({name}({a}, {b}))"
            case "**" if group == "complex" and python and _is_two(expr.right) and _SQUARES:
                found = self.temp(f"complex_square({a})")
                over = f"abs({found}.real) == inf_ or abs({found}.imag) == inf_"
                self.fail_if(over, at_once=False)
                return found
            case "**" if group == "float":
                # A NumPy scalar of the computing dtype calls C's pow; else np.power's loop is run.
                if not expr.whole and (python or f"np.{loop}" in kinds_used):
                    return self.power(expr, a, b, loop, python)
                simple = self.simple_power(a, expr.right, loop) if expr.whole else None
                char = np.dtype(loop).char
                return simple or f"numpy_power_{char * 3}({a}, {b})"
        raise self.refuse(Reason.SYNTAX, expr)

    def simple_power(self, a: str, exponent: Expr, loop: str) -> str | None:
        """A power for which np.power has a simpler loop; what it warns of is still of a power."""
        match exponent:
            case Const(value=2):
                a = self.temp(a)
                return f"({a} * {a})"
            case Const(value=-1):
                return f"({loop}(1) / {a})"
        return None

    def power(self, expr: Binary, a: str, b: str, loop: str, python: bool) -> str:
        a, b = (self.temp(a), self.temp(b)) if python else (a, b)
        exponent = expr.right.value if isinstance(expr.right, Const) else None
        plain = self.plain_power(expr) if loop == "float64" else None
        if self.relaxed and exponent in _PRODUCTS:
            a = self.temp(a)
            text = f"({' * '.join((a,) * (2 if exponent == 2 else 3))})"
        elif plain:
            text = self.with_word(plain, expr, a)
        else:
            name = "libm_pow" if loop == "float64" else "libm_powf"
            text = f"{name}({a}, {b})"
        if not python:
            return text
        # Python: a negative base gives a complex number, zero a ZeroDivisionError.
        if exponent not in _PRODUCTS:
            self.fail_if(f"({a} < 0.0 and {b} != floor_({b})) or ({a} == 0.0 and {b} < 0.0)")
        found = self.temp(text)
        over = f"{found} - {found} != 0.0 and {a} - {a} == 0.0 and {b} - {b} == 0.0"
        self.fail_if(over, at_once=plain is None)
        return found

    def plain_power(self, expr: Binary) -> str | None:
        """The word for a power of a double that is mostly not left to C's ``pow``."""
        match expr.right:
            case Const(value=int() | float() as exponent):
                word = powers.word(exponent)
            case _:
                return None
        # A device's own `pow` is known by a table, and there no other function is.
        return None if self.singly and word != powers.SQUARES else word

    def with_word(self, word: str, expr: Binary, a: str) -> str:
        """The text of ``expr``, which is such a power of `a`."""
        return f"squared({a})" if word == powers.SQUARES else f"{word}({a})"


def _grows(exponent: Expr) -> bool:
    """Whether a power is infinite or nan where the base is, as far as that is of use."""
    return isinstance(exponent, Const) and exponent.value in GROWING


def _is_two(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value == 2


def one_width(kind: Kind) -> bool:
    """Whether integers of `kind` wrap in one and the same way; floats are exact in any width."""
    names = {dtype(atom) for atom in kind}
    return len(names) == 1 or all(family(name) in ("float", "complex") for name in names)
