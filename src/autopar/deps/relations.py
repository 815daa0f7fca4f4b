"""Pairs of accesses that may touch the same element, level by level."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Literal

import islpy as isl

from autopar.deps.affine import Params
from autopar.deps.data import ALWAYS, NEVER, Condition, Dependence, Facts
from autopar.deps.domains import Range, Reach
from autopar.deps.sets import Solver, TooHard
from autopar.nest.show import text

_VARIABLE = re.compile(r"@(\d+)@")
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
        meeting = _meeting(one, two, facts)
        if meeting is None:
            continue
        pair = _pair(one, two, meeting, solver)
        try:
            with solver.allowance():
                found = list(_levels(pair, solver))
        except TooHard:
            found = list(_everything(pair))
        yield from found


def in_bounds(reach: Reach, params: Params, solver: Solver) -> Condition:
    """When ``0 <= index < extent`` on every axis in every iteration that makes the access."""
    array, rank = reach.access.array, params.ranks.get(reach.access.array)
    if rank is None or rank != len(reach.index) or any(axis is None for axis in reach.index):
        return NEVER
    outside: dict[str, Condition] = {}
    for k, axis in enumerate(reach.index):
        extent = params.extent(array, k)
        assert axis is not None
        for wrong in (f"{axis.text} < 0", f"{axis.text} >= {extent}"):
            formulas = [*_domain(reach), wrong]
            dims = [f"v{d}" for d in range(len(reach.place.loops))]
            points = solver.solutions(dims, [_named(f, "v") for f in formulas])
            try:
                with solver.allowance():
                    found = solver.exists(points)
            except TooHard:
                return NEVER
            if found == ALWAYS:
                return NEVER
            if found != NEVER:
                outside[str(found)] = found
    return _none_of(list(outside.values()))


def _none_of(conditions: list[Condition]) -> Condition:
    if not conditions:
        return ALWAYS
    params: list[str] = []
    parts = []
    for condition in conditions:
        new = [p for p in condition.params if p not in params]
        params += new
        place = {k: params.index(p) for k, p in enumerate(condition.params)}
        parts.append(re.sub(r"\bp(\d+)\b", lambda m, p=place: f"p{p[int(m[1])]}", condition.text))  # type: ignore[misc]
    return Condition(f"not ({' or '.join(parts)})", tuple(params))


def _meeting(one: Reach, two: Reach, facts: Facts) -> list[str] | None:
    """Formulas for both being one element, in ``v`` and ``w`` variables; None: they never are."""
    a, b = one.access.array, two.access.array
    if (min(a, b), max(a, b)) in facts.tangled:
        return []
    if a != b and not any(a in group and b in group for group in facts.same):
        return None
    return [
        f"{_named(x.text, 'v')} = {_named(y.text, 'w')}"
        for x, y in zip(one.index, two.index, strict=False)
        if x is not None and y is not None
    ]


def _pair(one: Reach, two: Reach, meeting: list[str], solver: Solver) -> Pair:
    loops, others = one.place.loops, two.place.loops
    common = tuple(a for a, b in zip(loops, others, strict=False) if a.loop.id == b.loop.id)
    strides = [r.stride for r in loops if r.stride]
    # A common loop whose unit is its step keeps the stride by construction.
    strides_two = [
        r.stride
        for k, r in enumerate(others)
        if r.stride and not (k < len(common) and abs(r.unit) == abs(r.scale))
    ]
    formulas = [_named(f, "v") for f in (*_domain(one, strides=False), *strides)]
    formulas += [_named(f, "w") for f in (*_domain(two, strides=False), *strides_two)]
    dims = [f"v{k}" for k in range(len(loops))] + [f"d{k}" for k in range(len(common))]
    dims += [f"w{k}" for k in range(len(common), len(others))]
    moved = {f"w{k}": f"(v{k} + {r.unit} * d{k})" for k, r in enumerate(common)}
    shown = [re.sub(r"\bw\d+\b", lambda m: moved.get(m[0], m[0]), f) for f in formulas + meeting]
    return Pair(one, two, common, solver.solutions(dims, list(dict.fromkeys(shown))))


def _domain(reach: Reach, strides: bool = True) -> list[str]:
    formulas = [f for r in reach.place.loops for f in r.formulas]
    if strides:
        formulas += [r.stride for r in reach.place.loops if r.stride]
    return [*formulas, *reach.place.guards]


def _named(formula: str, letter: str) -> str:
    return _VARIABLE.sub(lambda m: f"{letter}{m[1]}", formula)


def _levels(pair: Pair, solver: Solver) -> Iterator[Dependence]:
    points = pair.points
    if points.is_empty():
        return
    one, two = pair.one, pair.two
    for level, around in enumerate(pair.common, start=1):
        at = pair.first_difference + level - 1
        later = points.lower_bound_val(_SET, at, 1)
        earlier = points.upper_bound_val(_SET, at, -1)
        if around.sign == 0:  # which of two iterations runs first is not known
            later = earlier = later.union(earlier)
        yield from _edge(pair, solver, one, two, level, later)
        if one is not two:
            yield from _edge(pair, solver, two, one, level, earlier)
        points = points.fix_val(_SET, at, 0)
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
