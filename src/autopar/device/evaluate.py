"""Expressions of kernel text in C, in the scope of one function."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Collection, Sequence

from autopar.cpu.evaluate import BINARY, COMPARE, CONSTANTS, UNARY, Array
from autopar.device.elementary import meant
from autopar.device.values import (
    Untaken,
    Value,
    absolute,
    binary,
    cast,
    compare,
    extreme,
    kind,
    literal,
    stated,
    truth,
    unary,
    width,
)
from autopar.nest.kinds import NUMBERS
from autopar.nest.mixing import PARTS
from autopar.records import dataclass, field

Answer = Value | tuple[Value, ...]

SQUARES = "squares_"
_ROUNDING = {"floor_": "floor", "ceil_": "ceil", "rint_": "rint", "trunc_": "trunc"}
_WHOLES = {"bits_": ("bits", "int64"), "of_bits_": ("of_bits", "float64"),
           "bit_length_": ("bit_length", "int64"), "ones_": ("ones", "int64")}  # fmt: skip
CHECKED = {"checked_add": "int64", "checked_sub": "int64", "checked_mul": "int64",
           "checked_umul": "uint64"}  # fmt: skip
"""Words that answer a number of that dtype, and whether it is too large for it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An array inside a function.

    Attributes
    ----------
    length
        Of one on the function's own stack, or on the chip.
    shared
        Whether it is on the chip, for all work items of a block.
    """

    kind: Array
    name: str
    length: int | None = None
    shared: bool = False


@dataclass(slots=True)
class Scope:
    """Names of one function.

    Attributes
    ----------
    names
        By the name in kernel text.
    declared
        Types and names of local variables, in C.
    used
        Sizes of arrays that the function must be given: name, ``n`` or ``s``, axis.
    touched, written
        Arrays of which it loads or stores elements, and those that it stores to.
    """

    names: dict[str, Memory | Value] = field(default_factory=dict)
    declared: list[str] = field(default_factory=list)
    used: dict[tuple[str, str, int], None] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)


class Evaluation:
    """Expressions of one function.

    Attributes
    ----------
    elementary
        Functions that may be the device's own.
    """

    def __init__(self, elementary: Collection[str]) -> None:
        self.scope, self.elementary = Scope(), elementary

    @abstractmethod
    def helper(self, name: str, args: list[Value]) -> Answer:
        """The answer of a function that is written in kernel text itself."""

    def size(self, memory: Memory, which: str, axis: int) -> str:
        """Name of an extent (``n``) or a stride (``s``) of an array."""
        if memory.length is not None:
            return str(memory.length)
        self.scope.used[memory.name, which, axis] = None
        return f"ap_{which}{axis}_{memory.name}"

    # ------------------------------------------------------------------ expressions

    def value(self, expr: ast.expr) -> Value:
        answer = self.answer(expr)
        if isinstance(answer, tuple):
            raise unknown(expr)
        return answer

    def integer(self, expr: ast.expr) -> str:
        found = self.value(expr)
        if found.dtype.startswith(("float", "complex")):
            raise TypeError(f"{ast.unparse(expr)} is no integer")
        return cast(found, "int64").text

    def condition(self, expr: ast.expr) -> str:
        return truth(self.value(expr))

    def answer(self, expr: ast.expr) -> Answer:
        match expr:
            case ast.Constant(value=bool() | int() | float() as value):
                return literal(value)
            case ast.Name(id=name):
                return self.name(name)
            case ast.Tuple(elts=parts):
                return tuple(self.value(part) for part in parts)
            case ast.UnaryOp(op=op, operand=operand):
                return unary(UNARY[type(op)], self.value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return binary(BINARY[type(op)], self.value(left), self.value(right))
            case ast.Compare(left=left, ops=ops, comparators=others):
                values = [self.value(e) for e in (left, *others)]
                pairs = zip(values, values[1:], ops, strict=False)
                found = [compare(COMPARE[type(op)], x, y).text for x, y, op in pairs]
                return Value("bool", found[0] if len(found) == 1 else f"({' & '.join(found)})")
            case ast.BoolOp(op=op, values=tests):
                word = " && " if isinstance(op, ast.And) else " || "
                return Value("bool", f"({word.join(map(self.condition, tests))})")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.choice(test, body, orelse)
            case ast.Subscript(
                value=ast.Attribute(attr="shape", value=ast.Name(id=name)),
                slice=ast.Constant(value=int() as axis),
            ):
                return Value("int64", self.size(self.memory(name), "n", axis))
            case ast.Subscript():
                memory, place = self.element(expr)
                dtype = memory.kind.dtype
                return Value(dtype, f"({place} != 0)" if dtype == "bool" else place)
            case ast.Attribute(value=value, attr="real" | "imag" as attr):
                z = self.value(value)
                return Value(PARTS[z.dtype], f"{z.text}.{attr[:2]}")
            case ast.Call(
                func=ast.Name(id="words_"), args=[ast.Constant(value=int() as size), *cells]
            ):
                places = (self.element(one)[1] for one in cells if isinstance(one, ast.Subscript))
                where = " | ".join(f"(u64)&{place}" for place in places)
                return Value("bool", f"((({where}) & {size - 1}) == 0)")
            case ast.Call(func=ast.Name(id=name), args=args):
                meaning = meant(name)
                if meaning is not None and meaning[0] in self.elementary:
                    return apply(*meaning, [self.value(a) for a in args])
                if name == SQUARES and "pow" in self.elementary:
                    squares = [f"ap_square({cast(self.value(a), 'float64').text})" for a in args]
                    return tuple(Value("float64", square) for square in squares)
                refuse(expr)
                return self.call(name, [self.value(a) for a in args])
        raise unknown(expr)

    def name(self, name: str) -> Value:
        if name in CONSTANTS:
            return literal(CONSTANTS[name])
        known = self.scope.names.get(name)
        if not isinstance(known, Value):
            raise TypeError(f"{name} has no value")
        return known

    def choice(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Value:
        """``body if test else orelse``, of which only one is evaluated."""
        first, second = self.value(body), self.value(orelse)
        dtype = first.dtype if first.literal is None else second.dtype
        if any(v.dtype != dtype and v.literal is None for v in (first, second)):
            raise TypeError(f"{first.dtype} or {second.dtype}")
        one, two = (stated(cast(v, dtype)).text for v in (first, second))
        return Value(dtype, f"({self.condition(test)} ? {one} : {two})")

    # ------------------------------------------------------------------ arrays

    def memory(self, name: str) -> Memory:
        found = self.scope.names.get(name)
        if not isinstance(found, Memory):
            raise TypeError(f"{name} is no array")
        return found

    def element(self, expr: ast.Subscript) -> tuple[Memory, str]:
        """The array of ``array[i, j]`` and the place of the element."""
        if not isinstance(expr.value, ast.Name):
            raise unknown(expr)
        memory = self.memory(expr.value.id)
        self.scope.touched.add(memory.name)
        indices = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
        values = [self.integer(e) for e in indices]
        if len(values) != memory.kind.ndim:
            raise unknown(expr)
        if memory.length is not None:
            return memory, f"{memory.name}[{values[0]}]"
        dense = {"C": memory.kind.ndim - 1, "F": 0}.get(memory.kind.layout)
        dtype = memory.kind.dtype
        # A block may begin in the middle of the array: only all of this together lies in it.
        place = f"ap_at_{memory.name}"
        for axis, value in enumerate(values):
            step = str(width(dtype)) if axis == dense else self.size(memory, "s", axis)
            place += f" + {value} * {step}"
        return memory, f"(*(AP_GLOBAL {kind(dtype)} *)({memory.name} + ({place})))"

    # ------------------------------------------------------------------ calls

    def call(self, name: str, args: list[Value]) -> Answer:
        match name, args:
            case "float", [x]:
                return stated(cast(x, "float64"))
            case "complex", [x, y]:
                dtype = {"float32": "complex64", "float64": "complex128"}[x.dtype]
                return Value(dtype, f"ap_complex_{dtype}({x.text}, {cast(y, x.dtype).text})")
            case "abs", [x]:
                return absolute(x)
            case "min" | "max", [first, *others]:
                for other in others:
                    first = extreme(name, first, other)
                return first
            case _, [x] if name in NUMBERS:
                return stated(cast(x, name))
            case "traced_", [trace, x]:
                # C may not leave out a product with zero: it may be nan.
                zero = cast(literal(0.0), x.dtype).text
                return Value(trace.dtype, f"({trace.text} + {x.text} * {zero})")
            case "sqrt_", [x]:
                word = "ap_sqrt_float32" if x.dtype == "float32" else "sqrt"
                return Value(x.dtype, f"{word}({x.text})")
            case "copysign_", [size, sign]:
                return Value(sign.dtype, f"copysign({cast(size, sign.dtype).text}, {sign.text})")
            case "fmod_", [x, y]:
                dtype = "float32" if x.dtype == "float32" else "float64"
                return Value(dtype, f"fmod({cast(x, dtype).text}, {cast(y, dtype).text})")
            case "fma_", [x, y, z]:
                return Value(x.dtype, f"fma({x.text}, {y.text}, {z.text})")
            case "all_", [x]:
                return Value("bool", f"ap_all(ap_flag, {x.text})")
            case "least_", [x]:
                return Value("int64", f"ap_least(ap_flag, (i32)({x.text}))")
            case "sum_uint16_" | "sum_uint32_", _:
                dtype = name.split("_")[1]
                parts = " + ".join(cast(x, dtype).text for x in args)
                return Value(dtype, f"(({kind(dtype)})({parts}))")
            case _, [x] if name in _ROUNDING:
                return Value(x.dtype, f"{_ROUNDING[name]}({x.text})")
            case _, [x] if name in _WHOLES:
                word, dtype = _WHOLES[name]
                return Value(dtype, f"ap_{word}({x.text})")
        return self.helper(name, args)

    def checked(self, name: str, args: Sequence[ast.expr]) -> str:
        """The beginning of a call that leaves a number and whether it is too large."""
        texts = [cast(self.value(a), CHECKED[name]).text for a in args]
        return f"ap_{name}({', '.join(texts)}"


def apply(name: str, dtype: str, args: Sequence[Value]) -> Value:
    """An elementary function of the device's own; of single precision by way of double."""
    text = f"{name}({', '.join(cast(x, 'float64').text for x in args)})"
    return Value(dtype, text if dtype == "float64" else f"(({kind(dtype)}){text})")


_ELSEWHERE = (
    *((word, "the device's own pow() may have other bits") for word in (SQUARES, "power_")),
    ("libm_", "the device's own {}() may have other bits"),
    ("numpy_", "the device's own {}() may have other bits"),
    ("many_", "NumPy's own loop of {}() runs on the CPU"),
    ("fold_", "NumPy's own loop of {}() runs on the CPU"),
    ("product_", "NumPy's own loop of {}() runs on the CPU"),
    *((start, "random numbers are drawn by NumPy") for start in ("draw_", "next_", "bounded_")),
    *((f"{word}_", "products are left to BLAS") for word in ("gemm", "gemv", "fits", "fit")),
)


def refuse(call: ast.Call) -> None:
    """Raise `Untaken` for words that only the CPU's libraries answer."""
    assert isinstance(call.func, ast.Name)
    name = call.func.id
    match call.args:
        case [ast.Constant(value=str() as word), *_] if word.startswith((SQUARES, "power_")):
            name = word  # of many numbers
    for start, why in _ELSEWHERE:
        if name.startswith(start):
            match call.args:
                case [ast.Constant(value=str() as loop), *_]:
                    name = loop
            # "numpy_sin_dd" is the loop of `sin` for two doubles.
            raise Untaken(why.format(name.removeprefix(start).removeprefix("numpy_").split("_")[0]))


def unknown(node: ast.AST) -> NotImplementedError:
    return NotImplementedError(f"not in the language of kernels: {ast.unparse(node)}")
