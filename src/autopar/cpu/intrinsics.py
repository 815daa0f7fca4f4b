"""Words of kernel text that LLVM, the C library or NumPy answer.

``libm_exp``        the C function that CPython's `math.exp` calls, opaque to LLVM, so that it is
                    neither folded (``pow(x, 2)`` into ``x * x`` changes one result in a thousand)
                    nor replaced by a vector version
``numpy_exp_dd``    NumPy's own inner loop for that ufunc and those dtypes, on one element, as the
                    interpreter runs it on a scalar; ``many_`` runs it on strips of many
``checked_add`` …   int64 arithmetic with an overflow flag, for Python integers
``sum_uint16_`` …   sums of unsigned integers that are known to have room in so many bits
``floor_`` …        one instruction
``stopped_``        whether the launching thread wants the kernel to stop
``fma_``            a product and a sum, rounded once; where the processor has an instruction for it
``squares_`` …      C's ``pow(x, 2.0)`` of each of its arguments; `many_` finds those of strips
``traced_``         its first argument, but nan once the second is infinite or nan
``next_double_`` …  the functions that a generator of NumPy's has in its ``bitgen_t``
``bounded_``        an integer below a bound, by NumPy's own function
``draw_random_…``   NumPy's function of that name in `numpy.random`
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
from llvmlite import ir

from autopar.cpu.metadata import pure
from autopar.cpu.operands import (
    BOOL,
    BYTE,
    POINTER,
    WORD,
    Operand,
    cast,
    declared,
    intrinsic,
    local,
    part_type,
)
from autopar.cpu.outside import DATA_SUFFIX, PREFIX, inner_loop, loop
from autopar.cpu.power_lanes import many_powers, powers
from autopar.cpu.powers import PLAIN
from autopar.nest.kinds import family

Answer = Operand | tuple[Operand, ...]
Maker = Callable[[ir.IRBuilder, list[Operand]], Answer]


def find(name: str) -> Maker | None:
    """What makes the code of a call of `name`, or None for a word that is not known."""
    if name.startswith("libm_"):
        return functools.partial(_libm, name)
    if name.startswith("numpy_"):
        return functools.partial(_ufunc, name)
    if name.startswith("draw_"):
        return functools.partial(_distribution, name)
    return _MAKERS.get(name)


# ---------------------------------------------------------------------------- machine words


def _rounding(name: str) -> Maker:
    def rounded(b: ir.IRBuilder, args: list[Operand]) -> Operand:
        (x,) = args
        return Operand(x.dtype, (b.call(intrinsic(b, name, x.value.type), [x.value]),))

    return rounded


def _copysign(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    size, sign = args
    size = cast(b, size, sign.dtype)
    function = intrinsic(b, "copysign", sign.value.type, 2)
    return Operand(sign.dtype, (b.call(function, [size.value, sign.value]),))


def _checked(method: str, dtype: str) -> Maker:
    def checked(b: ir.IRBuilder, args: list[Operand]) -> Answer:
        pair = getattr(b, method)(*[cast(b, x, dtype).value for x in args])
        value, over = b.extract_value(pair, 0), b.extract_value(pair, 1)
        return Operand(dtype, (value,)), Operand("bool", (over,))

    return checked


def _stopped(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    """Whether the word at an address is non-zero by now: a load that stays where it is."""
    word = b.load_atomic(b.inttoptr(args[0].value, POINTER), "monotonic", 8, typ=WORD)
    return Operand("bool", (b.icmp_unsigned("!=", word, WORD(0)),))


def traced(b: ir.IRBuilder, args: list[Operand], waits: bool = False) -> Operand:
    """``trace + 0.0 * x``: a sum of zeros, in any order and rounded in any way, until it is nan.

    LLVM must not see that the factor is zero, or it computes ``(a * b) * 0.0`` as ``a * 0.0``.

    Where an iteration `waits` for the trace of the one before, the product is made apart: a fused
    multiply-add, which does both at once, takes longer than a sum.
    """
    trace, x = args
    flags = () if waits else ("contract",)
    name = f"{b.module.name}_zero"
    zero = b.module.globals.get(name)
    if zero is None:
        zero = ir.GlobalVariable(b.module, ir.DoubleType(), name)
        zero.initializer = ir.DoubleType()(0.0)
        zero.type = POINTER
    with b.goto_entry_block():
        hidden = cast(b, Operand("float64", (b.load(zero, typ=ir.DoubleType()),)), x.dtype)
    product = b.fmul(x.value, hidden.value, flags=flags)
    return Operand(trace.dtype, (b.fadd(trace.value, product, flags=("reassoc", *flags)),))


def _fmod(b: ir.IRBuilder, args: list[Operand]) -> Answer:
    return _libm("libm_fmodf" if args[0].dtype == "float32" else "libm_fmod", b, args)


def _fma(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    function = intrinsic(b, "fma", args[0].value.type, 3)
    return Operand(args[0].dtype, (b.call(function, [x.value for x in args]),))


# struct bitgen, numpy/random/bitgen.h: state, next_uint64, next_uint32, next_double, next_raw.
_NEXT = {"float64": 24, "uint32": 16}


def _next(dtype: str, wide: str) -> Maker:
    """The next number of a generator; its argument is the address of the ``bitgen_t``."""

    def following(b: ir.IRBuilder, args: list[Operand]) -> Operand:
        source = b.inttoptr(args[0].value, POINTER)
        state = b.load(source, typ=POINTER)
        at = b.gep(source, [WORD(_NEXT[dtype])], source_etype=BYTE)
        kind = ir.FunctionType(part_type(dtype), [POINTER])
        function = b.load(at, typ=POINTER)
        function.type = ir.PointerType(kind)  # calls need what it points to
        return cast(b, Operand(dtype, (b.call(function, [state]),)), wide)

    return following


def _bounded(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    """Source, offset, span, and whether to draw by masks rather than by Lemire's method."""
    source, low, span, masked = args
    name = f"{PREFIX}draw_random_bounded_uint64_fill"
    kinds = [POINTER, WORD, WORD, WORD, BOOL, POINTER]
    function = declared(b.module, name, ir.VoidType(), kinds)
    function.args[4].add_attribute("zeroext")
    room = local(b, WORD)
    pointer = b.inttoptr(source.value, POINTER)
    b.call(function, [pointer, low.value, span.value, WORD(1), masked.value, room])
    return Operand("int64", (b.load(room, typ=WORD),))


def _sum(dtype: str) -> Maker:
    """A sum of unsigned integers that has room in `dtype`."""

    def total(b: ir.IRBuilder, args: list[Operand]) -> Operand:
        first, *others = (cast(b, x, dtype).value for x in args)
        for other in others:
            first = b.add(first, other, flags=("nuw",))
        return Operand(dtype, (first,))

    return total


def _bits(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    return Operand("int64", (b.bitcast(args[0].value, WORD),))


def _of_bits(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    return Operand("float64", (b.bitcast(args[0].value, ir.DoubleType()),))


def _bit_length(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    zeros = b.ctlz(args[0].value, BOOL(0))
    return Operand("int64", (b.sub(WORD(64), zeros),))


def _ones(b: ir.IRBuilder, args: list[Operand]) -> Operand:
    return Operand("int64", (b.ctpop(args[0].value),))


_MAKERS: dict[str, Maker] = {
    "next_double_": _next("float64", "float64"),
    "next_uint32_": _next("uint32", "int64"),
    "bounded_": _bounded,
    "bits_": _bits,
    "of_bits_": _of_bits,
    "bit_length_": _bit_length,
    "ones_": _ones,
    "checked_add": _checked("sadd_with_overflow", "int64"),
    "checked_sub": _checked("ssub_with_overflow", "int64"),
    "checked_mul": _checked("smul_with_overflow", "int64"),
    "checked_umul": _checked("umul_with_overflow", "uint64"),
    "floor_": _rounding("floor"),
    "ceil_": _rounding("ceil"),
    "rint_": _rounding("rint"),
    "trunc_": _rounding("trunc"),
    "sqrt_": _rounding("sqrt"),
    "copysign_": _copysign,
    "fmod_": _fmod,
    "fma_": _fma,
    **{word: functools.partial(powers, number) for word, number in PLAIN.items()},
    "sum_uint16_": _sum("uint16"),
    "sum_uint32_": _sum("uint32"),
    "stopped_": _stopped,
    "traced_": traced,
}

# ---------------------------------------------------------------------------- C functions

_SINGLE = ("powf", "hypotf", "fmodf")


def _libm(name: str, b: ir.IRBuilder, args: list[Operand]) -> Operand:
    dtype = "float32" if name.removeprefix("libm_") in _SINGLE else "float64"
    kind = part_type(dtype)
    function = declared(b.module, PREFIX + name, kind, [kind] * len(args))
    pure(function)
    return Operand(dtype, (b.call(function, [cast(b, x, dtype).value for x in args]),))


def _distribution(name: str, b: ir.IRBuilder, args: list[Operand]) -> Operand:
    """A number from NumPy's function; the first argument is the address of the ``bitgen_t``."""
    source, *numbers = args
    dtype = "int64" if name == "draw_random_poisson" else "float64"
    kinds = [POINTER, *[part_type("float64")] * len(numbers)]
    function = declared(b.module, PREFIX + name, part_type(dtype), kinds)
    values = [cast(b, x, "float64").value for x in numbers]
    return Operand(dtype, (b.call(function, [b.inttoptr(source.value, POINTER), *values]),))


# ---------------------------------------------------------------------------- NumPy's loops


def _ufunc(name: str, b: ir.IRBuilder, args: list[Operand]) -> Operand:
    _, chars = loop(name)
    dtypes = [np.dtype(c).name for c in chars]
    slots = [local(b, ir.ArrayType(part_type(d), _parts(d))) for d in dtypes]
    for slot, arg, dtype in zip(slots, args, dtypes, strict=False):
        put(b, cast(b, arg, dtype), slot)
    _call_loop(b, name, slots, [0] * len(slots), [1])  # strides as for NumPy's scalars
    return get(b, dtypes[-1], slots[-1])


def many(b: ir.IRBuilder, name: str, count: ir.Value, rooms: list[ir.Value]) -> None:
    """NumPy's inner loop on `count` elements of each of `rooms`, the last of which it fills."""
    if name in PLAIN:
        many_powers(b, name, count, rooms)
        return
    _, chars = loop(name)
    _call_loop(b, name, rooms, [np.dtype(c).itemsize for c in chars], [count])


def fold(
    b: ir.IRBuilder,
    name: str,
    total: Operand,
    count: ir.Value,
    rows: Sequence[tuple[ir.Value, ir.Value]],
) -> Operand:
    """What NumPy's inner loop makes of `total` and a row, or of two rows without it.

    Parameters
    ----------
    rows
        Where each begins, and the bytes from one element to the next.

    References
    ----------
    NumPy C API, "Generalized Universal Function API": the core dimensions follow the number of
    products, and their strides those between products.  A product of two rows is one by `count`
    times `count` by one.
    """
    room = local(b, part_type(total.dtype))
    if len(rows) == 2:
        (one, step), (two, other) = rows
        core = [0, step, other, 0, 0, 0]
        _call_loop(b, name, [one, two, room], [0, 0, 0, *core], [1, 1, count, 1])
    else:
        put(b, total, room)
        ((first, stride),) = rows
        _call_loop(b, name, [room, first, room], [0, stride, 0], [count])
    return get(b, total.dtype, room)


def product(
    b: ir.IRBuilder,
    name: str,
    counts: Sequence[ir.Value],
    corners: Sequence[tuple[ir.Value, Sequence[ir.Value]]],
) -> None:
    """NumPy's product of two matrices: rows, products of each element, and columns.

    Parameters
    ----------
    corners
        Where each of the factors begins, and the result; the bytes from row to row, and from
        column to column.
    """
    core = [step for _, steps in corners for step in steps]
    _call_loop(b, name, [place for place, _ in corners], [0, 0, 0, *core], [1, *counts])


def _call_loop(
    b: ir.IRBuilder,
    name: str,
    places: list[ir.Value],
    steps: Sequence[int | ir.Value],
    counts: Sequence[int | ir.Value],
) -> None:
    ufunc, chars = loop(name)
    _, data = inner_loop(ufunc, chars)
    symbol = PREFIX + name
    function = declared(b.module, symbol, ir.VoidType(), [POINTER] * 4)
    pointers = local(b, ir.ArrayType(POINTER, len(places)))
    strides = local(b, ir.ArrayType(WORD, len(steps)))
    numbers = local(b, ir.ArrayType(WORD, len(counts)))
    for k, place in enumerate(places):
        b.store(place, b.gep(pointers, [WORD(k)], source_etype=POINTER))
    for table, values in ((strides, steps), (numbers, counts)):
        for k, value in enumerate(values):
            size = WORD(value) if isinstance(value, int) else value
            b.store(size, b.gep(table, [WORD(k)], source_etype=WORD))
    extra: ir.Value = POINTER(None)
    if data:
        extra = b.module.globals.get(symbol + DATA_SUFFIX)
        extra = extra or ir.GlobalVariable(b.module, BYTE, symbol + DATA_SUFFIX)
        extra.type = POINTER
    b.call(function, [pointers, numbers, strides, extra])


# ---------------------------------------------------------------------------- memory


def stored_type(dtype: str) -> ir.Type:
    """LLVM type of a number, or of one part of it, in memory."""
    return BYTE if dtype == "bool" else part_type(dtype)


def _parts(dtype: str) -> int:
    return 2 if family(dtype) == "complex" else 1


def _places(b: ir.IRBuilder, dtype: str, pointer: ir.Value) -> list[ir.Value]:
    parts = [pointer]
    if _parts(dtype) == 2:
        parts.append(b.gep(pointer, [WORD(1)], inbounds=True, source_etype=stored_type(dtype)))
    return parts


def get(b: ir.IRBuilder, dtype: str, pointer: ir.Value, align: int | None = None) -> Operand:
    """The number of that dtype at `pointer`, laid out as NumPy does."""
    kind = stored_type(dtype)
    found = [b.load(p, typ=kind, align=align) for p in _places(b, dtype, pointer)]
    for load in found:
        # Without this promise LLVM guards branches on what is computed from it, and gives up on
        # doing several iterations at once.
        load.set_metadata("noundef", b.module.add_metadata([]))
    if dtype == "bool":
        found = [b.icmp_unsigned("!=", found[0], BYTE(0))]
    return Operand(dtype, tuple(found))


def settled(b: ir.IRBuilder, x: Operand) -> Operand:
    """`x`, which has just been loaded, in a form in which LLVM does not know where it comes from.

    What is stored where it was loaded unless a condition holds, LLVM stores under a mask.
    """
    parts = []
    for load in x.parts:
        load.metadata.pop("noundef", None)  # of which LLVM would conclude that this does nothing
        frozen = ir.instructions.Instruction(b.block, load.type, "freeze", [load])
        b._insert(frozen)  # the library has no method for it
        parts.append(frozen)
    return Operand(x.dtype, tuple(parts))


def put(b: ir.IRBuilder, x: Operand, pointer: ir.Value, align: int | None = None) -> None:
    """Store `x` at `pointer`, laid out as NumPy does."""
    parts = [b.zext(x.value, BYTE)] if x.dtype == "bool" else x.parts
    for part, place in zip(parts, _places(b, x.dtype, pointer), strict=True):
        b.store(part, place, align=align)
