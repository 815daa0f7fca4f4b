"""What the parameters of one call decide: dependences that hold, accesses in bounds, the plan."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from autopar import pipeline
from autopar.deps.data import Analysis, Facts, Overlap, highest, lowest
from autopar.nest.forward import definitions, substitute
from autopar.nest.ir import (
    Assign,
    Element,
    Expr,
    For,
    Load,
    Stmt,
    accesses,
    blocks,
    expressions,
    statements,
    walk,
    written,
)
from autopar.nest.types import Typed
from autopar.runtime import estimate, interval
from autopar.runtime.contents import Seen, index_arrays, row_length, rows
from autopar.runtime.facts import Aliases, Values
from autopar.sched.plan import Plan
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST_OVERLAPS = 16  # ways in which the views of one type key overlap that are analysed
Ranges = dict[str, tuple[int, int]]


class State:
    """Everything for one type key."""

    def __init__(self, typed: Typed) -> None:
        self.typed = typed
        self.ints = tuple(typed.ints)
        self.written = written(typed.nest)
        loads = (a for _, a in accesses(typed.nest.loop) if isinstance(a, Load))
        self.reads = frozenset(load.array for load in loads)
        self.everything = frozenset(a.id for _, a in accesses(typed.nest.loop))
        # Keyed here, not by the nest, whose hash walks all of it.
        self.analyse = functools.cache(functools.partial(pipeline.analyse, typed.nest))
        self.plan = functools.cache(self._plan)
        self.meaning = definitions(typed.nest)
        self.overlaps: set[frozenset[Overlap]] = set()
        self.indices = index_arrays(typed, self.meaning)
        self.rows = tuple(rows(typed.nest.loop, self.meaning, self.indices))
        self.loops = tuple(s for s in statements(typed.nest.loop) if isinstance(s, For))

    def rerunnable(self, alias: Aliases) -> bool:
        """Whether running twice comes to the same as running once: no written cell is read."""
        return not (self.reads & _sharing(self.written, alias))

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

    def _plan(self, facts: Facts, held: frozenset[int]) -> Plan:
        return pipeline.plan(self.typed, self.analyse(facts), held)


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


def environment(typed: Typed, values: Values, seen: Seen = ()) -> Ranges:
    """Exact values of parameters and extents, as intervals of one point; ranges of elements."""
    env: Ranges = {}
    for path, found in seen:
        env[lowest(path)], env[highest(path)] = (found.low, found.low), (found.high, found.high)
        held = np.iinfo(values.arrays[path].dtype)
        env[interval.width(path)] = (int(held.min), int(held.max))
    for path in typed.ints:
        env[path] = (values.numbers[path], values.numbers[path])
    for path, array in values.arrays.items():
        for axis, size in enumerate(array.shape):
            env[interval.extent(path, axis)] = (size, size)
            env[interval.extent(path, axis - array.ndim)] = (size, size)
    return env


def middle(state: State, values: Values, env: Ranges) -> dict[str, float]:
    """What estimates are made from: `env`, and how long the rows of compressed arrays are."""
    found = {name: float(low) for name, (low, _) in env.items()}
    for loop, path in state.rows:
        found[estimate.usual_trips(loop)] = row_length(values.arrays[path])
    return found


def settle(state: State, facts: Facts, env: Ranges) -> tuple[Facts, frozenset[int], frozenset[int]]:
    """Facts, dependences that hold, accesses in bounds; wrapped accesses are not believed."""
    facts = state.rationed(facts)
    analysis = state.analyse(facts)
    values = _parameters(analysis, state, env)
    inside = analysis.inside(values)
    outside = frozenset(k for k, _ in analysis.in_bounds) - inside
    if outside:
        inside |= _within(state, outside, env)
        facts = replace(facts, unreadable=outside)
        analysis = state.analyse(facts)
        values = _parameters(analysis, state, env)
    return facts, analysis.held(values), inside


def _within(state: State, ids: frozenset[int], env: Ranges) -> frozenset[int]:
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
                    here = interval.loop_range(stmt, ranges)
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


def _parameters(analysis: Analysis, state: State, env: Ranges) -> dict[str, int]:
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
