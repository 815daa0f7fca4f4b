"""Elements of arrays that the nest makes, kept in scalars between the statements of an iteration.

Where an iteration stores an element and later reads it, it reads a scalar instead.  An array of
which every element is read in the iteration that stores it, and which nobody sees afterwards, is
gone with that.  What is left of the others is stored at the end of the iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from autopar.nest import walking
from autopar.nest.flow import names, written
from autopar.nest.hidden import TYPES
from autopar.nest.ir import (
    Assign,
    Dim,
    Element,
    Expr,
    For,
    If,
    Load,
    Local,
    Name,
    Nest,
    Stmt,
    While,
)
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.typed.types import Typed
from autopar.records import dataclass, field, replace
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, changed, statement, unused

_Index = tuple[Expr, ...]


def contracted(plan: Plan, typed: Typed) -> Plan:
    """`plan` with scalars in place of elements of the nest's own arrays.

    Notes
    -----
    Array contraction [1]_ and scalar replacement [2]_, of arrays that nothing else can name.  An
    element is known by its subscripts, which must be the same expressions wherever the body of a
    loop names the array, and made of what the body does not assign; the first statement that names
    it stores it, whatever happens.

    References
    ----------
    .. [1] V. Sarkar, G. Gao, "Optimization of array accesses by collective loop transformations",
       ICS 1991.
    .. [2] Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, section 8.3.
    """
    made = _Contraction(_own(plan.nest, typed), _counts(plan.body), unused(plan))
    body = tuple(made.node(node) for node in plan.body)
    if not made.elements:
        return plan
    body = tuple(_without(node, frozenset(made.gone)) for node in body)
    return replace(plan, body=body, elements=(*plan.elements, *made.elements))


@dataclass(slots=True)
class _Contraction:
    """Scalars for elements, so far.

    Attributes
    ----------
    own
        Arrays that may be looked into; whether somebody sees them after the nest.
    everywhere
        How often the plan names each array.
    """

    own: Mapping[str, bool]
    everywhere: Mapping[str, int]
    ids: count[int]
    elements: list[tuple[str, str]] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)

    def node(self, node: Node) -> Node:
        match node:
            case Loop(body=body):
                return replace(node, body=self.body(tuple(self.node(n) for n in body)))
            case Branch(body=body, orelse=orelse):
                then, other = (tuple(self.node(n) for n in block) for block in (body, orelse))
                return replace(node, body=then, orelse=other)
        return node

    def body(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """The body of a loop."""
        changing = written([statement(node) for node in nodes])
        for path in dict.fromkeys(a.array for a in _accesses(nodes)):
            if path not in self.own or _looped(nodes, path):
                continue
            index = _only(nodes, path)
            fixed = index is not None and not names(index) & changing
            first = next((n for n in nodes if _touches(n, path)), None)
            if not fixed or first is None or not _stores(first, path):
                continue
            here = sum(a.array == path for a in _accesses(nodes))
            gone = here == self.everywhere[path] and not self.own[path]
            reads = any(a.array == path for a in _accesses(nodes) if isinstance(a, Load))
            if not gone and not reads:
                continue
            scalar = f"<{path.strip('<>')} at hand {len(self.elements)}>"
            self.elements.append((scalar, path))
            nodes = tuple(with_scalar(node, path, Name(scalar)) for node in nodes)
            if gone:
                self.gone.add(path)
                continue
            assert isinstance(first, Leaf)
            assert isinstance(first.stmt, Assign)
            kept = first.stmt.target, Name(scalar), next(self.ids), first.stmt.line
            last = Assign(*kept, whole=True)
            nodes = (*nodes, Leaf(last))
        return nodes


def _own(nest: Nest, typed: Typed) -> dict[str, bool]:
    """Arrays that only the nest knows while it runs, and whether they are seen afterwards."""
    handed = {path for turn in nest.turns for path in turn.after} | {row.path for row in nest.rows}
    kinds = dict(typed.arrays)
    return {
        local.path: local.flag in nest.live_out or local.path in handed
        for local in nest.locals
        if _simple(local)
        and local.path in kinds
        and not kinds[local.path].listed
        and not local.path.endswith(TYPES)  # what is seen of a list
    }


def _simple(local: Local) -> bool:
    """Whether nothing is known of an array but what the nest stores in it."""
    others = local.initial, local.length, local.extends, local.last_of
    return not local.listed and all(other is None for other in others)


def _accesses(nodes: Sequence[Node]) -> Iterator[Load | Element]:
    for node in nodes:
        for _, access in walking.accesses(statement(node)):
            yield access


def _counts(nodes: Sequence[Node]) -> dict[str, int]:
    """How often each array is named, extents included."""
    found: dict[str, int] = {}
    for access in _accesses(nodes):
        found[access.array] = found.get(access.array, 0) + 1
    for node in nodes:
        for stmt in walking.statements(statement(node)):
            for top in walking.expressions(stmt):
                for expr in walking.walk(top):
                    if isinstance(expr, Dim):
                        found[expr.array] = found.get(expr.array, 0) + 1
    return found


def _only(nodes: Sequence[Node], path: str) -> _Index | None:
    """The subscripts with which `nodes` name the array, if they are the same everywhere."""
    found: _Index | None = None
    for access in _accesses(nodes):
        if access.array != path:
            continue
        if found is not None and access.index != found:
            return None
        found = access.index
        if any(isinstance(e, Load) for top in found for e in walking.walk(top)):
            return None
    return found


def _touches(node: Node, path: str) -> bool:
    return any(access.array == path for access in _accesses((node,)))


def _stores(node: Node, path: str) -> bool:
    """Whether `node` stores an element of the array whatever happens, and reads none before."""
    match node:
        case Leaf(stmt=Assign(target=Element(array=array)) as stmt) if array == path:
            return sum(access.array == path for _, access in walking.accesses(stmt)) == 1
    return False


def _looped(nodes: Sequence[Node], path: str) -> bool:
    """Whether the array is named in a loop among `nodes`."""
    inside = (s for node in nodes for s in walking.statements(statement(node)))
    return any(
        access.array == path
        for stmt in inside
        if isinstance(stmt, For | While)
        for _, access in walking.accesses(stmt)
    )


def with_scalar(node: Node, path: str, scalar: Name, index: _Index | None = None) -> Node:
    """`node` with `scalar` for the elements of the array, or for that at `index`."""

    def meant(access: Load | Element) -> bool:
        return access.array == path and index in (None, access.index)

    def expression(expr: Expr) -> Expr:
        if isinstance(expr, Load) and meant(expr):
            return scalar
        return rebuilt(expr, expression)

    def stored(stmt: Stmt) -> Stmt:
        match stmt:
            case Assign(target=Element() as target) if meant(target):
                return replace(stmt, target=scalar)
            case If(body=body, orelse=orelse):
                then, other = (tuple(map(stored, block)) for block in (body, orelse))
                return replace(stmt, body=then, orelse=other)
            case For(body=body) | While(body=body):
                return replace(stmt, body=tuple(map(stored, body)))
        return stmt

    return changed(node, lambda stmt: rewritten(stored(stmt), expression))


def _without(node: Node, gone: frozenset[str]) -> Node:
    """`node` without copies of arrays that nothing names any more."""
    match node:
        case Loop(body=body, reductions=reductions):
            kept = tuple(r for r in reductions if not (r.private and r.name in gone))
            return replace(node, body=tuple(_without(n, gone) for n in body), reductions=kept)
        case Branch(body=body, orelse=orelse):
            then, other = (tuple(_without(n, gone) for n in block) for block in (body, orelse))
            return replace(node, body=then, orelse=other)
    return node
