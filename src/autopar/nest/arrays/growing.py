"""Lists that a nest makes, item by item, as arrays with room for all of them.

``y = []`` is the beginning of one, and each ``y.append(value)`` stores at its end.  Where the text
says how many items there are before each statement, as in a comprehension without a condition,
places follow from the variables of the loops, and the loops may be parallel.  Elsewhere a scalar
counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from autopar.nest import ir, walking
from autopar.nest.arrays.masks import Masks
from autopar.nest.arrays.section import ONE, ZERO, Index, Section
from autopar.nest.arrays.stores import Made
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Name,
    Stmt,
    View,
)
from autopar.nest.kinds import MAX_INT
from autopar.nest.naming import assigns, mentions
from autopar.nest.polynomial import Polynomial, number, symbol
from autopar.nest.show import text
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refused


@dataclass(slots=True)
class Growth:
    """A list that is being filled.

    Attributes
    ----------
    made
        The array that stands for it.
    length
        How many items it has at the statement at hand.
    counter
        The scalar that counts them, where the text does not say.
    outside
        Variables of the loops around its beginning.
    block
        Number of the block in which it begins.
    rest
        What follows its beginning there.
    """

    made: Made
    length: Polynomial
    counter: Name | None
    outside: frozenset[str]
    block: int
    rest: Sequence[Stmt]


@dataclass(slots=True)
class Growing(Masks):
    """Lists of a nest that is written out.

    Attributes
    ----------
    growing
        Those that are being filled, by name.
    rest
        What follows the statement at hand in its block.
    blocks
        Numbers of the blocks around it.
    """

    growing: dict[str, Growth] = field(default_factory=dict)
    rest: Sequence[Stmt] = ()
    blocks: list[int] = field(default_factory=list)

    def begun(self, name: str, stmt: Assign) -> tuple[Stmt, ...]:
        """``name = []``."""
        line = stmt.line
        made = self.made.get(name)
        if name in self.known.ranks or name in self.entering:
            raise self.refuse(Reason.SYNTAX, line, f"{name}, which is another list at first")
        others = [s for s in walking.statements(self.nest.loop) if assigns(s, name) and s != stmt]
        if others and (made is not None or name in self.nest.live_out):
            raise self.refuse(Reason.SYNTAX, line, f"{name}, which is several lists")
        begin = self.grow(name, f"<{name}>", self.rest, line)
        made = self.made[name]
        if name in self.nest.live_out:
            if made.length is None and not made.extents[0].names <= self.known.ints:
                raise self.refuse(Reason.SYNTAX, line, f"{name}, whose length changes")
            begin.append(Assign(Name(made.flag), Const(1), next(self.ids), line))
        else:
            made.private = frozenset(self.enclosing)
        return tuple(begin)

    def grow(
        self,
        name: str,
        path: str,
        stmts: Sequence[Stmt],
        line: int,
        already: Polynomial | None = None,
    ) -> list[Stmt]:
        """Make room for all that `stmts` append to `name`; what is to be done before them.

        Parameters
        ----------
        already
            How many items it has from before the nest, whose places `stmts` may read.
        """
        taken = any(_pops(s, name) for s in walking.statements(self.nest.loop))
        exact = None if taken or already is not None else self.added(stmts, name)
        scope = list(self.around)
        most = self.added(stmts, name, scope)
        room = most is None
        if most is None:
            most, scope = number(ir.FIRST_ROOM), []
        if already is not None:
            most = most + already
        made = self.made[name] = Made(path, (most,), flag=f"<made {name}>", listed=True)
        made.scope, made.room = tuple(scope), room
        counter, begin = None, list[Stmt]()
        if exact is None:
            here = next(self.ids)
            counter = Name(f"<items {here}>")
            items = ZERO if already is None else already
            begin.append(Assign(counter, items.expr(line), here, line))
            if not room:
                self.most[counter.id] = most
            made.length = counter.id
        length = ZERO if counter is None else symbol(counter)
        outside = frozenset(loop.var for loop in self.around)
        block = self.blocks[-1] if self.blocks else 0
        self.growing[name] = Growth(made, length, counter, outside, block, self.rest)
        self.show(name)
        return begin

    def extend(self, name: str, path: str) -> list[Stmt]:
        """Begin with what the nest appends to a live-in list, or to a column `name` of it."""
        line = self.nest.loop.line
        begin = self.grow(name, f"{ir.MORE}{name}>", (self.nest.loop,), line)
        self.made[name].extends = path
        del self.named[name]
        return begin

    def goes_on(self, path: str) -> list[Stmt]:
        """Begin with a copy of a live-in list that the nest reads while it grows."""
        loop, line = self.nest.loop, self.nest.loop.line
        if any(_stores(stmt, path) for stmt in walking.statements(loop)):
            raise self.refuse(Reason.SYNTAX, line, f"{path}, a list that grows and is changed")
        rank = self.known.ranks.get(path, 0)
        if rank > 1:
            raise self.refuse(Reason.SYNTAX, line, f"{path}, a list of lists that grows")
        already = self.extent(path, 0) if rank else ZERO
        begin = self.grow(path, f"{ir.MORE}{path}>", (loop,), line, already)
        made = self.made[path]
        made.extends = path
        if any(_pops(stmt, path) for stmt in walking.statements(loop)):
            number = next(self.ids)
            lowest = Name(f"<lowest {number}>")
            made.lowest = lowest.id
            begin.append(Assign(lowest, already.expr(line), number, line))
        if rank:
            here = next(self.ids)
            made.by.add(here)

            def copied(index: Index) -> tuple[Stmt, ...]:
                place = tuple(i.expr(line) for i in index)
                target = Element(made.path, place, next(self.ids), line)
                return (Assign(target, Load(path, place, next(self.ids), line), here, line),)

            begin += self.loops((already,), line, copied)
        return begin

    def appended(self, name: str, stmt: ir.Put) -> tuple[Stmt, ...]:
        """``name.append(value)``."""
        line, growth = stmt.line, self.growing.get(name)
        if growth is None:
            raise self.refuse(Reason.SYNTAX, line, f"{name}.append(...)")
        item, lent = stmt.value, False
        match item:
            case Call(func=ir.LENT, args=(item,)):
                lent = True
        value = self.meant(item)
        made, place = growth.made, growth.length
        if isinstance(value, Section):
            if not lent:
                self.given_away(item, value, growth, line)
            elif not value.listed:
                raise self.refuse(Reason.SYNTAX, line, f"{text(item)}, an item of a list")
            filled = self.nested(name, growth, value, stmt)
        else:
            if len(made.extents) > 1:
                raise self.refuse(Reason.MIXED_TYPE, line, f"{name}, a list of lists and numbers")
            made.by.add(stmt.id)
            element = Element(made.path, (place.expr(line),), next(self.ids), line)
            filled = (Assign(element, value, stmt.id, line),)
        if growth.counter is None:
            growth.length = place + ONE
            self.show(name)
            return filled
        more = ir.Binary("+", growth.counter, Const(1), line)
        return (*filled, Assign(growth.counter, more, next(self.ids), line))

    def popped(self, name: str, line: int) -> tuple[Stmt, ...]:
        """``name.pop()``, once its last item has been read."""
        growth = self.growing.get(name)
        if growth is None or growth.counter is None or len(growth.made.extents) > 1:
            raise self.refuse(Reason.SYNTAX, line, f"{name}.pop()")
        counter = growth.counter
        limits = Const(1), Const(MAX_INT)
        self.hold(Call("<within>", (counter, *limits), line), line, "ok")
        fewer = ir.Binary("-", counter, Const(1), line)
        made: list[Stmt] = [Assign(counter, fewer, next(self.ids), line)]
        if growth.made.lowest is not None:
            lowest = Name(growth.made.lowest)
            least = Call("<min>", (lowest, counter), line)
            made.append(Assign(lowest, least, next(self.ids), line))
        return tuple(made)

    def given_away(self, expr: Expr, value: Section, growth: Growth, line: int) -> None:
        """A list becomes an item of another, and must not be known by its own name any more."""
        if value.listed and value.new:
            return
        own = self.growing.get(expr.id) if isinstance(expr, Name) else None
        if own is not None and isinstance(expr, Name) and own.block == self.blocks[-1]:
            again = sum(mentions(later, expr.id) for later in self.rest)
            if not again and expr.id not in self.entering:
                if expr.id in self.nest.live_out:
                    self.last(expr.id, own, growth, line)
                own.made.last_of = growth.made.path
                return
        raise self.refuse(Reason.SYNTAX, line, f"{text(expr)}, an item of a list")

    def last(self, name: str, own: Growth, growth: Growth, line: int) -> None:
        """See to it that a list, if it ever begins, is the last item of another one in the end."""
        whole = next(one for one, other in self.growing.items() if other is growth)
        others = [s for s in walking.statements(self.nest.loop) if _appends(s, whole)]
        kept = growth.made.extends is not None or whole in self.nest.live_out
        again = growth.outside and growth.counter is not None  # it may have fewer items then
        between = own.rest[: len(own.rest) - len(self.rest)]
        if len(others) > 1 or not kept or again or any(map(_skips, between)):
            raise self.refuse(Reason.SYNTAX, line, f"{name}, an item of a list, after the loop")

    def nested(self, name: str, growth: Growth, value: Section, stmt: ir.Put) -> tuple[Stmt, ...]:
        """A list as an item of a list: all of them have one length."""
        made, place, line = growth.made, growth.length, stmt.line
        if len(made.extents) == 1 and not made.by:
            # What is read after the nest has one shape, whichever turn has made it.
            around = frozenset[str]() if name in self.nest.live_out else growth.outside
            steady = self.known.ints | around
            if any(not e.names <= steady for e in value.extents):
                raise self.refuse(
                    Reason.SYNTAX, line, "a list of lists, perhaps of several lengths"
                )
            made.extents = (*made.extents, *value.extents)
        if len(made.extents) != 1 + value.rank:
            raise self.refuse(Reason.MIXED_TYPE, line, "a list of lists and numbers")
        for one, two in zip(made.extents[1:], value.extents, strict=True):
            if one != two:
                self.equal(one, two, line)
        made.by.add(stmt.id)

        def where(index: Index) -> Index:
            return place, *index

        target = Section(value.extents, path=made.path, where=where, listed=value.rank)
        element = partial(self.element, value, line=line)
        return self.filled(target, element, Assign(Name(made.path), Const(0), stmt.id, line), False)

    def show(self, name: str) -> None:
        """Let `name` mean the items so far."""
        growth = self.growing[name]
        extents = (growth.length, *growth.made.extents[1:])
        hidden = name.startswith("<")
        if growth.made.extends is None:
            self.named[name] = replace(growth.made.section, extents=extents, new=hidden)

    def goes_through_growing(self, loop: For) -> None:
        """Refuse a loop over the items of a list that it appends to: there are more each time.

        Only such loops read items by a variable that no user can write.
        """
        if not loop.var.startswith("<"):
            return
        inside = list(walking.statements(loop))
        more = {
            growth.made.path
            for name, growth in self.growing.items()
            if any(_appends(s, name) or _pops(s, name) for s in inside)
        }
        if not more:
            return
        for stmt in inside:
            for expr in (inner for top in walking.expressions(stmt) for inner in walking.walk(top)):
                match expr:
                    case Load(array=path, index=index):
                        names = {path}
                    case View(array=array, index=index):
                        names = {one.id for one in walking.walk(array) if isinstance(one, Name)}
                    case _:
                        continue
                by = (inner for one in walking.indices(index) for inner in walking.walk(one))
                if Name(loop.var) in by and any(
                    name in self.named and self.named[name].path in more for name in names
                ):
                    raise self.refuse(
                        Reason.SYNTAX, loop.line, f"{text(expr)} of a list that grows"
                    )

    def ended(self) -> None:
        """Forget the lists of a block that is done."""
        for name in [n for n in self.growing if not self.added(self.rest, n, [])]:
            del self.growing[name]

    @contextmanager
    def turning(self, loop: For) -> Iterator[None]:
        """In the body of `loop`, each turn of which adds to some lists."""
        before = {name: growth.length for name, growth in self.growing.items()}
        each = {}
        for name, growth in self.growing.items():
            if growth.counter is not None:
                continue
            count, trips = self.added(loop.body, name), self.trips(loop)
            if count is None or (count != ZERO and trips is None):  # here, and not at its beginning
                raise self.refuse(Reason.SYNTAX, loop.line, f"{name}, a list of unknown length")
            if count != ZERO and trips is not None:
                each[name] = count, trips
                done = symbol(Name(loop.var)) - self.integer(loop.start, loop.line)
                if loop.step == Const(-1):
                    done = ZERO - done
                growth.length = before[name] + done * count
                self.show(name)
        yield
        for name, (count, trips) in each.items():
            self.growing[name].length = before[name] + trips * count
            self.show(name)

    # ------------------------------------------------------------------ counting

    def added(
        self, stmts: Sequence[Stmt], name: str, most: list[For] | None = None
    ) -> Polynomial | None:
        """How many items `stmts` append to `name`, if the text says so.

        Parameters
        ----------
        most
            A bound is wanted; where to put the loops in whose variables it may be.
        """
        total = ZERO
        for stmt in stmts:
            if assigns(stmt, name):
                break
            found = self.added_by(stmt, name, most)
            if found is None:
                return None
            total = total + found
        return total

    def added_by(self, stmt: Stmt, name: str, most: list[For] | None) -> Polynomial | None:
        if not any(_appends(inner, name) for inner in walking.statements(stmt)):
            return ZERO
        match stmt:
            case ir.Put():
                return ONE
            case If(body=body, orelse=orelse) if most is not None:
                found = [self.added(block, name, most) for block in (body, orelse)]
                return None if None in found else found[0] + found[1]  # type: ignore[operator]
            case For(body=body):
                leaves = any(isinstance(s, Leave) for s in walking.statements(stmt))
                if leaves and most is None:
                    return None
                return self.repeated(stmt, body, name, most)
        return None

    def repeated(
        self, loop: For, body: Sequence[Stmt], name: str, most: list[For] | None
    ) -> Polynomial | None:
        trips = self.trips(loop, most is not None)
        if trips is None:
            return None
        if most is None:
            self.require(trips, 0, None, loop.line, "a range that ends before it begins")
            each = self.added(body, name)
            return None if each is None or loop.var in each.names else trips * each
        inside = self.entered(loop)
        if inside:
            most.append(self.around[-1])
        each = self.added(body, name, most)
        if inside:
            self.around.pop()
        return None if each is None else trips * each

    def trips(self, loop: For, most: bool = False) -> Polynomial | None:
        """How often `loop` runs, if that is exact; or no more often than that."""
        start, stop = self.end_of(loop.start, most), self.end_of(loop.stop, most)
        match loop.step:
            case Const(value=int(step)) if start is not None and stop is not None:
                if step in (1, -1) or most:
                    return stop - start if step > 0 else start - stop
        return None

    def end_of(self, end: Expr, most: bool) -> Polynomial | None:
        """The end of a range; that of several sequences is the shortest one's."""
        outside, self.first = self.first, []
        try:
            value = self.scalar(end)
        except Refused:
            return None  # it is made of what is not known yet
        finally:
            computed, self.first = self.first, outside
        line = self.nest.loop.line
        match value:
            case Name(id=name) if name in self.most:
                return self.most[name] if most else None
            case Call(func="<max>", args=(length, Const(value=0))) if not computed:
                return self.end_of(length, most)  # that of a list, which is not negative
            case Call(func="<min>", args=args) if not computed:
                return self.shortest(args, most, line)
        return None if computed else self.exact(value, line)

    def shortest(self, args: Sequence[Expr], most: bool, line: int) -> Polynomial | None:
        """How many items several sequences have together."""
        found = [self.end_of(arg, most) for arg in args]
        shortest = found[0]
        for other in found[1:]:
            if shortest is None or other is None:
                return None
            apart = (other - shortest).literal
            if apart is not None:
                shortest = other if apart < 0 else shortest
            elif not most:
                if self.strict:
                    return None
                self.equal(shortest, other, line)
        return shortest


def _skips(stmt: Stmt) -> bool:
    """Whether what follows `stmt` in its block may be skipped."""
    match stmt:
        case Leave():
            return True
        case If(body=body, orelse=orelse):
            return any(map(_skips, (*body, *orelse)))
    return False


def _stores(stmt: Stmt, name: str) -> bool:
    """Whether `stmt` stores into the list `name`, or into a part of it."""
    match stmt:
        case ir.Put(target=View(index=("append",) | ("pop",))):
            return False
        case ir.Put(target=View(array=array)):
            return any(one == Name(name) for one in walking.walk(array))
        case Assign(target=Element(array=path)):
            return path == name
    return False


def _pops(stmt: Stmt, name: str) -> bool:
    match stmt:
        case ir.Put(target=View(array=Name(id=found), index=("pop",))):
            return found == name
    return False


def _appends(stmt: Stmt, name: str) -> bool:
    match stmt:
        case ir.Put(target=View(array=Name(id=found), index=("append",))):
            return found == name
    return False
