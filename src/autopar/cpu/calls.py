"""Calls of known functions."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from autopar.cpu import norms
from autopar.cpu.arithmetic import DOUBLES, one_width
from autopar.cpu.draws import Draws
from autopar.cpu.powers import fused
from autopar.cpu.signs import nonnegative
from autopar.cpu.ufuncs import alike, second_of_equals
from autopar.cpu.words import ufunc_words
from autopar.cpu.writer import INT64, LEAST, Value, not_finite
from autopar.kernel import Watch
from autopar.nest import functions, kinds
from autopar.nest.ir import Call, Expr
from autopar.nest.kinds import Kind, family, is_python
from autopar.nest.typed.types import kind_of
from autopar.records import dataclass, replace
from autopar.verdict import Reason

TRUTH = "t"  # stands for NumPy's dtype character "?" in identifiers
_MOST_ROUNDED = 2.0**51
_ROUNDED = {
    "floor": "floor_",
    "ceil": "ceil_",
    "round": "rint_",
    "int": "trunc_",
    "trunc": "trunc_",
}
_INTEGER_DIVISIONS = ("floor_divide", "remainder", "fmod", "reciprocal")


@dataclass(slots=True)
class Calls(Draws):
    """Calls of one kernel."""

    def call(self, expr: Call) -> Value:
        function = dict(self.typed.calls)[expr.func]
        arity = len(expr.args)
        if function.form == "either":  # the other argument says of which type it is
            return self.value(expr.args[0])
        if function.form == "tag":
            return Value(f"int8({self.tag(expr.args[0])})", frozenset(("np.int8",)), "int8")
        if function.form == "draw":
            return self.draw(expr, function.name)
        if function.form == "drawn":
            return self.drawn(function.name, expr)
        if not function.takes(arity):
            raise self.refuse(Reason.CALL, expr)
        # An infinity or a nan comes through `abs`, and has no integer.
        through = function.form == "abs" or function.form in _ROUNDED
        seen = self.number if through else self.value
        values = [seen(arg) for arg in expr.args]
        if function.form in ("min", "max"):
            return self.extreme(expr, function.form, values)
        kind = functions.possible(function, tuple(v.kind for v in values))
        combos = 1
        for value in values:
            combos *= len(value.kind)
        loops = self.loops_of(function, values) if function.form == "ufunc" else set()
        if (len(kind) != 1 and combos == 1) or not kind or len(loops) > 1:
            raise self.refuse(Reason.WRONG_TYPE, expr)
        out = kinds.storage(kind)
        if out is None or any(
            functions.result(function, (atom,)) is None
            for value in values[:1]
            if arity == 1
            for atom in value.kind
        ):
            raise self.refuse(Reason.WRONG_TYPE, expr)
        match function.form:
            case "abs":
                return self.absolute(expr, values[0], kind, out)
            case "bool":
                return Value(self.truth(values[0]), kind, out)
            case "float":
                return Value(self.convert(values[0], "float64"), kind, out)
            case "int" | "trunc" | "floor" | "ceil" | "round":
                return self.integer(function.form, values[0])
            case "decimal" if fused():
                return Value(self.decimal(values[0], 10.0 ** int(function.name)), kind, out)
            case "libm":
                args = [self.temp(self.convert(v, "float64")) for v in values]
                return Value(self.libm(function.name, args, expr), kind, out)
            case "test":
                x = self.temp(self.convert(values[0], "float64"))
                text = {"isnan": f"({x} != {x})", "isfinite": f"({x} - {x} == 0.0)",
                        "isinf": f"({x} == {x} and {x} - {x} != 0.0)"}  # fmt: skip
                return Value(text[function.name], kind, out)
            case "scale":
                factor = np.pi / 180.0 if function.name == "radians" else 180.0 / np.pi
                return Value(f"({self.convert(values[0], 'float64')} * {factor!r})", kind, out)
            case "cast":
                self.line = expr.line
                return Value(self.stored(values[0], function.name, expr, expr.whole), kind, out)
            case "real" | "imag" | "conjugate" if family(values[0].dtype) == "complex":
                z = self.temp(values[0].text)
                mirrored = f"{out}(complex({z}.real, -{z}.imag))"
                part = mirrored if function.form == "conjugate" else f"{z}.{function.form}"
                return Value(part, kind, out)
            case "complex" if arity == 2:
                real, imag = (self.convert(v, "float64") for v in values)
                return Value(f"complex({real}, {imag})", kind, out)
            case "where":
                yes, no = (self.convert(v, out) for v in values[1:])
                return Value(f"({yes} if {values[0].text} else {no})", kind, out)
            case "strong":
                return Value(self.cast(values[0].text, values[0].dtype, out), kind, out)
            case "given":
                self.fail_if(f"not {values[1].text}")
                return replace(values[0], plain=None)
            case "raise":
                self.fail_if("True", at_once=False)
                return values[0]
            case "like":
                return Value(self.convert(values[0], out), kind, out)
            case "index":
                return self.integer("int", values[0])
            case "bits":
                x = self.temp(self.cast(values[0].text, values[0].dtype, "int64"))
                word = "ones_" if function.name == "ones" else "bit_length_"
                return self.python_int(f"{word}({x} if {x} >= 0 else -{x})", None)
            case "among" | "double":
                return Value(self.convert(values[0], out), kind, out)
            case "clip":
                return Value(self.clipped(values, out, function.name == "clip by"), kind, out)
            case "within":
                low, high = (v.const for v in values[1:])
                assert isinstance(low, int)
                assert isinstance(high, int)
                self.within(values[0], low, high)
                return Value("True", kind, out)
            case "ufunc":
                return self.ufunc(expr, function.name, values, loops.pop(), kind)
        raise self.refuse(Reason.CALL, expr)

    @abstractmethod
    def tag(self, expr: Expr) -> str:
        """Text of the tag of `expr`."""

    def loops_of(self, function: functions.Function, values: list[Value]) -> set[tuple[str, str]]:
        combos: list[tuple[str, ...]] = [()]
        for value in values:
            combos = [(*combo, atom) for combo in combos for atom in value.kind]
        found = {functions.ufunc_loop(function.name, combo) for combo in combos}
        return {("", "")} | {("", "x")} if None in found else {f for f in found if f is not None}

    def libm(self, name: str, args: list[str], expr: Call) -> str:
        x = args[0]
        if name == "sqrt":
            if not nonnegative(expr.args[0], self.typed, self.nonnegatives):
                self.fail_if(f"{x} < 0.0", at_once=False)
            return f"sqrt_({x})"
        if name == "fabs":
            return f"abs({x})"
        if name == "hypot":
            if not norms.known():
                raise self.refuse(Reason.CALL, expr)
            return f"hypot_{len(args)}({', '.join(args)})"
        found = self.temp(f"libm_{name}({', '.join(args)})")
        # ValueError where a number became nan, OverflowError where finite became infinite.
        finite = " and ".join(f"{a} - {a} == 0.0" for a in args)
        number = " and ".join(f"{a} == {a}" for a in args)
        self.fail_if(
            f"{found} - {found} != 0.0 and (({finite}) or ({found} != {found} and {number}))"
        )
        return found

    def ufunc(
        self, expr: Call, name: str, values: list[Value], loop: tuple[str, str], kind: Kind
    ) -> Value:
        self.line = expr.line
        exact = name in ("conjugate", "negative", "positive")
        if expr.whole and not exact and "complex" in map(family, loop):
            raise self.refuse(Reason.WRONG_TYPE, expr)
        args = [self.convert(v, loop[0]) for v in values]
        if name in ("absolute", "fabs") and family(loop[0]) == "float":
            return Value(f"abs({args[0]})", kind, loop[1])
        if self.watch is not Watch.IGNORE:
            args = [self.temp(arg) for arg in args]
        text = self.inline(name, args, loop[0])
        if text is None:
            if expr.whole and not self.uniform(name, loop):
                raise self.refuse(Reason.WRONG_TYPE, expr)
            chars = "".join(np.dtype(loop[0]).char for _ in args) + np.dtype(loop[1]).char
            chars = chars.replace("?", TRUTH)
            text = self.temp(f"numpy_{name}_{chars}({', '.join(args)})")  # see `cpu.invariant`
        return self.ufunc_result(expr, name, args, text, loop, kind)

    def inline(self, name: str, args: list[str], dtype: str) -> str | None:
        """Text of a function that is a few instructions; None of any other."""
        x = args[0]
        if name in ("maximum", "minimum"):
            if family(dtype) == "float" and not second_of_equals(dtype):
                return None
            if family(dtype) not in ("float", "int", "uint"):
                return None
            x, y = (self.temp(arg) for arg in args)
            op = ">" if name == "maximum" else "<"
            nan = f" | ({x} != {x})" if family(dtype) == "float" else ""
            return f"({x} if (({x} {op} {y}){nan}) else {y})"
        if family(dtype) != "float":
            return None
        match name:
            case "sqrt" | "floor" | "ceil" | "rint":
                return f"{name}_({x})"
            case "square":
                x = self.temp(x)
                return f"({x} * {x})"
            case "reciprocal":
                return f"({dtype}(1) / {x})"
            case "negative":
                return f"(-{x})"
            case "positive":
                return x
        return None

    def uniform(self, name: str, loop: tuple[str, str]) -> bool:
        """Whether NumPy computes an element of an array as one alone."""
        if {family(dtype) for dtype in loop} != {"float"}:
            return name not in ("fmax", "fmin")
        return name not in ("fmax", "fmin") and alike(name, loop[0])

    def ufunc_result(
        self,
        expr: Call,
        name: str,
        args: list[str],
        text: str,
        loop: tuple[str, str],
        kind: Kind,
    ) -> Value:
        """What a ufunc has found for `args`, and what NumPy may say of it."""
        result = Value(text, kind, loop[1])
        if family(loop[0]) in ("int", "uint") and name in _INTEGER_DIVISIONS:
            self.alarm_if(f"({args[-1]} == 0 or {args[-1]} == -1)", expr.line, None)
        if family(loop[0]) == "complex" and family(loop[1]) == "bool":
            for arg in args:  # comparisons of nans are invalid there
                self.alarm_if(f"({not_finite(arg, loop[0])})", expr.line, None)
        if name in ("logaddexp", "logaddexp2"):  # may overflow on the way to a finite result
            self.alarm_if(f"({not_finite(f'({args[0]} - {args[1]})', loop[0])})", expr.line, None)
        if family(loop[1]) not in ("float", "complex"):
            return result
        words = ufunc_words(name)
        known = words.nan is not None and family(loop[0]) == "float"
        return self.made(result, tuple(args) if known else (), expr.line, words)

    def clipped(self, values: list[Value], dtype: str, by_rows: bool) -> str:
        """A number between two bounds, as NumPy's loop compares them.

        References
        ----------
        NumPy, ``numpy/_core/src/umath/clip.cpp``: for bounds that are arrays, the larger of the
        number and the lower bound, of equals the bound; for others, the number where it is none
        of both beyond.
        """
        x, low, high = (self.temp(self.convert(v, dtype)) for v in values)
        nan = family(dtype) == "float"
        if by_rows:
            x = self.temp(f"({x} if ({x} > {low}){f' | ({x} != {x})' * nan} else {low})")
            return f"({x} if ({x} < {high}){f' | ({x} != {x})' * nan} else {high})"
        x = self.temp(f"({low} if {x} < {low} else {x})")
        x = f"({high} if {x} > {high} else {x})"
        if not nan:
            return x
        x = self.temp(x)
        return f"({low} if {low} != {low} else {high} if {high} != {high} else {x})"

    def absolute(self, expr: Call, value: Value, kind: Kind, out: str) -> Value:
        if family(value.dtype) != "float":
            value = self.take(value)
        if family(value.dtype) == "complex":
            name = "libm_hypot" if out == "float64" else "libm_hypotf"
            z = self.temp(value.text)
            found = self.temp(f"{name}({z}.real, {z}.imag)")
            if "float" in kind:
                self.fail_if(f"{found} - {found} != 0.0 and {found} == {found}")
            return Value(found, kind, out)
        if family(out) == "uint":
            return Value(value.text, kind, out)
        if not one_width(value.kind):
            raise self.refuse(Reason.MIXED_TYPE, expr)
        text = self.cast(value.text, value.dtype, out)
        if "int" in kind:
            self.settle(value)
            text = self.temp(text)
            self.fail_if(f"{text} == {LEAST}")
        elif family(out) == "int":
            text = self.temp(text)
            worst = f"({text} == {np.iinfo(out).min})"
            self.alarm_if(worst, expr.line, "overflow encountered in scalar absolute")
        return Value(f"{out}(abs({text}))", kind, out, pending=value.pending)

    def integer(self, form: str, value: Value) -> Value:
        """``int``, ``round``, ``math.floor`` and the like: always a Python int."""
        # math.floor and math.ceil go through float for NumPy's integers.
        exact = form not in ("floor", "ceil") or all(is_python(atom) for atom in value.kind)
        if family(value.dtype) in ("int", "bool", "uint") and exact:
            if value.dtype == "uint64":
                self.fail_if(f"{value.text} > uint64({INT64})")
            text = self.cast(value.text, value.dtype, "int64")
            return self.python_int(text, value.plain)
        x = self.cast(value.text, value.dtype, "float64")
        if form not in ("int", "trunc"):  # the conversion to an integer is one of these
            x = f"{_ROUNDED[form]}({x})"
        x = self.temp(x)
        self.fail_if(f"not {_fits(x)}")
        return self.python_int(f"int64({x})", None)

    def rounded(self, call: Call) -> Value | None:
        function = dict(self.typed.calls).get(call.func)
        if function is None or function.form not in _ROUNDED or len(call.args) != 1 or call.names:
            return None
        if not kind_of(self.typed, call.args[0]) <= DOUBLES:
            return None
        value = self.number(call.args[0])
        x = self.temp(f"{_ROUNDED[function.form]}({value.text})")
        self.fail_if(f"not {_fits(x)}", at_once=False)
        return Value(f"({x} + 0.0)", frozenset(("int",)), "float64")  # no integer is -0.0

    def decimal(self, value: Value, power: float) -> str:
        """``round(x, n)`` of a float of Python's, with the power of ten of `n`."""
        x = self.temp(self.convert(value, "float64"))
        self.fail_if(f"{x} - {x} == 0.0 and not abs({x} * {power!r}) < {_MOST_ROUNDED!r}")
        return f"rounded({x}, {power!r})"

    def extreme(self, expr: Call, form: str, values: list[Value]) -> Value:
        """``min``/``max``: the first of the best, compared as Python compares."""
        kind = frozenset().union(*(v.kind for v in values))
        out = kinds.storage(kind)
        if out is None:
            raise self.refuse(Reason.MIXED_TYPE, expr)
        op = "<" if form == "min" else ">"
        if kind == {"int"} and all(v.plain is not None for v in values):
            self.settle(*values)
            text = values[0].text
            for value in values[1:]:
                text = f"{form}(int64({text}), int64({value.text}))"
            known = tuple(v.plain for v in values if v.plain is not None)
            return self.python_int(text, Call(expr.func, known, expr.line))
        best = values[0]
        first = self.exact(best, out)
        held = self.temp(first if out == "bool" else f"{out}({first})")
        current = Value(held, best.kind, out)
        for value in values[1:]:
            other = Value(self.temp(self.exact(value, out)), value.kind, out)
            test = self.compared(op, other, current, expr)
            self.write(f"if {test.text}:")
            self.write(f"    {held} = {other.text}")
            current = Value(held, current.kind | value.kind, out)
        return current


def _fits(x: str) -> str:
    """Text of whether a float has an integer of 64 bits."""
    return f"({-(2.0**63)!r} < {x} < {2.0**63!r})"
