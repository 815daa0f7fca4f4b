"""A plan: the loops of a nest in the order and the manner in which they will run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise

from autopar.kernel import Reduction
from autopar.nest.ir import ONCE, For, If, Nest, Stmt
from autopar.nest.show import header, lines, text
from autopar.nest.walking import numbers, statements
from autopar.records import dataclass, replace
from autopar.verdict import spoken

NUMBERS = ("<cut ", "<strip ")
"""How names of numbers begin at which loops are cut."""

PANEL, OWN, BLOCK, FEW = "<panel of ", "<own of ", "<block of ", "<few of "
"""How variables begin of loops that are none of the user's: over panels or blocks, around what is
done for one panel alone, and over a few rows of a block at a time."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop around `body`; of `loop` only variable, range, id and line count, not its body.

    Attributes
    ----------
    parallel
        Whether its iterations may run in any order.
    reductions
        What they all update: legal in parts that are joined, not in any order.
    stands_for
        Variables of the user's loops that it is reported as; None: its own.
    cut
        Where the loop that it is a part of was cut: names of numbers, or of a variable of a loop
        around, in order of execution; for a strip and for the loop over strips, how far from one to
        the next.
    brief
        Whether it stays on one thread, whatever is parallel in it, and if it is so itself: that is
        over too soon.
    swept
        Whether it runs in order, but each iteration of the one parallel loop in it for itself:
        parts of that loop need not wait for one another (`sweeps`).
    flat
        How many parallel loops in it, each alone in the one around, are one range with it.
    """

    loop: For
    body: tuple[Node, ...]
    parallel: bool
    reductions: tuple[Reduction, ...] = ()
    stands_for: tuple[str, ...] | None = None
    cut: tuple[str, ...] = ()
    brief: bool = False
    swept: bool = False
    flat: int = 0

    @property
    def spread(self) -> bool:
        """Whether its iterations go to several threads, where those around it do not."""
        return self.parallel and not self.brief


@dataclass(frozen=True, slots=True)
class Leaf:
    """A statement that runs as it stands, in order, with whatever is nested in it."""

    stmt: Stmt


@dataclass(frozen=True, slots=True)
class Branch:
    """An `If` that has a parallel loop inside; of `stmt` only the test, id and line count."""

    stmt: If
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]


Node = Loop | Leaf | Branch


@dataclass(frozen=True, slots=True)
class Temporary:
    """An array that lives for one run: an element for each iteration of `loop`.

    Attributes
    ----------
    path
        Its name, which no user can write.
    scalar
        What an element is called once it has been fetched.
    loop
        Variable and range; the range is known when the nest starts.
    kind
        The types that `scalar` may have.
    dtype
        Of the elements.
    """

    path: str
    scalar: str
    loop: For
    kind: frozenset[str]
    dtype: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run for one outcome of the dependence conditions.

    Attributes
    ----------
    nest
        The nest it was made of.
    body
        In order of execution; more than one node where the outermost loop was distributed.
    explain
        One sentence for each loop that must run in order, and why.
    parts
        One sentence for each reduction, private array, loop in parts and pair of loops in tiles.
    apart
        Ids of loops that run in order here although their iterations have nothing in common.
    temporaries
        Arrays that its loops hand values on in.
    tests
        Scalars for the outcome of a test, which no user can name, and their types.
    elements
        Scalars that stand for the element of an array at hand, and the array's path.
    asked
        Parameters on which it depends that loops of it could be joined.
    serial
        Whether one thread runs all of it, whatever else would be legal.
    unshared
        Arrays that share no memory with another, if it is for a device.
    """

    nest: Nest
    body: tuple[Node, ...]
    explain: tuple[str, ...]
    temporaries: tuple[Temporary, ...] = ()
    tests: tuple[tuple[str, frozenset[str]], ...] = ()
    elements: tuple[tuple[str, str], ...] = ()
    asked: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    serial: bool = False
    unshared: frozenset[str] = frozenset()

    @property
    def parallel_loops(self) -> tuple[str, ...]:
        """Variables of the loops that run in parallel, outer before inner."""
        return _variables(self.body, lambda loop: loop.spread and not self.serial)

    @property
    def sequential_loops(self) -> tuple[str, ...]:
        """Variables of the loops that run in order somewhere, outer before inner."""
        return _variables(self.body, lambda loop: self.serial or not loop.spread)

    def alone(self, threads: int) -> tuple[str, ...]:
        """Why it stays on one of so many threads, where its parallel loops are too small for more.

        Empty where nothing but their size, or that there is one thread, is the reason.
        """
        if threads == 1 or not self.explain or not self.parallel_loops:
            return self.explain
        small = ", ".join(f"`{name}`" for name in self.parallel_loops)
        return (*self.explain, f"too little work for more than one thread in loop {small}")

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        """What its outermost parallel loops compute in parts."""
        return tuple(r for loop in launched(self.body) for r in loop.reductions)

    @property
    def cuts(self) -> frozenset[str]:
        """Names of the numbers where its loops are cut, but for variables of loops around them."""
        loops = (node for node in walk(self.body) if isinstance(node, Loop))
        return frozenset(n for loop in loops for n in loop.cut if n.startswith(NUMBERS))

    @property
    def divided(self) -> bool:
        """Whether loops of it are cut, wherever that is."""
        return any(isinstance(node, Loop) and node.cut for node in walk(self.body))

    def within(self, first: int, last: int) -> Plan:
        """What it does of the statements on these lines, and says of them; not to be run."""
        where = range(first, last + 1)
        said = [
            tuple(sentence for sentence in sentences if _about(sentence, where))
            for sentences in (self.explain, self.parts)
        ]
        return replace(self, body=_on(self.body, where), explain=said[0], parts=said[1])

    def __str__(self) -> str:
        return "\n".join(line for node in self.body for line in show(node))


def _about(sentence: str, where: range) -> bool:
    """Whether `sentence` names one of these lines, or none at all."""
    words = sentence.split()
    named = [word.rstrip(":,") for before, word in pairwise(words) if before == "line"]
    return not named or any(str(line) in named for line in where)


def _on(nodes: tuple[Node, ...], where: range) -> tuple[Node, ...]:
    """The `nodes` with something on these lines in them."""
    found: list[Node] = []
    for node in nodes:
        match node:
            case Leaf(stmt=stmt):
                if any(inner.line in where for inner in statements(stmt)):
                    found.append(node)
            case Loop(loop=loop, body=body):
                # What is called there has lines of its own.
                own = loop.line in where and loop.var != ONCE
                inside = body if own else _on(body, where)
                if inside:
                    found.append(replace(node, body=inside))
            case Branch(stmt=branch, body=body, orelse=orelse):
                then, other = _on(body, where), _on(orelse, where)
                if then or other or branch.line in where:
                    found.append(replace(node, body=then, orelse=other))
    return tuple(found)


def source_order(nest: Nest) -> Plan:
    """The nest as it stands, nothing in parallel: always legal."""

    def node(stmt: Stmt) -> Node:
        if isinstance(stmt, For):
            return Loop(stmt, tuple(node(inner) for inner in stmt.body), False)
        return Leaf(stmt)

    return Plan(nest, (node(nest.loop),), ())


def in_order(plan: Plan) -> Plan:
    """The same loops on one thread; not for one that hands on anything."""
    return replace(plan, serial=True)


def unused(plan: Plan) -> count[int]:
    """Ids for new statements, which none in `plan` or its nest has."""
    ids = {n for node in plan.body for n in numbers(statement(node))}
    return count(1 + max(ids | numbers(plan.nest.loop)))


def independent(plan: Plan) -> frozenset[int]:
    """Ids of the loops of which no iteration needs anything of another, wherever they stand."""
    return _everywhere(plan, lambda loop: loop.parallel and not loop.reductions)


def separate(plan: Plan) -> frozenset[int]:
    """Ids of the loops of which no iteration needs anything of another but for scalars."""
    return _everywhere(
        plan, lambda loop: loop.parallel and not any(r.array for r in loop.reductions)
    )


def _everywhere(plan: Plan, holds: Callable[[Loop], bool]) -> frozenset[int]:
    """Ids of the loops of which that holds wherever they stand."""
    loops = [node for node in walk(plan.body) if isinstance(node, Loop)]
    # Distribution makes several loops of one, all of the same id.
    others = {node.loop.id for node in loops if not holds(node)}
    others |= {loop.id for node in walk(plan.body) for loop in _left_alone(node)}
    return frozenset(node.loop.id for node in loops) - others


def _left_alone(node: Node) -> Iterator[For]:
    """Loops in a statement that the plan has as it stands, of which it claims nothing."""
    if isinstance(node, Leaf):
        yield from (stmt for stmt in statements(node.stmt) if isinstance(stmt, For))


def changed(node: Node, change: Callable[[Stmt], Stmt]) -> Node:
    """The node with `change` made to each statement, without what the node has of its own in it.

    What is nested in a `Leaf` is changed with it.
    """
    match node:
        case Leaf(stmt=stmt):
            return Leaf(change(stmt))
        case Loop(loop=loop, body=body):
            head = change(replace(loop, body=()))
            assert isinstance(head, For)
            return replace(node, loop=head, body=tuple(changed(n, change) for n in body))
        case Branch(stmt=stmt, body=body, orelse=orelse):
            test = change(replace(stmt, body=(), orelse=()))
            assert isinstance(test, If)
            then, other = (tuple(changed(n, change) for n in block) for block in (body, orelse))
            return Branch(test, then, other)


def with_loops_in_order(
    nodes: Sequence[Node], change: Callable[[Loop, int], Loop], level: int = 1
) -> tuple[Node, ...]:
    """`nodes` with `change` made to each loop that runs in order, inner before outer.

    Nothing is changed in a parallel loop.

    Parameters
    ----------
    level
        How many loops there are around what is in such a loop; the other argument of `change`.
    """

    def node(one: Node) -> Node:
        match one:
            case Loop(parallel=False, body=body):
                inside = with_loops_in_order(body, change, level + 1)
                return change(replace(one, body=inside), level)
            case Branch(body=body, orelse=orelse):
                then, other = (
                    with_loops_in_order(block, change, level) for block in (body, orelse)
                )
                return replace(one, body=then, orelse=other)
        return one

    return tuple(map(node, nodes))


def with_launched(nodes: Sequence[Node], change: Callable[[Loop], Loop]) -> tuple[Node, ...]:
    """`nodes` with `change` made to each of the `launched` loops, in order of execution."""

    def node(one: Node) -> Node:
        match one:
            case Loop(spread=True):
                return change(one)
            case Loop(brief=False, body=body):
                return replace(one, body=with_launched(body, change))
            case Branch(body=body, orelse=orelse):
                then = with_launched(body, change)
                return replace(one, body=then, orelse=with_launched(orelse, change))
        return one

    return tuple(map(node, nodes))


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """All nodes, outer before inner, in order of execution."""
    for node in nodes:
        yield node
        if isinstance(node, Loop):
            yield from walk(node.body)
        elif isinstance(node, Branch):
            yield from walk(node.body)
            yield from walk(node.orelse)


def products(nodes: tuple[Node, ...]) -> Iterator[For]:
    """The loops that are products of matrices (`sched.products`)."""
    for node in walk(nodes):
        if isinstance(node, Leaf):
            yield from (s for s in statements(node.stmt) if isinstance(s, For) and s.product)


def launched(nodes: tuple[Node, ...]) -> Iterator[Loop]:
    """The parallel loops that are in no other: their iterations go to the threads."""
    for node in nodes:
        if isinstance(node, Loop) and node.spread:
            yield node
        elif isinstance(node, Loop) and not node.brief:
            yield from launched(node.body)
        elif isinstance(node, Branch):
            yield from launched((*node.body, *node.orelse))


def launches(node: Node) -> bool:
    """Whether there is a loop in `node` whose iterations go to the threads."""
    return any(True for _ in launched((node,)))


def statement(node: Node) -> Stmt:
    """The node as the statement that it means, all of its own body in it."""
    match node:
        case Leaf(stmt=stmt):
            return stmt
        case Loop():
            return whole(node)
        case Branch(stmt=stmt, body=body, orelse=orelse):
            then, other = (tuple(statement(n) for n in block) for block in (body, orelse))
            return replace(stmt, body=then, orelse=other)


def whole(node: Loop) -> For:
    """The loop with its own body in it."""
    return replace(node.loop, body=tuple(statement(n) for n in node.body))


def show(node: Node) -> list[str]:
    """The node as lines of Python, ``parallel`` in front of a loop that may run in any order."""
    match node:
        case Leaf(stmt=stmt):
            return lines(stmt)
        case Loop(loop=loop, body=body, parallel=parallel):
            found = () if node.brief else node.reductions
            joined = ", ".join(f"{r.op} {r.name}" for r in found if not r.private)
            copied = ", ".join(r.name for r in found if r.private)
            note = f"  # joins {joined}" * bool(joined) + f"  # copies {copied}" * bool(copied)
            if loop.lanes is not None:
                side = f"{loop.lanes.strip} side by side" if loop.lanes.strip else ""
                note += f"  # {side or f'{loop.lanes.copies} at a time'}"
                extreme = loop.lanes.partial.scalar if loop.lanes.partial else ""
                note += f", of {extreme} what is there before" * bool(extreme)
                own = ", ".join(loop.lanes.private)
                note += f", each with its own {own}" * bool(own)
            note += "  # in each part of the loop in it" * node.swept
            note += "  # on one thread" * node.brief
            note += f"  # one range with {node.flat} in it" * bool(node.flat)
            return ["parallel " * parallel + header(loop) + note, *_indented(body)]
        case Branch(stmt=stmt, body=body, orelse=orelse):
            tail = ["else:", *_indented(orelse)] if orelse else []
            return [f"if {text(stmt.test)}:", *_indented(body), *tail]


def _indented(nodes: tuple[Node, ...]) -> list[str]:
    inner = [line for node in nodes for line in show(node)] or ["pass"]
    return ["    " + line for line in inner]


def _variables(nodes: tuple[Node, ...], wanted: Callable[[Loop], bool]) -> tuple[str, ...]:
    # Hidden counters of loops whose variable is rebound are named after it: <i>.
    found = (
        spoken(var)
        for n in walk(nodes)
        if isinstance(n, Loop) and wanted(n)
        for var in ((n.loop.var,) if n.stands_for is None else n.stands_for)
    )
    return tuple(dict.fromkeys(found))
