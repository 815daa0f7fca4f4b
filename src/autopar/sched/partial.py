"""Loops in order whose iterations look for an extreme, most of which is there before they begin.

The best way to cut an interval in two is found from all that it is cut into::

    for j in range(i + 1, n):
        best = t[i, j - 1]
        for k in range(i + 1, j):
            best = max(best, t[i, k] + t[k + 1, j])
        t[i, j] = best

Iteration `j` needs those before it, but for step `k` of the inner loop only what iteration `k` has
stored.  So some iterations that follow one another may take the steps of earlier ones together,
ahead of all else, each for a partial extreme of its own.  What is left of the steps each takes in
its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from autopar.deps.data import Analysis, Dependence
from autopar.nest import kinds
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Element,
    Expr,
    For,
    Leave,
    Load,
    Name,
    Nest,
    Partial,
    Stmt,
    While,
)
from autopar.nest.typed.types import Typed
from autopar.nest.walking import accesses, expressions, statements, walk
from autopar.sched.bands import harmless, inner_of
from autopar.sched.reductions import Scope, reductions
from autopar.sched.together import levels

_FORMS = frozenset(("min", "max", "abs"))
"""Functions that need nothing but numbers."""


def partials(
    typed: Typed, analysis: Analysis, held: frozenset[int], alone: Set[str]
) -> tuple[tuple[int, Partial], ...]:
    """Ids of loops in order, and of which extreme their iterations may know a part beforehand.

    Parameters
    ----------
    held
        Positions of the dependences that exist.
    alone
        Arrays that share no memory with another.

    Notes
    -----
    All that is moved are the steps of an inner loop, which store nothing, to the front of at most
    as many iterations of the loop around it as begin with step `b`, and of the steps only those
    before `b`.  An extreme of integers is the same in whatever order they are looked at, so what
    remains to be shown is that no iteration from `b` on stores what such a step reads.  Where
    iteration `j` stores in ``t[…, j, …]``, and step `k` reads ``t[…, k, …]``, it would have to be
    step ``j >= b``.  Where it reads ``t[…, j, …]`` itself, other iterations store elsewhere.

    References
    ----------
    Reading ahead what finished blocks contribute: the blocked form of interval dynamic programming
    in M. Frigo, C. Leiserson, H. Prokop, S. Ramachandran, "Cache-oblivious algorithms", FOCS 1999,
    and R. Chowdhury, V. Ramachandran, "Cache-oblivious dynamic programming", SODA 2006.  Departure:
    no recursion, one level of strips.
    """
    deps = [analysis.dependences[k] for k in sorted(held)]
    level = dict(levels(typed.nest.loop))
    found = []
    for loop in statements(typed.nest.loop):
        if isinstance(loop, For) and loop.id in level:
            one = _partial(loop, typed)
            if one is not None and _ready(loop, one, level[loop.id], deps, alone):
                found.append((loop.id, one))
    return tuple(found)


def _partial(loop: For, typed: Typed) -> Partial | None:
    """The extreme that an inner loop of `loop` looks for, in a form that can be taken apart."""
    inside = [s for top in loop.body for s in statements(top)]
    loops = [s for s in inside if isinstance(s, For)]
    if len(loops) != 1 or any(isinstance(s, While | Leave) for s in inside):
        return None
    (inner,) = loops
    if inner not in loop.body or any(one.fold or one.step != Const(1) for one in (loop, inner)):
        return None
    bounds = loop.start, loop.stop, inner.start, inner.stop
    fixed = not names((inner.start,)) & (written(loop.body) | {loop.var})
    if not fixed or not all(map(harmless, bounds)) or not _reaches(inner.stop, loop.var):
        return None
    if {loop.var, inner.var} & written(loop.body) - {inner.var} or inner.var in written(inner.body):
        return None
    match reductions(inner, Scope(typed, frozenset())):
        case [one] if one.op in ("<", "<=", ">", ">=") and not (one.array or one.taken):
            pass
        case _:
            return None
    atoms = dict(typed.scalars)[one.name]
    if any(kinds.family(kinds.dtype(atom)) not in ("int", "uint") for atom in atoms):
        return None
    if kinds.storage(atoms) is None:
        return None
    if not _by_itself(loop, inner, one.name, typed):
        return None
    return Partial(inner.id, one.name, one.op[0])


def _reaches(stop: Expr, var: str) -> bool:
    """Whether all steps before that of its own number are taken in an iteration of `var`."""
    match stop:
        case Name(id=name):
            return name == var
        case Binary(op="+", left=Name(id=name), right=Const(value=int(more))):
            return name == var and more >= 0
    return False


def _by_itself(loop: For, inner: For, extreme: str, typed: Typed) -> bool:
    """Whether `inner` stores nothing, and shares no scalar with others but the `extreme`."""
    own = written(inner.body) - {extreme}
    for stmt in (s for top in inner.body for s in statements(top)):
        if isinstance(stmt, Assign) and isinstance(stmt.target, Element):
            return False
        if not all(_plain(expr, typed) for expr in expressions(stmt)):
            return False
    read = names([e for top in inner.body for s in statements(top) for e in expressions(s)])
    others = written(loop.body) - own - {extreme, inner.var}
    if read & others or exposed(inner.body) & own:
        return False
    return not _seen(typed.nest, inner) & (own | {inner.var})


def _plain(expr: Expr, typed: Typed) -> bool:
    calls = [part.func for part in walk(expr) if isinstance(part, Call)]
    return all(func.startswith("<") or dict(typed.calls)[func].form in _FORMS for func in calls)


def _seen(nest: Nest, but: For) -> frozenset[str]:
    """Scalars that the nest leaves behind, or something in it reads outside of `but`."""
    within = {s.id for s in statements(but)} - {but.id}
    outside = (s for s in statements(nest.loop) if s.id not in within)
    return frozenset(nest.live_out).union(*(names(expressions(stmt)) for stmt in outside))


def _ready(
    loop: For, one: Partial, level: int, deps: Sequence[Dependence], alone: Set[str]
) -> bool:
    """Whether no iteration stores what a step of the inner loop reads that is taken before it."""
    inner = inner_of(loop, one)
    stmts = {s.id: s for top in loop.body for s in statements(top)}
    taken = {s.id for top in inner.body for s in statements(top)}
    for dep in deps:
        if dep.scalar or dep.kind != "true" or dep.sink not in taken or dep.source not in stmts:
            continue
        if dep.level is not None and dep.level < level:
            continue  # a loop around keeps it
        for store, load in _pairs(stmts[dep.source], stmts[dep.sink]):
            if store.array not in alone:
                return False
            if store.array == load.array and not _later(
                store, load, loop.var, inner.var, carried=dep.level == level
            ):
                return False
    return True


def _pairs(source: Stmt, sink: Stmt) -> Iterator[tuple[Element, Load]]:
    """What one statement stores, with all that another one reads."""
    found = [[access for _, access in accesses(stmt)] for stmt in (source, sink)]
    for store in found[0]:
        for load in found[1]:
            if isinstance(store, Element) and isinstance(load, Load):
                yield store, load


def _later(store: Element, load: Load, var: str, step: str, carried: bool) -> bool:
    """Whether what iteration `var` stores is read by steps that are not before it.

    Parameters
    ----------
    carried
        Whether it is read by other iterations only.
    """
    for here, there in zip(store.index, load.index, strict=False):
        if here == Name(var) and (there == Name(step) or (carried and there == Name(var))):
            return True
    return False
