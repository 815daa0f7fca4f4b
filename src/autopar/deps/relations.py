"""Pairs of accesses that may touch the same element, level by level."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from typing import Any, Literal

import islpy as isl

from autopar.deps.affine import Atom, Params, number, parameter
from autopar.deps.data import ALWAYS, NEVER, Condition, Dependence, Facts
from autopar.deps.domains import Range, Reach
from autopar.deps.entries import blame, ordered, places
from autopar.deps.meeting import Meeting, meeting
from autopar.deps.sets import Row, Solver, System, TooHard
from autopar.nest.show import text

_SAFE = re.compile(r"\bp(\d+)\b")
_SET = isl.dim_type.set


@dataclass(frozen=True, slots=True)
class Pair:
    """Two accesses, `one` not after `two` in the text, and the loops around both.

    `points` has the variables of `one`, the differences to those of `two` in the common loops
    (in units of `Range.unit`, so counted in the order of execution), and the other variables of
    `two`.
    """

    one: Reach
    two: Reach
    common: tuple[Range, ...]
    points: Any

    @property
    def first_difference(self) -> int:
        """Position in `points` of the outermost common loop's difference."""
        return len(self.one.place.loops)


def dependences(reaches: list[Reach], facts: Facts, solver: Solver) -> Iterator[Dependence]:
    """All dependences through arrays.

    Notes
    -----
    For each pair of accesses with at least one write: integer points of both domains where the
    subscripts agree, ordered lexicographically by the common loops; level `l` carries what is
    equal in the loops outside it and differs in it.  Projected onto the parameters, this is the
    exact condition under which the dependence exists (Feautrier, *Dataflow analysis of array and
    scalar references*, 1991, without the last-write refinement; levels as in Allen & Kennedy,
    TOPLAS 9(4), 1987, section 3).  Staging, as in ALPyNA (Jacob, Trinder, Singer, DLS 2019): this
    part runs once, the conditions at each call.
    """
    for one, two in combinations_with_replacement(reaches, 2):
        if not (one.writes or two.writes) or (one is two and not one.writes):
            continue
        met = meeting(one, two, facts)
        if met is None:
            continue
        pair = _pair(one, two, met, facts, solver)
        try:
            found = list(_levels(pair, solver))
        except TooHard:
            found = list(_everything(pair))
        if facts.elements:
            found = [replace(dep, blame=blame(dep.level, one, two, facts)) for dep in found]
        yield from found


def in_bounds(reach: Reach, params: Params, solver: Solver) -> Condition:
    """When ``0 <= index < extent`` on every axis in every iteration that makes the access."""
    array, rank = reach.access.array, params.ranks.get(reach.access.array)
    if rank is None or rank != len(reach.index):
        return NEVER
    outside: dict[Condition, None] = {}
    for k, axis in enumerate(reach.index):
        extent = params.extent(array, k)
        if axis is None or extent is None:
            return NEVER
        for wrong in (axis.times(-1) - number(1), axis - parameter(extent)):
            found = _reached(reach, Atom(">=", wrong), solver)
            if found == ALWAYS:
                return NEVER
            outside[found] = None
    outside.pop(NEVER, None)
    return _none_of(list(outside))


def _reached(reach: Reach, atom: Atom, solver: Solver) -> Condition:
    """When some iteration of the access has `atom` true; ALWAYS when that is too hard."""
    place = reach.place
    key = tuple(r.loop.id for r in place.loops), place.guards, atom
    known = solver.remembered.get(key)
    if known is None:
        depth = len(place.loops)
        variables: list[Row] = [{k: 1} for k in range(depth)]
        pieces = []
        for guards in place.guards:
            system = System(depth)
            for around in place.loops:
                system.add((*around.atoms, *around.stride), variables)
            system.add((*guards, atom), variables)
            pieces.append(system)
        try:
            known = solver.exists(_union(pieces, solver)) if pieces else NEVER
        except TooHard:
            known = ALWAYS
        solver.remembered[key] = known
    return known


def _none_of(conditions: list[Condition]) -> Condition:
    if not conditions:
        return ALWAYS
    params = tuple(dict.fromkeys(p for condition in conditions for p in condition.params))
    parts = []
    for condition in conditions:
        place = [params.index(p) for p in condition.params]
        text = _SAFE.sub(lambda m, p=place: f"p{p[int(m[1])]}", condition.text)  # type: ignore[misc]
        parts.append(text if len(conditions) == 1 else f"({text})")
    return Condition(f"not ({' or '.join(parts)})", params)


def _union(systems: list[System], solver: Solver) -> Any:
    """Points of any of `systems`."""
    made = None
    for system in systems:
        points = solver.solutions(system)
        made = points if made is None else made.union(points)
    return made


def _pair(one: Reach, two: Reach, met: Meeting, facts: Facts, solver: Solver) -> Pair:
    elements = {known.array: known for known in facts.elements}
    loops, others = one.place.loops, two.place.loops
    common = tuple(a for a, b in zip(loops, others, strict=False) if a.loop.id == b.loop.id)
    depth, shared = len(loops), len(common)
    here: list[Row] = [{k: 1} for k in range(depth)]
    there: list[Row] = [{k: 1, depth + k: around.unit} for k, around in enumerate(common)]
    there += [{depth + k: 1} for k in range(shared, len(others))]
    pieces: list[System] = []
    for guards, guards_two in product(one.place.guards, two.place.guards):
        system = System(depth + len(others))
        for around in loops:
            system.add((*around.atoms, *around.stride), here)
        for k, around in enumerate(others):
            # A common loop whose unit is its step keeps the stride by construction.
            kept = k < shared and abs(around.unit) == abs(around.scale)
            system.add(around.atoms if kept else (*around.atoms, *around.stride), there)
        system.add(guards, here)
        system.add(guards_two, there)
        system.add(met.first, here)
        system.add(met.second, there)
        for pair in met.equal:
            for x, y in places(*pair, elements) if elements else (pair,):
                system.equate(x, here, y, there)
        pieces += ordered(system, elements) if system.cells else (system,)
    if not pieces:  # a guard that is never true
        system = System(depth + len(others))
        system.rows.append((">=", {}, -1))
        pieces.append(system)
    return Pair(one, two, common, _union(pieces, solver))


def _levels(pair: Pair, solver: Solver) -> Iterator[Dependence]:
    points = pair.points
    if points.is_empty():
        return
    one, two = pair.one, pair.two
    for level, around in enumerate(pair.common, start=1):
        at = pair.first_difference + level - 1
        later = points.lower_bound_val(_SET, at, solver.value(1))
        earlier = points.upper_bound_val(_SET, at, solver.value(-1))
        if around.sign == 0:  # which of two iterations runs first is not known
            later = earlier = later.union(earlier)
        yield from _edge(pair, solver, one, two, level, later)
        if one is not two:
            yield from _edge(pair, solver, two, one, level, earlier)
        points = points.fix_val(_SET, at, solver.value(0))
        if points.is_empty():
            return
    if one.stmt.id == two.stmt.id:
        return
    yield from _edge(pair, solver, one, two, None, points)
    if _share_while(pair):  # within one iteration of the loops outside, in either order
        yield from _edge(pair, solver, two, one, None, points)


def _share_while(pair: Pair) -> bool:
    shared = set(pair.one.place.whiles) & set(pair.two.place.whiles)
    return any(loops == len(pair.common) for _, loops in shared)


def _edge(
    pair: Pair, solver: Solver, source: Reach, sink: Reach, level: int | None, points: Any
) -> Iterator[Dependence]:
    when = solver.exists(points)
    if when == NEVER:
        return
    forward = 1 if source is pair.one else -1
    steps = [_step(points, pair, k, level, forward) for k in range(len(pair.common))]
    yield _dependence(source, sink, level, when, steps)


def _step(
    points: Any, pair: Pair, k: int, level: int | None, forward: int
) -> tuple[int | None, str]:
    """Distance and direction in common loop `k` (from 0)."""
    if level is None or k < level - 1:
        return 0, "="
    around, at = pair.common[k], pair.first_difference + k
    if around.sign == 0:
        return None, "*"
    fixed = points.plain_get_val_if_fixed(_SET, at)
    if fixed.is_int():
        units = fixed.to_python() * forward
        direction = "<" if units > 0 else ">" if units < 0 else "="
        values = units * around.unit
        if values == 0 or (around.scale and values % around.scale == 0):
            return (values // around.scale if values else 0), direction
        return None, direction
    if k == level - 1:
        return None, "<"
    least, most = points.dim_min_val(at), points.dim_max_val(at)
    if forward < 0:
        least, most = most.neg(), least.neg()
    if least.is_int() and least.is_pos():
        return None, "<"
    if most.is_int() and most.is_neg():
        return None, ">"
    return None, "*"


def _everything(pair: Pair) -> Iterator[Dependence]:
    """Both ways at every level, for a pair that isl could not decide."""
    depth = len(pair.common)
    for level in (*range(1, depth + 1), None):
        if level is None and pair.one.stmt.id == pair.two.stmt.id:
            continue
        equal: list[tuple[int | None, str]] = [(0, "=")] * (depth if level is None else level - 1)
        rest: list[tuple[int | None, str]] = [(None, "*")] * (depth - len(equal))
        if rest:
            rest[0] = (None, "<")
        yield _dependence(pair.one, pair.two, level, ALWAYS, equal + rest)
        if pair.one is not pair.two and (level is not None or _share_while(pair)):
            yield _dependence(pair.two, pair.one, level, ALWAYS, equal + rest)


def _dependence(
    source: Reach,
    sink: Reach,
    level: int | None,
    when: Condition,
    steps: list[tuple[int | None, str]],
) -> Dependence:
    kind: Literal["true", "anti", "output"] = "output"
    if not source.writes:
        kind = "anti"
    elif not sink.writes:
        kind = "true"
    return Dependence(
        source=source.stmt.id,
        sink=sink.stmt.id,
        variable=source.access.array,
        kind=kind,
        level=level,
        distance=tuple(distance for distance, _ in steps),
        direction=tuple(direction for _, direction in steps),
        when=when,
        source_line=source.access.line,
        sink_line=sink.access.line,
        source_text=text(source.access),
        sink_text=text(sink.access),
    )
