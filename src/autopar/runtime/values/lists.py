"""Lists of numbers, of such lists, or of arrays, as arrays for the time of one call.

A list holds its numbers as objects, which kernels cannot work on.  So they work on an array of
the same numbers, and what has changed there is put back into the very lists when all is done.

At first only the first elements are looked at: they say what array it would be, which is enough to
decide on.  Only for a nest that is going to run, all elements are read, and must be as the first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any, NoReturn

import numpy as np

from autopar import pipeline
from autopar.cpu.items import ALIKE, LARGE, OTHER
from autopar.nest import kinds
from autopar.nest.hidden import ORDER, STORED, TYPES
from autopar.nest.typed.told import Held
from autopar.records import dataclass, replace
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.process import deciding
from autopar.runtime.values import mixed
from autopar.runtime.values.plain import type_name
from autopar.runtime.values.unchanged import LEAST, Reading, changed, learn, reading
from autopar.verdict import Reason, Refusal, Refused, Span

Array = np.ndarray[Any, Any]
Rows = tuple[Sequence[Any], ...]

_DEEPEST = 8  # lists within lists
_LONGEST = 1 << 22  # of a range that has a name
_NATIVE = {"float": "float64", "np.float64": "float64", "int": "int64", "bool": "bool"}
_MAX_INT = 2**63 - 1
_EXACT = 2**53  # up to here, a float equals each int


@dataclass(frozen=True, slots=True)
class Mirror:
    """A list, or a tuple or a range, and the array that stands for it.

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
        The tags of its elements, where each is of Python's type or of NumPy's of that dtype.
    mixed
        Whether they have turned out to be so.
    inner
        How many axes, from the last on, are those of arrays in the list: these are only read.
    known
        Of an earlier call, where `array` is from; what is in it must be checked.
    """

    path: str
    value: Sequence[Any]
    holders: tuple[type, ...]
    atom: str
    array: Array
    stored: Array | None = None
    types: Array | None = None
    mixed: bool = False
    inner: int = 0
    known: Reading | None = None

    @property
    def writeable(self) -> bool:
        """Whether elements can be assigned."""
        return self.holders[-1] is list and not self.inner

    @property
    def native(self) -> str | None:
        """The dtype of its elements where kernels of ours can read them."""
        return _NATIVE.get(self.atom)


def mirror(path: str, value: Sequence[Any]) -> Mirror:
    """The array that `value` would be if all of its elements are as the first one.

    Raises
    ------
    Refused
        Where that cannot be.
    """
    if type(value) is range and value:
        if len(value) > _LONGEST:
            raise _refused(Reason.NO_MEMORY, path)
        try:
            counted = np.arange(value.start, value.stop, value.step, dtype=np.int64)
        except (OverflowError, MemoryError, ValueError):
            raise _refused(Reason.BIG_INTEGER, path) from None
        return Mirror(path, value, (range,), "int", counted)
    holders: list[type] = []
    shape: list[int] = []
    inner: Any = value
    while type(inner) in (list, tuple) and len(holders) < _DEEPEST:
        holders.append(type(inner))
        shape.append(len(inner))
        if not inner:
            if len(shape) == 2 and any(type(row) in (list, tuple) and row for row in value):
                raise NotAlike(path, 2)
            raise _refused(Reason.WRONG_TYPE, f"{path} is, or holds, an empty {_name(inner)}")
        inner = inner[0]
    if len(holders) == 2 and tuples_of_several_types(value):
        raise NotAlike(path, 2)
    axes = 0
    atom = kinds.atom_of(inner)
    if type(inner) is np.ndarray and inner.ndim:
        axes, atom = inner.ndim, f"np.{inner.dtype.name}"
        shape += inner.shape
        if not _is_plain(inner):
            raise _refused(
                Reason.NOT_ARRAY, f"{path} is a {_name(value)} of arrays like {_like(inner)}"
            )
    if atom is None:
        raise _refused(Reason.NOT_ARRAY, f"{path} is a {_name(value)} of {type_name(inner)}")
    known = reading(value, tuple(holders), atom, shape)
    if known is not None:
        return Mirror(path, value, tuple(holders), atom, known.array, known=known)
    try:
        array: Array = np.zeros(shape, kinds.dtype(atom))
    except (MemoryError, ValueError):
        raise _refused(Reason.NO_MEMORY, path) from None
    return Mirror(path, value, tuple(holders), atom, array, inner=axes)


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
            mixed.put_back(self.rows, array, self.before, types, self.types)
            return
        atom, now, before = self.mirror.atom, self.mirror.array, self.before
        if self.mirror.stored is not None:
            # Whatever is there now was stored, be it the same number.
            atom, bits = "float", now.view(np.int64)
            before = (bits ^ self.mirror.stored).view(np.float64)
        now, before = (a.reshape(len(self.rows), -1) for a in (now, before))
        native = _NATIVE.get(atom) if kinds.is_python(atom) else None
        write = None if native is None else _mover("write", native)
        if write is None:
            _write_slowly(self.rows, atom, now, before)
        else:
            write(self.rows, list, _type(atom), now, before)

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


class Lists:
    """The lists of one call."""

    __slots__ = ("copied", "mirrors", "orders", "values")

    def __init__(self) -> None:
        # By identity of a list of lists: where its rows are, as numbers of those that were there.
        self.orders: dict[int, Array] = {}
        self.mirrors: dict[str, Mirror] = {}
        # By identity: a list is one array, whatever it is called.
        self.values: dict[int, Mirror] = {}
        self.copied: tuple[Copied, ...] | None = None

    def add(
        self, path: str, value: Sequence[Any], seen: dict[int, Mirror], mixed: bool = False
    ) -> Mirror:
        """The mirror of the list behind `path`, known to be `mixed` perhaps; raises `Refused`.

        Parameters
        ----------
        seen
            Mirrors of lists, by their `id`, that other nests have had made for this call.
        """
        found = self.values.get(id(value))
        if found is None:
            found = seen.get(id(value))
            if found is None:
                found = seen[id(value)] = mirror(path, value)
            if mixed and found.array.dtype.name in ("float64", "int64"):
                atom = kinds.python_atom(found.array.dtype.name)
                found = replace(found, atom=atom, mixed=True)
            self.values[id(value)] = found
        self.mirrors[path] = found
        return found

    def names(self, value: list[Any]) -> set[str]:
        """Paths of `value`, and of lists in which it is."""
        mirrors = self.mirrors.items()
        return {p for p, one in mirrors if _reaches(one.value, value, len(one.holders))}

    @property
    def tables(self) -> frozenset[str]:
        """Paths of lists of lists of numbers."""
        found = self.mirrors.items()
        return frozenset(p for p, one in found if one.holders == (list, list) and not one.inner)

    def order(self, path: str) -> Array:
        """The array that says where the rows of the list of lists `path` are; raises `Refused`."""
        one = self.mirrors.get(path)
        if one is None or one.inner or one.holders != (list, list):
            raise _refused(Reason.WRONG_TYPE, f"the rows of {path}")
        if any(other is one for name, other in self.mirrors.items() if name != path):
            raise _refused(Reason.OVERLAP, f"{path} has another name as well")
        return self.orders.setdefault(id(one.value), np.arange(len(one.value)))

    @property
    def depths(self) -> dict[str, int]:
        """How many axes of each are those of lists, by path."""
        return {path: len(one.holders) for path, one in self.mirrors.items()}

    @property
    def paths(self) -> frozenset[str]:
        """Of all arrays that have to do with them."""
        notes = (path + STORED for path, one in self.mirrors.items() if one.stored is not None)
        types = (path + TYPES for path, one in self.mirrors.items() if one.types is not None)
        moved = (path for path, one in self.mirrors.items() if id(one.value) in self.orders)
        orders = (path + ORDER for path in moved)
        return frozenset((*self.mirrors, *notes, *types, *orders))

    def widened(self, weak: Collection[str]) -> Iterator[tuple[str, Mirror]]:
        """Mirrors for floats of the lists `weak`, which hold ints; raises `Refused`."""
        for one in {id(m): m for path, m in self.mirrors.items() if path in weak}.values():
            names = [path for path, mirror in self.mirrors.items() if mirror is one]
            ints = [path for path in names if path not in weak]
            if ints:
                detail = f"{ints[0]} holds int, float is stored"
                raise _refused(Reason.MIXED_TYPE, detail)
            shape = one.array.shape
            stored = np.zeros(shape, np.bool_)
            wide = replace(one, array=np.zeros(shape), stored=stored, known=None)
            self.values[id(one.value)] = wide
            self.mirrors.update(dict.fromkeys(names, wide))
            yield from ((path, wide) for path in names)

    def noted(self, paths: Collection[str]) -> Iterator[tuple[str, Mirror]]:
        """Mirrors with types beside their elements for the lists `paths`."""
        for one in {id(m): m for path, m in self.mirrors.items() if path in paths}.values():
            names = [path for path, mirror in self.mirrors.items() if mirror is one]
            for path in names:
                if path not in paths:  # elements would be read without their types
                    raise _refused(Reason.MIXED_TYPE, f"{path} has another name as well")
            types = np.zeros(one.array.shape, np.int8)
            with_types = replace(one, atom=kinds.python_atom(one.array.dtype.name), types=types)
            self.values[id(one.value)] = with_types
            self.mirrors.update(dict.fromkeys(names, with_types))
            yield from ((path, with_types) for path in names)

    def read(self, written: Collection[str], arrays: dict[str, Array]) -> None:
        """Fill all arrays, once; `written` are those of `arrays` that the nest may write.

        Those that stood for a list which has changed are replaced.

        Raises
        ------
        Refused
            Where a list is not what its first elements promise, or where what is written would be
            in two arrays.
        """
        if self.copied is not None:
            return
        targets = {path: arrays[path] for path in written if path not in self.mirrors}
        changing = {id(self.mirrors[path]) for path in written if path in self.mirrors}
        copied: list[Copied] = []
        for one in tuple(self.values.values()):
            rows = _rows(one)
            plain = not one.inner and one.stored is None and one.types is None
            plain = plain and one.holders[0] is not range
            lasting = plain and one.array.size >= LEAST and id(one) not in changing
            if one.known is not None:
                if lasting and _unchanged(one.known, rows):
                    copied.append(Copied(one, rows, None))
                    continue
                changes = id(one) in changing
                one = self.afresh(one, arrays)
                if changes:
                    changing.add(id(one))
            try:
                if one.types is not None:
                    _fill_with_types(one, rows, one.types)
                elif one.inner:
                    _fill_with_arrays(one, rows, targets)
                elif one.stored is None:
                    _fill(one, rows)
                else:
                    _fill_wide(one, rows)
            except mixed.Mixed as found:
                names = (path for path, mirror in self.mirrors.items() if mirror is one)
                raise mixed.Mixed(found.refusal, names) from None
            if lasting and one.native is not None:
                learn(one.value, one.holders, one.atom, one.array, rows)
            before = one.array.copy() if id(one) in changing else None
            types = None if before is None or one.types is None else one.types.copy()
            copied.append(Copied(one, rows, before, types))
        _apart(copied)
        self.copied = tuple(copied)

    def afresh(self, one: Mirror, arrays: dict[str, Array]) -> Mirror:
        """`one` with an array of its own, in place of that of an earlier call, among `arrays`."""
        changed(one.value)
        made = replace(one, array=np.zeros(one.array.shape, one.array.dtype), known=None)
        self.values[id(one.value)] = made
        for path in [path for path, mirror in self.mirrors.items() if mirror is one]:
            self.mirrors[path] = made
            arrays[path] = made.array
        return made

    def without_nan(self, paths: Collection[str], numbers: Mapping[str, Any]) -> None:
        """Raise `Refused` where there is a nan among these lists and numbers."""
        for path in paths:
            found = self.mirrors.get(path)
            number = numbers.get(path)
            if number != number or (found is not None and _holds_nan(found.array)):
                raise _refused(Reason.WRONG_TYPE, f"{path}, a nan that lists compare by identity")

    def put_back(self) -> None:
        """Let the lists be what the arrays have become."""
        for one in self.copied or ():
            order = self.orders.get(id(one.mirror.value))
            (one if order is None else one.reordered(order)).put_back()

    def rows(self) -> list[list[Any]]:
        """All lists in which numbers are, and those whose rows may change their places."""
        rows = {id(row): row for one in self.copied or () for row in one.rows}
        rows |= {id(m.value): m.value for m in self.values.values() if id(m.value) in self.orders}
        return [row for row in rows.values() if isinstance(row, list)]

    def value(self, path: str) -> Any:
        """The list behind `path`, or None where that is none."""
        found = self.mirrors.get(path)
        return None if found is None else found.value


NO_LISTS = Lists()
"""Of a call that has none."""


def known_held(arrays: Mapping[str, Array], lists: Lists) -> dict[str, Held]:
    """What `tuples` needs to know of the arrays of a call, some of which stand for `lists`."""
    found = {}
    for path, array in arrays.items():
        one = lists.mirrors.get(path)
        holders = () if one is None else one.holders
        fixed = len(list(takewhile(lambda kind: kind is tuple, reversed(holders))))
        found[path] = Held(array.shape, fixed, one is not None)
    return found


def _holds_nan(array: Array) -> bool:
    """Whether there is a nan in it; their sum tells most arrays that have none."""
    if array.dtype.kind not in "fc":
        return False
    with np.errstate(all="ignore"):
        return bool(np.isnan(array.sum()) and np.isnan(array).any())


def _reaches(holder: Sequence[Any], value: list[Any], depth: int) -> bool:
    """Whether `holder`, a list so many lists deep, is `value` or has it in it."""
    if holder is value:
        return True
    return depth > 1 and any(_reaches(row, value, depth - 1) for row in holder)


def _rows(one: Mirror) -> Rows:
    """The innermost lists of `one`."""
    rows: Rows = (one.value,)
    for depth, size in enumerate(one.array.shape[: len(one.holders) - 1]):
        holder = one.holders[depth]
        if any(type(row) is not holder or len(row) != size for row in rows):
            raise _ragged(one)
        rows = tuple(chain.from_iterable(rows))
    return rows


def _unchanged(known: Reading, rows: Rows) -> bool:
    """Whether `rows` hold the objects that they held."""
    same = _mover("same", "float64")
    if same is None or len(rows) != len(known.rows):
        return False
    flat = known.array.reshape(len(rows), -1)
    return bool(same(rows, known.holders[-1], float, flat, known.rows))


def _fill(one: Mirror, rows: Rows) -> None:
    """Read the elements of `one`."""
    if one.holders[0] is range:
        return
    flat = one.array.reshape(len(rows), -1)
    holder, wanted = one.holders[-1], _type(one.atom)
    read = _mover("read", one.native) if one.native is not None else None
    if read is None:
        if any(type(row) is not holder or len(row) != flat.shape[1] for row in rows):
            raise _ragged(one)
        _read_slowly(one, rows, flat)
        return
    status = read(rows, holder, wanted, flat, True)
    if status == ALIKE:
        return
    if status == LARGE:
        raise _refused(Reason.BIG_INTEGER, one.path)
    raise _mixed(one, rows) if status == OTHER else _ragged(one)


def _fill_with_types(one: Mirror, rows: Rows, types: Array) -> None:
    """Read elements and of which type each is."""
    status = mixed.fill(rows, one.holders[-1], one.array, types)
    if status == LARGE:
        raise _refused(Reason.BIG_INTEGER, one.path)
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
            raise _refused(Reason.MIXED_TYPE, f"{one.path} holds arrays like {_like(item)}, too")
        place[...] = item
    for path, target in targets.items():
        if any(np.may_share_memory(item, target) for item in items):
            raise _refused(Reason.OVERLAP, f"{path} and an array in {one.path} share memory")


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
        raise _refused(Reason.BIG_INTEGER, one.path)
    np.copyto(one.array, ints.array)


def _read_slowly(one: Mirror, rows: Rows, flat: Array) -> None:
    """The same with what Python and NumPy have to offer."""
    wanted = _type(one.atom)
    if any(type(item) is not wanted for item in chain.from_iterable(rows)):
        raise _mixed(one, rows)
    try:
        for k, row in enumerate(rows):
            flat[k] = row
    except (OverflowError, ValueError):
        raise _refused(Reason.BIG_INTEGER, one.path) from None
    if one.atom == "int" and (flat < -_MAX_INT).any():
        raise _refused(Reason.BIG_INTEGER, one.path)


def _write_slowly(rows: Rows, atom: str, now: Array, before: Array) -> None:
    """Put into `rows` what differs, bit by bit."""
    for row, mine, old in zip(rows, now, before, strict=True):
        assert isinstance(row, list)
        bits = mine.view(np.uint8) != old.view(np.uint8)
        changed = bits.reshape(len(mine), -1).any(axis=1)
        values = mine.tolist() if kinds.is_python(atom) else mine
        for k in np.nonzero(changed)[0].tolist():
            if k < len(row):
                row[k] = values[k]


def _apart(copied: Sequence[Copied]) -> None:
    """Raise `Refused` where a list that is written is met twice."""
    mine = [id(row) for one in copied if one.before is not None for row in one.rows]
    theirs = (map(id, one.rows) for one in copied if one.before is None)
    once = set(mine)
    if len(once) == len(mine) and once.isdisjoint(chain.from_iterable(theirs)):
        return
    _name_twice(copied)


def _name_twice(copied: Sequence[Copied]) -> NoReturn:
    """Raise it in words."""
    written: dict[str, set[int]] = {}
    for one in sorted(copied, key=lambda one: one.before is None):
        path = one.mirror.path
        for other, theirs in written.items():
            if not theirs.isdisjoint(map(id, one.rows)):
                raise _refused(Reason.OVERLAP, f"{other} and {path} have a list in common")
        if one.before is not None:
            mine = written[path] = set(map(id, one.rows))
            if len(mine) < len(one.rows):
                raise _refused(Reason.OVERLAP, f"{path} has the same list in it twice")
    raise AssertionError("no list is met twice")


def _type(atom: str) -> type:
    return kinds.PYTHON.get(atom) or np.dtype(kinds.dtype(atom)).type


@functools.cache
def _mover(work: Any, dtype: str) -> Callable[..., int] | None:
    """See `pipeline.mover`; looked at once, for then it is known to work."""

    def made() -> Callable[..., int] | None:
        with deciding, unnoticed():
            found = pipeline.mover(work, dtype)
            return found if found is None or _works(found, work, dtype) else None

    return aside(made)


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
    return NotAlike(one.path, one.array.ndim)


def _mixed(one: Mirror, rows: Rows) -> Refused:
    wanted = _type(one.atom)
    items: Iterator[Any] = chain.from_iterable(rows)
    other = next((item for item in items if type(item) is not wanted), None)
    names = sorted((one.atom, type_name(other)))
    found = _refused(Reason.MIXED_TYPE, f"{one.path} holds {' and '.join(names)}")
    several = one.stored is None and one.types is None and mixed.fits(rows, one.array.dtype)
    return mixed.Mixed(found.refusal) if several else found


def _refused(reason: Reason, detail: str) -> Refused:
    return Refused(Refusal(reason, Span("", 0), detail))
