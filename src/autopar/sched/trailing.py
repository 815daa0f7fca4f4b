"""Loops over the rows of the same arrays, where one trails the other by a few rows.

Of what stencils leave in one array, the next loop mostly makes what it stores in the other::

    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j]) / 4
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = b[i, j]

Each loop goes through all of its arrays, which come from far away again for the next one.  So a
thread has a block of rows, and in it one loop does a few rows, and then those behind it as many as
they may.  What needs rows of two blocks is left until all blocks are done with the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from autopar.deps.data import Group, Trail
from autopar.nest import walking
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import Assign, Binary, Call, Const, Expr, For, Name, Stmt
from autopar.nest.meaning import renewed
from autopar.nest.typed.types import Typed
from autopar.nest.walking import accesses, expressions, statements
from autopar.records import dataclass, replace
from autopar.sched.bands import straight, unseen
from autopar.sched.equality import Equality
from autopar.sched.plan import BLOCK, FEW, Branch, Loop, Node, Plan, whole
from autopar.sched.triangles import counts_up

STRIP = 4
"""Rows that a loop does before those behind it: they stay in the fastest cache."""

Runs = tuple[tuple[int, ...], ...]


def runs(typed: Typed) -> Runs:
    """Loops over rows by `For.id`, each next to the one before it, that share nothing but arrays.

    Rows are what is in a loop with another loop in it.  Of each run all bounds are numbers, or the
    same but for numbers.
    """
    nest = typed.nest
    if not unseen(nest) or any(kind.listed for _, kind in typed.arrays):
        return ()
    return tuple(_runs((nest.loop,), frozenset(), Equality(nest.conditions)))


def _runs(
    block: Sequence[Stmt], seen: frozenset[str], equality: Equality
) -> Iterator[tuple[int, ...]]:
    """Those in `block` and in what is in it; `seen` are names that are read elsewhere."""
    found: list[list[For]] = [[]]
    for stmt in block:
        if isinstance(stmt, For) and _is_rows(stmt):
            if found[-1] and not _comparable(found[-1][-1], stmt, equality):
                found.append([])
            found[-1].append(stmt)
        else:
            found.append([])
    taken: set[int] = set()
    for run in found:
        others = [stmt for stmt in block if stmt not in run]
        read = seen.union(*(exposed((stmt,)) for stmt in others))
        if len(run) > 1 and _apart(run, read):
            taken.update(loop.id for loop in run)
            yield tuple(loop.id for loop in run)
    for stmt in block:
        if isinstance(stmt, For) and stmt.id not in taken:
            others = [other for other in block if other is not stmt]
            read = seen.union(names(expressions(stmt)), *(exposed((other,)) for other in others))
            yield from _runs(stmt.body, read, equality)


def _is_rows(loop: For) -> bool:
    """Whether `loop` goes up one by one and has rows in it, with nothing that leaves one early."""
    inside = [stmt for top in loop.body for stmt in statements(top)]
    if not counts_up(loop) or not any(isinstance(stmt, For) for stmt in inside):
        return False
    if loop.var in written(loop.body) or loop.lanes is not None or loop.product:
        return False
    return all(map(straight, inside)) and not _goes_through_all(loop)


def _goes_through_all(loop: For) -> bool:
    """Whether each row may need all of a matrix, as in a product: that takes turns of its own."""
    own = {loop.var}
    for stmt in (stmt for top in loop.body for stmt in statements(top)):
        match stmt:
            case For(var=var, start=start, stop=stop):
                own |= {var} if names((start, stop)) & own else set()
            case Assign(target=Name(id=name), value=value):
                own |= {name} if names((value,)) & own else set()
    wide = (access.index for _, access in accesses(loop) if len(access.index) > 1)
    return any(not names(index) & own for index in wide)


def _comparable(one: For, two: For, equality: Equality) -> bool:
    """Whether it is known by how many iterations two loops begin and end apart."""
    pairs = (one.start, two.start), (one.stop, two.stop)
    bases = [(_parted(a)[0], _parted(b)[0]) for a, b in pairs]
    return all(a == b or (a and b and equality.holds(a, b)) for a, b in bases)


def _parted(expr: Expr) -> tuple[Expr | None, int]:
    """An integer as something and a number."""
    match expr:
        case Const(value=int(value)):
            return None, value
        case Binary(op="+" | "-" as op, left=left, right=Const(value=int(value))):
            base, number = _parted(left)
            return base, number + (value if op == "+" else -value)
    return expr, 0


def _joined(base: Expr | None, number: int, line: int) -> Expr:
    if base is None:
        return Const(number)
    return Binary("+", base, Const(number), line) if number else base


def _apart(run: Sequence[For], read: frozenset[str]) -> bool:
    """Whether no row of `run` leaves a scalar for another, nor for what reads these names."""
    left = written(run)
    bounds = names([bound for loop in run for bound in (loop.start, loop.stop)])
    own = [exposed(loop.body) - {loop.var} for loop in run]
    return left.isdisjoint(bounds.union(read, *own))


def trailing(typed: Typed, groups: Sequence[Group], block: int) -> Typed:
    """`typed` with these groups of loops in blocks of rows.

    Statements stand in it more than once, so it does not say in which line NumPy would warn.

    Parameters
    ----------
    groups
        What `deps.trailing` has found for the `runs` of `typed`.
    block
        Rows, a multiple of `STRIP`, and so many that what is left at one border has nothing to do
        with what is left at the next: no loop is behind and ahead by more together.

    References
    ----------
    N. Manjikian, T. S. Abdelrahman, "Fusion of loops for parallelism and locality", IEEE TPDS
    8(2), 1997: shift-and-peel.
    """
    assert all(trail.behind + trail.ahead <= block for group in groups for trail in group)
    nest = typed.nest
    writer = _Writer(count(1 + max(walking.numbers(nest.loop))), block)
    known = {group[0].loop: group for group in groups}
    (loop,) = writer.written((nest.loop,), known)
    assert isinstance(loop, For)
    scalars = tuple(sorted(walking.assigned(loop)))
    made = replace(typed, nest=replace(nest, loop=loop, scalars=scalars))
    return made.counting(frozenset(scalars) - frozenset(nest.scalars))


def told(plan: Plan) -> Plan:
    """`plan`, which names the user's loops only, and says which of them trail one another."""
    said: list[str] = []

    def named(node: Node) -> Node:
        if isinstance(node, Branch):
            return replace(
                node, body=tuple(map(named, node.body)), orelse=tuple(map(named, node.orelse))
            )
        if not isinstance(node, Loop):
            return node
        loop = whole(node)
        node = replace(node, body=tuple(map(named, node.body)))
        if not loop.var.startswith((BLOCK, FEW)):
            return node
        if loop.var.startswith(FEW):
            *others, last = (str(stmt.line) for stmt in loop.body)
            lines = f"{', '.join(others)} and {last}"
            said.append(f"the loops in lines {lines} go through blocks of rows together")
        return replace(node, stands_for=())

    body = tuple(map(named, plan.body))
    return replace(plan, body=body, parts=(*plan.parts, *said)) if said else plan


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes blocks of so many rows, with numbers that nothing has."""

    fresh: count[int]
    block: int

    def written(self, stmts: Sequence[Stmt], known: Mapping[int, Group]) -> tuple[Stmt, ...]:
        """`stmts` with the groups that are `known` by their first loops."""
        made: list[Stmt] = []
        rest = list(stmts)
        while rest:
            stmt = rest.pop(0)
            if stmt.id in known:
                group = known[stmt.id]
                loops = [stmt, *(rest.pop(0) for _ in group[1:])]
                made += self.blocks([loop for loop in loops if isinstance(loop, For)], group)
            elif isinstance(stmt, For):
                made.append(replace(stmt, body=self.written(stmt.body, known)))
            else:
                made.append(stmt)
        return tuple(made)

    def blocks(self, loops: Sequence[For], group: Group) -> Iterator[For]:
        """All blocks, and then what has to wait for two of them: some loop has such rows."""
        first, pairs = loops[0], list(zip(loops, group, strict=True))
        base, _ = _parted(first.start)
        start = _joined(base, min(_parted(loop.start)[1] for loop in loops), first.line)
        base, _ = _parted(first.stop)
        ends = [_parted(loop.stop)[1] + trail.behind for loop, trail in pairs]
        stop = _joined(base, max(ends), first.line)
        name = first.var.strip("<>")
        at, row = Name(f"{BLOCK}{name}>"), Name(f"{FEW}{name}>")
        end = _extreme("<min>", _moved(at, self.block), stop)
        inside = tuple(self.inside(loop, trail, at, row) for loop, trail in pairs)
        strips = self.loop(row, at, end, STRIP, inside, first.line)
        yield self.loop(at, start, stop, self.block, (strips,), first.line)
        left = tuple(self.between(*pair, at) for pair in pairs if pair[1].behind or pair[1].ahead)
        yield self.loop(at, start, stop, self.block, left, first.line)

    def loop(
        self, var: Name, start: Expr, stop: Expr, step: int, body: tuple[Stmt, ...], line: int
    ) -> For:
        return For(var.id, start, stop, Const(step), body, next(self.fresh), line)

    def inside(self, loop: For, trail: Trail, at: Name, row: Name) -> Stmt:
        """What `loop` does, in the block from `at` on, when the first one is at `row`."""
        first: Expr = _moved(row, -trail.behind)
        if trail.behind or trail.ahead:
            first = _extreme("<max>", first, _moved(at, trail.ahead))
        return self.part(loop, first, _moved(row, STRIP - trail.behind))

    def between(self, loop: For, trail: Trail, at: Name) -> Stmt:
        """What `loop` has left to do where a block begins."""
        return self.part(loop, _moved(at, -trail.behind), _moved(at, trail.ahead))

    def part(self, loop: For, start: Expr, stop: Expr) -> Stmt:
        start = _extreme("<max>", loop.start, start)
        stop = _extreme("<min>", loop.stop, stop)
        return renewed(replace(loop, start=start, stop=stop), self.fresh)


def _moved(name: Name, by: int) -> Expr:
    return _joined(name, by, 0)


def _extreme(func: str, one: Expr, two: Expr) -> Expr:
    return Call(func, (one, two), 0)
