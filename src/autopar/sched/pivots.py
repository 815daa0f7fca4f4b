"""Eliminations, with some pivots at a time.

Each iteration of the outermost loop changes the rows of a matrix by one of them, the pivot::

    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]

Row by row, nothing in an iteration is in the way of anything else; but each of them goes through
all of the matrix, and threads meet after each.  So a block of pivots first changes its own rows, in
order, and then every other row is changed by all of them, one after the other, while it is in the
fastest cache.  That row needs the pivots as they were in their iterations: where a later one
changes them, as in Floyd and Warshall's shortest paths, it reads copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from autopar.nest import walking
from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Element,
    Expr,
    For,
    Load,
    Local,
    Name,
    Stmt,
)
from autopar.nest.meaning import renewed, rewritten
from autopar.nest.show import lines, text
from autopar.nest.typed.types import ArrayType, Typed
from autopar.nest.walking import accesses, blocks, expressions, rebuilt, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.bands import straight, unseen
from autopar.sched.plan import OWN, PANEL
from autopar.sched.triangles import counts_up

WIDTH = 8
"""Pivots of a block: so many rows stay in the fastest cache with the one that they change."""


@dataclass(frozen=True, slots=True)
class Form:
    """What has to be shown of a nest before pivots may go in blocks (`deps.pivots`).

    Attributes
    ----------
    rows
        Loops over rows by `For.id`, in the order of the text.
    pivots
        Accesses to a pivot that a row makes, of which there could be a copy.
    """

    rows: tuple[int, ...]
    pivots: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Rows:
    """A loop over rows.

    Attributes
    ----------
    above, below
        Whether it goes through rows before the pivot, and through rows after it.
    pivots
        Accesses to a pivot in it, by their ids, and the loops in it around each of them.
    """

    loop: For
    above: bool
    below: bool
    pivots: Mapping[int, tuple[Load, tuple[For, ...]]]

    @property
    def span(self) -> tuple[object, ...]:
        """What they must have in common to be gone through together."""
        start = text(self.loop.start) if self.above else ""
        stop = text(self.loop.stop) if self.below else ""
        return self.loop.var, self.above, self.below, start, stop


def form(typed: Typed) -> Form | None:
    """The loops over rows of `typed`; None where it is no elimination."""
    found = _rows(typed)
    pivots = frozenset(number for rows in found for number in rows.pivots)
    return Form(tuple(rows.loop.id for rows in found), pivots) if pivots else None


def in_blocks(typed: Typed, copied: frozenset[int]) -> Typed:
    """`typed`, of which there is a `form`, with its pivots in blocks.

    Its own arrays are those for copies.  Statements stand in it more than once, so it does not say
    in which line NumPy would warn.

    Parameters
    ----------
    copied
        Accesses to pivots that later pivots change.

    References
    ----------
    J. Dongarra, I. Duff, D. Sorensen, H. van der Vorst, *Numerical Linear Algebra for
    High-Performance Computers*, section 5.4 (blocked right-looking elimination).  G. Venkataraman,
    S. Sahni, S. Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm", JEA 8, 2003.
    Departure from both: rows see pivots as they were, so each element has the operations of the
    nest in their order, whatever these are.
    """
    nest = typed.nest
    block = _Block(typed, _rows(typed), copied)
    loop = block.whole()
    scalars = tuple(sorted(walking.assigned(loop)))
    copies = tuple(block.copies.values())
    paths = (*nest.paths, *(copy.path for copy in copies))
    arrays = [(copy.path, _held(copy)) for copy in copies]
    made = replace(
        typed,
        nest=replace(nest, loop=loop, scalars=scalars, paths=paths, locals=copies),
        arrays=tuple(sorted((*typed.arrays, *arrays))),
    )
    return made.counting(frozenset(scalars) - frozenset(nest.scalars))


def _held(copy: Local) -> ArrayType:
    """The type of an array for copies."""
    assert copy.dtype is not None
    return ArrayType(copy.dtype, len(copy.extents), "C", True, True)


def _rows(typed: Typed) -> list[_Rows]:
    """The loops over rows; none where the nest has another form."""
    nest = typed.nest
    outer = nest.loop
    listed = any(kind.listed for _, kind in typed.arrays)
    if not unseen(nest) or listed or not counts_up(outer):
        return []
    inside = [stmt for top in outer.body for stmt in statements(top)]
    if not all(map(straight, inside)) or outer.var in written(outer.body):
        return []
    changed = walking.assigned(outer)
    if names(expressions(outer)) & changed:
        return []
    loops = [top for top in outer.body if isinstance(top, For)]
    axes: dict[str, int] = {}
    for top in loops:
        if sum(isinstance(s, For) for s in statements(top)) < 2:
            continue  # it may be what is done to the pivot itself
        for array, axis in (_axes(top) or {}).items():
            if axes.setdefault(array, axis) != axis:
                return []
    if any(_jumps(typed.array(array), axis) for array, axis in axes.items()):
        return []
    found = []
    for top in loops:
        own = _axes(top)
        if not own or not own.items() <= axes.items():
            continue
        made = _rows_of(top, outer, changed)
        if made is None:
            return []
        found.append(made)
    return found if _apart(outer, found) else []


def _jumps(kind: ArrayType, axis: int) -> bool:
    """Whether elements of a row along `axis` are far apart in memory."""
    return kind.ndim > 1 and axis == (0 if kind.layout == "F" else kind.ndim - 1)


def _axes(loop: For) -> dict[str, int] | None:
    """Along which axis of each array that `loop` changes it goes; None where not along one."""
    found: dict[str, int] = {}
    for _, access in accesses(loop):
        if not isinstance(access, Element):
            continue
        mine = [k for k, index in enumerate(access.index) if index == Name(loop.var)]
        if len(mine) != 1 or found.setdefault(access.array, mine[0]) != mine[0]:
            return None
    return found


def _rows_of(loop: For, outer: For, changed: frozenset[str]) -> _Rows | None:
    """What `loop` does with rows and pivots; `changed` are names that the nest assigns."""
    pivot = outer.var
    above, below = not _is_next(loop.start, pivot), loop.stop != Name(pivot)
    ends = [end for end, own in ((loop.start, above), (loop.stop, below)) if own]
    if not counts_up(loop) or not ends or names(ends) & changed or loop.var in written(loop.body):
        return None
    stored = {a.array for _, a in accesses(outer) if isinstance(a, Element)}
    pivots: dict[int, tuple[Load, tuple[For, ...]]] = {}

    def visit(stmts: Sequence[Stmt], around: tuple[For, ...], steady: frozenset[str]) -> None:
        """`steady`: variables of loops `around` that are the same for all rows."""
        for stmt in stmts:
            for load in (e for top in expressions(stmt) for e in walk(top) if isinstance(e, Load)):
                other = any(isinstance(e, Load) for index in load.index for e in walk(index))
                moving = names(load.index) & changed - steady - {pivot}
                if load.array in stored and Name(pivot) in load.index and not (other or moving):
                    pivots[load.id] = load, tuple(s for s in around if s.var in steady)
            inner, known = around, steady
            if isinstance(stmt, For):
                inner, known = (*around, stmt), known - {stmt.var}
                if not names(expressions(stmt)) & changed - steady - {pivot}:
                    known |= {stmt.var}
            for block in blocks(stmt):
                visit(block, inner, known)

    visit(loop.body, (), frozenset())
    return _Rows(loop, above, below, pivots)


def _is_next(expr: Expr, pivot: str) -> bool:
    """Whether `expr` is the number after that of the pivot."""
    match expr:
        case Binary(op="+", left=Name(id=name), right=Const(value=1)):
            return name == pivot
    return False


def _apart(outer: For, found: Sequence[_Rows]) -> bool:
    """Whether rows leave no scalar for another row, nor anything else, and go on together."""
    rows = [one.loop for one in found]
    if any((exposed(loop.body) - {loop.var}) & written(rows) for loop in rows):
        return False
    rest = [top for top in outer.body if top not in rows]
    for some, others in ((rows, rest), (rest, rows)):
        if any(exposed((stmt,)) & written(others) for stmt in some):
            return False
    sides = ({one.span for one in found if one.above}, {one.span for one in found if one.below})
    return all(len(spans) < 2 for spans in sides)


class _Block:
    """Writes the loops of one block of pivots."""

    def __init__(self, typed: Typed, rows: Sequence[_Rows], copied: frozenset[int]) -> None:
        self.typed, self.rows, self.copied = typed, rows, copied
        self.outer = typed.nest.loop
        self.fresh = count(1 + max(walking.numbers(self.outer)))
        self.begin = Name(f"{PANEL}{self.outer.var.strip('<>')}>")
        self.end = Binary("+", self.begin, Const(WIDTH), self.outer.line)
        self.last = self.extreme("<min>", self.end, self.outer.stop)
        self.copies: dict[str, Local] = {}
        self.none: dict[int, Expr] = {}

    def extreme(self, name: str, one: Expr, two: Expr) -> Expr:
        return Call(name, (one, two), self.outer.line)

    def whole(self) -> For:
        """All blocks one after the other, each with its own rows first."""
        outer = self.outer
        known = {id(rows.loop): rows for rows in self.rows}
        first: list[Stmt] = []
        for top in outer.body:
            rows = known.get(id(top))
            if rows is None:
                first.append(self.renewed(top, self.none))
                continue
            if rows.above:
                first += self.noted(rows, True)
            first.append(self.own(rows))
            if rows.below:
                first += self.noted(rows, False)
        pivots = replace(outer, start=self.begin, stop=self.last, body=tuple(first))
        body = self.alone(pivots), *self.others(True), *self.others(False)
        step = Const(WIDTH)
        return For(self.begin.id, outer.start, outer.stop, step, body, next(self.fresh), outer.line)

    def alone(self, pivots: For) -> For:
        """The block itself, as the only iteration of a loop: threads wait for it."""
        pivots = replace(pivots, id=next(self.fresh))
        var = f"{OWN}{self.outer.var.strip('<>')}>"
        return For(var, Const(0), Const(1), Const(1), (pivots,), next(self.fresh), pivots.line)

    def own(self, rows: _Rows) -> Stmt:
        """The rows of the block itself, for one of its pivots."""
        loop = rows.loop
        start = self.extreme("<max>", loop.start, self.begin) if rows.above else loop.start
        stop = self.extreme("<min>", loop.stop, self.end) if rows.below else loop.stop
        return self.renewed(replace(loop, start=start, stop=stop), self.none)

    def others(self, above: bool) -> Iterator[For]:
        """The rows on one side of the block, each for all of its pivots."""
        mine = [rows for rows in self.rows if (rows.above if above else rows.below)]
        if not mine:
            return
        loop = mine[0].loop
        start, stop = loop.start, loop.stop
        if above:
            stop = self.extreme("<min>", stop, self.begin) if mine[0].below else self.begin
        else:
            start = self.extreme("<max>", start, self.end) if mine[0].above else self.end
        inside = tuple(
            self.renewed(stmt, self.fetched(rows, above))
            for rows in mine
            for stmt in rows.loop.body
        )
        pivots = replace(
            self.outer, start=self.begin, stop=self.last, body=inside, id=next(self.fresh)
        )
        yield replace(loop, start=start, stop=stop, body=(pivots,), id=next(self.fresh))

    def fetched(self, rows: _Rows, above: bool) -> dict[int, Expr]:
        """What stands in the place of accesses to pivots that have been copied."""
        found: dict[int, Expr] = {}
        for number in rows.pivots.keys() & self.copied:
            load, _ = rows.pivots[number]
            path, index = self.place(rows, load, above)
            found[number] = Load(path, index, load.id, load.line)
        return found

    def noted(self, rows: _Rows, above: bool) -> Iterator[Stmt]:
        """Copies of a pivot, as rows on that side of the block read it."""
        known: set[tuple[str, ...]] = set()
        for number, (load, around) in rows.pivots.items():
            if number not in self.copied:
                continue
            path, index = self.place(rows, load, above)
            made: Stmt = Assign(Element(path, index, 0, load.line), load, 0, load.line)
            for loop in reversed(around):
                made = replace(loop, body=(made,))
            said = path, *lines(made)
            if said not in known:
                known.add(said)
                made = self.renewed(made, self.none)
                (store,) = (s.id for s in statements(made) if isinstance(s, Assign))
                self.note(path, load, store)
                yield made

    def place(self, rows: _Rows, load: Load, above: bool) -> tuple[str, tuple[Expr, ...]]:
        """Where the copy of an element is: array and subscripts."""
        axis = self.axis(load)
        side = "above" if above else "below"
        path = f"<pivots of {load.array} {axis} {side} {rows.loop.id}>"
        turn = Binary("-", Name(self.outer.var), self.begin, load.line)
        return path, (turn, *load.index[:axis], *load.index[axis + 1 :])

    def axis(self, load: Load) -> int:
        return load.index.index(Name(self.outer.var))

    def note(self, path: str, load: Load, made: int) -> None:
        """See to it that `path` is an array for what `load` reads, filled by statement `made`."""
        axis, kind = self.axis(load), self.typed.array(load.array)
        others = tuple(Dim(load.array, k) for k in range(kind.ndim) if k != axis)
        made_by = self.copies[path].made if path in self.copies else frozenset[int]()
        made_by |= {made}
        extents: tuple[Expr, ...] = (Const(WIDTH), *others)
        self.copies[path] = Local(path, extents, kind.dtype, made_by, f"<made {path[1:]}")

    def renewed(self, stmt: Stmt, fetched: Mapping[int, Expr]) -> Stmt:
        """`stmt` with numbers of its own, and what is `fetched` in the place of these accesses."""

        def read(expr: Expr) -> Expr:
            found = fetched.get(expr.id) if isinstance(expr, Load) else None
            return rebuilt(expr, read) if found is None else found

        return renewed(rewritten(stmt, read) if fetched else stmt, self.fresh)
