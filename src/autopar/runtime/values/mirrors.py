"""One list of numbers, of such lists, or of arrays, as an array: made, filled, put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from autopar import config, pipeline
from autopar.cpu.items import ALIKE, LARGE, OTHER
from autopar.nest import kinds
from autopar.records import dataclass, replace
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.background import BACKGROUND
from autopar.runtime.process import deciding
from autopar.runtime.values import mixed
from autopar.runtime.values.characters import characters
from autopar.runtime.values.plain import type_name
from autopar.runtime.values.unchanged import Reading, reading
from autopar.verdict import Reason, Refusal, Refused, Span

Array = np.ndarray[Any, Any]
Rows = tuple[Sequence[Any], ...]

_DEEPEST = 8  # lists within lists
_LONGEST = 1 << 22  # of a range that has a name
_SOME = 4  # rows that are looked at before all are
READ = (range, bytes, bytearray)
"""What has been read as soon as there is an array."""
_NATIVE = {"float": "float64", "np.float64": "float64", "int": "int64", "bool": "bool"}
_MAX_INT = 2**63 - 1
_EXACT = 2**53  # up to here, a float equals each int
_FEW = 1 << 19  # elements, which Python moves in the time that it takes to make what moves them


@dataclass(frozen=True, slots=True)
class Mirror:
    """A list, or a tuple, a range, or bytes, and the array that stands for it.

    Attributes
    ----------
    path
        Of the nest; one of them, where there are several.
    value
        The list itself.
    holders
        Types of it, of its items, and so on: lists or tuples.
    atom
        The type of its numbers.
    array
        For its elements; zeros as long as they have not been read.
    stored
        Which elements have been assigned, where these are floats and the others ints.
    types
        The tags of its elements, where each is of one type or of another.
    other
        The other type, where they have turned out to be so.
    inner
        How many axes, from the last on, are those of arrays in the list: these are only read.
    known
        Of an earlier call, where `array` is from; what is in it must be checked.
    letters
        Whether its numbers are those of characters.
    """

    path: str
    value: Sequence[Any]
    holders: tuple[type, ...]
    atom: str
    array: Array
    stored: Array | None = None
    types: Array | None = None
    other: str = ""
    inner: int = 0
    known: Reading | None = None
    letters: bool = False

    @property
    def writeable(self) -> bool:
        """Whether elements can be assigned."""
        return self.holders[-1] is list and not self.inner

    @property
    def pair(self) -> mixed.Pair:
        """The two types of its elements."""
        return self.atom, self.other

    @property
    def native(self) -> str | None:
        """The dtype of its elements where kernels of ours can read them."""
        return None if self.letters else _NATIVE.get(self.atom)


def mirror(path: str, value: Sequence[Any]) -> Mirror:
    """The array that `value` would be if all of its elements are as the first one.

    Raises
    ------
    Refused
        Where that cannot be.
    """
    if type(value) in READ and not value:
        raise refused(Reason.WRONG_TYPE, f"{path} is an empty {_name(value)}")
    if type(value) is range:
        if len(value) > _LONGEST:
            raise refused(Reason.NO_MEMORY, path)
        try:
            counted = np.arange(value.start, value.stop, value.step, dtype=np.int64)
        except (OverflowError, MemoryError, ValueError):
            raise refused(Reason.BIG_INTEGER, path) from None
        return Mirror(path, value, (range,), "int", counted)
    if type(value) in READ:
        numbers = np.frombuffer(bytes(value), np.uint8).astype(np.int64)
        return Mirror(path, value, (type(value),), "int", numbers)
    holders: list[type] = []
    shape: list[int] = []
    inner: Any = value
    while type(inner) in (list, tuple) and len(holders) < _DEEPEST:
        holders.append(type(inner))
        shape.append(len(inner))
        if not inner:
            if len(shape) == 2 and any(type(row) in (list, tuple) and row for row in value):
                raise NotAlike(path, 2)
            raise refused(Reason.WRONG_TYPE, f"{path} is, or holds, an empty {_name(inner)}")
        inner = inner[0]
    rows = value[0] if len(holders) == 3 else value
    tuples = holders[-1] is tuple
    if len(holders) in (2, 3) and tuples and tuples_of_several_types(rows):
        raise NotAlike(path, 2)
    if len(holders) - (tuples and len(holders) == 3) == 2 and _seem_ragged(value, shape[1]):
        raise NotAlike(path, 2)
    axes = 0
    atom = kinds.atom_of(inner)
    if type(inner) is np.ndarray and inner.ndim:
        axes, atom = inner.ndim, f"np.{inner.dtype.name}"
        shape += inner.shape
        if not _is_plain(inner):
            raise refused(
                Reason.NOT_ARRAY, f"{path} is a {_name(value)} of arrays like {_like(inner)}"
            )
    if type(inner) is str and len(inner) == 1:
        return Mirror(path, value, tuple(holders), "int", np.zeros(shape, np.int64), letters=True)
    if atom is None:
        raise refused(Reason.NOT_ARRAY, f"{path} is a {_name(value)} of {type_name(inner)}")
    known = reading(value, tuple(holders), atom, shape)
    if known is not None:
        return Mirror(path, value, tuple(holders), atom, known.array, known=known)
    try:
        array: Array = np.zeros(shape, kinds.dtype(atom))
    except (MemoryError, ValueError):
        raise refused(Reason.NO_MEMORY, path) from None
    return Mirror(path, value, tuple(holders), atom, array, inner=axes)


def _seem_ragged(value: Sequence[Any], size: int) -> bool:
    """Whether some of the rows near the ends of `value` are of another length than `size`.

    All are looked at when they are read, but that may be after kernels have been made.
    """
    some = (*value[1:_SOME], value[-1])
    return any(type(row) in (list, tuple) and len(row) != size for row in some)


def of_two(one: Mirror, pair: mixed.Pair) -> Mirror:
    """`one` for elements of either type."""
    own, other = pair
    made = replace(one, atom=own, other=other)
    dtype = np.dtype(kinds.dtype(own))
    if one.array.dtype == dtype:
        return made
    return replace(made, array=np.zeros(one.array.shape, dtype), known=None)


def tuples_of_several_types(value: Sequence[Any]) -> int:
    """How many items the tuples in a list have, if they seem to be numbers of several types."""
    first = value[0] if value else None
    if type(first) is not tuple:
        return 0
    atoms = set(map(kinds.atom_of, first))
    if None in atoms:
        return 0
    dtypes = {kinds.dtype(atom) for atom in atoms if atom is not None}
    return len(first) if len(dtypes) > 1 else 0


@dataclass(frozen=True, slots=True)
class Copied:
    """A mirror whose elements have been read.

    Attributes
    ----------
    rows
        The lists in which its numbers are.
    before
        The array as it was, where the nest may write.
    """

    mirror: Mirror
    rows: Rows
    before: Array | None
    types: Array | None = None

    def put_back(self) -> None:
        """Assign the elements that are not as they were, and no others.

        Other threads may work on other parts of the lists meanwhile.
        """
        if self.before is None:
            return
        if self.mirror.types is not None:
            assert self.types is not None
            array, types = self.mirror.array, self.mirror.types
            pair = self.mirror.pair
            mixed.put_back(self.rows, pair, array, self.before, types, self.types)
            return
        atom, now, before = self.mirror.atom, self.mirror.array, self.before
        if self.mirror.stored is not None:
            # Whatever is there now was stored, be it the same number.
            atom, bits = "float", now.view(np.int64)
            before = (bits ^ self.mirror.stored).view(np.float64)
        now, before = (a.reshape(len(self.rows), -1) for a in (now, before))
        write = self.writer(now.size)
        if write is None:
            _write_slowly(self.rows, atom, now, before, chr if self.mirror.letters else None)
        else:
            write(self.rows, list, kinds.type_of(atom), now, before)

    def writer(self, count: int = 0) -> Callable[..., int] | None:
        """What puts `count` elements back; None: Python does."""
        if self.before is None or self.mirror.types is not None or self.mirror.letters:
            return None
        atom = self.mirror.atom if self.mirror.stored is None else "float"
        native = _NATIVE.get(atom) if kinds.is_python(atom) else None
        return None if native is None else _mover("write", native, count)

    def reordered(self, order: Array) -> Copied:
        """The same once the very rows have been put in `order`."""
        assert self.before is not None
        outer = self.mirror.value
        assert isinstance(outer, list)
        rows = tuple(self.rows[k] for k in order.tolist())
        for k, (row, old) in enumerate(zip(rows, self.rows, strict=True)):
            if row is not old:
                outer[k] = row
        types = None if self.types is None else self.types[order]
        return replace(self, rows=rows, before=self.before[order], types=types)

    def renewed(self, fresh: Array) -> Copied:
        """The same once other lists have been put in place of the rows that are `fresh`.

        All in these is new: of two nans, a list takes the very same to be equal.
        """
        outer, now = self.mirror.value, self.mirror.array
        assert isinstance(outer, list)
        assert self.before is not None
        rows, before = list(self.rows), self.before.copy()
        bits = np.dtype(np.bool_ if now.dtype == np.bool_ else np.uint8)
        for k in fresh.nonzero()[0].tolist():
            outer[k] = rows[k] = list(rows[k])
            before[k] = (~now[k].view(bits)).view(now.dtype)
        return replace(self, rows=tuple(rows), before=before)


def rows_of(one: Mirror) -> Rows:
    """The innermost lists of `one`."""
    rows: Rows = (one.value,)
    for depth, size in enumerate(one.array.shape[: len(one.holders) - 1]):
        holder = one.holders[depth]
        if any(type(row) is not holder or len(row) != size for row in rows):
            raise _ragged(one)
        rows = tuple(chain.from_iterable(rows))
    return rows


def holds_the_same(known: Reading, rows: Rows) -> bool:
    """Whether `rows` hold the objects that they held."""
    same = _mover("same", "float64", known.array.size)
    if same is None or len(rows) != len(known.rows):
        return False
    flat = known.array.reshape(len(rows), -1)
    return bool(same(rows, known.holders[-1], float, flat, known.rows))


def fill(one: Mirror, rows: Rows, targets: Mapping[str, Array]) -> None:
    """Read the elements of `one`, which are in `rows`; the nest may write `targets`."""
    if one.types is not None:
        _fill_with_types(one, rows, one.types)
    elif one.inner:
        _fill_with_arrays(one, rows, targets)
    elif one.stored is None:
        _fill(one, rows)
    else:
        _fill_wide(one, rows)


def _fill(one: Mirror, rows: Rows) -> None:
    """Read the elements of `one`."""
    if one.holders[0] in READ:
        return
    flat = one.array.reshape(len(rows), -1)
    holder, wanted = one.holders[-1], kinds.type_of(one.atom)
    read = _mover("read", one.native, flat.size) if one.native is not None else None
    if read is None:
        if any(type(row) is not holder or len(row) != flat.shape[1] for row in rows):
            raise _ragged(one)
        _read_slowly(one, rows, flat)
        return
    status = read(rows, holder, wanted, flat, True)
    if status == ALIKE:
        return
    if status == LARGE:
        raise refused(Reason.BIG_INTEGER, one.path)
    raise _mixed(one, rows) if status == OTHER else _ragged(one)


def _fill_with_types(one: Mirror, rows: Rows, types: Array) -> None:
    """Read elements and of which type each is."""
    status = mixed.fill(rows, one.holders[-1], one.pair, one.array, types)
    if status == LARGE:
        raise refused(Reason.BIG_INTEGER, one.path)
    if status != ALIKE:
        raise _mixed(one, rows) if status == OTHER else _ragged(one)


def _fill_with_arrays(one: Mirror, rows: Rows, targets: Mapping[str, Array]) -> None:
    """Copy the arrays in `rows`, none of which may change when one of `targets` does."""
    size, shape = one.array.shape[len(one.holders) - 1], one.array.shape[len(one.holders) :]
    if any(type(row) is not one.holders[-1] or len(row) != size for row in rows):
        raise _ragged(one)
    dtype = one.array.dtype
    items = tuple(chain.from_iterable(rows))
    for place, item in zip(one.array.reshape(len(items), *shape), items, strict=True):
        if type(item) is not np.ndarray or item.shape != shape:
            raise _ragged(one)
        if item.dtype != dtype or not _is_plain(item):
            raise refused(Reason.MIXED_TYPE, f"{one.path} holds arrays like {_like(item)}, too")
        place[...] = item
    for path, target in targets.items():
        if any(np.may_share_memory(item, target) for item in items):
            raise refused(Reason.OVERLAP, f"{path} and an array in {one.path} share memory")


def _is_plain(array: Array) -> bool:
    """Whether a copy of `array` is to NumPy what it is, but for where it lies."""
    flags = array.flags
    known = f"np.{array.dtype.name}" in kinds.ATOMS
    known = known and array.dtype.char == np.dtype(array.dtype.name).char
    return known and array.dtype.isnative and flags.c_contiguous and flags.aligned


def _like(array: Array) -> str:
    """What stands in the way of copying `array`."""
    order = "" if array.flags.c_contiguous else ", not in C order"
    return f"one of {array.dtype}{order}"


def _fill_wide(one: Mirror, rows: Rows) -> None:
    """Read ints as the floats that they are equal to."""
    ints = replace(one, array=np.zeros(one.array.shape, np.int64))
    _fill(ints, rows)
    if ints.array.max() > _EXACT or ints.array.min() < -_EXACT:
        raise refused(Reason.BIG_INTEGER, one.path)
    np.copyto(one.array, ints.array)


def _read_slowly(one: Mirror, rows: Rows, flat: Array) -> None:
    """The same with what Python and NumPy have to offer."""
    if one.letters:
        found = characters(rows)
        if found is None or found.shape != flat.shape:
            raise refused(Reason.NOT_ARRAY, f"{one.path} is, or holds, other texts or no texts")
        flat[...] = found
        return
    wanted = kinds.type_of(one.atom)
    if any(type(item) is not wanted for item in chain.from_iterable(rows)):
        raise _mixed(one, rows)
    try:
        for k, row in enumerate(rows):
            flat[k] = row
    except (OverflowError, ValueError):
        raise refused(Reason.BIG_INTEGER, one.path) from None
    if one.atom == "int" and (flat < -_MAX_INT).any():
        raise refused(Reason.BIG_INTEGER, one.path)


def _write_slowly(
    rows: Rows, atom: str, now: Array, before: Array, said: Callable[[int], str] | None
) -> None:
    """Put into `rows` what differs, bit by bit; `said` makes characters of numbers."""
    for row, mine, old in zip(rows, now, before, strict=True):
        assert isinstance(row, list)
        bits = mine.view(np.uint8) != old.view(np.uint8)
        changed = bits.reshape(len(mine), -1).any(axis=1)
        values = mine.tolist() if kinds.is_python(atom) else mine
        for k in changed.nonzero()[0].tolist():
            if k < len(row):
                row[k] = values[k] if said is None else said(values[k])


_movers: dict[tuple[str, str], Callable[..., int] | None] = {}
_by_python: dict[tuple[str, str], tuple[int, int]] = {}
"""Calls, and elements in all, that Python has moved for want of a function."""


def _mover(work: Any, dtype: str, count: int) -> Callable[..., int] | None:
    """What moves `count` elements, as `pipeline.mover` does; None where Python is to do it.

    It is looked at once, for then it is known to work.  Where it is not on disk yet, Python moves
    the first elements.
    """
    key = work, dtype
    if key in _movers:
        return _movers[key]
    calls, moved = _by_python.get(key, (0, 0))
    calls, moved = _by_python[key] = calls + 1, moved + count
    settings = config.current()
    at_once = settings.verify or settings.fail_on_fallback or BACKGROUND.here
    kept = moved < _FEW and not at_once
    if kept and calls & (calls - 1):
        return None  # what others may have left is looked for after 1, 2, 4, 8, … calls

    def made() -> Callable[..., int] | None:
        with deciding, unnoticed():
            found = pipeline.mover(work, dtype, kept)
            return found if found is None or _works(found, work, dtype) else None

    found = aside(made)
    if found is not None or not kept:
        _movers[key] = found
    return found


def _works(move: Callable[..., int], work: Any, dtype: str) -> bool:
    """Whether `move` does what it should to a list that is known."""
    examples: dict[str, list[Any]] = {
        "float64": [1.5, -0.0, 1e300],
        "int64": [0, -7, 1 << 40],
        "bool": [True, False, True],
    }
    known = examples[dtype]
    if work == "same":
        objects, others = tuple(known), (*known[:-1], 2.5)
        flat = np.zeros((2, 3))
        answers = [move((known, known), list, float, flat, (objects, o)) for o in (objects, others)]
        return answers == [1, 0]
    array = np.array([known], dtype)
    if work == "read":
        found = np.zeros_like(array)
        status = move((known,), list, type(known[0]), found, True)
        return status == ALIKE and found.tobytes() == array.tobytes()
    row = [type(known[0])()] * 3
    move((row,), list, type(known[0]), array, np.array([row], dtype))
    return repr(row) == repr(known)


def _name(value: object) -> str:
    return type(value).__name__


class NotAlike(Refused):
    """A list holds lists of several lengths, or of several types."""

    def __init__(self, path: str, depth: int) -> None:
        detail = f"{path} holds lists that are not alike"
        super().__init__(Refusal(Reason.WRONG_TYPE, Span("", 0), detail))
        self.path, self.depth = path, depth


def _ragged(one: Mirror) -> Refused:
    # Of rows of tuples, it is the rows that are of several lengths, or nothing can be done.
    depth = one.array.ndim
    return NotAlike(one.path, 2 if depth == 3 and one.holders[-1] is tuple else depth)


def _mixed(one: Mirror, rows: Rows) -> Refused:
    wanted = kinds.type_of(one.atom)
    items: Iterator[Any] = chain.from_iterable(rows)
    other = next((item for item in items if type(item) is not wanted), None)
    names = sorted((one.atom, type_name(other)))
    found = refused(Reason.MIXED_TYPE, f"{one.path} holds {' and '.join(names)}")
    pair = mixed.pair(rows) if one.types is None else None
    return found if pair is None else mixed.Mixed(found.refusal, pair)


def refused(reason: Reason, detail: str) -> Refused:
    return Refused(Refusal(reason, Span("", 0), detail))
