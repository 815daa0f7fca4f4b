"""Whether one thread, which works while it waits for sums, is done before several are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autopar.runtime.choice import estimate
from autopar.runtime.choice.outline import outlined
from autopar.runtime.choice.price import Call, launches_s
from autopar.runtime.measured import machine
from autopar.sched.bands import adds
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, walk

_NEAR = 1 << 25  # bytes of arrays, beyond which one thread waits for memory, not for sums


def waits(plan: Plan) -> bool:
    """Whether there are sums that are added up in order, beside loops in any order."""
    loops = [node for node in walk(plan.body) if isinstance(node, Loop)]
    return any(node.parallel for node in loops) and any(_kinds(node)[0] for node in loops)


def alone_wins(alone: Plan, launches: float, call: Call) -> bool:
    """Whether `alone`, a plan for one thread with loops joined to sums, is the faster one.

    What is joined to a sum takes no time of its own; all else takes as long as it would take
    several threads together, times their number.  Sums take the same time either way.

    Parameters
    ----------
    launches
        Of the plan for several threads.
    """
    if call.moved > _NEAR:
        return False
    hidden, rest = _work(alone.body, call.middle)
    lost_s = rest * (1 - 1 / call.threads) * call.op_s
    won_s = hidden / call.threads * call.op_s + launches_s(launches, machine())
    return hidden > 0 and lost_s < won_s


def _kinds(loop: Loop) -> tuple[bool, bool]:
    """Whether `loop` runs in order and adds up a sum, and does something else as well."""
    stmts = [node.stmt for node in loop.body if isinstance(node, Leaf)]
    if loop.parallel or len(stmts) < len(loop.body):
        return False, False
    sums = [adds(stmt) for stmt in stmts]
    return any(sums), any(sums) and not all(sums)


def _work(nodes: Sequence[Node], env: Mapping[str, float]) -> tuple[float, float]:
    """Operations that are joined to sums, and those in loops of any order."""
    hidden = rest = 0.0
    for node in nodes:
        match node:
            case Loop(parallel=True):
                rest += estimate.operations(outlined(node), env)
            case Loop(loop=loop, body=body):
                count, middle = estimate.middle_trips(loop, env)
                inner = {**env, loop.var: middle}
                if _kinds(node)[1]:
                    others = (n for n in body if isinstance(n, Leaf) and not adds(n.stmt))
                    hidden += count * sum(estimate.operations(outlined(n), inner) for n in others)
                    continue
                more = _work(body, inner)
                hidden, rest = hidden + count * more[0], rest + count * more[1]
            case Branch(body=body, orelse=orelse):
                more = max(_work(block, env) for block in (body, orelse))
                hidden, rest = hidden + more[0], rest + more[1]
    return hidden, rest
