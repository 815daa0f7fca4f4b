"""Names of arrays and lists in a nest that is written out: which array each of them stands for.

A name may be given a new array, a view of one, or an array that another name hands over.  Then the
nest copies, or looks through the name, where nobody can tell; else it is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from autopar.nest import ir, walking
from autopar.nest.arrays.growing import Growing
from autopar.nest.arrays.section import Section
from autopar.nest.arrays.stores import Made, axis_of
from autopar.nest.flow import exposed
from autopar.nest.ir import Assign, Const, Element, For, Name, Stmt, View
from autopar.nest.naming import assigns, changed_through, known_where_read, leaves, mentions
from autopar.nest.polynomial import Polynomial
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason

_SEVERAL = "which stands for one array and then for another"


@dataclass(slots=True)
class Binding(Growing):
    """Names of a nest that is written out.

    Attributes
    ----------
    inside
        The loops of `around`, as they were.
    branches
        Blocks around the branches that the statement at hand is in, and what follows these there,
        out to the innermost loop.
    views, rows
        Names of views, and of those that live on: of which array along which axis.
    brief
        Views that are read before the array has another value, and not after that.
    stmts
        The block at hand.
    """

    inside: list[For] = field(default_factory=list)
    branches: list[tuple[Sequence[Stmt], Sequence[Stmt]]] = field(default_factory=list)
    views: set[str] = field(default_factory=set)
    brief: set[str] = field(default_factory=set)
    rows: dict[str, tuple[str, int]] = field(default_factory=dict)

    @contextmanager
    def looping(self) -> Iterator[None]:
        """In a loop: what is around it is executed once, and what is in it more than once."""
        outside, self.branches = self.branches, []
        yield
        self.branches = outside

    def bind(self, name: str, value: Section, stmt: Assign) -> tuple[Stmt, ...]:
        """``name = value`` for an array."""
        if stmt.augmented and name in self.named:
            return self.store(self.named[name], value, stmt)
        if stmt.augmented:  # a number, of which this makes an array
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is no array at first")
        if value.new and isinstance(stmt.value, Name) and not self.passed_on(stmt.value.id):
            value = replace(value, new=False)  # both names are of one list
        if value.shared:
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, {_SEVERAL}")
        if value.new and value.where is not tuple and name in self.nest.live_out:
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, a part of a new array")
        if not value.fresh and not self.handed_over(name, stmt) and not self.only_read(name, value):
            return self.alias(name, value, stmt)
        made = self.made.get(name)
        if name in self.named and made is None:
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is a view as well")
        if name in self.entering and made is None:
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is no array at first")
        if not value.ordered:
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name} in another order than C")
        if made is None:
            changing = frozenset().union(*(e.names for e in value.extents)) - self.known.ints
            if changing and not self.keeps_inside(name, changing):
                raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, whose shape changes")
            made = self.made[name] = Made(f"<{name}>", value.extents, flag=f"<made {name}>")
            made.dtype, made.scope = value.dtype, tuple(self.around) if changing else ()
            made.listed = value.listed > 0
        elif len(made.extents) != value.rank:
            raise self.refuse(Reason.WRONG_RANK, stmt.line, name)
        elif made.listed != (value.listed > 0):
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is a list as well")
        made.holds(value)  # it has one dtype, whichever says so
        if value.dtype != made.dtype and made.by:
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, name)
        for one, two in zip(made.extents, value.extents, strict=True):
            self.equal(one, two, stmt.line)
            self.require(two, 0, None, stmt.line, "a negative number of elements")
        self.named[name] = made.section
        made.by.add(stmt.id)
        filled = self.store(made.section, value, stmt)
        if name not in self.nest.live_out:
            return filled
        flag = Assign(Name(made.flag), Const(1), next(self.ids), stmt.line)
        return (*filled, flag)

    def handed_over(self, name: str, stmt: Assign) -> bool:
        """Whether ``name = other`` may copy an array: nobody knows it as `other` from here on.

        At the end of an iteration, ``above = row`` where each iteration makes a `row` of its own.
        """
        if not isinstance(stmt.value, Name):
            return False
        other = stmt.value.id
        if other == name or other not in self.made:
            return False
        if name in self.made and self.replaced_next(other):
            if name in self.nest.live_out and self.may_be_live_in(other):
                return False  # the very array, which others may know
            paths = {self.made[one].path for one in (name, other)}
            return not any(self.named[view].path in paths for view in self.views)
        if other in self.nest.live_out:
            return False
        if name not in self.made:  # to look through the name copies nothing
            needs = self.several(other) or name in self.nest.live_out
            if name in self.named or not needs:
                return False
        mine = name in self.made and self.made[name].path
        if any(self.named[view].path == mine for view in self.views - self.brief):
            return False
        theirs = {v for v in self.views if self.named[v].path == self.made[other].path}
        if stmt not in self.stmts:
            return False
        rest: list[Stmt] = []  # what follows, out to the block that begins with another array
        for here, after in reversed((*self.branches, (self.stmts, self.rest))):
            rest += after
            if other not in exposed(here) and self.only_in(other, here):
                ours = (other, *theirs)
                return all(self.only_in(one, here) for one in ours) and not any(
                    mentions(later, one) for later in rest for one in ours
                )
        return False

    def may_be_live_in(self, name: str) -> bool:
        """Whether `name` may stand for an array from before the nest."""
        names, more = {name}, True
        while more:
            found = {
                stmt.value.id
                for stmt in walking.statements(self.nest.loop)
                if isinstance(stmt, Assign)
                and isinstance(stmt.target, Name)
                and isinstance(stmt.value, Name)
                and stmt.target.id in names
            }
            more, names = not found <= names, names | found
        return not names.isdisjoint(self.known.ranks)

    def only_read(self, name: str, value: Section) -> bool:
        """Whether `name`, first a live-in and then arrays of the nest, is only read, as that is."""
        loop, live_in = self.nest.loop, value.path
        if live_in not in self.known.ranks or name in self.nest.live_out or name in self.entering:
            return False
        if sum(1 for s in walking.statements(loop) if assigns(s, name)) < 2:
            return False  # to look through the name copies nothing
        ranks = (name, value.rank), (live_in, self.known.ranks[live_in])
        slices = not value.listed
        return not any(changed_through(loop, one, rank, slices) for one, rank in ranks)

    def replaced_next(self, name: str) -> bool:
        """Whether `name` is given another array before anything else is done with it."""
        for stmt in self.rest:
            if mentions(stmt, name) or leaves(stmt):
                return False
            match stmt:
                case Assign(target=Name(id=found), augmented=False) if found == name:
                    return True
            if any(assigns(inner, name) for inner in walking.statements(stmt)):
                return False
        return False

    def only_in(self, name: str, here: Sequence[Stmt]) -> bool:
        """Whether the block `here` has all that the nest does with `name`."""
        return sum(mentions(s, name) for s in here) == mentions(self.nest.loop, name)

    def several(self, name: str) -> bool:
        """Whether `name` is several arrays, one after the other."""
        binds = [s for s in walking.statements(self.nest.loop) if assigns(s, name)]
        again = sum(1 for s in binds if not getattr(s, "augmented", False)) > 1
        return again or self.made[name].initial is not None

    def steady(self, name: str, own: str) -> bool:
        """Whether all that is read of the view `name` is read before `own` is another array."""
        reads = [mentions(later, name) for later in self.rest]
        if sum(reads) != mentions(self.nest.loop, name) or name in self.nest.live_out:
            return False
        last = max((k for k, count in enumerate(reads) if count), default=-1)
        between = (s for later in self.rest[: last + 1] for s in walking.statements(later))
        return not any(assigns(s, own) for s in between)

    def stores_around(self, path: str) -> bool:
        if not self.enclosing:
            return True
        found = [self.stores_into(s, path) for s in walking.statements(self.enclosing[-1])]
        return any(found)  # of all: each says which lists must be apart

    def stores_into(self, stmt: Stmt, path: str) -> bool:
        """Whether `stmt` may store into a list behind `path`, if two of the user's are apart."""
        match stmt:
            case Assign(target=Element(array=name)) | ir.Put(target=View(array=Name(id=name))):
                made = self.made.get(name)
                if made is not None and made.extends is None and made.initial is None:
                    return path == made.path
                if name in self.named or name in self.nest.scalars or name == path:
                    return True
                if all(path != one.path for one in self.made.values()):
                    self.apart.add((name, path))
                return False
        return isinstance(stmt, ir.Put) or isinstance(getattr(stmt, "target", None), View)

    def keeps_inside(self, name: str, changing: frozenset[str]) -> bool:
        """Whether the array `name` is made in the loops of these variables and not seen outside."""
        around = [loop for loop in self.inside if loop.var in changing]
        if len(around) < len(changing) or name in self.nest.live_out:
            return False
        everywhere = mentions(self.nest.loop, name)
        once = sum(1 for s in walking.statements(self.nest.loop) if assigns(s, name)) == 1
        return once and all(
            name not in exposed(loop.body) and mentions(loop, name) == everywhere for loop in around
        )

    def alias(self, name: str, value: Section, stmt: Assign) -> tuple[Stmt, ...]:
        """A view that has a name."""
        loop = self.nest.loop
        kept = self.rows.get(name)
        if not known_where_read((loop,), name) or (name in self.named and name not in self.views):
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, {_SEVERAL}")
        mine = list(self.made.items())
        for own, made in mine:
            if made.path == value.path and self.several(own) and not self.steady(name, own):
                detail = f"{name}, a view of an array of the nest"
                raise self.refuse(Reason.SYNTAX, stmt.line, detail)
        self.views.add(name)
        if any(made.path == value.path and self.steady(name, own) for own, made in mine):
            self.brief.add(name)
        self.named[name] = value
        if name not in self.nest.live_out:
            return ()
        place = _row(value, self.known.ranks.get(value.path, 0))
        if place is None or kept not in (None, (value.path, place[0])):
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, a view that lives on")
        axis, index = place
        self.rows[name] = value.path, axis
        which = Assign(Name(f"<which {name}>"), index.expr(stmt.line), next(self.ids), stmt.line)
        return (which,)


def _row(section: Section, rank: int) -> tuple[int, Polynomial] | None:
    """The axis of which `section` is one place, if it is all of the others."""
    probe = tuple(axis_of(axis) for axis in range(section.rank))
    rest, found = iter(probe), []
    for axis, index in enumerate(section.where(probe)):
        if index in probe:
            if index != next(rest):
                return None
        else:
            found.append((axis, index))
    return found[0] if len(found) == 1 and section.rank == rank - 1 else None
