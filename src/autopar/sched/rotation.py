"""Loops in order of which the end of one iteration and the beginning of the next become one loop.

Of a solver that goes step by step, a step begins with a sum and ends with an update of what is
summed up.  Where the sum waits for each addition, the update of the step before could be done
meanwhile, but there is no place for both in one step:

    for t in range(steps):              for t in range(steps):
        sum over p                          if t == 0: sum over p
        …                                   …
        update of p                         if t + 1 < steps: update of p and sum over it
                                            else: update of p
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from autopar.nest.flow import names, written
from autopar.nest.ir import Assign, Binary, Compare, Const, If, Leave, Name
from autopar.nest.walking import expressions, statements
from autopar.records import replace
from autopar.sched.bands import harmless
from autopar.sched.plan import Branch, Leaf, Loop, Node, statement, walk, whole

Joined = Callable[[Sequence[Node]], tuple[Node, ...]]
"""Nodes of a block with neighbouring loops joined."""


def rotated(
    loop: Loop,
    sums: Callable[[Loop], bool],
    plain: Callable[[Loop], bool],
    joined: Joined,
    ids: Iterator[int],
) -> Loop:
    """`loop`, which runs in order, with its first sum done at the end of the iteration before.

    Itself where that joins no loop to the sum, or may not be.

    Parameters
    ----------
    sums, plain
        Whether a loop is such a sum, or one in any order.
    joined
        What becomes of nodes that stand in `loop`.
    ids
        Numbers that no statement has.

    Notes
    -----
    Everything happens in the user's order, but for what `joined` does: between the end of an
    iteration and the beginning of the next there is nothing but the step of the variable, which
    that beginning must not read.
    """
    first, rest = _beginning(loop, sums)
    if not first or not _may_turn(loop, first):
        return loop
    for start in reversed(range(len(rest))):
        node, last = rest[start], rest[start:]
        if not isinstance(node, Loop) or not plain(node):
            continue
        both = joined((*last, *first))
        if _loops(both) < _loops((*last, *first)):
            return _turned(loop, first, rest[:start], last, both, ids)
    return loop


def _turned(
    loop: Loop,
    first: tuple[Node, ...],
    between: tuple[Node, ...],
    last: tuple[Node, ...],
    both: tuple[Node, ...],
    ids: Iterator[int],
) -> Loop:
    """`loop` with `both` in place of its `last` nodes and the `first` of its next iteration."""
    head = loop.loop
    begins = Compare("==", Name(head.var), head.start, head.line)
    after = Binary("+", Name(head.var), head.step, head.line)
    assert isinstance(head.step, Const)
    assert isinstance(head.step.value, int)
    goes_on = Compare("<" if head.step.value > 0 else ">", after, head.stop, head.line)
    return replace(
        loop,
        body=(
            Branch(If(begins, (), (), next(ids), head.line), first, ()),
            *between,
            Branch(If(goes_on, (), (), next(ids), head.line), both, last),
        ),
    )


def _beginning(
    loop: Loop, sums: Callable[[Loop], bool]
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The body of `loop` up to its first loop, if that is a sum, and what follows; or nothing."""
    for k, node in enumerate(loop.body):
        if isinstance(node, Loop) and sums(node):
            return loop.body[: k + 1], loop.body[k + 1 :]
        if not (isinstance(node, Leaf) and isinstance(node.stmt, Assign)):
            break
    return (), loop.body


def _may_turn(loop: Loop, first: Sequence[Node]) -> bool:
    """Whether all iterations but the last of `loop` may go on with `first` of the next one."""
    head, inside = loop.loop, [statement(node) for node in loop.body]
    if loop.parallel or loop.cut or loop.reductions or loop.swept or head.fold or head.product:
        return False
    if head.lanes is not None or any(isinstance(s, Leave) for s in statements(whole(loop))):
        return False
    step = head.step.value if isinstance(head.step, Const) else None
    bounds = (head.start, head.stop)
    if type(step) is not int or not step or not all(map(harmless, bounds)):
        return False
    if ({head.var} | names(bounds)) & written(inside):
        return False  # the range is that of before the loop
    parts = [top for node in first for s in statements(statement(node)) for top in expressions(s)]
    return head.var not in names(parts)


def _loops(nodes: Sequence[Node]) -> int:
    return sum(isinstance(node, Loop) for node in walk(tuple(nodes)))
