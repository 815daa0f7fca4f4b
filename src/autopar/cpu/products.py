"""Products of matrices, handed to BLAS where they lie as it wants them, else added up by loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np

from autopar.cpu import blas
from autopar.cpu.folds import FoldWriter
from autopar.nest import kinds
from autopar.nest.ir import Element, For, Load
from autopar.nest.walking import accesses
from autopar.records import dataclass, replace
from autopar.sched.products import Product, Term, product_of

_BLOCK = 64
"""Rows, and columns beside what all of them have, of a part of a triangle that is multiplied as if
it were none."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows and columns: kernel text of the first ones and of their numbers.

    Without columns, the latter are empty.
    """

    i: str
    rows: str
    j: str
    cols: str


@dataclass(slots=True)
class ProductWriter(FoldWriter):
    """Calls of BLAS in one kernel; `multiplies` where there are any."""

    multiplies: bool = False

    def product(self, loop: For) -> None:
        found = product_of(loop)
        plainly = replace(loop, product=False)
        known = {access.id for _, access in accesses(plainly)} <= self.inside
        if self.careful or not known:
            self.loop(plainly)
            return
        self.multiplies = True
        self.temps += 1
        done = f"done{self.temps}_"
        self.write(f"{done} = False")
        (self.evenly if found.even else self.in_blocks)(found, done)
        self.write(f"if not {done}:")
        # How long iterations take was found out of what stands beside products.
        brief, self.brief = self.brief, frozenset()
        with self.indented():
            self.loop(plainly)
        self.brief = brief

    # ------------------------------------------------------------------ rows that are all alike

    def evenly(self, found: Product, done: str) -> None:
        """All of it at once."""
        first, count = zip(*map(self.counts, found.loops), strict=True)
        self.write(f"if {' and '.join(f'{n} > 0' for n in count)}:")
        with self.indented(), ExitStack() as stack:
            for loop in found.loops:
                stack.enter_context(self.around(loop))
            part = _Part(first[0], count[0], *((first[1], count[1]) if found.cols else ("", "")))
            self.stand_at(found, part, first[-1])
            self.write(f"{done} = {self.fit(found, part, count[-1])}")
            self.write(f"if {done}:")
            with self.indented():
                for term in found.terms:
                    self.multiply(found, term, part, count[-1], self.corner(found, found.target))
                for loop, low, many in zip(found.loops, first, count, strict=True):
                    self.ended(loop, f"{low} + {many} - 1")

    def counts(self, loop: For) -> tuple[str, str]:
        """The first value of its variable, and how many there are."""
        start, stop, _ = self.bounds(loop)
        low = self.temp(self.cast(start.text, start.dtype, "int64"))
        return low, self.temp(f"{self.cast(stop.text, stop.dtype, 'int64')} - {low}")

    def ended(self, loop: For, last: str) -> None:
        """Leave in its variable what the loop would."""
        self.write(f"{self.names[loop.var]} = {last}")
        if loop.var in self.tagged:
            self.write(f"{self.names[loop.var]}_tag = int64({kinds.tag('int')})")

    # ------------------------------------------------------------------ triangles

    def in_blocks(self, found: Product, done: str) -> None:
        """Some rows at a time: the columns that all of them have at once, and what is left of them.

        That is multiplied as if each row had all of it, and then added where rows have it.  Rows
        without columns, which are the first or the last ones, are left out: there may be none in
        the factor.
        """
        assert found.cols is not None
        begin, count = self.counts(found.rows)
        with self.around(found.rows):
            first = self.first_row(found, begin, f"{begin} + {count}", 1)
            last = self.first_row(found, f"{begin} + {count} - 1", f"{first} - 1", -1)
            rows = self.temp(f"{last} - {first} + 1")
            k, inner = self.counts(found.inner)
            self.write(f"if {rows} > 0 and {inner} > 0:")
            with self.indented():
                least, most = self.columns_of(found, first, last, widest=True)
                with self.around(found.cols), self.around(found.inner):
                    whole = _Part(first, rows, least, f"({most} - {least})")
                    self.stand_at(found, whole, k)
                    self.write(f"{done} = {self.fit(found, whole, inner)}")
                    self.write(f"if {done}:")
                    with self.indented():
                        self.blocks(found, first, rows, k, inner)

    def first_row(self, found: Product, start: str, stop: str, step: int) -> str:
        """The first of some rows that has columns; `stop` where there is none."""
        row, i = self.temp(stop), self.names[found.rows.var]
        self.write(f"for {i} in range({start}, {stop}, {step}):")
        with self.indented():
            low, high = self.columns_of(found, i, i, widest=True)
            self.write(f"if {low} < {high}:")
            with self.indented():
                self.write(f"{row} = {i}")
                self.write("break")
        return row

    def blocks(self, found: Product, first: str, rows: str, k: str, inner: str) -> None:
        self.temps += 1
        base, room = f"base{self.temps}_", f"part{self.temps}_"
        dtype = self.typed.array(found.target.array).dtype
        self.write(f'{room} = room_("{dtype}", {_BLOCK * _BLOCK})')
        self.write(f"for {base} in range({first}, {first} + {rows}, {_BLOCK}):")
        with self.indented():
            self.poll()
            here = self.temp(f"min({_BLOCK}, {first} + {rows} - {base})")
            last = f"{base} + {here} - 1"
            low, high = self.columns_of(found, base, last, widest=False)
            least, most = self.columns_of(found, base, last, widest=True)
            self.write(f"{high} = max({low}, {high})")
            self.write(f"if {low} < {high}:")
            with self.indented():
                part = _Part(base, here, low, f"({high} - {low})")
                self.stand_at(found, part, k)
                for term in found.terms:
                    self.multiply(found, term, part, inner, self.corner(found, found.target))
            # Where rows have no column in common, `low` is behind all of them.
            for begin, end in ((least, f"min({low}, {most})"), (f"max({high}, {least})", most)):
                self.ragged(found, _Part(base, here, begin, end), k, inner, room)

    def ragged(self, found: Product, part: _Part, k: str, inner: str, room: str) -> None:
        """Columns that not all rows of a block have; of `part`, `cols` is where they end."""
        self.temps += 1
        left = f"left{self.temps}_"
        self.write(f"for {left} in range({part.j}, {part.cols}, {_BLOCK}):")
        with self.indented():
            wide = self.temp(f"min({_BLOCK}, {part.cols} - {left})")
            piece = _Part(part.i, part.rows, left, wide)
            self.stand_at(found, piece, k)
            for number, term in enumerate(found.terms):
                target = f"(((0, {_BLOCK}),), ((0, 1),), {room}[0])"
                self.multiply(found, term, piece, inner, target, number > 0)
            i, j = (self.names[loop.var] for loop in found.loops[:2])
            self.write(f"for {i} in range({part.i}, {part.i} + {part.rows}):")
            with self.indented():
                low, high = self.columns_of(found, i, i, widest=True)
                self.write(f"for {j} in range(max({left}, {low}), min({left} + {wide}, {high})):")
                with self.indented():
                    place = self.element(found.target)
                    there = f"{room}[({i} - {part.i}) * {_BLOCK} + ({j} - {left})]"
                    self.write(f"{place} = ({place} + {there})")

    def columns_of(self, found: Product, first: str, last: str, widest: bool) -> tuple[str, str]:
        """Where the columns begin and end that all of these rows have, or that one of them has."""
        assert found.cols is not None
        i = self.names[found.rows.var]
        starts, stops = [], []
        for row in dict.fromkeys((first, last)):
            if row != i:
                self.write(f"{i} = {row}")
            start, stop, _ = self.bounds(found.cols)
            starts.append(self.temp(self.cast(start.text, start.dtype, "int64")))
            stops.append(self.temp(self.cast(stop.text, stop.dtype, "int64")))
        if len(starts) == 1:
            return starts[0], stops[0]
        begin, finish = ("min", "max") if widest else ("max", "min")
        low = self.temp(f"{begin}({', '.join(starts)})")
        return low, self.temp(f"{finish}({', '.join(stops)})")

    # ------------------------------------------------------------------ what both have

    @contextmanager
    def around(self, loop: For) -> Iterator[None]:
        """What is written is in `loop`, as far as its variable goes."""
        before = self.begin(loop, self.plainly_bound(loop))
        yield
        self.end(loop, before)

    def stand_at(self, found: Product, part: _Part, k: str) -> None:
        """Let the variables of the loops stand for the first element of `part`."""
        places = (part.i, *((part.j,) if found.cols is not None else ()), k)
        for loop, text in zip(found.loops, places, strict=True):
            self.write(f"{self.names[loop.var]} = {text}")

    def corner(self, found: Product, access: Element | Load) -> str:
        """Text of the element that the variables stand for, and of the ways from there."""
        ways = list(found.loops[:-1])
        if isinstance(access, Load):  # a factor, the first or the second one
            ways.insert(self.direction(access, found.rows) != "()", found.inner)
            ways = [loop for loop in ways if self.direction(access, loop) != "()"]
        return (
            f"({', '.join(self.direction(access, loop) for loop in ways)}, {self.element(access)})"
        )

    def fit(self, found: Product, part: _Part, inner: str) -> str:
        """Condition: BLAS can take all of it."""
        size = np.dtype(self.typed.array(found.target.array).dtype).itemsize
        tests = []
        for term in found.terms:
            corners = [self.corner(found, one) for one in (term.one, term.two, found.target)]
            if found.cols is None:
                tests.append(f"fit_({size}, {part.rows}, {inner}, {', '.join(corners)})")
            else:
                sizes = f"{part.rows}, {inner}, {part.cols}"
                tests.append(f"fits_({size}, {sizes}, {', '.join(corners)})")
        return " and ".join(tests)

    def multiply(
        self,
        found: Product,
        term: Term,
        part: _Part,
        inner: str,
        target: str,
        more: bool = True,
    ) -> None:
        """Add a product to what is at `target`, or put it there."""
        dtype = self.typed.array(found.target.array).dtype
        texts = [self.convert(self.value(factor), dtype) for factor in term.factors]
        factor = " * ".join((f"{dtype}(1.0)", *texts))
        factor = f"(-({factor}))" if term.negative else f"({factor})"
        one, two = (self.corner(found, access) for access in (term.one, term.two))
        kept = f"{dtype}({1.0 if more else 0.0})"
        given = f"{factor}, {kept}, {one}, {two}, {target}"
        if found.cols is None:
            name = blas.routine(dtype, "gemv")
            self.write(f'gemv_("{name}", {part.rows}, {inner}, {given})')
        else:
            name = blas.routine(dtype, "gemm")
            self.write(f'gemm_("{name}", {part.rows}, {inner}, {part.cols}, {given})')
