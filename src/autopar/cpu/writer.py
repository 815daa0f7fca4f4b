"""The text of one kernel as it grows: lines, temporaries, casts, and what may go wrong.

Kernel text (`cpu.lower`) promotes nothing and its integers wrap.  So each value carries its kind
and dtype, operands are converted by hand to the dtype NumPy would compute in, and whatever could
raise in CPython becomes ``return 1``: the kernel gives up, the call is rolled back and the
interpreter runs the nest.

What NumPy would warn of is watched in one of two ways (`autopar.kernel.Watch`).  A kernel that
*notices* keeps one flag, set wherever a result is not finite: a warning always leaves an infinity
or a nan, which sums, products and quotients carry on, so one look at the end of an expression is
enough and the loop still becomes vector instructions.  A kernel that *names* looks at every
operation, and can tell an infinity that was made from one that was there before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from autopar.kernel import Alarm, Claim, Status, Watch
from autopar.nest.forward import Definitions
from autopar.nest.ir import Const, Expr, For
from autopar.nest.kinds import Kind, family
from autopar.nest.show import text as source_text
from autopar.nest.typed.types import Typed
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

EXACT_INT = {"float64": 2**53, "complex128": 2**53, "float32": 2**24, "complex64": 2**24}
"""Integers up to this magnitude are exact in the dtype."""
_TRACES = 4  # scalars in which infinities and nans are noticed
INT64 = 2**63 - 1
LEAST = "int64(-9223372036854775808)"
DOUBT = "doubt"
"""The flag of what may be odd in one part of a reduction and not in the source order."""


@dataclass(frozen=True, slots=True)
class Value:
    """Kernel text of one value.

    Attributes
    ----------
    text, kind, dtype
        What it is.
    const
        Its value when it is a literal.
    plain
        The integer as an expression of literals, parameters and loop variables only: the guard
        bounds it before the kernel runs, so the kernel computes it unchecked.
    pending
        Whether it may be infinite or nan because of a warning that nobody has noticed yet.
    wide
        Texts of the numbers of which an unsigned integer is the sum, cut to its width; nobody has
        looked yet whether it was too large, and there is no `text` before (`take`).
    """

    text: str
    kind: Kind
    dtype: str
    const: bool | int | float | complex | None = None
    plain: Expr | None = None
    pending: bool = False
    wide: tuple[str, ...] | None = None

    @property
    def may_be_int(self) -> bool:
        return "int" in self.kind


Place = str | tuple[str, tuple[Expr, ...]]
"""A scalar, or a cell: its array and subscripts."""


@dataclass(slots=True)
class Writer:
    """Lines of one kernel.

    Attributes
    ----------
    names
        Kernel name of every path and scalar.
    inside
        Accesses that are proved to stay within ``0 <= index < extent``.
    definitions
        Integer scalars that stand for an expression.
    watch
        What to do about floating-point warnings.
    tagged
        Scalars whose run-time type is kept.
    plain_loops
        Loop variables, and whether their range is plain.
    careful
        Nothing is plain: the guard could not bound the integers, so each one is checked.
    outright
        Whether it names outside of a strip that rang.
    casting
        The operation in which a number is cast.
    nonnegatives
        Scalars that cannot be negative where the text stands that is being written.
    endless
        Whether there are loops that a number which is wrong could keep from coming to an end.
    failing
        Whether it may turn out only at the end that the kernel has to give up.
    carriers
        Of assignments in a block, by id: the one that carries the value on (`sticky.carriers`).
    going_on
        Text and dtype of what has not been looked at yet, and the statement that carries it on; by
        name of a scalar, or by array and subscripts.
    traces
        In which of several scalars the last infinity or nan would have been noticed.
    read
        Those of them that the statement at hand has read.
    checked_at
        Subscripts that have been checked, by access and axis: where they are, or nothing where they
        say so themselves.
    tallied
        Integers that cannot come to the ends of 64 bits in the loops around (`cpu.tallies`).
    whole_numbers
        Those of them that are integers when the loop begins, so that nobody need note it again.
    """

    typed: Typed
    names: Mapping[str, str]
    inside: frozenset[int]
    definitions: Definitions
    watch: Watch = Watch.IGNORE
    tagged: frozenset[str] = frozenset()
    lines: list[str] = field(default_factory=list)
    claims: dict[Claim, None] = field(default_factory=dict)
    needs: dict[Claim, None] = field(default_factory=dict)
    alarms: dict[Alarm, int] = field(default_factory=dict)
    loops: list[For] = field(default_factory=list)
    plain_loops: dict[str, bool] = field(default_factory=dict)
    careful: bool = False
    singly: bool = False
    relaxed: bool = False
    may_fail: bool = False
    outright: bool = False
    nonnegatives: set[str] = field(default_factory=set)
    endless: bool = False
    failing: bool = False
    carriers: dict[int, int] = field(default_factory=dict)
    going_on: dict[Place, tuple[str, str, int]] = field(default_factory=dict)
    read: set[Place] = field(default_factory=set)
    checked_at: dict[tuple[int, int], str] = field(default_factory=dict)
    tallied: frozenset[str] = frozenset()
    whole_numbers: frozenset[str] = frozenset()
    flag: str = "odd"
    casting: str = "cast"
    noticed: dict[str, dict[str, str]] = field(default_factory=dict)
    line: int = 0
    depth: int = 1
    temps: int = 0
    traces: int = 0

    # ------------------------------------------------------------------ writing

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.write("pass")
        self.depth -= 1

    def temp(self, text: str) -> str:
        self.temps += 1
        self.write(f"v{self.temps}_ = {text}")
        return f"v{self.temps}_"

    def fail_if(self, condition: str, at_once: bool = True) -> None:
        """Give up if Python would raise, or the kernel cannot tell what it does.

        Parameters
        ----------
        at_once
            Whether nothing may be computed from what is there now; else it is computed all the
            same, and given up at the end, which lets LLVM compute several iterations at once.
        """
        self.may_fail = True
        if not at_once and not self.endless and self.flag != DOUBT:
            self.failing = True
            self.write(f"failed_ |= {condition}")
            return
        self.write(f"if {condition}:")
        self.write(f"    return {Status.UNSURE if self.flag == DOUBT else Status.FAILED}")

    def refuse(self, reason: Reason, expr: Expr) -> Refused:
        line = getattr(expr, "line", self.typed.nest.loop.line)
        return Refused(Refusal(reason, Span(self.typed.nest.file, line), source_text(expr)))

    # ------------------------------------------------------------------ warnings

    @property
    def odd(self) -> bool:
        """Whether the kernel as a whole may have noticed something."""
        return "odd" in self.noticed

    def odd_if(self, condition: str) -> None:
        """Remember that NumPy may have warned, without saying of what."""
        flag = f"{self.flag}_"
        self.noticed.setdefault(self.flag, {})[flag] = "False"
        self.write(f"{flag} |= {condition}")

    def notice(self, text: str, dtype: str) -> None:
        """The same, if a float or complex number is infinite or nan: one instruction."""
        kind = "float32" if dtype in ("float32", "complex64") else "float64"
        parts = (f"{text}.real", f"{text}.imag") if family(dtype) == "complex" else (text,)
        for part in parts:
            # Several, in turn: with one, each of a loop would wait for the one before it.
            self.traces = (self.traces + 1) % _TRACES
            trace = f"{self.flag}{self.traces}_{kind}_"
            self.noticed.setdefault(self.flag, {})[trace] = f"{kind}(0)"
            self.write(f"{trace} = traced_({trace}, {part})")

    def goes_on(self, place: Place) -> bool:
        """Whether what is read there has not been looked at yet."""
        if place not in self.going_on:
            return False
        self.read.add(place)
        return True

    def look_back(self, place: Place) -> None:
        """Look at what goes on, unless the statement at hand has carried it on."""
        text, dtype, _ = self.going_on.pop(place, ("", "", 0))
        if text and place not in self.read:
            self.notice(text, dtype)

    def flags(self, flag: str) -> tuple[list[str], str]:
        """Lines that make what `flag` stands for, and the condition that it is up."""
        made = self.noticed.get(flag, {})
        tests = [name if start == "False" else f"{name} != 0.0" for name, start in made.items()]
        return [f"{name} = {start}" for name, start in made.items()], " or ".join(tests) or "False"

    def alarm_if(self, condition: str, line: int, text: str | None) -> None:
        """NumPy warns exactly when `condition`; `text` is None where its words are not known."""
        if self.watch is Watch.IGNORE:
            return
        if self.watch is Watch.NOTICE or text is None or self.flag == DOUBT:
            self.odd_if(condition)
            return
        number = self.alarms.setdefault(Alarm(line, text), len(self.alarms))
        self.write(f"rang{number}_ |= {condition}")

    def made(self, value: Value, operands: tuple[str, ...], line: int, words: Words) -> Value:
        """The result of a NumPy operation on floats.

        Parameters
        ----------
        operands
            Texts of real operands, each evaluated already or cheap; empty where an infinite or
            nan result cannot be told from one that was carried on.
        words
            What NumPy says of an infinite and of a nan result; None for what is not known.
        """
        if self.watch is Watch.IGNORE:
            return value
        if self.watch is Watch.NOTICE:
            return replace(value, pending=True)
        self.outright |= self.watch is Watch.KEEP
        x = self.temp(value.text)
        if not operands or family(value.dtype) == "complex":
            self.notice(x, value.dtype)
            return replace(value, text=x)
        zero = f"{value.dtype}(0)"
        finite = " & ".join(f"({o} - {o} == {zero})" for o in operands)
        number = " & ".join(f"({o} == {o})" for o in operands)
        infinite = f"({x} == {x}) & ({x} - {x} != {zero}) & {finite}"
        if words.pole is not None:
            self.alarm_if(f"({infinite} & ({words.pole}))", line, words.at_pole)
            infinite = f"{infinite} & (not ({words.pole}))"
        self.alarm_if(f"({infinite})", line, words.infinite)
        # Last, as NumPy does of a whole array.
        self.alarm_if(f"(({x} != {x}) & {number})", line, words.nan)
        return replace(value, text=x)

    def take(self, value: Value) -> Value:
        """`value` where an infinity would not be carried on: look at it now."""
        if value.wide is not None:
            most = int(np.iinfo(value.dtype).max)
            room = [d for d in ("uint16", "uint32") if len(value.wide) * most <= np.iinfo(d).max]
            exact = " + ".join(f"int64({part})" for part in value.wide)
            if room:  # in no more bits than it needs: so many more of them go on together
                exact = f"sum_{room[0]}_({', '.join(value.wide)})"
            exact = self.temp(exact)
            self.odd_if(f"({exact} > {most})")
            return replace(value, text=f"{value.dtype}({exact})", wide=None)
        if not value.pending:
            return value
        x = self.temp(value.text)
        self.notice(x, value.dtype)
        return replace(value, text=x, pending=False)

    # ------------------------------------------------------------------ conversions

    def cast(self, text: str, old: str, new: str) -> str:
        if old == new:
            return text
        if new == "bool":
            return f"({text} != 0)"
        return f"{new}({text})"

    def within(self, value: Value, low: int, high: int) -> None:
        """The Python int `value` lies in ``[low, high]``: proved by the guard, or checked here."""
        if isinstance(value.const, int):
            if not low <= value.const <= high:
                self.fail_if("True")
        elif value.plain is not None:
            self.claims[Claim(value.plain, low, high, tuple(self.loops))] = None
        elif (low, high) != (-INT64, INT64):
            self.fail_if(f"not ({low} <= {value.text} <= {high})")

    def convert(self, value: Value, new: str) -> str:
        """`value` as an operand of an operation that computes in `new`."""
        groups = family(value.dtype), family(new)
        if value.may_be_int and groups[0] == "int":
            if groups[1] in ("float", "complex"):
                # Python converts exactly or rounds once; C casts agree up to 2**53.
                self.within(value, -(2**53), 2**53)
                if new in ("float32", "complex64"):
                    return f"{new}(float64({value.text}))"
            elif new != "bool":
                info = np.iinfo(new)
                self.within(value, max(int(info.min), -INT64), min(int(info.max), INT64))
        elif new in ("float32", "complex64") and value.dtype in ("float64", "complex128"):
            return self.narrowed(value, new)
        return self.cast(value.text, value.dtype, new)

    def narrowed(self, value: Value, new: str) -> str:
        """A float in single precision, where NumPy warns of a number that becomes infinite."""
        limit = float(np.finfo(np.float32).max)
        const = value.const
        harmless = const is not None and (abs(const) <= limit or not np.isfinite(const))
        if self.watch is Watch.IGNORE or harmless:
            return self.cast(value.text, value.dtype, new)
        x = value.text if value.const is not None else self.temp(value.text)
        y = self.temp(self.cast(x, value.dtype, new))
        if self.watch is Watch.NOTICE:
            self.notice(y, new)
        else:
            both = (x, y)
            if family(value.dtype) == "complex":
                pairs = [tuple(f"{v}.{part}" for v in both) for part in ("real", "imag")]
            else:
                pairs = [(x, f"{y}.real" if family(new) == "complex" else y)]
            made = [f"(({b} - {b} != 0) & ({a} - {a} == 0))" for a, b in pairs]
            words = f"overflow encountered in {self.casting}"
            self.alarm_if(f"({' | '.join(made)})", self.line, words)
        return y

    def exact(self, value: Value, new: str) -> str:
        """`value` for a variable of dtype `new` that must keep its very value."""
        if value.dtype == new and family(new) in ("float", "complex"):
            return value.text
        if value.may_be_int and family(value.dtype) == "int" and new in EXACT_INT:
            self.within(value, -EXACT_INT[new], EXACT_INT[new])
        elif "float" in value.kind and new in ("float32", "complex64"):
            x = value.text if value.const is not None else self.temp(value.text)
            self.fail_if(f"float64(float32({x})) != {x} and {x} == {x}")
            return self.cast(x, value.dtype, new)
        elif "complex" in value.kind and new == "complex64":
            x = self.temp(value.text)
            self.fail_if(f"complex128(complex64({x})) != {x}")
            return self.cast(x, value.dtype, new)
        return self.convert(value, new)

    def stored(self, value: Value, new: str, at: Expr, whole: bool = False) -> str:
        """`value` as NumPy casts it on assignment to an element of dtype `new`.

        As one of a `whole` array, an integer wraps.
        """
        old, wanted = family(value.dtype), family(new)
        if old == "complex" and wanted != "complex":
            raise self.refuse(Reason.WRONG_TYPE, at)
        if old == "float" and wanted in ("int", "uint"):
            info = np.iinfo(new)
            x = self.temp(self.cast(value.text, value.dtype, "float64"))
            # Outside this range C leaves the result open, and Python raises.
            self.fail_if(f"not ({float(info.min) - 1.0!r} < {x} < {float(info.max) + 1.0!r})")
            return f"{new}({x})"
        if value.may_be_int and old == "int":
            return self.convert(value, new)
        narrower = old in ("int", "uint") and not np.can_cast(value.dtype, new)
        if wanted == "int" and narrower and not whole:
            # NumPy raises for signed targets and wraps for unsigned ones.
            info = np.iinfo(new)
            x = self.temp(value.text)
            low = f"{info.min} <= " if old == "int" else ""
            high = f"uint64({info.max})" if value.dtype == "uint64" else str(info.max)
            self.fail_if(f"not ({low}{x} <= {high})")
            return f"{new}({x})"
        if new in ("float32", "complex64") and value.dtype in ("float64", "complex128"):
            return self.narrowed(value, new)
        return self.cast(value.text, value.dtype, new)

    # ------------------------------------------------------------------ literals

    def constant(self, const: bool | int | float | complex) -> Value:
        kind = frozenset((type(const).__name__,))
        match const:
            case bool():
                return Value(repr(const), kind, "bool", const)
            case int():
                if abs(const) > INT64:
                    self.fail_if("True")
                    return Value("0", kind, "int64")
                text = f"({const})" if const < 0 else str(const)
                return Value(text, kind, "int64", const, None if self.careful else Const(const))
            case float():
                text = repr(const) if np.isfinite(const) else f"float64({const!r})"
                text = {"inf": "inf_", "-inf": "(-inf_)", "nan": "nan_"}.get(repr(const), text)
                return Value(f"({text})" if text.startswith("-") else text, kind, "float64", const)
            case complex():
                real, imag = self.constant(const.real).text, self.constant(const.imag).text
                return Value(f"complex({real}, {imag})", kind, "complex128", const)

    def python_int(self, text: str, plain: Expr | None) -> Value:
        known = None if self.careful else plain
        return Value(text, frozenset(("int",)), "int64", None, known)

    def settle(self, *values: Value) -> None:
        """These plain integers are used as numbers now, so they must fit 64 bits."""
        for value in values:
            if value.may_be_int and value.dtype == "int64":
                self.within(value, -INT64, INT64)


@dataclass(frozen=True, slots=True)
class Words:
    """How NumPy words the warnings of one operation; None where that is not known.

    Attributes
    ----------
    nan, infinite
        Of a nan made of numbers, and of an infinity made of finite numbers.
    pole
        Condition under which the infinity is a pole, worded `at_pole`.
    """

    nan: str | None = None
    infinite: str | None = None
    pole: str | None = None
    at_pole: str | None = None


def not_finite(text: str, dtype: str) -> str:
    """Condition: the float or complex number is infinite or nan."""
    parts = [f"{text}.real", f"{text}.imag"] if family(dtype) == "complex" else [text]
    zero = {"float32": "float32(0)", "complex64": "float32(0)"}.get(dtype, "0.0")
    return " or ".join(f"{part} - {part} != {zero}" for part in parts)
