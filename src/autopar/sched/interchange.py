"""Which loop is innermost: one whose iterations lie side by side in memory.

What runs on other threads is decided by then; here the loops within one thread's part change
places where that makes its memory accesses consecutive and its iterations independent, so that
several become one vector instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autopar.nest.flow import names, written
from autopar.nest.ir import Compare, Const, For, If, Nest, Stmt
from autopar.nest.walking import accesses
from autopar.records import replace
from autopar.sched.bands import (
    any_order,
    harmless,
    has_loops,
    leaves,
    parts,
    seen_after,
    short,
    unit,
)
from autopar.sched.plan import Branch, Loop, Node, Plan, statement, unused

_FAR, _LATENCY, _VECTOR = 4.0, 4.0, 0.25
"""Cycles of an access that jumps, of an iteration that waits for the last, part of a vector's."""
_GAIN = 0.7  # of the cost that an exchange must leave at the most


def interchanged(plan: Plan, layouts: Mapping[str, str], wide: bool = False) -> Plan:
    """`plan` with the best of its loops innermost.

    Parameters
    ----------
    layouts
        Of each array path: ``F`` where the first axis lies densely; any other, the last.
    wide
        Whether it is for a device, where loops in any order are one range.

    Notes
    -----
    Within a perfect band of loops with fixed bounds, a loop that carries no dependence may move
    inward past any other: each dependence that the band carries has distance 0 in it, so the order
    of its end points stays the same (Allen & Kennedy, *Optimizing Compilers for Modern
    Architectures*, section 5.2).  Each element still sees its operations in source order.

    Where the loop that moves has no iteration, those that now stand around it do not run either:
    in source order they would not, and they may be long.
    """
    change = _Interchange(plan.nest, layouts, wide, unused(plan))
    body = tuple(change.node(node) for node in plan.body)
    return plan if body == plan.body else replace(plan, body=body)


class _Interchange:
    def __init__(
        self, nest: Nest, layouts: Mapping[str, str], wide: bool, ids: Iterator[int]
    ) -> None:
        self.nest, self.layouts, self.wide, self.ids = nest, layouts, wide, ids

    def node(self, node: Node) -> Node:
        match node:
            case Loop(parallel=True, body=body) | Loop(brief=True, body=body):
                return replace(node, body=self.within(body))
            case Loop(body=body):
                return replace(node, body=tuple(self.node(n) for n in body))
            case Branch(body=body, orelse=orelse):
                both = (tuple(self.node(n) for n in block) for block in (body, orelse))
                return Branch(node.stmt, *both)
        return node

    def within(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """`nodes`, which one thread runs, with their bands of loops in the best order."""
        found: list[Node] = []
        for node in nodes:
            found += self.distributed(node) if isinstance(node, Loop) else (node,)
        return tuple(found)

    def distributed(self, outer: Loop) -> tuple[Node, ...]:
        """`outer` in the best order; as several loops where one of them gains by it.

        A loop that carries no dependence may be cut between any two statements of its body, unless
        a scalar goes from one to the other.
        """
        if outer.loop.lanes is not None:
            return (outer,)
        pieces = parts(self.nest, outer) if any_order(outer) else []
        if len(pieces) > 1:
            bands = tuple(self.band(replace(outer, body=part)) for part in pieces)
            if any(not isinstance(b, Loop) or b.loop.id != outer.loop.id for b in bands):
                return bands
        return (self.band(outer),)

    def band(self, outer: Loop) -> Node:
        chain = [outer]
        while len(chain[-1].body) == 1 and isinstance(chain[-1].body[0], Loop):
            chain.append(chain[-1].body[0])
        best = self.best(chain)
        if best is None:
            return replace(outer, body=self.within(outer.body))
        first = chain.index(best)
        made = _around([*chain[first + 1 :], best], chain[-1].body)
        begins = _begins(best.loop)
        if begins is not None and not (self.wide and all(map(any_order, chain[first:]))):
            made = (Branch(If(begins, (), (), next(self.ids), best.loop.line), made, ()),)
        (whole,) = _around(chain[:first], made)
        return whole

    def best(self, chain: Sequence[Loop]) -> Loop | None:
        """The loop of a band that should be innermost, where that is another than now."""
        inner = [statement(node) for node in chain[-1].body]
        if len(chain) < 2 or any(leaves(stmt) or has_loops(stmt) for stmt in inner):
            return None
        costs = {k: self.cost(loop, inner) for k, loop in enumerate(chain)}
        allowed = [
            k
            for k, loop in enumerate(chain[:-1])
            if any_order(loop) and self.movable(chain[k:], inner) and not short(loop.loop)
        ]
        chosen = min(allowed, key=costs.__getitem__, default=None)
        if chosen is None or costs[chosen] > _GAIN * costs[len(chain) - 1]:
            return None
        return chain[chosen]

    def movable(self, chain: Sequence[Loop], inner: Sequence[Stmt]) -> bool:
        """Whether the first loop of `chain` may become the innermost."""
        bounds = [e for n in chain for e in (n.loop.start, n.loop.stop, n.loop.step)]
        changed = written([n.loop for n in chain]) | written(inner)
        changed |= {n.loop.var for n in chain}
        # With another order a loop may start that did not before, and what is left at the end of
        # an empty one differs: the bounds must be harmless, the scalars nobody's after.
        if not all(harmless(e) for e in bounds) or names(bounds) & changed:
            return False
        if not all(isinstance(n.loop.step, Const) and n.loop.step.value for n in chain):
            return False
        return not seen_after(self.nest, chain[0].loop.id, changed)

    def cost(self, loop: Loop, inner: Sequence[Stmt]) -> float:
        """Cycles of one iteration of the body with `loop` innermost, roughly."""
        var, far, near = loop.loop.var, 0, 0
        for _, access in (found for stmt in inner for found in accesses(stmt)):
            moving = [k for k, e in enumerate(access.index) if var in names((e,))]
            if not moving:
                continue
            fast = 0 if self.layouts.get(access.array) == "F" else len(access.index) - 1
            if moving == [fast] and unit(access.index[fast], var):
                near += 1
            else:
                far += 1
        if any_order(loop):
            return _FAR * far + _VECTOR * near
        return max(_LATENCY, _FAR * far + near)


def _around(loops: Sequence[Loop], body: tuple[Node, ...]) -> tuple[Node, ...]:
    """`body` in `loops`, of which the first is the outermost."""
    for loop in reversed(loops):
        body = (replace(loop, body=body),)
    return body


def _begins(loop: For) -> Compare | None:
    """Whether `loop`, whose step is a number, has iterations; None where that is known."""
    start, stop, step = loop.start, loop.stop, loop.step
    assert isinstance(step, Const)
    assert isinstance(step.value, int)
    if isinstance(start, Const) and isinstance(stop, Const):
        return None
    return Compare("<" if step.value > 0 else ">", start, stop, loop.line)
