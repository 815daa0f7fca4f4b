"""Numbers of kernel text as LLVM values, and the operations on them.

Kernel text states its casts, so what is left to decide here is little: integers are computed in 64
bits, signed unless both operands are unsigned; ``//`` and ``%`` round down as in Python; a literal
takes the dtype of the other operand where that can hold it.  Everything else that mixes dtypes is
a fault of the text and raises `TypeError`.
"""

from __future__ import annotations

import functools

import numpy as np
from llvmlite import ir

from autopar.nest.kinds import family
from autopar.nest.mixing import common, part_dtype, rounded
from autopar.records import dataclass

BOOL, BYTE, WORD = ir.IntType(1), ir.IntType(8), ir.IntType(64)
POINTER = ir.PointerType()
_FLOATS = {4: ir.FloatType(), 8: ir.DoubleType()}


@dataclass(frozen=True, slots=True)
class Operand:
    """One number.

    Attributes
    ----------
    dtype
        NumPy's name of it.
    parts
        Its LLVM value; for a complex number the real and the imaginary part.
    literal
        Its value, when it is a literal.
    """

    dtype: str
    parts: tuple[ir.Value, ...]
    literal: int | float | None = None

    @property
    def value(self) -> ir.Value:
        (value,) = self.parts
        return value


def part_type(dtype: str) -> ir.Type:
    """LLVM type of a number of that dtype, or of one part of a complex one."""
    match family(dtype), np.dtype(dtype).itemsize:
        case "bool", _:
            return BOOL
        case "complex", size:
            return _FLOATS[size // 2]
        case "float", size:
            return _FLOATS[size]
        case _, size:
            return ir.IntType(8 * size)


def literal(value: bool | int | float) -> Operand:
    """A literal of kernel text."""
    if isinstance(value, bool):
        return Operand("bool", (BOOL(int(value)),), None)
    if isinstance(value, int):
        name = "int64" if value < 2**63 else "uint64"
        return Operand(name, (WORD(value),), value)
    return Operand("float64", (ir.DoubleType()(value),), value)


def of_dtype(value: float, dtype: str) -> Operand:
    """A literal in a given integer or float dtype."""
    return Operand(dtype, (part_type(dtype)(value),), value)


# ---------------------------------------------------------------------------- conversions


def cast(b: ir.IRBuilder, x: Operand, dtype: str) -> Operand:
    """`x` as C would convert it; out of range, a float gives any integer."""
    old, new = family(x.dtype), family(dtype)
    if x.dtype == dtype:
        return x
    if new == "complex":
        real = cast(b, Operand(part_dtype(x.dtype), x.parts[:1], x.literal), part_dtype(dtype))
        if old == "complex":
            imag = cast(b, Operand(part_dtype(x.dtype), x.parts[1:]), part_dtype(dtype)).value
        else:
            imag = part_type(dtype)(0.0)
        return Operand(dtype, (real.value, imag))
    if old == "complex":
        raise TypeError(f"{x.dtype} has no {dtype}")
    if x.literal is not None and new != "bool":
        value = rounded(x.literal, dtype) if new == "float" else int(x.literal)
        return of_dtype(value, dtype)
    return Operand(dtype, (_converted(b, x.value, old, new, part_type(dtype)),))


def fitted(b: ir.IRBuilder, x: Operand, dtype: str) -> Operand:
    """`x` for a place of that dtype: any integer for an integer, but no float."""
    if family(dtype) in ("bool", "int", "uint") and family(x.dtype) in ("float", "complex"):
        raise TypeError(f"{x.dtype} for {dtype}")
    return cast(b, x, dtype)


def _converted(b: ir.IRBuilder, v: ir.Value, old: str, new: str, kind: ir.Type) -> ir.Value:
    if new == "bool":
        return b.fcmp_unordered("!=", v, v.type(0.0)) if old == "float" else _nonzero(b, v)
    if new == "float":
        match old:
            case "float":
                wider = kind == _FLOATS[8]
                return b.fpext(v, kind) if wider else b.fptrunc(v, kind)
            case "int":
                return b.sitofp(v, kind)
            case _:
                return b.uitofp(v, kind)
    if old == "float":
        return b.fptosi(v, kind) if new == "int" else b.fptoui(v, kind)
    if v.type.width > kind.width:
        return b.trunc(v, kind)
    if v.type.width == kind.width:
        return v
    return b.sext(v, kind) if old == "int" else b.zext(v, kind)


def _nonzero(b: ir.IRBuilder, v: ir.Value) -> ir.Value:
    return b.icmp_unsigned("!=", v, v.type(0))


def truth(b: ir.IRBuilder, x: Operand) -> ir.Value:
    """Whether `x` is not zero."""
    return cast(b, x, "bool").value


# ---------------------------------------------------------------------------- two operands


_FLOAT_OPS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INT_OPS = {
    "+": "add", "-": "sub", "*": "mul", "&": "and_", "|": "or_", "^": "xor", "<<": "shl",
}  # fmt: skip


RELAXED = ("reassoc", "nsz", "contract")
"""What LLVM may do to operations of relaxed kernels: another order of sums and products, zeros of
either sign, reciprocals, one rounding for a product and a sum.  Infinities and nans stay."""


def binary(
    b: ir.IRBuilder, op: str, x: Operand, y: Operand, flags: tuple[str, ...] = ()
) -> Operand:
    """``x op y``; integers wrap, and a zero divisor is the caller's to exclude.

    Parameters
    ----------
    flags
        LLVM's, of operations on floats.
    """
    if x.dtype == y.dtype == "bool" and op in "&|^":
        return Operand("bool", (getattr(b, _INT_OPS[op])(x.value, y.value),))
    dtype = common(x, y)
    x, y = cast(b, x, dtype), cast(b, y, dtype)
    match family(dtype):
        case "float" if op in _FLOAT_OPS:
            return Operand(dtype, (getattr(b, _FLOAT_OPS[op])(x.value, y.value, flags=flags),))
        case "complex" if op in "+-":
            parts = zip(x.parts, y.parts, strict=True)
            work = functools.partial(getattr(b, _FLOAT_OPS[op]), flags=flags)
            return Operand(dtype, tuple(work(u, v) for u, v in parts))
        case "complex" if op == "*":
            (a, c), (d, e) = x.parts, y.parts
            times = functools.partial(b.fmul, flags=flags)
            real = b.fsub(times(a, d), times(c, e), flags=flags)
            return Operand(dtype, (real, b.fadd(times(a, e), times(c, d), flags=flags)))
        case "int" | "uint" if op in _INT_OPS:
            return Operand(dtype, (getattr(b, _INT_OPS[op])(x.value, y.value),))
        case "int" | "uint" if op == ">>":
            shift = b.ashr if dtype == "int64" else b.lshr
            return Operand(dtype, (shift(x.value, y.value),))
        case "uint" if op in ("//", "%"):
            divide = b.udiv if op == "//" else b.urem
            return Operand(dtype, (divide(x.value, _divisor(b, y.value)),))
        case "int" if op in ("//", "%"):
            return Operand(dtype, (_floored(b, op, x.value, y.value),))
    raise TypeError(f"{x.dtype} {op} {y.dtype}")


def _floored(b: ir.IRBuilder, op: str, x: ir.Value, y: ir.Value) -> ir.Value:
    """Quotient or remainder of a division that rounds down, not towards zero."""
    least = b.and_(b.icmp_signed("==", x, WORD(-(2**63))), b.icmp_signed("==", y, WORD(-1)))
    y = b.select(least, WORD(1), _divisor(b, y))
    remainder = b.srem(x, y)
    opposite = b.icmp_signed("<", b.xor(remainder, y), WORD(0))
    down = b.and_(_nonzero(b, remainder), opposite)
    if op == "%":
        return b.select(down, b.add(remainder, y), remainder)
    return b.sub(b.sdiv(x, y), b.zext(down, WORD))


def _divisor(b: ir.IRBuilder, y: ir.Value) -> ir.Value:
    """`y`, but not zero: processors trap, and a fault elsewhere must not end the process."""
    return b.select(_nonzero(b, y), y, WORD(1))


def compare(b: ir.IRBuilder, op: str, x: Operand, y: Operand) -> Operand:
    """``x op y``; nan differs from everything and is neither less nor greater."""
    dtype = common(x, y)
    x, y = cast(b, x, dtype), cast(b, y, dtype)
    match family(dtype):
        case "float":
            test = b.fcmp_unordered if op == "!=" else b.fcmp_ordered
            return Operand("bool", (test(op, x.value, y.value),))
        case "complex" if op in ("==", "!="):
            test, join = (b.fcmp_unordered, b.or_) if op == "!=" else (b.fcmp_ordered, b.and_)
            found = [test(op, u, v) for u, v in zip(x.parts, y.parts, strict=True)]
            return Operand("bool", (join(*found),))
        case "int":
            return Operand("bool", (b.icmp_signed(op, x.value, y.value),))
        case "uint":
            return Operand("bool", (b.icmp_unsigned(op, x.value, y.value),))
    raise TypeError(f"{x.dtype} {op} {y.dtype}")


# ---------------------------------------------------------------------------- one operand


def unary(b: ir.IRBuilder, op: str, x: Operand) -> Operand:
    """``-x``, ``+x``, ``~x`` or ``not x``."""
    if op == "not":
        return Operand("bool", (b.not_(truth(b, x)),))
    match op, family(x.dtype):
        case "-", _ if x.literal is not None:
            return literal(-x.literal)
        case "-", "float":
            return Operand(x.dtype, (b.fneg(x.value),))
        case "-" | "~" | "+", "int" | "uint" | "bool":
            wide = cast(b, x, "uint64" if family(x.dtype) == "uint" else "int64")
            found = {"-": b.neg, "~": b.not_, "+": lambda v: v}[op](wide.value)
            return Operand(wide.dtype, (found,))
        case "+", _:
            return x
    raise TypeError(f"{op}{x.dtype}")


def absolute(b: ir.IRBuilder, x: Operand) -> Operand:
    """``abs(x)``; of the least integer, itself."""
    if family(x.dtype) == "float":
        return Operand(x.dtype, (b.call(intrinsic(b, "fabs", x.value.type), [x.value]),))
    if family(x.dtype) != "int":
        raise TypeError(f"abs({x.dtype})")
    v = cast(b, x, "int64").value
    return Operand("int64", (b.select(b.icmp_signed("<", v, WORD(0)), b.neg(v), v),))


def extreme(b: ir.IRBuilder, name: str, x: Operand, y: Operand) -> Operand:
    """``min(x, y)`` or ``max(x, y)`` of two integers."""
    dtype = common(x, y)
    if family(dtype) not in ("int", "uint"):
        raise TypeError(f"{name}({x.dtype}, {y.dtype})")
    x, y = cast(b, x, dtype), cast(b, y, dtype)
    first = compare(b, "<" if name == "min" else ">", x, y)
    return Operand(dtype, (b.select(first.value, x.value, y.value),))


def intrinsic(b: ir.IRBuilder, name: str, kind: ir.Type, arity: int = 1) -> ir.Function:
    """LLVM's own function of that name on floats, or on vectors of them."""
    one = kind.element if isinstance(kind, ir.VectorType) else kind
    word = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    word += "f32" if one == _FLOATS[4] else "f64"
    return declared(b.module, f"llvm.{name}.{word}", kind, [kind] * arity)


def local(b: ir.IRBuilder, kind: ir.Type) -> ir.Value:
    """Room for a value of that type, made once when the function is entered."""
    with b.goto_entry_block():
        room = b.alloca(kind)
    room.type = POINTER  # the library still says what it points to, which LLVM no longer knows
    return room


def declared(module: ir.Module, name: str, result: ir.Type, args: list[ir.Type]) -> ir.Function:
    """A function that is defined elsewhere."""
    found = module.globals.get(name)
    return found or ir.Function(module, ir.FunctionType(result, args), name)
