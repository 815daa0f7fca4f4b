"""What a work item of a device has of parallel loops: an iteration, or a tile of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from itertools import product

from autopar.cpu.loops import LoopWriter, Share
from autopar.cpu.packs import Range
from autopar.cpu.runs import Tiled, kept_in
from autopar.cpu.stages import Group
from autopar.cpu.wide import WideWriter
from autopar.kernel import Watch
from autopar.nest.flow import names, written
from autopar.nest.ir import Binary, Const, Element, Expr, For, Lanes, Name, Stmt
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import accesses, expressions, statements, walk
from autopar.records import dataclass, replace
from autopar.sched.bands import harmless, has_loops
from autopar.sched.flat import ALONE, Tile, guarded, in_groups
from autopar.sched.wide import NARROW, Side, scalars_of

_BEYOND = 1 << 30  # further than any iteration of a block is from its first


@dataclass(slots=True)
class ItemWriter(WideWriter):
    """Loops of one kernel, which may be one range."""

    def tile_of(self, loops: Sequence[For], body: Sequence[Stmt]) -> Tile:
        if len(loops) == 1:
            lanes = loops[0].lanes
            if lanes is None or not in_groups(loops[0]) or self.watch is Watch.NAME:
                return ALONE
            if lanes.copies > 1 and not self.band(replace(loops[0], body=tuple(body))):
                return ALONE
            return Tile(1, lanes.copies, 1, lanes.apart, lanes.steps, near=lanes.near)
        *_, first, second = loops
        inside = replace(second, body=guarded(body)[1])
        found = [one.lanes for one in self.band(replace(first, body=(inside,)))]
        match found:
            case [
                Lanes(copies=down, apart=one) as lanes,
                Lanes(copies=across, apart=other, near=near),
            ] if not lanes.near:
                if down == across:  # long where cells are dense
                    one, other = min(one, other), max(one, other)
                return Tile(down, across, one, other, lanes.steps, lanes.rims, near)
        return ALONE

    def iteration(self, loops: Sequence[For], share: Share, body: Sequence[Stmt]) -> None:
        if share.tile == ALONE:
            LoopWriter.iteration(self, loops, share, body)
        elif not share.tile.several:
            self.of_row(loops[0], share, body)
        else:
            LoopWriter.iteration(self, loops[:-2], replace(share, firsts=share.firsts[:-2]), ())
            self.of_tile(loops[-2:], replace(share, firsts=share.firsts[-2:]), body)

    def of_row(self, loop: For, share: Share, body: Sequence[Stmt]) -> None:
        """One iteration of a loop that stands alone."""
        here = self.temp(share.firsts[0])
        share = replace(share, firsts=(here,))
        group = self.grouped((loop,), share, (self.temp(f"{here} - {share.item}"),), body)
        if group is not None:
            self.write(f"if together_({group.items}, True):")
            with self.in_group(group):
                LoopWriter.iteration(self, (loop,), share, body)
            self.write("else:")
        with nullcontext() if group is None else self.indented():
            LoopWriter.iteration(self, (loop,), share, body)

    def of_tile(self, loops: Sequence[For], share: Share, body: Sequence[Stmt]) -> None:
        """A tile of one loop or two; what there is of it, where it is not there in full."""
        tile, item = share.tile, share.item
        ranges, texts, tests, begins = [], [], [], []
        column, by = f"{item} % {tile.columns}", tile.columns
        if tile.near:
            column, by = f"{column} * {tile.across}", 1
        ways = (f"{item} // {tile.columns}", tile.rows, tile.down), (column, by, tile.across)
        for loop, first, way in zip(loops, share.firsts, ways[-len(loops) :], strict=True):
            place, by, count = way
            begins.append(self.temp(first))
            low, end = self.temp(f"{begins[-1]} + {place}"), self.as_index(loop.stop)
            each = [low, *(self.temp(f"{low} + {k * by}") for k in range(1, count))]
            high = self.temp(f"min({low} + {count * by}, {end})")
            ranges.append(Range(loop, low, high, by))
            texts.append(each)
            tests.append(f"{each[-1]} < {end}")
        variables = [loop.var for loop in loops]
        copies = tuple(dict(zip(variables, each, strict=True)) for each in product(*texts))
        test, inside = guarded(body)
        holds = [] if test is None else [self.there(copy, self.condition, test) for copy in copies]
        rims = (
            [f"{text} < {one.high}" for text in each]
            for each, one in zip(texts, ranges, strict=True)
        )
        there = tuple(" and ".join(each) for each in product(*rims))
        if holds:
            there = tuple(f"{one} and {other}" for one, other in zip(there, holds, strict=True))
        self.polls = False
        lanes = loops[-1].lanes
        self.unwritten = frozenset(() if lanes is None else lanes.packs) - _stored(inside)
        remainders = self.remainders(inside, frozenset(variables))
        near = [text for one in remainders for text in self.undivided_if(one, copies)]
        full = self.temp(" and ".join((*tests, *holds, *near)))
        tiled = Tiled(copies, None, kept_in(inside, self.own), self.own)
        side = self.side(tile, loops, remainders, inside)
        group = self.grouped(loops, share, begins, inside)
        rim = group is not None and tile.rims and (test is None or _apart(group, variables))
        if group is not None:
            self.write(f"if together_({group.items}, {'True' if rim else full}):")
            with self.in_group(group):
                if rim:
                    self.write(f"if all_({full}):")
                with self.indented() if rim else nullcontext():
                    self.complete(tiled, remainders, inside, side)
                if rim:
                    self.write("else:")
                    with self.indented():
                        self.rim(group, replace(tiled, tests=there), texts, begins, inside)
        self.write(f"{'el' if group is not None else ''}if {full}:")
        with self.indented():
            self.complete(tiled, remainders, inside, side)
        self.write("else:")
        with self.indented():
            if rim or not tile.rims or not any(map(has_loops, inside)):
                self.plain(ranges, ({},), body)
            else:
                # One after the other, each would wait for memory alone.
                lines = None if holds else zip(texts, ranges, strict=True)
                self.incomplete(replace(tiled, tests=there), lines, inside)

    def complete(
        self, tile: Tiled, remainders: Sequence[Binary], body: Sequence[Stmt], side: Side | None
    ) -> None:
        """A tile of which all iterations are there, and known to need no division."""
        self.undivided = frozenset(remainders)
        words = None if side is None else self.in_words(side, tile.copies[0], body)
        if words is not None:
            self.write(f"if {self.lie_well(words)}:")
            with self.indented(), self.by_words(words):
                self.tiled(tile, body)
            self.write("else:")
        with nullcontext() if words is None else self.indented():
            self.tiled(tile, body)
        self.undivided = frozenset()

    def side(
        self, tile: Tile, loops: Sequence[For], remainders: Sequence[Binary], body: Sequence[Stmt]
    ) -> Side | None:
        """What is known of iterations side by side."""
        if not tile.near:
            return None
        variables = tuple(loop.var for loop in loops)
        layouts = {path: kind.layout for path, kind in self.typed.arrays}
        lanes = loops[-1].lanes
        sizes = {path: NARROW.get(kind.dtype) for path, kind in self.typed.arrays}
        stored = {sizes[array] for array in _stored(body)}
        packs = () if lanes is None else lanes.packs
        alone = frozenset(path for path in packs if sizes[path] and {sizes[path]} == stored)
        known = frozenset(remainders), scalars_of(body), written(body)
        return Side(variables, tile.down, tile.across, layouts, alone, *known)

    def incomplete(
        self,
        tile: Tiled,
        lines: Iterable[tuple[Sequence[str], Range]] | None,
        body: Sequence[Stmt],
    ) -> None:
        """A tile of which some iterations are not there; the others go on together all the same.

        Parameters
        ----------
        lines
            Of each loop the texts of its variable in rows or columns, and its range; None where
            they do not tell which iterations are there.
        """
        tile = replace(tile, tests=tuple(map(self.temp, tile.tests)))
        self.write(f"if {' or '.join(tile.tests)}:")
        with self.indented():
            if lines is not None:
                lanes = tile.copies[0].keys()
                near = [
                    [self.temp(f"min({text}, {one.high} - 1)") for text in each]
                    for each, one in lines
                ]
                self.beside = tuple(dict(zip(lanes, each, strict=True)) for each in product(*near))
            self.tiled(tile, body)
            self.beside = ()

    def rim(
        self,
        group: Group,
        tile: Tiled,
        texts: Sequence[Sequence[str]],
        begins: Sequence[str],
        body: Sequence[Stmt],
    ) -> None:
        """The same in a block, which brings to the chip only what some iteration reads.

        Parameters
        ----------
        texts, begins
            Of each loop the texts of the variable in the rows or columns of the tile, and of its
            first value in the block.
        """
        tile = replace(tile, tests=tuple(map(self.temp, tile.tests)))
        places = list(product(*(range(len(each)) for each in texts)))
        limits = {}
        for d, (var, first) in enumerate(group.begins.items()):
            below, above = [], []
            for n, text in enumerate(texts[d]):
                tests = (t for place, t in zip(places, tile.tests, strict=True) if place[d] == n)
                there = " or ".join(tests)
                below.append(f"({text} - {first} if {there} else {_BEYOND})")
                above.append(f"({first} - {text} if {there} else {_BEYOND})")
            least = self.temp(f"least_({_least(below)})")
            limits[var] = least, self.temp(f"-least_({_least(above)})")
        low, high = limits[next(iter(limits))]
        self.write(f"if {low} <= {high}:")
        with self.indented():
            self.group = replace(group, limits=limits)
            self.tiled(tile, body)

    def there(self, copy: Mapping[str, str], written: Callable[[Expr], str], expr: Expr) -> str:
        """The text of `expr` in one of the iterations of a tile."""
        names, self.names = self.names, {**self.names, **copy}
        found = written(expr)
        self.names = names
        return found

    # ------------------------------------------------------------------ remainders

    def remainders(self, body: Sequence[Stmt], variables: frozenset[str]) -> tuple[Binary, ...]:
        """Remainders such as ``(i + 1) % n``, which most tiles need not divide for.

        As at the edges of a torus: elsewhere, neighbours that are reached by a remainder are known
        to be side by side once it is gone, and are read once.
        """
        changed = written(body) | variables
        steady = variables - written(body)
        inside = (
            e for top in body for s in statements(top) for own in expressions(s) for e in walk(own)
        )
        return tuple(
            dict.fromkeys(
                e
                for e in inside
                if isinstance(e, Binary)
                and e.op == "%"
                and _beside(e.left) in steady
                and harmless(e.right)
                and not names((e.right,)) & changed
                and kind_of(self.typed, e.left) == kind_of(self.typed, e.right) == {"int"}
            )
        )

    def undivided_if(
        self, remainder: Binary, copies: Sequence[Mapping[str, str]]
    ) -> tuple[str, str]:
        """Tests under which a remainder is what is divided, in all of the iterations of a tile."""
        low, high = (
            self.there(copy, self.as_index, remainder.left) for copy in (copies[0], copies[-1])
        )
        return f"{low} >= 0", f"{high} < {self.as_index(remainder.right)}"


def _apart(group: Group, block: Collection[str]) -> bool:
    """Whether no two of the variables of a block move a subscript of what it reads on the chip."""
    buffers = (one for some in group.buffers.values() for one in some)
    return all(len({*axis} & {*block}) <= 1 for buffer in buffers for axis in buffer.one.axes)


def _stored(body: Sequence[Stmt]) -> frozenset[str]:
    """Arrays that statements store into."""
    found = (access for stmt in body for _, access in accesses(stmt))
    return frozenset(access.array for access in found if isinstance(access, Element))


def _least(texts: Sequence[str]) -> str:
    return f"min({', '.join(texts)})" if len(texts) > 1 else texts[0]


def _beside(expr: Expr) -> str:
    """The variable of which `expr` is a neighbour, if it is one."""
    match expr:
        case Name(id=name):
            return name
        case Binary(op="+" | "-", left=Name(id=name), right=Const()):
            return name
    return ""
