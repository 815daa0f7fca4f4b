"""Whether one plan has more in parallel than another."""

from __future__ import annotations

from collections.abc import Iterator

from autopar.nest.ir import Call, For, If, Load, Name, Stmt
from autopar.nest.walking import expressions, statements, walk
from autopar.sched.plan import Branch, Leaf, Loop, Node


def gains(new: tuple[Node, ...], old: tuple[Node, ...]) -> bool:
    """Whether a statement gets its first parallel loop, or a most nested one gets it further out.

    A statement that is less nested than others already in a parallel loop is not worth a copy,
    nor is one that only computes a scalar from scalars.
    """
    before = {leaf: found for leaf, _, found in _depths(old, 0, None)}
    # Notes of scalars are not in the user's text, so they gain nothing.
    after = list(_depths(new, 0, None))
    deepest = max((depth for _, depth, _ in after), default=0)
    for leaf, depth, found in after:
        if leaf not in before:
            continue
        was = before[leaf]
        if found is not None and (was is None or (found < was and depth == deepest)):
            return True
    return False


def _depths(
    nodes: tuple[Node, ...], depth: int, found: int | None
) -> Iterator[tuple[int, int, int | None]]:
    """Statement ids, the loops around each, and the level of the outermost parallel one."""
    for node in nodes:
        match node:
            case Loop(body=body, parallel=parallel):
                level = depth + 1
                yield from _depths(body, level, found or (level if parallel else None))
            case Branch(body=body, orelse=orelse):
                yield from _depths((*body, *orelse), depth, found)
            case Leaf(stmt=stmt):
                for inner in statements(stmt):
                    if not isinstance(inner, For | If) and not _slight(inner):
                        yield inner.id, depth, found


def _slight(stmt: Stmt) -> bool:
    """Whether `stmt` only computes a scalar from scalars."""
    parts = (e for top in expressions(stmt) for e in walk(top))
    return isinstance(getattr(stmt, "target", None), Name) and not any(
        isinstance(e, Load | Call) for e in parts
    )
