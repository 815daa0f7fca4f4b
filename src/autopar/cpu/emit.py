"""A plan as Python text for Numba: one function per kernel, and a driver that calls them.

A *region* is a piece of the plan that becomes one kernel.  A parallel region is one loop whose
iterations are handed out in chunks ``lo..hi``; a serial region runs as it stands.  Serial loops
around parallel regions stay in the driver, which is plain Python.

Scalars cross region borders in *cells*: row 0 of ``s_out`` holds the current value of `s` and row 0
of ``tags`` which type it is (0 = unassigned).  A parallel region writes one row per chunk; the last
chunk that assigned the scalar has its final value, whatever order the chunks ran in.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from autopar.cpu.scalar import RANGE, ScalarWriter, ambiguous_names, is_plain
from autopar.kernel import Claim, Kernel, Program
from autopar.nest import kinds
from autopar.nest.flow import exposed
from autopar.nest.forward import definitions
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Leave,
    Name,
    Stmt,
    Unary,
    While,
    accesses,
    assigned,
    blocks,
    statements,
    walk,
)
from autopar.nest.types import Typed
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan
from autopar.verdict import Refusal, Refused


def emit(
    typed: Typed, plan: Plan, inside: frozenset[int], careful: bool = False
) -> Program | Refusal:
    """Kernels and driver for `plan`.

    Parameters
    ----------
    inside
        Ids of the accesses that the guard proves in bounds; the others check themselves.
    careful
        Check every Python integer in the kernel, because the guard cannot bound them.
    """
    try:
        return _Emitter(typed, plan, inside, careful).program()
    except Refused as refused:
        return refused.refusal


# ---------------------------------------------------------------------------- regions


@dataclass(frozen=True, slots=True)
class _Serial:
    stmts: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class _Parallel:
    loop: For


@dataclass(frozen=True, slots=True)
class _Driven:
    """A serial loop in the driver, around regions."""

    loop: For
    body: tuple[_Region, ...]


_Region = _Serial | _Parallel | _Driven


def _statement(node: Node) -> Stmt:
    match node:
        case Leaf(stmt=stmt):
            return stmt
        case Loop(loop=loop, body=body):
            return replace(loop, body=tuple(_statement(n) for n in body))
        case Branch(stmt=stmt, body=body, orelse=orelse):
            return replace(
                stmt,
                body=tuple(_statement(n) for n in body),
                orelse=tuple(_statement(n) for n in orelse),
            )


def _has_parallel(node: Node) -> bool:
    match node:
        case Loop(parallel=parallel, body=body):
            return parallel or any(_has_parallel(n) for n in body)
    return False


class _Emitter:
    def __init__(self, typed: Typed, plan: Plan, inside: frozenset[int], careful: bool) -> None:
        self.typed, self.plan, self.inside, self.careful = typed, plan, inside, careful
        self.names = kernel_names(typed)
        self.regions = self.split(plan.body, ())
        leaves = list(_leaves(self.regions))
        crossing = frozenset(plan.nest.live_out).union(*(exposed(r) for r in leaves))
        slots = [name for name, _ in typed.scalars if name in crossing]
        self.slots = {name: k for k, name in enumerate(slots)}
        self.kernels: list[Kernel] = []
        self.claims: dict[Claim, None] = {}
        self.needs: dict[Claim, None] = {}
        self.inputs: dict[str, None] = {}

    # ------------------------------------------------------------------ splitting

    def split(self, nodes: Sequence[Node], outer: tuple[For, ...]) -> tuple[_Region, ...]:
        regions: list[_Region] = []
        for node in nodes:
            match node:
                case Loop(loop=loop, parallel=True) if self.drivable(loop, outer):
                    whole = _statement(node)
                    assert isinstance(whole, For)
                    regions.append(_Parallel(whole))
                case Loop(loop=loop, body=body) if (
                    _has_parallel(node) and not _may_leave(node) and self.drivable(loop, outer)
                ):
                    regions.append(_Driven(loop, self.split(body, (*outer, loop))))
                case _:
                    stmt = _statement(node)
                    if regions and isinstance(regions[-1], _Serial):
                        regions[-1] = _Serial((*regions[-1].stmts, stmt))
                    else:
                        regions.append(_Serial((stmt,)))
        return tuple(regions)

    def drivable(self, loop: For, outer: tuple[For, ...]) -> bool:
        """Whether plain Python can evaluate the range: parameters and driver loops only."""
        return all(
            self.plain(e, frozenset(f.var for f in outer))
            for e in (loop.start, loop.stop, loop.step)
        )

    def plain(self, expr: Expr, loops: frozenset[str]) -> bool:
        divisors = (e.right for e in walk(expr) if isinstance(e, Binary) and e.op in ("//", "%"))
        known = all(isinstance(d, Const) and d.value for d in divisors)  # nothing may raise here
        return known and is_plain(self.typed, expr, loops)

    # ------------------------------------------------------------------ kernels

    def program(self) -> Program:
        body = self.drive(self.regions, (), 1)
        inputs = tuple(self.inputs)
        head = ", ".join(("run", *(_input_name(self.names, i) for i in inputs)))
        driver = "\n".join([f"def drive({head}):", *body, "    return 0", ""])
        written = {a.array for _, a in accesses(self.typed.nest.loop) if isinstance(a, Element)}
        scalars = {name: kinds.storage(kind) for name, kind in self.typed.scalars}
        slots = tuple((name, str(scalars[name])) for name in self.slots)
        return Program(
            kernels=tuple(self.kernels),
            driver=driver,
            inputs=inputs,
            slots=slots,
            claims=tuple(self.claims),
            needs=tuple(self.needs),
            written=tuple(sorted(written)),
        )

    def drive(self, regions: Sequence[_Region], outer: tuple[For, ...], depth: int) -> list[str]:
        pad, lines = "    " * depth, []
        for region in regions:
            match region:
                case _Driven(loop=loop, body=body):
                    var = self.names[loop.var]
                    lines.append(f"{pad}for {var} in range({self.range_text(loop)}):")
                    if loop.var in self.slots:
                        tag = kinds.tag("int")
                        lines.append(f"{pad}    run.assign({self.slots[loop.var]}, {var}, {tag})")
                    lines += self.drive(body, (*outer, loop), depth + 1)
                    continue
                case _Parallel(loop=loop):
                    kernel = self.kernel((loop,), outer, loop)
                    call = f"run.parallel({kernel}, {self.range_text(loop)}, ({self.outer(outer)}))"
                case _Serial(stmts=stmts):
                    kernel = self.kernel(stmts, outer, None)
                    call = f"run.serial({kernel}, ({self.outer(outer)}))"
            lines += [f"{pad}if {call}:", f"{pad}    return 1"]
        return lines or [f"{pad}pass"]

    def outer(self, outer: tuple[For, ...]) -> str:
        return "".join(f"{self.names[f.var]}, " for f in outer)

    def range_text(self, loop: For) -> str:
        return ", ".join(self.python(e) for e in (loop.start, loop.stop, loop.step))

    def python(self, expr: Expr) -> str:
        """Driver text of a plain integer expression."""
        match expr:
            case Const(value=value):
                return repr(value)
            case Name(id=name):
                if name not in dict(self.typed.scalars):
                    self.inputs[name] = None
                return self.names[name]
            case Dim(array=path, axis=axis):
                extent = f"{path}.shape[{(axis or 0) % self.typed.array(path).ndim}]"
                self.inputs[extent] = None
                return _input_name(self.names, extent)
            case Unary(op=op, operand=operand):
                return f"({op}{self.python(operand)})"
            case Binary(op=op, left=left, right=right):
                return f"({self.python(left)} {op} {self.python(right)})"
            case Call(func=func, args=args):
                form = dict(self.typed.calls)[func].form
                return f"{form}({', '.join(self.python(a) for a in args)})"
        raise AssertionError(expr)

    def kernel(self, stmts: Sequence[Stmt], outer: tuple[For, ...], chunked: For | None) -> int:
        writer = _Writer(
            self.typed,
            self.names,
            self.inside,
            definitions(self.typed.nest),
            tagged=self.tagged_scalars(stmts),
            loops=list(outer),
            plain_loops={f.var: True for f in outer},
            careful=self.careful,
        )
        reads = exposed(stmts) - {f.var for f in outer}
        writes = frozenset().union(*(assigned(s) for s in stmts))
        cells = tuple(n for n in self.slots if n in (reads | writes))
        ins = tuple(n for n in cells if n in reads)
        outs = tuple(n for n in cells if n in writes)
        writer.enter(self.slots, sorted(writes | reads), ins, chunked is not None)
        if chunked is None:
            writer.block(stmts)
        else:
            writer.chunk(chunked)
        writer.leave(self.slots, outs, chunked is not None)
        for k, around in enumerate(outer):
            writer.loops = list(outer[:k])
            writer.span(around)
        self.claims.update(writer.claims)
        self.needs.update(writer.needs)
        used = set(re.findall(r"\w+", "\n".join(writer.lines)))
        arrays = tuple(p for p, _ in self.typed.arrays if self.names[p] in used)
        numbers = tuple(
            p for p, _ in self.typed.numbers if self.names[p] in used and p not in writer.scalars
        )
        name = f"kernel{len(self.kernels)}"
        args = [*(("chunk", "lo", "hi") if chunked else ())]
        args += [self.names[p] for p in (*arrays, *numbers)]
        args += [self.names[f.var] for f in outer]
        args += [*(("tags",) if cells else ()), *(f"{self.names[c]}_out" for c in cells)]
        text = "\n".join([f"def {name}({', '.join(args)}):", *writer.lines, ""])
        self.kernels.append(
            Kernel(
                name,
                text,
                chunked is not None,
                arrays,
                numbers,
                tuple(f.var for f in outer),
                cells,
                tuple(writer.symbols),
                writer.may_fail,
            )
        )
        return len(self.kernels) - 1

    def tagged_scalars(self, stmts: Sequence[Stmt]) -> frozenset[str]:
        """Scalars with a cell, and those whose run-time type decides the type of such a one."""
        tagged = frozenset(self.slots)
        grew = True
        while grew:
            more = tagged
            for stmt in (inner for top in stmts for inner in statements(top)):
                match stmt:
                    case Assign(target=Name(id=name), value=value) if name in tagged:
                        more |= ambiguous_names(self.typed, value)
            grew, tagged = more != tagged, more
        return tagged & frozenset(name for name, _ in self.typed.scalars)


def _leaves(regions: Iterable[_Region]) -> Iterable[tuple[Stmt, ...]]:
    for region in regions:
        match region:
            case _Serial(stmts=stmts):
                yield stmts
            case _Parallel(loop=loop):
                yield (loop,)
            case _Driven(body=body):
                yield from _leaves(body)


def _may_leave(node: Node) -> bool:
    """Whether a ``break`` or ``continue`` of the loop `node` sits directly in its body."""

    def inside(stmts: Iterable[Stmt]) -> bool:
        return any(
            isinstance(s, Leave) or (isinstance(s, If) and any(inside(b) for b in blocks(s)))
            for s in stmts
        )

    stmt = _statement(node)
    return isinstance(stmt, For) and inside(stmt.body)


def kernel_names(typed: Typed) -> dict[str, str]:
    """A distinct identifier for every path and scalar, as close to the user's as can be."""
    taken = {"chunk", "lo", "hi", "tags", "row", "run", "drive", "range", "abs", "min", "max"}
    names: dict[str, str] = {}
    paths = [p for p, _ in (*typed.arrays, *typed.numbers, *typed.scalars)]
    for path in dict.fromkeys(paths):
        plain = re.sub(r"\W", "_", path.strip("<>"))
        # Names that end in _ belong to the emitter, as do casts such as int8.
        plain = plain.rstrip("_") or "x"
        reserved = keyword.iskeyword(plain) or plain in kinds.ATOMS or plain in kinds.NUMBERS
        name, k = plain, 1
        while name in taken or reserved or _emitter_name(name):
            k, reserved = k + 1, False
            name = f"x{k}_{plain}x"  # neither begins nor ends like a name of the emitter's
        taken.add(name)
        names[path] = name
    return names


def _emitter_name(name: str) -> bool:
    """Names that generated text uses for itself."""
    return bool(
        re.search(r"(_tag|_out|_shape\d+)$", name)
        or re.match(r"(libm|numpy|checked|float|u?int|complex(64)?)_|kernel\d+$", name)
    )


def _input_name(names: dict[str, str], path: str) -> str:
    if path in names:
        return names[path]
    array, _, axis = path.rpartition(".shape[")
    return f"{names[array]}_shape{axis[:-1]}"


# ---------------------------------------------------------------------------- statements


class _Writer(ScalarWriter):
    """Statements of one kernel."""

    __slots__ = ()

    @property
    def scalars(self) -> dict[str, kinds.Kind]:
        return dict(self.typed.scalars)

    def enter(
        self, slots: dict[str, int], names: Sequence[str], ins: Sequence[str], chunked: bool
    ) -> None:
        """Give every scalar of the kernel a value of its type before anything else."""
        for name in names:
            if name not in self.scalars or self.plain_loops.get(name):
                continue
            here = self.names[name]
            if name in ins:
                self.write(f"{here} = {here}_out[0]")
                self.write(f"{here}_tag = int64(tags[0, {slots[name]}])")
                continue
            storage = self.storage(name)
            self.write(f"{here} = False" if storage == "bool" else f"{here} = {storage}(0)")
            if name in self.tagged:
                self.write(f"{here}_tag = int64(0)")

    def leave(self, slots: dict[str, int], outs: Sequence[str], chunked: bool) -> None:
        row = "chunk + 1" if chunked else "0"
        for name in outs:
            here = self.names[name]
            # A serial kernel runs many times: what it did not assign now keeps its last value.
            self.write(f"if {here}_tag != 0:")
            self.write(f"    {here}_out[{row}] = {here}")
            self.write(f"    tags[{row}, {slots[name]}] = {here}_tag")
        self.write("return 0")

    def chunk(self, loop: For) -> None:
        """The part ``lo <= t < hi`` of a parallel loop, counted in iterations."""
        start, step = self.value(loop.start), self.value(loop.step)
        self.span(loop)
        var = self.names[loop.var]
        plain = self.begin(loop, True)
        if loop.step == Const(1):
            first = "" if loop.start == Const(0) else f"{start.text} + "
            self.write(f"for {var} in range({first}lo, {first}hi):")
            with self.indented():
                self.body(loop)
        else:
            self.write("for t_ in range(lo, hi):")
            with self.indented():
                self.write(f"{var} = {start.text} + t_ * {step.text}")
                self.body(loop)
        self.end(loop, plain)

    def span(self, loop: For) -> None:
        """The guard must bound the range of a loop that the driver evaluates."""
        for bound in (loop.start, loop.stop, loop.step):
            self.needs[Claim(bound, -RANGE, RANGE, tuple(self.loops))] = None

    def begin(self, loop: For, plain: bool) -> bool | None:
        before = self.plain_loops.get(loop.var)
        self.plain_loops[loop.var] = plain
        self.loops.append(loop)
        return before

    def end(self, loop: For, before: bool | None) -> None:
        self.loops.pop()
        # After its loop the variable keeps its last value, whose range nobody has bounded.
        self.plain_loops[loop.var] = bool(before)

    def body(self, loop: For) -> None:
        if loop.var in self.tagged:
            self.write(f"{self.names[loop.var]}_tag = int64({kinds.tag('int')})")
        self.block(loop.body)

    def block(self, stmts: Sequence[Stmt]) -> None:
        for stmt in stmts:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Assign(target=Name(id=name)):
                self.assign(name, stmt.value)
            case Assign(target=Element() as target, value=value):
                text = self.stored(self.value(value), self.typed.array(target.array).dtype, value)
                self.write(f"{self.element(target)} = {text}")
            case If():
                self.write(f"if {self.condition(stmt.test)}:")
                with self.indented():
                    self.block(stmt.body)
                if stmt.orelse:
                    self.write("else:")
                    with self.indented():
                        self.block(stmt.orelse)
            case While():
                self.write("while True:")
                with self.indented():
                    self.write(f"if not {self.condition(stmt.test)}:")
                    self.write("    break")
                    self.block(stmt.body)
            case Leave(kind=kind):
                self.write(kind)
            case For():
                self.loop(stmt)

    def assign(self, name: str, value: Expr) -> None:
        found = self.value(value)
        text = self.exact(found, self.storage(name))
        tag = self.tag(value) if name in self.tagged else None
        # Both from the old values: `s = s * 2` reads the tag of the old s.
        if tag is not None:
            self.write(f"{self.names[name]}_tag, {self.names[name]} = int64({tag}), {text}")
        else:
            self.write(f"{self.names[name]} = {text}")

    def loop(self, loop: For) -> None:
        around = frozenset(f.var for f in self.loops if self.plain_loops.get(f.var))
        plain = all(is_plain(self.typed, e, around) for e in (loop.start, loop.stop, loop.step))
        start, stop, step = (self.value(e) for e in (loop.start, loop.stop, loop.step))
        for value in (start, stop, step):
            if any(kinds.family(kinds.dtype(a)) not in ("int", "uint") for a in value.kind):
                raise self.refuse_type(loop)
            if "uint64" in value.dtype:
                raise self.refuse_type(loop)
            if value.dtype == "int64":
                self.within(value, -RANGE, RANGE)
        var = self.names[loop.var]
        a, b = (self.cast(v.text, v.dtype, "int64") for v in (start, stop))
        if step.const in (1, -1):
            tail = "" if step.const == 1 else ", -1"
            self.write(f"for {var} in range({a}, {b}{tail}):")
        else:
            c = self.temp(self.cast(step.text, step.dtype, "int64"))
            if not step.const:
                self.fail_if(f"{c} == 0")
            self.write(f"for {var} in range({a}, {b}, {c}):")
        before = self.begin(loop, plain)
        with self.indented():
            self.body(loop)
        self.end(loop, before)

    def refuse_type(self, loop: For) -> Refused:
        from autopar.verdict import Reason, Span

        return Refused(
            Refusal(
                Reason.WRONG_TYPE, Span(self.typed.nest.file, loop.line), f"range of {loop.var}"
            )
        )
