"""Neighbouring loops over one range become one loop, where no dependence forbids it and it pays.

Statements on whole arrays are written out as one loop each, so what one of them stores the next
one reads back from memory.  Joined, they go through memory once, are started once, and what one
hands to the next need not be in memory at all (`contraction`).

A sum that is added up in order waits for each addition.  Another one that is joined to it is added
up meanwhile, and so is, on one thread, a loop in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from autopar.deps.order import own_leaves
from autopar.nest.flow import elements_read, names, written
from autopar.nest.ir import (
    ELEMENTS,
    Call,
    Const,
    Element,
    Expr,
    For,
    Leave,
    Name,
    Nest,
    Stmt,
)
from autopar.nest.walking import accesses, expressions, numbers, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.bands import adds
from autopar.sched.equality import Equality
from autopar.sched.parts import read_outside, renamed
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, changed, statement, whole
from autopar.sched.rotation import rotated
from autopar.sched.sweeps import form

_MOST_ARRAYS = 12
"""Arrays that one loop goes through: beyond, the prefetchers of usual processors lose track."""
_MOST_OVERWRITTEN = 2
"""Arrays of which one loop needs what it overwrites.  Their cells are kept (`cpu.strips`): of two,
twenty steps of 400,000 particles in a plane take 10.5 ms; of four 14.5 ms; apart 12.2 ms."""
_MOST_CALLS = 6
"""Calls that one loop makes for strips of iterations, see `cpu.bulk`."""
_MEANWHILE = 20
"""Accesses and operations that a processor gets done while it waits for an addition."""

Independent = Callable[[Nest, int, frozenset[str]], bool]
"""Whether the loop at this level of a nest carries no dependence but those of these scalars; the
nest is the loops around it and itself, and nothing beside."""
Forward = Callable[[Nest, int, frozenset[int]], bool]
"""Whether no dependence that the loop at this level carries leads from another statement to one of
those with these ids; the nest is as above."""
Stay = Callable[[Nest, int, int], bool]
"""Whether all that the loops from one level of a nest to another carry stays in one iteration of
the inner one; the nest is as above."""
Equal = Callable[[Expr, Expr], bool]
"""Whether two integers that the nest does not change are the same at this call."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a call.

    Attributes
    ----------
    independent, equal, forward, stay
        What a plan is asked about.
    overlapping
        Pairs of arrays that share memory.
    slow
        Paths of functions that are called for strips of iterations at a time.
    """

    independent: Independent
    equal: Equal = lambda one, two: False
    overlapping: frozenset[tuple[str, str]] = frozenset()
    slow: frozenset[str] = frozenset()
    forward: Forward = lambda nest, level, first: False
    stay: Stay = lambda nest, outer, inner: False


def fused(plan: Plan, known: Known) -> Plan:
    """`plan` with neighbouring loops joined: parallel ones, and sums; on one thread also both.

    Notes
    -----
    Kennedy & McKinley [1]_, with parallel loops joined to parallel ones, and the result parallel;
    on one thread also to loops in order. Accumulators stay what they are: no other statement of
    the joined loop touches them. Loops are taken in the order of the text, each to the last loop
    that it can reach: it may pass what has nothing to do with it. Loops are joined from the
    outermost in.

    References
    ----------
    .. [1] K. Kennedy, K. McKinley, "Maximizing loop parallelism and improving data locality via
       loop fusion and distribution", LCPC 1993.
    """
    nest = plan.nest
    seen = read_outside(nest.loop).union(nest.live_out)
    ids = (n for node in (*plan.body, Leaf(nest.loop)) for n in numbers(statement(node)))
    fresh = count(1 + max(ids))
    fuser = _Fuser(nest, seen, Equality(nest.conditions), known, plan.serial, fresh)
    body = fuser.block(plan.body, ())
    return plan if body == plan.body else replace(plan, body=body)


@dataclass(frozen=True, slots=True)
class _Fuser:
    nest: Nest
    seen: frozenset[str]  # scalars that are read outside of loops over them
    equality: Equality
    known: Known
    alone: bool  # whether one thread runs all of it
    ids: count[int]  # that nothing has

    def block(self, nodes: Sequence[Node], around: tuple[Loop, ...]) -> tuple[Node, ...]:
        """`nodes`, which stand in the loops `around`."""
        made: list[Node] = []
        for node in nodes:
            found = self.into(made, node, around) if isinstance(node, Loop) else None
            if found is not None:
                place, joined = found
                made[place] = joined
                continue
            onto = self.onto(made, node, around) if isinstance(node, Loop) else None
            if onto is not None:
                place, node = onto
                del made[place]
            made.append(node)
        return tuple(self.within(node, around) for node in made)

    def within(self, node: Node, around: tuple[Loop, ...]) -> Node:
        match node:
            case Loop(body=body):
                inside = self.block(body, (*around, replace(node, body=())))
                made = replace(node, body=inside)
                if node.parallel:
                    return made
                if inside != body and not node.swept:
                    made = replace(made, swept=self.sweeps(made, around))
                return self.rotated(made, around)
            case Branch(body=body, orelse=orelse):
                then, other = self.block(body, around), self.block(orelse, around)
                return replace(node, body=then, orelse=other)
        return node

    def rotated(self, loop: Loop, around: tuple[Loop, ...]) -> Loop:
        """`loop`, with the sum that it begins with joined to the end of the iteration before."""
        inside = (*around, replace(loop, body=()))
        sums = _sums if self.alone else _accumulates
        return rotated(loop, sums, _plain, lambda nodes: self.block(nodes, inside), self.ids)

    def sweeps(self, loop: Loop, around: tuple[Loop, ...]) -> bool:
        """Whether parts of the one loop that is in `loop` by now may go through it alone."""
        found = form(loop)
        if found is None:
            return False
        nest, level = self.alone_in(loop, around)
        return self.known.stay(nest, level, level + len(found[0]))

    def into(
        self, before: Sequence[Node], loop: Loop, around: tuple[Loop, ...]
    ) -> tuple[int, Loop] | None:
        """The last of the nodes before `loop` that it can be joined to, and what becomes of it."""
        for place in reversed(range(len(before))):
            node = before[place]
            joined = self.joined(node, loop, around) if isinstance(node, Loop) else None
            if joined is not None:
                return place, joined
            if not self.passes(loop, node):
                return None
        return None

    def onto(
        self, before: Sequence[Node], loop: Loop, around: tuple[Loop, ...]
    ) -> tuple[int, Loop] | None:
        """Which of the nodes before `loop` may come down to it, and what they become."""
        if not _sums(loop) and not loop.reductions:
            return None
        for place in reversed(range(len(before))):
            node = before[place]
            if not isinstance(node, Loop) or not (_sums(node) or _unordered(node)):
                continue
            if all(self.passes(node, other) for other in before[place + 1 :]):
                joined = self.joined(node, loop, around)
                if joined is not None:
                    return place, joined
        return None

    def passes(self, loop: Loop, node: Node) -> bool:
        """Whether `loop` may as well run before `node`."""
        mine, other = whole(loop), statement(node)
        if any(isinstance(stmt, Leave) for stmt in statements(other)):
            return False
        ours, theirs = written((mine,)), written((other,))
        shared = (ours & (theirs | _read((other,)))) | (theirs & _read((mine,)))
        if shared - (_variables(mine, other) - self.seen):
            return False
        pairs = [(a, b) for a in _arrays(mine) for b in _arrays(other) if a[1] or b[1]]
        return not any(self.meet(one, two) for (one, _), (two, _) in pairs)

    def meet(self, one: str, two: str) -> bool:
        """Whether two arrays share memory at this call, for all that is known."""
        return one == two or not self.known.overlapping.isdisjoint({(one, two), (two, one)})

    def joined(self, one: Loop, two: Loop, around: tuple[Loop, ...]) -> Loop | None:
        """Both loops as one, or None where that may not or should not be."""
        kinds = {_sums(loop) for loop in (one, two)}
        if not all(_sums(loop) or _unordered(loop) for loop in (one, two)):
            return None
        mixed = len(kinds) == 2
        accumulate = kinds == {True} or bool(one.reductions or two.reductions)
        if mixed and (accumulate or not self.alone):
            return None
        if one.loop.id == two.loop.id and not mixed:
            return None  # it was divided so that they are apart
        if not self.alike(one, two):
            return None
        if self.disturbs(one, two):
            return None
        body = (*one.body, *self.with_variable(two, one.loop.var))
        made = replace(one, body=body, reductions=(*one.reductions, *two.reductions))
        if mixed:
            made = replace(made, parallel=False)
            nest, level = self.alone_in(made, around)
            first = frozenset(stmt.id for stmt in statements(statement(one)))
            return made if _meanwhile(made) and self.known.forward(nest, level, first) else None
        if accumulate and self.passes(two, one):
            few = len(_arrays(whole(made))) <= _MOST_ARRAYS
            return made if few and _brief(made) else None
        if not all(loop.parallel for loop in (one, two)):
            return None  # sums in order, one of which reads what the other one writes
        if not self.pays(one, two, made, any(loop.parallel for loop in around)):
            return None
        nest, level = self.alone_in(made, around)
        accumulators = frozenset(reduction.name for reduction in made.reductions)
        return made if self.known.independent(nest, level, accumulators) else None

    def with_variable(self, loop: Loop, var: str) -> tuple[Node, ...]:
        """The body of `loop` with another name for its variable."""
        read = {loop.loop.var: var}
        if loop.loop.var == var:
            return loop.body
        return tuple(changed(node, lambda stmt: renamed(stmt, read)) for node in loop.body)

    def alike(self, one: Loop, two: Loop) -> bool:
        """Whether both loops have the same iterations, whenever they start."""
        first, second = one.loop, two.loop
        if not isinstance(first.step, Const):
            return False
        read = names((*expressions(first), *expressions(second)))
        if first.step != second.step or read & written((whole(one), whole(two))):
            return False
        bounds = [(first.start, second.start), (first.stop, second.stop)]
        unknown = [pair for pair in bounds if not self.equality.holds(*pair)]
        if read & frozenset(self.nest.scalars) and unknown:
            return False
        return all(self.known.equal(*pair) for pair in unknown)

    def disturbs(self, one: Loop, two: Loop) -> bool:
        """Whether the loops communicate through scalars, or somebody sees which came last."""
        first, second = both = whole(one), whole(two)
        mine, others = ({s.id for top in loop.body for s in statements(top)} for loop in both)
        if mine & others:
            return True
        if any(True for loop in (first, second) for _ in own_leaves(loop)):
            return True
        here, there = first.var, second.var
        if here != there:
            hidden = here.startswith(ELEMENTS) and there.startswith(ELEMENTS)
            if there in self.seen or (not hidden and here in written(second.body)):
                return True
            if here in written(second.body) or here in _read(second.body):
                return True
        ours, theirs = written(first.body), written(second.body)
        if {here, there} & (ours | theirs):
            return True
        shared = (ours & (theirs | _read(second.body))) | (theirs & _read(first.body))
        return bool(shared - (_variables(first, second) - self.seen))

    def alone_in(self, loop: Loop, around: tuple[Loop, ...]) -> tuple[Nest, int]:
        """A nest of `loop` in the loops around it, and its level."""
        made = whole(loop)
        for outer in reversed(around):
            made = replace(outer.loop, body=(made,))
        return replace(self.nest, loop=made), len(around) + 1

    def pays(self, one: Loop, two: Loop, joined: Loop, inside: bool) -> bool:
        """Whether both loops take longer than they do `joined`.

        Parameters
        ----------
        inside
            Whether they stand in a parallel loop: then joining them saves no launch.
        """
        first, second, both = (_arrays(whole(loop)) for loop in (one, two, joined))
        shared = {name for name, _ in first} & {name for name, _ in second}
        if inside and not shared:
            return False
        if any(isinstance(stmt, For) for top in whole(joined).body for stmt in statements(top)):
            return True  # the loops in it are looked at in their turn
        # Elements of arrays that the nest makes will be scalars, most likely.
        own = {local.path for local in self.nest.locals if local.flag not in self.nest.live_out}
        if len({name for name, _ in both} - own) > _MOST_ARRAYS:
            return False
        calls = [self.calls(whole(loop)) for loop in (one, two)]
        if sum(calls) > _MOST_CALLS:
            return False
        made = {local.path for local in self.nest.locals}
        overwritten = [len(_overwritten(whole(loop)) - made) for loop in (one, two, joined)]
        if overwritten[2] > max(_MOST_OVERWRITTEN, *overwritten[:2]):
            return False
        # Calls are made for a strip of iterations at a time, but only of what is known before
        # anything is stored.
        stored = {name for name, writes in first if writes} - made
        return not (stored and calls[1])

    def calls(self, loop: For) -> int:
        """How many calls `loop` makes for strips of iterations."""
        tops = (top for stmt in statements(loop) for top in expressions(stmt))
        parts = (expr for top in tops for expr in walk(top))
        return sum(isinstance(expr, Call) and expr.func in self.known.slow for expr in parts)


def _variables(*stmts: Stmt) -> frozenset[str]:
    """Variables of the loops in `stmts`."""
    inside = (inner for stmt in stmts for inner in statements(stmt))
    return frozenset(stmt.var for stmt in inside if isinstance(stmt, For))


def _unordered(loop: Loop) -> bool:
    """Whether the iterations of `loop`, one of the nest's in one piece, may run in any order.

    It may have accumulators, if these are scalars.
    """
    return loop.parallel and _one_piece(loop) and not any(r.array for r in loop.reductions)


def _accumulates(loop: Loop) -> bool:
    """Whether `loop` is one of the nest's in one piece, in any order, with scalar accumulators."""
    return bool(loop.reductions) and _unordered(loop)


def _plain(loop: Loop) -> bool:
    """Whether `loop` is one of the nest's in one piece, in any order and without accumulators."""
    return loop.parallel and _one_piece(loop) and not loop.reductions


def _one_piece(loop: Loop) -> bool:
    return loop.stands_for is None and not loop.cut and loop.loop.lanes is None


def _sums(node: Node) -> bool:
    """Whether `node` runs in order, and does nothing but add to scalars, or multiply them."""
    match node:
        case Leaf(stmt=stmt):
            return adds(stmt)
        case Loop(loop=loop, parallel=False, body=body):
            simple = _one_piece(node) and not loop.fold and not loop.product
            return simple and all(map(_sums, body))
    return False


def _meanwhile(loop: Loop) -> bool:
    """Whether all that `loop` does besides fits in the time of an addition."""
    inside = statement(loop)
    return _brief(loop) and not any(
        isinstance(stmt, For) for stmt in statements(inside) if stmt is not inside
    )


def _brief(loop: Loop) -> bool:
    """Whether an iteration of all loops in `loop` fits in the time of an addition."""
    inside = statement(loop)
    rest = (stmt for stmt in statements(inside) if not isinstance(stmt, For))
    tops = (top for stmt in rest for top in expressions(stmt))
    return sum(not isinstance(e, Const | Name) for top in tops for e in walk(top)) <= _MEANWHILE


def _read(stmts: Sequence[Stmt]) -> frozenset[str]:
    """Every name that `stmts` read."""
    tops = (top for stmt in stmts for inner in statements(stmt) for top in expressions(inner))
    return names(tuple(tops))


def _arrays(stmt: Stmt) -> frozenset[tuple[str, bool]]:
    """Paths of the arrays that `stmt` touches, and whether it writes them."""
    return frozenset((a.array, isinstance(a, Element)) for _, a in accesses(stmt))


def _overwritten(loop: For) -> frozenset[str]:
    """Arrays that `loop` writes, and of which it needs what was there before."""
    return frozenset(name for name, writes in _arrays(loop) if writes) & elements_read(loop.body)
