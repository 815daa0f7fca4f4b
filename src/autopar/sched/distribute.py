"""From dependences to a plan: which loops run in parallel, after distribution where that helps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from autopar.deps.data import Analysis, Dependence
from autopar.kernel import Reduction
from autopar.nest.flow import exposed, written
from autopar.nest.ir import ONCE, Assign, Element, For, If, Name, Nest, Stmt
from autopar.nest.typed.types import Typed
from autopar.nest.walking import accesses, statements
from autopar.records import dataclass, field, replace
from autopar.sched import plan
from autopar.sched.components import condensed
from autopar.sched.cuts import Cut, divided
from autopar.sched.expand import Expansion
from autopar.sched.explain import in_order, in_parts
from autopar.sched.gains import gains
from autopar.sched.inward import moved_inward
from autopar.sched.parts import pruned, read_outside, repeatable
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan
from autopar.sched.products import Known, recognised
from autopar.sched.products import told as told_of_products
from autopar.sched.reductions import Scope, reductions
from autopar.sched.sweeps import with_sweeps


def schedule(
    nest: Nest,
    analysis: Analysis,
    held: frozenset[int],
    scope: Scope | None = None,
    expand: bool = False,
    finest: bool = False,
    cuts: Sequence[Cut] = (),
    products: Typed | None = None,
) -> Plan:
    """The plan for the dependences in `held`, as `analysis.held` gives them.

    Parameters
    ----------
    scope
        Which reductions may be computed in parts; None: none.
    expand
        Whether scalars may go from one copy of a loop to another in an array; needs a `scope`.
    finest
        Distribute every loop that must run in order as far as is legal, for what a pass that looks
        at one copy at a time may find there.
    cuts
        Loops that may be cut, at most one for each; needs a `scope`.
    products
        The types of the nest, where products of matrices are to stand alone; None: they need not.

    Notes
    -----
    Codegen of Allen & Kennedy [1]_, section 5, on the condensed dependence graph, with four
    departures.

    * A loop that carries nothing is parallel as it stands, its body in the user's order; only a
      loop that must run in order is distributed, and only if some statement thereby gets a
      parallel loop further out than it had.
    * Groups are fused again: neighbours that are both parallel and carry nothing together, and
      neighbours that both run in order unless that loses parallelism.  Groups are copies of one
      loop, so their union in the user's order is a part of the user's loop and always legal.
      Among groups that may come next, one of the kind of the last is preferred (typed fusion [2]_).
    * What a loop carries between iterations before and after a place where it may be cut, or
      further than a strip of it, is no dependence within its parts, which come one after the other.
    * Without scalar expansion, what communicates through a scalar assigned in the loop stays in
      one copy.  So does a `break` or `continue` with what it decides.  A `While` is one node of
      the graph, and so is an `If` whose test copies of the loop could not evaluate again.

    References
    ----------
    .. [1] R. Allen, K. Kennedy, "Automatic translation of FORTRAN programs to vector form",
       ACM TOPLAS 9(4), 1987.
    .. [2] K. Kennedy, K. McKinley, "Typed fusion with applications to parallel and sequential
       code generation", Rice University TR93-208, 1993.
    """
    deps = [analysis.dependences[k] for k in sorted(held)]
    expansion = Expansion.of(scope.typed) if expand and scope is not None else None
    known = {
        cut.loop: (cut, frozenset(analysis.dependences[k] for k in cut.separated)) for cut in cuts
    }
    observed = read_outside(nest.loop).union(nest.live_out)
    matrices = None if products is None else Known(nest, products, deps, observed)
    scheduler = _Scheduler(nest, deps, scope, expansion, observed, finest, known, matrices)
    nodes = scheduler.loop(nest.loop, 1, True)
    made = expansion.made if expansion is not None else ()
    body = with_sweeps(moved_inward(nodes, nest, deps), nest, deps, frozenset(t.path for t in made))
    used = {path for node in plan.walk(body) for path in _stored(node)}
    temporaries = tuple(t for t in made if t.path in used)
    tests = tuple(expansion.tests.items()) if expansion is not None and temporaries else ()
    kept, spared = (
        tuple(dict.fromkeys(told(nodes, deps, scheduler.joinable))) for told in (in_order, in_parts)
    )
    spared = (*spared, *(dict.fromkeys(told_of_products(body)) if matrices is not None else ()))
    return Plan(nest, body, kept, temporaries, tests, parts=spared)


@dataclass(slots=True)
class _Scheduler:
    nest: Nest
    deps: list[Dependence]
    scope: Scope | None
    expansion: Expansion | None
    observed: frozenset[str]  # scalars that are read outside of loops over them
    finest: bool = False
    cuts: Mapping[int, tuple[Cut, frozenset[Dependence]]] = field(default_factory=dict)
    matrices: Known | None = None
    joinable: set[Dependence] = field(default_factory=set)  # carried through a reduction only

    def loop(self, loop: For, level: int, split: bool) -> tuple[Node, ...]:
        """Nodes for `loop`, the `level`-th around its body; `split` allows distribution."""
        if loop.var == ONCE:  # nothing to hand out, and nobody's loop
            inside = self._block(loop.body, level + 1, split)
            return (Loop(loop, inside, False, stands_for=()),)
        found = self._products(loop, level, self.matrices) if split and self.matrices else None
        if found is not None:
            return found
        whole = self._whole(loop, level, split)
        if whole[0].parallel or whole[0].cut or not split:
            return whole
        if self.expansion is not None and self.scope is not None:
            scope = replace(self.scope, typed=self.expansion.now())
            kept = frozenset(k for r in reductions(loop, scope) for k in r.updates)
            loop = self.expansion.tested(loop, kept | self._steady(loop))
        groups = self._groups(loop, level)
        if len(groups) < 2:
            return whole
        if self.finest:
            return self._apart(loop, [part for part, _ in groups], level)
        apart = self._apart(loop, self._fused(loop, groups, level), level)
        return apart if gains(apart, whole) else whole

    def _products(self, loop: For, level: int, known: Known) -> tuple[Node, ...] | None:
        """`loop` with the products of matrices in it apart from all else; None where none is."""
        nodes: list[Node] = []
        rest: frozenset[int] = frozenset()
        for atoms, _ in self._groups(loop, level):
            alone = recognised(_keep(loop, atoms), level, known)
            if alone is None:
                rest |= atoms
                continue
            if rest:
                nodes += self.loop(_keep(loop, rest), level, True)
            nodes += map(Leaf, alone)
            rest = frozenset()
        if not nodes:
            return None
        return (*nodes, *(self.loop(_keep(loop, rest), level, True) if rest else ()))

    def _whole(self, loop: For, level: int, split: bool) -> tuple[Loop, ...]:
        """`loop` in one piece, or cut; nothing is distributed within a parallel loop."""
        joined = self._joined(loop, level)
        cut = self._cut(loop, level) if joined is None and split else None
        if joined is None and cut is None:
            return (Loop(loop, self._block(loop.body, level + 1, split), False),)
        # What is inside runs on one thread: no copy is made of the elements that it updates.
        scope = None if self.scope is None else replace(self.scope, arrays=True)
        inside = replace(self, scope=scope, expansion=None, finest=False)
        body = inside._block(loop.body, level + 1, False)
        if cut is None:
            return (Loop(loop, body, True, joined or ()),)
        fresh = 1 + loop.id + max(s.id for s in statements(self.nest.loop))
        return tuple(divided(loop, body, cut, fresh))

    def _cut(self, loop: For, level: int) -> Cut | None:
        """Where to cut `loop`, so that it carries nothing within its parts."""
        if loop.id not in self.cuts:
            return None
        cut, separated = self.cuts[loop.id]
        return cut if all(d in separated for d in self._carried(loop, level)) else None

    def _carried(self, loop: For, level: int) -> list[Dependence]:
        inside = _inside(loop)
        return [d for d in self.deps if d.level == level and {d.source, d.sink} <= inside]

    def _block(self, stmts: Sequence[Stmt], level: int, split: bool) -> tuple[Node, ...]:
        return tuple(node for stmt in stmts for node in self._node(stmt, level, split))

    def _node(self, stmt: Stmt, level: int, split: bool) -> tuple[Node, ...]:
        if isinstance(stmt, For) and not stmt.fold:
            return self.loop(stmt, level, split)
        if isinstance(stmt, If):
            body = self._block(stmt.body, level, split)
            orelse = self._block(stmt.orelse, level, split)
            if _parallel((*body, *orelse)):
                return (Branch(stmt, body, orelse),)
        return (Leaf(stmt),)

    def _joined(self, loop: For, level: int) -> tuple[Reduction, ...] | None:
        """The reductions that carry all that `loop` carries; None if it must run in order."""
        carried = self._carried(loop, level)
        if not carried or self.scope is None:
            return None if carried else ()
        scope = self.scope
        if self.expansion is not None:
            scope = replace(scope, typed=self.expansion.now())
        known = reductions(loop, scope)
        found = [next((r for r in known if _covers(r, dep)), None) for dep in carried]
        self.joinable |= {d for d, r in zip(carried, found, strict=True) if r is not None}
        used = dict.fromkeys(r for r in found if r is not None)
        return None if None in found else tuple(used)

    def _groups(self, loop: For, level: int) -> list[tuple[frozenset[int], bool]]:
        """Atoms of each strongly connected component in a legal order, and if it is parallel."""
        if self._feeds_itself(loop):
            return []
        atoms = self._atoms(loop)
        order = {atom.id: k for k, atom in enumerate(atoms)}
        parts, after = condensed(list(order), self._edges(loop, atoms, level))
        kind = [self._any_order(loop, part, level) for part in parts]
        first = [min(order[a] for a in part) for part in parts]
        waiting = [sum(c in sinks for sinks in after) for c in range(len(parts))]
        ready = [c for c, before in enumerate(waiting) if not before]
        found: list[tuple[frozenset[int], bool]] = []
        while ready:
            ready.sort(key=first.__getitem__)
            alike = [c for c in ready if found and kind[c] == found[-1][1]]
            chosen = (alike or ready)[0]
            ready.remove(chosen)
            found.append((parts[chosen], kind[chosen]))
            for sink in after[chosen]:
                waiting[sink] -= 1
                if not waiting[sink]:
                    ready.append(sink)
        return found

    def _any_order(self, loop: For, atoms: frozenset[int], level: int) -> bool:
        """Whether a copy of `loop` with only `atoms` would be parallel."""
        part = _keep(loop, atoms)
        joined = self._joined(part, level)
        if not joined or self.expansion is None:
            return joined is not None or self._cut(part, level) is not None
        # An accumulator of which others need every value must be computed in order.
        others = frozenset(s.id for s in self._atoms(loop)) - atoms
        return not {r.name for r in joined} & exposed(_keep(loop, others).body)

    def _fused(
        self, loop: For, groups: list[tuple[frozenset[int], bool]], level: int
    ) -> list[frozenset[int]]:
        """The groups, neighbours joined again where that costs nothing."""
        made: list[frozenset[int]] = []
        last: bool | None = None
        for atoms, parallel in groups:
            if last == parallel and self._any_order(loop, made[-1] | atoms, level) == parallel:
                one, two = (self._whole(_keep(loop, g), level, True) for g in (made[-1], atoms))
                joined = self._whole(_keep(loop, made[-1] | atoms), level, True)
                if not gains((*one, *two), joined):
                    made[-1] |= atoms
                    continue
            made.append(atoms)
            last = parallel
        return made

    def _apart(self, loop: For, groups: list[frozenset[int]], level: int) -> tuple[Loop, ...]:
        """One copy of `loop` for each group."""
        if len(groups) < 2 or self.expansion is None:
            kept = (_keep(loop, group) for group in groups)
            return tuple(copy for part in kept for copy in self._whole(part, level, True))
        homes = {
            name: number
            for name in {name for name, _ in self.expansion.notable(loop)}
            for number, group in enumerate(groups)
            if name in written(_keep(loop, group).body)
        }
        pieces = self.expansion.pieces(loop, groups, homes) or (loop,)
        return tuple(copy for piece in pieces for copy in self._whole(piece, level, True))

    def _feeds_itself(self, loop: For) -> bool:
        """Whether the body changes what the range of `loop` was computed from."""
        inside = _inside(loop)
        for d in self.deps:
            if d.level is not None or d.kind == "control":
                continue
            out = d.source == loop.id and d.sink in inside and not _writes_variable(loop, d)
            if out or (d.sink == loop.id and d.source in inside):
                return True
        return False

    def _atoms(self, loop: For) -> list[Stmt]:
        """What distribution moves as one; loops and branches are taken apart where legal."""

        def inside(stmts: Sequence[Stmt], loops: frozenset[str]) -> Iterator[Stmt]:
            for stmt in stmts:
                if isinstance(stmt, For) and stmt.fold:
                    yield stmt
                elif isinstance(stmt, For) and stmt.body and not self._feeds_itself(stmt):
                    yield from inside(stmt.body, loops | {stmt.var})
                elif isinstance(stmt, If) and (
                    self._repeatable(stmt, loops) or self._by_outcome(stmt)
                ):
                    yield from inside((*stmt.body, *stmt.orelse), loops)
                else:
                    yield stmt

        return list(inside(loop.body, frozenset({loop.var})))

    def _steady(self, loop: For) -> frozenset[int]:
        """Branches of `loop` whose test copies of it may evaluate again."""
        steady = (s for s in loop.body if isinstance(s, If))
        return frozenset(s.id for s in steady if self._repeatable(s, frozenset({loop.var})))

    def _by_outcome(self, stmt: If) -> bool:
        return self.expansion is not None and self.expansion.by_outcome(stmt)

    def _noted(self, number: int) -> bool:
        """Whether a branch goes by the outcome of its test, which may be noted."""
        return self.expansion is not None and self.expansion.is_test(number)

    def _repeatable(self, stmt: If, loops: frozenset[str]) -> bool:
        assigned = {s.target for s in statements(self.nest.loop) if isinstance(s, Assign)}
        steady = frozenset(name for name in loops if Name(name) not in assigned)
        return repeatable(stmt, steady, self.nest)

    def _edges(self, loop: For, atoms: Sequence[Stmt], level: int) -> Iterator[tuple[int, int]]:
        home: dict[int, set[int]] = {}
        for atom in atoms:
            for stmt in statements(atom):
                home.setdefault(stmt.id, set()).add(atom.id)
        # The range of an inner loop is computed again in each copy: all its atoms depend on it.
        for stmt in statements(loop):
            if isinstance(stmt, For) and stmt.id not in home and stmt.id != loop.id:
                home[stmt.id] = {s.id for s in statements(stmt) if s.id in {a.id for a in atoms}}
        for dep in self.deps:
            if dep.scalar or (dep.level is not None and dep.level < level):
                continue
            if dep.kind == "control" and dep.source not in home:
                continue  # each copy evaluates the test again
            for source in home.get(dep.source, ()):
                for sink in home.get(dep.sink, ()):
                    yield source, sink
                    if dep.kind == "control" and not self._noted(dep.source):
                        yield sink, source
        yield from self._ties(loop, atoms)

    def _ties(self, loop: For, atoms: Sequence[Stmt]) -> Iterator[tuple[int, int]]:
        """Both ways between atoms that share a scalar assigned in `loop`."""
        # Of what an inner loop assigns itself, notes would need more than one index.
        notable = self.expansion.notable(loop) if self.expansion is not None else {}
        parts = [_part(loop, atom) for atom in atoms]
        seen = self.observed
        for name in sorted(written(loop.body)):
            if name not in seen:
                continue
            writers = {number for part in parts for number in part.assigning.get(name, ())}
            readers = {part.atom for part in parts if name not in part.assigning}
            if len(writers) == 1 and not any(name in part.exposed for part in parts):
                continue
            users = [p.atom for p in parts if name in p.assigning or name in p.exposed]
            movable = {a for a in readers if (name, a) in notable}
            ends = [a for a in users if a not in movable]
            for writer in ends:
                if writer not in readers:
                    yield from ((writer, reader) for reader in movable & set(users))
            for one, two in pairwise(ends):
                yield one, two
                yield two, one


def _covers(reduction: Reduction, dep: Dependence) -> bool:
    """Whether `dep` is between updates of the accumulator, or of what is assigned with it."""
    if dep.scalar:
        return dep.variable in (reduction.name, *reduction.taken) and not reduction.array
    ends = {dep.source, dep.sink} <= reduction.updates
    return reduction.array and dep.variable == reduction.name and ends and dep.kind != "control"


def _writes_variable(loop: For, dep: Dependence) -> bool:
    """Whether the dependence comes from `loop` assigning its variable, not from its range."""
    return dep.scalar and dep.variable == loop.var and dep.kind in ("true", "output")


@dataclass(frozen=True, slots=True)
class _Part:
    """What one atom of a loop does with scalars.

    Attributes
    ----------
    assigning
        The statements that may assign a name, by their ids.
    exposed
        Names that it may read before assigning them.
    """

    atom: int
    assigning: Mapping[str, frozenset[int]]
    exposed: frozenset[str]


def _part(loop: For, atom: Stmt) -> _Part:
    body = _keep(loop, frozenset({atom.id})).body
    assigning: dict[str, set[int]] = {}
    for stmt in (stmt for top in body for stmt in statements(top)):
        match stmt:
            case For(var=name) | Assign(target=Name(id=name)):
                assigning.setdefault(name, set()).add(stmt.id)
    found = {name: frozenset(ids) for name, ids in assigning.items()}
    return _Part(atom.id, found, exposed(body))


def _keep(loop: For, atoms: frozenset[int]) -> For:
    """`loop` with only `atoms` in it, and the inner loops and branches that lead to them."""
    return replace(loop, body=pruned(loop.body, atoms))


def _stored(node: Node) -> Iterator[str]:
    if isinstance(node, Leaf):
        for _, access in accesses(node.stmt):
            if isinstance(access, Element):
                yield access.array


def _inside(loop: For) -> frozenset[int]:
    return frozenset(s.id for child in loop.body for s in statements(child))


def _parallel(nodes: tuple[Node, ...]) -> bool:
    return any(isinstance(n, Loop) and n.parallel for n in plan.walk(nodes))
