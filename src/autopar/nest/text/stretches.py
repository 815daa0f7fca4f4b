"""Loops that the interpreter must enter now and then: between two such events they are nests.

A time loop that prints every hundred steps, or ends with a message once it has converged::

    for t in range(n):
        ...                        # taken
        if t % 100 == 0:
            print(t, u.max())      # not taken: an event
        ...                        # taken

Each iteration of the interpreter's begins with the question whether the nest runs from here on.
The nest stops at the first event; the interpreter executes it and what follows in its iteration,
and asks again in the next one.  So everything happens in the order of the text.

A loop of which nobody knows how long it takes may be one without events: after some of its
iterations the clock says how long the others will take (`runtime.unknown`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence

from autopar.nest.bound import stored
from autopar.nest.hidden import AT, STOP
from autopar.nest.ir import Nest
from autopar.nest.text.iteration import called
from autopar.nest.text.leaving import Exit, Loop, breaks
from autopar.nest.trees import every
from autopar.records import dataclass
from autopar.verdict import Refusal

_MOST = 4  # events of a loop: what follows each stands in the rewritten text once more


@dataclass(frozen=True, slots=True)
class Event:
    """Where a nest stops.

    Attributes
    ----------
    leave
        What stands for it in the nest.
    block
        Statements of the user's that the interpreter executes then, before it goes on with the next
        iteration.
    """

    leave: Exit
    block: tuple[ast.stmt, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """What of a loop runs between two events.

    Attributes
    ----------
    loop
        The nest's text: from the iteration at hand to the last.
    nest
        What it means.
    watched
        Whether it is the whole loop, of which nobody knows how long it takes.
    """

    loop: Loop
    events: tuple[Event, ...]
    nest: Nest
    watched: bool = False


def stretch(
    node: Loop,
    found: Nest | Refusal,
    live: Callable[[ast.stmt, str], bool],
    lift: Callable[[Loop, Callable[[str], bool]], Nest | Refusal],
    unknown: bool = False,
) -> Stretch | None:
    """The nest between the events of a loop, or None where it has none.

    Parameters
    ----------
    found
        The loop as a nest, which may still turn out to call what is not taken, or why it is none.
    live
        Whether a name may be read after a statement.
    lift
        The nest that a loop means, with names that may be read after it.
    unknown
        Whether nobody knows how long the loop takes: then it may be one without events, which is
        asked in each iteration all the same.
    """
    unknown = unknown and isinstance(node, ast.For)
    if not _plain(node) or not (unknown or any(isinstance(stmt, ast.If) for stmt in node.body)):
        return None
    if any(isinstance(part, ast.Global | ast.Nonlocal) for part in every(node)):
        return None  # what stands twice would assign the name before it is declared
    if any(isinstance(part, ast.Match | ast.Try) and breaks([part]) for part in every(node)):
        return None
    opaque = [] if isinstance(found, Refusal) else list(_calling(node))
    if not opaque and isinstance(found, Nest) and not unknown:
        return None
    while len(opaque) <= _MOST:
        loop, events = _without(node, opaque)
        # An event may go on with the next iteration, which begins where the last statement ends.
        ends = [node, node.body[-1], *(node.body[index] for index, _ in opaque)]
        nest = lift(loop, _read(node, events, ends, live))
        if isinstance(nest, Nest):
            watched = not opaque and isinstance(found, Nest)
            return Stretch(loop, events, nest, watched) if events or watched else None
        place = _place(node, nest.span.line)
        if place is None or place in opaque:
            return None
        opaque.append(place)
    return None


def _calling(node: Loop) -> Iterator[tuple[int, str]]:
    """Branches that call a function for what it does: most such functions print or store."""
    for index, stmt in enumerate(node.body):
        if isinstance(stmt, ast.If):
            for branch in ("body", "orelse"):
                block = getattr(stmt, branch)
                if any(isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) for s in block):
                    yield index, branch


def _read(
    node: Loop,
    events: tuple[Event, ...],
    ends: list[ast.stmt],
    live: Callable[[ast.stmt, str], bool],
) -> Callable[[str], bool]:
    """Whether a name may be read in `events` or after one of `ends`, or says where `node` is."""
    read = [stmt for event in events for stmt in event.block]
    read += [ast.Expr(node.test)] if isinstance(node, ast.While) else []  # once more, at the end
    names = {n.id for stmt in read for n in every(stmt) if isinstance(n, ast.Name)}
    names |= stored([node.target]) if isinstance(node, ast.For) else set()
    return lambda name: name in names or any(live(end, name) for end in ends)


def _plain(node: Loop) -> bool:
    """Whether the iterations of `node` from one of them on are a loop again."""
    if isinstance(node, ast.While):  # which asks once more whether it goes on
        return not any(isinstance(part, ast.NamedExpr) for part in every(node.test))
    match node.iter:
        case ast.Call(args=args, keywords=[]) if called(node.iter) == "range":
            whole = not any(isinstance(arg, ast.Starred) for arg in args)
            steps = len(args) < 3 or _is_number(args[2])
            named = isinstance(node.target, ast.Name)
            return whole and steps and named and not stored([node.target]) & stored(node.body)
    return False


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _place(node: Loop, line: int) -> tuple[int, str] | None:
    """The index of the `if` in the body with this line in one of its branches, and which."""
    for index, stmt in enumerate(node.body):
        if isinstance(stmt, ast.If):
            for branch in ("body", "orelse"):
                block = getattr(stmt, branch)
                if block and block[0].lineno <= line <= (block[-1].end_lineno or 0):
                    return index, branch
    return None


def _without(node: Loop, opaque: Sequence[tuple[int, str]]) -> tuple[Loop, tuple[Event, ...]]:
    """`node` from an iteration on, and its events."""
    body = list(node.body)
    events = []
    for index, branch in sorted(opaque):
        old, stmt = node.body[index], body[index]
        leave = _leave(getattr(old, branch)[0])
        events.append(Event(leave, (*getattr(old, branch), *node.body[index + 1 :])))
        body[index] = copy.copy(stmt)
        setattr(body[index], branch, [leave])
    left = dict(_left(body))
    body = [_replaced(stmt, left) for stmt in body]
    events += [Event(leave, (stop,)) for stop, leave in left.items()]
    loop = copy.copy(node)
    loop.body, loop.orelse = body, []
    if isinstance(loop, ast.For):
        assert isinstance(loop.iter, ast.Call)
        loop.iter = copy.copy(loop.iter)
        ends = [ast.copy_location(ast.Name(name, ast.Load()), loop.iter) for name in (AT, STOP)]
        loop.iter.args = [*ends, *loop.iter.args[2:]]
    return loop, tuple(events)


def _leave(place: ast.stmt) -> ast.Raise:
    return ast.copy_location(ast.Raise(None, None), place)


def _left(nodes: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.Raise]]:
    """Each ``break`` out of the loop with this body, and what stands for it."""
    for node in nodes:
        if isinstance(node, ast.Break):
            yield node, _leave(node)
        elif isinstance(node, ast.If):
            yield from _left(node.body)
            yield from _left(node.orelse)
        elif isinstance(node, ast.For | ast.While):
            yield from _left(node.orelse)


def _replaced(node: ast.stmt, others: Mapping[ast.stmt, ast.stmt]) -> ast.stmt:
    """`node` with others in place of some statements in it."""
    if node in others:
        return others[node]
    made = node
    for branch in ("body", "orelse"):
        old = getattr(node, branch, None)
        if isinstance(old, list):
            new = [_replaced(stmt, others) for stmt in old]
            if any(one is not two for one, two in zip(new, old, strict=True)):
                made = copy.copy(made)
                setattr(made, branch, new)
    return made
