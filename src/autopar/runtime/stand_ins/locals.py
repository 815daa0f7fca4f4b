"""Arrays that a nest makes: allocated before it runs, handed out when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autopar.nest.hidden import TYPES
from autopar.nest.ir import FIRST_ROOM, MORE, Columns, Leaves, Local, Nest, Places, each_of
from autopar.nest.kinds import is_python
from autopar.records import replace
from autopar.runtime.choice import interval
from autopar.runtime.choice.decide import Rooms, State, environment
from autopar.runtime.process import UNSET
from autopar.runtime.stand_ins.held import held
from autopar.runtime.values import mixed
from autopar.runtime.values.facts import Values
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST_ROOM = 1 << 24  # items
_TIMES = 16  # as much room where it was too little
_MOST_ROOMS = 256  # sizes that are remembered at a time


def with_locals(values: Values, state: State) -> Values:
    """`values`, and room for the arrays of the nest.

    Raises
    ------
    Refused
        Where there is no room.
    """
    arrays = dict(values.arrays)
    _begin_with_room(values, state)
    rooms = _rooms(values, state)
    try:
        for local, room in zip(state.locals, rooms, strict=True):
            if room is None:
                assert local.initial is not None
                arrays[local.path] = arrays[local.initial].copy()
            else:
                arrays[local.path] = np.empty(*room)
    except (MemoryError, ValueError):  # more elements than NumPy can count
        where = Span(state.typed.nest.file, state.typed.nest.loop.line)
        raise Refused(Refusal(Reason.NO_MEMORY, where, "")) from None
    return replace(values, arrays=arrays)


def _begin_with_room(values: Values, state: State) -> None:
    """Let lists of unknown length have room for as much as the call has brought along.

    Memory is what is touched of it.
    """
    if any(local.room for local in state.locals):
        most = max((array.size for array in values.arrays.values()), default=0)
        while state.room < min(most, _MOST_ROOM):
            state.room *= _TIMES


def more_room(state: State) -> bool:
    """Make more room at the next call for lists of unknown length, if there can be more.

    A nest that gives up does not say why; it may not have been for the want of room.
    """
    if state.room >= _MOST_ROOM or not any(local.room for local in state.locals):
        return False
    state.room *= _TIMES
    return True


def _rooms(values: Values, state: State) -> Rooms:
    """Shape and dtype of each array of the nest, None for a copy; worked out once for each size."""
    numbers = tuple([values.numbers[path] for path in state.ints])
    key = numbers, tuple([array.shape for array in values.arrays.values()]), state.room
    found = state.rooms.get(key)
    if found is None:
        if len(state.rooms) >= _MOST_ROOMS:
            state.rooms.clear()
        found = state.rooms[key] = _worked_out(values, state)
    return found


def _worked_out(values: Values, state: State) -> Rooms:
    env, known = environment(state.ints, values), dict[tuple[int, ...], interval.Env | None]()
    nest = state.typed.nest
    found: list[tuple[tuple[int, ...], str] | None] = []
    for local in state.locals:
        if local.initial is not None:
            found.append(None)
            continue
        shape = []
        # What is handed out whole must be as long as it is in Python.
        seen = local.extends is not None or local.flag in nest.live_out
        seen = seen and local.length is None and local.last_of is None
        for axis, extent in enumerate(local.extents):
            inner = interval.inside(local.scope, env, known)
            sizes = (0, 0) if inner is None else interval.interval(extent, inner)
            exact = seen and (local.lengths is None or not axis)
            if sizes is None or (exact and sizes[0] != sizes[1]):
                where = Span(nest.file, nest.loop.line)
                raise Refused(Refusal(Reason.SIZES, where, local.path.strip("<>")))
            shape.append(max(sizes[1], 0))
        if local.room:
            shape[0] += state.room - FIRST_ROOM
        found.append((tuple(shape), state.typed.array(local.path).dtype))
    return tuple(found)


def fill(values: Values, nest: Nest) -> None:
    """Begin with what is in lists, which have been read by now."""
    for local in nest.locals:
        if local.initial in values.lists.mirrors:
            values.arrays[local.path][...] = values.arrays[local.initial]


def with_arrays(results: tuple[Any, ...], state: State, values: Values) -> tuple[Any, ...]:
    """`results` with the arrays themselves in place of the flags that they were made."""
    nest = state.typed.nest
    made = {local.flag: local for local in nest.locals}
    known = dict(zip(nest.live_out, results, strict=True))
    lists = {
        local.path: handed_out(local, known, state, values)
        for local in nest.locals
        if (local.listed or local.rows)
        and (local.extends or known.get(local.flag, UNSET) is not UNSET)
    }
    found = []
    for name, value in zip(nest.live_out, results, strict=True):
        if name in made and value is not UNSET:
            value = lists.get(made[name].path, values.arrays[made[name].path])
            whole = made[name].last_of
            if whole is not None:
                value = lists[whole][-1]
        found.append(value)
    columns = {one.path: _rows(one, lists) for one in nest.columns}
    for local in nest.locals:
        if local.extends is not None and local.extends not in columns:
            if local.lowest is None:
                values.extended[local.extends].extend(lists[local.path])
            else:  # what was taken away is not what has come in its place
                values.extended[local.extends][known[local.lowest] :] = lists[local.path]
    for path, rows in columns.items():
        values.extended[path].extend(rows)
    for turn in nest.turns:
        if found[turn.position] is not UNSET:
            found[turn.position] = values.value(turn.after[found[turn.position]])
    for row in nest.rows:
        if found[row.position] is not UNSET:
            before = (slice(None),) * row.axis
            place = found[row.position]
            items = values.lists.value(row.path)
            found[row.position] = (
                values.arrays[row.path][(*before, place)] if items is None else items[place]
            )
    for one in nest.absents:
        if found[one.place] is False:
            found[one.position] = UNSET if one.unset else None
    for position, name in enumerate(nest.live_out):
        if name in nest.letters and found[position] is not UNSET:
            found[position] = chr(found[position])
    lengths = [local.length for local in nest.locals if local.length in known]
    lengths += [local.lowest for local in nest.locals if local.lowest in known]
    more = {k for bundle in nest.bundles for k in each_of(bundle.places)}
    more -= {bundle.position for bundle in nest.bundles}
    for bundle in nest.bundles:
        if found[bundle.position] is not UNSET:
            found[bundle.position] = _together(bundle.places, found)
    for holder in nest.holders:
        more |= holder.more
        if found[holder.position] is not UNSET:
            found[holder.position] = held(holder, found)
    return tuple(found[: len(found) - len(lengths) - len(more) - len(nest.absents)])


def _rows(columns: Columns, lists: Mapping[str, list[Any]]) -> Iterator[Any]:
    """The tuples or lists whose items are in lists of their own."""
    tuples = _columns(columns.items, lists)
    return map(list, tuples) if columns.listed else tuples


def _columns(leaves: tuple[Leaves, ...], lists: Mapping[str, list[Any]]) -> Iterator[Any]:
    """The tuples whose items are in lists of their own."""
    parts = [
        lists[f"{MORE}{leaf}>"] if isinstance(leaf, str) else _columns(leaf, lists)
        for leaf in leaves
    ]
    return zip(*parts, strict=True)


def _together(places: Places, found: Sequence[Any]) -> Any:
    """The tuple whose numbers stand at these places."""
    if isinstance(places, int):
        return found[places]
    return tuple(_together(part, found) for part in places)


def handed_out(local: Local, known: Mapping[str, Any], state: State, values: Values) -> list[Any]:
    """The list that stands for an array of the nest, or what it adds to one that was there."""
    array, types = values.arrays[local.path], values.arrays.get(local.path + TYPES)
    there = values.arrays.get(local.extends or "")
    begun = 0 if there is None else len(there)  # what it reads begins with what was there
    if local.lowest is not None:
        begun = known[local.lowest]
    own = slice(begun, None if local.length is None else known[local.length])
    array = array[own]
    if local.rows:
        return [row.copy() for row in array]
    if local.mixed:
        assert types is not None
        kind = state.typed.array(local.path)
        return mixed.items((kind.listed, kind.other), array, types[own])
    if local.lengths is not None:
        lengths = values.arrays[local.lengths][own].tolist()
        atom = state.typed.array(local.path).listed
        return [_items(row[:size], atom) for row, size in zip(array, lengths, strict=True)]
    return _items(array, state.typed.array(local.path).listed)


def _items(array: np.ndarray[Any, Any], atom: str) -> list[Any]:
    if is_python(atom):
        found: list[Any] = array.tolist()
        return found
    return list(array) if array.ndim == 1 else [_items(row, atom) for row in array]
