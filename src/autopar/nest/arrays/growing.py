"""Lists that a nest makes, item by item, as arrays with room for all of them.

``y = []`` is the beginning of one, and each ``y.append(value)`` stores at its end.  Where the text
says how many items there are before each statement, as in a comprehension without a condition,
places follow from the variables of the loops, and the loops may be parallel.  Elsewhere a scalar
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from autopar.nest import ir, walking
from autopar.nest.arrays.counting import Counting, appends, skips
from autopar.nest.arrays.section import ONE, ZERO, Index, Section
from autopar.nest.arrays.stores import Made
from autopar.nest.hidden import ITEMS
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
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
from autopar.verdict import Reason

Block = tuple[Stmt, ...]


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
    read
        Whether it is one of before the nest, empty, of which the nest also reads.
    """

    made: Made
    length: Polynomial
    counter: Name | None
    outside: frozenset[str]
    block: int
    rest: Sequence[Stmt]
    read: bool = False


@dataclass(slots=True)
class Growing(Counting):
    """Lists of a nest that is written out.

    Attributes
    ----------
    growing
        Those that are being filled, by name.
    stmts, rest
        The block around the statement at hand, and what follows that there.
    blocks
        Numbers of the blocks around it.
    """

    growing: dict[str, Growth] = field(default_factory=dict)
    stmts: Sequence[Stmt] = ()
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
            begin.append(Assign(Name(made.flag), Const(1), next(self.ids), line))
        else:
            made.private = frozenset(loop.id for loop in self.enclosing)
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
        most = self.added(stmts, name, scope) if exact is None else exact
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
            counter = Name(f"{ITEMS}{here}>")
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
        rank = self.known.ranks.get(path, 0)
        if not rank:  # it is empty, and as good as one that begins here
            begin = self.grow(path, f"{ir.MORE}{path}>", (loop,), line)
            self.made[path].extends = path
            self.growing[path].read = True
            return begin
        stores = [stmt for stmt in walking.statements(loop) if _stores(stmt, path)]
        if not all(_stores_one(stmt, path) for stmt in stores):
            raise self.refuse(Reason.SYNTAX, line, f"{path}, a list that grows and is changed")
        if rank > 1:
            raise self.refuse(Reason.SYNTAX, line, f"{path}, a list of lists that grows")
        already = self.extent(path, 0)
        begin = self.grow(path, f"{ir.MORE}{path}>", (loop,), line, already)
        made = self.made[path]
        made.extends = path
        if stores or any(_pops(stmt, path) for stmt in walking.statements(loop)):
            number = next(self.ids)
            lowest = Name(f"<lowest {number}>")
            made.lowest = lowest.id
            begin.append(Assign(lowest, already.expr(line), number, line))
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
        if isinstance(value, Section) and not value.listed:
            self.own_array(name, item, value, growth, line)
            filled = self.nested(name, growth, value, stmt)
        elif isinstance(value, Section):
            if growth.made.rows:
                raise self.refuse(Reason.MIXED_TYPE, line, f"{name}, a list of lists and arrays")
            if not lent:
                self.given_away(item, value, growth, line)
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
        return (*made, *self.not_above(growth.made, counter, line))

    def changed(self, target: Load) -> tuple[Stmt, ...]:
        """What is to be done beside a store to an item of a list, if that grows."""
        growths = self.growing.values()
        found = next((one.made for one in growths if one.made.path == target.array), None)
        return () if found is None else self.not_above(found, target.index[0], target.line)

    def not_above(self, made: Made, place: Expr, line: int) -> tuple[Stmt, ...]:
        """The lowest item that is not as it was before the nest is this one, or one below."""
        if made.lowest is None:
            return ()
        lowest = Name(made.lowest)
        least = Call("<min>", (lowest, place), line)
        return (Assign(lowest, least, next(self.ids), line),)

    def given_away(self, expr: Expr, value: Section, growth: Growth, line: int) -> None:
        """A list becomes an item of another, and must not be known by its own name any more."""
        # A part of another would be known by two names; a slice, or a copy, is a list of its own.
        own_list = value.new and (not isinstance(expr, Name) or self.passed_on(expr.id))
        if value.listed and (own_list or (value.compute and isinstance(expr, View | Call))):
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

    def own_array(self, name: str, expr: Expr, value: Section, growth: Growth, line: int) -> None:
        """An array becomes an item of a list: a new one each time, which nobody changes.

        Of the list, nothing else is known in the nest.
        """
        made, loop = growth.made, self.nest.loop
        alone = value.fresh and not value.shared and not _has_a_base(expr)
        if isinstance(expr, Name):
            alone = self.is_left(expr.id, value)
        begun = sum(isinstance(s, Assign) and assigns(s, name) for s in walking.statements(loop))
        filled = sum(appends(s, name) for s in walking.statements(loop))
        if not alone or not value.ordered or mentions(loop, name) != begun + filled:
            raise self.refuse(Reason.SYNTAX, line, f"{text(expr)}, an item of a list")
        if made.by and not made.rows:
            raise self.refuse(Reason.MIXED_TYPE, line, f"{name}, a list of arrays and others")
        if made.by and made.dtype != value.dtype:
            raise self.refuse(Reason.MIXED_TYPE, line, name)
        made.rows, made.listed, made.dtype = True, False, value.dtype
        made.holds(value)

    def is_left(self, name: str, value: Section) -> bool:
        """Whether the array `name` has been made in this block, and is not what is changed later.

        Nobody sees it but by the list to which it is appended.
        """
        own = self.made.get(name)
        if own is None or value.path != own.path or value.where is not tuple:
            return False
        if name in self.nest.live_out or name in self.growing:
            return False
        before = self.stmts[: len(self.stmts) - len(self.rest) - 1]
        if not any(isinstance(s, Assign) and assigns(s, name) for s in before):
            return False
        items = 0
        for stmt in walking.statements(self.nest.loop):
            match stmt:
                case Assign(target=Name(id=target), value=other, augmented=augmented):
                    if (target == name and augmented) or other == Name(name):
                        return False
                case Assign(target=Element(array=path)) if path == name:
                    return False
                case ir.Put(target=View(array=array, index=index), value=other):
                    items += index == ("append",) and other == Name(name)
                    if array == Name(name) or (index != ("append",) and other == Name(name)):
                        return False
        return items == 1 and not self.viewed(name)

    def viewed(self, name: str) -> bool:
        """Whether a part of the array `name` may have a name of its own, by which it is changed."""
        mine = self.made[name].path
        return any(other != name and one.path == mine for other, one in self.named.items())

    def passed_on(self, other: str) -> bool:
        """Whether the list `other` is read where it has just been made, and nowhere else."""
        own = self.growing.get(other)
        if own is None or not self.blocks or own.block != self.blocks[-1]:
            return False
        loop = self.nest.loop
        filled = sum(1 for stmt in walking.statements(loop) if appends(stmt, other))
        return mentions(loop, other) == filled + 1

    def last(self, name: str, own: Growth, growth: Growth, line: int) -> None:
        """See to it that a list, if it ever begins, is the last item of another one in the end."""
        whole = next(one for one, other in self.growing.items() if other is growth)
        others = [s for s in walking.statements(self.nest.loop) if appends(s, whole)]
        kept = growth.made.extends is not None or whole in self.nest.live_out
        again = growth.outside and growth.counter is not None  # it may have fewer items then
        between = own.rest[: len(own.rest) - len(self.rest)]
        if len(others) > 1 or not kept or again or any(map(skips, between)):
            raise self.refuse(Reason.SYNTAX, line, f"{name}, an item of a list, after the loop")

    def settled_lengths(self) -> None:
        """See to it that a list that is seen after the nest is as long as its array says then."""
        for name, growth in self.growing.items():
            made = growth.made
            seen = name in self.nest.live_out and made.length is None and made.last_of is None
            if seen and not made.extents[0].names <= self.known.ints:
                line = self.nest.loop.line
                raise self.refuse(Reason.SYNTAX, line, f"{name}, whose length changes")

    def nested(self, name: str, growth: Growth, value: Section, stmt: ir.Put) -> tuple[Stmt, ...]:
        """A list as an item of a list: all of them have one length, or nobody reads them here."""
        made, place, line = growth.made, growth.length, stmt.line
        if made.lengths is not None:
            return self.ragged(name, growth, value, stmt)
        if len(made.extents) == 1 and not made.by:
            # What is read after the nest has one shape, whichever turn has made it.
            around = frozenset[str]() if name in self.nest.live_out else growth.outside
            steady = self.known.ints | around
            if any(not e.names <= steady for e in value.extents):
                if made.rows:
                    raise self.refuse(Reason.SYNTAX, line, f"{name}, arrays of several shapes")
                return self.ragged(name, growth, value, stmt)
            made.extents = (*made.extents, *value.extents)
        if len(made.extents) != 1 + value.rank:
            raise self.refuse(Reason.MIXED_TYPE, line, "a list of lists and numbers")
        for one, two in zip(made.extents[1:], value.extents, strict=True):
            if one != two:
                self.equal(one, two, line)
        made.by.add(stmt.id)

        def where(index: Index) -> Index:
            return place, *index

        listed = 0 if made.rows else value.rank
        target = Section(value.extents, path=made.path, where=where, listed=listed)
        element = partial(self.element, value, line=line)
        return self.filled(target, element, Assign(Name(made.path), Const(0), stmt.id, line), False)

    def ragged(self, name: str, growth: Growth, value: Section, stmt: ir.Put) -> tuple[Stmt, ...]:
        """A list as an item of a list of lists of several lengths: each row has room for most."""
        made, place, line = growth.made, growth.length, stmt.line
        own = next((one for one in self.made.values() if one.path == value.path), None)
        whole = own is not None and value.where is tuple and value.rank == len(own.extents) == 1
        if own is None or not whole or own.room or made.room or not self.only_filled(name, growth):
            raise self.refuse(Reason.SYNTAX, line, "a list of lists, perhaps of several lengths")
        if made.lengths is None:
            made.extents = (*made.extents, *own.extents)
            made.scope = (*made.scope, *(one for one in own.scope if one not in made.scope))
            made.lengths = f"<long {made.path.strip('<>')}>"
            beside = Made(made.lengths, made.extents[:1], flag=f"<made {made.lengths}>")
            beside.scope, beside.listed = made.scope, True
            self.made[beside.path] = beside
        elif made.extents[1:] != own.extents or not {*own.scope} <= {*made.scope}:
            raise self.refuse(Reason.SYNTAX, line, "a list of lists, perhaps of several lengths")
        (length,) = value.extents
        here = next(self.ids)
        self.made[made.lengths].by.add(here)
        long = Element(made.lengths, (place.expr(line),), next(self.ids), line)
        made.by.add(stmt.id)

        def where(index: Index) -> Index:
            return place, *index

        target = Section(value.extents, path=made.path, where=where, listed=1)
        element = partial(self.element, value, line=line)
        filled = self.filled(target, element, Assign(Name(made.path), Const(0), stmt.id, line))
        return (Assign(long, length.expr(line), here, line), *filled)

    def only_filled(self, name: str, growth: Growth) -> bool:
        """Whether nothing is done with a list but to append to it."""
        more = sum(1 for s in walking.statements(self.nest.loop) if appends(s, name))
        return growth.made.extends is not None and mentions(self.nest.loop, name) == more

    def show(self, name: str) -> None:
        """Let `name` mean the items so far."""
        growth = self.growing[name]
        extents = (growth.length, *growth.made.extents[1:])
        hidden = name.startswith("<") and name not in self.nest.paths
        if growth.made.extends is None or growth.read:
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
            if any(appends(s, name) or _pops(s, name) for s in inside)
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

    def either(
        self, branches: Sequence[Sequence[Stmt]], under: Callable[[Sequence[Stmt]], Block]
    ) -> list[Block]:
        """What `under` makes of the branches of a condition, which add as much to each list."""
        before = {name: growth.length for name, growth in self.growing.items()}
        done, lengths = list[Block](), list[dict[str, Polynomial]]()
        for branch in branches:
            for name, length in before.items():
                self.growing[name].length = length
                self.show(name)
            done.append(under(branch))
            lengths.append({name: self.growing[name].length for name in before})
        for name, length in lengths[0].items():
            if any(other[name] != length for other in lengths):
                raise self.refuse(
                    Reason.SYNTAX, self.nest.loop.line, f"{name}, a list of unknown length"
                )
        return done


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


def _stores_one(stmt: Stmt, name: str) -> bool:
    """Whether `stmt` stores one item of the list `name`."""
    match stmt:
        case ir.Put(value=Call(func=ir.UP | ir.DOWN)):
            return False
        case ir.Put(target=View(array=Name(id=found), index=(place,)), other=False):
            return found == name and not isinstance(place, ir.Slice | str)
    return False


def _has_a_base(expr: Expr) -> bool:
    """Whether NumPy returns a view of an array that nobody else knows."""
    return isinstance(expr, Call) and expr.func.rpartition(".")[2] in ("linspace", "roll")


def _pops(stmt: Stmt, name: str) -> bool:
    match stmt:
        case ir.Put(target=View(array=Name(id=found), index=("pop",))):
            return found == name
    return False
