"""Which scalars flow into a piece of a nest: upward-exposed reads.

A scalar is exposed when some path from the start reads it before assigning it
(Aho, Lam, Sethi, Ullman, "Compilers", 2nd ed., section 9.2.5, live variables, restricted to the
entry point and computed on the tree instead of a flow graph).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autopar.nest.ir import Assign, Expr, For, If, Leave, Name, Stmt, While, expressions, walk


def exposed(stmts: Sequence[Stmt]) -> frozenset[str]:
    """Names read in `stmts` on some path before `stmts` has assigned them."""
    reads: set[str] = set()
    _block(stmts, frozenset(), reads)
    return frozenset(reads)


def names(exprs: Iterable[Expr]) -> frozenset[str]:
    """Every scalar or path read as a number in `exprs`."""
    return frozenset(e.id for top in exprs for e in walk(top) if isinstance(e, Name))


def _block(stmts: Sequence[Stmt], done: frozenset[str], reads: set[str]) -> frozenset[str] | None:
    """Names definitely assigned after `stmts`; None when the end cannot be reached."""
    for stmt in stmts:
        reads |= names(expressions(stmt)) - done
        match stmt:
            case Assign(target=Name(id=name)):
                done |= {name}
            case If(body=body, orelse=orelse):
                then, other = _block(body, done, reads), _block(orelse, done, reads)
                if then is None and other is None:
                    return None
                done = (
                    then & other
                    if then is not None and other is not None
                    else then or other or done
                )
            case For(var=var, body=body):
                # The body may run zero times, so what it assigns is not definite afterwards.
                _block(body, done | {var}, reads)
            case While(body=body):
                _block(body, done, reads)
            case Leave():
                return None
    return done
