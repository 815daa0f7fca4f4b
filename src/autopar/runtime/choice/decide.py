"""What the parameters of one call decide: dependences that hold, accesses in bounds, the plan."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from autopar import config, journal, pipeline
from autopar.config import Target
from autopar.deps.data import Analysis, Crossings, Facts, Overlap, Private, highest, lowest
from autopar.kept import is_only_found, only_found
from autopar.nest.flow import elements_read
from autopar.nest.forward import definitions, looked_through, substitute
from autopar.nest.ir import (
    FIRST_ROOM,
    Assign,
    Compare,
    Element,
    Expr,
    For,
    Load,
    Name,
    Stmt,
    While,
)
from autopar.nest.typed.listed import handed_on
from autopar.nest.typed.types import Typed
from autopar.nest.walking import accesses, blocks, expressions, statements, walk, written
from autopar.records import replace
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.choice import estimate, interval
from autopar.runtime.choice.contents import (
    Seen,
    index_arrays,
    ragged_rows,
    row_length,
    rows,
    through,
)
from autopar.runtime.choice.entered import in_words, words
from autopar.runtime.choice.fusions import Fusions
from autopar.runtime.choice.numbers import Ration
from autopar.runtime.choice.outline import EMPTIED
from autopar.runtime.choice.short import with_short
from autopar.runtime.choice.waves import WHOLE, Waves
from autopar.runtime.process import deciding
from autopar.runtime.values.facts import Aliases, Values
from autopar.sched.blocks import Copies, blocked
from autopar.sched.cuts import Cut
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, in_order, products, source_order
from autopar.sched.reductions import Scope
from autopar.sched.tiles import Band
from autopar.verdict import Reason, Refusal, Refused, Span

if TYPE_CHECKING:
    from autopar.deps.cells import Boxes, Footprint
    from autopar.sched.flat import Forms

_MOST_STATEMENTS = 100  # of a nest that is asked whether it may be run twice
_PART = 16  # of all that may come into a queue, one part is likely to do so each time
_SOME_ROWS = 256  # that say how long others are
_MOST_TRIPS = 1_000_000  # of a loop until something is as large as a number
_MOST_OVERLAPS = 16  # ways in which the views of one type key overlap that are analysed
Ranges = dict[str, tuple[int, int]]
Pairs = frozenset[tuple[str, int]]  # of an array and a `For.id`
Rooms = tuple[tuple[tuple[int, ...], str] | None, ...]
"""Shape and dtype of each array that a nest makes; None: it begins as a copy."""
T = TypeVar("T")


def apart(work: Callable[[], T]) -> T:
    """``work()``, which may import, analyse or compile: on a thread of its own, one at a time."""

    only = is_only_found()

    def alone() -> T:
        with deciding, unnoticed(), only_found(only):
            return work()

    return aside(alone)


def remembered(work: Callable[..., T]) -> Callable[..., T]:
    """`work`, done `apart` and once for each question."""
    known: dict[Any, T] = {}

    def found(*question: Any, **options: Any) -> T:
        key = (question, *options.items()) if options else question
        if key in known:
            return known[key]

        def first() -> T:
            if key not in known:
                known[key] = work(*question, **options)
            return known[key]

        return apart(first)

    return found


class State:
    """Everything for one type key; `typed` is without induction variables.

    Attributes
    ----------
    target
        The device that plans are made for; None: the cores.
    """

    def __init__(self, as_written: Typed, target: Target | None = None) -> None:
        self.as_written, self.target = as_written, target
        typed, self.given = pipeline.closed(as_written) or (as_written, ())
        self.typed = typed
        self.relaxed = config.current().fp == "relaxed"
        self.size = sum(1 for _ in statements(typed.nest.loop))
        self.words = words(as_written.nest, typed.nest) if typed is not as_written else {}
        self.ints = tuple(typed.ints)
        self.written = written(typed.nest)
        self.locals = typed.nest.locals
        self.room = FIRST_ROOM  # in lists of which nobody knows how long they get
        self.limits = tuple(set(self.ints) & set(_compared(typed.nest.loop)))
        self.rooms: dict[Any, Rooms] = {}  # by the numbers and shapes of a call
        self.weak = tuple(path for path, kind in typed.arrays if kind.weak)
        self.mixed = {p: (kind.listed, kind.other) for p, kind in typed.arrays if kind.mixed}
        self.extends = bool(self.given or self.weak or self.mixed or self.locals)
        self.apart = tuple(typed.nest.apart)
        lists = {path for path, kind in typed.arrays if kind.listed}
        made = lists & {*self.written, *(local.path for local in self.locals)}
        # A nan among these is to be the same object, which kernels know nothing of.
        into_lists = handed_on(typed.nest.loop, made)
        handed = lists & handed_on(typed.nest.loop, {*made, *typed.nest.live_out})
        self.same = into_lists | handed if lists else frozenset[str]()
        self.reads = elements_read((typed.nest.loop,))
        self.everything = frozenset(a.id for _, a in accesses(typed.nest.loop))
        # Keyed here, not by the nest, whose hash walks all of it.
        self.analyse = remembered(self._analyse)
        self.plan = remembered(self._plan)
        self.bands = remembered(self._bands)
        self.products = remembered(self._products)
        self.fusions = Fusions(typed, lambda found, env: parameters(found, self, env), apart)
        self.alones: dict[tuple[int, tuple[str, ...]], Plan] = {}  # by the id of the plan, and why
        self.blocks: dict[tuple[int, int], Plan] = {}  # by the id of the plan, and how many rows
        self.flats: dict[tuple[int, Forms], Plan] = {}  # by the id of the plan, and the tiles
        self.shorts: dict[tuple[int, frozenset[int]], Plan] = {}  # by the id, and which loops
        self.tiles: dict[tuple[int, int], None] = {}  # rows and columns of tiles so far
        self.private = remembered(functools.partial(pipeline.private, typed.nest))
        self.footprint = remembered(functools.partial(pipeline.footprint, typed.nest))
        self.pieces = remembered(lambda *some: (pipeline.footprint(*some), pipeline.boxes(*some)))
        self.crossings = remembered(functools.partial(pipeline.crossings, typed.nest))
        self.put_back = remembered(functools.partial(pipeline.put_back, typed.nest))
        self.meaning = definitions(typed.nest)
        self.overlaps: set[frozenset[Overlap]] = set()
        self.indices = index_arrays(typed, self.meaning)
        self.rows = tuple(rows(typed.nest.loop, self.meaning, self.indices))
        self.ragged_rows = tuple(ragged_rows(typed.nest.loop))
        self.through = through(typed.nest.loop, self.meaning, self.indices)
        loops = (s for s in statements(typed.nest.loop) if isinstance(s, For))
        self.loops = tuple(looked_through(loop, self.meaning) for loop in loops)
        self.numbers = Ration(), Ration()  # without and with the contents of index arrays
        self.facts = Facts(
            ints=typed.ints,
            ranks=tuple((path, kind.ndim) for path, kind in typed.arrays),
            builtins=frozenset(path for path, f in typed.calls if f.form == path),
        )

    @functools.cached_property
    def source_order(self) -> Plan:
        """The nest as it stands."""
        return source_order(self.typed.nest)

    def alone(self, plan: Plan, why: tuple[str, ...]) -> Plan:
        """`plan` on one thread, for these reasons."""
        if (id(plan), why) not in self.alones:
            self.fusions.kept.append(plan)
            self.alones[id(plan), why] = replace(in_order(plan), explain=why)
        return self.alones[id(plan), why]

    def blocked(self, plan: Plan, found: Copies, rows: int) -> Plan:
        """`plan` with these copies of a loop in blocks of so many iterations."""
        if (id(plan), rows) not in self.blocks:
            self.fusions.kept.append(plan)
            self.blocks[id(plan), rows] = blocked(plan, found, rows)
        return self.blocks[id(plan), rows]

    def flat(self, plan: Plan, forms: Forms) -> Plan:
        """`plan` for a device, with nests of parallel loops as one range, in such tiles."""
        key = id(plan), forms
        if key not in self.flats:
            from autopar.sched.flat import flattened  # of no use to those who have no device

            self.fusions.kept.append(plan)
            layouts = {path: kind.layout for path, kind in self.typed.arrays}
            dtypes = {path: kind.dtype for path, kind in self.typed.arrays}
            self.flats[key] = flattened(plan, forms, layouts, dtypes)
        return self.flats[key]

    def shortened(self, plan: Plan, numbers: frozenset[int]) -> Plan:
        """`plan` with these of its loops left to one thread."""
        if not numbers:
            return plan
        if (id(plan), numbers) not in self.shorts:
            self.fusions.kept.append(plan)
            found = self.shorts[id(plan), numbers] = with_short(plan, numbers)
            journal.debug(3, lambda: f"plan with short loops on one thread\n{found}")
        return self.shorts[id(plan), numbers]

    def renewed(self, alias: Aliases, facts: Facts, inside: frozenset[int]) -> frozenset[str]:
        """Arrays that running again brings to the same, whatever an earlier run has left in them.

        Parameters
        ----------
        inside
            Accesses that do not wrap.
        """
        locals_ = self.typed.nest.locals
        begun = {local.path for local in locals_ if local.initial is not None}
        changed = _sharing(self.written, alias)
        if self.reads.isdisjoint(changed | begun):
            return changed | begun
        if begun or self.size > _MOST_STATEMENTS:
            return frozenset()
        theirs = {a.id for _, a in accesses(self.typed.nest.loop) if a.array in changed}
        return changed - self.put_back(facts) if theirs <= inside else frozenset()

    def steady(self, alias: Aliases) -> tuple[str, ...]:
        """The index arrays that share no memory with what is written."""
        if not self.indices:
            return ()
        changed = _sharing(self.written, alias)
        return tuple(path for path in self.indices if path not in changed)

    def rationed(self, facts: Facts) -> Facts:
        """`facts`, with nothing said of how views overlap once that has changed often.

        What is said has numbers in it, and views that move at each call must not be analysed anew
        each time.
        """
        if facts.tangled not in self.overlaps:
            if len(self.overlaps) >= _MOST_OVERLAPS:
                unknown = frozenset(Overlap(one.first, one.second) for one in facts.tangled)
                return replace(facts, tangled=unknown)
            self.overlaps.add(facts.tangled)
        return facts

    def _analyse(self, facts: Facts) -> Analysis:
        found = pipeline.analyse(self.typed.nest, facts)
        return in_words(found, self.words) if self.words else found

    def _scope(self, facts: Facts, way: Way, private: Pairs = frozenset()) -> Scope | None:
        if way is Way.IN_PLACE:
            return None
        return Scope(self.typed, sharing(facts), self.relaxed, way is not Way.PARTS, private)

    def _plan(
        self,
        facts: Facts,
        held: frozenset[int],
        way: Way,
        private: Pairs = frozenset(),
        waves: Waves = WHOLE,
        cuts: tuple[Cut, ...] = (),
    ) -> Plan | None:
        """The plan that takes that way; None where it leads no further than the way before.

        Parameters
        ----------
        private
            Arrays that may be copied for the parts of a loop, with its `For.id`.
        waves
            Which of its loops run in tiles.
        cuts
            Loops that may be cut in parts.
        """
        analysis, scope = self.analyse(facts), self._scope(facts, way, private)
        expand = way is Way.EXPANDED
        once = pipeline.numbered(facts)
        found = pipeline.plan(
            self.typed,
            analysis,
            held,
            scope,
            expand,
            waves.tilings,
            waves.finest,
            cuts,
            sharing(facts),
            once,
            wide=self.target is not None,
        )
        if way is Way.COPIES and not any(r.array for r in found.reductions):
            return None
        return None if expand and not found.temporaries else found

    def _products(self, facts: Facts, held: frozenset[int]) -> Plan | None:
        """The plan that leaves products of matrices to BLAS; None where there are none."""
        from autopar.cpu import blas  # nobody else has to know

        if not blas.found():
            return None
        analysis, scope = self.analyse(facts), self._scope(facts, Way.PARTS)
        once = pipeline.numbered(facts)
        found = pipeline.plan(self.typed, analysis, held, scope, once=once, products=True)
        return found if any(products(found.body)) else None

    def _bands(self, facts: Facts, held: frozenset[int], finest: bool) -> tuple[Band, ...]:
        analysis, scope = self.analyse(facts), self._scope(facts, Way.PARTS)
        return pipeline.bands(self.typed, analysis, held, scope, finest, pipeline.numbered(facts))


class Way(Enum):
    """What a plan may do for more parallel loops, from cheap to dear."""

    IN_PLACE = "in place"
    PARTS = "parts"
    """Compute scalar reductions in parts."""
    COPIES = "copies"
    """Give each part a copy of arrays that it accumulates in."""
    EXPANDED = "expanded"
    """Hand scalars on from one copy of a loop to another in temporary arrays."""


def sharing(facts: Facts) -> frozenset[str]:
    """Array paths that share memory with another path, or with themselves."""
    tangled = (name for pair in facts.tangled for name in (pair.first, pair.second))
    return frozenset((*tangled, *(name for group in facts.same for name in group)))


def _sharing(paths: Sequence[str], alias: Aliases) -> frozenset[str]:
    """`paths`, and the arrays that share memory with one of them."""
    found = set(paths)
    for group in alias.same:
        if found & set(group):
            found |= set(group)
    for overlap in alias.tangled:
        if {overlap.first, overlap.second} & set(paths):
            found |= {overlap.first, overlap.second}
    return frozenset(found)


def environment(ints: Sequence[str], values: Values, seen: Seen = ()) -> Ranges:
    """Exact values of parameters and extents, as intervals of one point; ranges of elements."""
    env: Ranges = {interval.SEEN: (0, 0)} if seen else {}
    for path, found in seen:
        env[lowest(path)], env[highest(path)] = (found.low, found.low), (found.high, found.high)
        held = np.iinfo(values.arrays[path].dtype)
        env[interval.width(path)] = (int(held.min), int(held.max))
    for path in ints:
        number = values.numbers[path]
        env[path] = (number, number)
    for path, array in values.arrays.items():
        shape = array.shape
        for (name, from_end), size in zip(_extents(path, len(shape)), shape, strict=True):
            env[name] = env[from_end] = (size, size)
    return env


@functools.lru_cache(4096)
def _extents(path: str, rank: int) -> tuple[tuple[str, str], ...]:
    """Both names of each extent of an array."""
    return tuple(
        (interval.extent(path, axis), interval.extent(path, axis - rank)) for axis in range(rank)
    )


def middle(state: State, values: Values, env: Ranges) -> dict[str, float]:
    """What estimates are made from: `env`, and how long the rows of compressed arrays are.

    A loop that makes a list of unknown length is taken to go through the longest of the live-ins,
    row by row where those have rows, or as often as a number says that something is compared to.
    """
    found = {name: float(low) for name, (low, _) in env.items()}
    if any(local.room for local in state.locals):
        own = {local.path for local in state.locals}
        rows = {path for _, path in (*state.rows, *state.ragged_rows)}
        sizes = (values.arrays[path].size for path in rows or values.arrays.keys() - own)
        limits = (min(values.numbers[path], _MOST_TRIPS) for path in state.limits)
        found[estimate.WHILES] = float(max((0, *sizes, *limits)))
        found[EMPTIED.id] = found[estimate.WHILES] / _PART
    for loop, path in state.rows:
        found[estimate.usual_trips(loop)] = row_length(values.arrays[path])
    for loop, path in state.ragged_rows:
        some = values.lists.value(path)[:_SOME_ROWS]
        found[estimate.usual_trips(loop)] = sum(some) / max(len(some), 1)
    return found


def _compared(loop: For) -> Iterator[str]:
    """Names that are compared to something in loops of which nobody knows how often they run."""
    loops = [stmt for stmt in statements(loop) if isinstance(stmt, While)]
    for stmt in (inner for outer in loops for inner in statements(outer)):
        for expr in (part for top in expressions(stmt) for part in walk(top)):
            if isinstance(expr, Compare):
                yield from (side.id for side in (expr.left, expr.right) if isinstance(side, Name))


Settled = tuple[Facts, frozenset[int], frozenset[int]]


def settle(state: State, facts: Facts, env: Ranges) -> Settled:
    """Facts, dependences that hold, accesses in bounds; wrapped accesses are not believed.

    Without numbers in the facts where that is enough: with them, they are those of one call.
    """
    facts = state.rationed(facts)
    found = _settle(state, facts, env)
    wanted = state.analyse(facts).wanted
    if not wanted or not (found[0].unreadable - found[2] or _in_order(state, found)):
        return found
    ration = state.numbers[bool(facts.elements)]
    numbers = ration.numbers(wanted, env)
    if not numbers:
        return found
    other = _settle(state, replace(facts, values=numbers), env)
    helped = _better(state, other, found)
    ration.note(numbers, helped)
    return other if helped else found


def _in_order(state: State, settled: Settled) -> bool:
    """Whether a loop would have to run in order."""
    plan = state.plan(*settled[:2], Way.PARTS)
    return plan is None or bool(plan.sequential_loops)


def hopeful(state: State, facts: Facts, held: frozenset[int], alias: Aliases) -> bool:
    """Whether the nest would be parallel without the dependences that index arrays may hide.

    What they hold may show that no two iterations meet in an array that is read or written
    through them; nothing else can come of it.
    """
    hidden = _sharing(tuple(state.through.values()), alias)
    known = state.analyse(facts).dependences
    others = frozenset(k for k in held if known[k].variable not in hidden)
    plan = state.plan(facts, others, Way.PARTS) if others < held else None
    return plan is not None and all(node.parallel for node in plan.body if isinstance(node, Loop))


def _better(state: State, one: Settled, two: Settled) -> bool:
    """Whether `one` has more in parallel than `two`, or as much and more accesses in bounds."""
    plans = (state.plan(*settled[:2], Way.PARTS) for settled in (one, two))
    worth, other = (_worth(plan.body, 0) for plan in plans if plan is not None)
    return (worth, len(one[2])) > (other, len(two[2]))


def _worth(nodes: Sequence[Node], around: int) -> tuple[int, int]:
    """Statements in parallel loops, and the sum of the parallel loops around each statement."""
    found = [(int(around > 0), around) for node in nodes if isinstance(node, Leaf)]
    for node in nodes:
        if isinstance(node, Loop):
            found.append(_worth(node.body, around + node.parallel))
        elif isinstance(node, Branch):
            found += _worth(node.body, around), _worth(node.orelse, around)
    return sum(some for some, _ in found), sum(loops for _, loops in found)


def _settle(state: State, facts: Facts, env: Ranges) -> Settled:
    """`settle`, with the numbers that `facts` has."""
    near: frozenset[int] = frozenset()
    while True:
        analysis = state.analyse(facts)
        values = parameters(analysis, state, env)
        inside = analysis.inside(values)
        outside = frozenset(k for k, _ in analysis.in_bounds) - inside
        if outside <= facts.unreadable:
            return facts, analysis.held(values), inside | near
        # What is believed of an element that is not where its subscript says may have been why
        # another access seemed to be in bounds: those are looked at again.
        near = within(state, outside, env)
        facts = replace(facts, unreadable=outside)


def within(state: State, ids: frozenset[int], env: Ranges) -> frozenset[int]:
    """Accesses of `ids` whose subscripts stay in bounds by their ranges alone.

    For subscripts that are not affine, such as ``(i - 1) % n``; they stay unknown to dependence
    analysis.
    """
    found: set[int] = set()

    def visit(stmts: Sequence[Stmt], ranges: Ranges) -> None:
        for stmt in stmts:
            for _, access in accesses(stmt) if isinstance(stmt, Assign) else _own_accesses(stmt):
                if access.id in ids and all(
                    _in_extent(substitute(index, state.meaning), access.array, axis, ranges)
                    for axis, index in enumerate(access.index)
                ):
                    found.add(access.id)
            for block in blocks(stmt):
                inner = dict(ranges)
                if isinstance(stmt, For):
                    here = interval.loop_range(looked_through(stmt, state.meaning), ranges)
                    inner.pop(stmt.var, None)
                    if here is not None:
                        inner[stmt.var] = here
                visit(block, inner)

    visit((state.typed.nest.loop,), dict(env))
    return frozenset(found)


def _own_accesses(stmt: Stmt) -> Iterator[tuple[Stmt, Load | Element]]:
    for top in expressions(stmt):
        for expr in walk(top):
            if isinstance(expr, Load):
                yield stmt, expr


def _in_extent(index: Expr, array: str, axis: int, ranges: Ranges) -> bool:
    found = interval.interval(index, ranges)
    return found is not None and found[0] >= 0 and found[1] < ranges[f"{array}.shape[{axis}]"][0]


def parameters(
    analysis: Analysis | Private | Crossings | Footprint | Boxes, state: State, env: interval.Env
) -> dict[str, int]:
    """Values of `analysis.params`."""
    found = {}
    for name in analysis.params:
        if name in env:
            found[name] = env[name][0]
            continue
        loop_id, _, end = name.removeprefix("loop").partition(".")
        loop = next(loop for loop in state.loops if loop.id == int(loop_id))
        start, step = interval.value(loop.start, env), interval.value(loop.step, env)
        count = interval.trips(loop, env)
        if start is None or step is None or count is None:
            where = Span(state.typed.nest.file, loop.line)
            raise Refused(Refusal(Reason.WRONG_TYPE, where, f"range of {loop.var}"))
        found[name] = start if end == "first" else start + (count - 1) * step
    return found
