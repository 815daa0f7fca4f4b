"""Accumulators that a loop only updates, so that its parts may be computed apart and joined.

A reduction is taken only where joining parts gives the very value, and type, of the source order:
integers, minima and maxima; sums and products of floats only in relaxed mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.kernel import LAST, Reduction
from autopar.nest import kinds
from autopar.nest.flow import names
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Load,
    Logic,
    Name,
    Select,
    Stmt,
)
from autopar.nest.meaning import rebuilt
from autopar.nest.typed.types import Typed, kind_of
from autopar.nest.walking import accesses, expressions, statements, walk
from autopar.records import dataclass, replace

_SUM = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
_COMMUTES = frozenset("+*&|^")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OTHERWISE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_STRICT = {"min": "<", "max": ">"}


@dataclass(frozen=True, slots=True)
class Scope:
    """What decides whether an accumulator may be joined from parts.

    Attributes
    ----------
    typed
        The nest with its types.
    shared
        Array paths that share memory with another path, or with themselves.
    relaxed
        Whether the order of float operations may change.
    arrays
        Whether elements of arrays are taken, each part on a copy of its own.
    private
        Arrays that are private to a loop at this call, with its `For.id`.
    """

    typed: Typed
    shared: frozenset[str]
    relaxed: bool = False
    arrays: bool = False
    private: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class _Update:
    """One statement of the form ``target = target op …``; of `If`, with what it also assigns.

    `ordered`: true to its `op` only where all values are numbers, and none a nan.
    """

    target: str
    op: str
    stmts: tuple[int, ...]
    kind: kinds.Kind
    taken: tuple[str, ...] = ()
    array: bool = False
    ordered: bool = False


def reductions(loop: For, scope: Scope) -> tuple[Reduction, ...]:
    """The accumulators of `loop`: touched in its body by updates of one operation only.

    Notes
    -----
    For ``if e < m: m = e; p = i`` each part starts from the value of `m` before the loop.  The
    part whose result is less than what the parts before it came to is the one in which the source
    order would have assigned last, and with the same element: the first of the least ones (the
    last, for ``<=``), whatever `m` was at the start of the part, since that was not less than the
    result.  A nan is less than nothing, so it changes nothing in either order.

    References
    ----------
    Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, section 5.6 (recognition of
    sum, product, min and max reductions).
    """
    inside = [s for child in loop.body for s in statements(child)]
    found: dict[tuple[str, bool], list[_Update]] = {}
    for update in _updates(inside, scope):
        found.setdefault((update.target, update.array), []).append(update)
    made = []
    for (name, array), group in found.items():
        if len({u.op for u in group}) == 1:
            reduction = _reduction(name, array, group, scope)
            alone = _only_array if array else _only_scalar
            if reduction is not None and alone(reduction, loop, inside):
                made.append(reduction)
    return (*made, *_private(loop, inside, scope))


def _private(loop: For, inside: Sequence[Stmt], scope: Scope) -> Iterator[Reduction]:
    """Arrays of which each part of `loop` has a copy; `loop` may be a part of the user's."""
    mine = sorted(name for name, number in scope.private if number == loop.id)
    ids = frozenset(stmt.id for stmt in inside)
    for name in mine:
        whole = next(s for s in statements(scope.typed.nest.loop) if s.id == loop.id)
        assert isinstance(whole, For)
        touching = {s.id for c in whole.body for s, a in accesses(c) if a.array == name}
        if name not in scope.shared and touching <= ids:
            yield Reduction(name, LAST, ids, array=True)


def _reduction(name: str, array: bool, group: Sequence[_Update], scope: Scope) -> Reduction | None:
    op, ordered = group[0].op, any(u.ordered for u in group)
    if array:
        if not scope.arrays or name in scope.shared:
            return None
        kind = scope.typed.array(name)
        if kind.listed:
            return None  # parts of Python's integers may be joined to one of more than 64 bits
        before = frozenset((kind.atom,))
    else:
        before = dict(scope.typed.scalars)[name]
    if op in kinds.COMPARISONS:
        if len(group) > 1 and group[0].taken:
            return None
        if not all(kinds.family(kinds.dtype(a)) in ("int", "uint", "float") for a in before):
            return None
    elif op in ("and", "or"):
        ordered = False
    elif not _joins(op, before, frozenset().union(*(u.kind for u in group)), scope.relaxed):
        return None
    ids = frozenset(k for update in group for k in update.stmts)
    floats = any(kinds.family(kinds.dtype(a)) == "float" for a in before)
    return Reduction(name, op, ids, group[0].taken, array, ordered and floats)


def _joins(op: str, before: kinds.Kind, after: kinds.Kind, relaxed: bool) -> bool:
    """Whether parts that were updated by `op` can be joined exactly; `before`: all types ever.

    Only Python's integers and bools may be among NumPy's: once a sum is of NumPy's type it stays
    so.
    """
    strong = {atom for atom in after if atom not in ("int", "bool")} or after
    if len(strong) != 1:
        return False
    (atom,) = strong
    family = kinds.family(kinds.dtype(atom))
    if family in ("float", "complex"):
        # A Python float raises nothing and warns of nothing when it is added or multiplied.
        weak = {"int", "float"} if family == "float" else {"complex"}
        return relaxed and op in ("+", "*") and before <= {atom, *weak}
    if family == "bool":
        return op in ("&", "|", "^") and before <= {atom, "bool"}
    return before <= {atom, "int"}


def _only_scalar(reduction: Reduction, loop: For, inside: Sequence[Stmt]) -> bool:
    """Whether `inside` names the accumulator and what goes with it in the updates alone."""
    mine = {reduction.name, *reduction.taken}
    if loop.var in mine:
        return False
    for stmt in inside:
        if stmt.id in reduction.updates:
            continue
        target = stmt.var if isinstance(stmt, For) else getattr(stmt, "target", None)
        named = {target.id} if isinstance(target, Name) else {target}
        if (named | names(expressions(stmt))) & mine:
            return False
    return True


def _only_array(reduction: Reduction, loop: For, inside: Sequence[Stmt]) -> bool:
    return all(
        stmt.id in reduction.updates
        for top in loop.body
        for stmt, access in accesses(top)
        if access.array == reduction.name
    )


# ---------------------------------------------------------------------------- recognition


def _updates(inside: Sequence[Stmt], scope: Scope) -> Iterator[_Update]:
    within: set[int] = set()  # assignments that are part of an update by `if`
    for stmt in inside:
        found: _Update | None = None
        match stmt:
            case If():
                found = _guarded(stmt, scope)
            case Assign() if stmt.id not in within:
                found = _assigned(stmt, scope)
        if found is not None:
            within |= set(found.stmts)
            yield found


def _assigned(stmt: Assign, scope: Scope) -> _Update | None:
    """``s = s + e`` and its like, ``s = min(s, e)``, ``s = e if e < s else s``."""
    target, value, ordered = stmt.target, stmt.value, False
    match value:
        case Binary(op=op) if op in _SUM:
            parts = _terms(value, target, _SUM[op])
            op = _SUM[op]
        case Call(func=func, args=(first, second)):
            form = dict(scope.typed.calls)[func].form
            if form not in _STRICT:
                return None
            # `max(s, e)` replaces by what is greater, `max(e, s)` by all but what is less.
            parts, op = [second], _STRICT[form]
            if not same(first, target):
                parts, op, ordered = [first], op + "=", same(second, target)
                if not ordered:
                    return None
        case Select(test=Compare() as test, body=body, orelse=orelse) if same(orelse, target):
            parts, op = [body], _replaces(test, body, target)
        case Select(test=Compare() as test, body=body, orelse=orelse) if same(body, target):
            parts, op = [orelse], _OTHERWISE.get(_replaces(test, orelse, target), "")
            ordered = True
        case Logic(op=op, values=(first, *others)) if same(first, target):
            parts = others
        case _:
            return None
    if not parts or not op or any(_mentions(part, target) for part in parts):
        return None
    kind = kind_of(scope.typed, value)
    if isinstance(target, Name):
        return _Update(target.id, op, (stmt.id,), kind, ordered=ordered)
    if op in ("and", "or") or ordered or any(_mentions(e, target) for e in target.index):
        return None
    return _Update(target.array, op, (stmt.id,), kind, array=True)


def _terms(value: Expr, target: Name | Element, op: str) -> list[Expr]:
    """What ``target op … op …`` adds to the target; none where it is not of this form."""
    match value:
        case Binary(op=here, left=left, right=right) if _SUM.get(here) == op:
            if same(left, target):
                return [right]
            if same(right, target) and here in _COMMUTES:
                return [left]
            before = _terms(left, target, op)
            return [*before, right] if before else []
    return []


def _replaces(test: Compare, new: Expr, target: Name | Element) -> str:
    """The comparison ``new op old`` that `test` makes; empty for any other test."""
    if test.op not in _MIRRORED:
        return ""
    if _alike(test.left, new) and same(test.right, target):
        return test.op
    if _alike(test.right, new) and same(test.left, target):
        return _MIRRORED[test.op]
    return ""


def _guarded(stmt: If, scope: Scope) -> _Update | None:
    """``if e < m: m = e`` with other scalars assigned beside it."""
    if stmt.orelse or not isinstance(stmt.test, Compare):
        return None
    body = [s for s in stmt.body if isinstance(s, Assign)]
    if len(body) != len(stmt.body):
        return None
    for leading in body:
        op = _replaces(stmt.test, leading.value, leading.target)
        if op and not _mentions(leading.value, leading.target):
            break
    else:
        return None
    others = [s.target.id for s in body if s is not leading and isinstance(s.target, Name)]
    if len(others) != len(body) - 1 or len(set(others)) != len(others):
        return None
    mine = {*others, leading.target.id} if isinstance(leading.target, Name) else set(others)
    # The new value must be that of the test, and nothing may be read that the parts differ in.
    if len(mine) != len(body) - (not isinstance(leading.target, Name)):
        return None
    read = names([s.value for s in body if s is not leading]) | names([leading.value])
    if read & mine:
        return None
    kind = kind_of(scope.typed, leading.value)
    ids = (stmt.id, *(s.id for s in body))
    if isinstance(leading.target, Name):
        return _Update(leading.target.id, op, ids, kind, tuple(others))
    if others:
        return None  # each element would need others of its own
    return _Update(leading.target.array, op, ids, kind, array=True)


def _mentions(expr: Expr, target: Name | Element) -> bool:
    if isinstance(target, Name):
        return any(part == target for part in walk(expr))
    return any(isinstance(part, Load) and part.array == target.array for part in walk(expr))


def same(expr: Expr, target: Name | Element) -> bool:
    """Whether `expr` reads what `target` writes, by its text."""
    if isinstance(target, Name):
        return expr == target
    return (
        isinstance(expr, Load)
        and expr.array == target.array
        and len(expr.index) == len(target.index)
        and all(map(_alike, expr.index, target.index))
    )


def _alike(one: Expr, two: Expr) -> bool:
    """Whether both are the same text: equal but for where they stand."""
    return _bare(one) == _bare(two)


def _bare(expr: Expr) -> Expr:
    match rebuilt(expr, _bare):
        case Load() as here:
            return replace(here, id=0, line=0)
        case Const() | Name() | Dim() as here:
            return here
        case here:
            return replace(here, line=0)
