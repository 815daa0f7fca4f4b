"""What of its arrays a nest needs where it runs, and what comes back, at one call."""

from __future__ import annotations

from autopar.deps.cells import Cells, Descriptor
from autopar.deps.data import Facts, highest, lowest
from autopar.nest.hidden import STORED, TYPES
from autopar.nest.ir import Local, Nest
from autopar.runtime.choice.decide import Ranges, State, environment, parameters, sharing
from autopar.runtime.run.on_device import Part
from autopar.runtime.values.facts import Values
from autopar.verdict import Refused

def moves(state: State, facts: Facts, values: Values) -> dict[str, tuple[Part, Part]]:
    """Cells that come and cells that go, for arrays of which that may not be all.

    Nothing is said of arrays that share memory with another.
    """
    shared = sharing(facts)
    found = state.footprint(facts)
    try:
        known = parameters(found, state, _environment(state, facts, values))
    except Refused:  # a range that cannot be evaluated here
        return {}
    nest = state.typed.nest
    own = {local.path: local for local in nest.locals}
    made: dict[str, tuple[Part, Part]] = {}
    for one in found.arrays:
        if one.array in shared:
            continue
        shape = values.arrays[one.array].shape
        coming, going = (_part(cells, shape, known) for cells in (one.coming, one.going))
        local = own.get(one.array)
        if local is not None and local.initial is None:
            coming = ()  # it holds nothing yet
        if local is not None and not _kept(local, nest):
            going = ()
        made[one.array] = coming, going
    return made


def _environment(state: State, facts: Facts, values: Values) -> Ranges:
    """As `environment`; what index arrays hold is known where the facts say something of them."""
    env = environment(state.ints, values)
    for one in facts.elements:
        held = values.arrays[one.array]
        if held.size:
            low, high = int(held.min()), int(held.max())
            env[lowest(one.array)], env[highest(one.array)] = (low, low), (high, high)
    return env


def _part(cells: Cells | None, shape: tuple[int, ...], known: dict[str, int]) -> Part:
    """The cells at this call; all, where they are too many to list or any is not in the array."""
    found = None if cells is None else cells.at(known)
    if found is None or not all(_inside(one, shape) for one in found):
        return None
    return found


def _inside(one: Descriptor, shape: tuple[int, ...]) -> bool:
    first, directions = one
    for axis, (at, size) in enumerate(zip(first, shape, strict=True)):
        low = high = at
        for count, step in directions:
            far = (count - 1) * step[axis]
            low, high = low + min(far, 0), high + max(far, 0)
        if low < 0 or high >= size:
            return False
    return True


def _kept(local: Local, nest: Nest) -> bool:
    """Whether somebody may see an array of the nest's own when all is done."""
    paths = {path for turn in nest.turns for path in turn.after} | {row.path for row in nest.rows}
    named = local.flag in nest.live_out or local.path in paths
    beside = local.path.endswith((TYPES, STORED))  # what is seen of a list
    return named or beside or local.extends is not None or local.last_of is not None
