"""Kernel text as LLVM's intermediate representation.

Kernel text is Python with a meaning of its own: numbers have NumPy's dtypes, every cast is written
out, integers wrap, indices are within bounds, and a variable keeps the dtype of its first value.
So nothing needs to be inferred, and a kernel is ready for LLVM in milliseconds.  Variables become
memory that LLVM's first pass turns into registers.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from llvmlite import ir

from autopar.cpu import helpers, intrinsics
from autopar.cpu.intrinsics import Answer
from autopar.cpu.operands import (
    BYTE,
    POINTER,
    WORD,
    Operand,
    absolute,
    binary,
    cast,
    compare,
    extreme,
    literal,
    local,
    part_type,
    truth,
    unary,
)
from autopar.nest.kinds import NUMBERS

_CONSTANTS = {"inf_": math.inf, "nan_": math.nan}
_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}


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
class _Memory:
    """An array inside a function: where it is, and its extents and strides in bytes."""

    kind: Array
    data: ir.Value
    shape: tuple[ir.Value, ...]
    strides: tuple[ir.Value, ...]


@dataclass(frozen=True, slots=True)
class _Variable:
    dtype: str
    cells: tuple[ir.Value, ...]


@dataclass(slots=True)
class _Scope:
    """Names of one function, and where its ``return`` goes."""

    names: dict[str, _Memory | _Variable] = field(default_factory=dict)
    returns: Callable[[Answer], None] | None = None
    loops: list[tuple[ir.Block, ir.Block]] = field(default_factory=list)


def parameter_types(kind: Parameter) -> list[ir.Type]:
    """LLVM arguments that stand for one of kernel text."""
    if isinstance(kind, Array):
        return [POINTER, *[WORD] * (2 * kind.ndim)]
    parts = 2 if kind.dtype.startswith("complex") else 1
    return [part_type(kind.dtype)] * parts


def lower(module: ir.Module, text: str, parameters: Sequence[Parameter]) -> ir.Function:
    """The function that `text` defines, in `module`; it returns a byte.

    Raises
    ------
    TypeError, NotImplementedError
        The text is not in the language.
    """
    (definition,) = ast.parse(text).body
    assert isinstance(definition, ast.FunctionDef)
    types = [t for kind in parameters for t in parameter_types(kind)]
    function = ir.Function(module, ir.FunctionType(BYTE, types), definition.name)
    function.linkage = "internal"
    function.attributes.add("nounwind")
    entry, start = function.append_basic_block("entry"), function.append_basic_block("start")
    builder = ir.IRBuilder(entry)
    builder.branch(start)  # room for variables is made before this
    builder.position_at_end(start)
    _Lowering(builder).function(definition, parameters, list(function.args))
    return function


class _Lowering:
    def __init__(self, builder: ir.IRBuilder) -> None:
        self.b = builder
        self.scope = _Scope()

    def function(
        self, definition: ast.FunctionDef, parameters: Sequence[Parameter], values: list[ir.Value]
    ) -> None:
        rest = iter(values)
        for arg, kind in zip(definition.args.args, parameters, strict=True):
            taken = [next(rest) for _ in parameter_types(kind)]
            if isinstance(kind, Array):
                data, shape, strides = taken[0], taken[1 : kind.ndim + 1], taken[kind.ndim + 1 :]
                self.scope.names[arg.arg] = _Memory(kind, data, tuple(shape), tuple(strides))
            else:
                self.assign(arg.arg, Operand(kind.dtype, tuple(taken)))

        def returns(answer: Answer) -> None:
            assert isinstance(answer, Operand)
            self.b.ret(cast(self.b, answer, "int8").value)

        self.scope.returns = returns
        self.block(definition.body)
        if not self.b.block.is_terminated:
            self.b.unreachable()

    # ------------------------------------------------------------------ statements

    def block(self, body: Sequence[ast.stmt]) -> None:
        for stmt in body:
            if self.b.block.is_terminated:
                return  # what follows a jump is never reached
            self.statement(stmt)

    def statement(self, stmt: ast.stmt) -> None:
        match stmt:
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                self.store(target, self.answer(value))
            case ast.AugAssign(target=ast.Name(id=name), op=ast.BitOr(), value=value) if (
                self.name(name).dtype == "bool"
            ):
                self.set_if(name, self.condition(value))
            case ast.AugAssign(target=target, op=op, value=value):
                here = self.value(_read(target))
                self.store(target, binary(self.b, _BINARY[type(op)], here, self.value(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(self.condition(test), body, orelse)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=args), body=body):
                self.counted(name, [self.integer(a) for a in args], body)
            case ast.While(test=test, body=body):
                self.endless(test, body)
            case ast.Break():
                self.b.branch(self.scope.loops[-1][0])
            case ast.Continue():
                self.b.branch(self.scope.loops[-1][1])
            case ast.Return(value=ast.expr() as value):
                assert self.scope.returns is not None
                self.scope.returns(self.answer(value))
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise _unknown(stmt)

    def store(self, target: ast.expr, answer: Answer) -> None:
        match target, answer:
            case ast.Tuple(elts=targets), tuple():
                for one, value in zip(targets, answer, strict=True):
                    self.store(one, value)
            case ast.Name(id=name), Operand():
                self.assign(name, answer)
            case ast.Subscript(), Operand():
                memory, place = self.element(target)
                value = cast(self.b, answer, memory.kind.dtype)
                intrinsics.put(self.b, value, place, None if memory.kind.aligned else 1)
            case _:
                raise _unknown(target)

    def assign(self, name: str, value: Operand) -> None:
        known = self.scope.names.get(name)
        if known is None:
            kind = intrinsics.stored_type(value.dtype)
            known = _Variable(value.dtype, tuple(local(self.b, kind) for _ in value.parts))
            self.scope.names[name] = known
        if isinstance(known, _Memory) or (known.dtype != value.dtype and value.literal is None):
            raise TypeError(f"{name} changes its type")
        value = cast(self.b, value, known.dtype)
        parts = [self.b.zext(value.value, BYTE)] if value.dtype == "bool" else value.parts
        for part, cell in zip(parts, known.cells, strict=True):
            self.b.store(part, cell)

    def set_if(self, name: str, test: ir.Value) -> None:
        """``name |= test`` in the form that LLVM knows how to do for several iterations at once."""
        known = self.scope.names[name]
        assert isinstance(known, _Variable)
        (cell,) = known.cells
        before = self.b.load(cell, typ=BYTE)
        self.b.store(self.b.select(test, BYTE(1), before), cell)

    def branch(
        self, test: ir.Value, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt] = ()
    ) -> None:
        then, end = self.new("then"), self.new("end")
        other = self.new("else") if orelse else end
        self.b.cbranch(test, then, other)
        for start, stmts in ((then, body), (other, orelse)):
            if start is not end:
                self.b.position_at_end(start)
                self.block(stmts)
                self.go(end)
        self.b.position_at_end(end)

    def endless(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, end = self.new("while"), self.new("body"), self.new("end")
        self.b.branch(head)
        self.b.position_at_end(head)
        self.b.cbranch(self.condition(test), inside, end)
        self.b.position_at_end(inside)
        self.inside((end, head), body)
        self.go(head)
        self.b.position_at_end(end)

    def counted(self, name: str, bounds: list[ir.Value], body: Sequence[ast.stmt]) -> None:
        """``for name in range(…)``, whose bounds and step stay within ``2**62``.

        LLVM knows the form: a test in front, then a variable that grows by the step until the end.
        """
        b = self.b
        start = bounds[0] if len(bounds) > 1 else WORD(0)
        stop = bounds[1] if len(bounds) > 1 else bounds[0]
        step = bounds[2] if len(bounds) > 2 else WORD(1)
        head, latch, end = self.new("for"), self.new("next"), self.new("end")
        before = b.block
        b.cbranch(self.goes_on(start, stop, step), head, end)
        b.position_at_end(head)
        turn = b.phi(WORD)
        turn.add_incoming(start, before)
        self.assign(name, Operand("int64", (turn,)))
        self.inside((end, latch), body)
        self.go(latch)
        b.position_at_end(latch)
        following = b.add(turn, step, flags=("nsw",))
        turn.add_incoming(following, latch)
        b.cbranch(self.goes_on(following, stop, step), head, end)
        b.position_at_end(end)

    def goes_on(self, at: ir.Value, stop: ir.Value, step: ir.Value) -> ir.Value:
        """Whether `at` is still before `stop`."""
        b = self.b
        if isinstance(step, ir.Constant):
            return b.icmp_signed("<" if step.constant > 0 else ">", at, stop)
        up = b.icmp_signed(">", step, WORD(0))
        return b.select(up, b.icmp_signed("<", at, stop), b.icmp_signed(">", at, stop))

    def inside(self, exits: tuple[ir.Block, ir.Block], body: Sequence[ast.stmt]) -> None:
        self.scope.loops.append(exits)
        self.block(body)
        self.scope.loops.pop()

    def new(self, name: str) -> ir.Block:
        return self.b.append_basic_block(name)

    def go(self, block: ir.Block) -> None:
        if not self.b.block.is_terminated:
            self.b.branch(block)

    # ------------------------------------------------------------------ expressions

    def value(self, expr: ast.expr) -> Operand:
        answer = self.answer(expr)
        if isinstance(answer, tuple):
            raise _unknown(expr)
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
                return unary(self.b, _UNARY[type(op)], self.value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return binary(self.b, _BINARY[type(op)], self.value(left), self.value(right))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.comparison([self.value(e) for e in (left, *others)], ops)
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
                memory, place = self.element(expr)
                align = None if memory.kind.aligned else 1
                return intrinsics.get(self.b, memory.kind.dtype, place, align)
            case ast.Attribute(value=value, attr="real" | "imag" as attr):
                z = self.value(value)
                dtype = {"complex64": "float32", "complex128": "float64"}[z.dtype]
                return Operand(dtype, (z.parts[attr == "imag"],))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.call(name, [self.value(a) for a in args])
        raise _unknown(expr)

    def name(self, name: str) -> Operand:
        if name in _CONSTANTS:
            return literal(_CONSTANTS[name])
        known = self.scope.names.get(name)
        if not isinstance(known, _Variable):
            raise TypeError(f"{name} has no value")
        kind = intrinsics.stored_type(known.dtype)
        parts = [self.b.load(cell, typ=kind) for cell in known.cells]
        if known.dtype == "bool":
            parts = [self.b.icmp_unsigned("!=", parts[0], BYTE(0))]
        return Operand(known.dtype, tuple(parts))

    def comparison(self, values: list[Operand], ops: list[ast.cmpop]) -> Operand:
        pairs = zip(values, values[1:], ops, strict=False)
        first, *rest = (compare(self.b, _COMPARE[type(op)], x, y) for x, y, op in pairs)
        for other in rest:
            first = binary(self.b, "&", first, other)
        return first

    def lazy(self, all_of: bool, values: Sequence[ast.expr]) -> Operand:
        """``and`` or ``or`` as truth; later values are evaluated only when they matter."""
        b, end = self.b, self.new("end")
        ways: list[tuple[ir.Value, ir.Block]] = []
        for value in values[:-1]:
            test, following = self.condition(value), self.new("and" if all_of else "or")
            ways.append((test, b.block))
            b.cbranch(test, *((following, end) if all_of else (end, following)))
            b.position_at_end(following)
        ways.append((self.condition(values[-1]), b.block))
        b.branch(end)
        b.position_at_end(end)
        found = b.phi(ways[0][0].type)
        for test, block in ways:
            found.add_incoming(test, block)
        return Operand("bool", (found,))

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

    def memory(self, name: str) -> _Memory:
        found = self.scope.names.get(name)
        if not isinstance(found, _Memory):
            raise TypeError(f"{name} is no array")
        return found

    def element(self, expr: ast.Subscript) -> tuple[_Memory, ir.Value]:
        """The array of ``array[i, j]`` and the address of the element."""
        if not isinstance(expr.value, ast.Name):
            raise _unknown(expr)
        memory, b = self.memory(expr.value.id), self.b
        indices = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
        values = [self.integer(e) for e in indices]
        if len(values) != memory.kind.ndim:
            raise _unknown(expr)
        dense = {"C": memory.kind.ndim - 1, "F": 0}.get(memory.kind.layout)
        place = memory.data
        for axis, value in enumerate(values):
            if axis != dense:
                offset = b.mul(value, memory.strides[axis])
                place = b.gep(place, [offset], inbounds=True, source_etype=BYTE)
        if dense is not None:
            place = b.gep(place, [values[dense]], inbounds=True, source_etype=_cell(memory.kind))
        return memory, place

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
        return self.inlined(_definition(name), args)

    def inlined(self, definition: ast.FunctionDef, args: list[Operand]) -> Answer:
        """The answer of a helper, whose statements are lowered here and now."""
        around, self.scope = self.scope, _Scope()
        for arg, value in zip(definition.args.args, args, strict=True):
            self.assign(arg.arg, value)
        end, found = self.new("returned"), _Scope()
        count = 1

        def returns(answer: Answer) -> None:
            nonlocal count
            parts = answer if isinstance(answer, tuple) else (answer,)
            inner, self.scope = self.scope, found
            for k, part in enumerate(parts):
                self.assign(str(k), part)
            self.scope, count = inner, len(parts)
            self.b.branch(end)

        self.scope.returns = returns
        self.block(definition.body)
        self.b.position_at_end(end)
        self.scope = found
        answers = tuple(self.name(str(k)) for k in range(count))
        self.scope = around
        return answers if count > 1 else answers[0]


def _cell(kind: Array) -> ir.Type:
    """LLVM type that is as long as one element."""
    element = BYTE if kind.dtype == "bool" else part_type(kind.dtype)
    return ir.ArrayType(element, 2) if kind.dtype.startswith("complex") else element


@functools.cache
def _definition(name: str) -> ast.FunctionDef:
    function = getattr(helpers, name, None)
    if not inspect.isfunction(function):
        raise NameError(f"kernel text calls {name}, which is not known")
    (definition,) = ast.parse(inspect.getsource(function)).body
    assert isinstance(definition, ast.FunctionDef)
    return definition


def _read(target: ast.expr) -> ast.expr:
    """The same place, read instead of written."""
    return ast.parse(ast.unparse(target), mode="eval").body


def _unknown(node: ast.AST) -> NotImplementedError:
    return NotImplementedError(f"not in the language of kernels: {ast.unparse(node)}")
