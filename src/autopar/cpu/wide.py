"""Narrow cells that work items of a device read and write several at a time (`sched.wide`).

What the iterations of a work item that lie side by side read of a row is one word of memory, and so
is what they store::

    if words_(4, board[i - 1, j], after[i, j], …):       # do they lie where words may?
        v1_, v2_, v3_, v4_ = word_(board[i - 1, j])
        …
        put_word_(after[i, j], v9_, v10_, v11_, v12_)
    else:
        …                                                # cell by cell, as processors do
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

from autopar.cpu.stages import StageWriter
from autopar.cpu.writer import Value
from autopar.nest.ir import Binary, Element, Expr, Load, Stmt
from autopar.nest.kinds import Kind
from autopar.nest.walking import accesses
from autopar.records import dataclass, replace
from autopar.sched.wide import NARROW, Row, Side


@dataclass(frozen=True, slots=True)
class Wide:
    """A tile of which some rows are words.

    Attributes
    ----------
    first
        Texts of the variables of loops in its first iteration.
    read
        Names that hold the cells of a word that has been read.
    stored
        Names that hold what is to be stored in the cells of one.
    ends
        For each step along the first loop, words that are stored behind it.
    """

    side: Side
    first: Mapping[str, str]
    read: Mapping[Row, Sequence[str]]
    stored: Mapping[Row, Sequence[str]]
    ends: Sequence[Sequence[Row]]


@dataclass(slots=True)
class WideWriter(StageWriter):
    """Loops of one kernel, some of which come to words of memory.

    Attributes
    ----------
    undivided
        Remainders of what is less than the divisor.
    words
        What there is of the tile that is being written.
    place_in
        Which of its iterations, by how far it is along each of the loops.
    """

    undivided: frozenset[Binary] = frozenset()
    words: Wide | None = None
    place_in: tuple[int, int] = (0, 0)

    def in_words(self, side: Side, first: Mapping[str, str], body: Sequence[Stmt]) -> Wide | None:
        """What words there are in a tile of which all iterations are there.

        Parameters
        ----------
        first
            As in `Wide`.
        """
        found = [access for stmt in body for _, access in accesses(stmt)]
        stores = {one.array for one in found if isinstance(one, Element)}
        loads = {one.array for one in found if isinstance(one, Load)}

        def sound(access: Load | Element) -> bool:
            return access.array in side.alone and self.inside_plainly(access)

        rows = side.words_read(body, lambda load: sound(load) and load.array not in stores)
        ends = side.words_stored(body, lambda one: sound(one) and one.array not in loads)
        read = {row: self.held(side) for row in rows}
        stored = {row: self.held(side) for some in ends for row in some}
        return Wide(side, first, read, stored, ends) if read or stored else None

    def lie_well(self, wide: Wide) -> str:
        """The test of whether all words lie where words may."""
        rows = *wide.read, *wide.stored
        size = wide.side.across * NARROW[self.typed.array(rows[0][0]).dtype]
        return f"words_({size}, {', '.join(self.begin_of(wide, row) for row in rows)})"

    @contextmanager
    def by_words(self, wide: Wide) -> Generator[None, None, None]:
        """Around the tile, where they do."""
        for row, held in wide.read.items():
            self.write(f"{', '.join(held)} = word_({self.begin_of(wide, row)})")
        for (array, _), held in wide.stored.items():
            dtype = self.typed.array(array).dtype
            for name in held:
                self.write(f"{name} = {'False' if dtype == 'bool' else f'{dtype}(0)'}")
        self.words = wide
        yield
        self.words = None

    def held(self, side: Side) -> list[str]:
        """Names of numbers, one for each cell of a word."""
        first = self.temps + 1
        self.temps += side.across
        return [f"v{first + k}_" for k in range(side.across)]

    def begin_of(self, wide: Wide, row: Row) -> str:
        """The first cell of a word."""
        array, places = row

        def text(place: tuple[str, int] | Expr) -> str:
            if not isinstance(place, tuple):
                return self.as_index(place)
            var, far = place
            return f"{wide.first[var]} + {far}"

        return f"{self.names[array]}[{', '.join(map(text, places))}]"

    def element(self, access: Load | Element) -> str:
        wide = self.words
        if wide is not None:
            found = wide.side.cell(access, self.place_in)
            if found is not None:
                row, column = found
                held = (wide.read if isinstance(access, Load) else wide.stored).get(row)
                if held is not None and 0 <= column < len(held):
                    return held[column]
        return StageWriter.element(self, access)

    def lanes(self, taken: frozenset[str], left: frozenset[str]) -> Iterator[Mapping[str, str]]:
        wide = self.words
        if wide is None:
            yield from StageWriter.lanes(self, taken, left)
            return
        for iteration, here in zip(
            wide.side.iterations, StageWriter.lanes(self, taken, left), strict=True
        ):
            self.place_in = iteration
            yield here
            down, column = iteration
            for row in wide.ends[down] if column == wide.side.across - 1 else ():
                given = self.begin_of(wide, row), *wide.stored[row]
                self.write(f"put_word_({', '.join(given)})")

    def as_index(self, expr: Expr) -> str:
        found = self.value(expr)
        return self.cast(found.text, found.dtype, "int64")

    def python_integer(self, expr: Binary, left: Value, right: Value, kind: Kind) -> Value:
        found = StageWriter.python_integer(self, expr, left, right, kind)
        if not self.undivided or expr not in self.undivided:
            return found
        return replace(found, text=self.cast(left.text, left.dtype, "int64"))
