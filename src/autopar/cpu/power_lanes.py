"""Powers of several numbers side by side in LLVM's words, with the bits of C's ``pow``.

See `cpu.powers` for which powers these are, and why the test says what ``pow`` answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from autopar.cpu.operands import BOOL, POINTER, WORD, Operand, cast, declared, intrinsic, local
from autopar.cpu.outside import PREFIX
from autopar.cpu.powers import PLAIN

AT_ONCE = 8
"""Powers of a strip that are found at once."""
MOST = 512
"""Powers of a strip, at the most."""

_BYTE, _NUMBER = ir.IntType(8), ir.IntType(16)
_TABLE = "numbers_of_bits"

_Sum = tuple[ir.Value, ir.Value]
"""A number and what it has been rounded by: vectors."""


def powers(exponent: float, b: ir.IRBuilder, args: list[Operand]) -> Operand | tuple[Operand, ...]:
    """C's ``pow(x, exponent)`` of each argument."""
    lanes = 1 << (len(args) - 1).bit_length()
    double, at = ir.DoubleType(), ir.IntType(32)
    x: ir.Value = ir.Constant(ir.VectorType(double, lanes), [double(1.0)] * lanes)
    for k, arg in enumerate(args):
        x = b.insert_element(x, cast(b, arg, "float64").value, at(k))
    found = _Lanes(b, x).powers(exponent)
    made = tuple(Operand("float64", (b.extract_element(found, at(k)),)) for k in range(len(args)))
    return made if len(made) > 1 else made[0]


def many_powers(b: ir.IRBuilder, word: str, count: ir.Value, rooms: list[ir.Value]) -> None:
    """The power that `word` stands for of `count` doubles, `MOST` at the most.

    They are found `AT_ONCE` at a time: that many more are stored behind those that are given, and
    may be behind what is found.
    """
    name = f"many_{word}"
    function = b.module.globals.get(name)
    if function is None:
        kind = ir.FunctionType(ir.VoidType(), [WORD, POINTER, POINTER])
        function = ir.Function(b.module, kind, name)
        function.linkage = "internal"
        function.attributes.add("nounwind")
        function.attributes.add("noinline")  # kernels with many of them remain in the cache
        inside = ir.IRBuilder(function.append_basic_block("entry"))
        start = function.append_basic_block("start")
        inside.branch(start)
        inside.position_at_end(start)
        _strip(inside, PLAIN[word], *function.args)
        inside.ret_void()
    b.call(function, [count, *rooms])


def _strip(
    b: ir.IRBuilder, exponent: float, count: ir.Value, given: ir.Value, found: ir.Value
) -> None:
    """Powers of a strip.

    A branch for those that ``pow`` is asked for would be foreseen by no processor: they are noted,
    without one, and asked for behind the others.  The ones at the end are never among them: their
    powers are exact.
    """
    double, one = ir.DoubleType(), ir.VectorType(ir.DoubleType(), 1)
    kind = ir.VectorType(double, AT_ONCE)
    noted = local(b, ir.ArrayType(_NUMBER, MOST + AT_ONCE))
    b.store(ir.Constant(kind, [double(1.0)] * AT_ONCE), _at(b, given, count), align=8)
    left = local(b, WORD)
    b.store(WORD(0), left)
    with _counting(b, count, AT_ONCE) as at:
        lanes = _Lanes(b, b.load(_at(b, given, at), typ=kind, align=8))
        sure, known = lanes.sure(exponent, lanes.sum(exponent))
        b.store(known, _at(b, found, at), align=8)
        so_far = b.load(left, typ=WORD)
        unsure = b.not_(b.bitcast(sure, _BYTE))
        _note(b, unsure, at, b.gep(noted, [so_far], source_etype=_NUMBER))
        bits = b.call(declared(b.module, "llvm.ctpop.i8", _BYTE, [_BYTE]), [unsure])
        b.store(b.add(so_far, b.zext(bits, WORD)), left)
    with _counting(b, b.load(left, typ=WORD), 1) as k:
        where = b.gep(noted, [k], source_etype=_NUMBER)
        number = b.zext(b.load(where, typ=_NUMBER), WORD)
        # The last are ones behind those that are given.
        lanes = _Lanes(b, b.load(_at(b, given, number), typ=one, align=8))
        b.store(lanes.powers(exponent), _at(b, found, number), align=8)


@contextmanager
def _counting(b: ir.IRBuilder, stop: ir.Value, step: int) -> Iterator[ir.Value]:
    """A loop from 0 to `stop`; what is built while it waits is its body."""
    before = b.block
    head, body = b.append_basic_block("head"), b.append_basic_block("body")
    end = b.append_basic_block("end")
    b.branch(head)
    b.position_at_end(head)
    at = b.phi(WORD)
    at.add_incoming(WORD(0), before)
    b.cbranch(b.icmp_signed("<", at, stop), body, end)
    b.position_at_end(body)
    yield at
    at.add_incoming(b.add(at, WORD(step)), b.block)
    b.branch(head)
    b.position_at_end(end)


def _note(b: ir.IRBuilder, bits: ir.Value, at: ir.Value, where: ir.Value) -> None:
    """Store the numbers of the bits that are set, from `at` on, and others behind them."""
    few, many = ir.VectorType(_BYTE, AT_ONCE), ir.VectorType(_NUMBER, AT_ONCE)
    table = b.module.globals.get(_TABLE)
    if table is None:
        rows = [[k for k in range(AT_ONCE) if row >> k & 1] for row in range(1 << AT_ONCE)]
        kind = ir.ArrayType(few, len(rows))
        table = ir.GlobalVariable(b.module, kind, _TABLE)
        table.linkage, table.global_constant = "internal", True
        filled = [ir.Constant(few, row + [0] * (AT_ONCE - len(row))) for row in rows]
        table.initializer = ir.Constant(kind, filled)
    row = b.load(b.gep(table, [b.zext(bits, WORD)], source_etype=few), typ=few, align=8)
    first = b.insert_element(ir.Constant(many, ir.Undefined), b.trunc(at, _NUMBER), WORD(0))
    splat = ir.Constant(ir.VectorType(ir.IntType(32), AT_ONCE), [0] * AT_ONCE)
    numbers = b.add(b.zext(row, many), b.shuffle_vector(first, first, splat))
    b.store(numbers, where, align=2)


def _at(b: ir.IRBuilder, room: ir.Value, number: ir.Value) -> ir.Value:
    return b.gep(room, [number], source_etype=ir.DoubleType())


class _Lanes:
    """Arithmetic on the lanes of a vector of doubles, `x`."""

    def __init__(self, b: ir.IRBuilder, x: ir.Value) -> None:
        self.b, self.x, self.kind = b, x, x.type

    def all_of(self, value: float) -> ir.Value:
        return ir.Constant(self.kind, [self.kind.element(value)] * self.kind.count)

    def fma(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        return self.b.call(intrinsic(self.b, "fma", self.kind, 3), [x, y, z])

    def magnitude(self, x: ir.Value) -> ir.Value:
        return self.b.call(intrinsic(self.b, "fabs", self.kind), [x])

    def product(self, x: ir.Value, y: ir.Value) -> _Sum:
        high = self.b.fmul(x, y)
        return high, self.fma(x, y, self.b.fneg(high))

    def times(self, one: _Sum, other: _Sum) -> _Sum:
        """A product but for some 2**-104 of it."""
        b = self.b
        high, low = self.product(one[0], other[0])
        low = b.fadd(low, self.fma(one[0], other[1], b.fmul(one[1], other[0])))
        total = b.fadd(high, low)
        return total, b.fsub(low, b.fsub(total, high))

    def root(self) -> _Sum:
        b = self.b
        root = b.call(intrinsic(b, "sqrt", self.kind), [self.x])
        rest = self.fma(b.fneg(root), root, self.x)
        return root, b.fdiv(rest, b.fadd(root, root))

    def sum(self, exponent: float) -> _Sum:
        """The power as a sum, if it is in the middle of the range of doubles."""
        b, x = self.b, (self.x, self.all_of(0.0))
        if exponent == 0.5:
            return self.root()
        if exponent == 1.5:
            return self.times(self.root(), x)
        if exponent == -1:
            inverse = b.fdiv(self.all_of(1.0), self.x)
            return inverse, b.fdiv(self.fma(b.fneg(inverse), self.x, self.all_of(1.0)), self.x)
        if exponent == 2:
            return self.product(self.x, self.x)
        if exponent == 3:
            return self.times(self.product(self.x, self.x), x)
        half = self.sum(exponent / 2)
        return self.times(half, half)

    def sure(self, exponent: float, power: _Sum) -> tuple[ir.Value, ir.Value]:
        """Where `power` is rounded to what ``pow`` answers, as a vector of bits, and that."""
        b, (high, low), all_of = self.b, power, self.all_of
        size = high if exponent % 2 == 0 else self.magnitude(high)
        bound, border = all_of(1.653e-18), all_of(2.4e-35)
        away = self.fma(size, self.fma(size, border, bound), border)
        away = b.fadd(self.magnitude(low), away)
        same = b.fcmp_ordered("==", b.fadd(high, away), b.fsub(high, away))
        if exponent < 0:
            return same, high
        nothing = b.fcmp_ordered("==", self.x, all_of(0.0))
        known = b.select(nothing, self.x if exponent == 3 else all_of(0.0), high)
        return b.or_(same, nothing), known

    def powers(self, exponent: float) -> ir.Value:
        """C's ``pow`` of each lane, which is called where nobody knows what it answers."""
        b, x, kind, all_of = self.b, self.x, self.kind, self.all_of
        word = ir.IntType(kind.count)
        power = self.sum(exponent)
        high, low = power
        same, known = self.sure(exponent, power)
        start = b.block
        rest, end = b.append_basic_block("rest"), b.append_basic_block("powers")
        b.cbranch(b.icmp_unsigned("==", b.bitcast(same, word), word(-1)), end, rest)
        b.position_at_end(rest)
        near = b.fcmp_ordered("==", b.fadd(high, b.fmul(low, all_of(1.125))), high)
        least, most = (1e-280, 1e300) if exponent == 2 else (1e-100, 1e100)
        size = self.magnitude(high)
        inside = b.and_(
            b.fcmp_ordered(">", size, all_of(least)), b.fcmp_ordered("<", size, all_of(most))
        )
        left = b.not_(b.bitcast(b.or_(same, b.and_(inside, near)), word))
        given, found = local(b, kind), local(b, kind)
        b.store(x, given)
        b.store(known, found)
        one, done = b.append_basic_block("one"), b.append_basic_block("done")
        b.cbranch(b.icmp_unsigned("==", left, word(0)), end, one)
        b.position_at_end(one)
        still = b.phi(word)
        still.add_incoming(left, rest)
        lane = b.zext(b.cttz(still, BOOL(1)), WORD) if kind.count > 1 else WORD(0)
        operand = b.load(_at(b, given, lane), typ=kind.element)
        pow_ = declared(b.module, f"{PREFIX}libm_pow", kind.element, [kind.element] * 2)
        b.store(b.call(pow_, [operand, kind.element(exponent)]), _at(b, found, lane))
        fewer = b.and_(still, b.sub(still, word(1)))
        still.add_incoming(fewer, b.block)
        b.cbranch(b.icmp_unsigned("==", fewer, word(0)), done, one)
        b.position_at_end(done)
        mended = b.load(found, typ=kind)
        b.branch(end)
        b.position_at_end(end)
        answer = b.phi(kind)
        answer.add_incoming(known, start)
        answer.add_incoming(known, rest)
        answer.add_incoming(mended, done)
        return answer
