"""Draws of random numbers.

The numbers of a generator come from NumPy's own functions, called by address (`cpu.intrinsics`), so
their stream is NumPy's whatever the generator is; also that of `random.Random`, whose state a
generator of NumPy's has been given (`runtime.values.generators`).  What NumPy does not export,
and what Python computes in Python, is written in `cpu.helpers`.

A draw gives 64 bits, which the kernel keeps in the first word of the generator's array.
"""

from __future__ import annotations

from autopar.cpu.conditions import Conditions
from autopar.cpu.writer import Value
from autopar.kernel import Words
from autopar.nest.functions import DRAWS, suits
from autopar.nest.ir import Call, Load
from autopar.records import dataclass, replace
from autopar.verdict import Reason

_INT64 = frozenset(("np.int64",))


@dataclass(slots=True)
class Draws(Conditions):
    """Draws of one kernel."""

    def draw(self, expr: Call, how: str) -> Value:
        """The bits of one number, drawn as `how` says."""
        state, *args = expr.args
        if not isinstance(state, Load):
            raise self.refuse(Reason.DRAW, expr)
        array = self.names[state.array]
        values = [self.value(arg) for arg in args]
        for wanted, value, arg in zip(DRAWS[how], values, args, strict=True):
            if not all(suits(wanted, atom) for atom in value.kind):
                raise self.refuse(Reason.WRONG_TYPE, replace(expr, func="draw", args=(arg,)))
        if how == "poisson":
            text = self.poisson(f"{array}[{Words.BITS}]", values[0])
        elif DRAWS[how][:1] in (("int",), ("Python int",)):
            text = self.integer_draw(how, f"{array}[{Words.BITS}]", values)
        else:
            numbers = [self.temp(self.convert(value, "float64")) for value in values]
            text = f"bits_({self.float_draw(how, array, numbers)})"
        return Value(text, _INT64, "int64")

    def drawn(self, atom: str, expr: Call) -> Value:
        """The number that the bits of the last draw are."""
        bits, kind = self.value(expr.args[0]).text, frozenset((atom,))
        if atom == "float":
            return Value(f"of_bits_({bits})", kind, "float64")
        return Value(bits, kind, "int64") if atom != "int" else self.python_int(bits, None)

    # ------------------------------------------------------------------ floats

    def float_draw(self, how: str, array: str, args: list[str]) -> str:
        source = f"{array}[{Words.BITS}]"
        match how, args:
            case "double", []:
                return f"next_double_({source})"
            case "uniform" | "rising uniform", [low, high]:
                span = self.temp(f"{high} - {low}")
                self.fail_if(f"{span} - {span} != 0.0")
                if how == "rising uniform":
                    self.fail_if(f"copysign_(1.0, {span}) < 0.0")
                return f"draw_random_uniform({source}, {low}, {span})"
            case "normal" | "exponential", [*_, scale]:
                self.not_negative(scale)
                return f"draw_random_{how}({source}, {', '.join(args)})"
            case "standard_normal" | "standard_exponential", []:
                return f"draw_random_{how}({source})"
            case "inverse", []:
                return f"inverse_exponential({source})"
            case "inverse exponential", [scale]:
                self.not_negative(scale)
                return f"({scale} * inverse_exponential({source}))"
            case "rate", [rate]:
                self.fail_if(f"{rate} == 0.0")
                return f"(inverse_exponential({source}) / {rate})"
            case "polar", []:
                return self.one_of_pair("polar_pair", array)
            case "polar normal", [loc, scale]:
                self.not_negative(scale)
                return f"({loc} + {scale} * {self.one_of_pair('polar_pair', array)})"
            case "gauss", [mu, sigma]:
                return f"({mu} + {self.one_of_pair('gauss_pair', array)} * {sigma})"
            case "ratio normal", [mu, sigma]:
                return f"({mu} + ratio_normal({source}) * {sigma})"
            case "between", [a, b]:
                return f"({a} + ({b} - {a}) * next_double_({source}))"
        raise AssertionError(how)

    def not_negative(self, scale: str) -> None:
        """As NumPy checks it: a nan passes, minus zero does not."""
        self.fail_if(f"copysign_(1.0, {scale}) < 0.0 and {scale} == {scale}")

    def one_of_pair(self, pair: str, array: str) -> str:
        """The number kept of the last pair, or the first of a new one."""
        kept, other = f"{array}[{Words.KEPT}]", f"{array}[{Words.OTHER}]"
        found, second = self.temp("0.0"), self.temp("0.0")
        self.write(f"if {kept} != 0:")
        self.write(f"    {found} = of_bits_({other})")
        self.write(f"    {kept} = 0")
        self.write(f"    {other} = 0")
        self.write("else:")
        self.write(f"    {found}, {second} = {pair}({array}[{Words.BITS}])")
        self.write(f"    {kept} = 1")
        self.write(f"    {other} = bits_({second})")
        return found

    # ------------------------------------------------------------------ integers

    def poisson(self, source: str, mean: Value) -> str:
        x = self.temp(self.convert(mean, "float64"))
        self.fail_if(f"not 0.0 <= {x} < 9e18")
        return f"draw_random_poisson({source}, {x})"

    def integer_draw(self, how: str, source: str, values: list[Value]) -> str:
        low, *rest = [self.temp(self.convert(value, "int64")) for value in values]
        if how == "bits":
            self.fail_if(f"not 1 <= {low} <= 63")
            return f"random_bits({source}, {low})"
        (high,) = rest
        closed = how in ("within", "bounded closed")
        self.fail_if(f"not {low} {'<=' if closed else '<'} {high}")
        span = self.temp(f"{high} - {low}")
        if how in ("within", "below"):
            self.fail_if(f"not 0 <= {span} < {2**62}")
            return f"({low} + random_below({source}, {span}{' + 1' if closed else ''}))"
        masked, last = how == "masked", f"{span}{'' if closed else ' - 1'}"
        return f"bounded_({source}, {low}, {last}, {masked})"
