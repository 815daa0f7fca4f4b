"""Triangular nests that work in place, in panels of columns.

Where each row of a matrix needs all rows above it, and each of its columns those on the left, no
loop is free of dependences as it stands::

    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]

Each statement belongs to a column: the first to `k`, the second to `j`.  If all dependences lead to
the same column or to one on its right, some columns may be done for all rows before the next ones.
Below the rows that such a panel has itself, its rows are independent, and in them the columns
that are right of the panel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import count

from autopar.deps.data import FIRST, Cells, Columns
from autopar.nest import walking
from autopar.nest.flow import names, written
from autopar.nest.ir import (
    ONCE,
    Assign,
    Binary,
    Call,
    Const,
    Element,
    Expr,
    For,
    Load,
    Name,
    Nest,
    Stmt,
    once,
)
from autopar.nest.meaning import renewed
from autopar.nest.show import lines, text
from autopar.nest.typed.types import Typed
from autopar.nest.walking import expressions, rebuilt, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.bands import harmless, unseen
from autopar.sched.plan import OWN, PANEL, Branch, Loop, Node

_WIDTH = 16  # columns: what a panel reads of the rows above stays in the fastest cache
_WIDTH_OF_ROWS = 128  # where each row is one number: so many neighbours of a matrix are on one page


@dataclass(frozen=True, slots=True)
class Panels:
    """A nest in panels, and what has to be shown of it before it may stand for the nest.

    Attributes
    ----------
    typed
        The nest in panels.  Statements that do the same may have become one, so it does not say
        in which line NumPy would warn.
    nest
        The nest as it was, with the cells that hold its scalars for them.
    columns, cells
        What must be true of that (`deps.columns`).
    """

    typed: Typed
    nest: Nest
    columns: Columns
    cells: Cells


def panels(typed: Typed) -> Panels | None:
    """`typed` in panels of columns; None where it is not of that form.

    Notes
    -----
    Loops that begin where the outermost does count columns, and a statement belongs to the column
    of the innermost of them around it; what a row begins with goes before all columns, and stands
    in a loop of its own.  Each goes up to the one around it, so what it counts are
    columns to the left.  Statements of one panel keep their order, so what a panel is made of is
    the nest without the iterations of other columns.

    References
    ----------
    S. Carr, R. B. Lehoucq, "Compiler blockability of dense matrix factorizations", ACM TOMS 23(3),
    1997.  Departure: neither loops are interchanged nor the form of a factorization known; one
    question says whether all statements may be sorted by columns, whatever loops they stand in.
    """
    nest = typed.nest
    if not unseen(nest) or not counts_up(nest.loop):
        return None
    if not any(_triangular(s) for s in statements(nest.loop)):
        return None
    fresh = count(1 + max(walking.numbers(nest.loop)))
    found = _Cells(typed, fresh)
    (loop,) = found.block((nest.loop,))
    assert isinstance(loop, For)
    if not all(_stores(stmt) for stmt in statements(loop)):
        return None
    left = {stmt.var for stmt in statements(loop) if isinstance(stmt, For)}
    first, rest = _first(loop.body)
    columns = _Columns(loop.start, frozenset(nest.scalars), {stmt.id for stmt in first})
    if not columns.read((loop,), ()) or not columns.sums:
        return None
    without = replace(nest, loop=loop, scalars=tuple(sorted(left)))
    begin = f"{PANEL}{loop.var.strip('<>')}>"
    stores = (s.target for s in statements(loop) if isinstance(s, Assign))
    rows = all(isinstance(target, Element) and len(target.index) == 1 for target in stores)
    panel = _Panel(replace(loop, body=rest), Name(begin), fresh, _WIDTH_OF_ROWS if rows else _WIDTH)
    made = panel.whole()
    if first:
        before = replace(loop, body=tuple(renewed(stmt, fresh) for stmt in first), id=next(fresh))
        made = once((before, made), next(fresh), loop.line)
    scalars = tuple(sorted(walking.assigned(made)))
    kinds = tuple((name, kind) for name, kind in typed.scalars if name in left)
    in_panels = replace(typed, nest=replace(nest, loop=made, scalars=scalars), scalars=kinds)
    counted = in_panels.counting(frozenset(scalars) - left)
    return Panels(counted, without, tuple(columns.found), tuple(found.cells))


def on_one_thread(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """`nodes`, where the rows that a panel has itself are not worth several threads."""
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop) and node.loop.var == ONCE:
            node = replace(node, body=on_one_thread(node.body))
        if isinstance(node, Loop) and node.loop.var.startswith(PANEL):
            inside = tuple(map(_in_panel, node.body))
            node = replace(node, body=inside, stands_for=())
        made.append(node)
    return tuple(made)


def _in_panel(node: Node) -> Node:
    """What a panel does, where that is no loop of several threads on one."""
    if not isinstance(node, Loop) or not node.parallel:
        return _brief(node)
    if node.loop.var.startswith(OWN):
        return replace(node, body=tuple(map(_brief, node.body)), stands_for=())
    return node


def _brief(node: Node) -> Node:
    """`node` with all loops in it on one thread."""
    match node:
        case Loop(body=body):
            return replace(node, brief=True, body=tuple(map(_brief, body)))
        case Branch(body=body, orelse=orelse):
            return replace(node, body=tuple(map(_brief, body)), orelse=tuple(map(_brief, orelse)))
    return node


def _first(body: Sequence[Stmt]) -> tuple[tuple[Assign, ...], tuple[Stmt, ...]]:
    """What a row begins with, before any of its columns is added up, and the rest."""
    count = 0
    while count < len(body) and isinstance(body[count], Assign):
        count += 1
    if count == len(body):
        count = 0
    first = tuple(stmt for stmt in body[:count] if isinstance(stmt, Assign))
    return first, tuple(body[count:])


def counts_up(loop: For) -> bool:
    """Whether `loop` goes up one by one, from a bound to another that cannot fail."""
    bounds = loop.start, loop.stop
    return loop.step == Const(1) and not loop.fold and all(map(harmless, bounds))


def _stores(stmt: Stmt) -> bool:
    """Whether `stmt` is a loop, or stores into an array."""
    return isinstance(stmt, For) or (isinstance(stmt, Assign) and isinstance(stmt.target, Element))


def _triangular(stmt: Stmt) -> bool:
    """Whether `stmt` is a loop with one in it that goes up to its variable, and statements."""
    return isinstance(stmt, For) and any(
        isinstance(inner, For) and inner.stop == Name(stmt.var) for inner in stmt.body
    )


# ---------------------------------------------------------------------------- scalars


class _Cells:
    """Takes scalars out that only stand for a cell while it is updated.

    ``w = a[i, j]; …; w -= …; a[i, j] = w / a[j, j]`` does what it would do to the cell itself, if
    nothing else touches it meanwhile.  So does ``w = b[i]; …; x[i] = w / a[i, i]``, where the cell
    begins with another value.
    """

    def __init__(self, typed: Typed, fresh: count[int]) -> None:
        self.typed, self.fresh = typed, fresh
        self.kinds = dict(typed.scalars)
        self.cells: list[tuple[int, frozenset[int]]] = []
        self.mine: set[int] = set()  # accesses that stand for the scalar at hand, and its store

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(self.loop(stmt) if isinstance(stmt, For) else stmt for stmt in stmts)

    def loop(self, loop: For) -> For:
        body = self.block(loop.body)
        match body:
            case (
                Assign(target=Name(id=scalar), value=value) as first,
                *between,
                Assign(target=Element() as store),
            ) if self.stands_for(scalar, store, body):
                self.mine = {store.id}
                last = body[-1]
                assert isinstance(last, Assign)
                kept = between if last.value == Name(scalar) else (*between, last)
                if not (isinstance(value, Load) and _same(value, store)):
                    # See `_first`.  Another iteration has left the scalar, but in its own cell.
                    if loop.id != self.typed.nest.loop.id or scalar in names((value,)):
                        return replace(loop, body=body)
                    kept = (first, *kept)
                cell = Load(
                    store.array, store.index, store.id, store.line, store.tupled, store.nested
                )
                body = tuple(self.changed(stmt, scalar, cell) for stmt in kept)
                self.cells.append((loop.id, frozenset(self.mine)))
        return replace(loop, body=body)

    def stands_for(self, scalar: str, store: Element, body: Sequence[Stmt]) -> bool:
        """Whether `scalar` is what an element would be, from the first statement to the last."""
        kind = self.typed.array(store.array)
        if kind.mixed or kind.weak:
            return False
        if self.kinds.get(scalar) != frozenset((kind.atom,)) or kind.dtype == "bool":
            return False
        if any(isinstance(e, Load) for top in store.index for e in walk(top)):
            return False
        return not names(store.index) & written(body)

    def number(self) -> int:
        """For an access to the cell at hand."""
        number = next(self.fresh)
        self.mine.add(number)
        return number

    def changed(self, stmt: Stmt, scalar: str, load: Load) -> Stmt:
        """`stmt` with the cell in the place of `scalar`."""

        def read(expr: Expr) -> Expr:
            if expr == Name(scalar):
                return replace(load, id=self.number(), line=line)
            return rebuilt(expr, read)

        line = stmt.line
        match stmt:
            case For(start=start, stop=stop, body=body):
                inside = tuple(self.changed(inner, scalar, load) for inner in body)
                return replace(stmt, start=read(start), stop=read(stop), body=inside)
            case Assign(target=target, value=value):
                if target == Name(scalar):
                    more = load.tupled, load.nested
                    target = Element(load.array, load.index, self.number(), line, *more)
                return replace(stmt, target=target, value=read(value))
        return stmt


def _same(one: Load | Element, two: Load | Element) -> bool:
    """Whether two accesses are written alike."""
    return one.array == two.array and list(map(text, one.index)) == list(map(text, two.index))


# ---------------------------------------------------------------------------- columns


class _Columns:
    """Which loop counts the columns of each statement, where a nest has that form."""

    def __init__(self, start: Expr, assigned: frozenset[str], first: Set[int]) -> None:
        self.start, self.assigned, self.first = start, assigned, first
        self.found: list[tuple[int, int]] = []
        self.sums = 0  # innermost loops that add up the columns on the left

    def read(self, stmts: Sequence[Stmt], around: tuple[For, ...]) -> bool:
        """Whether all of `stmts` have a column; `around` are the loops around them."""
        counters = [k for k, loop in enumerate(around) if loop.start == self.start]
        own = {loop.var for loop in around}
        for stmt in stmts:
            if names(expressions(stmt)) & (self.assigned - own):
                return False  # a scalar that is left, or what a loop has left behind
            match stmt:
                case Assign():
                    self.found.append((stmt.id, FIRST if stmt.id in self.first else counters[-1]))
                case For():
                    if not counts_up(stmt) or stmt.var in own:
                        return False
                    if around and stmt.start == self.start:
                        if stmt.stop != Name(around[counters[-1]].var):
                            return False
                        self.sums += not any(isinstance(s, For) for s in stmt.body)
                    if not self.read(stmt.body, (*around, stmt)):
                        return False
        return True


def _alike(one: Sequence[Stmt], two: Sequence[Stmt]) -> bool:
    """Whether statements do the same, wherever they stand in the text."""
    ways = [
        [
            (type(s), s.whole, s.augmented) if isinstance(s, Assign) else type(s)
            for top in stmts
            for s in statements(top)
        ]
        for stmts in (one, two)
    ]
    texts = [[line for stmt in stmts for line in lines(stmt)] for stmts in (one, two)]
    return ways[0] == ways[1] and texts[0] == texts[1]


class _Panel:
    """Writes the loops of one panel, which begins at `begin`."""

    def __init__(self, loop: For, begin: Name, fresh: count[int], width: int) -> None:
        self.loop, self.begin, self.fresh, self.width = loop, begin, fresh, width
        self.end = Binary("+", begin, Const(width), loop.line)

    def whole(self) -> For:
        """All panels one after the other: each with its own rows first, then those below."""
        loop, line = self.loop, self.loop.line
        last = Call("<min>", (self.end, loop.stop), line)
        own = self.part(loop, self.begin, last, {}, True)
        below = self.part(loop, self.end, loop.stop, {}, False)
        number = next(self.fresh)
        step = Const(self.width)
        return For(self.begin.id, loop.start, loop.stop, step, (*own, *below), number, line)

    def part(
        self, loop: For, start: Expr, stop: Expr, within: Mapping[str, bool], inside: bool
    ) -> Iterator[For]:
        """Some iterations of a loop that counts columns: those `inside` the panel, or after."""
        body = self.block(loop.body, {**within, loop.var: inside}, loop.var)
        if body:
            yield replace(loop, start=start, stop=stop, body=body, id=next(self.fresh))

    def block(
        self, stmts: Sequence[Stmt], within: Mapping[str, bool], column: str
    ) -> tuple[Stmt, ...]:
        """What `stmts` do in the columns of the panel.

        Parameters
        ----------
        within
            Of variables that count columns: whether theirs is in the panel, not right of it.
        column
            The innermost of these.
        """
        made: list[Stmt] = []
        for stmt in stmts:
            if isinstance(stmt, Assign):
                if within[column]:
                    made.append(renewed(stmt, self.fresh))
                continue
            assert isinstance(stmt, For)
            if stmt.start != self.loop.start:
                body = self.block(stmt.body, within, column)
                if body:
                    made.append(replace(stmt, body=body, id=next(self.fresh)))
            elif within[column]:
                made += self.part(stmt, self.begin, Name(column), within, True)
            else:
                made += self.part(stmt, self.begin, self.end, within, True)
                made += self.part(stmt, self.end, Name(column), within, False)
        return self.joined(made, within)

    def joined(self, stmts: Sequence[Stmt], within: Mapping[str, bool]) -> tuple[Stmt, ...]:
        """Neighbours that do the same left and right of a column, in one loop.

        That column is right of the panel, and columns go up to the last of all.
        """
        made: list[Stmt] = []
        for stmt in stmts:
            match made, stmt:
                case (
                    [*_, For(start=start, stop=Name(id=column)) as last],
                    For(start=Name(id=other), stop=stop),
                ) if column == other and stop == self.loop.stop:
                    right = start == self.end and within.get(column) is False
                    if right and last.var == stmt.var and _alike(last.body, stmt.body):
                        made[-1] = replace(last, stop=stop)
                        continue
            made.append(stmt)
        return tuple(made)
