"""Which cells iterations that lie side by side surely read, and surely store, side by side.

For a work item that has several of them, such cells are one word of memory: each of them is one
that it comes to in any case, so that it may come to all of them at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from autopar.nest.flow import exposed, names
from autopar.nest.ir import (
    Assign,
    Binary,
    Const,
    Dim,
    Element,
    Expr,
    If,
    Load,
    Logic,
    Name,
    Select,
    Stmt,
    Unary,
)
from autopar.nest.walking import children, expressions, inside, walk
from autopar.records import dataclass

Row = tuple[str, tuple[tuple[str, int] | Expr, ...]]
"""An array, and for each of its axes where a row of iterations comes to: so far from the variable
of a loop in the first iteration of a tile, or at a subscript that is the same in all of them."""
NARROW = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2}
"""Bytes of cells that are narrow: of wider ones a device brings words from memory in any case."""
Sure = Callable[[Load | Element], bool]


@dataclass(frozen=True, slots=True)
class Side:
    """Iterations of a tile, those along the last of its loops side by side.

    Attributes
    ----------
    loops
        Variables of the loops, one or two.
    down, across
        How many iterations there are along each.
    layouts
        As for `by_memory`.
    alone
        Arrays of cells of one size that share no memory with another.
    undivided
        Remainders of what is less than the divisor.
    scalars
        What is assigned in each iteration before it is read, and nowhere else.
    changed
        All that is assigned.
    """

    loops: tuple[str, ...]
    down: int
    across: int
    layouts: Mapping[str, str]
    alone: frozenset[str]
    undivided: frozenset[Binary]
    scalars: Mapping[str, Expr]
    changed: frozenset[str]

    @property
    def iterations(self) -> Iterator[tuple[int, int]]:
        """All of them, by how far they are along each of the loops, in order."""
        return ((d, k) for d in range(self.down) for k in range(self.across))

    def neighbour(self, expr: Expr) -> tuple[str, int] | None:
        """The variable of one of the loops that `expr` is so far from."""
        match expr:
            case Name(id=name) if name in self.loops:
                return name, 0
            case Name(id=name) if name in self.scalars:
                return self.neighbour(self.scalars[name])
            case Binary(op="+" | "-" as op, left=left, right=Const(value=int() as far)):
                found = self.neighbour(left)
                return found and (found[0], found[1] + (far if op == "+" else -far))
            case Binary(op="%", left=left) if expr in self.undivided:
                return self.neighbour(left)
        return None

    def cell(self, access: Load | Element, iteration: tuple[int, int]) -> tuple[Row, int] | None:
        """The row and the column in it that one of the iterations comes to."""
        last = self.loops[-1]
        dense = {"C": len(access.index) - 1, "F": 0}.get(self.layouts.get(access.array, ""))
        places: list[tuple[str, int] | Expr] = []
        column = None
        for axis, expr in enumerate(access.index):
            found = self.neighbour(expr)
            if found is None:
                if names((expr,)) & {*self.loops, *self.changed} or any(map(_moves, walk(expr))):
                    return None
                places.append(expr)
            elif found[0] == last:
                if axis != dense or column is not None:
                    return None
                column = iteration[1] + found[1]
                places.append((last, 0))
            else:
                places.append((found[0], iteration[0] + found[1]))
        return None if column is None else ((access.array, tuple(places)), column)

    def words_read(self, body: Sequence[Stmt], sound: Sure) -> tuple[Row, ...]:
        """Rows of which all of the iterations surely read the cells of one word, or more.

        Parameters
        ----------
        sound
            Whether an access comes to no other cells than its subscripts say, which nothing in the
            tile stores into.
        """
        read: dict[Row, set[int]] = defaultdict(set)
        for load in filter(sound, surely_read(body)):
            for iteration in self.iterations:
                found = self.cell(load, iteration)
                if found is not None:
                    read[found[0]].add(found[1])
        return tuple(row for row, columns in read.items() if columns.issuperset(range(self.across)))

    def words_stored(self, body: Sequence[Stmt], sound: Sure) -> list[list[Row]]:
        """Rows in which each of the iterations surely stores into its own cell, and into no other.

        For each step along the first of two loops, one of each array.

        Parameters
        ----------
        sound
            As for `words_read`, where nothing in the tile reads the array.
        """
        stores: dict[str, dict[int, Element]] = defaultdict(dict)
        for stmt in inside(body):
            if isinstance(stmt, Assign) and isinstance(stmt.target, Element):
                stores[stmt.target.array][stmt.target.id] = stmt.target
        found: list[list[Row]] = [[] for _ in range(self.down)]
        for array in sorted(surely_stored(body)):
            some = tuple(stores[array].values())
            if len({self.cell(one, (0, 0)) for one in some}) > 1 or not all(map(sound, some)):
                continue
            cells = (self.cell(some[0], (d, 0)) for d in range(self.down))
            rows = [cell[0] for cell in cells if cell is not None and cell[1] == 0]
            if len({*rows}) == self.down:
                for d, row in enumerate(rows):
                    found[d].append(row)
        return found


def surely_stored(body: Sequence[Stmt]) -> frozenset[str]:
    """Arrays that statements without loops store into, whichever way they take."""
    found: frozenset[str] = frozenset()
    for stmt in body:
        match stmt:
            case Assign(target=Element(array=array)):
                found |= {array}
            case If(body=one, orelse=other):
                found |= surely_stored(one) & surely_stored(other)
    return found


def surely_read(body: Sequence[Stmt]) -> Iterator[Load]:
    """What statements read, whatever they find."""
    for stmt in body:
        for expr in expressions(stmt):
            yield from _certain(expr)


def _certain(expr: Expr) -> Iterator[Load]:
    match expr:
        case Logic(values=(first, *_)):
            yield from _certain(first)
        case Select(test=test):
            yield from _certain(test)
        case _:
            if isinstance(expr, Load):
                yield expr
            for child in children(expr):
                yield from _certain(child)


def scalars_of(body: Sequence[Stmt]) -> Mapping[str, Expr]:
    """What is assigned once, in each iteration, before anything reads it."""
    times = Counter(
        stmt.target.id
        for stmt in inside(body)
        if isinstance(stmt, Assign) and isinstance(stmt.target, Name)
    )
    read = exposed(body)
    return {
        stmt.target.id: stmt.value
        for stmt in body
        if isinstance(stmt, Assign)
        and isinstance(stmt.target, Name)
        and times[stmt.target.id] == 1
        and stmt.target.id not in read
    }


def _moves(expr: Expr) -> bool:
    """Whether it may be something else in the next iteration, though its names are not."""
    return not isinstance(expr, Name | Const | Dim | Unary | Binary)
