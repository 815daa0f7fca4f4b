"""What comes to the same in all iterations of a loop, although each iteration computes it anew."""

from __future__ import annotations

from collections.abc import Iterator

from autopar.nest.flow import names
from autopar.nest.ir import Assign, Element, For, Name, Stmt
from autopar.nest.walking import accesses, blocks, expressions, statements
from autopar.sched.bands import has_loops


def varying(loop: For, private: frozenset[str]) -> frozenset[str]:
    """Scalars and arrays that may differ from one iteration of `loop` to another.

    Parameters
    ----------
    private
        Arrays that each iteration fills before it reads them.

    Notes
    -----
    ``p[j] = -a / (a * p[j - 1] + b)`` does not mention the variable of the loop, so all iterations
    that go on together may have one `p`.  An array that is not private is one for all iterations,
    and what it holds may depend on which of them have stored in it.
    """
    stored = {a.array for s in loop.body for _, a in accesses(s) if isinstance(a, Element)}
    found = frozenset({loop.var}) | (stored - private)
    while True:
        more = found.union(*(_changed(stmt, found) for stmt in loop.body))
        if more == found:
            return found
        found = more


def alike(stmt: Stmt, varying: frozenset[str]) -> bool:
    """Whether `stmt`, which has no loops, does the same in all iterations."""
    return not has_loops(stmt) and not _named(stmt) & varying


def _changed(stmt: Stmt, varying: frozenset[str]) -> frozenset[str]:
    """What `stmt` makes differ where `varying` does."""
    if not has_loops(stmt):
        return frozenset() if alike(stmt, varying) else frozenset(_assigned(stmt))
    head: frozenset[str] = names(expressions(stmt)) & varying
    if head:
        return frozenset(name for inner in statements(stmt) for name in _assigned(inner))
    inside = (inner for block in blocks(stmt) for inner in block)
    return frozenset().union(*(_changed(inner, varying) for inner in inside))


def _named(stmt: Stmt) -> frozenset[str]:
    """Scalars and arrays that `stmt` reads or assigns."""
    read = frozenset().union(*(names(expressions(inner)) for inner in statements(stmt)))
    arrays = frozenset(access.array for _, access in accesses(stmt))
    return read | arrays | frozenset(_assigned(stmt))


def _assigned(stmt: Stmt) -> Iterator[str]:
    """Scalars and arrays that `stmt` assigns."""
    for inner in statements(stmt):
        match inner:
            case For(var=var):
                yield var
            case Assign(target=Name(id=name)) | Assign(target=Element(array=name)):
                yield name
