"""Loops that all carry dependences, in parallel along diagonals.

Two loops that must both run in order may still run in tiles, those of one diagonal in parallel,
where no dependence points back in either of them, perhaps after skewing the inner loop.  Within a
tile the iterations keep the user's order, so each element sees its operations as it did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.deps.data import Analysis, Dependence
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import Assign, For, If, Leave, Name, Stmt, While
from autopar.nest.typed.types import Typed
from autopar.nest.walking import blocks, expressions, statements
from autopar.records import dataclass, replace
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, statement, walk
from autopar.sched.tiles import Band, measured, plain, tiled, unit
from autopar.verdict import spoken

_STEEPEST = 8  # skew: with a larger one hardly two tiles would run at a time


@dataclass(frozen=True, slots=True)
class Tiling:
    """Tiles of `rows` by `columns` iterations for the band of this number."""

    band: int
    rows: int
    columns: int


def bands(typed: Typed, plan: Plan, analysis: Analysis, held: frozenset[int]) -> tuple[Band, ...]:
    """Pairs of loops of `plan` that may run in tiles; some contain others.

    Parameters
    ----------
    plan
        As `distribute.schedule` makes it for `held`.

    Notes
    -----
    A pair is taken when

    * every dependence that the outer loop carries, and that is not kept by a loop around it, has a
      distance of at least ``-skew`` times the outer one in the inner loop (Wolf & Lam, "A loop
      transformation theory and an algorithm to maximize parallelism", IEEE TPDS 2(4), 1991:
      fully permutable); those that the inner one carries have distance 0 in the outer;
    * scalars are private to the inner iteration, or to the outer one and assigned before the inner
      loop from what the pair leaves alone: each tile then computes them for itself.  What others
      see of them is the value of the last iteration, which is in the last tile when the inner
      range is always the same, if that iteration is sure to assign it;
    * no ``break`` or ``while`` decides what runs.
    """
    deps = [analysis.dependences[k] for k in sorted(held)]
    return tuple(_Finder(typed, plan, deps).bands(plan.body, (), frozenset()))


def wavefronts(plan: Plan, found: Sequence[Band], tilings: Sequence[Tiling]) -> Plan:
    """`plan` with some of the bands `found` in it, no two of which overlap, in tiles."""
    chosen = {id(found[t.band].outer): t for t in tilings}
    ids = iter(range(1 + max(s.id for s in statements(plan.nest.loop)), 1 << 62))

    def made(node: Node) -> Node:
        tiling = chosen.get(id(node))
        if tiling is not None:
            return tiled(found[tiling.band], tiling.rows, tiling.columns, lambda: next(ids))
        match node:
            case Loop(body=body):
                return replace(node, body=tuple(map(made, body)))
            case Branch(body=body, orelse=orelse):
                return replace(node, body=tuple(map(made, body)), orelse=tuple(map(made, orelse)))
        return node

    said = tuple(dict.fromkeys(_sentence(found[t.band]) for t in tilings))
    return replace(plan, body=tuple(map(made, plan.body)), parts=(*plan.parts, *said))


def _sentence(band: Band) -> str:
    one, two = (spoken(loop.loop.var) for loop in (band.outer, band.inner))
    skewed = f", `{two}` skewed by {band.skew} times `{one}`" if band.skew else ""
    return f"tiles of loops `{one}` and `{two}` run in parallel along diagonals{skewed}"


@dataclass(slots=True)
class _Finder:
    typed: Typed
    plan: Plan
    deps: list[Dependence]

    def bands(
        self, nodes: tuple[Node, ...], around: tuple[For, ...], loops: frozenset[str]
    ) -> Iterator[Band]:
        """`loops`: variables of loops around `nodes` whose range the driver can evaluate."""
        for node in nodes:
            match node:
                case Branch(body=body, orelse=orelse):
                    yield from self.bands((*body, *orelse), around, loops)
                case Loop(loop=loop, body=body, parallel=False):
                    found = self.band(node, around, loops)
                    if found is not None:
                        yield found
                    if any(_leaves(statement(inner)) for inner in body):
                        continue  # that loop is not run by the driver
                    here = all(plain(e, self.typed, loops) for e in expressions(loop))
                    inside = loops | {loop.var} if here else loops - {loop.var}
                    yield from self.bands(body, (*around, loop), inside)

    def band(self, outer: Loop, around: tuple[For, ...], loops: frozenset[str]) -> Band | None:
        """`outer` and the loop in it, where they may run in tiles."""
        if not outer.body or not all(isinstance(node, Leaf) for node in outer.body[:-1]):
            return None
        inner = outer.body[-1]
        if not isinstance(inner, Loop) or inner.parallel:
            return None
        one, two = outer.loop, inner.loop
        if not unit(one) or not unit(two):
            return None
        if not all(plain(e, self.typed, loops) for e in expressions(one)):
            return None
        if not all(plain(e, self.typed, loops | {one.var}) for e in expressions(two)):
            return None
        before = [statement(node) for node in outer.body[:-1]]
        body = [statement(node) for node in inner.body]
        if any(isinstance(s, While) for top in body for s in statements(top)):
            return None
        if not self.private(outer, inner, before, body):
            return None
        skew = self.skew(len(around) + 1, before, body)
        return None if skew is None else measured(outer, inner, skew, around, self.typed)

    def private(
        self, outer: Loop, inner: Loop, before: Sequence[Stmt], body: Sequence[Stmt]
    ) -> bool:
        """Whether tiles need no scalars of each other, and leave behind what the loops would."""
        one, two = outer.loop, inner.loop
        whole = statement(outer)
        assert isinstance(whole, For)
        first = [s.target for s in before if isinstance(s, Assign)]
        heads = {target.id for target in first if isinstance(target, Name)}
        if len(heads) != len(before):  # twice the same, an element, or another statement
            return False
        changed = written(body)
        if ({one.var, two.var} | heads) & changed or {one.var, two.var} & heads:
            return False
        if one.var == two.var or changed & exposed(body):
            return False
        if exposed(whole.body) & (written(whole.body)):
            return False
        if names(expressions(two)) & (changed | heads | {two.var}):
            return False
        seen = frozenset(self.plan.nest.live_out) | _seen(self.plan.body, outer, frozenset())
        if one.var in names(expressions(two)) and seen & (changed | {two.var}):
            return False  # the last rows may be empty
        if not seen & changed:
            return True  # all rows run in the last tile
        sure = {s.target.id for s in body if isinstance(s, Assign) and isinstance(s.target, Name)}
        return seen & changed <= sure and not any(map(_leaves, body))

    def skew(self, level: int, before: Sequence[Stmt], body: Sequence[Stmt]) -> int | None:
        """Least skew with which no distance is negative, of loops `level` and the next."""
        inside = {s.id for top in body for s in statements(top)}
        heads = {s.id for s in before}
        steep = 0
        for dep in self.deps:
            if not {dep.source, dep.sink} <= inside | heads:
                continue
            ahead = not {dep.source, dep.sink} <= inside
            if ahead and not dep.scalar and (dep.level is None or dep.level >= level):
                return None  # computed by several tiles, it must be the same in each
            if dep.level not in (level, level + 1):
                continue
            if dep.scalar or dep.kind == "control" or ahead:
                return None
            if dep.level == level + 1:
                continue
            least = _least(dep, level)
            if least is None:
                return None
            steep = max(steep, -(least // (dep.distance[level - 1] or 1)))
        return steep if steep <= _STEEPEST else None


def _least(dep: Dependence, position: int) -> int | None:
    """The least distance in the loop at `position` (from 0)."""
    return dep.least[position] if position < len(dep.least) else None


def _seen(nodes: tuple[Node, ...], but: Loop, own: frozenset[str]) -> frozenset[str]:
    """Scalars that something outside `but` reads, other than loops their own variables."""
    found: frozenset[str] = frozenset()
    for node in nodes:
        if node is but:
            continue
        match node:
            case Loop(loop=loop, body=body):
                found |= names(expressions(loop)) - own
                found |= _seen(body, but, own | {loop.var})
            case Branch(stmt=stmt, body=body, orelse=orelse):
                found |= names((stmt.test,)) - own
                found |= _seen(body, but, own) | _seen(orelse, but, own)
            case Leaf(stmt=stmt):
                found |= _read((stmt,), own)
    return found


def _read(stmts: Sequence[Stmt], own: frozenset[str]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for stmt in stmts:
        found |= names(expressions(stmt)) - own
        inner = own | {stmt.var} if isinstance(stmt, For) else own
        for block in blocks(stmt):
            found |= _read(block, inner)
    return found


def _leaves(stmt: Stmt) -> bool:
    """Whether `stmt` may end an iteration, or the loop, early."""
    if isinstance(stmt, If):
        return any(_leaves(inner) for block in blocks(stmt) for inner in block)
    return isinstance(stmt, Leave)


def has_parallel(band: Band) -> bool:
    """Whether a loop in the band may itself run in parallel, as it is and not in parts."""
    loops = (node for node in walk(band.inner.body) if isinstance(node, Loop))
    return any(loop.parallel and not loop.reductions for loop in loops)


def contains(band: Band, other: Band) -> bool:
    """Whether `other` lies within `band`."""
    return any(node is other.outer for node in walk((band.outer,)))
