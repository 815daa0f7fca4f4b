"""Where an infinity or a nan is still seen later: what need not be looked at at once.

An accumulator that is only ever updated by ``s = s + …`` and its like never becomes finite again.
Whether NumPy may have warned on the way is then seen after the loop as well as in each iteration,
and the loop keeps its speed.  Nor does a scalar have to be looked at that goes into a later sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from autopar.nest.flow import written
from autopar.nest.ir import Assign, Binary, Call, Const, Element, Expr, For, Load, Name, Stmt, Unary
from autopar.nest.walking import assigned, statements, walk
from autopar.sched.bands import leaves

_NEAR = 16  # statements that are looked through for one that carries a value on


def sticky(loop: For) -> frozenset[int]:
    """Ids of the assignments in `loop` whose result may be looked at after it."""
    inside = [inner for stmt in loop.body for inner in statements(stmt)]
    stores = [s for s in inside if isinstance(s, Assign) and isinstance(s.target, Element)]
    updates = [s for s in inside if isinstance(s, Assign) and isinstance(s.target, Name)]
    counters = {s.var for s in (*inside, loop) if isinstance(s, For)}
    lost = {s.target for s in updates if not _carries(s.value, s.target)}
    found = {s.id for s in updates if s.target not in lost and _name(s.target) not in counters}
    # Another store could put a number into the same cell, under the same name or an alias.
    if len(stores) == 1 and _stays(stores[0].target, loop):
        found |= {s.id for s in stores if _carries(s.value, s.target)}
    return frozenset(found)


def sticky_row(loop: For) -> tuple[For, Assign] | None:
    """The loop in `loop`, and its only statement, whose results may be looked at after `loop`.

    Each iteration of `loop` goes once along the same cells of an array, and what is infinite or
    nan in one of them stays so.
    """
    match loop.body:
        case (For(body=(Assign(target=Element() as target) as store,)) as inner,):
            bounds = (inner.start, inner.stop, inner.step)
            moving = _named((*bounds, *target.index)) & assigned(loop)
            fixed = not any(isinstance(p, Load) for index in target.index for p in walk(index))
            plain = not _named(bounds) & assigned(loop) and inner.step == Const(1)
            if plain and fixed and moving <= {inner.var} and _carries(store.value, target):
                return inner, store
    return None


def carriers(stmts: Sequence[Stmt]) -> dict[int, int]:
    """Of assignments to scalars in a block, by id: a later one that carries the value on.

    It stands in the same block, runs whenever the first one has, and reads the scalar in a place
    from which an infinity or a nan goes on into what it computes.
    """
    found: dict[int, int] = {}
    for k, stmt in enumerate(stmts):
        match stmt:
            case Assign(target=Name(id=name)):
                for later in stmts[k + 1 : k + 1 + _NEAR]:
                    if isinstance(later, Assign) and name in _carried(later.value):
                        found[stmt.id] = later.id
                        break
                    if leaves(later) or name in written((later,)):
                        break
    return found


def _carried(value: Expr) -> Iterator[str]:
    """Scalars in `value` that make it infinite or nan, or a square root's operand in it."""
    for part in _carrying(value):
        match part:
            case Name(id=name):
                yield name
            case Call(func=func, args=(operand,)) if func.endswith("sqrt"):
                yield from _carried(operand)


def _named(exprs: Iterable[Expr]) -> frozenset[str]:
    return frozenset(p.id for e in exprs for p in walk(e) if isinstance(p, Name))


def _name(target: Name | Element) -> str:
    return target.id if isinstance(target, Name) else ""


def _stays(target: Name | Element, loop: For) -> bool:
    """Whether the element is one and the same in all iterations."""
    if isinstance(target, Name):
        return True
    parts = [part for index in target.index for part in walk(index)]
    changed = assigned(loop)
    return not any(
        isinstance(part, Load) or (isinstance(part, Name) and part.id in changed) for part in parts
    )


def _carries(value: Expr, target: Name | Element) -> bool:
    return any(_same(part, target) for part in _carrying(value))


def _carrying(value: Expr) -> Iterator[Expr]:
    """Parts of `value` that make it infinite or nan when they are."""
    match value:
        case Binary(op="+" | "-" | "*", left=left, right=right):
            yield from _carrying(left)
            yield from _carrying(right)
        case Binary(op="/", left=left) | Binary(op="**", left=left, right=Const(value=2)):
            yield from _carrying(left)
        case Unary(op="-" | "+", operand=operand):
            yield from _carrying(operand)
        case _:
            yield value


def _same(part: Expr, target: Name | Element) -> bool:
    if isinstance(target, Name):
        return part == target
    return isinstance(part, Load) and (part.array, part.index) == (target.array, target.index)
