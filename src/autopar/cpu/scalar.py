"""Expressions of a nest as Numba text, every cast explicit, every possible error checked.

Numba's own promotion is not NumPy 2's, its integers wrap where Python's do not, and its `math`
functions are not always the C library's.  So each value carries its kind and dtype, operands are
converted by hand to the dtype NumPy would compute in, and whatever could raise in CPython becomes
``return 1``: the kernel gives up, the call is rolled back and the interpreter runs the nest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from autopar.kernel import Claim
from autopar.nest import functions, kinds
from autopar.nest.forward import Definitions
from autopar.nest.ir import (
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    Load,
    Logic,
    Name,
    Select,
    Unary,
    walk,
)
from autopar.nest.kinds import Kind, dtype, family, is_python
from autopar.nest.show import text as source_text
from autopar.nest.types import Typed, kind_of
from autopar.verdict import Reason, Refusal, Refused, Span

EXACT_INT = {"float64": 2**53, "complex128": 2**53, "float32": 2**24, "complex64": 2**24}
"""Integers up to this magnitude are exact in the dtype."""
INT64 = 2**63 - 1
LEAST = "int64(-9223372036854775808)"
RANGE = 2**61
"""Bounds and steps of loops stay within this, so that ``stop - start`` fits 64 bits."""
_WORDS = {"//": "floordiv", "%": "mod", "<<": "lshift", ">>": "rshift", "**": "pow"}


@dataclass(frozen=True, slots=True)
class Value:
    """Kernel text of one value; `const` when it is a literal; `plain` when its range is known.

    A *plain* integer is made of literals, parameters and loop variables only: the guard bounds it
    before the kernel runs, so the kernel computes it unchecked.
    """

    text: str
    kind: Kind
    dtype: str
    const: bool | int | float | complex | None = None
    plain: Expr | None = None

    @property
    def may_be_int(self) -> bool:
        return "int" in self.kind


@dataclass(slots=True)
class ScalarWriter:
    """Writes the statements that compute expressions; one per kernel.

    Attributes
    ----------
    names
        Kernel name of every path and scalar.
    bounds
        Ids of the loops whose range is plain.
    inside
        Accesses that are proved to stay within ``0 <= index < extent``.
    careful
        Nothing is plain: the guard could not bound the integers, so each one is checked.
    """

    typed: Typed
    names: Mapping[str, str]
    inside: frozenset[int]
    definitions: Definitions
    tagged: frozenset[str] = frozenset()
    lines: list[str] = field(default_factory=list)
    claims: dict[Claim, None] = field(default_factory=dict)
    needs: dict[Claim, None] = field(default_factory=dict)
    symbols: dict[str, None] = field(default_factory=dict)
    loops: list[For] = field(default_factory=list)
    plain_loops: dict[str, bool] = field(default_factory=dict)
    careful: bool = False
    may_fail: bool = False
    depth: int = 1
    temps: int = 0

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

    def fail_if(self, condition: str) -> None:
        self.may_fail = True
        self.write(f"if {condition}:")
        self.write("    return 1")

    def refuse(self, reason: Reason, expr: Expr) -> Refused:
        line = getattr(expr, "line", self.typed.nest.loop.line)
        return Refused(Refusal(reason, Span(self.typed.nest.file, line), source_text(expr)))

    def helper(self, name: str) -> str:
        self.symbols[name] = None
        return name

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
        return self.cast(value.text, value.dtype, new)

    def exact(self, value: Value, new: str) -> str:
        """`value` for a variable of dtype `new` that must keep its very value."""
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

    def stored(self, value: Value, new: str, at: Expr) -> str:
        """`value` as NumPy casts it on assignment to an element of dtype `new`."""
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
        if wanted == "int" and old in ("int", "uint") and not np.can_cast(value.dtype, new):
            # NumPy raises for signed targets and wraps for unsigned ones.
            info = np.iinfo(new)
            x = self.temp(value.text)
            low = f"{info.min} <= " if old == "int" else ""
            high = f"uint64({info.max})" if value.dtype == "uint64" else str(info.max)
            self.fail_if(f"not ({low}{x} <= {high})")
            return f"{new}({x})"
        return self.cast(value.text, value.dtype, new)

    # ------------------------------------------------------------------ expressions

    def value(self, expr: Expr) -> Value:
        match expr:
            case Const(value=const):
                return self.constant(const)
            case Name(id=name):
                return self.name(expr, name)
            case Dim(array=path, axis=axis):
                ndim = self.typed.array(path).ndim
                return self.python_int(f"{self.names[path]}.shape[{(axis or 0) % ndim}]", expr)
            case Load():
                name = self.typed.array(expr.array).dtype
                return Value(self.element(expr), frozenset((f"np.{name}",)), name)
            case Unary():
                return self.unary(expr)
            case Binary():
                return self.binary(expr)
            case Compare():
                return self.compare(expr)
            case Logic():
                return self.logic(expr)
            case Select():
                return self.select(expr)
            case Call():
                return self.call(expr)

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
                return Value(text, kind, "int64", const, Const(const))
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

    def name(self, expr: Expr, name: str) -> Value:
        scalars = dict(self.typed.scalars)
        if name in scalars:
            kind = scalars[name]
            plain = None if self.careful else self.known_int(expr, name, kind)
            return Value(self.names[name], kind, self.storage(name), None, plain)
        atom = dict(self.typed.numbers).get(name)
        if atom is None:
            raise self.refuse(Reason.WRONG_TYPE, expr)
        plain = expr if atom == "int" and not self.careful else None
        return Value(self.names[name], frozenset((atom,)), dtype(atom), None, plain)

    def known_int(self, expr: Expr, name: str, kind: Kind) -> Expr | None:
        """`expr` in loop variables and parameters, when that is all that it is."""
        around = frozenset(v for v, plain in self.plain_loops.items() if plain)
        if kind != {"int"}:
            return None
        if name in around:
            return expr
        meant = self.definitions.get(name)
        return meant if meant is not None and is_plain(self.typed, meant, around) else None

    def storage(self, name: str) -> str:
        found = kinds.storage(dict(self.typed.scalars)[name])
        assert found is not None, name
        return found

    def element(self, access: Load | Element) -> str:
        """``A[…]`` with every index in bounds, wrapped as Python wraps negative ones."""
        array = self.names[access.array]
        index = []
        for axis, expr in enumerate(access.index):
            value = self.value(expr)
            if any(family(dtype(a)) not in ("int", "uint") for a in value.kind):
                raise self.refuse(Reason.WRONG_TYPE, expr)
            if access.id in self.inside:
                # Unsigned: Numba then leaves out its own wrap-around of negative indices.
                index.append(f"uint64({value.text})")
                continue
            if value.may_be_int:
                self.within(value, -INT64, INT64)
            extent = f"{array}.shape[{axis}]"
            if value.dtype == "uint64":
                self.fail_if(f"{value.text} >= uint64({extent})")
            k = self.temp(f"int64({value.text})")
            self.write(f"if {k} < 0:")
            self.write(f"    {k} += {extent}")
            self.fail_if(f"{k} < 0 or {k} >= {extent}")
            index.append(f"uint64({k})")
        return f"{array}[{', '.join(index)}]"

    def unary(self, expr: Unary) -> Value:
        if expr.op == "not":
            return Value(f"(not {self.condition(expr.operand)})", frozenset(("bool",)), "bool")
        value = self.value(expr.operand)
        atoms = [kinds.unary(expr.op, atom) for atom in value.kind]
        if None in atoms:
            raise self.refuse(Reason.WRONG_TYPE, expr)
        kind = frozenset(a for a in atoms if a is not None)
        out = kinds.storage(kind)
        if out is None or not one_width(value.kind):
            raise self.refuse(Reason.MIXED_TYPE, expr)
        if expr.op == "+":
            return Value(self.cast(value.text, value.dtype, out), kind, out, None, value.plain)
        if expr.op == "~":
            if out == "bool":
                return Value(f"(not {value.text})", kind, out)
            if "int" in kind:  # the largest integer has no inverse in 64 bits that we allow
                self.within(value, -INT64, INT64 - 1)
            return Value(f"{out}(~{self.cast(value.text, value.dtype, out)})", kind, out)
        if "int" in kind and value.plain is None:
            return Value(self.checked("sub", "0", value.text), kind, out)
        text = self.cast(value.text, value.dtype, out)
        if family(out) == "complex":
            return Value(f"{out}(complex(-{text}.real, -{text}.imag))", kind, out)
        plain = None if value.plain is None else Unary("-", value.plain, expr.line)
        return Value(f"{out}(-{text})", kind, out, None, plain)

    def binary(self, expr: Binary) -> Value:
        left, right = self.value(expr.left), self.value(expr.right)
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
        a, b = self.convert(left, loop), self.convert(right, loop)
        group = family(loop)
        match expr.op:
            case "+" | "-" | "*":
                return Value(self.narrow(f"({a} {expr.op} {b})", out), kind, out)
            case "/" if group == "complex":
                b = self.temp(b)
                if python:
                    self.fail_if(f"{b}.real == 0.0 and {b}.imag == 0.0")
                name = "complex_quotient" if python else "complex_divide"
                name = name if loop == "complex128" else "complex64_divide"
                return Value(f"{out}({self.helper(name)}({a}, {b}))", kind, out)
            case "/" | "//" | "%" if group == "float":
                if python:
                    b = self.nonzero(b, right, "0.0")
                if expr.op == "/":
                    return Value(f"({a} / {b})", kind, out)
                name = {"//": "float_floordiv", "%": "float_mod"}[expr.op]
                name = self.helper(name if loop == "float64" else f"{name}_f")
                return Value(f"{out}({name}({a}, {b}))", kind, out)
            case "//" | "%" | "<<" | ">>":
                return self.wide(group, _WORDS[expr.op], a, b, kind, out)
            case "**" if group == "float":
                # A NumPy scalar of the computing dtype calls C's pow; else np.power's loop is run.
                if python or f"np.{loop}" in left.kind | right.kind:
                    return self.power(a, b, loop, kind, python)
                char = np.dtype(loop).char
                return Value(f"{self.helper(f'numpy_power_{char * 3}')}({a}, {b})", kind, out)
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

    def power(self, a: str, b: str, loop: str, kind: Kind, python: bool) -> Value:
        name = self.helper("libm_pow" if loop == "float64" else "libm_powf")
        if not python:
            return Value(f"{name}({a}, {b})", kind, loop)
        a, b = self.temp(a), self.temp(b)
        # Python: a negative base gives a complex number, zero a ZeroDivisionError.
        self.fail_if(f"({a} < 0.0 and {b} != floor_({b})) or ({a} == 0.0 and {b} < 0.0)")
        self.symbols["floor_"] = None
        found = self.temp(f"{name}({a}, {b})")
        self.fail_if(f"{found} - {found} != 0.0 and {a} - {a} == 0.0 and {b} - {b} == 0.0")
        return Value(found, kind, loop)

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

    def settle(self, *values: Value) -> None:
        """These plain integers are used as numbers now, so they must fit 64 bits."""
        for value in values:
            if value.may_be_int and value.dtype == "int64":
                self.within(value, -INT64, INT64)

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
        self.depth += 1
        for branch in (expr.body, expr.orelse):
            self.lines = []
            text = self.exact(self.value(branch), out)
            branches.append((text, self.lines))
        self.depth -= 1
        self.lines = before
        (then, then_lines), (other, other_lines) = branches
        if not then_lines and not other_lines:
            return Value(f"({then} if {test} else {other})", kind, out)
        self.temps += 1
        held = f"v{self.temps}_"
        self.write(f"if {test}:")
        self.lines += then_lines
        self.write(f"    {held} = {out}({then})")
        self.write("else:")
        self.lines += other_lines
        self.write(f"    {held} = {out}({other})")
        return Value(held, kind, out)

    # ------------------------------------------------------------------ calls

    def call(self, expr: Call) -> Value:
        function = dict(self.typed.calls)[expr.func]
        arity = len(expr.args)
        if arity < 2 if function.arity == 0 else arity != function.arity:
            raise self.refuse(Reason.CALL, expr)
        values = [self.value(arg) for arg in expr.args]
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
            case "libm":
                args = [self.temp(self.convert(v, "float64")) for v in values]
                return Value(self.libm(function.name, args), kind, out)
            case "test":
                x = self.temp(self.convert(values[0], "float64"))
                text = {"isnan": f"({x} != {x})", "isfinite": f"({x} - {x} == 0.0)",
                        "isinf": f"({x} == {x} and {x} - {x} != 0.0)"}  # fmt: skip
                return Value(text[function.name], kind, out)
            case "scale":
                factor = np.pi / 180.0 if function.name == "radians" else 180.0 / np.pi
                return Value(f"({self.convert(values[0], 'float64')} * {factor!r})", kind, out)
            case "cast":
                return Value(self.stored(values[0], function.name, expr), kind, out)
            case "ufunc":
                return self.ufunc(function.name, values, loops.pop(), kind)
        raise self.refuse(Reason.CALL, expr)

    def loops_of(self, function: functions.Function, values: list[Value]) -> set[tuple[str, str]]:
        combos: list[tuple[str, ...]] = [()]
        for value in values:
            combos = [(*combo, atom) for combo in combos for atom in value.kind]
        found = {functions.ufunc_loop(function.name, combo) for combo in combos}
        return {("", "")} | {("", "x")} if None in found else {f for f in found if f is not None}

    def libm(self, name: str, args: list[str]) -> str:
        x = args[0]
        if name == "sqrt":
            self.fail_if(f"{x} < 0.0")
            return f"{self.helper('sqrt_')}({x})"
        if name == "fabs":
            return f"abs({x})"
        found = self.temp(f"{self.helper(f'libm_{name}')}({', '.join(args)})")
        # ValueError where a number became nan, OverflowError where finite became infinite.
        finite = " and ".join(f"{a} - {a} == 0.0" for a in args)
        number = " and ".join(f"{a} == {a}" for a in args)
        self.fail_if(
            f"{found} - {found} != 0.0 and (({finite}) or ({found} != {found} and {number}))"
        )
        return found

    def ufunc(self, name: str, values: list[Value], loop: tuple[str, str], kind: Kind) -> Value:
        args = [self.convert(v, loop[0]) for v in values]
        if name == "sqrt" and family(loop[0]) == "float":
            return Value(f"{self.helper('sqrt_')}({args[0]})", kind, loop[1])
        if name in ("absolute", "fabs") and family(loop[0]) == "float":
            return Value(f"abs({args[0]})", kind, loop[1])
        chars = "".join(np.dtype(loop[0]).char for _ in args) + np.dtype(loop[1]).char
        return Value(f"{self.helper(f'numpy_{name}_{chars}')}({', '.join(args)})", kind, loop[1])

    def absolute(self, expr: Call, value: Value, kind: Kind, out: str) -> Value:
        if family(value.dtype) == "complex":
            name = self.helper("libm_hypot" if out == "float64" else "libm_hypotf")
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
        return Value(f"{out}(abs({text}))", kind, out)

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
        if form in ("floor", "ceil", "round"):
            name = {"floor": "floor_", "ceil": "ceil_", "round": "rint_"}[form]
            x = f"{self.helper(name)}({x})"
        x = self.temp(x)
        self.fail_if(f"not ({-(2.0**63)!r} < {x} < {2.0**63!r})")
        return self.python_int(f"int64({x})", None)

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
        held = self.temp(f"{out}({self.exact(best, out)})")
        current = Value(held, best.kind, out)
        for value in values[1:]:
            other = Value(self.temp(self.exact(value, out)), value.kind, out)
            test = self.compared(op, other, current, expr)
            self.write(f"if {test.text}:")
            self.write(f"    {held} = {out}({other.text})")
            current = Value(held, current.kind | value.kind, out)
        return current

    # ------------------------------------------------------------------ tags

    def tag(self, expr: Expr) -> str:
        """Text of the tag of `expr`: which of its possible atoms it is at run time."""
        kind = kind_of(self.typed, expr)
        if len(kind) == 1:
            return str(kinds.tag(next(iter(kind))))
        match expr:
            case Name(id=name) if name in self.tagged:
                return f"{self.names[name]}_tag"
            case Unary(op="-" | "+", operand=operand) if kind_of(self.typed, operand) == kind:
                return self.tag(operand)
            case Binary(op=op, left=left, right=right):
                return self.binary_tag(op, left, right)
            case Select(test=test, body=body, orelse=orelse):
                self.temps += 1
                held = f"v{self.temps}_"
                # Statements, so that a test inside a branch is evaluated only there.
                for branch, word in ((body, f"if {self.condition(test)}:"), (orelse, "else:")):
                    self.write(word)
                    with self.indented():
                        self.write(f"{held} = {self.tag(branch)}")
                return held
        raise self.refuse(Reason.MIXED_TYPE, expr)

    def binary_tag(self, op: str, left: Expr, right: Expr) -> str:
        a, b = self.tag(left), self.tag(right)
        text = "0"
        for left_atom in sorted(kind_of(self.typed, left)):
            for right_atom in sorted(kind_of(self.typed, right)):
                step = kinds.binary(op, left_atom, right_atom)
                assert step is not None
                here = f"{a} == {kinds.tag(left_atom)} and {b} == {kinds.tag(right_atom)}"
                text = f"({kinds.tag(step.out)} if {here} else {text})"
        return text


def one_width(kind: Kind) -> bool:
    """Whether integers of `kind` wrap in one and the same way; floats are exact in any width."""
    names = {dtype(atom) for atom in kind}
    return len(names) == 1 or all(family(name) in ("float", "complex") for name in names)


def ambiguous_names(typed: Typed, expr: Expr) -> frozenset[str]:
    """Scalars whose run-time atom decides the atom of `expr`."""
    scalars = dict(typed.scalars)
    if len(kind_of(typed, expr)) == 1:
        return frozenset()
    return frozenset(
        e.id for e in walk(expr) if isinstance(e, Name) and len(scalars.get(e.id, ())) > 1
    )


def is_plain(typed: Typed, expr: Expr, loops: frozenset[str]) -> bool:
    """Whether `expr` is a Python int of literals, parameters, extents and `loops` only."""
    match expr:
        case Const(value=value):
            return type(value) is int and abs(value) <= INT64
        case Name(id=name):
            return name in typed.ints or name in loops
        case Dim():
            return True
        case Unary(op="-" | "+", operand=operand):
            return is_plain(typed, operand, loops)
        case Binary(op="+" | "-" | "*", left=left, right=right):
            return is_plain(typed, left, loops) and is_plain(typed, right, loops)
        case Binary(op="//" | "%", left=left, right=right):
            # The divisor is claimed to be positive where the quotient is computed.
            return is_plain(typed, left, loops) and is_plain(typed, right, loops)
        case Call(func=func, args=args):
            minmax = dict(typed.calls)[func].form in ("min", "max") and len(args) > 1
            return minmax and all(is_plain(typed, a, loops) for a in args)
    return False
