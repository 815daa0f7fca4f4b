"""Triangles of parallel loops as rectangles with a test, so that a device can go through one range.

    parallel for i in range(n):                 parallel for i in range(n):
        parallel for j in range(i + 1):             parallel for j in range(n):
            ...                                         if j < i + 1:
                                                            ...

Half of the work items then find nothing to do and are gone at once.  Without, there is one for each
row only, of which the longest has as much to do as all others together have on average.
"""

from __future__ import annotations

from collections.abc import Iterator

from autopar.nest.flow import names, written
from autopar.nest.ir import Compare, Const, Expr, For, If, Logic, Name, Nest
from autopar.nest.polynomial import number, of_names
from autopar.records import replace
from autopar.sched.bands import any_order, chain, harmless, seen_after
from autopar.sched.plan import Branch, Loop, Node, whole


def squared(nest: Nest, outer: Loop, ids: Iterator[int]) -> Loop:
    """`outer`, in which the range of no loop depends on the variable of one around it.

    As far as these are alone in one another and in any order, and as one end of a range at the most
    moves, by one with each iteration: a band would become a whole square.

    Parameters
    ----------
    ids
        Numbers for new statements.
    """
    if not any_order(outer) or outer.cut:
        return outer
    loops = chain(outer)
    changed = written((whole(outer),))
    if seen_after(nest, outer.loop.id, frozenset(loop.loop.var for loop in loops)):
        return outer  # the last value of a variable is another one
    heads, tests = [outer.loop], list[Expr]()
    for loop in loops[1:]:
        bounds = (loop.loop.start, loop.loop.stop)
        if not all(map(harmless, bounds)) or loop.loop.var in written(whole(loop).body):
            break
        if not names(bounds) & changed:
            heads.append(loop.loop)
            continue
        found = _square(loop.loop, heads, changed)
        if found is None:
            break
        heads.append(found[0])
        tests.append(found[1])
    if not tests:
        return outer
    line = heads[-1].line
    test = tests[0] if len(tests) == 1 else Logic("and", tuple(tests), line)
    inside = loops[len(heads) - 1].body
    body: tuple[Node, ...] = (Branch(If(test, (), (), next(ids), line), inside, ()),)
    for loop, head in zip(reversed(loops[: len(heads)]), reversed(heads), strict=True):
        made = replace(loop, loop=head, body=body)
        body = (made,)
    return made


def _square(loop: For, around: list[For], changed: frozenset[str]) -> tuple[For, Expr] | None:
    """`loop` with the range of the longest of its runs, and the test that leaves the rest out."""
    if loop.step != Const(1):
        return None
    start, stop = (of_names(bound, loop.line) for bound in (loop.start, loop.stop))
    moving = names((loop.start, loop.stop)) & changed
    outer = next((head for head in around if {head.var} == moving), None)
    if start is None or stop is None or outer is None:
        return None
    slopes = [bound.slope(outer.var) for bound in (start, stop)]
    first = of_names(outer.start, loop.line)
    last = of_names(outer.stop, loop.line)
    if first is None or last is None:
        return None
    match outer.step:
        case Const(value=1):
            least, most = first, last - number(1)
        case Const(value=-1):
            least, most = last + number(1), first
        case _:
            return None
    here = Name(loop.var)
    match slopes:
        case [1 | -1 as slope, 0]:  # it begins at another place each time: earliest of all
            wide = start.where({outer.var: least if slope > 0 else most}, loop.line)
            test = Compare(">=", here, loop.start, loop.line)
            return replace(loop, start=wide.expr(loop.line)), test
        case [0, 1 | -1 as slope]:
            wide = stop.where({outer.var: most if slope > 0 else least}, loop.line)
            test = Compare("<", here, loop.stop, loop.line)
            return replace(loop, stop=wide.expr(loop.line)), test
    return None
