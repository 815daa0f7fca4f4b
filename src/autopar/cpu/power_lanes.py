"""Powers of several numbers side by side in LLVM's words, with the bits of C's ``pow``.

See `cpu.powers` for which powers these are, and why the test says what ``pow`` answers.
"""

from __future__ import annotations

from llvmlite import ir

from autopar.cpu.operands import BOOL, WORD, Operand, cast, declared, intrinsic, local
from autopar.cpu.outside import PREFIX

AT_ONCE = 8
"""Powers of a strip that are found at once."""

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


def many_powers(b: ir.IRBuilder, exponent: float, count: ir.Value, rooms: list[ir.Value]) -> None:
    """The same of `count` doubles.

    They are found `AT_ONCE` at a time: that many more are stored behind those that are given, and
    may be behind what is found.
    """
    given, found = rooms
    double = ir.DoubleType()
    kind = ir.VectorType(double, AT_ONCE)
    b.store(ir.Constant(kind, [double(1.0)] * AT_ONCE), _at(b, given, count), align=8)
    before = b.block
    head, body = b.append_basic_block("strip"), b.append_basic_block("lanes")
    end = b.append_basic_block("all")
    b.branch(head)
    b.position_at_end(head)
    at = b.phi(WORD)
    at.add_incoming(WORD(0), before)
    b.cbranch(b.icmp_signed("<", at, count), body, end)
    b.position_at_end(body)
    lanes = _Lanes(b, b.load(_at(b, given, at), typ=kind, align=8))
    b.store(lanes.powers(exponent), _at(b, found, at), align=8)
    at.add_incoming(b.add(at, WORD(AT_ONCE)), b.block)
    b.branch(head)
    b.position_at_end(end)


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

    def powers(self, exponent: float) -> ir.Value:
        """C's ``pow`` of each lane, which is called where nobody knows what it answers."""
        b, x, kind, all_of = self.b, self.x, self.kind, self.all_of
        word = ir.IntType(kind.count)
        high, low = self.sum(exponent)
        size = high if exponent % 2 == 0 else self.magnitude(high)
        bound, border = all_of(1.653e-18), all_of(2.4e-35)
        away = self.fma(size, self.fma(size, border, bound), border)
        away = b.fadd(self.magnitude(low), away)
        same = b.fcmp_ordered("==", b.fadd(high, away), b.fsub(high, away))
        start = b.block
        rest, end = b.append_basic_block("rest"), b.append_basic_block("powers")
        b.cbranch(b.icmp_unsigned("==", b.bitcast(same, word), word(-1)), end, rest)
        b.position_at_end(rest)
        near = b.fcmp_ordered("==", b.fadd(high, b.fmul(low, all_of(1.125))), high)
        least, most = (1e-280, 1e300) if exponent == 2 else (1e-100, 1e100)
        inside = b.and_(
            b.fcmp_ordered(">", size, all_of(least)), b.fcmp_ordered("<", size, all_of(most))
        )
        sure = b.or_(same, b.and_(inside, near))
        nothing = b.fcmp_ordered("==", x, all_of(0.0))
        if exponent > 0:
            sure = b.or_(sure, nothing)
        left = b.not_(b.bitcast(sure, word))
        known = b.select(nothing, x if exponent == 3 else all_of(0.0), high)
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
        answer.add_incoming(high, start)
        answer.add_incoming(known, rest)
        answer.add_incoming(mended, done)
        return answer
