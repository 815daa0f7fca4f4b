"""Copies of a distributed loop, a block of iterations at a time, where they go through the same.

Of ``for i: total = a[i] · x; y += total * a[i]`` all inner products come first, then all updates of
`y`, and the matrix comes from memory twice.  A block of its rows that fits in a cache comes once:

    for block in range(0, n, 64):
        parallel for i in range(block, min(block + 64, n)): total[i] = a[i] · x
        for i in range(block, min(block + 64, n)): parallel for j: y[j] += total[i] * a[i, j]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.nest.flow import names, written
from autopar.nest.ir import Call, Const, For, Leave, Load, Name
from autopar.nest.walking import accesses, numbers, statements
from autopar.records import dataclass, replace
from autopar.sched.bands import harmless
from autopar.sched.plan import Loop, Node, Plan, statement, whole
from autopar.sched.tiles import plus, unit


@dataclass(frozen=True, slots=True)
class Copies:
    """Neighbours in a plan that are copies of one loop.

    Attributes
    ----------
    first, last
        Where they begin, and what comes after them.
    loop
        Variable and range.
    again
        Arrays of which more than one of them reads what each iteration has of its own.
    """

    first: int
    last: int
    loop: For
    again: frozenset[str]


def copies(plan: Plan) -> Copies | None:
    """The first copies of one loop in `plan` that go through the same arrays."""
    start = 0
    while start < len(plan.body):
        end = start
        while end < len(plan.body) and _alike(plan.body[start], plan.body[end]):
            end += 1
        loops = [node for node in plan.body[start:end] if isinstance(node, Loop)]
        if len(loops) > 1:
            read = [_own(loop) for loop in loops]
            again = {
                name for k, one in enumerate(read) for other in read[:k] for name in one & other
            }
            if again:
                return Copies(start, end, loops[0].loop, frozenset(again))
        start = max(end, start + 1)
    return None


def blocked(plan: Plan, found: Copies, rows: int) -> Plan:
    """`plan` with these copies in blocks of so many iterations.

    Notes
    -----
    Strip-mining of the loop before it is distributed (Allen & Kennedy, *Optimizing Compilers for
    Modern Architectures*, section 9.3.2).  No dependence leads from a later copy to an earlier one,
    so what is left in the user's order from block to block is as legal as the copies are.
    """
    loop = found.loop
    block = Name(f"<block of {loop.var.strip('<>')} {loop.id}>")
    stop = Call("<min>", (plus(block, Const(rows)), loop.stop), loop.line)
    inside = plan.body[found.first : found.last]
    body = tuple(
        replace(node, loop=replace(node.loop, start=block, stop=stop))
        for node in inside
        if isinstance(node, Loop)
    )
    fresh = 1 + max(n for node in plan.body for n in numbers(statement(node)))
    head = replace(loop, var=block.id, step=Const(rows), body=(), id=fresh, lanes=None)
    made = Loop(head, body, False, stands_for=())
    return replace(plan, body=(*plan.body[: found.first], made, *plan.body[found.last :]))


def _alike(one: Node, two: Node) -> bool:
    """Whether both are copies of one loop that may go in blocks."""
    if not isinstance(one, Loop) or not isinstance(two, Loop) or one.loop.id != two.loop.id:
        return False
    return all(map(_simple, (one, two))) and _range(one.loop) == _range(two.loop)


def _range(loop: For) -> Sequence[object]:
    return loop.var, loop.start, loop.stop, loop.step


def _simple(node: Loop) -> bool:
    """Whether `node` is all of a loop that goes up by one, and runs to its end."""
    loop, bounds = node.loop, (node.loop.start, node.loop.stop)
    if node.cut or node.reductions or node.stands_for is not None or loop.fold or loop.product:
        return False
    if loop.lanes is not None and loop.lanes.strip:
        return False  # as many as there are go side by side
    inside = whole(node)
    if any(isinstance(stmt, Leave) for stmt in statements(inside)):
        return False
    changed = written((inside,))
    return unit(loop) == 1 and all(map(harmless, bounds)) and not names(bounds) & changed


def _own(node: Loop) -> frozenset[str]:
    """Arrays of more than one axis of which each iteration reads elements of its own."""
    return frozenset(_rows(whole(node), node.loop.var))


def _rows(loop: For, var: str) -> Iterator[str]:
    for _, access in accesses(loop):
        inner = names(access.index) - {var}
        if isinstance(access, Load) and var in names(access.index) and inner & written((loop,)):
            yield access.array
