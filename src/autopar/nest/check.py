"""Invariants of the IR, verified between the stages under ``AUTOPAR_CHECK=1``."""

from __future__ import annotations

from autopar.nest.ir import Assign, For, Leave, Name, Nest, Stmt, While
from autopar.nest.walking import accesses, assigned, blocks, statements


def check(nest: Nest) -> None:
    """Assert what every later room takes for granted.

    Raises
    ------
    AssertionError
        Naming the invariant; a defect of autopar, never of the user's program.
    """
    ids = [stmt.id for stmt in statements(nest.loop)]
    ids += [access.id for _, access in accesses(nest.loop)]
    assert len(ids) == len(set(ids)), "statements and accesses have ids of their own"
    assert frozenset(nest.scalars) == assigned(nest.loop), "scalars are what the nest assigns"
    own = {local.path for local in nest.locals}
    flags = {name for name in nest.live_out if name.startswith(("<made ", "<never "))}
    assert set(nest.live_out) <= set(nest.scalars) | flags, "only scalars outlive the nest"
    # Names of ours are no attributes, though those of an attribute have a dot: <p.k at entry>.
    # What is known beside a list of ours is one: <dict d>.<types>.
    roots = {
        p.partition(">.")[0].removesuffix(">") + ">" if p[0] == "<" else p.split(".")[0]
        for p in nest.paths
        if p not in own
    }
    assert roots <= set(nest.roots), f"every live-in path has its root: {roots - set(nest.roots)}"
    assert not roots & set(nest.scalars), "a root is never assigned in the nest"
    for _, access in accesses(nest.loop):
        assert access.array in nest.paths, f"array {access.array} is a live-in"
        assert access.index, "an access has subscripts"
    assert all(r.path in nest.paths for r in nest.rows), "rows are of live-in arrays"
    _leaves((nest.loop,), inside=False)
    for stmt in statements(nest.loop):
        if isinstance(stmt, For):
            inner = {n for child in stmt.body for n in assigned(child)}
            assert stmt.var not in inner, f"loop variable {stmt.var} is assigned in its loop"
        elif isinstance(stmt, Assign) and isinstance(stmt.target, Name):
            assert stmt.target.id in nest.scalars


def _leaves(stmts: tuple[Stmt, ...], inside: bool) -> None:
    for stmt in stmts:
        assert inside or not isinstance(stmt, Leave), "break and continue stand in a loop"
        for block in blocks(stmt):
            _leaves(block, inside or isinstance(stmt, For | While))
