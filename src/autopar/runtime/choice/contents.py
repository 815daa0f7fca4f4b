"""What index arrays hold, looked at once for each content: the inspector of an inspector/executor.

A kernel may leave out a check because of what was found only if it then reads what was looked at:
the user's array may change at any moment, by another thread too.  So what is looked at is a copy of
our own, which kernels read in the array's place; at each call the copy is compared with the array,
which costs what reading both costs.

References
----------
J. Saltz, R. Mirchandaney, K. Crowley, "Run-time parallelization and scheduling of loops", IEEE
Transactions on Computers 40(5), 1991; L. Rauchwerger, D. Padua, "The LRPD test", PLDI 1995, for
deciding at the call.  Departure: what is found holds for all elements, not only for those that the
nest reads, so that it can be kept for another nest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary
from zlib import crc32

import numpy as np

from autopar.deps.data import ROOM, Elements
from autopar.kernel import Status
from autopar.nest.forward import Definitions, substitute
from autopar.nest.ir import Const, Element, Expr, For, Load, Name
from autopar.nest.kinds import family
from autopar.nest.typed.types import Typed
from autopar.nest.values.ragged import ROWS, roots_of
from autopar.nest.walking import accesses, statements, walk, written
from autopar.records import dataclass, replace
from autopar.runtime.run import pool
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Loop, Plan

Array = np.ndarray[Any, Any]

LIMIT = 2**53
"""Magnitude of elements up to which integers of any dtype, and Python's, compare alike."""
_KEPT = 64 << 20  # bytes of copies that stay with us, at the most
_BLOCK = 1 << 16  # elements looked at together, so that what is made of them stays in the cache
_SPARSE = 8  # a table of the elements seen may have so many places for each


@dataclass(frozen=True, slots=True)
class Contents:
    """The elements of one array: all lie in ``[low, high]``; for the rest see `Elements`."""

    low: int
    high: int
    distinct: bool
    rising: bool
    roomy: bool
    scalable: bool
    consecutive: bool
    like: str = ""

    def elements(self, array: str) -> Elements:
        """For dependence analysis: without numbers, which must not decide what is compiled."""
        return Elements(
            array,
            self.distinct,
            self.rising,
            self.roomy,
            self.scalable,
            self.consecutive,
            self.like,
        )


Seen = tuple[tuple[str, Contents], ...]  # by path

_known: dict[Any, tuple[Array, Contents]] = {}  # the least recently used first; without a lock
_copies: WeakValueDictionary[Any, Array] = WeakValueDictionary()  # by layout and checksum


def index_arrays(typed: Typed, meaning: Definitions) -> tuple[str, ...]:
    """Paths of the integer arrays, never written, that subscripts and ranges are read from.

    What an array of the nest's own will hold nobody knows before it runs.
    """
    tops: list[Expr] = []
    for stmt in statements(typed.nest.loop):
        if isinstance(stmt, For):
            tops += [stmt.start, stmt.stop]
    for _, access in accesses(typed.nest.loop):
        assert isinstance(access, Load | Element)
        tops += access.index
    inner = (e for top in tops for e in walk(substitute(top, meaning)))
    own = {local.path for local in typed.nest.locals}
    found = {e.array for e in inner if isinstance(e, Load)} - set(written(typed.nest)) - own
    kinds = ((path, typed.array(path)) for path in sorted(found))
    return tuple(p for p, a in kinds if family(a.dtype) in ("int", "uint"))


def rows(nest: For, meaning: Definitions, indices: Sequence[str]) -> Iterator[tuple[For, str]]:
    """The loops that run from one element of an index array to another, each with the array."""
    for loop in statements(nest):
        if isinstance(loop, For):
            match substitute(loop.start, meaning), substitute(loop.stop, meaning):
                case Load(array=one, index=(_,)), Load(array=other) if one == other:
                    if one in indices:
                        yield loop, one


def ragged_rows(nest: For) -> Iterator[tuple[For, str]]:
    """The loops through rows of several lengths, each with the list of these."""
    for loop in statements(nest):
        match loop:
            case For(start=Const(value=0), stop=Load(array=path)) if path.startswith(ROWS):
                if path == roots_of(int(path.removeprefix(ROWS).split()[0]))[-1]:
                    yield loop, path


def through(nest: For, meaning: Definitions, indices: Sequence[str]) -> dict[int, str]:
    """Ids of the accesses that are where elements of `indices` say, each with its array.

    These are subscripts, or they bound the loop whose variable is one.
    """
    found: dict[int, str] = {}
    told: set[str] = set()

    def says(expr: Expr) -> bool:
        parts = walk(substitute(expr, meaning))
        return any(
            part.array in indices
            if isinstance(part, Load)
            else isinstance(part, Name) and part.id in told
            for part in parts
        )

    for stmt in statements(nest):
        if isinstance(stmt, For) and (says(stmt.start) or says(stmt.stop)):
            told.add(stmt.var)
    for _, access in accesses(nest):
        assert isinstance(access, Load | Element)
        if any(map(says, access.index)):
            found[access.id] = access.array
    return found


def row_length(array: Array) -> float:
    """About how far one element is from the next; a guess."""
    return abs(float(array[-1]) - float(array[0])) / (array.size - 1) if array.size > 1 else 0.0


def contents(array: Array, threads: int) -> tuple[Array, Contents, bool] | None:
    """A copy of `array`, what it holds, and whether it had to be looked at for that.

    None where nothing is said: of empty and of very large arrays, of very large elements, and of
    2-d views with gaps.
    """
    dense = array.ndim == 1 or array.flags.forc
    if not array.size or array.nbytes > _KEPT or not dense:
        return None
    key = array.ctypes.data, array.shape, array.strides, array.dtype
    found = _known.pop(key, None)
    fresh = found is None or not equal(array, found[0], threads)
    if found is None or fresh:
        copy = np.array(array, order="A", subok=False)  # of the layout that kernels are made for
        copy.setflags(write=False)
        inside = inspected(_flat(copy), array.ndim)
        if inside is None:
            return None
        found = _only(copy, threads), inside
    _known[key] = found
    kept = list(_known.items())
    size = sum(copy.nbytes for _, (copy, _) in kept)
    for old, (copy, _) in kept:
        if size <= _KEPT:
            break
        _known.pop(old, None)
        size -= copy.nbytes
    return *found, fresh


def _only(copy: Array, threads: int) -> Array:
    """The one copy that stands for this content: so arrays are known to be alike by their copies.

    Which arrays were seen before, and when, must not decide it: an allocator hands out addresses
    again, and at each of two there may once have been an array such as this one.
    """
    layout = copy.shape, copy.strides, copy.dtype
    key = *layout, crc32(_flat(copy).data)
    other = _copies.setdefault(key, copy)
    if other is copy or equal(other, copy, threads):
        return other
    _copies[key] = copy
    return copy


def inspected(array: Array, ndim: int = 1) -> Contents | None:
    """What holds of the elements, in a row, of an array of `ndim` axes that nobody changes."""
    low, high = int(array.min()), int(array.max())
    if low < -LIMIT or high > LIMIT:
        return None
    least, most = int(np.iinfo(array.dtype).min), int(np.iinfo(array.dtype).max)
    before, after = array[:-1], array[1:]
    steps = [(before[k : k + _BLOCK], after[k : k + _BLOCK]) for k in _starts(array)]
    rising = all(bool((one <= two).all()) for one, two in steps)
    if rising:
        distinct = all(bool((one < two).all()) for one, two in steps)
    else:
        distinct = _distinct(array, low, high - low + 1)
    rising &= ndim == 1
    consecutive = rising and distinct and high - low == array.size - 1
    roomy = low - ROOM >= least and high + ROOM <= most
    scalable = min(low, low * ROOM) - ROOM >= least and max(high, high * ROOM) + ROOM <= most
    return Contents(low, high, distinct, rising, roomy, scalable, consecutive)


def _distinct(array: Array, low: int, places: int) -> bool:
    if places < array.size:
        return False
    if places > _SPARSE * array.size + _BLOCK:
        ordered = np.sort(array)
        return bool((ordered[1:] != ordered[:-1]).all())
    seen = np.zeros(places, np.bool_)
    for k in _starts(array):
        seen[array[k : k + _BLOCK].astype(np.int64) - low] = True
    return int(np.count_nonzero(seen)) == array.size


def _flat(array: Array) -> Array:
    """All elements in a row, in their order in memory where there is more than one axis."""
    return array if array.ndim == 1 else array.reshape(-1, order="A")


def equal(array: Array, copy: Array, threads: int = 1) -> bool:
    """Whether `array` holds what it held when `copy` was made, of the same shape and order."""
    array, copy = _flat(array), _flat(copy)
    starts = _starts(array)

    def compare(k: int) -> int:
        part = slice(starts[k], starts[k] + _BLOCK)
        return Status.DONE if bool((array[part] == copy[part]).all()) else Status.FAILED

    if len(starts) == 1:
        return compare(0) == Status.DONE
    return pool.run(compare, len(starts), threads, pool.Word()) == Status.DONE


def _starts(array: Array) -> range:
    return range(0, array.size, _BLOCK)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was decided: whether all of the nest is parallel, and the accesses in bounds.

    Parallel without copies of arrays for each part, that is: those have a price.
    """

    parallel: bool
    inside: frozenset[int]

    @staticmethod
    def of(plan: Plan, inside: frozenset[int]) -> Outcome:
        """The outcome that is `plan`."""
        loops = [node for node in plan.body if isinstance(node, Loop)]
        copies = any(reduction.array for reduction in plan.reductions)
        return Outcome(all(node.parallel for node in loops) and not copies, inside)

    def better_than(self, other: Outcome) -> bool:
        """Whether it is worth a look at the contents of index arrays."""
        return self.parallel > other.parallel or self.inside > other.inside


@dataclass(slots=True)
class Interest:
    """That it may be worth looking at what index arrays hold, and how that has gone so far.

    Attributes
    ----------
    paths
        The arrays.
    before
        What is decided without.
    threads
        On how many threads to compare them.
    rich
        Whether the nest takes so long that even looking at new contents each time is worth it.
    eager
        Whether to look in any case.
    vain, rest
        How often in a row it has not paid, and the number of calls for which nobody looks.
    """

    paths: tuple[str, ...]
    before: Outcome
    threads: int
    rich: bool
    eager: bool
    vain: int = 0
    rest: int = 0

    def look(self, arrays: dict[str, Array]) -> tuple[Seen, bool | None]:
        """What the arrays hold, and whether that is new; in `arrays` a copy takes their place.

        The copies are what the kernels of this call must read.  None is said to be new when nobody
        looked.
        """
        if self.rest:
            self.rest -= 1
            return (), None
        seen: list[tuple[str, Contents]] = []
        first: dict[int, str] = {}  # by copy, the array that it was made of
        new = False
        for path in self.paths:
            try:
                found = contents(arrays[path], self.threads)
            except MemoryError:
                continue
            if found is not None:
                arrays[path], inside, fresh = found
                like = first.setdefault(id(arrays[path]), path)
                seen.append((path, inside if like == path else replace(inside, like=like)))
                new |= fresh
        return tuple(seen), new

    def learn(self, made: Outcome, new: bool | None) -> None:
        """After a look; the more often in a row it has not paid, the longer nobody looks."""
        if new is None:
            return
        if self.eager or (made.better_than(self.before) and (self.rich or not new)):
            self.vain = 0
            return
        self.vain += 1
        if self.vain > 2:
            self.rest = 1 << min(self.vain - 2, 10)


def interest(
    arrays: Mapping[str, Array],
    paths: tuple[str, ...],
    before: Outcome,
    gain_s: float,
    threads: int,
    eager: bool,
) -> Interest | None:
    """Whether to look at the contents of `paths` for a nest that may win `gain_s` by that."""
    held = sum(arrays[path].nbytes for path in paths)
    if not paths:
        return None
    cost_s = held * MACHINE.compare_byte_s / threads + MACHINE.dispatch_s
    if not eager and gain_s < 2 * cost_s:
        return None
    return Interest(paths, before, threads, gain_s > 2 * held * MACHINE.inspect_byte_s, eager)
