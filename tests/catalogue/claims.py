"""What autopar claims of a call: the plans it chose, as pairs of a loop and a statement.

The one place that knows how a plan says "in parallel".  Loops and statements are known by their
lines, which no rewriting of a nest changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autopar.nest.ir import Assign, For
from autopar.nest.walking import statements
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, statement

from .oracle import Pair
from .shape import Shape


@dataclass(frozen=True)
class Claim:
    """One loop of a plan whose iterations may run at once, with the statements in it.

    `outermost`: in no other parallel loop, so that kernels, too, run its iterations apart.
    """

    loop: int
    lines: frozenset[int]
    outermost: bool = True


def claims(plan: Plan, found: Shape) -> tuple[Claim, ...]:
    """All parallel loops of `plan` that stand for loops of the user's."""
    return tuple(_claims(plan.body, found, True))


def pairs(made: tuple[Claim, ...]) -> set[Pair]:
    """The pairs that the claims come to."""
    return {(claim.loop, line) for claim in made for line in claim.lines}


def _claims(nodes: tuple[Node, ...], found: Shape, outermost: bool) -> Iterator[Claim]:
    for node in nodes:
        match node:
            case Loop(loop=loop, body=body, parallel=parallel):
                # A loop that was made, over tiles say, has a line of the user's, not the variable.
                users = found.loops.get(loop.line) == loop.var.strip("<>")
                if parallel and users:
                    yield Claim(loop.line, _lines(body) & found.inside[loop.line], outermost)
                yield from _claims(body, found, outermost and not parallel)
            case Branch(body=body, orelse=orelse):
                yield from _claims((*body, *orelse), found, outermost)


def _lines(nodes: tuple[Node, ...]) -> frozenset[int]:
    return frozenset(
        stmt.line
        for node in nodes
        for stmt in statements(statement(node))
        if isinstance(stmt, Assign)
    )


def dissolved(plan: Plan, found: Shape) -> set[Pair]:
    """Pairs of a parallel loop and a statement of it that no copy of the loop runs any more.

    A counter that has become a closed form, say: what it computed no longer keeps any order.
    """
    run: dict[int, set[int]] = {}
    for top in plan.body:
        for stmt in statements(statement(top)):
            if isinstance(stmt, For):
                inner = (one for child in stmt.body for one in statements(child))
                run.setdefault(stmt.line, set()).update(
                    one.line for one in inner if isinstance(one, Assign)
                )
    return {
        (claim.loop, line)
        for claim in claims(plan, found)
        for line in (found.inside[claim.loop] & found.assignments) - run[claim.loop]
    }


def parallel_somewhere(plan: Plan) -> bool:
    """Whether any loop of the plan is parallel, one that stands for none of the user's included."""
    return _any(plan.body)


def _any(nodes: tuple[Node, ...]) -> bool:
    for node in nodes:
        if isinstance(node, Leaf):
            continue
        if getattr(node, "parallel", False):
            return True
        inner = (*getattr(node, "body", ()), *getattr(node, "orelse", ()))
        if _any(inner):
            return True
    return False
