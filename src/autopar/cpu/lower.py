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
import re
from collections.abc import Collection, Sequence

from llvmlite import ir

from autopar.cpu import gemm, helpers, intrinsics, machine, metadata
from autopar.cpu.eager import Place, certainly, harmless, reached
from autopar.cpu.evaluate import (
    BINARY,
    Array,
    Evaluation,
    Memory,
    Number,
    Parameter,
    Scope,
    Variable,
    borrowed,
    given_back,
    parameter_types,
    room,
    unknown,
)
from autopar.cpu.intrinsics import Answer
from autopar.cpu.operands import (
    BYTE,
    POINTER,
    RELAXED,
    WORD,
    Operand,
    binary,
    cast,
    compare,
    fitted,
    literal,
    local,
)
from autopar.nest.trees import every

# Of these, what is loaded and stored again is what it was.
_PLAIN = frozenset(f"{kind}{size}" for kind in ("int", "uint") for size in (8, 16, 32, 64))
_PLAIN |= {"float32", "float64"}

__all__ = ["Array", "Number", "Parameter", "lower"]


def lower(
    module: ir.Module,
    definition: ast.FunctionDef,
    parameters: Sequence[Parameter],
    relaxed: bool = False,
    apart: Collection[int] = (),
    named: bool = False,
) -> ir.Function:
    """What kernel text defines as a function in `module`; it returns a byte.

    Parameters
    ----------
    relaxed
        Whether its operations on floats may be done in another order and rounded less often; those
        of comparisons and of what it calls are done as they stand, since they look for what went
        wrong or make up for roundings.
    apart
        Which parameters are arrays of which no two share memory.
    named
        Whether loops are to be known by their variables in LLVM's code.

    Raises
    ------
    TypeError, NotImplementedError
        The text is not in the language.
    """
    types = [t for kind in parameters for t in parameter_types(kind)]
    function = ir.Function(module, ir.FunctionType(BYTE, types), definition.name)
    function.linkage = "internal"
    function.attributes.add("nounwind")
    entry, start = function.append_basic_block("entry"), function.append_basic_block("start")
    builder = ir.IRBuilder(entry)
    builder.branch(start)  # room for variables is made before this
    builder.position_at_end(start)
    values = iter(function.args)
    for k, kind in enumerate(parameters):
        first, *_ = [next(values) for _ in parameter_types(kind)]
        if k in apart:
            first.add_attribute("noalias")
    lowering = _Lowering(builder, RELAXED if relaxed else ())
    lowering.named = named
    lowering.function(definition, parameters, list(function.args))
    return function


class _Lowering(Evaluation):
    """Statements of one function."""

    held: frozenset[str] = frozenset()
    """Cells of which a condition in the block at hand may decide what is stored there."""
    around: tuple[ast.For, ...] = ()
    """The loops around the statement at hand."""
    reached: frozenset[Place] = frozenset()
    """Subscripts that are within bounds, since the statement at hand comes after an access."""
    given: frozenset[str] = frozenset()
    """Arrays that the function is called with."""
    named = False
    """Whether loops are to be known by their variables."""

    def function(
        self, definition: ast.FunctionDef, parameters: Sequence[Parameter], values: list[ir.Value]
    ) -> None:
        self.signs = frozenset(filter(None, map(_signed, every(definition))))
        self.given = frozenset(arg.arg for arg in definition.args.args)
        rest = iter(values)
        for arg, kind in zip(definition.args.args, parameters, strict=True):
            taken = [next(rest) for _ in parameter_types(kind)]
            if isinstance(kind, Array):
                data, shape, strides = taken[0], taken[1 : kind.ndim + 1], taken[kind.ndim + 1 :]
                self.scope.names[arg.arg] = Memory(kind, data, tuple(shape), tuple(strides))
            else:
                self.assign(arg.arg, Operand(kind.dtype, tuple(taken)))

        def returns(answer: Answer) -> None:
            assert isinstance(answer, Operand)
            status = cast(self.b, answer, "int8").value
            if leaving is None:
                self.b.ret(status)
                return
            found.add_incoming(status, self.b.block)
            self.b.branch(leaving)

        leaving = None
        if any(map(_borrows, every(definition))):
            # Whichever way it ends, what it has borrowed by then is given back.
            start, leaving = self.b.block, self.new("leave")
            self.b.position_at_end(leaving)
            found = self.b.phi(BYTE)
            self.b.position_at_end(start)
        self.scope.returns = returns
        self.block(definition.body)
        if not self.b.block.is_terminated:
            self.b.unreachable()
        if leaving is not None:
            self.b.position_at_end(leaving)
            for kept in self.scope.borrowed.values():
                given_back(self.b, kept)
            self.b.ret(found)

    def borrow(self, name: str, dtype: str, shape: list[ir.Value]) -> None:
        """Name an array of the function's own, as long as it is there."""
        b = self.b
        kept = local(b, POINTER)
        with b.goto_entry_block():
            b.store(POINTER(None), kept)
        self.scope.borrowed[name] = kept
        self.scope.names[name] = borrowed(b, kept, dtype, shape)

    # ------------------------------------------------------------------ statements

    def block(self, body: Sequence[ast.stmt]) -> None:
        before, held = self.held, _decided(body)
        if held and machine.masks_stores():
            held = frozenset(filter(self.comes_again, held))
        self.held = held
        for place, stmt in enumerate(body):
            if self.b.block.is_terminated:
                break  # what follows a jump is never reached
            self.reached = self.proved(body[:place]) if _lazy(stmt) else frozenset()
            self.statement(stmt)
        self.held, self.reached = before, frozenset()

    def statement(self, stmt: ast.stmt) -> None:
        match stmt:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Name(id="room_"),
                    args=[ast.Constant(value=str() as dtype), ast.Constant(value=int() as length)],
                ),
            ):
                self.scope.names[name] = room(self.b, dtype, length)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Name(id="borrowed_"),
                    args=[ast.Constant(value=str() as dtype), *extents],
                ),
            ):
                self.borrow(name, dtype, [self.integer(extent) for extent in extents])
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                self.store(target, self.answer(value))
            case ast.AugAssign(value=ast.Compare(left=left)) if (
                name := _signed(stmt)
            ) and self.name(name).dtype == "bool":
                flags, self.flags = self.flags, ()
                self.set_by_sign(name, self.value(left))
                self.flags = flags
            case ast.AugAssign(target=ast.Name(id=name), op=ast.BitOr(), value=value) if (
                self.name(name).dtype == "bool"
            ):
                self.set_if(name, self.condition(value))
            case ast.AugAssign(target=target, op=op, value=value):
                here = self.value(_read(target))
                more = self.value(value)
                self.store(target, binary(self.b, BINARY[type(op)], here, more, self.flags))
            case ast.If(
                test=test,
                body=[*before, ast.Assign(targets=[ast.Subscript() as cell], value=value)],
            ) if self.always(stmt, cell):
                self.update(test, before, cell, value)
            case ast.If(test=ast.Call(func=ast.Name(id="together_" | "words_")), orelse=orelse):
                # Threads have no memory of their own that they share, and LLVM makes vectors.
                self.block(orelse)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(self.condition(test), body, orelse)
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(ast.Name(order), args=args), body=body
            ):
                apart = order == "apart_" and not any(map(_loops, body))
                around, self.around = self.around, (*self.around, stmt)
                self.counted(name, [self.integer(a) for a in args], body, apart)
                self.around = around
            case ast.While(test=test, body=body):
                self.endless(test, body)
            case ast.Break():
                self.b.branch(self.scope.loops[-1][0])
            case ast.Continue():
                self.b.branch(self.scope.loops[-1][1])
            case ast.Return(value=ast.expr() as value):
                assert self.scope.returns is not None
                self.scope.returns(self.answer(value))
            case ast.Expr(
                value=ast.Call(
                    func=ast.Name(id="many_"),
                    args=[ast.Constant(value=str() as name), count, *names],
                )
            ):
                rooms = [self.memory(n.id) for n in names if isinstance(n, ast.Name)]
                intrinsics.many(self.b, name, self.integer(count), [room.data for room in rooms])
            case ast.Expr(
                value=ast.Call(
                    func=ast.Name(id="product_"),
                    args=[ast.Constant(value=str() as name), m, k, p, *corners],
                )
            ):
                counts = [self.integer(n) for n in (m, k, p)]
                intrinsics.product(self.b, name, counts, list(map(self.corner, corners)))
            case ast.Expr(
                value=ast.Call(
                    func=ast.Name(id="gemm_" | "gemv_" as word),
                    args=[ast.Constant(value=str() as name), *counts, factor, kept, a, b, c],
                )
            ):
                sizes = [self.integer(n) for n in counts]
                numbers = [self.value(x) for x in (factor, kept)]
                work = gemm.product if word == "gemm_" else gemm.with_vector
                work(self.b, name, sizes, numbers, [self.corner(e) for e in (a, b, c)])
            case ast.Expr(value=ast.Call(func=ast.Name(id="give_back_"), args=[ast.Name(id=name)])):
                given_back(self.b, self.scope.borrowed[name])
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise unknown(stmt)

    def store(self, target: ast.expr, answer: Answer) -> None:
        match target, answer:
            case ast.Tuple(elts=targets), tuple():
                for one, value in zip(targets, answer, strict=True):
                    self.store(one, value)
            case ast.Name(id=name), Operand():
                self.assign(name, answer)
            case ast.Subscript(), Operand():
                memory, place = self.element(target)
                value = fitted(self.b, answer, memory.kind.dtype)
                intrinsics.put(self.b, value, place, None if memory.kind.aligned else 1)
            case _:
                raise unknown(target)

    def call(self, name: str, args: list[Operand]) -> Answer:
        if name == "traced_":
            return intrinsics.traced(self.b, args, any(map(_in_order, self.around[-1:])))
        return super().call(name, args)

    def set_if(self, name: str, test: ir.Value) -> None:
        """``name |= test`` in the form that LLVM knows how to do for several iterations at once."""
        known = self.scope.names[name]
        assert isinstance(known, Variable)
        (cell,) = known.cells
        before = self.b.load(cell, typ=BYTE)
        self.b.store(self.b.select(test, BYTE(1), before), cell)

    def proved(self, before: Sequence[ast.stmt]) -> frozenset[Place]:
        """Subscripts within bounds after `before`, of arrays whose cells all have values.

        Of what the kernel itself makes room for, one may never have been stored.
        """
        return frozenset(place for place in reached(before) if place[0] in self.given)

    def harmless(self, expr: ast.expr) -> bool:
        return harmless(expr, self.reached)

    def set_by_sign(self, name: str, x: Operand) -> None:
        """``name |= x < 0``, where LLVM need not look at each `x`, but at all of them at once."""
        known = self.scope.names[name]
        assert isinstance(known, Variable)
        if known.sign is None or x.dtype != "int64":
            self.set_if(name, compare(self.b, "<", x, literal(0)).value)
            return
        self.b.store(self.b.or_(self.b.load(known.sign, typ=WORD), x.value), known.sign)

    def loaded(self, expr: ast.Subscript) -> Operand:
        found = super().loaded(expr)
        if self.held and found.dtype in _PLAIN and ast.unparse(expr) in self.held:
            return intrinsics.settled(self.b, found)
        return found

    def comes_again(self, cell: str) -> bool:
        """Whether the loop around the innermost one comes to `cell` in each of its iterations.

        A load waits for a store to the same place that has been masked, but not for a whole one.
        """
        if len(self.around) < 2:
            return False
        outer, inner = self.around[-2:]
        assigned = {
            node.id
            for node in every(outer)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        known = {node.id for node in every(inner.target) if isinstance(node, ast.Name)}
        return not (assigned - known) & set(re.findall(r"\w+", cell))

    def always(self, stmt: ast.If, cell: ast.Subscript) -> bool:
        """Whether to store into `cell` in any case, and be it what it is: see `update`.

        The nest may store there, so nobody else looks; and the condition has just read it.
        """
        if (
            stmt.orelse
            or not isinstance(stmt.test, ast.Compare)
            or ast.unparse(cell) not in self.held
        ):
            return False
        *before, _ = stmt.body
        assigned = {name for one in before for name in _named(one)}
        if not all(map(_named, before)) or not isinstance(cell.value, ast.Name):
            return False
        if any(isinstance(e, ast.Name) and e.id in assigned for e in every(cell)):
            return False
        here = ast.unparse(cell)
        read = any(ast.unparse(part) == here for part in certainly(stmt.test))
        return read and self.memory(cell.value.id).kind.dtype in _PLAIN

    def update(
        self, test: ast.expr, before: Sequence[ast.stmt], cell: ast.Subscript, value: ast.expr
    ) -> None:
        """``if test: …; cell = value``, where what stays is stored as well.

        LLVM does several iterations at once where it need not store some of their elements alone.
        """
        decided = self.condition(test)
        memory, place = self.element(cell)
        dtype, align = memory.kind.dtype, None if memory.kind.aligned else 1
        old = self.loaded(cell)
        start, then, end = self.b.block, self.new("then"), self.new("end")
        self.b.cbranch(decided, then, end)
        self.b.position_at_end(then)
        self.block(before)
        new = fitted(self.b, self.value(value), dtype)
        done = self.b.block
        self.b.branch(end)
        self.b.position_at_end(end)
        parts = []
        for one, other in zip(new.parts, old.parts, strict=True):
            part = self.b.phi(one.type)
            part.add_incoming(one, done)
            part.add_incoming(other, start)
            parts.append(part)
        intrinsics.put(self.b, Operand(dtype, tuple(parts)), place, align)

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

    def counted(
        self, name: str, bounds: list[ir.Value], body: Sequence[ast.stmt], apart: bool
    ) -> None:
        """``for name in range(…)``, whose bounds and step stay within ``2**62``.

        LLVM is told of iterations that are `apart`: it need not ask, at each start of the loop,
        whether arrays lie in the way of one another.

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
        known = len(b.function.blocks)
        self.inside((end, latch), body)
        self.go(latch)
        b.position_at_end(latch)
        following = b.add(turn, step, flags=("nsw",))
        turn.add_incoming(following, latch)
        back = b.cbranch(self.goes_on(following, stop, step), head, end)
        if apart:
            metadata.apart(b.module, back, [head, *b.function.blocks[known:]])
        if self.named:
            metadata.named(b.module, back, name)
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

    def go(self, block: ir.Block) -> None:
        if not self.b.block.is_terminated:
            self.b.branch(block)

    # ------------------------------------------------------------------ helpers

    def helper(self, name: str, args: list[Operand]) -> Answer:
        """The answer of a helper, whose statements are lowered here and now."""
        definition = definition_of(name)
        around, self.scope = self.scope, Scope()
        flags, self.flags = self.flags, ()
        for arg, value in zip(definition.args.args, args, strict=True):
            self.assign(arg.arg, value)
        end, found = self.new("returned"), Scope()
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
        self.scope, self.flags = around, flags
        return answers if count > 1 else answers[0]


@functools.cache
def definition_of(name: str) -> ast.FunctionDef:
    """The helper of that name as kernel text."""
    function = getattr(helpers, name, None)
    if not inspect.isfunction(function):
        raise NameError(f"kernel text calls {name}, which is not known")
    (definition,) = ast.parse(inspect.getsource(function)).body
    assert isinstance(definition, ast.FunctionDef)
    return definition


def _borrows(node: ast.AST) -> bool:
    """Whether memory is taken there that must be given back."""
    return isinstance(node, ast.Name) and node.id == "borrowed_"


def _loops(stmt: ast.stmt) -> bool:
    return any(isinstance(node, ast.For | ast.While) for node in every(stmt))


def _in_order(loop: ast.For) -> bool:
    """Whether an iteration may depend on the one before."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="apart_")):
            return False
    return True


def _signed(node: ast.AST) -> str:
    """The flag that `node` puts up where something is below zero; empty where it is not that."""
    match node:
        case ast.AugAssign(
            target=ast.Name(id=name),
            op=ast.BitOr(),
            value=ast.Compare(ops=[ast.Lt()], comparators=[ast.Constant(value=int(bound))]),
        ) if bound == 0:
            return name
    return ""


def _decided(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Cells that `body` stores in, of which it may depend on a condition what is stored."""
    ifs = [stmt for stmt in body if isinstance(stmt, ast.If)]
    stores = [*body, *(stmt.body[-1] for stmt in ifs)] if ifs else []
    return frozenset(
        ast.unparse(stmt.targets[0])
        for stmt in stores
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript)
    )


def _lazy(stmt: ast.stmt) -> bool:
    """Whether `stmt` decides by an ``and`` or ``or``."""
    match stmt:
        case ast.If(test=decides) | ast.Assign(value=decides):
            return any(isinstance(part, ast.BoolOp) for part in every(decides))
    return False


def _named(stmt: ast.stmt) -> list[str]:
    """The variables that `stmt` assigns; none where it does anything else."""
    match stmt:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _read(target: ast.expr) -> ast.expr:
    """The same place, read instead of written."""
    return ast.parse(ast.unparse(target), mode="eval").body
