"""The stages between a typed nest and kernels that can run, in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from autopar import config, journal
from autopar.config import Target
from autopar.deps.data import (
    Analysis,
    Cells,
    Columns,
    Crossings,
    Dependence,
    Ends,
    Facts,
    Group,
    Private,
)
from autopar.kept import find, keep, kept
from autopar.kernel import EmitOptions, Loaded, Program
from autopar.nest.check import check
from autopar.nest.ir import Nest
from autopar.nest.show import show
from autopar.nest.typed.live_ins import LiveIns
from autopar.nest.typed.live_ins import live_ins as found_live_ins
from autopar.nest.typed.told import Became, Left, Told
from autopar.nest.typed.types import Typed
from autopar.nest.walking import statements
from autopar.records import replace
from autopar.sched.cuts import Cut
from autopar.sched.plan import Loop, Plan, walk
from autopar.sched.reductions import Scope
from autopar.sched.tiles import Band
from autopar.sched.wavefront import Tiling
from autopar.verdict import Refusal, Span

if TYPE_CHECKING:
    from autopar.deps.cells import Boxes, Footprint
    from autopar.device.lower import Source
    from autopar.nest.calls.definition import Helper
    from autopar.nest.calls.draws import Method
    from autopar.nest.typed.induction import Given
    from autopar.nest.typed.told import Arrays, Held
    from autopar.sched.fusion import Equal, Forward, Independent, Stay
    from autopar.sched.pivots import Form
    from autopar.sched.triangles import Panels

T = TypeVar("T")

__all__ = [
    "analyse",
    "bands",
    "boxes",
    "closed",
    "copied_pivots",
    "crossings",
    "drawn",
    "emit",
    "flat_buckets",
    "flattened",
    "footprint",
    "for_device",
    "fused",
    "fusion",
    "helper",
    "in_blocks",
    "in_columns",
    "inlined",
    "keep_fusion",
    "learned",
    "live_ins",
    "load",
    "mover",
    "numbered",
    "panels",
    "pivots",
    "plan",
    "private",
    "tabled",
    "teams",
    "trailing",
    "trails",
    "valued",
    "vectors",
    "without_tuples",
    "written_out",
]  # fmt: skip

_SHORT = 50  # statements, below which a nest is gone through in less time than a file is read


def live_ins(nest: Nest) -> LiveIns:
    """What `nest` wants to know of a call."""
    if sum(1 for _ in islice(statements(nest.loop), _SHORT)) < _SHORT:
        return found_live_ins(nest)
    return kept("live-ins", (nest,), lambda: found_live_ins(nest), _directory("nests"))


def learned(nest: Nest, told: Told) -> Refusal | Became | Left | Typed:
    """The next step from a nest to a typed one.

    What does it is imported here, as everywhere in this file: a process that finds all answers on
    disk needs none of it.
    """

    def made() -> Refusal | Became | Left | Typed:
        from autopar.nest.learn import learned

        return learned(nest, told)

    return kept("learned", (nest, told), made, _directory("nests"))


def valued(nest: Nest, unset: frozenset[str]) -> Nest | Refusal:
    """`nest`, where scalars have no value at first; see `nest.values.unset`."""

    def made() -> Nest | Refusal:
        from autopar.nest.values.unset import valued

        return valued(nest, unset)

    return kept("valued", (nest, unset), made, _directory("nests"))


def without_tuples(nest: Nest, held: dict[str, Held], nothing: frozenset[str]) -> Nest | Refusal:
    """`nest` without tuples and None; see `nest.learn`."""

    def made() -> Nest | Refusal:
        from autopar.nest.learn import without_tuples

        return without_tuples(nest, held, nothing)

    return kept("without tuples", (nest, held, nothing), made, _directory("nests"))


def inlined(nest: Nest, helpers: dict[str, Helper], draws: frozenset[str]) -> Nest | Refusal:
    """`nest` without calls of `helpers`; see `nest.calls.inline`."""

    def made() -> Nest | Refusal:
        from autopar.nest.calls.inline import inlined

        return inlined(nest, helpers, draws)

    return kept("inlined", (nest, helpers, draws), made, _directory("nests"))


def helper(question: tuple[Any, ...], read: Callable[[], Helper | Refusal]) -> Helper | Refusal:
    """A function of the user's as `read` finds it in its text, which `question` tells."""
    return kept("helper", question, read, _directory("nests"))


def flat_buckets(nest: Nest, depths: tuple[tuple[str, int], ...]) -> Nest:
    """`nest` without the lists of rows that it appends to; see `nest.values.buckets`."""

    def made() -> Nest:
        from autopar.nest.values.buckets import flat_buckets

        return flat_buckets(nest, depths)

    return kept("buckets", (nest, depths), made, _directory("nests"))


def drawn(
    nest: Nest, methods: dict[str, Method], ranks: dict[str, int], lists: frozenset[str]
) -> Nest | Refusal:
    """`nest` with its draws of random numbers as statements; see `nest.calls.draws`."""

    def made() -> Nest | Refusal:
        from autopar.nest.calls.draws import drawn

        return drawn(nest, methods, ranks, lists)

    return kept("drawn", (nest, methods, ranks, lists), made, _directory("nests"))


def tabled(nest: Nest, kinds: dict[str, str]) -> Nest | Refusal:
    """`nest` without dictionaries of these `kinds`; see `nest.values.tables`."""

    def made() -> Nest | Refusal:
        from autopar.nest.values.tables import tabled

        return tabled(nest, kinds)

    return kept("tabled", (nest, tuple(sorted(kinds.items()))), made, _directory("nests"))


def flattened(nest: Nest, paths: tuple[str, ...]) -> Nest | Refusal:
    """`nest` without the lists of several lengths at `paths`; see `nest.values.ragged`."""

    def made() -> Nest | Refusal:
        from autopar.nest.values.ragged import flattened

        return flattened(nest, paths)

    return kept("flattened", (nest, paths), made, _directory("nests"))


def split(nest: Nest, widths: dict[str, int]) -> Nest | Refusal:
    """`nest` without the lists of tuples of several types at `widths`; see `nest.values.split`."""

    def made() -> Nest | Refusal:
        from autopar.nest.values.split import split

        return split(nest, widths)

    return kept("split", (nest, widths), made, _directory("nests"))


def written_out(nest: Nest, arrays: frozenset[str], known: Arrays, strict: bool) -> Nest | Refusal:
    """`nest` without statements on whole arrays; see `nest.arrays.whole`."""

    def made() -> Nest | Refusal:
        from autopar.nest.arrays.turns import turned
        from autopar.nest.arrays.whole import written_out

        return written_out(turned(nest, arrays), known, strict)

    return kept("written out", (nest, arrays, known, strict), made, _directory("nests"))


def closed(typed: Typed) -> tuple[Typed, tuple[Given, ...]] | None:
    """`typed` with closed forms for its induction variables; see `nest.typed.induction`."""

    def made() -> tuple[Typed, tuple[Given, ...]] | None:
        from autopar.nest.typed.induction import closed

        return closed(typed)

    return kept("closed", (typed,), made, _directory("nests"))


def analyse(nest: Nest, facts: Facts, part: bool = False) -> Analysis:
    """islpy is imported here: a nest that stays too small never pays for it.

    Parameters
    ----------
    part
        Whether some of what the nest assigns is assigned outside of its loop.
    """

    def made() -> Analysis:
        from autopar.deps.analyse import analyse

        return analyse(nest, facts)

    if config.current().check and not part:
        check(nest)
    journal.debug(5, lambda: f"{_place(nest)}: nest\n{show(nest)}\n{facts}")
    found = kept("analyse", (nest, facts), made, *_where("analyses", numbered(facts)))
    said = f"{_place(nest)}: dependences\n"
    journal.debug(3, lambda: said + "\n".join(map(_line, found.dependences)))
    return found


def private(nest: Nest, facts: Facts, pairs: frozenset[tuple[str, int]]) -> Private:
    """When arrays are private to loops, for `pairs` of an array and a `For.id`."""

    def made() -> Private:
        from autopar.deps.private import private

        return private(nest, facts, pairs)

    found = kept("private", (nest, facts, pairs), made, *_where("analyses", numbered(facts)))
    for array, loop, when in found.shared:
        journal.debug(3, f"{_place(nest)}: {array} is shared by iterations of {loop} when {when}")
    return found


def crossings(
    nest: Nest, facts: Facts, loops: frozenset[int], wanted: frozenset[Ends]
) -> Crossings:
    """Between which iterations the dependences lie that `loops`, by `For.id`, carry."""

    def made() -> Crossings:
        from autopar.deps.crossing import crossings

        return crossings(nest, facts, loops, wanted)

    question = nest, facts, loops, wanted
    return kept("crossings", question, made, *_where("analyses", numbered(facts)))


def footprint(nest: Nest, facts: Facts) -> Footprint:
    """What of its arrays `nest` needs, and what of them it changes."""

    def made() -> Footprint:
        from autopar.deps.footprint import footprint

        return footprint(nest, facts)

    found = kept("footprint", (nest, facts), made, *_where("analyses", numbered(facts)))
    journal.debug(3, lambda: f"{_place(nest)}: what moves\n" + "\n".join(map(str, found.arrays)))
    return found


def boxes(nest: Nest, facts: Facts) -> Boxes:
    """Between which subscripts of each axis the accesses to each array lie."""

    def made() -> Boxes:
        from autopar.deps.spread import boxes

        return boxes(nest, facts)

    return kept("boxes", (nest, facts), made, *_where("analyses", numbered(facts)))


def put_back(nest: Nest, facts: Facts) -> frozenset[str]:
    """Arrays that must be as before for `nest` to be run again; see `deps.again`."""

    def made() -> frozenset[str]:
        from autopar.deps.again import put_back

        return put_back(nest, facts)

    return kept("put_back", (nest, facts), made, *_where("analyses", numbered(facts)))


def panels(typed: Typed) -> Panels | None:
    """`typed` in panels of columns, where it is a triangle that works in place."""

    def made() -> Panels | None:
        from autopar.sched.triangles import panels

        return panels(typed)

    return kept("panels", (typed,), made, _directory("nests"))


def in_columns(nest: Nest, facts: Facts, columns: Columns, cells: Cells) -> bool:
    """Whether no dependence of `nest` leads to a column on the left; see `deps.columns`."""

    def made() -> bool:
        from autopar.deps.columns import in_columns

        return in_columns(nest, facts, columns, cells)

    question = nest, facts, columns, cells
    return kept("in columns", question, made, *_where("analyses", numbered(facts)))


def pivots(typed: Typed) -> Form | None:
    """The loops over rows of `typed`, where it is an elimination."""

    def made() -> Form | None:
        from autopar.sched.pivots import form

        return form(typed)

    return kept("pivots", (typed,), made, _directory("nests"))


def copied_pivots(nest: Nest, facts: Facts, form: Form) -> frozenset[int] | None:
    """Accesses to pivots that need copies where these go in blocks; None where they may not."""

    def made() -> frozenset[int] | None:
        from autopar.deps.pivots import copied

        return copied(nest, facts, form.rows, form.pivots)

    question = nest, facts, form
    return kept("copied pivots", question, made, *_where("analyses", numbered(facts)))


def in_blocks(typed: Typed, copied: frozenset[int]) -> Typed:
    """`typed` with its pivots in blocks, and `copied` accesses to them reading copies."""

    def made() -> Typed:
        from autopar.sched.pivots import in_blocks

        return in_blocks(typed, copied)

    return kept("in blocks", (typed, copied), made, _directory("nests"))


def trails(typed: Typed, facts: Facts) -> tuple[Group, ...]:
    """Groups of loops over rows of `typed` that may trail one another."""

    def made() -> tuple[Group, ...]:
        from autopar.deps.trailing import trails
        from autopar.sched.trailing import runs

        found = runs(typed)
        return trails(typed.nest, facts, found) if found else ()

    return kept("trails", (typed, facts), made, *_where("analyses", numbered(facts)))


def trailing(typed: Typed, groups: tuple[Group, ...], block: int) -> Typed:
    """`typed` with these groups of loops in blocks of so many rows."""

    def made() -> Typed:
        from autopar.sched.trailing import trailing

        return trailing(typed, groups, block)

    return kept("trailing", (typed, groups, block), made, _directory("nests"))


def bands(
    typed: Typed,
    analysis: Analysis,
    held: frozenset[int],
    scope: Scope | None,
    finest: bool = False,
    once: bool = False,
) -> tuple[Band, ...]:
    """Loops of the schedule that may run in tiles, in the order that `plan` counts them."""

    def made() -> tuple[Band, ...]:
        from autopar.sched.distribute import schedule
        from autopar.sched.wavefront import bands

        found = schedule(typed.nest, analysis, held, scope, finest=finest)
        return bands(typed, found, analysis, held)

    question = typed, analysis, held, scope, finest
    return kept("bands", question, made, *_where("plans", once))


def plan(
    typed: Typed,
    analysis: Analysis,
    held: frozenset[int],
    scope: Scope | None,
    expand: bool = False,
    tilings: tuple[Tiling, ...] = (),
    finest: bool = False,
    cuts: tuple[Cut, ...] = (),
    shared: frozenset[str] = frozenset(),
    once: bool = False,
    products: bool = False,
    wide: bool = False,
) -> Plan:
    """The schedule for one outcome of the dependence conditions.

    Parameters
    ----------
    scope
        Which reductions may be computed in parts; None: none.
    expand
        Whether copies of a loop may hand scalars on in temporary arrays.
    tilings
        Bands of it that run in tiles.
    finest
        Whether loops that run in order are distributed as far as is legal.
    cuts
        Loops that may be cut in parts.
    shared
        Array paths that share memory with another path, or with themselves.
    once
        Whether the analysis is made of numbers of one call.
    products
        Whether products of matrices are left to BLAS.
    wide
        Whether it is for a device, which has so many work items that none needs to do several
        iterations side by side.
    """

    def made() -> Plan:
        from autopar.sched.behind import behind
        from autopar.sched.distribute import schedule
        from autopar.sched.flat import in_registers
        from autopar.sched.interchange import interchanged
        from autopar.sched.lanes import in_lanes
        from autopar.sched.partial import partials
        from autopar.sched.trailing import told
        from autopar.sched.triangles import on_one_thread
        from autopar.sched.wavefront import bands, wavefronts

        layouts = {path: kind.layout for path, kind in typed.arrays}
        matrices = typed if products else None
        found = schedule(typed.nest, analysis, held, scope, expand, finest, cuts, matrices)
        found = told(replace(found, body=on_one_thread(found.body)))
        if tilings:
            found = wavefronts(found, bands(typed, found, analysis, held), tilings)
        alone = {path for path, kind in typed.arrays if not kind.listed and path not in shared}
        deps = [analysis.dependences[k] for k in sorted(held)]
        if wide:
            found = replace(in_registers(found, frozenset(alone), deps), unshared=frozenset(alone))
            return interchanged(found, layouts, wide=True)
        rows = dict(behind(typed, analysis, held))
        extremes = dict(partials(typed, analysis, held, alone))
        slow = _in_strips(typed)
        lanes = in_lanes(found, layouts, frozenset(alone), deps, rows, extremes, slow)
        return interchanged(lanes, layouts)

    question = typed, analysis, held, scope, expand, tilings, finest, cuts, shared, products, wide
    found = kept("plan", question, made, *_where("plans", once))
    journal.debug(3, lambda: f"{_place(typed.nest)}: plan\n{found}")
    return found


def fused(
    typed: Typed,
    plan: Plan,
    facts: Facts,
    independent: Independent,
    equal: Equal,
    forward: Forward,
    stay: Stay,
) -> Plan:
    """`plan` with neighbouring loops joined, and scalars for what they hand on.

    Parameters
    ----------
    facts
        What its dependences were found with.
    independent, equal, forward, stay
        Answers for the call at hand.
    """
    from autopar.sched.contraction import contracted
    from autopar.sched.fusion import Known, fused

    slow = _in_strips(typed)
    overlapping = {(one.first, one.second) for one in facts.tangled}
    overlapping |= {pair for group in facts.same for pair in combinations(group, 2)}
    joined = fused(plan, Known(independent, equal, frozenset(overlapping), slow, forward, stay))
    found = contracted(joined, typed)
    if found is not plan:
        journal.debug(3, lambda: f"{_place(typed.nest)}: plan with loops joined\n{found}")
    return found


def _in_strips(typed: Typed) -> frozenset[str]:
    """Paths of the functions that are called for strips of iterations at a time."""
    from autopar.cpu.ufuncs import INLINE

    ufuncs = ((path, f.name) for path, f in typed.calls if f.form == "ufunc")
    return frozenset(path for path, name in ufuncs if name not in INLINE)


def fusion(typed: Typed, plan: Plan, facts: Facts, answers: tuple[bool, ...]) -> Any:
    """What `keep_fusion` has kept after these answers, or None."""
    cache, _ = _where("plans", numbered(facts))
    return find("fusion", (typed, plan, facts, answers), cache)


def keep_fusion(typed: Typed, plan: Plan, facts: Facts, answers: tuple[bool, ...], step: T) -> T:
    """Keep what comes after these answers, on the way to the plan that `fused` makes."""
    question = typed, plan, facts, answers
    return keep("fusion", question, step, *_where("plans", numbered(facts)))


def emit(typed: Typed, plan: Plan, options: EmitOptions) -> Program | Refusal:
    """Text of the kernels and the driver of `plan`."""

    def made() -> Program | Refusal:
        from autopar.cpu.emit import emit

        scheduled = _scheduled(typed, plan)
        kinds = ", ".join(f"{name}: {'|'.join(sorted(kind))}" for name, kind in scheduled.scalars)
        journal.debug(5, f"{_place(typed.nest)}: types\n{kinds}")
        return emit(scheduled, plan, options)

    return kept("emit", (typed, plan, options), made, _directory("programs"))


def missing(typed: Typed, plan: Plan, program: Program) -> str | None:
    """The name of a kernel of `program` that would have to be compiled; None: all are there."""
    from autopar.cpu.build import name_on_disk

    cache = _kernel_dir()
    typed = _with_temporaries(typed, plan)
    for kernel in program.kernels:
        name, there = name_on_disk(kernel, typed, program, cache)
        if not there:
            return name
    return None


def load(typed: Typed, plan: Plan, program: Program, later: bool = False) -> Loaded:
    """Machine code of `program`, which was made of `plan`, compiled or from the cache.

    llvmlite is imported here, so that a script without a hot loop never pays for it.

    Parameters
    ----------
    later
        Whether that has time until a kernel is called, which may never be: another device has it.
    """
    from autopar.cpu.build import build

    cache = _kernel_dir()
    for kernel in program.kernels:
        journal.debug(4, kernel.text)
    journal.debug(4, program.driver)
    typed = _with_temporaries(typed, plan)
    makers = [partial(build, kernel, typed, program, cache) for kernel in program.kernels]
    built = [] if later else [make() for make in makers]
    space: dict[str, Any] = {}
    exec(compile(program.driver, "<autopar driver>", "exec"), space)
    compiled = any(b.compiled for b in built)
    index = {name: k for k, (name, _) in enumerate(program.slots)}
    calls = tuple(map(_Later, makers)) if later else tuple(b.call for b in built)
    drive = space["drive"]
    may = program.may_fail, program.may_alarm
    inputs = tuple(_extent(path) for path in program.inputs)
    numbers = enumerate(program.kernels)
    alone = frozenset(k for k, one in numbers if one.multiplies and not one.parallel)
    return Loaded(program, calls, drive, compiled, index, *may, inputs, alone)


def vectors(typed: Typed, plan: Plan, program: Program) -> str:
    """Which innermost loops of `program`, which was made of `plan`, work on vectors."""
    from autopar.cpu.build import optimised
    from autopar.cpu.vectorized import innermost, told

    typed = _with_temporaries(typed, plan)
    texts = (optimised(kernel, typed, program) for kernel in program.kernels)
    return told([loop for text in texts for loop in innermost(text)])


class _Later:
    """A kernel that is made when it is called for the first time."""

    __slots__ = ("call", "make")

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make
        self.call: Callable[..., int] | None = None

    def __call__(self, *args: Any) -> int:
        if self.call is None:
            made: Callable[..., int] = self.make().call
            self.call = made
        return self.call(*args)


def for_device(
    typed: Typed, plan: Plan, program: Program, target: Target
) -> tuple[Source, ...] | Refusal:
    """The kernels of `program`, which was made of `plan`, in C; or why one of them has none."""
    dialect, _ = target
    elementary: frozenset[str] = frozenset()
    if config.current().fp != "exact":
        from autopar.device.ulps import near

        elementary = near(target)
    from autopar.cpu.build import parameters
    from autopar.device.dialect import DIALECTS
    from autopar.device.lower import lower, together

    typed = _with_temporaries(typed, plan)
    found = []
    for kernel in program.kernels:
        given = parameters(kernel, typed, program)
        made = lower(kernel, given, DIALECTS[dialect], elementary)
        if isinstance(made, Refusal):
            return replace(made, span=Span(typed.nest.file, typed.nest.loop.line))
        journal.debug(4, made.text)
        found.append(made)
    folder = config.current().dump_kernels
    if folder is not None:
        from autopar.device.dump import dump

        try:
            dump(folder, DIALECTS[dialect], found, typed.nest.file, program.lines)
        except OSError as error:
            journal.write(f"--dump-kernels: {error}")
    return together(found, DIALECTS[dialect])


def _extent(path: str) -> tuple[str, str, int]:
    """An input of a driver, with the array and the axis of which it is the extent."""
    array, found, axis = path.rpartition(".shape[")
    return path, array, int(axis[:-1]) if found else 0


def mover(
    work: Literal["read", "write", "same"], dtype: str, kept: bool = False
) -> Callable[..., int] | None:
    """What reads, writes or compares elements of lists; None where only Python can.

    Parameters
    ----------
    kept
        Only if an earlier process has made it; None where none has.
    """
    from autopar.cpu.build import mover
    from autopar.cpu.items import usable

    return mover(work, dtype, _kernel_dir(), kept) if usable() else None


def teams() -> Callable[..., int]:
    """What has threads work together; see `cpu.team`."""
    from autopar.cpu.build import teams

    return teams(_kernel_dir())


def _scheduled(typed: Typed, plan: Plan) -> Typed:
    """`typed` with the loop variables and the numbers that only `plan` has."""
    loops = (node.loop.var for node in walk(plan.body) if isinstance(node, Loop))
    return typed.counting(frozenset(loops), plan.cuts, plan.divided)


def _with_temporaries(typed: Typed, plan: Plan) -> Typed:
    """The same, with the arrays that `plan` hands scalars on in."""
    from autopar.sched.expand import with_temporaries

    return with_temporaries(_scheduled(typed, plan), plan)


def _place(nest: Nest) -> str:
    return f"{nest.file}:{nest.loop.line}"


def _line(dep: Dependence) -> str:
    level = "one iteration" if dep.level is None else f"level {dep.level}"
    ends = f"line {dep.source_line} {dep.source_text} -> line {dep.sink_line} {dep.sink_text}"
    return f"{dep.kind} {ends}, {level}, distance {dep.distance}, when {dep.when}"


def _kernel_dir() -> str | None:
    return _directory("kernels")


def numbered(facts: Facts) -> bool:
    """Whether there are numbers of one call in `facts`: not all of that is kept for ever."""
    return bool(facts.values or facts.tangled)


def _where(name: str, once: bool) -> tuple[str | None, bool]:
    """Where `name` are kept, and whether the numbers of one call are in them."""
    return _directory(f"passing_{name}" if once else name), once


def _directory(name: str) -> str | None:
    """Where `name` are kept, private to the user; None where that cannot be."""
    try:
        return config.cache_folder(name)
    except (OSError, config.ConfigError) as error:
        journal.say(1, f"{name} are not cached: {error}")
        return None
