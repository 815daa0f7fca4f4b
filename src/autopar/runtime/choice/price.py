"""What a plan is likely to cost at a call, launches and copies included."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from autopar.kernel import Reduction
from autopar.nest.ir import For, Local, Nest
from autopar.records import dataclass, replace
from autopar.runtime.choice import estimate, interval
from autopar.runtime.choice.outline import outlined
from autopar.runtime.measured import machine
from autopar.runtime.values.facts import Values
from autopar.runtime.values.mirrors import Mirror
from autopar.sched.machine import MACHINE, Machine
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan
from autopar.sched.sweeps import swept

_FETCHED, _JOINED = 2, 3
"""Passes over the copy of an array: made and fetched by the thread that works on it, or made,
looked at for overflow and added up."""
_SELDOM = 8
"""Iterations for one that meets a condition under which it appends to a list."""
_WORD = 8  # bytes of an element of a temporary
_ROOM = 1 << 28  # bytes of copies at one time


@dataclass(frozen=True, slots=True)
class Call:
    """Sizes of one call, and guesses of what it costs.

    Attributes
    ----------
    env
        Exact values of parameters and extents.
    middle
        The same as estimates.
    bytes
        Of each array.
    work
        Operations of the nest.
    threads
        That are there to be used.
    eager
        Whether to run in parallel what does not pay, for a test of autopar itself.
    pace
        How many times longer kernels of this nest take than the number of operations says.
    """

    env: interval.Env
    middle: Mapping[str, float]
    bytes: Mapping[str, int]
    work: float
    threads: int
    eager: bool
    pace: float = 1.0

    @property
    def op_s(self) -> float:
        """Seconds of an operation in a kernel."""
        return self.pace * MACHINE.compiled_op_s

    @property
    def work_s(self) -> float:
        """Seconds of the nest, compiled, on one thread."""
        return self.work * self.op_s

    @property
    def moved(self) -> int:
        """Bytes that come from memory, if each array is gone through once; 0 for small ones."""
        held = sum(self.bytes.values())
        return held if held > MACHINE.cache_bytes else 0

    def handed(self, numbers: Mapping[str, int]) -> Call:
        """The call with `numbers` beside its own parameters."""
        exact = {name: (number, number) for name, number in numbers.items()}
        return replace(self, env={**self.env, **exact}, middle={**self.middle, **numbers})


def expected_s(plan: Plan, call: Call) -> float:
    """Seconds that `plan` takes, roughly; infinite where its copies would not fit."""
    noted = sum(math.prod(shape) for _, _, shape in extents(plan, call.env))
    notes_s = 2 * noted * _WORD * MACHINE.copy_byte_s  # made and fetched
    return notes_s + _nodes_s(plan.body, call.middle, call)


def expected_run_s(call: Call, launches: float, threads: int) -> float:
    """Seconds of a run on `threads` threads, which are started so often.

    What comes from memory gets there no faster by them, or not as much.
    """
    known = machine()
    if threads == 1:
        return max(call.work_s, call.moved * known.stream_byte_s)
    spread_s = max(call.work_s / threads, call.moved * known.shared_byte_s)
    return launches_s(launches, known) + spread_s


def launches_s(launches: float, known: Machine) -> float:
    """Seconds for so many parallel regions of a run, beside what is done in them."""
    return known.wake_s + launches * known.launch_s if launches else 0.0


def copies_s(reductions: Sequence[Reduction], call: Call) -> float:
    """Seconds for the copies of arrays that the parts of a loop work on."""
    total = 0
    for reduction in reductions:
        if reduction.array:
            size, parts = call.bytes[reduction.name], call.threads - reduction.private
            if size * parts > _ROOM:
                return math.inf
            total += size * parts * (_FETCHED if reduction.private else _JOINED)
    return total * MACHINE.copy_byte_s


def lists_s(mirrors: Mapping[str, Mirror], written: Collection[str]) -> float:
    """Seconds for reading the elements of lists, and for putting new ones into those written."""
    read = {id(one): one.array.size for one in mirrors.values()}
    changed = {id(one): one.array.size for path, one in mirrors.items() if path in written}
    bools = {id(one): changed.pop(id(one), 0) for one in mirrors.values() if _holds_bools(one)}
    ours = {id(one): one.array.size for path, one in mirrors.items() if path.startswith("<")}
    items_s = (sum(read.values()) + sum(bools.values())) * MACHINE.item_s
    items_s += sum(changed.values()) * MACHINE.new_item_s
    # Lists of ours have been made of the user's for this call.
    return len(read) * MACHINE.list_s + items_s + sum(ours.values()) * MACHINE.new_item_s


def _holds_bools(one: Mirror) -> bool:
    """Of which there are two, and no more are made."""
    return bool(one.array.dtype.kind == "b")


def made_s(nest: Nest, values: Values) -> float:
    """Seconds for making the lists that a nest hands out, roughly."""
    made = [
        _items(local, values.arrays[local.path].size)
        for local in nest.locals
        if (local.listed or local.rows)
        and (local.extends is not None or local.flag in nest.live_out)
    ]
    return sum(made) * MACHINE.new_item_s


def _items(local: Local, room: int) -> int:
    """How many items a list may have in the end, for which there is so much `room`."""
    if local.room:
        return 0
    if local.length is not None:
        return room // _SELDOM
    # Of rows of several lengths, half of them, as in a triangle.
    return room >> (local.lengths is not None)


def extents(plan: Plan, env: interval.Env) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Path, dtype and shape of each temporary."""
    found = []
    for temporary in plan.temporaries:
        trips = interval.trips(temporary.loop, env)
        assert trips is not None, temporary
        found.append((temporary.path, temporary.dtype, (max(trips, 0),)))
    return tuple(found)


def rooms(
    copies: Sequence[Local], env: interval.Env
) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """The same of arrays for copies of others, which are over with a run."""
    found = []
    for copy in copies:
        shape = [interval.value(extent, env) for extent in copy.extents]
        assert copy.dtype is not None
        found.append((copy.path, copy.dtype, tuple(size for size in shape if size is not None)))
    return tuple(found)


def _nodes_s(nodes: Sequence[Node], env: Mapping[str, float], call: Call) -> float:
    total = 0.0
    for node in nodes:
        found = swept(node)
        if found is not None:
            total += _launched_s(node, found[1].loop, env, call)
            continue
        match node:
            case Loop(loop=loop, spread=True, reductions=reductions):
                total += _launched_s(node, loop, env, call) + copies_s(reductions, call)
            case Loop(brief=True):
                total += estimate.operations(outlined(node), env) * call.op_s
            case Loop(loop=loop, body=body):
                count, middle = estimate.middle_trips(loop, env)
                total += count * _nodes_s(body, {**env, loop.var: middle}, call)
            case Branch(body=body, orelse=orelse):
                total += max(_nodes_s(block, env, call) for block in (body, orelse))
            case Leaf():
                total += estimate.operations(outlined(node), env) * call.op_s
    return total


def _launched_s(node: Node, loop: For, env: Mapping[str, float], call: Call) -> float:
    """Seconds for all that is in `node`, where the iterations of `loop` go to the threads."""
    count, _ = estimate.middle_trips(loop, env)
    work = estimate.operations(outlined(node), env) * call.op_s
    return machine().launch_s + work / max(1.0, min(call.threads, count))
