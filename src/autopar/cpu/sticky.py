"""Where an infinity or a nan is still seen later: what need not be looked at at once.

An accumulator that is only ever updated by ``s = s + …`` and its like never becomes finite again.
Whether NumPy may have warned on the way is then seen after the loop as well as in each iteration,
and the loop keeps its speed.  Nor does a number have to be looked at that goes into a later sum.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from autopar.nest.flow import written
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Name,
    Put,
    Stmt,
    Unary,
    While,
)
from autopar.nest.show import text
from autopar.nest.walking import assigned, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.bands import leaves

_NEAR = 16  # statements that are looked through for one that carries a value on
_OFTEN = 8  # iterations from which on it pays to go along cells once more


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


@dataclass(frozen=True, slots=True)
class Trail:
    """Cells in which what is infinite or nan is still so after a loop around the stores there.

    Attributes
    ----------
    loops
        Those around `store` in that loop, outermost first; each goes on in the cells' subscripts.
    store
        What leaves the cells, which are its target in all iterations of `loops`.
    seen
        Ids of the stores whose infinities and nans are seen in the cells.
    """

    loops: tuple[For, ...]
    store: Assign
    seen: frozenset[int]

    @property
    def nest(self) -> For:
        """A nest that goes along the cells and changes none of them."""
        target = self.store.target
        assert isinstance(target, Element)
        same = Load(target.array, target.index, target.id, target.line)
        body: Stmt = replace(self.store, value=same)
        for loop in reversed(self.loops):
            body = replace(loop, body=(body,), lanes=None)
        assert isinstance(body, For)
        return body


def trails(
    loop: For, floats: frozenset[str], inside: frozenset[int], apart: bool
) -> tuple[Trail, ...]:
    """Where to look, after `loop`, for what stores in it have left.

    Parameters
    ----------
    floats
        Arrays of floats or complex numbers.
    inside
        Ids of the accesses that are proved to stay within ``0 <= index < extent``.
    apart
        Whether no array that is written shares memory with another, or elements of it do.

    Notes
    -----
    Each iteration of `loop` goes along the same cells.  There is one of two reasons for a cell to
    stay infinite or nan.  Each store that may come to it again carries on what is in it; or two
    stores take turns, as in a sum over neighbours from one array into another and back, and each
    carries on what the other one has left in the same place.  These are statements about what the
    nest computes as it is written, so they hold in whatever order it is computed.
    """
    within = [inner for stmt in loop.body for inner in statements(stmt)]
    # Elements that overlap, even of one array, may lose what makes them infinite to another.
    if not apart or any(isinstance(s, While | Leave | Put) for s in within) or not _often(loop):
        return ()
    stores = tuple(_stores(loop.body, (), True))
    scene = _Scene(assigned(loop), _replaced(within), inside)
    if not scene.fixed((loop.start, loop.stop, loop.step), frozenset()):
        return ()
    steady = [s for s in stores if s.target.array in floats and scene.steady(s)]
    found: list[Trail] = []
    for one in steady:
        others = [s for s in stores if s is not one and s.target.array == one.target.array]
        if one.carries(one) and all(s.carries(s) or scene.never_meet(one, s) for s in others):
            found.append(Trail(one.loops, one.stmt, frozenset((one.stmt.id,))))
    seen = frozenset().union(*(trail.seen for trail in found))
    turns = [s for s in steady if s.stmt.id not in seen and scene.once(s)]
    for one, two in itertools.combinations(turns, 2):
        if one.stmt.id in seen or two.stmt.id in seen or not one.takes_turns(two):
            continue
        arrays = {one.target.array, two.target.array}
        others = [s for s in stores if s.target.array in arrays and s not in (one, two)]
        if all(scene.never_meet(one, s) for s in others):
            found.append(Trail(two.loops, two.stmt, frozenset((one.stmt.id, two.stmt.id))))
            seen |= found[-1].seen
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Store:
    """A store, the loops around it, and whether it is made in all of their iterations."""

    stmt: Assign
    loops: tuple[For, ...]
    always: bool

    @property
    def target(self) -> Element:
        assert isinstance(self.stmt.target, Element)
        return self.stmt.target

    @property
    def way(self) -> tuple[tuple[str, ...], ...]:
        """Its loops and subscripts, whatever line they stand in."""
        loops = ((one.var, *map(text, (one.start, one.stop, one.step))) for one in self.loops)
        return (*loops, tuple(map(text, self.target.index)))

    def carries(self, other: _Store) -> bool:
        """Whether it carries on what is in the cell of `other`, which has the same loops."""
        return _carries(self.stmt.value, other.target)

    def takes_turns(self, other: _Store) -> bool:
        """Whether it goes along the same subscripts of another array, and each carries on."""
        return (
            self.target.array != other.target.array
            and self.way == other.way
            and self.carries(other)
            and other.carries(self)
        )


def _stores(stmts: Sequence[Stmt], loops: tuple[For, ...], always: bool) -> Iterator[_Store]:
    for stmt in stmts:
        match stmt:
            case Assign(target=Element()):
                yield _Store(stmt, loops, always)
            case For(body=body, fold=fold, product=product):
                plainly = always and not fold and not product
                yield from _stores(body, (*loops, stmt), plainly)
            case If(body=body, orelse=orelse):
                yield from _stores((*body, *orelse), loops, False)


@dataclass(frozen=True, slots=True)
class _Scene:
    """What one loop does to scalars.

    Attributes
    ----------
    changed
        Those that are assigned in it, its own variable included.
    replaced
        Those that are assigned by something else than the head of a loop.
    inside
        Ids of the accesses that do not wrap.
    """

    changed: frozenset[str]
    replaced: frozenset[str]
    inside: frozenset[int]

    def fixed(self, exprs: Iterable[Expr], variables: frozenset[str]) -> bool:
        """Whether nothing but `variables` makes them another value from time to time."""
        parts = [part for expr in exprs for part in walk(expr)]
        known = all(isinstance(p, Name | Const | Dim | Unary | Binary) for p in parts)
        names = {p.id for p in parts if isinstance(p, Name)}
        return known and not names & (self.changed - variables)

    def steady(self, store: _Store) -> bool:
        """Whether it goes along the same cells each time, for all iterations of its loops."""
        if not store.always or not store.loops or store.target.array in self.changed:
            return False
        variables: frozenset[str] = frozenset()
        for loop in store.loops:
            if not self.counts(loop) or not self.fixed((loop.start, loop.stop), variables):
                return False
            if loop.var in variables:
                return False
            variables |= {loop.var}
        index = store.target.index
        return self.fixed(index, variables) and variables <= _named(index)

    def counts(self, loop: For) -> bool:
        """Whether its variable goes up by ones, and nothing in it makes it something else."""
        again = {s.var for part in loop.body for s in statements(part) if isinstance(s, For)}
        return loop.step == Const(1) and loop.var not in self.replaced | again

    def once(self, store: _Store) -> bool:
        """Whether no two iterations of its loops come to one cell."""
        alone = {_shift(part)[0] for part in store.target.index}
        return store.target.id in self.inside and {loop.var for loop in store.loops} <= alone

    def never_meet(self, one: _Store, other: _Store) -> bool:
        """Whether the two, of one array or of such that are alike, have no cell in common."""
        pairs = zip(one.target.index, other.target.index, strict=False)
        return any(self._apart(one, a, other, b) or self._apart(other, b, one, a) for a, b in pairs)

    def _apart(self, one: _Store, a: Expr, other: _Store, b: Expr) -> bool:
        """Whether a subscript `b` of `other` lies before or behind the range of `a` in `one`."""
        here, there = _place(a), _place(b)
        if here is not None and there is not None:
            return here != there
        for loop in one.loops:
            first = _place(loop.start)
            # From 0 on, and upwards: no such subscript counts from the end.
            if Name(loop.var) == a and first is not None and self.counts(loop):
                before = there is not None and there < first
                behind = text(b) == text(loop.stop) and self.fixed((b,), frozenset())
                return before or behind
        return False


def _place(expr: Expr) -> int | None:
    """A subscript that is a number and does not count from the end."""
    match expr:
        case Const(value=int(value)) if value >= 0:
            return int(value)
    return None


def _shift(expr: Expr) -> tuple[str, int]:
    """``i + 2`` as i and 2; an empty name where it is something else."""
    match expr:
        case Name(id=name):
            return name, 0
        case Binary(op="+", left=Name(id=name), right=Const(value=int(by))):
            return name, by
        case Binary(op="-", left=Name(id=name), right=Const(value=int(by))):
            return name, -by
        case Binary(op="+", left=Const(value=int(by)), right=Name(id=name)):
            return name, by
    return "", 0


def _replaced(stmts: Iterable[Stmt]) -> frozenset[str]:
    targets = (s.target for s in stmts if isinstance(s, Assign))
    return frozenset(target.id for target in targets if isinstance(target, Name))


def _often(loop: For) -> bool:
    """Whether it may pay to look after all iterations; in a loop of few, all is seen as cheaply."""
    match loop:
        case For(
            start=Const(value=int(low)), stop=Const(value=int(high)), step=Const(value=int(by))
        ) if by:
            return len(range(low, high, by)) >= _OFTEN
    return isinstance(loop.step, Const) and bool(loop.step.value)


def carriers(stmts: Sequence[Stmt]) -> dict[int, int]:
    """Of assignments in a block, by id: a later one that carries the value on.

    It stands in the same block, runs whenever the first one has, and reads the scalar, or the cell,
    in a place from which an infinity or a nan goes on into what it computes.
    """
    found: dict[int, int] = {}
    for k, stmt in enumerate(stmts):
        if isinstance(stmt, Assign):
            for later in stmts[k + 1 : k + 1 + _NEAR]:
                if isinstance(later, Assign) and _reads(later.value, stmt.target):
                    found[stmt.id] = later.id
                    break
                if leaves(later) or _replaces(later, stmt.target):
                    break
    return found


def _reads(value: Expr, target: Name | Element) -> bool:
    """Whether `target` makes `value` infinite or nan, or a square root's operand in it."""
    for part in _carrying(value):
        match part:
            case Call(func=func, args=(operand,)) if func.endswith("sqrt"):
                if _reads(operand, target):
                    return True
            case _ if _same(part, target):
                return True
    return False


def _replaces(stmt: Stmt, target: Name | Element) -> bool:
    """Whether there may be something else in `target` after `stmt`."""
    if isinstance(target, Name):
        return target.id in written((stmt,))
    stores = (isinstance(s, Assign) and isinstance(s.target, Element) for s in statements(stmt))
    return any(stores) or bool(_named(target.index) & written((stmt,)))


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
    if not isinstance(part, Load) or part.array != target.array:
        return False
    # A call, as of a random generator, may be another number each time.
    if any(isinstance(p, Call) for index in part.index for p in walk(index)):
        return False
    return tuple(map(text, part.index)) == tuple(map(text, target.index))
