"""Pairs of accesses that may touch the same element, level by level."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Literal

from autopar.deps.affine import Atom, Params, number, parameter
from autopar.deps.data import ALWAYS, NEVER, Condition, Dependence, Facts
from autopar.deps.domains import Place, Range, Reach
from autopar.deps.entries import blame, ordered, places
from autopar.deps.meeting import Meeting, meeting
from autopar.deps.solver import Points, Solver, Way
from autopar.deps.system import Row, System, TooHard
from autopar.nest.show import text
from autopar.records import dataclass, replace

_SAFE = re.compile(r"\bp(\d+)\b")

Step = tuple[int | None, str, int | None]  # distance, direction and least distance in one loop
Found = tuple[bool, int | None, Condition, Sequence[Step]]  # from the first to the second, level


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
    points: Points

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
    for one, two, met in pairs(reaches, facts):
        for forward, level, when, steps in _found(one, two, met, solver):
            source, sink = (one, two) if forward else (two, one)
            made = _dependence(source, sink, level, when, steps)
            yield replace(made, blame=blame(level, one, two, facts)) if facts.elements else made


def pairs(reaches: list[Reach], facts: Facts) -> Iterator[tuple[Reach, Reach, Meeting]]:
    """Accesses that may touch the same element, one of them writing; also one with itself."""
    for one, two in combinations_with_replacement(reaches, 2):
        if not (one.writes or two.writes) or (one is two and not one.writes):
            continue
        met = meeting(one, two, facts)
        if met is not None:
            yield one, two, met


def _found(one: Reach, two: Reach, met: Meeting, solver: Solver) -> list[Found]:
    """The dependences of a pair; remembered, for many pairs differ in nothing but their names."""
    ends = id(one.place), id(two.place), one is two, one.stmt.id == two.stmt.id
    key = (*ends, met.equal, met.first, met.second)
    known = solver.pairs.get(key)
    if known is None:
        systems, depth = systems_of(one, two, met, solver), len(one.place.loops)

        def levels(way: Way) -> list[Found]:
            return list(_levels(Pair(one, two, common_loops(one, two), way.points(systems, depth))))

        try:
            known = solver.first(levels)
        except TooHard:
            known = list(_everything(one, two))
        solver.pairs[key] = known
    return known


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
        domains = solver.domains.get((id(place), None))
        if domains is None:
            domains = solver.domains[id(place), None] = _domain(place, variables)
        systems = [domain.extended() for domain in domains]
        for system in systems:
            system.add((atom,), variables)
        known = NEVER
        try:
            if systems:
                known = solver.first(lambda way: way.points(systems, depth).exists())
        except TooHard:
            known = ALWAYS
        solver.remembered[key] = known
    return known


def all_of(conditions: Sequence[Condition]) -> Condition:
    """True where all of `conditions` are."""
    if NEVER in conditions:
        return NEVER
    params, parts = _parts([c for c in dict.fromkeys(conditions) if c != ALWAYS])
    return Condition(" and ".join(parts), params) if parts else ALWAYS


def _domain(place: Place, variables: list[Row]) -> list[System]:
    systems = []
    for guards in place.guards:
        system = System(len(place.loops))
        for around in place.loops:
            system.add((*around.atoms, *around.stride), variables)
        system.add(guards, variables)
        systems.append(system)
    return systems


def _none_of(conditions: list[Condition]) -> Condition:
    params, parts = _parts(conditions)
    return Condition(f"not ({' or '.join(parts)})", params) if parts else ALWAYS


def _parts(conditions: Sequence[Condition]) -> tuple[tuple[str, ...], list[str]]:
    """Parameters of all `conditions`, and their texts in those."""
    params = tuple(dict.fromkeys(p for condition in conditions for p in condition.params))
    parts = []
    for condition in conditions:
        place = [params.index(p) for p in condition.params]
        text = _SAFE.sub(lambda m, p=place: f"p{p[int(m[1])]}", condition.text)  # type: ignore[misc]
        parts.append(text if len(conditions) == 1 else f"({text})")
    return params, parts


def variables(one: Reach, two: Reach) -> tuple[list[Row], list[Row]]:
    """What the loop variables of both are in the columns of `Pair.points`."""
    depth, common = len(one.place.loops), common_loops(one, two)
    here: list[Row] = [{k: 1} for k in range(depth)]
    there: list[Row] = [{k: 1, depth + k: around.unit} for k, around in enumerate(common)]
    there += [{depth + k: 1} for k in range(len(common), len(two.place.loops))]
    return here, there


def systems_of(one: Reach, two: Reach, met: Meeting, solver: Solver) -> list[System]:
    """Both accesses touch the same element; any of these, in the columns of `Pair.points`."""
    here, there = variables(one, two)
    key = id(one.place), id(two.place)
    domains = solver.domains.get(key)
    if domains is None:
        domains = solver.domains[key] = _domains(one.place, two.place, here, there)
    equal = [made for x, y in met.equal for made in places(x, y, solver.elements)]
    systems: list[System] = []
    for domain in domains:
        system = domain.extended()
        system.add(met.first, here)
        system.add(met.second, there)
        for x, y in equal:
            system.equate(x, here, y, there)
        systems += ordered(system, solver.elements) if system.cells else (system,)
    return systems


def empty(solver: Solver, system: System, depth: int) -> bool:
    """Whether `system` has no points, whatever the parameters.

    Parameters
    ----------
    depth
        How many loops there are around the first access of the pair.
    """
    return solver.first(lambda way: way.points([system], depth).is_empty())


def in_one(system: System, depth: int, level: int) -> System:
    """`system`, in one iteration of the outermost `level` loops around both accesses."""
    made = system.extended()
    made.rows += [("==", {depth + k: 1}, 0) for k in range(level)]
    return made


def difference(one: Row, two: Row) -> Row:
    """`one` minus `two`."""
    keys: Sequence[int | str] = [*one, *(key for key in two if key not in one)]
    made = {key: one.get(key, 0) - two.get(key, 0) for key in keys}
    return {key: factor for key, factor in made.items() if factor}


def _domains(one: Place, two: Place, here: list[Row], there: list[Row]) -> list[System]:
    """What holds of the iterations of both, whatever the subscripts."""
    loops, others = one.loops, two.loops
    systems = []
    for guards, guards_two in product(one.guards, two.guards):
        system = System(len(loops) + len(others))
        for around in loops:
            system.add((*around.atoms, *around.stride), here)
        for k, around in enumerate(others):
            # A common loop whose unit is its step keeps the stride by construction.
            shared = k < len(loops) and loops[k].loop.id == around.loop.id
            kept = shared and abs(around.unit) == abs(around.scale)
            system.add(around.atoms if kept else (*around.atoms, *around.stride), there)
        system.add(guards, here)
        system.add(guards_two, there)
        systems.append(system)
    if not systems:  # a guard that is never true
        system = System(len(loops) + len(others))
        system.rows.append((">=", {}, -1))
        systems.append(system)
    return systems


def common_loops(one: Reach, two: Reach) -> tuple[Range, ...]:
    """The loops around both, outermost first."""
    pairs = zip(one.place.loops, two.place.loops, strict=False)
    return tuple(a for a, b in pairs if a.loop.id == b.loop.id)


def _levels(pair: Pair) -> Iterator[Found]:
    points = pair.points
    if points.is_empty():
        return
    one, two = pair.one, pair.two
    for level, around in enumerate(pair.common, start=1):
        at = pair.first_difference + level - 1
        later = points.at_least(at, 1)
        earlier = points.at_most(at, -1)
        if around.sign == 0:  # which of two iterations runs first is not known
            later = earlier = later.union(earlier)
        yield from _edge(pair, True, level, later)
        if one is not two:
            yield from _edge(pair, False, level, earlier)
        points = points.fixed(at, 0)
        if points.is_empty():
            return
    if one.stmt.id == two.stmt.id:
        return
    yield from _edge(pair, True, None, points)
    depth = len(pair.common)
    if _share_while(one, two, depth):  # within one iteration of these loops, in either order
        yield from _edge(pair, False, None, points)


def _share_while(one: Reach, two: Reach, depth: int) -> bool:
    shared = set(one.place.whiles) & set(two.place.whiles)
    return any(loops == depth for _, loops in shared)


def _edge(pair: Pair, forward: bool, level: int | None, points: Points) -> Iterator[Found]:
    when = points.exists()
    if when == NEVER:
        return
    sign = 1 if forward else -1
    steps = [_step(points, pair, k, level, sign) for k in range(len(pair.common))]
    yield forward, level, when, steps


def _step(points: Points, pair: Pair, k: int, level: int | None, forward: int) -> Step:
    """Distance, direction and least distance in common loop `k` (from 0)."""
    if level is None or k < level - 1:
        return 0, "=", 0
    around, at = pair.common[k], pair.first_difference + k
    if around.sign == 0:
        return None, "*", None
    fixed = points.value(at)
    if fixed is not None:
        units = fixed * forward
        direction = "<" if units > 0 else ">" if units < 0 else "="
        values = units * around.unit
        if values == 0 or (around.scale and values % around.scale == 0):
            iterations = values // around.scale if values else 0
            return iterations, direction, iterations
        return None, direction, None
    if k == level - 1:
        return None, "<", 1
    least, most = points.ends(at)
    if forward < 0:
        least, most = (None if end is None else -end for end in (most, least))
    lower = least if around.unit == around.scale else None
    if least is not None and least > 0:
        return None, "<", lower
    if most is not None and most < 0:
        return None, ">", lower
    return None, "*", lower


def _everything(one: Reach, two: Reach) -> Iterator[Found]:
    """Both ways at every level, for a pair that isl could not decide."""
    depth = len(common_loops(one, two))
    for level in (*range(1, depth + 1), None):
        if level is None and one.stmt.id == two.stmt.id:
            continue
        equal: list[Step] = [(0, "=", 0)] * (depth if level is None else level - 1)
        rest: list[Step] = [(None, "*", None)] * (depth - len(equal))
        if rest:
            rest[0] = (None, "<", None)
        yield True, level, ALWAYS, equal + rest
        if one is not two and (level is not None or _share_while(one, two, depth)):
            yield False, level, ALWAYS, equal + rest


def kind(source: Reach, sink: Reach) -> Literal["true", "anti", "output"]:
    """Of a dependence between two accesses."""
    if not source.writes:
        return "anti"
    return "output" if sink.writes else "true"


def _dependence(
    source: Reach,
    sink: Reach,
    level: int | None,
    when: Condition,
    steps: Sequence[Step],
) -> Dependence:
    return Dependence(
        source=source.stmt.id,
        sink=sink.stmt.id,
        variable=source.access.array,
        kind=kind(source, sink),
        level=level,
        distance=tuple(distance for distance, _, _ in steps),
        direction=tuple(direction for _, direction, _ in steps),
        when=when,
        source_line=source.access.line,
        sink_line=sink.access.line,
        source_text=text(source.access),
        sink_text=text(sink.access),
        least=tuple(least for _, _, least in steps),
    )
