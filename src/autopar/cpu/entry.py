"""The function through which Python calls a kernel.

It takes NumPy arrays and numbers as they are, reads what the kernel needs out of the objects
themselves, and lets other Python threads run meanwhile.  The caller has checked all types: nothing
is converted and nothing is looked at twice, which makes a call cost a fraction of a microsecond.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from autopar.cpu import intrinsics
from autopar.cpu.capi import C_API
from autopar.cpu.lower import Array, Number, Parameter
from autopar.cpu.operands import BYTE, POINTER, WORD, declared, local
from autopar.cpu.structs import DATA, HEAD, SHAPE, STRIDES
from autopar.cpu.team import NOTED, THREADS, TOGETHER
from autopar.records import dataclass


@dataclass(frozen=True, slots=True)
class Cut:
    """How iterations become chunks; see `kernel.Kernel`.

    Attributes
    ----------
    outer
        Where the variables of loops around it begin among the parameters.
    """

    grain: int
    backwards: bool
    outer: int


def add(
    module: ir.Module,
    name: str,
    kernel: ir.Function,
    parameters: Sequence[Parameter],
    cut: Cut | None = None,
    own: Sequence[int] = (),
) -> None:
    """Define ``PyObject *name(PyObject *self, PyObject **args, ssize_t n)`` in `module`.

    It returns the status as a Python int, or raises what `int` arguments of more than 64 bits do.

    One that is `cut` into chunks, in parallel, begins with four integers: the address of the word
    that stops it, a chunk, and the iterations where that begins and ends.  With ``-count`` for the
    chunk, the address of a team's memory, and the number of iterations, the team runs them all as
    `count` chunks; then a bit is set in what is returned for each status that there was.  Where
    each chunk has arrays of its `own`, at these places, one more argument is the address of a table
    with a row for each chunk: of the memory of these arrays, which differ in nothing else from
    those given; 0: they are those.

    With less than no iterations, nothing is run: in place of a team's the address is that of memory
    in which all of this is noted for `team.STEPS`, see `team.NOTED`.
    """
    kind = ir.FunctionType(POINTER, [POINTER, POINTER, WORD])
    function = ir.Function(module, kind, name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    _Entry(builder).write(kernel, parameters, cut, own)


_TABLE = Number("int", "int64")
_CHUNK = 1, 4  # where chunk, beginning and end stand among the arguments


class _Entry:
    def __init__(self, builder: ir.IRBuilder) -> None:
        self.b = builder

    def api(self, name: str, *args: ir.Value) -> ir.Value:
        return self.b.call(declared(self.b.module, name, *C_API[name]), args)

    def at(self, base: ir.Value, offset: int) -> ir.Value:
        return self.b.gep(base, [WORD(offset)], inbounds=True, source_etype=BYTE)

    def write(
        self,
        kernel: ir.Function,
        parameters: Sequence[Parameter],
        cut: Cut | None,
        own: Sequence[int],
    ) -> None:
        b = self.b
        args: list[ir.Value] = []
        places: list[int] = []  # of the memory of arrays that each chunk has of its own
        outer = 0
        for k, kind in enumerate(parameters):
            if cut is not None and k == cut.outer:
                outer = len(args)
            obj = self.given(k)
            places += [len(args)] if k in own else []
            args += self.array(obj, kind) if isinstance(kind, Array) else self.number(obj, kind)
        if cut is not None:
            all_at_once, one = b.append_basic_block("all"), b.append_basic_block("one")
            b.cbranch(b.icmp_signed("<", args[_CHUNK[0]], WORD(0)), all_at_once, one)
            b.position_at_end(all_at_once)
            table = [self.number(self.given(len(parameters)), _TABLE)[0]] if own else []
            self.together(kernel, args, cut, table, places, outer)
            b.position_at_end(one)
        thread = self.api("PyEval_SaveThread")
        status = b.call(kernel, args)
        self.api("PyEval_RestoreThread", thread)
        b.ret(self.api("PyLong_FromLongLong", b.sext(status, WORD)))

    def given(self, place: int) -> ir.Value:
        """An object that Python hands over."""
        _, given, _ = self.b.function.args
        here = self.b.gep(given, [WORD(place)], inbounds=True, source_etype=POINTER)
        return self.b.load(here, typ=POINTER)

    def together(
        self,
        kernel: ir.Function,
        args: list[ir.Value],
        cut: Cut,
        table: Sequence[ir.Value],
        places: Sequence[int],
        outer: int,
    ) -> None:
        """Have a team run all chunks of `kernel`, or note what it would run."""
        b = self.b
        first, last = _CHUNK
        chunks, team, trips = args[first:last]
        chunks, memory = b.neg(chunks), b.inttoptr(team, POINTER)
        shared = [chunks, trips, WORD(0), *table, *args[:first], *args[last:]]
        kind = ir.LiteralStructType([value.type for value in shared])
        frame = local(b, kind)
        task = _task(kernel, kind, cut, [place - (last - first) for place in places])
        note, run = b.append_basic_block("note"), b.append_basic_block("run")
        b.cbranch(b.icmp_signed("<", trips, WORD(0)), note, run)
        b.position_at_end(note)
        there = self.at(memory, 8 * NOTED)
        for k, value in enumerate(shared):
            b.store(value, _field(b, there, kind, k))
        b.store(task, memory)
        # Chunk, beginning and end are not in a frame, but three others are.
        far = b.ptrtoint(_field(b, there, kind, min(len(table) + outer, len(shared) - 1)), WORD)
        b.store(far, self.at(memory, 8))
        b.ret(self.api("PyLong_FromLongLong", WORD(0)))
        b.position_at_end(run)
        threads = b.load(self.at(memory, 8 * THREADS), typ=WORD)
        shared[2] = threads
        for k, value in enumerate(shared):
            b.store(value, _field(b, frame, kind, k))
        together = b.load(self.at(memory, 8 * TOGETHER), typ=POINTER)
        thread = self.api("PyEval_SaveThread")
        stop = b.inttoptr(args[0], POINTER)
        does = ir.FunctionType(WORD, [POINTER, POINTER, POINTER, WORD, POINTER])
        together.type = ir.PointerType(does)  # calls need what it points to
        statuses = b.call(together, [memory, task, frame, chunks, stop])
        self.api("PyEval_RestoreThread", thread)
        b.ret(self.api("PyLong_FromLongLong", statuses))

    def array(self, obj: ir.Value, kind: Array) -> list[ir.Value]:
        b = self.b
        found = [b.load(self.at(obj, DATA), typ=POINTER)]
        for offset in (SHAPE, STRIDES):
            table = b.load(self.at(obj, offset), typ=POINTER)
            found += [b.load(self.at(table, 8 * k), typ=WORD) for k in range(kind.ndim)]
        return found

    def number(self, obj: ir.Value, kind: Number) -> list[ir.Value]:
        b = self.b
        match kind.atom:
            case "int":
                value = self.api("PyLong_AsLongLong", obj)
                self.leave_on_error(b.icmp_signed("==", value, WORD(-1)))
                return [value]
            case "bool":
                value = self.api("PyObject_IsTrue", obj)
                return [b.icmp_signed(">", value, value.type(0))]
        return list(intrinsics.get(b, kind.dtype, self.at(obj, HEAD)).parts)

    def leave_on_error(self, suspicion: ir.Value) -> None:
        """Return NULL if `suspicion` and Python says that there is an error."""
        b = self.b
        look, leave = b.append_basic_block("look"), b.append_basic_block("leave")
        on = b.append_basic_block("on")
        b.cbranch(suspicion, look, on)
        b.position_at_end(look)
        error = self.api("PyErr_Occurred")
        b.cbranch(b.icmp_unsigned("==", error, POINTER(None)), on, leave)
        b.position_at_end(leave)
        b.ret(POINTER(None))
        b.position_at_end(on)


def _task(
    kernel: ir.Function, kind: ir.LiteralStructType, cut: Cut, own: Sequence[int]
) -> ir.Function:
    """What a team calls with the arguments in memory, and a chunk; see `kernel.border`.

    Parameters
    ----------
    own
        Places among the arguments of memory that the table has for each chunk.
    """
    task = ir.Function(kernel.module, ir.FunctionType(BYTE, [POINTER, WORD]), f"{kernel.name}.task")
    task.linkage = "internal"
    b = ir.IRBuilder(task.append_basic_block("entry"))
    frame, chunk = task.args
    found = [
        b.load(_field(b, frame, kind, k), typ=kind.elements[k]) for k in range(len(kind.elements))
    ]
    chunks, trips, threads, *args = found
    if cut.backwards:
        # Each thread has its share of the long ones: every second one, where there are two.
        some = b.icmp_unsigned("<=", threads, chunks)
        share = b.select(some, b.udiv(chunks, threads), WORD(1))
        turn = b.add(b.mul(b.urem(chunk, share), threads), b.udiv(chunk, share))
        even = b.icmp_unsigned("==", b.mul(share, threads), chunks)
        chunk = b.sub(b.sub(chunks, WORD(1)), b.select(even, turn, chunk))
    if own:
        table, *args = args
        row = b.mul(chunk, WORD(len(own)))
        for k, place in enumerate(own):
            at = b.add(table, b.mul(b.add(row, WORD(k)), WORD(8)))
            private = b.load(b.inttoptr(at, POINTER), typ=POINTER)
            none = b.icmp_unsigned("==", private, POINTER(None))
            args[place] = b.select(none, args[place], private)
    first, _ = _CHUNK
    after = b.add(chunk, WORD(1))
    begin, end = (b.sdiv(b.mul(at, trips), chunks) for at in (chunk, after))
    if cut.grain > 1:
        grain = WORD(cut.grain)
        fine = b.icmp_signed("<", trips, b.mul(chunks, grain))
        begin, end = (b.select(fine, at, b.sub(at, b.srem(at, grain))) for at in (begin, end))
        end = b.select(b.icmp_signed("==", after, chunks), trips, end)
    b.ret(b.call(kernel, [*args[:first], chunk, begin, end, *args[first:]]))
    task.type = POINTER  # nobody calls it by its name
    return task


def _field(b: ir.IRBuilder, frame: ir.Value, kind: ir.LiteralStructType, place: int) -> ir.Value:
    index = ir.IntType(32)
    return b.gep(frame, [index(0), index(place)], inbounds=True, source_etype=kind)
