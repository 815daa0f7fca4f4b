"""Expressions of kernel text as LLVM values, in the scope of one function."""

from __future__ import annotations

import ast
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from llvmlite import ir

from autopar.cpu import gemm, intrinsics
from autopar.cpu.intrinsics import Answer
from autopar.cpu.operands import (
    BOOL,
    BYTE,
    POINTER,
    WORD,
    Operand,
    absolute,
    binary,
    cast,
    compare,
    declared,
    extreme,
    fitted,
    literal,
    local,
    part_type,
    truth,
    unary,
)
from autopar.cpu.outside import PREFIX
from autopar.nest.kinds import NUMBERS
from autopar.records import dataclass, field

_LINE = 64  # bytes of a cache line, so that no vector lies across two
_APART = 8  # lines between arrays that would lie a page apart: so far, for up to eight of them
CONSTANTS = {"inf_": math.inf, "nan_": math.nan}
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="
}  # fmt: skip
UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Array:
    """An array argument.

    Attributes
    ----------
    layout
        ``C`` and ``F`` as in NumPy: one axis lies densely; ``A`` promises nothing.
    aligned
        Whether elements lie at multiples of their size.
    """

    dtype: str
    ndim: int
    layout: str
    aligned: bool = True


@dataclass(frozen=True, slots=True)
class Number:
    """A number argument; `atom` is its Python or NumPy type, as in `nest.kinds`."""

    atom: str
    dtype: str


Parameter = Array | Number


@dataclass(frozen=True, slots=True)
class Memory:
    """An array inside a function: where it is, and its extents and strides in bytes."""

    kind: Array
    data: ir.Value
    shape: tuple[ir.Value, ...]
    strides: tuple[ir.Value, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable inside a function: where its parts are kept.

    Attributes
    ----------
    sign
        Of a flag: a word that is below zero where the flag is up, whatever its own byte says.
    """

    dtype: str
    cells: tuple[ir.Value, ...]
    sign: ir.Value | None = None


@dataclass(slots=True)
class Scope:
    """Names of one function, and where its ``return`` goes.

    Attributes
    ----------
    borrowed
        Where it keeps the addresses of memory that it must give back, by the name of the array.
    """

    names: dict[str, Memory | Variable] = field(default_factory=dict)
    borrowed: dict[str, ir.Value] = field(default_factory=dict)
    returns: Callable[[Answer], None] | None = None
    loops: list[tuple[ir.Block, ir.Block]] = field(default_factory=list)


def parameter_types(kind: Parameter) -> list[ir.Type]:
    """LLVM arguments that stand for one of kernel text."""
    if isinstance(kind, Array):
        return [POINTER, *[WORD] * (2 * kind.ndim)]
    parts = 2 if kind.dtype.startswith("complex") else 1
    return [part_type(kind.dtype)] * parts


class Evaluation:
    """Expressions of one function; what they need is written where `b` stands."""

    def __init__(self, builder: ir.IRBuilder, flags: tuple[str, ...] = ()) -> None:
        self.b = builder
        self.scope = Scope()
        self.flags = flags  # of operations on floats
        self.signs: frozenset[str] = frozenset()  # flags that signs of words put up

    @abstractmethod
    def helper(self, name: str, args: list[Operand]) -> Answer:
        """The answer of a function that is written in kernel text itself."""

    def new(self, name: str) -> ir.Block:
        return self.b.append_basic_block(name)

    def assign(self, name: str, value: Operand) -> None:
        known = self.scope.names.get(name)
        if known is None:
            kind = intrinsics.stored_type(value.dtype)
            cells = tuple(local(self.b, kind) for _ in value.parts)
            sign = local(self.b, WORD) if name in self.signs and value.dtype == "bool" else None
            known = self.scope.names[name] = Variable(value.dtype, cells, sign)
        if isinstance(known, Memory) or (known.dtype != value.dtype and value.literal is None):
            raise TypeError(f"{name} changes its type")
        value = fitted(self.b, value, known.dtype)
        parts = [self.b.zext(value.value, BYTE)] if value.dtype == "bool" else value.parts
        for part, cell in zip(parts, known.cells, strict=True):
            self.b.store(part, cell)
        if known.sign is not None:
            self.b.store(WORD(0), known.sign)

    # ------------------------------------------------------------------ expressions

    def value(self, expr: ast.expr) -> Operand:
        answer = self.answer(expr)
        if isinstance(answer, tuple):
            raise unknown(expr)
        return answer

    def integer(self, expr: ast.expr) -> ir.Value:
        found = self.value(expr)
        if found.dtype in ("float32", "float64", "complex64", "complex128"):
            raise TypeError(f"{ast.unparse(expr)} is no integer")
        return cast(self.b, found, "int64").value

    def condition(self, expr: ast.expr) -> ir.Value:
        return truth(self.b, self.value(expr))

    def answer(self, expr: ast.expr) -> Answer:
        match expr:
            case ast.Constant(value=bool() | int() | float() as value):
                return literal(value)
            case ast.Name(id=name):
                return self.name(name)
            case ast.Tuple(elts=parts):
                return tuple(self.value(part) for part in parts)
            case ast.UnaryOp(op=op, operand=operand):
                return unary(self.b, UNARY[type(op)], self.value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                one, two = self.value(left), self.value(right)
                return binary(self.b, BINARY[type(op)], one, two, self.flags)
            case ast.Compare(left=left, ops=ops, comparators=others):
                flags, self.flags = self.flags, ()
                values = [self.value(e) for e in (left, *others)]
                self.flags = flags
                return self.comparison(values, ops)
            case ast.BoolOp(op=op, values=values):
                return self.lazy(isinstance(op, ast.And), values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.choice(test, body, orelse)
            case ast.Subscript(
                value=ast.Attribute(attr="shape", value=ast.Name(id=name)),
                slice=ast.Constant(value=int() as axis),
            ):
                return Operand("int64", (self.memory(name).shape[axis],))
            case ast.Subscript():
                return self.loaded(expr)
            case ast.Attribute(value=value, attr="real" | "imag" as attr):
                z = self.value(value)
                dtype = {"complex64": "float32", "complex128": "float64"}[z.dtype]
                return Operand(dtype, (z.parts[attr == "imag"],))
            case ast.Call(func=ast.Name(id="there_"), args=[ast.Name(id=name)]):
                data = self.memory(name).data
                return Operand("bool", (self.b.icmp_unsigned("!=", data, POINTER(None)),))
            case ast.Call(
                func=ast.Name(id="fold_"),
                args=[ast.Constant(value=str() as name), total, count, *rows],
            ):
                places = [(place, step) for place, (step,) in map(self.corner, rows)]
                return intrinsics.fold(self.b, name, self.value(total), self.integer(count), places)
            case ast.Call(
                func=ast.Name(id="fits_" | "fit_" as word),
                args=[ast.Constant(value=int() as size), *counts, one, two, target],
            ):
                sizes = [self.integer(n) for n in counts]
                places = [self.corner(e) for e in (one, two, target)]
                fits = gemm.fits if word == "fits_" else gemm.fits_vector
                return Operand("bool", (fits(self.b, size, sizes, places),))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.call(name, [self.value(a) for a in args])
        raise unknown(expr)

    def name(self, name: str) -> Operand:
        if name in CONSTANTS:
            return literal(CONSTANTS[name])
        known = self.scope.names.get(name)
        if not isinstance(known, Variable):
            raise TypeError(f"{name} has no value")
        kind = intrinsics.stored_type(known.dtype)
        parts = [self.b.load(cell, typ=kind) for cell in known.cells]
        if known.dtype == "bool":
            parts = [self.b.icmp_unsigned("!=", parts[0], BYTE(0))]
        if known.sign is not None:
            below = self.b.icmp_signed("<", self.b.load(known.sign, typ=WORD), WORD(0))
            parts = [self.b.or_(parts[0], below)]
        return Operand(known.dtype, tuple(parts))

    def comparison(self, values: list[Operand], ops: list[ast.cmpop]) -> Operand:
        pairs = zip(values, values[1:], ops, strict=False)
        first, *rest = (compare(self.b, COMPARE[type(op)], x, y) for x, y, op in pairs)
        for other in rest:
            first = binary(self.b, "&", first, other)
        return first

    def lazy(self, all_of: bool, values: Sequence[ast.expr]) -> Operand:
        """``and`` or ``or`` as truth; later values are evaluated only when they matter.

        Or where that does no harm: LLVM makes vectors of what has no branches.
        """
        groups: list[list[ast.expr]] = []
        for value in values:
            if groups and self.harmless(value):
                groups[-1].append(value)
            else:
                groups.append([value])
        if len(groups) == 1:
            return Operand("bool", (self.together(all_of, values),))
        b, end = self.b, self.new("end")
        ways: list[tuple[ir.Value, ir.Block]] = []
        for group in groups[:-1]:
            test, following = self.together(all_of, group), self.new("and" if all_of else "or")
            ways.append((test, b.block))
            b.cbranch(test, *((following, end) if all_of else (end, following)))
            b.position_at_end(following)
        ways.append((self.together(all_of, groups[-1]), b.block))
        b.branch(end)
        b.position_at_end(end)
        found = b.phi(ways[0][0].type)
        for test, block in ways:
            found.add_incoming(test, block)
        return Operand("bool", (found,))

    def harmless(self, expr: ast.expr) -> bool:
        """Whether `expr` may be evaluated where its value does not matter."""
        return False

    def together(self, all_of: bool, values: Sequence[ast.expr]) -> ir.Value:
        """``and`` or ``or`` of values that are all evaluated."""
        found = self.condition(values[0])
        for value in values[1:]:
            other = self.condition(value)  # which may be no value at all where it does not matter
            ways = (other, BOOL(0)) if all_of else (BOOL(1), other)
            found = self.b.select(found, *ways)
        return found

    def choice(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Operand:
        """``body if test else orelse``, of which only one is evaluated."""
        b = self.b
        starts, end = (self.new("then"), self.new("else")), self.new("end")
        b.cbranch(self.condition(test), *starts)
        values, ends = [], []
        for start, expr in zip(starts, (body, orelse), strict=True):
            b.position_at_end(start)
            values.append(self.value(expr))
            ends.append(b.block)
        first, second = values
        dtype = first.dtype if first.literal is None else second.dtype
        ways = []
        for value, block in zip(values, ends, strict=True):
            if value.dtype != dtype and value.literal is None:
                raise TypeError(f"{first.dtype} or {second.dtype}")
            b.position_at_end(block)
            ways.append((cast(b, value, dtype), block))
            b.branch(end)
        b.position_at_end(end)
        parts = []
        for k, part in enumerate(ways[0][0].parts):
            found = b.phi(part.type)
            for value, block in ways:
                found.add_incoming(value.parts[k], block)
            parts.append(found)
        return Operand(dtype, tuple(parts))

    # ------------------------------------------------------------------ arrays

    def memory(self, name: str) -> Memory:
        found = self.scope.names.get(name)
        if not isinstance(found, Memory):
            raise TypeError(f"{name} is no array")
        return found

    def loaded(self, expr: ast.Subscript) -> Operand:
        """``array[i, j]``."""
        memory, place = self.element(expr)
        align = None if memory.kind.aligned else 1
        return intrinsics.get(self.b, memory.kind.dtype, place, align)

    def element(self, expr: ast.Subscript) -> tuple[Memory, ir.Value]:
        """The array of ``array[i, j]`` and the address of the element."""
        if not isinstance(expr.value, ast.Name):
            raise unknown(expr)
        memory, b = self.memory(expr.value.id), self.b
        indices = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
        values = [self.integer(e) for e in indices]
        if len(values) != memory.kind.ndim:
            raise unknown(expr)
        dense = {"C": memory.kind.ndim - 1, "F": 0}.get(memory.kind.layout)
        place = memory.data
        for axis, value in enumerate(values):
            if axis != dense:
                offset = b.mul(value, memory.strides[axis])
                place = b.gep(place, [offset], inbounds=True, source_etype=BYTE)
        if dense is not None:
            place = b.gep(place, [values[dense]], inbounds=True, source_etype=_cell(memory.kind))
        return memory, place

    def corner(self, expr: ast.expr) -> tuple[ir.Value, list[ir.Value]]:
        """Where a part of an array starts, and the bytes from one element to the next each way."""
        match expr:
            case ast.Tuple(elts=[*ways, ast.Subscript() as place]):
                memory, first = self.element(place)
                return first, [self.step(memory, way) for way in ways]
        raise unknown(expr)

    def step(self, memory: Memory, way: ast.expr) -> ir.Value:
        """Bytes of a step that goes along some axes at once, or along none."""
        total = WORD(0)
        match way:
            case ast.Tuple(elts=pairs):
                for pair in pairs:
                    match pair:
                        case ast.Tuple(elts=[ast.Constant(value=int() as axis), far]):
                            one = self.b.mul(memory.strides[axis], self.integer(far))
                            total = self.b.add(total, one)
        return total

    # ------------------------------------------------------------------ calls

    def call(self, name: str, args: list[Operand]) -> Answer:
        b = self.b
        match name, args:
            case "float", [x]:
                return cast(b, x, "float64")
            case "complex", [x, y]:
                dtype = {"float32": "complex64", "float64": "complex128"}[x.dtype]
                return Operand(dtype, (x.value, cast(b, y, x.dtype).value))
            case "abs", [x]:
                return absolute(b, x)
            case "min" | "max", [first, *others]:
                for other in others:
                    first = extreme(b, name, first, other)
                return first
            case _, [x] if name in NUMBERS:
                return Operand(name, cast(b, x, name).parts)  # a stated dtype is no literal's
        maker = intrinsics.find(name)
        if maker is not None:
            return maker(b, args)
        return self.helper(name, args)


def _cell(kind: Array) -> ir.Type:
    """LLVM type that is as long as one element."""
    element = BYTE if kind.dtype == "bool" else part_type(kind.dtype)
    return ir.ArrayType(element, 2) if kind.dtype.startswith("complex") else element


def room(b: ir.IRBuilder, dtype: str, length: int) -> Memory:
    """An array of the function's own, on its stack, that holds anything at first.

    Nothing else can lie there, so LLVM need not ask at run time whether another array does.
    """
    kind = Array(dtype, 1, "C")
    # Some lines more: several such arrays are used at one index, and a processor that compares only
    # the lower 12 bits of addresses takes what it loads from one for what it has just stored to
    # another.  A product of matrices took 1.7 times as long where the stack happened to lie so.
    # One line is not enough, since it works on the next iterations at the same time.
    length_in_memory = length + _APART * _LINE // np.dtype(dtype).itemsize
    data = local(b, ir.ArrayType(_cell(kind), length_in_memory))
    data.align = _LINE  # so that no vector lies across two
    return Memory(kind, data, (WORD(length),), (WORD(np.dtype(dtype).itemsize),))


def borrowed(b: ir.IRBuilder, kept: ir.Value, dtype: str, shape: Sequence[ir.Value]) -> Memory:
    """An array of the function's own that may be large; nowhere, if there is no memory for it.

    Parameters
    ----------
    kept
        Where the address is kept.  What is there is given back first.
    """
    given_back(b, kept)
    kind = Array(dtype, len(shape), "C")
    strides = [WORD(np.dtype(dtype).itemsize)]
    for extent in reversed(shape):
        strides.insert(0, b.mul(strides[0], extent))
    size, *steps = strides
    take = declared(b.module, PREFIX + "PyMem_RawMalloc", POINTER, [WORD])
    take.return_value.add_attribute("noalias")  # so LLVM need not ask who else has it
    found = b.call(take, [b.add(size, WORD(_LINE))])
    b.store(found, kept)
    ahead = b.and_(b.neg(b.ptrtoint(found, WORD)), WORD(_LINE - 1))
    data = b.gep(found, [ahead], source_etype=BYTE)
    return Memory(kind, data, tuple(shape), tuple(steps))


def given_back(b: ir.IRBuilder, kept: ir.Value) -> None:
    """Give back the memory whose address is kept there, if there is any."""
    b.call(_releasing(b), [b.load(kept, typ=POINTER)])
    b.store(POINTER(None), kept)


def _releasing(b: ir.IRBuilder) -> ir.Function:
    return declared(b.module, PREFIX + "PyMem_RawFree", ir.VoidType(), [POINTER])


def unknown(node: ast.AST) -> NotImplementedError:
    return NotImplementedError(f"not in the language of kernels: {ast.unparse(node)}")
