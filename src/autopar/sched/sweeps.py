"""Loops in order around one parallel loop, which each part of that goes through for itself.

Of ``for t in range(n): for p in range(m): s[p] = f(s[p], z[t, p])`` each step waits for the one
before, but only at the same `p`.  Started once for each step, the threads would meet `n` times for
nothing, and each step would find another's part of `s` in its cache.  So a thread that has a part
of the inner range goes through all of the outer one with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autopar.deps.data import Dependence
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import For, Nest
from autopar.nest.walking import statements
from autopar.records import replace
from autopar.sched.bands import any_order, harmless
from autopar.sched.plan import Branch, Loop, Node, whole


def with_sweeps(nodes: Sequence[Node], nest: Nest, deps: Sequence[Dependence]) -> tuple[Node, ...]:
    """`nodes` of a plan, still in the user's order of loops, with what may be `Loop.swept` marked.

    Parameters
    ----------
    nest
        What the plan is made of.
    deps
        The dependences of it that the plan keeps.

    Notes
    -----
    The parallel loop moves outside, a part of its range at a time: strip-mining, then interchange
    (Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, section 5.2).  That keeps the
    order of any two iterations of one part.  Iterations of two parts have nothing in common if
    nothing that is carried, by the parallel loop or by those around it that are passed, leads from
    one of its iterations to another.
    """
    known = frozenset(stmt.id for stmt in statements(nest.loop))  # others have no dependences
    return tuple(_marked(node, 1, known, deps) for node in nodes)


def swept(node: Node) -> tuple[tuple[For, ...], Loop] | None:
    """The loops that are swept from `node` on, outermost first, and the parallel one in them."""
    around: list[For] = []
    while isinstance(node, Loop) and node.swept and not node.brief and len(node.body) == 1:
        # Rows that are staggered would go through all of the range inside.
        around.append(replace(node.loop, lanes=None))
        (node,) = node.body
    if around and isinstance(node, Loop) and any_order(node) and not node.cut:
        return tuple(around), node
    return None


def _marked(node: Node, level: int, known: frozenset[int], deps: Sequence[Dependence]) -> Node:
    match node:
        case Loop(parallel=False, body=body):
            inside = tuple(_marked(inner, level + 1, known, deps) for inner in body)
            return replace(node, body=inside, swept=_may_be(node, level, known, deps))
        case Branch(body=body, orelse=orelse):
            then, other = (
                tuple(_marked(inner, level, known, deps) for inner in block)
                for block in (body, orelse)
            )
            return replace(node, body=then, orelse=other)
    return node


def _may_be(outer: Loop, level: int, known: frozenset[int], deps: Sequence[Dependence]) -> bool:
    """Whether `outer`, the `level`-th of all loops around what is in it, may be swept."""
    found = form(outer)
    if found is None:
        return False
    around, loop = found
    inside = frozenset(stmt.id for stmt in statements(loop))
    ours = [dep for dep in deps if {dep.source, dep.sink} <= inside]
    return inside <= known and stay(ours, level, level + len(around))


def form(outer: Loop) -> tuple[tuple[For, ...], For] | None:
    """The loops of `outer` down to a parallel one, and that; None where no part can be alone."""
    around: list[For] = []
    node: Node = outer
    while isinstance(node, Loop) and not node.parallel:
        if node.cut or node.reductions or node.loop.fold or len(node.body) != 1:
            return None
        around.append(node.loop)
        (node,) = node.body
    if not isinstance(node, Loop) or not any_order(node) or node.cut:
        return None
    loop = whole(node)
    changed = written((loop,))
    ranges = [expr for one in (*around, loop) for expr in (one.start, one.stop, one.step)]
    if names(ranges) & changed or not all(map(harmless, ranges)):
        return None
    counted = {one.var for one in around}
    if names((loop.start, loop.stop, loop.step)) & counted or counted & changed:
        return None
    if exposed(loop.body) & (changed - {loop.var}):
        return None  # a scalar of the last iteration
    return tuple(around), loop


def stay(deps: Iterable[Dependence], outer: int, inner: int) -> bool:
    """Whether all that is carried from level `outer` to `inner` stays in one iteration of `inner`.

    Scalars that each iteration assigns for itself are no matter.
    """
    carried = (d for d in deps if d.level is not None and outer <= d.level <= inner)
    return all(_stays(dep, inner) for dep in carried if not dep.scalar)


def _stays(dep: Dependence, level: int) -> bool:
    """Whether it leads to the same iteration of the loop at `level`."""
    return dep.kind != "control" and len(dep.distance) >= level and dep.distance[level - 1] == 0
