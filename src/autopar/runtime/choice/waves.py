"""Whether loops should run in tiles along diagonals at a call, and how large the tiles are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autopar.nest.walking import statements
from autopar.records import dataclass, replace
from autopar.runtime.choice import estimate
from autopar.runtime.choice.outline import outlined
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Loop, Plan, walk, whole
from autopar.sched.tiles import Band
from autopar.sched.wavefront import Tiling, contains, has_parallel

SIZES = tuple((rows, columns) for rows in (2, 8, 32, 128) for columns in (8, 32, 128, 512, 2048))
"""Rows and columns of tiles: few, since each pair means kernels of its own."""
SMALLEST = (3, 4)
_WORTH = 0.75  # of the time without tiles, that tiles may take at the most
_ALIKE = 1.25  # of the best time, with which kernels that were made before are good enough
_BEHIND = 3.0
"""How many times faster rows are that go on some columns behind one another (`sched.behind`): 20
sweeps of Gauss and Seidel through 220 by 220 cells take 3.0 ms instead of 9.8."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A band at one call.

    Attributes
    ----------
    entries
        How often it is started.
    rows, columns
        Extent of the tiled area, which skewing and triangular ranges leave partly empty.
    points, seconds
        Iterations of the inner loop in one entry, and what they take on one thread.
    """

    entries: float
    rows: float
    columns: float
    points: float
    seconds: float

    def tiled_s(self, tile: tuple[int, int], threads: int) -> float:
        """Seconds in tiles: each diagonal waits for its slowest thread, and costs a launch."""
        rows, columns = tile
        high, wide = -(-self.rows // rows), -(-self.columns // columns)
        diagonals = max(1.0, high + wide - 1)
        work = self.seconds + self.rows * wide * MACHINE.tile_row_s
        one = work * min(1.0, rows * columns / self.points)
        abreast = work / one / diagonals
        turns = max(1.0, abreast / threads + (threads - 1) / (2 * threads))
        return self.entries * diagonals * (MACHINE.launch_s + one * turns)


@dataclass(frozen=True, slots=True)
class Waves:
    """How a schedule is carried out.

    Attributes
    ----------
    tilings
        Its bands that run in tiles, no two of which overlap.
    finest
        Whether loops that run in order are distributed as far as is legal.
    """

    tilings: tuple[Tiling, ...] = ()
    finest: bool = False


WHOLE = Waves()


def waves(
    plan: Callable[[Waves], Plan],
    bands: Callable[[bool], Sequence[Band]],
    env: Mapping[str, float],
    threads: int,
    made: Sequence[tuple[int, int]],
    always: bool,
) -> Waves:
    """What should run in tiles.

    Parameters
    ----------
    plan, bands
        The schedule carried out in a way, and its bands, of the finest one too.
    env
        Estimates of the parameters.
    made
        Sizes of tiles for which there are kernels, preferred where others gain little.
    always
        Whether tiles are wanted even where they cost time: the smallest, so that there are some.

    Notes
    -----
    Distribution can free a pair of loops from what keeps it in order, such as the search for the
    best score in a table that it fills.  The rest then reads the table once more, in order.
    """
    usual = plan(WHOLE)
    if threads < 2 or len(usual.sequential_loops) < 2:
        return WHOLE
    loops = (node.loop for node in walk(usual.body) if isinstance(node, Loop))
    rows = frozenset(loop.id for loop in loops if loop.lanes is not None and loop.lanes.behind)
    _, found = tilings(bands(False), env, threads, made, always, rows)
    if found or usual.parallel_loops:
        return Waves(found)
    gain_s, found = tilings(bands(True), env, threads, made, always, rows)
    finer = Waves(found, True)
    seconds, apart = (_seconds(plan(w), env) for w in (WHOLE, replace(finer, tilings=())))
    pays = apart - gain_s <= _WORTH * seconds
    return finer if found and (pays or always) else WHOLE


def _seconds(plan: Plan, env: Mapping[str, float]) -> float:
    work = sum(estimate.operations(outlined(node), env) for node in plan.body)
    return work * MACHINE.compiled_op_s


def tilings(
    bands: Sequence[Band],
    env: Mapping[str, float],
    threads: int,
    made: Sequence[tuple[int, int]],
    always: bool,
    rows: frozenset[int] = frozenset(),
) -> tuple[float, tuple[Tiling, ...]]:
    """Seconds that tiles gain, and the bands that should run in them; see `waves`.

    Parameters
    ----------
    rows
        Ids of loops whose iterations would go on behind one another, if they are not the outer ones
        of a band in tiles.
    """
    gains: list[tuple[float, Tiling]] = []
    for number, band in enumerate(bands):
        call = _measured(band, env)
        inside = frozenset(stmt.id for stmt in statements(whole(band.outer))) & rows
        plain_s = _untiled_s(band, call, env, threads) / (_BEHIND if inside else 1.0)
        if inside - {band.outer.loop.id}:
            call = replace(call, seconds=call.seconds / _BEHIND)
        runs = call.points > 0 and call.entries > 0
        times = {size: call.tiled_s(size, threads) for size in SIZES} if runs else {}
        best = min(times.values(), default=plain_s)
        alike = (s for s in made if s in times and times[s] <= _ALIKE * best)
        size = next(alike, None) or min(times, key=times.__getitem__, default=SMALLEST)
        if runs and times[size] <= _WORTH * plain_s:
            gains.append((plain_s - times[size], Tiling(number, *size)))
        elif always and not has_parallel(band):
            gains.append((0.0, Tiling(number, *SMALLEST)))
    chosen: list[tuple[float, Tiling]] = []
    for gain in sorted(gains, key=lambda gain: -gain[0]):
        band = bands[gain[1].band]
        others = (bands[tiling.band] for _, tiling in chosen)
        if not any(contains(band, other) or contains(other, band) for other in others):
            chosen.append(gain)
    found = sorted((tiling for _, tiling in chosen), key=lambda tiling: tiling.band)
    return sum(gain for gain, _ in chosen), tuple(found)


def _measured(band: Band, env: Mapping[str, float]) -> _Call:
    inside, entries = dict(env), 1.0
    for loop in band.around:
        count, inside[loop.var] = estimate.middle_trips(loop, inside)
        entries *= count
    outer = whole(band.outer)
    rows, middle = estimate.middle_trips(outer, inside)
    mean, _ = estimate.middle_trips(whole(band.inner), {**inside, outer.var: middle})
    columns = estimate.estimate(band.columns, inside)
    seconds = estimate.operations(outlined(band.outer), inside) * MACHINE.compiled_op_s
    return _Call(entries, rows, columns or rows + mean, rows * mean, seconds)


def _untiled_s(band: Band, call: _Call, env: Mapping[str, float], threads: int) -> float:
    """Seconds of the band as it is, where parallel loops in it run in parallel if that pays."""
    inside = dict(env)
    for loop in band.around:
        _, inside[loop.var] = estimate.middle_trips(loop, inside)
    launches = estimate.launches((band.outer,), inside)
    spread = call.seconds / threads + launches * MACHINE.launch_s
    return call.entries * (min(call.seconds, spread) if launches else call.seconds)
