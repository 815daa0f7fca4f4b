"""Loops in order around parallel ones, moved into them where they add to the same cells.

    for i in range(n):                      for k in range(n):               # parallel
        for j in range(m):                      for j in range(m):           # parallel
            for k in range(i):                      for i in range(k + 1, n):
                c[k, j] += b[i, j] * a[i, k]            c[k, j] += b[i, j] * a[i, k]

On the left each iteration of `i` goes through all of `c`.  On the right a cell is read and written
once, with all that is added to it between, in the order in which it was added before.
"""

from __future__ import annotations

from collections.abc import Sequence

from autopar.deps.data import Dependence
from autopar.nest.flow import names, written
from autopar.nest.ir import Assign, Binary, Const, Element, Expr, For, Name, Nest
from autopar.nest.walking import statements
from autopar.records import replace
from autopar.sched.bands import chain, harmless, has_loops, seen_after
from autopar.sched.plan import Leaf, Loop, Node, statement, whole, with_loops_in_order
from autopar.sched.sweeps import stay

_ONE = Const(1)


def moved_inward(nodes: Sequence[Node], nest: Nest, deps: Sequence[Dependence]) -> tuple[Node, ...]:
    """`nodes` of a plan, still in the user's order of loops, with such loops moved.

    Parameters
    ----------
    nest
        What the plan is made of.
    deps
        The dependences of it that the plan keeps.

    Notes
    -----
    Legal where all that the loop carries leads to the same iteration of each loop that it is moved
    into (Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, section 5.2; bounds of
    triangular loops, section 5.3).  The loops go through the same iterations as before, and two of
    them that have a cell in common keep their order.
    """
    known = frozenset(stmt.id for stmt in statements(nest.loop))  # others have no dependences
    return with_loops_in_order(
        nodes, lambda loop, level: _moved(loop, level, nest, deps, known) or loop
    )


def _moved(
    outer: Loop, level: int, nest: Nest, deps: Sequence[Dependence], known: frozenset[int]
) -> Loop | None:
    """`outer` and the loops in it in their new order; None where that gains nothing, or may not be.

    It gains where cells are stored that `outer` does not tell apart.
    """
    _, *inner = loops = chain(outer)
    if len(inner) < 2 or outer.cut or outer.reductions or outer.loop.fold or outer.loop.product:
        return None
    body = inner[-1].body
    stmts = [statement(node) for node in body]
    if not all(isinstance(node, Leaf) for node in body) or any(map(has_loops, stmts)):
        return None
    targets = [stmt.target for stmt in stmts if isinstance(stmt, Assign)]
    if len(targets) < len(stmts) or not all(isinstance(one, Element) for one in targets):
        return None
    var = outer.loop.var
    if any(var in names(one.index) for one in targets if isinstance(one, Element)):
        return None
    if seen_after(nest, outer.loop.id, frozenset(loop.loop.var for loop in loops)):
        return None
    inside = frozenset(stmt.id for stmt in statements(whole(outer)))
    ours = [dep for dep in deps if {dep.source, dep.sink} <= inside]
    if not inside <= known or not all(stay(ours, level, level + 1 + k) for k in range(len(inner))):
        return None
    ranges = _ranges(outer.loop, [loop.loop for loop in inner], written(stmts))
    if ranges is None:
        return None
    heads, last = ranges
    made: tuple[Node, ...] = (replace(outer, loop=last, body=body),)
    for loop, head in reversed(_by_memory(list(zip(inner, heads, strict=True)), targets)):
        made = (replace(loop, loop=head, body=made),)
    (found,) = made
    assert isinstance(found, Loop)
    return found


def _by_memory(loops: list[tuple[Loop, For]], targets: Sequence[object]) -> list[tuple[Loop, For]]:
    """`loops` with that over the last subscript of what is stored innermost."""
    last = {name for one in targets if isinstance(one, Element) for name in names(one.index[-1:])}
    return sorted(loops, key=lambda pair: pair[1].var in last)


def _ranges(
    outer: For, inner: Sequence[For], changed: frozenset[str]
) -> tuple[list[For], For] | None:
    """The inner loops as they are without `outer` around them, and `outer` within all of them.

    At most one of them may end where `outer` is; steps are 1.
    """
    bounds = [e for loop in (outer, *inner) for e in (loop.start, loop.stop)]
    counted = {loop.var for loop in (outer, *inner)}
    if any(loop.step != _ONE or loop.fold or loop.lanes for loop in (outer, *inner)):
        return None
    if not all(map(harmless, bounds)) or counted & changed or len(counted) < 1 + len(inner):
        return None
    heads, last = [], outer
    for loop in inner:
        if loop.stop == Name(outer.var) and last is outer:
            # Only iterations of `outer` after k come to it: none to as many as `outer` has.  One
            # less would do, but to subtract may leave the type of what the user has for its end.
            if not _no_less(loop.start, outer.start) or names((loop.start,)) & counted:
                return None
            heads.append(replace(loop, stop=outer.stop))
            last = replace(outer, start=Binary("+", Name(loop.var), _ONE, outer.line))
        elif names((loop.start, loop.stop)) & (counted | changed):
            return None
        else:
            heads.append(loop)
    if names((outer.start, outer.stop)) & (counted | changed):
        return None
    return heads, last


def _no_less(start: Expr, than: Expr) -> bool:
    match start, than:
        case Const(value=int(mine)), Const(value=int(other)):
            return mine + 1 >= other
    return start == than
