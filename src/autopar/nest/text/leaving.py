"""How a loop is left: by ``break``, or for good by the user's ``return``, ``raise`` or ``assert``.

A nest only breaks out of its loops, and says by which statement; the interpreter executes that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from autopar.nest.text.building import Rewriting
from autopar.nest.trees import all_copied, every

Loop = ast.For | ast.While
Exit = ast.Return | ast.Raise | ast.Assert


def exits(loop: Loop) -> tuple[Exit, ...]:
    """Statements in `loop` that leave it for good, in textual order; see `ir.EXIT`.

    `lift.Lifter.exit` numbers them in the same order, from 1 on: both must see the loop as written.
    """
    return tuple(every_exit(loop.body))


def every_exit(nodes: Sequence[ast.stmt]) -> Iterator[Exit]:
    """The same of the loop with the body `nodes`."""
    for node in reached(nodes):
        if isinstance(node, ast.Try):  # a nest has none in it, but what makes it give up
            continue
        for case in _cases(node):
            yield from every_exit(case.body)
        if isinstance(node, ast.Return | ast.Raise) or (isinstance(node, ast.Assert) and __debug__):
            yield node
        for name in ("body", "orelse"):
            yield from every_exit(getattr(node, name, ()))


def reached(nodes: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`nodes` up to the first one that is always left."""
    return nodes[: 1 + next((k for k, node in enumerate(nodes) if _leaves(node)), len(nodes))]


def _leaves(node: ast.stmt) -> bool:
    """Whether nothing that follows `node` in its block is ever executed."""
    if isinstance(node, ast.If):
        return any(map(_leaves, node.body)) and any(map(_leaves, node.orelse))
    if isinstance(node, ast.Match):
        last = node.cases[-1]
        every = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        leaving = all(any(map(_leaves, case.body)) for case in node.cases)
        return every and last.guard is None and leaving
    return isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue)


def breaks(nodes: Iterable[ast.stmt]) -> bool:
    """Whether a ``break`` in the body of a loop ends this very loop."""
    return any(
        isinstance(node, ast.Break)
        or breaks(getattr(node, "orelse", ()))
        or (not isinstance(node, Loop) and breaks(getattr(node, "body", ())))
        or breaks(getattr(node, "finalbody", ()))
        or any(breaks(part.body) for part in (*getattr(node, "handlers", ()), *_cases(node)))
        for node in nodes
    )


def _cases(node: ast.stmt) -> Sequence[ast.match_case]:
    return node.cases if isinstance(node, ast.Match) else ()


def heading(loop: Loop) -> list[ast.expr]:
    """The expressions in the head of `loop`."""
    return [loop.test] if isinstance(loop, ast.While) else [loop.target, loop.iter]


def seen_by(leaving: Sequence[ast.stmt], after: Callable[[str], bool]) -> Callable[[str], bool]:
    """Whether a name is read by a statement that leaves the loop, or may be afterwards.

    The interpreter executes that statement, and is to find there what Python has.
    """
    read = {n.id for stmt in leaving for n in every(stmt) if isinstance(n, ast.Name)}
    return lambda name: name in read or after(name)


def without_values(nodes: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`nodes`, where statements that leave a nest have nothing to hand out: see `_Leaving`."""
    parts = (part for node in nodes for part in every(node))
    if not any(isinstance(part, ast.Return | ast.Raise) for part in parts):
        return nodes
    return _Leaving().block(all_copied(nodes))


class _Leaving(Rewriting):
    """Statements that leave a nest, without what they hand out: that is for the interpreter."""

    def visit_Return(self, node: ast.Return) -> ast.AST:
        node.value = None
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        node.exc = node.cause = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node
