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
from autopar.nest.ir import Assign, Element, For, Load, Name, Nest
from autopar.nest.walking import accesses, statements
from autopar.records import replace
from autopar.sched.bands import any_order, harmless
from autopar.sched.plan import Leaf, Loop, Node, whole, with_loops_in_order


def with_sweeps(
    nodes: Sequence[Node],
    nest: Nest,
    deps: Sequence[Dependence],
    notes: frozenset[str] = frozenset(),
) -> tuple[Node, ...]:
    """`nodes` of a plan, still in the user's order of loops, with what may be `Loop.swept` marked.

    Parameters
    ----------
    nest
        What the plan is made of.
    deps
        The dependences of it that the plan keeps.
    notes
        Arrays that hand on scalars (`expand`), which no loop both makes and fetches.

    Notes
    -----
    The parallel loop moves outside, a part of its range at a time: strip-mining, then interchange
    (Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, section 5.2).  That keeps the
    order of any two iterations of one part.  Iterations of two parts have nothing in common if
    nothing that is carried, by the parallel loop or by those around it that are passed, leads from
    one of its iterations to another.
    """
    known = frozenset(stmt.id for stmt in statements(nest.loop))  # others have no dependences

    def marked(loop: Loop, level: int) -> Loop:
        return replace(loop, swept=_may_be(loop, level, known, deps, notes))

    return with_loops_in_order(nodes, marked)


def swept(node: Node) -> tuple[tuple[For, ...], Loop] | None:
    """The loops that are swept from `node` on, outermost first, and the parallel one in them.

    In the body of each is what it does before the next one begins.
    """
    around: list[For] = []
    while isinstance(node, Loop) and node.swept and not node.brief and _leads(node):
        first = tuple(n.stmt for n in node.body[:-1] if isinstance(n, Leaf))
        # Rows that are staggered would go through all of the range inside.
        around.append(replace(node.loop, lanes=None, body=first))
        node = node.body[-1]
    if not around or not isinstance(node, Loop) or not any_order(node) or node.cut or node.brief:
        return None
    fetched = {a.array for loop in around for stmt in loop.body for _, a in accesses(stmt)}
    stored = {a.array for _, a in accesses(whole(node)) if isinstance(a, Element)}
    return None if fetched & stored else (tuple(around), node)


def _may_be(
    outer: Loop,
    level: int,
    known: frozenset[int],
    deps: Sequence[Dependence],
    notes: frozenset[str],
) -> bool:
    """Whether `outer`, the `level`-th of all loops around what is in it, may be swept."""
    found = form(outer, notes)
    if found is None:
        return False
    around, loop = found
    inside = frozenset(stmt.id for stmt in statements(loop))
    ours = [dep for dep in deps if {dep.source, dep.sink} <= inside]
    return inside <= known and stay(ours, level, level + len(around))


def form(outer: Loop, notes: frozenset[str] = frozenset()) -> tuple[tuple[For, ...], For] | None:
    """The loops of `outer` down to a parallel one, and that; None where no part can be alone.

    Before the next loop each of them may fetch `notes`, which all parts do for themselves.
    """
    around: list[For] = []
    node: Node = outer
    while isinstance(node, Loop) and not node.parallel:
        if node.cut or node.reductions or node.loop.fold or not _leads(node, notes):
            return None
        around.append(node.loop)
        node = node.body[-1]
    if not isinstance(node, Loop) or not any_order(node) or node.cut:
        return None
    loop = whole(node)
    changed = written((whole(outer),)) - {one.var for one in around}
    ranges = [expr for one in (*around, loop) for expr in (one.start, one.stop, one.step)]
    if names(ranges) & changed or not all(map(harmless, ranges)):
        return None
    counted = {one.var for one in around}
    if names((loop.start, loop.stop, loop.step)) & counted or counted & written((loop,)):
        return None
    if exposed(loop.body) & (written((loop,)) - {loop.var}):
        return None  # a scalar of the last iteration
    return tuple(around), loop


def _leads(loop: Loop, notes: frozenset[str] | None = None) -> bool:
    """Whether the body of `loop` is one node, after some that fetch scalars from `notes`."""
    return bool(loop.body) and all(_fetches(node, notes) for node in loop.body[:-1])


def _fetches(node: Node, notes: frozenset[str] | None) -> bool:
    match node:
        case Leaf(stmt=Assign(target=Name(), value=Load(array=array))):
            return notes is None or array in notes
    return False


def stay(deps: Iterable[Dependence], outer: int, inner: int) -> bool:
    """Whether all that is carried from level `outer` to `inner` stays in one iteration of `inner`.

    Scalars that each iteration assigns for itself are no matter.
    """
    carried = (d for d in deps if d.level is not None and outer <= d.level <= inner)
    return all(_stays(dep, inner) for dep in carried if not dep.scalar)


def _stays(dep: Dependence, level: int) -> bool:
    """Whether it leads to the same iteration of the loop at `level`."""
    return dep.kind != "control" and len(dep.distance) >= level and dep.distance[level - 1] == 0
