"""Parallel loops that are over before other threads have heard of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.records import replace
from autopar.runtime.choice import interval
from autopar.runtime.choice.estimate import pace
from autopar.runtime.choice.outline import outlined
from autopar.runtime.choice.price import Call
from autopar.runtime.measured import machine
from autopar.sched.plan import Branch, Loop, Node, Plan, with_launched
from autopar.sched.sweeps import swept
from autopar.verdict import spoken


def short(plan: Plan, call: Call) -> frozenset[int]:
    """Which of the loops of `plan` that go to the threads are better left to one of them.

    By their numbers in order of execution, as in `with_short`.  None where that would be all:
    whether a plan is worth several threads is asked of what it does altogether.

    Notes
    -----
    Beside what a launch costs, what stands around such a loop becomes one kernel with it.
    """
    most = machine().launch_s * call.threads / max(call.threads - 1, 1)
    works = list(_works(plan.body, call.env))
    found = frozenset(k for k, work in enumerate(works) if work * call.op_s < most)
    return found if len(found) < len(works) else frozenset()


def with_short(plan: Plan, numbers: frozenset[int]) -> Plan:
    """`plan` with these of its loops left to one thread."""
    count = iter(range(1 << 30))
    names: list[str] = []

    def change(loop: Loop) -> Loop:
        brief = next(count) in numbers
        if brief:
            names.append(f"`{spoken(loop.loop.var)}`")
        return replace(loop, brief=brief)

    body = with_launched(plan.body, change)
    assert len(names) == len(numbers), "loops are counted in another way than by `short`"
    told = f"too little work for more than one thread in loop {', '.join(dict.fromkeys(names))}"
    return replace(plan, body=body, parts=(*plan.parts, told))


def _works(nodes: Sequence[Node], env: interval.Env) -> Iterator[float]:
    """Operations from launch to end, at the most, for each loop that goes to the threads.

    Infinite where nobody knows how long one is.
    """
    for node in nodes:
        match node:
            case Loop(spread=True):
                yield pace(outlined(node), env).work
            case Loop(brief=True):
                pass
            case Loop(loop=loop, body=body):
                if swept(node) is not None:  # launched once for all of it
                    yield pace(outlined(node), env).work
                    continue
                found = interval.loop_range(loop, env)
                yield from _works(body, interval.within(env, loop.var, found))
            case Branch(body=body, orelse=orelse):
                yield from _works((*body, *orelse), env)
