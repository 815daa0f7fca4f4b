"""Iterations of parallel loops that go on together, one statement after the other.

A sum over ``k`` must be added up in order, so one sum after the other leaves most of a core idle:
each addition waits for the last.  Several sums can be added up at the same time, though, because
the iterations of a parallel loop around them may run in any order, a step of one and a step of the
next in turn.  Iterations whose accesses lie side by side in memory become vector instructions, and
what several of them read is read once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from operator import itemgetter

from autopar.deps.data import Dependence
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Lanes,
    Load,
    Name,
    Partial,
    Stmt,
)
from autopar.nest.show import text
from autopar.nest.walking import accesses, expressions, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.bands import (
    any_order,
    chain,
    harmless,
    has_loops,
    inner_of,
    parts,
    seen_after,
    short,
    unit,
)
from autopar.sched.boxes import boxes
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, statement, unused
from autopar.sched.plan import walk as walk_plan
from autopar.sched.registers import Registers
from autopar.sched.together import counters, leans, levels, packable, slanted, staggered, together

_COPIES = 4  # iterations of another parallel loop beside a strip
_ROWS = 4  # of a sweep, one behind the other
_PIECES = 6  # of a loop's body, in which they may go on together
_CHAINS = 4  # iterations written out where there is no strip
_TERMS = 4  # steps of the loop in order that are taken at once
_VECTOR, _LANES = 2.0, 8  # cycles in which so many lanes of a strip are read
_WORD = 8  # bytes of a packed number
_SIZE = 12  # operations of a body of which all these copies may be made; of fewer, for more


def in_lanes(
    plan: Plan,
    layouts: Mapping[str, str],
    alone: frozenset[str],
    held: Sequence[Dependence] = (),
    behind: Mapping[int, int] | None = None,
    partials: Mapping[int, Partial] | None = None,
    slow: frozenset[str] = frozenset(),
) -> Plan:
    """`plan` with bands of parallel loops around loops in order marked to go on together.

    Parameters
    ----------
    layouts
        Of each array path: ``F`` where the first axis lies densely; any other, the last.
    alone
        Arrays that share no memory with another, and whose elements have one type.
    held
        The dependences of the nest.
    behind
        Loops by id, and by how many steps of the loop in them their iterations may be behind.
    partials
        Loops by id, and of which extreme their iterations know a part beforehand.
    slow
        Paths of functions that are called for strips of iterations at a time (`cpu.bulk`), unless
        these go on together.

    Notes
    -----
    Iterations of a loop that carries no dependence are independent of one another, so any order of
    their statements that keeps each iteration's own order is legal: outer loop vectorization [1]_,
    unroll-and-jam [2]_.  Every element still sees its operations in source order.

    References
    ----------
    .. [1] D. Nuzman, A. Zaks, "Outer-loop vectorization: revisited for short SIMD architectures",
       PACT 2008.
    .. [2] Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, section 8.4.
    """
    fresh = unused(plan)
    registers = Registers(plan.nest, alone, held, dict(levels(plan.nest.loop)), fresh)
    made = _Lanes(plan, layouts, registers, behind or {}, partials or {}, slow)
    body = made.nodes(plan.body)
    if body == plan.body:
        return plan
    return replace(plan, body=body, elements=(*plan.elements, *registers.elements))


@dataclass(frozen=True, slots=True)
class _Lanes:
    plan: Plan
    layouts: Mapping[str, str]
    registers: Registers
    behind: Mapping[int, int]
    partials: Mapping[int, Partial]
    slow: frozenset[str]

    def nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        return tuple(made for node in nodes for made in self.node(node))

    def node(self, node: Node) -> tuple[Node, ...]:
        match node:
            case Loop(brief=True):
                return (node,)
            case Loop(body=body):
                if any_order(node) and not node.cut:
                    # Several loops together read what they share once for all of them.
                    several = len(body) > 1 and any(map(_several, body))
                    ways = (self.apart, self.alone) if several else (self.alone, self.apart)
                    for way in ways:
                        found = way(node)
                        if found:
                            return found
                one = self.with_copies(node) or self.following(node) or self.in_parts(node)
                return (replace(node, body=self.nodes(body)) if one is None else one,)
            case Branch(body=body, orelse=orelse):
                return (replace(node, body=self.nodes(body), orelse=self.nodes(orelse)),)
        return (node,)

    def alone(self, outer: Loop) -> tuple[Node, ...]:
        """`outer` as it is, where it or loops in it go on together."""
        found = self.band(outer)
        return () if found is None else (found,)

    def apart(self, outer: Loop) -> tuple[Node, ...]:
        """`outer` as several loops, where one of them goes on together."""
        pieces = parts(self.plan.nest, outer)
        if len(pieces) < 2:
            return ()
        made: list[Node] = []
        rest: list[Node] = []
        k = 0
        while k < len(pieces):
            found, end = self.longest(outer, pieces, k)
            if found is None:
                rest += pieces[k]
            if rest and (found is not None or end == len(pieces)):
                made.append(replace(outer, body=self.nodes(rest)))
                rest = []
            if found is not None:
                made.append(found)
            k = end
        return tuple(made) if len(made) > 1 else ()

    def with_copies(self, outer: Loop) -> Loop | None:
        """`outer`, whose iterations fill arrays before they read them, each lane arrays of its own.

        Each step of the loops inside waits for the one before it, so lanes pay even where they lie
        far apart in memory.
        """
        private = tuple(sorted(r.name for r in outer.reductions if r.private))
        if len(private) < len(outer.reductions) or not private or outer.cut:
            return None
        if not frozenset(private) <= frozenset(self.registers.alone) or not self.waits(outer.body):
            return None
        within = self.nodes(outer.body)
        if any(isinstance(node, Loop) and node.loop.lanes for node in walk_plan(within)):
            return None
        counters = [outer.loop.var]
        body = self.registers.body(outer.body, lambda load: self.jumping(load, counters))
        loop = replace(outer.loop, body=tuple(map(statement, body)))
        last = self.last((loop,))
        sizes = [sum(1 for _ in _operations(run)) for run in _hot(loop.body)]
        if last is None or not sizes or max(sizes) > 8 * _SIZE:
            return None
        if not together((loop,)) or short(loop):
            return None
        lanes = Lanes(1, MACHINE.strip_lanes, last, private=private)
        return _marked([outer], (lanes,), body, {})

    def longest(
        self, outer: Loop, pieces: Sequence[tuple[Node, ...]], start: int
    ) -> tuple[Loop | None, int]:
        """Of as many `pieces` from `start` on as go on together: the loop, and where they end."""
        for end in range(min(len(pieces), start + _PIECES), start, -1):
            body = tuple(node for piece in pieces[start:end] for node in piece)
            found = self.band(replace(outer, body=body))
            if found is not None and found.loop.lanes is not None:
                return found, end
        return None, start + 1

    def following(self, rows: Loop) -> Loop | None:
        """A sweep of which each row goes on some columns behind the one before it."""
        steps = self.behind.get(rows.loop.id, 0)
        whole = statement(rows)
        if not steps or rows.parallel or rows.cut or not staggered(whole):
            return None
        assert isinstance(whole, For)
        (columns,) = whole.body
        assert isinstance(columns, For)
        if short(columns, MACHINE.least_columns + steps * (_ROWS - 1)):
            return None  # the last row would begin when the first has ended
        lanes = Lanes(_ROWS, ordered=True, behind=steps)
        return replace(rows, loop=replace(rows.loop, lanes=lanes))

    def in_parts(self, outer: Loop) -> Loop | None:
        """A loop in order whose iterations know a part of an extreme before they begin."""
        found = self.partials.get(outer.loop.id)
        whole = statement(outer)
        if found is None or outer.parallel or outer.cut or not isinstance(whole, For):
            return None
        as_it_was = (s for s in statements(self.plan.nest.loop) if s.id == whole.id)
        if not any(isinstance(s, For) and s.body == whole.body for s in as_it_was):
            return None  # it has been taken apart
        inner = inner_of(whole, found)
        jumps = [load for stmt in inner.body for _, load in accesses(stmt)]
        if short(whole) or not self.way(whole, jumps):
            return None
        lanes = Lanes(strip=MACHINE.partial_lanes, ordered=True, partial=found)
        terms = {inner.id: Lanes(_TERMS, ordered=True)}
        return _marked([outer], (lanes,), outer.body, terms)

    def band(self, outer: Loop) -> Loop | None:
        """`outer` and the loops in it, marked; None where nothing is gained by that."""
        loops = chain(outer)
        body = loops[-1].body
        if not self.waits(body):
            return self.packed(loops) or self.swept(loops)
        within = self.nodes(body)
        if any(isinstance(node, Loop) and node.loop.lanes for node in walk_plan(within)):
            return _around(loops, within)
        counters = [node.loop.var for node in loops]
        body = self.registers.body(body, lambda load: self.jumping(load, counters))
        inside = tuple(statement(node) for node in body)
        found = min(
            (
                (
                    self.load(order[-size:], lanes, inside),
                    self.far(order, lanes, inside),
                    k,
                    order,
                    lanes,
                )
                for k, order in enumerate(self.orders(loops, inside))
                for size in (2, 1)
                if (lanes := self.advance(order[-size:], inside, size)) is not None
            ),
            key=itemgetter(0, 1, 2),
            default=None,
        )
        if found is None:
            return None
        _, _, _, order, lanes = found
        return _marked(order, lanes, body, self.terms(inside, lanes))

    def orders(self, chain: Sequence[Loop], body: Sequence[Stmt]) -> Iterator[list[Loop]]:
        """Orders of a perfect nest of loops in any order: as it is, and others of the last two.

        The outermost loop stays where it is: its iterations go to the threads.
        """
        yield list(chain)
        inside = list(chain[1:])
        bounds = [e for n in chain for e in (n.loop.start, n.loop.stop, n.loop.step)]
        changed = written(body) | {node.loop.var for node in chain}
        if len(inside) < 2 or names(bounds) & changed or not all(map(harmless, bounds)):
            return
        # Around an empty loop others leave their last numbers, which inside of it never start.
        if seen_after(self.plan.nest, chain[0].loop.id, changed):
            return
        for pair in permutations(inside, 2):
            rest = [node for node in inside if node not in pair]
            yield [chain[0], *rest, *pair]

    def advance(
        self, band: Sequence[Loop], body: tuple[Stmt, ...], size: int
    ) -> tuple[Lanes, ...] | None:
        """How the iterations of each loop of `band` go on, if they can, around `body`."""
        loops = [replace(node.loop, body=()) for node in band]
        loops[-1] = replace(loops[-1], body=body)
        if len(loops) != size or not together(loops):
            return None
        lanes = self.lanes(loops)
        if lanes is None:
            return None
        marked = [replace(loop, lanes=one) for loop, one in zip(loops, lanes, strict=True)]
        return lanes if together(marked) else None

    def load(self, band: Sequence[Loop], lanes: Sequence[Lanes], body: tuple[Stmt, ...]) -> float:
        """What one iteration reads in its innermost loops, with what several share read once."""
        read = 0.0
        for access in (a for run in _hot(body) for stmt in run for _, a in accesses(stmt)):
            used = names(access.index)
            read += math.prod(
                one.copies * (_VECTOR if one.strip else 1)
                for node, one in zip(band, lanes, strict=True)
                if node.loop.var in used or one.strip
            )
        return read / math.prod(one.copies * (_LANES if one.strip else 1) for one in lanes)

    def far(self, order: Sequence[Loop], lanes: Sequence[Lanes], body: Sequence[Stmt]) -> int:
        """Accesses in `body` that are far apart in memory along a strip for which some are packed.

        What is packed is among them.
        """
        loops = [node.loop for node in order[len(order) - len(lanes) :]]
        strips = [loop for loop, one in zip(loops, lanes, strict=True) if one.packs]
        found = [access for stmt in body for _, access in accesses(stmt)]
        return sum(not self.way(loop, [access]) for loop in strips for access in found)

    def waits(self, nodes: Sequence[Node]) -> bool:
        """Whether the innermost loops in `nodes` gain by others that go on beside them.

        They run in order, or jump through memory.
        """
        loops = [node for node in walk_plan(tuple(nodes)) if isinstance(node, Loop)]
        for node in loops:
            inside = any(isinstance(inner, Loop) for inner in walk_plan(node.body))
            if not inside and any_order(node) and not self.jumps(node):
                return False
            if not inside and self.calls(statement(node)):
                return False
        return any(has_loops(statement(node)) for node in nodes)

    def calls(self, loop: Stmt) -> bool:
        """Whether an innermost loop calls functions for which it need not wait in each iteration.

        These take longer than all else: one call for many iterations is better than lanes.
        """
        assert isinstance(loop, For)
        carried = exposed(loop.body) & written(loop.body)
        values = (stmt.value for stmt in loop.body if isinstance(stmt, Assign))
        parts = (part for value in values for part in walk(value) if isinstance(part, Call))
        return any(call.func in self.slow and not names((call,)) & carried for call in parts)

    def jumps(self, loop: Loop) -> bool:
        """Whether an access along `loop` is not side by side in memory with the next."""
        inside = [statement(node) for node in loop.body]
        return not self.way(loop.loop, [a for stmt in inside for _, a in accesses(stmt)])

    def packed(self, chain: Sequence[Loop]) -> Loop | None:
        """A perfect nest of loops in any order, where some of what the innermost reads jumps.

        If the loop around it reads that again, it is read once for a strip, and packed.
        """
        if len(chain) < 2:
            return None
        band = [replace(node.loop, body=()) for node in chain[-2:]]
        body = tuple(statement(node) for node in chain[-1].body)
        band[-1] = replace(band[-1], body=body)
        outer, inner = band
        last = self.last(band)
        if not together(band) or last is None or short(inner):
            return None
        jumps = [
            load
            for load in packable(inner, (outer,), body)
            if load.array in self.registers.alone and not self.way(inner, [load])
        ]
        cells = {(load.array, load.index) for load in jumps}
        found = [access for stmt in body for _, access in accesses(stmt)]
        rest = [one for one in found if (one.array, one.index) not in cells]
        if not jumps or not self.way(inner, rest):
            return None
        packed = tuple(sorted({load.array for load in jumps}))
        width = max(MACHINE.strip_lanes, MACHINE.packed_bytes // (_WORD * len(cells)))
        lanes = Lanes(last=last), Lanes(1, width, last, packed)
        if last and leans(inner, (outer,)):
            return None
        return _marked(chain, lanes, chain[-1].body, {})

    def swept(self, chain: Sequence[Loop]) -> Loop | None:
        """A perfect nest of loops in any order, the innermost of which jumps through memory.

        Another one goes on in strips, if its iterations lie side by side.
        """
        if len(chain) < 2 or not self.jumps(chain[-1]) or chain[-1].loop.step != Const(1):
            return None
        outer, inner = chain[-2:]
        band = (replace(outer.loop, body=(statement(inner),)),)
        last = self.last(band)
        if not together(band) or last is None or short(outer.loop):
            return None
        found = [access for _, access in accesses(band[0].body[0])]
        if self.way(outer.loop, found) < 2:
            return None
        return _marked(chain[:-1], (Lanes(1, MACHINE.strip_lanes, last),), (inner,), {})

    def lanes(self, band: Sequence[For]) -> tuple[Lanes, ...] | None:
        """How the iterations of each loop of `band` go on; None: one after the other."""
        last = self.last(band)
        if last is None:
            return None
        hot = _hot(band[-1].body)
        if not hot:
            return None
        size = max(sum(1 for _ in _operations(run)) for run in hot)
        if size > 8 * _SIZE:
            return None
        found = [access for run in hot for stmt in run for _, access in accesses(stmt)]
        assigned = written(band[-1].body) - frozenset(counters(band[-1].body))
        moving = any(names(access.index) & assigned for access in found)
        ways: list[int] = []
        packed: list[list[Load]] = []
        for k, loop in enumerate(band):
            others = [*band[:k], *band[k + 1 :]]
            inside = [] if moving else self.packed_boxes(loop, others, band[-1])
            rest = [access for access in found if access.id not in {load.id for load in inside}]
            leaning = any(leans(inner, (loop,)) for inner in band)
            ways.append(0 if moving or leaning else self.way(loop, rest))
            packed.append(inside)
        strip = max(range(len(band)), key=lambda k: (ways[k], k))
        copies = 1 if size > 2 * _SIZE else _COPIES
        if ways[strip] <= 0 or short(band[strip]):
            chains = _CHAINS if size * _CHAINS ** len(band) <= 16 * _SIZE else _COPIES
            if size > 4 * _SIZE:
                return None
            return tuple(Lanes(chains, 0, last) for _ in band)
        # What the strip goes along, and others read again: not a number for all of its lanes.
        along = [names(a.index) for a in found if band[strip].var in names(a.index)]
        shared = any(loop.var not in read for loop in band for read in along)
        beside = copies if shared else 1
        width = MACHINE.strip_lanes
        if beside > 1 and len(band) > 1:
            width = MACHINE.panel_lanes
        arrays = tuple(sorted({load.array for load in packed[strip]}))
        settled = tuple(
            sorted(self.settled(band, band[-1].body) & {load.id for load in packed[strip]})
        )
        return tuple(
            Lanes(1, width, last, arrays, settled) if k == strip else Lanes(beside, 0, last)
            for k in range(len(band))
        )

    def settled(self, band: Sequence[For], body: Sequence[Stmt]) -> frozenset[int]:
        """Ids of loads of arrays that `body` stores in, but not in what these read.

        Nor does another iteration of the loops of `band` around it, which may run in any order.
        """
        levels = [self.registers.levels.get(loop.id) for loop in band]
        found = [access for stmt in body for _, access in accesses(stmt)]
        stored = {access.array for access in found if isinstance(access, Element)}
        inside = {stmt.id for top in body for stmt in statements(top)}
        if None in levels:
            return frozenset()
        outermost = min(level for level in levels if level is not None)
        met = {
            (dep.variable, dep.sink_text)
            for dep in self.registers.held
            if dep.kind == "true"
            and {dep.source, dep.sink} <= inside
            and (dep.level is None or dep.level >= outermost)
        }
        return frozenset(
            access.id
            for access in found
            if isinstance(access, Load)
            and access.array in stored
            and access.array in self.registers.alone
            and (access.array, text(access)) not in met
        )

    def packed_boxes(self, strip: For, around: Sequence[For], inner: For) -> list[Load]:
        """Loads that jump along `strip`, of what all iterations of a loop `around` it read again.

        They are in the body of `inner`.
        """
        if leans(inner, around) and not (inner is strip and slanted(inner, around)):
            return []
        if any(leans(one, (strip,)) for one in around):
            return []
        band = [*around, strip]
        return [
            box.load
            for box in boxes(strip, around, inner.body, self.settled(band, inner.body))
            if box.load.array in self.registers.alone and not self.way(strip, [box.load])
        ]

    def way(self, loop: For, found: Sequence[Load | Element]) -> int:
        """Accesses that are side by side along `loop`, from 1 on; 0 where one jumps."""
        near = 1
        for access in found:
            moving = [k for k, e in enumerate(access.index) if loop.var in names((e,))]
            if moving == [self.fast(access)] and unit(access.index[moving[0]], loop.var):
                near += 1
            elif moving or any(isinstance(e, Load) for top in access.index for e in walk(top)):
                return 0
        return near

    def fast(self, access: Load | Element) -> int:
        """The axis along which elements lie side by side."""
        return 0 if self.layouts.get(access.array) == "F" else len(access.index) - 1

    def jumping(self, access: Load | Element, counters: Sequence[str]) -> bool:
        """Whether iterations of a loop over one of `counters` find it far apart in memory."""
        fast = self.fast(access)
        others = [e for k, e in enumerate(access.index) if k != fast]
        return bool(names(others) & set(counters))

    def last(self, band: Sequence[For]) -> bool | None:
        """Whether somebody sees what the last iteration leaves; None where that is unclear.

        It is not, where an earlier iteration may assign what the last one does not.
        """
        assigned = written(band) | {loop.var for loop in band}
        if not seen_after(self.plan.nest, band[0].id, assigned):
            return False
        sometimes = (
            s
            for stmt in band[-1].body
            for s in statements(stmt)
            if isinstance(s, If) and written((s,)) and not has_loops(s)
        )
        return None if any(True for _ in sometimes) else True

    def terms(self, body: Sequence[Stmt], lanes: Sequence[Lanes]) -> dict[int, Lanes]:
        """How many steps of each innermost loop of `body` are taken at once."""
        if not any(one.strip for one in lanes):
            return {}
        found: dict[int, Lanes] = {}
        for stmt in body:
            for loop in statements(stmt):
                if not isinstance(loop, For) or any(map(has_loops, loop.body)):
                    continue
                size = sum(1 for _ in _operations(loop.body))
                steps = _TERMS if size <= _SIZE else _TERMS // 2 if size <= 2 * _SIZE else 1
                if steps > 1 and loop.step == Const(1):
                    found[loop.id] = Lanes(steps, ordered=True)
        return found


def _around(chain: Sequence[Loop], body: tuple[Node, ...]) -> Loop:
    for loop in reversed(chain):
        made = replace(loop, body=body)
        body = (made,)
    return made


def _marked(
    chain: Sequence[Loop],
    lanes: Sequence[Lanes],
    body: tuple[Node, ...],
    terms: Mapping[int, Lanes],
) -> Loop:
    body = tuple(_with_terms(node, terms) for node in body)
    marks = [None] * (len(chain) - len(lanes)) + list(lanes)
    for loop, mark in zip(reversed(chain), reversed(marks), strict=True):
        made = replace(loop, loop=replace(loop.loop, lanes=mark), body=body)
        body = (made,)
    return made


def _with_terms(node: Node, terms: Mapping[int, Lanes]) -> Node:
    def inside(stmt: Stmt) -> Stmt:
        match stmt:
            case For(body=body):
                return replace(stmt, body=tuple(map(inside, body)), lanes=terms.get(stmt.id))
            case If(body=body, orelse=orelse):
                return replace(
                    stmt, body=tuple(map(inside, body)), orelse=tuple(map(inside, orelse))
                )
        return stmt

    match node:
        case Leaf(stmt=stmt):
            return Leaf(inside(stmt))
        case Loop(loop=loop, body=body):
            head = replace(loop, lanes=terms.get(loop.id))
            return replace(node, loop=head, body=tuple(_with_terms(n, terms) for n in body))
        case Branch(body=body, orelse=orelse):
            then, other = (tuple(_with_terms(n, terms) for n in b) for b in (body, orelse))
            return replace(node, body=then, orelse=other)


def _several(node: Node) -> bool:
    """Whether `node` and a loop around it in any order may go on together."""
    return isinstance(node, Loop) and any_order(node) and not node.cut


def _hot(body: Sequence[Stmt]) -> list[tuple[Stmt, ...]]:
    """Bodies of the innermost loops in `body`."""
    inner = (s for stmt in body for s in statements(stmt) if isinstance(s, For))
    return [loop.body for loop in inner if not any(map(has_loops, loop.body))]


def _operations(stmts: Sequence[Stmt]) -> Iterator[Expr]:
    """What `stmts` compute and read, subscripts aside."""
    for stmt in stmts:
        for inner in statements(stmt):
            for top in expressions(inner):
                yield from (e for e in walk(top) if not isinstance(e, Const | Name))
