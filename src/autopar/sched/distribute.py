"""From dependences to a plan: which loops run in parallel, after distribution where that helps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import networkx as nx

from autopar.deps.data import Analysis, Dependence
from autopar.nest.flow import exposed, written
from autopar.nest.ir import For, If, Name, Nest, Stmt, blocks, expressions, statements, walk
from autopar.sched import plan
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan


def schedule(nest: Nest, analysis: Analysis, held: frozenset[int]) -> Plan:
    """The plan for the dependences in `held`, as `analysis.held` gives them.

    Notes
    -----
    Codegen of Allen & Kennedy [1]_, section 5, on networkx's condensation, with three departures.

    * A loop that carries nothing is parallel as it stands, its body in the user's order; only a
      loop that must run in order is distributed, and only if some statement thereby gets a
      parallel loop further out than it had.
    * Groups are fused again: neighbours that are both parallel and carry nothing together, and
      neighbours that both run in order unless that loses parallelism.  Groups are copies of one
      loop, so their union in the user's order is a part of the user's loop and always legal.
      Among groups that may come next, one of the kind of the last is preferred (typed fusion [2]_).
    * There is no scalar expansion: what communicates through a scalar assigned in the loop stays
      in one copy, and so does a `break` or `continue` with what it decides.  An `If` or `While` is
      one node of the graph.

    References
    ----------
    .. [1] R. Allen, K. Kennedy, "Automatic translation of FORTRAN programs to vector form",
       ACM TOPLAS 9(4), 1987.
    .. [2] K. Kennedy, K. McKinley, "Typed fusion with applications to parallel and sequential
       code generation", Rice University TR93-208, 1993.
    """
    deps = [analysis.dependences[k] for k in sorted(held)]
    body = _Scheduler(nest, deps).loop(nest.loop, 1, True)
    return Plan(nest, body, tuple(_explain(body, deps)))


@dataclass(slots=True)
class _Scheduler:
    nest: Nest
    deps: list[Dependence]

    def loop(self, loop: For, level: int, split: bool) -> tuple[Node, ...]:
        """Nodes for `loop`, the `level`-th around its body; `split` allows distribution."""
        whole = self._whole(loop, level, split)
        if whole.parallel or not split:
            return (whole,)
        groups = self._groups(loop, level)
        if len(groups) < 2:
            return (whole,)
        apart = self._fused(loop, groups, level)
        return apart if _gains(apart, (whole,)) else (whole,)

    def _whole(self, loop: For, level: int, split: bool) -> Loop:
        """`loop` in one piece; nothing is distributed within a parallel loop."""
        parallel = not self._carried(loop, level)
        return Loop(loop, self._block(loop.body, level + 1, split and not parallel), parallel)

    def _block(self, stmts: Sequence[Stmt], level: int, split: bool) -> tuple[Node, ...]:
        return tuple(node for stmt in stmts for node in self._node(stmt, level, split))

    def _node(self, stmt: Stmt, level: int, split: bool) -> tuple[Node, ...]:
        if isinstance(stmt, For):
            return self.loop(stmt, level, split)
        if isinstance(stmt, If):
            body = self._block(stmt.body, level, split)
            orelse = self._block(stmt.orelse, level, split)
            if _parallel((*body, *orelse)):
                return (Branch(stmt, body, orelse),)
        return (Leaf(stmt),)

    def _carried(self, loop: For, level: int) -> bool:
        inside = _inside(loop)
        return any(d.level == level and d.source in inside and d.sink in inside for d in self.deps)

    def _groups(self, loop: For, level: int) -> list[tuple[frozenset[int], bool]]:
        """Atoms of each strongly connected component in a legal order, and if it is parallel."""
        if self._feeds_itself(loop):
            return []
        atoms = self._atoms(loop)
        order = {atom.id: k for k, atom in enumerate(atoms)}
        graph = nx.DiGraph()
        graph.add_nodes_from(order)
        graph.add_edges_from(self._edges(loop, atoms, level))
        packed = nx.condensation(graph)
        parts = {c: frozenset(packed.nodes[c]["members"]) for c in packed}
        kind = {c: not self._carried(_keep(loop, part), level) for c, part in parts.items()}
        first = {c: min(order[a] for a in part) for c, part in parts.items()}
        waiting = {c: packed.in_degree(c) for c in packed}
        ready = [c for c in packed if not waiting[c]]
        found: list[tuple[frozenset[int], bool]] = []
        while ready:
            ready.sort(key=first.__getitem__)
            alike = [c for c in ready if found and kind[c] == found[-1][1]]
            chosen = (alike or ready)[0]
            ready.remove(chosen)
            found.append((parts[chosen], kind[chosen]))
            for after in packed.successors(chosen):
                waiting[after] -= 1
                if not waiting[after]:
                    ready.append(after)
        return found

    def _fused(
        self, loop: For, groups: list[tuple[frozenset[int], bool]], level: int
    ) -> tuple[Loop, ...]:
        """One copy of `loop` per group, neighbours joined again where that costs nothing."""
        made: list[Loop] = []
        last: frozenset[int] = frozenset()
        for atoms, parallel in groups:
            alone = self._whole(_keep(loop, atoms), level, True)
            if made and made[-1].parallel == parallel:
                joined = self._whole(_keep(loop, last | atoms), level, True)
                if joined.parallel == parallel and not _gains((made[-1], alone), (joined,)):
                    made[-1], last = joined, last | atoms
                    continue
            made.append(alone)
            last = atoms
        return tuple(made)

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
        """Statements that distribution moves as one; inner loops are taken apart where legal."""
        found: list[Stmt] = []
        for stmt in loop.body:
            if isinstance(stmt, For) and stmt.body and not self._feeds_itself(stmt):
                found += self._atoms(stmt)
            else:
                found.append(stmt)
        return found

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
            for source in home.get(dep.source, ()):
                for sink in home.get(dep.sink, ()):
                    yield source, sink
                    if dep.kind == "control":
                        yield sink, source
        yield from self._ties(loop, atoms)

    def _ties(self, loop: For, atoms: Sequence[Stmt]) -> Iterator[tuple[int, int]]:
        """Both ways between atoms that share a scalar assigned in `loop`."""
        for name in sorted(written(loop.body)):
            writers: set[int] = set()
            users: list[int] = []
            for atom in atoms:
                part = _keep(loop, frozenset({atom.id})).body
                writing = {s.id for s in _assigning(part, name)}
                writers |= writing
                if writing or name in exposed(part):
                    users.append(atom.id)
            observed = name in self.nest.live_out or _read_outside(self.nest.loop, name)
            if not observed or (len(writers) == 1 and not _exposed_any(loop, atoms, name)):
                continue
            for one, two in pairwise(users):
                yield one, two
                yield two, one


def _writes_variable(loop: For, dep: Dependence) -> bool:
    """Whether the dependence comes from `loop` assigning its variable, not from its range."""
    return dep.scalar and dep.variable == loop.var and dep.kind in ("true", "output")


def _exposed_any(loop: For, atoms: Sequence[Stmt], name: str) -> bool:
    return any(name in exposed(_keep(loop, frozenset({a.id})).body) for a in atoms)


def _assigning(stmts: Sequence[Stmt], name: str) -> Iterator[Stmt]:
    for top in stmts:
        for stmt in statements(top):
            match stmt:
                case For(var=var) if var == name:
                    yield stmt
                case _ if getattr(stmt, "target", None) == Name(name):
                    yield stmt


def _read_outside(loop: For, name: str) -> bool:
    """Whether `name` is read anywhere that is not the body of a loop over it."""

    def reads(stmt: Stmt) -> bool:
        if any(e == Name(name) for top in expressions(stmt) for e in walk(top)):
            return True
        if isinstance(stmt, For) and stmt.var == name:
            return any(name in written((child,)) for child in stmt.body)
        return any(reads(child) for block in blocks(stmt) for child in block)

    return reads(loop)


def _keep(loop: For, atoms: frozenset[int]) -> For:
    """`loop` with only `atoms` in it, and the inner loops that lead to them."""

    def pruned(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        kept: list[Stmt] = []
        for stmt in stmts:
            if stmt.id in atoms:
                kept.append(stmt)
            elif isinstance(stmt, For):
                body = pruned(stmt.body)
                if body:
                    kept.append(replace(stmt, body=body))
        return tuple(kept)

    return replace(loop, body=pruned(loop.body))


def _inside(loop: For) -> frozenset[int]:
    return frozenset(s.id for child in loop.body for s in statements(child))


def _parallel(nodes: tuple[Node, ...]) -> bool:
    return any(isinstance(n, Loop) and n.parallel for n in plan.walk(nodes))


def _gains(new: tuple[Node, ...], old: tuple[Node, ...]) -> bool:
    """Whether a statement gets its first parallel loop, or a most nested one gets it further out.

    A statement that is less nested than others already in a parallel loop is not worth a copy.
    """
    before = {leaf: found for leaf, _, found in _depths(old, 0, None)}
    after = list(_depths(new, 0, None))
    deepest = max((depth for _, depth, _ in after), default=0)
    for leaf, depth, found in after:
        was = before[leaf]
        if found is not None and (was is None or (found < was and depth == deepest)):
            return True
    return False


def _depths(
    nodes: tuple[Node, ...], depth: int, found: int | None
) -> Iterator[tuple[int, int, int | None]]:
    """Statement ids, the loops around each, and the level of the outermost parallel one."""
    for node in nodes:
        match node:
            case Loop(body=body, parallel=parallel):
                level = depth + 1
                yield from _depths(body, level, found or (level if parallel else None))
            case Branch(body=body, orelse=orelse):
                yield from _depths((*body, *orelse), depth, found)
            case Leaf(stmt=stmt):
                for inner in statements(stmt):
                    if not isinstance(inner, For | If):
                        yield inner.id, depth, found


_FIRST = {"true": 0, "output": 1, "anti": 2, "control": 3}
_DOES = {"true": ("writes", "reads"), "anti": ("reads", "writes"), "output": ("writes", "writes")}


_FAULTS = {
    "repeats": "names an element twice",
    "falls": "has an element smaller than the one before it",
}


def _explain(nodes: tuple[Node, ...], deps: Sequence[Dependence]) -> Iterator[str]:
    """One sentence for each loop that runs in order."""
    said: set[str] = set()
    for node, level in _loops(nodes, 1):
        if node.parallel:
            continue
        inside = {s.id for n in plan.walk(node.body) for s in statements(_statement(n))}
        reasons = [d for d in deps if d.level == level and d.source in inside and d.sink in inside]
        if not reasons:
            continue
        line = _sentence(min(reasons, key=lambda d: (_FIRST[d.kind], d.source_line)), node.loop)
        if line not in said:
            said.add(line)
            yield line


def _statement(node: Node) -> Stmt:
    return node.loop if isinstance(node, Loop) else node.stmt


def _loops(nodes: tuple[Node, ...], level: int) -> Iterator[tuple[Loop, int]]:
    for node in nodes:
        if isinstance(node, Loop):
            yield node, level
            yield from _loops(node.body, level + 1)
        elif isinstance(node, Branch):
            yield from _loops((*node.body, *node.orelse), level)


def _sentence(dep: Dependence, loop: For) -> str:
    order = f"loop `{loop.var.strip('<>')}` must run in order"
    if dep.kind == "control":
        return f"line {dep.source_line} may leave loop `{loop.var.strip('<>')}` early: {order}"
    if dep.blame is not None:
        array, fault = dep.blame
        return f"`{array}` {_FAULTS[fault]}: {order}"
    if dep.scalar:
        line = dep.source_line
        return f"line {line} carries `{dep.variable}` from one iteration to the next: {order}"
    one, two = _DOES[dep.kind]
    distance = dep.distance[dep.level - 1] if dep.level else None
    apart = "" if distance is None else f" (distance {distance})"
    return (
        f"line {dep.source_line} {one} `{dep.source_text}`, "
        f"line {dep.sink_line} {two} `{dep.sink_text}`: {order}{apart}"
    )
