"""What of its arrays a nest needs where it runs, and what comes back, at one call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from autopar.deps.cells import NO_CELLS, Cells, Descriptor, Footprint
from autopar.deps.data import END, START, Facts, highest, lowest
from autopar.device.memory import Box
from autopar.kernel import Program
from autopar.nest.hidden import STORED, TYPES
from autopar.nest.ir import Const, Expr, For, Local, Name, Nest
from autopar.records import replace
from autopar.runtime.choice.decide import Ranges, State, environment, parameters, sharing
from autopar.runtime.run.on_device import Between, Part, Parts
from autopar.runtime.values.facts import Values
from autopar.sched.plan import Loop, Plan
from autopar.verdict import Refused


def moves(state: State, facts: Facts, values: Values) -> Parts:
    """Cells that come and cells that go, for arrays of which that may not be all.

    Nothing is said of arrays that share memory with another.
    """
    found = _parts(state.footprint(facts), state, facts, values, _environment(state, facts, values))
    for local in state.typed.nest.locals:
        if local.path in found and local.initial is None:
            found[local.path] = (), found[local.path][1]  # it holds nothing yet
    return found


def in_pieces(
    state: State, facts: Facts, values: Values, plan: Plan, program: Program
) -> Between | None:
    """What iterations of the nest need, where each may follow the one before it in another run.

    None unless the whole nest is one kernel.  What its parts come to together, a sum, is where the
    next run starts from.
    """
    nest, loop = state.typed.nest, state.typed.nest.loop
    if len(program.kernels) != 1 or len(plan.body) != 1:
        return None
    (kernel,), (node,) = program.kernels, plan.body
    if not (isinstance(node, Loop) and node.parallel and kernel.parallel) or kernel.outer:
        return None
    # Iterations of the outermost loop must follow one another, with nothing of their own.
    if kernel.turned or kernel.copied:
        return None
    same = _range(node.loop) == _range(loop) and isinstance(loop.step, Const)
    if node.loop.id != loop.id or not same or plan.temporaries or plan.divided:
        return None
    some = replace(nest, loop=replace(loop, start=Name(START), stop=Name(END)))
    known = replace(facts, ints=facts.ints | {START, END})
    footprint, boxes = state.pieces(some, known)
    env = _environment(state, facts, values)

    def between(first: int, end: int) -> tuple[Parts, Mapping[str, Box]]:
        here = env | {START: (first, first), END: (end, end)}
        parts = _parts(footprint, state, facts, values, here)
        numbers = parameters(boxes, state, here)
        around = {one.array: one.at(numbers) for one in boxes.arrays}
        return parts, {path: box for path, box in around.items() if box is not None}

    return between


def _range(loop: For) -> tuple[Expr, Expr, Expr]:
    return loop.start, loop.stop, loop.step


def _parts(
    found: Footprint, state: State, facts: Facts, values: Values, env: Ranges
) -> dict[str, tuple[Part, Part]]:
    shared = sharing(facts)
    try:
        known = parameters(found, state, env)
    except Refused:  # a range that cannot be evaluated here
        return {}
    nest = state.typed.nest
    lost = {local.path for local in nest.locals if not _kept(local, nest)}
    made: dict[str, tuple[Part, Part]] = {}
    for one in found.arrays:
        if one.array in shared:
            continue
        shape = values.arrays[one.array].shape
        going = NO_CELLS if one.array in lost else one.going
        made[one.array] = _at(one.coming, known, shape), _at(going, known, shape)
    return made


def _environment(state: State, facts: Facts, values: Values) -> Ranges:
    """As `environment`; what index arrays hold is known where the facts say something of them."""
    env = environment(state.ints, values)
    for one in facts.elements:
        held = values.arrays[one.array]
        low, high = (int(held.min()), int(held.max())) if held.size else (0, 0)
        for array in {one.array, one.like or one.array}:
            env[lowest(array)], env[highest(array)] = (low, low), (high, high)
    return env


def _at(cells: Cells | None, known: Mapping[str, int], shape: tuple[int, ...]) -> Part:
    params = () if cells is None else cells.params
    return _part(cells, tuple([known[p] for p in params]), shape)


@lru_cache(maxsize=1024)
def _part(cells: Cells | None, numbers: tuple[int, ...], shape: tuple[int, ...]) -> Part:
    """The cells at this call; all, where they are too many to list or any is not in the array."""
    if cells is None:
        return None
    found = cells.at(dict(zip(cells.params, numbers, strict=True)))
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
    beside = beside or any(local.path == other.lengths for other in nest.locals)
    return named or beside or local.extends is not None or local.last_of is not None
