"""A plan as kernel text: one function per kernel, and a driver that calls them.

Scalars cross region borders in *cells*: row 0 of ``s_out`` holds the current value of `s` and row 0
of ``tags`` which type it is (0 = unassigned).  A parallel region writes one row per chunk; the last
chunk that assigned the scalar has its final value, whatever order the chunks ran in.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest

from autopar.cpu import chunks, extremes, invariant, pieces, squaring
from autopar.cpu.loops import floats
from autopar.cpu.regions import (
    Conditional,
    Driven,
    Jump,
    Parallel,
    Region,
    Serial,
    drivable,
    needs,
    split,
)
from autopar.cpu.scalar import ambiguous_names
from autopar.cpu.statements import KernelWriter
from autopar.cpu.sticky import Trail, trails
from autopar.kernel import Claim, EmitOptions, Kernel, Program, Reduction, Watch
from autopar.nest import kinds
from autopar.nest.flow import exposed, names
from autopar.nest.flow import written as written_scalars
from autopar.nest.forward import definitions
from autopar.nest.ir import (
    ELEMENTS,
    TAG,
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Expr,
    For,
    Load,
    Name,
    Stmt,
    Unary,
    While,
)
from autopar.nest.typed.types import Typed
from autopar.nest.walking import assigned, expressions, lines, statements, walk, written
from autopar.records import dataclass, replace
from autopar.sched.expand import own_accesses, with_temporaries
from autopar.sched.flat import ALONE, Tile, by_memory, in_groups
from autopar.sched.plan import Plan, independent, separate, statement
from autopar.verdict import Refusal, Refused


def emit(typed: Typed, plan: Plan, options: EmitOptions) -> Program | Refusal:
    """Kernels and driver for `plan`."""
    inside = options.inside | own_accesses(plan)
    options = replace(options, inside=inside)
    try:
        return _Emitter(with_temporaries(typed, plan), plan, options).program()
    except Refused as refused:
        return refused.refusal


@dataclass(frozen=True, slots=True)
class _Around:
    """A driver loop around a kernel; `plain` when the guard can bound its variable."""

    loop: For
    plain: bool


class _Emitter:
    def __init__(self, typed: Typed, plan: Plan, options: EmitOptions) -> None:
        self.typed, self.plan, self.options = typed, plan, options
        self.names = kernel_names(typed)
        self.regions = split(typed, plan, options.watch is not Watch.NAME)
        crossing = needs(self.regions) | set(plan.nest.live_out)
        slots = [name for name, _ in typed.scalars if name in crossing]
        self.slots = {name: k for k, name in enumerate(slots)}
        self.independent = independent(plan)
        self.separate = separate(plan)
        inside = [s for node in plan.body for s in statements(statement(node))]
        self.changing = frozenset(
            s.target.id for s in inside if isinstance(s, Assign) and isinstance(s.target, Name)
        )
        # Results that are looked at after a loop in the driver, and those that kernels left for it.
        self.unwatched: frozenset[int] = frozenset()
        self.missed: frozenset[int] = frozenset()
        self.joined = frozenset().union(*(r.updates for r in _reductions(self.regions)))
        self.kernels: list[Kernel] = []
        self.claims: dict[Claim, None] = {}
        self.needs: dict[Claim, None] = {}
        self.inputs: dict[str, None] = {}

    def program(self) -> Program:
        body = self.drive(self.regions, (), 1)
        inputs = tuple(self.inputs)
        head = ", ".join(("run", *(_input_name(self.names, i) for i in inputs)))
        driver = "\n".join([f"def drive({head}):", *body, "    return 0", ""])
        scalars = {name: kinds.storage(kind) for name, kind in self.typed.scalars}
        slots = tuple((name, str(scalars[name])) for name in self.slots)
        return Program(
            kernels=tuple(self.kernels),
            driver=driver,
            inputs=inputs,
            slots=slots,
            claims=tuple(self.claims),
            needs=tuple(self.needs),
            written=written(self.typed.nest),
            lines=tuple(dict.fromkeys(lines(self.typed.nest.loop))),
        )

    # ------------------------------------------------------------------ driver

    def drive(self, regions: Sequence[Region], outer: tuple[_Around, ...], depth: int) -> list[str]:
        pad, lines = "    " * depth, []
        first: tuple[Stmt, ...] = ()  # what the next kernel does before it answers

        def check(call: str, *answers: str) -> None:
            lines.append(f"{pad}{', '.join(('status', *answers))} = {call}")
            lines.extend([f"{pad}if status:", f"{pad}    return status"])

        def ask(kernel: int) -> tuple[str, str, str]:
            """Names of the three integers that the kernel answers."""
            answers = f"start{depth}_", f"stop{depth}_", f"step{depth}_"
            check(f"run.ask({kernel}, ({self.around(outer)}))", *answers)
            return answers

        def bounds_of(loop: For, asked: bool) -> tuple[str, str, str]:
            return ask(self.ask_range(loop, outer, first)) if asked else self.range_text(loop)

        for region, follows in zip_longest(regions, regions[1:]):
            match region:
                case Driven(loop=loop, body=body, asked=asked):
                    var = self.names[loop.var]
                    bounds = bounds_of(loop, asked)
                    lines.append(f"{pad}for {var} in range({', '.join(bounds)}):")
                    if loop.var in self.slots:
                        tag = kinds.tag("int")
                        lines.append(f"{pad}    run.assign({self.slots[loop.var]}, {var}, {tag})")
                    inside = *outer, _Around(loop, not asked)
                    with self.looking_later(loop, outer) as due:
                        lines += self.drive(body, inside, depth + 1)
                    if due:
                        lines.append(f"{pad}if range({', '.join(bounds)}):")
                        lines += self.looks(due, outer, depth + 1)
                case Conditional(stmt=stmt, body=body, orelse=orelse):
                    test, _, _ = ask(self.ask_test(stmt.test, outer, first))
                    lines.append(f"{pad}if {test}:")
                    lines += self.drive(body, outer, depth + 1)
                    if orelse:
                        lines.append(f"{pad}else:")
                        lines += self.drive(orelse, outer, depth + 1)
                case Parallel(loop=loop, asked=asked):
                    bounds = bounds_of(loop, asked)
                    start, _, step = bounds
                    given = self.around(outer) + (f"{start}, {step}, " if asked else "")
                    lines += self.left_behind(region, depth)
                    flat = self.flat(region)
                    kernel, tile = self.parallel(region, outer, flat)
                    if flat:
                        spans: dict[str, int] = {}
                        if tile.several:
                            last = flat[-2:]
                            for one, span in zip(last, tile.spans[-len(last) :], strict=True):
                                spans[one.var] = span
                        outermost, *others = (
                            self.steps(one, spans.get(one.var, 1)) for one in region.loops
                        )
                        counts = [f"len(range({one}))" for one in others]
                        counts += [str(tile.items)] * tile.several
                        inner = " * ".join(counts) or "1"
                        check(f"run.flat({kernel}, {outermost}, {inner}, ({given}))")
                    else:
                        check(f"run.parallel({kernel}, {', '.join(bounds)}, ({given}))")
                case Jump(leave=leave):
                    assert not first  # only what asks has something before it
                    lines.append(f"{pad}{leave.kind}")
                case Serial(stmts=stmts) if _asks(follows):
                    first = stmts
                    continue
                case Serial(stmts=stmts):
                    assert not first
                    check(f"run.serial({self.serial(stmts, outer)}, ({self.around(outer)}))")
            first = ()
        return lines or [f"{pad}pass"]

    @contextmanager
    def looking_later(self, loop: For, outer: tuple[_Around, ...]) -> Iterator[list[Trail]]:
        """Around what `loop` does in the driver; then, the cells to look at after it."""
        due: list[Trail] = []
        if self.options.watch is not Watch.NOTICE or self.options.offloaded:
            yield due
            return
        plain = frozenset(a.loop.var for a in outer if a.plain)
        found = trails(loop, floats(self.typed), self.options.inside, self.options.apart)
        new = [
            trail
            for trail in found
            if not trail.seen & (self.unwatched | self.joined)
            and drivable(self.typed, trail.loops[0], plain)
            and not self.slots.keys() & {one.var for one in trail.loops}
        ]
        seen = frozenset().union(*(trail.seen for trail in new))
        self.unwatched |= seen
        yield due
        self.unwatched -= seen
        due += [trail for trail in new if trail.seen & self.missed]
        self.missed -= seen

    def looks(self, due: Iterable[Trail], outer: tuple[_Around, ...], depth: int) -> list[str]:
        """Lines that look for infinities and nans in cells."""
        pad, lines = "    " * depth, []
        for trail in due:
            row = ", ".join(self.range_text(trail.loops[0]))
            call = f"run.parallel({self.look(trail, outer)}, {row}, ({self.around(outer)}))"
            lines += [f"{pad}status = {call}", f"{pad}if status:", f"{pad}    return status"]
        return lines

    def look(self, trail: Trail, outer: tuple[_Around, ...]) -> int:
        """A kernel that looks for them in a part of the cells."""

        def write(writer: KernelWriter) -> None:
            first = trail.loops[0]
            writer.span(first)
            writer.part = first.id
            writer.look_along(trail)

        nest = trail.nest
        return self.kernel((nest,), (), outer, write, launched=Parallel(nest, False))

    def left_behind(self, region: Parallel, depth: int) -> list[str]:
        """Lines that leave the last values of loops that chunks go through, if there are any."""
        wanted = [k for k, loop in enumerate(region.around) if loop.var in self.slots]
        lines: list[str] = []
        for k, loop in enumerate(region.around[: max(wanted, default=-1) + 1]):
            pad = "    " * (depth + k)
            var = self.names[loop.var]
            lines.append(f"{pad}for {var} in range({', '.join(self.range_text(loop))})[-1:]:")
            if k in wanted:
                tag = kinds.tag("int")
                lines.append(f"{pad}    run.assign({self.slots[loop.var]}, {var}, {tag})")
            else:
                lines.append(f"{pad}    pass")
        return lines

    def flat(self, region: Parallel) -> tuple[For, ...]:
        """The loops that are one range, the one whose iterations lie side by side last.

        An empty tuple where somebody sees what a variable is after them: no iteration may leave it.
        """
        loops = region.loops
        if len(loops) < 2 and (region.asked or region.around or not in_groups(loops[0])):
            return ()
        if any(loop.var in self.slots for loop in loops):
            return ()
        left = written_scalars((loops[-1],)) & self.slots.keys()
        if left or self.options.watch is Watch.NAME:
            return loops  # who comes last, or first, matters
        return by_memory(loops, {path: kind.layout for path, kind in self.typed.arrays})

    def steps(self, loop: For, span: int) -> str:
        """The range of a loop of which so many iterations go on together."""
        start, stop, step = self.range_text(loop)
        return f"{start}, {stop}, {step if span == 1 else span}"

    def around(self, outer: tuple[_Around, ...]) -> str:
        return "".join(f"{self.names[a.loop.var]}, " for a in outer)

    def range_text(self, loop: For) -> tuple[str, str, str]:
        return self.python(loop.start), self.python(loop.stop), self.python(loop.step)

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

    # ------------------------------------------------------------------ kernels

    def serial(self, stmts: tuple[Stmt, ...], outer: tuple[_Around, ...]) -> int:
        return self.kernel(stmts, (), outer, lambda writer: writer.block(stmts))

    def parallel(
        self, region: Parallel, outer: tuple[_Around, ...], flat: tuple[For, ...] = ()
    ) -> tuple[int, Tile]:
        """A kernel that runs chunks, and what a work item has of loops that are one range."""
        loop, asked = region.loop, region.asked
        tile = ALONE

        def write(writer: KernelWriter) -> None:
            nonlocal tile
            if flat:
                tile = writer.flat(flat, region.loops[-1].body)
            elif region.around:
                writer.parted = writer.part = loop.id
                writer.block((region.whole,))
                assert writer.parted is None  # or each chunk would do the work of all
            else:
                writer.chunk(loop, asked)

        turned = bool(flat) and flat[0] is not region.loops[0]
        number = self.kernel((region.whole,), (), outer, write, launched=region, turned=turned)
        return number, tile

    def ask_range(self, loop: For, outer: tuple[_Around, ...], first: tuple[Stmt, ...] = ()) -> int:
        """A kernel that runs `first`, and then answers the range of `loop`."""

        def write(writer: KernelWriter) -> None:
            writer.block(first)
            writer.answer_range(loop)

        return self.kernel(first, (loop.start, loop.stop, loop.step), outer, write)

    def ask_test(self, test: Expr, outer: tuple[_Around, ...], first: tuple[Stmt, ...] = ()) -> int:
        def write(writer: KernelWriter) -> None:
            writer.block(first)
            writer.answer_test(test)

        return self.kernel(first, (test,), outer, write)

    def kernel(
        self,
        stmts: tuple[Stmt, ...],
        asked: tuple[Expr, ...],
        outer: tuple[_Around, ...],
        write: Callable[[KernelWriter], None],
        launched: Parallel | None = None,
        turned: bool = False,
    ) -> int:
        """One more kernel, which runs `stmts` or evaluates `asked`; its number.

        Parameters
        ----------
        launched
            The region whose chunks it runs, if it is one of a parallel loop.
        turned
            Whether its loops are one range in another order.
        """
        options = self.options
        parallel = launched is not None
        reductions = launched.reductions if launched is not None else ()
        extra = ("start_", "step_") if launched is not None and launched.asked else ()
        writer = KernelWriter(
            self.typed,
            self.names,
            options.inside,
            definitions(self.typed.nest),
            watch=options.watch,
            tagged=self.tagged_scalars(stmts),
            loops=[a.loop for a in outer],
            plain_loops={a.loop.var: a.plain for a in outer},
            careful=options.careful,
            singly=options.singly,
            relaxed=options.relaxed,
            endless=any(isinstance(s, While) for stmt in stmts for s in statements(stmt)),
            driven=len(outer),
            brief=options.brief,
            lengthy=options.lengthy,
            bounded=options.bounded,
            independent=self.independent,
            separate=self.separate,
            whole=self.independent if self.plan.serial else frozenset(),
            apart=options.apart,
            reductions=tuple(r for r in reductions if not r.private),
            elements=frozenset(scalar for scalar, _ in self.plan.elements),
            unwatched=self.unwatched,
        )
        reads = (exposed(stmts) | names(asked)) - {a.loop.var for a in outer}
        writes = frozenset().union(*(assigned(s) for s in stmts))
        cells = tuple(n for n in self.slots if n in (reads | writes))
        ins = tuple(n for n in cells if n in reads)
        outs = tuple(n for n in cells if n in writes)
        writer.enter(self.slots, sorted(writes | reads), ins, parallel)
        write(writer)
        writer.leave(self.slots, outs, parallel)
        self.missed |= writer.missed
        for k, around in enumerate(outer):
            if around.plain:
                writer.loops = [a.loop for a in outer[:k]]
                writer.span(around.loop)
        self.claims.update(writer.claims)
        self.needs.update(writer.needs)
        used = set(re.findall(r"\w+", "\n".join(writer.lines)))
        arrays = tuple(p for p, _ in self.typed.arrays if self.names[p] in used)
        numbers = tuple(
            p for p, _ in self.typed.numbers if self.names[p] in used and p not in writer.scalars
        )
        name = f"kernel{len(self.kernels)}"
        inner = (*(self.names[a.loop.var] for a in outer), *extra)
        args = ["stop", *(("chunk", "lo", "hi") if parallel else ())]
        args += [self.names[p] for p in (*arrays, *numbers)]
        args += [*inner, *(("answer_",) if asked else ())]
        args += [*(("tags",) if cells else ()), *(f"{self.names[c]}_out" for c in cells)]
        args += ["noted_"] if writer.alarms else []
        args += ["spans_"] if writer.spans else []
        body = invariant.first(writer.lines, {self.names[p] for p in numbers})
        body = squaring.together(pieces.cut(body, self.options.apart))
        if self.options.apart:
            body = extremes.shared(body)
        text = "\n".join([f"def {name}({', '.join(args)}):", *body, ""])
        sweeps = launched is not None and bool(launched.around)
        self.kernels.append(
            Kernel(
                name=name,
                text=text,
                parallel=parallel,
                asks=bool(asked),
                arrays=arrays,
                numbers=numbers,
                outer=inner,
                cells=cells,
                leaves=outs,
                may_fail=writer.may_fail,
                may_alarm=writer.odd,
                alarms=tuple(writer.alarms),
                outright=writer.outright,
                reductions=reductions,
                spans=writer.spans,
                whole=launched is not None and launched.loop.var.startswith(ELEMENTS),
                sweeps=sweeps,
                relaxed=options.relaxed,
                grain=1 if launched is None else chunks.grain(launched.loop),
                least=1 if launched is None else chunks.least(launched.loop, sweeps),
                even=launched is not None and chunks.even(launched.loop),
                backwards=(
                    launched is not None and not launched.around and chunks.growing(launched.loop)
                ),
                steady=_steady(stmts, self.changing),
                turned=turned,
                later=writer.looked,
                multiplies=writer.multiplies,
                apart=options.apart,
            )
        )
        return len(self.kernels) - 1

    def tagged_scalars(self, stmts: Sequence[Stmt]) -> frozenset[str]:
        """Scalars with a cell or a type that is noted, and those that decide the type of such."""
        asked = (
            expr.args[0]
            for stmt in (inner for top in stmts for inner in statements(top))
            for top in expressions(stmt)
            for expr in walk(top)
            if isinstance(expr, Call) and expr.func == TAG
        )
        tagged = frozenset(self.slots).union(e.id for e in asked if isinstance(e, Name))
        grew = True
        while grew:
            more = tagged
            for stmt in (inner for top in stmts for inner in statements(top)):
                match stmt:
                    case Assign(target=Name(id=name), value=value) if name in tagged:
                        more |= ambiguous_names(self.typed, value)
            grew, tagged = more != tagged, more
        return tagged & frozenset(name for name, _ in self.typed.scalars)


def _reductions(regions: Iterable[Region]) -> Iterator[Reduction]:
    for region in regions:
        match region:
            case Parallel(reductions=reductions):
                yield from reductions
            case Driven(body=body):
                yield from _reductions(body)
            case Conditional(body=body, orelse=orelse):
                yield from _reductions((*body, *orelse))


def _asks(region: Region | None) -> bool:
    """Whether the driver has a kernel look before it comes to `region`."""
    match region:
        case Conditional() | Driven(asked=True) | Parallel(asked=True):
            return True
    return False


def _steady(stmts: Iterable[Stmt], changing: frozenset[str]) -> bool:
    """Whether loops in `stmts` run as often as numbers say that nothing changes."""
    for stmt in (inner for top in stmts for inner in statements(top)):
        match stmt:
            case While():
                return False
            case For(start=start, stop=stop, step=step):
                bounds = (start, stop, step)
                if names(bounds) & changing or any(
                    isinstance(part, Load) for bound in bounds for part in walk(bound)
                ):
                    return False
    return True


def kernel_names(typed: Typed) -> dict[str, str]:
    """A distinct identifier for every path and scalar, as close to the user's as can be."""
    taken = {"chunk", "lo", "hi", "tags", "row", "run", "drive", "range", "abs", "min", "max"}
    taken |= {"stop", "status"}
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


def users_name(name: str) -> str:
    """What one of `kernel_names` was made of, as the user would know it."""
    made = re.fullmatch(r"x\d+_(.*)x", name)
    return made[1] if made else name


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
