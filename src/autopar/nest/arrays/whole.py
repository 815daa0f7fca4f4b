"""Statements on whole arrays, written out as loops.

``B[1:-1] = 0.5 * (A[2:] + A[:-2])`` becomes a loop over the elements of the target.  All reads come
before all writes, as in NumPy: where an element may be read after it was written, what is computed
goes to an array of its own first.  An array that is given a name is a `Local`.

References
----------
Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, chapter 13 (scalarization of
array statements).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autopar.nest import ir, walking
from autopar.nest.arrays import (
    folds,
    joined,
    library,
    making,
    moments,
    ordering,
    products,
    shaped,
    sorting,
)
from autopar.nest.arrays.binding import Binding
from autopar.nest.arrays.elements import Value
from autopar.nest.arrays.section import ONE, Index, Section, part
from autopar.nest.arrays.stores import Made
from autopar.nest.flow import exposed
from autopar.nest.hidden import FRESH
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Items,
    Load,
    Local,
    Name,
    Nest,
    Row,
    Stmt,
    View,
    While,
)
from autopar.nest.kinds import UFUNCS
from autopar.nest.naming import assigns, changed_through, leaves, stored_first
from autopar.nest.polynomial import number
from autopar.nest.show import text
from autopar.nest.text import lazily
from autopar.nest.text.reading import LENGTH, MATMUL, SHAPE
from autopar.nest.typed.told import Arrays
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused

_MOST_STATEMENTS = 800
_WHOLE = (SHAPE, LENGTH, MATMUL, ir.LIST)
LIBRARY = folds, joined, library, making, moments, products, shaped, sorting
"""What is in them is known once they have been imported."""
known = library.known
_AT: Mapping[object, str] = {UFUNCS[op]: op for op in ("+", "-", "*")}
At = Callable[[Index], Expr]


def needed(nest: Nest, ranks: Mapping[str, int], calls: Mapping[str, object]) -> bool:
    """Whether `nest` has anything in it that must be written out.

    Parameters
    ----------
    ranks, calls
        Number of axes of each live-in array, and what each function is that it calls.
    """
    ranks = {**ranks, **{local.path: len(local.extents) for local in nest.locals}}
    for stmt in walking.statements(nest.loop):
        match stmt:
            case ir.Put():
                return True
            case Assign(target=Element(array=path, index=index)) if ranks.get(path) != len(index):
                return True
        for top in walking.expressions(stmt):
            for expr in walking.walk(top):
                match expr:
                    case View() | Items():
                        return True
                    case Name(id=path) if path in ranks:
                        return True
                    case Load(array=path, index=index) if ranks.get(path) != len(index):
                        return True
                    case Call(func=func, names=names):
                        if names or func in _WHOLE or func.startswith("<."):
                            return True
                        if known(calls.get(func)):
                            return True
    return False


def written_out(nest: Nest, known: Arrays, strict: bool) -> Nest | Refusal:
    """`nest` without statements on whole arrays.

    Parameters
    ----------
    known
        What is known of this call.
    strict
        Whether to check in the nest whatever cannot be known for sure before.
    """
    writer = _Writer(nest, known, strict)
    try:
        writer.prepare()
        columns = {one.path: one.names for one in nest.columns}
        before = [stmt for path in sorted(walking.grown(nest)) for stmt in writer.goes_on(path)]
        before += [
            stmt
            for path in sorted(walking.extended(nest))
            for name in columns.get(path, (path,))
            for stmt in writer.extend(name, path)
        ]
        *first, loop = writer.statement(nest.loop)  # what says how long it is comes first
        before += first
        assert isinstance(loop, For)
        if before:
            loop = ir.preceded(loop, tuple(before), next(writer.ids))
        return writer.nest_with(loop)
    except Refused as refused:
        return refused.refusal


@dataclass(slots=True)
class _Writer(Binding):
    """Statements of a nest that is written out.

    Attributes
    ----------
    inplace
        Scalars of the nest that are live-in arrays, and only changed in place.
    """

    inplace: set[str] = field(default_factory=set)

    # ------------------------------------------------------------------ the nest

    def prepare(self) -> None:
        """Scalars that are arrays from the start."""
        loop = self.nest.loop
        for name in sorted(set(self.nest.scalars) & self.known.ranks.keys()):
            mine = [s for s in walking.statements(loop) if assigns(s, name)]
            whole = self.array(name)
            if all(isinstance(s, Assign) and s.augmented for s in mine):
                self.inplace.add(name)
                self.named[name] = whole
                continue
            if not whole.ordered:
                raise self.refuse(Reason.SYNTAX, mine[0].line, f"{name} in another order than C")
            others = changed_through(loop, name, whole.rank, not whole.listed) - {name}
            if others or stored_first((loop,), name, False)[1]:
                detail = f"{name}, which is changed and then another array"
                raise self.refuse(Reason.SYNTAX, mine[0].line, detail)
            made = Made(f"<{name}>", whole.extents, None, f"<made {name}>", name)
            made.holds(whole)
            if 0 < whole.listed < whole.rank:
                raise self.refuse(Reason.SYNTAX, mine[0].line, f"{name}, a list of arrays at first")
            made.listed = whole.listed > 0
            self.made[name] = made
            self.named[name] = made.section

    def nest_with(self, loop: For) -> Nest:
        """The nest, its loop written out."""
        before, now = (sum(1 for _ in walking.statements(one)) for one in (self.nest.loop, loop))
        if now > max(before, _MOST_STATEMENTS):
            raise self.refuse(Reason.SYNTAX, loop.line, "whole-array statements that are too long")
        self.settled_lengths()
        used = _paths(loop)
        locals_ = tuple(
            Local(
                m.path,
                tuple(e.expr(loop.line) for e in m.most or m.extents),
                m.dtype,
                frozenset(m.by),
                m.flag,
                m.initial,
                m.scope,
                m.private,
                m.listed,
                m.length,
                m.extends,
                m.last_of,
                m.lengths,
                room=m.room,
                lowest=m.lowest,
                rows=m.rows,
            )
            for m in self.made.values()
        )
        conditions = (*self.nest.conditions, *self.conditions)
        used |= {local.initial for local in locals_ if local.initial}
        for expr in (*(e for m in locals_ for e in m.extents), *(c.expr for c in conditions)):
            used |= _names(expr)
        # What is written under another name is not seen in the copy that was made of it before.
        targets = {a.array for _, a in walking.accesses(loop) if isinstance(a, Element)}
        targets -= {m.path for m in self.made.values()}
        self.apart |= {(t, m.initial) for t in targets for m in self.made.values() if m.initial}
        flags = {name: made.flag for name, made in self.made.items()}
        flags |= {name: f"<which {name}>" for name in self.rows}
        counters = [
            made.length
            for name, made in self.made.items()
            if made.length is not None and (name in self.nest.live_out or made.extends)
        ]
        counters += [made.lowest for made in self.made.values() if made.lowest is not None]
        rows = [
            Row(position, *self.rows[name])
            for position, name in enumerate(self.nest.live_out)
            if name in self.rows
        ]
        flags |= {name: f"<made {name}>" for name in self.inplace}  # never: it stays what it is
        scalars = walking.assigned(loop)
        return replace(
            self.nest,
            loop=loop,
            paths=tuple(sorted(used - scalars)),
            scalars=tuple(sorted(scalars)),
            live_out=(*(flags.get(name, name) for name in self.nest.live_out), *counters),
            locals=locals_,
            apart=frozenset(self.apart),
            conditions=conditions,
            rows=tuple(rows),
            names=self.nest.results,
        )

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        sure = self.sure
        rest, around = self.rest, self.stmts
        self.stmts = stmts
        self.blocks.append(next(self.ids))
        for k, stmt in enumerate(stmts):
            self.rest = stmts[k + 1 :]
            made += self.statement(stmt)
            self.sure = self.sure and not leaves(stmt)
        self.sure, self.rest, self.stmts = sure, rest, around
        self.blocks.pop()
        return tuple(made)

    def under(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """Statements under a condition."""
        sure, self.sure = self.sure, False
        made = self.block(stmts)
        self.sure = sure
        return made

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """`stmt`, and before it what it needs."""
        outside, self.first, self.indices = self.first, [], {}
        try:
            made = self.plain(stmt)
            return (*self.first, *made)
        finally:
            self.first = outside

    def plain(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Assign():
                return self.assign(stmt)
            case ir.Put():
                return self.put(stmt)
            case If(test=test, body=body, orelse=orelse):
                here = self.scalar(test)
                self.branches.append((self.stmts, self.rest))
                then, other = self.either((body, orelse), self.under)
                self.branches.pop()
                return (replace(stmt, test=here, body=then, orelse=other),)
            case While(test=test, body=body):
                before = len(self.first)
                holds = self.scalar(test)
                again = self.first[before:]
                del self.first[before:]
                with self.looping():
                    inside = self.under(body)
                return (lazily.tested(stmt, (again, holds), inside, self.ids),)
            case For(start=start, stop=stop, step=step, body=body):
                self.goes_through_growing(stmt)
                bounds = [self.scalar(e) for e in (start, stop, step)]
                match bounds:
                    case [Const(0), Call(func="<min>" | "<max>") as length, Const(1)]:
                        bounds[1] = self.least(length, stmt.line)
                loop = replace(stmt, start=bounds[0], stop=bounds[1], step=bounds[2])
                entered = self.entered(loop)
                if entered:
                    self.inside.append(stmt)
                self.enclosing.append(stmt)
                with self.turning(loop), self.looping():
                    inside = self.block(body) if entered else self.under(body)
                self.enclosing.pop()
                if entered:
                    self.inside.pop()
                    self.around.pop()
                return (replace(loop, body=inside),)
        return (stmt,)

    def least(self, length: Call, line: int) -> Expr:
        """How many items a range from 0 has, as plainly as that is known, such as of the shortest.

        One that would end before it begins is as good as none.
        """
        match length:
            case Call(func="<max>", args=(found, Const(0))):
                return found
            case Call(func="<min>", args=args):
                plain = [self.least(e, line) if isinstance(e, Call) else e for e in args]
                first, *others = [self.exact(e, line) for e in plain]
                for one in others:
                    apart = None if first is None or one is None else (one - first).literal
                    if apart is None:
                        return length
                    first = one if apart < 0 else first
                return length if first is None else first.expr(line)
        return length

    def assign(self, stmt: Assign) -> tuple[Stmt, ...]:
        match stmt.target:
            case Element(array=path, index=(place,)) if path + FRESH in self.nest.paths:
                return self.new_row(path, place, stmt)
            case Element(array=path, index=index, id=number, line=line):
                nested, tupled = stmt.target.nested, stmt.target.tupled
                old = Load(path, index, number, line, tupled, nested)
                target = self.target(self.array(path), index, old)
                return self.given(target, stmt)
            case Name(id=name):
                if isinstance(stmt.value, Call) and stmt.value.func == ir.LIST:
                    return self.begun(name, stmt)
                if isinstance(stmt.value, Call) and stmt.value.func.startswith(ir.OF):
                    return self.counted(stmt.value)
                value = self.meant(stmt.value)
                if isinstance(value, Section):
                    return self.bind(name, value, stmt)
                if name in self.named:
                    raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is an array as well")
                exact = self.exact(value, stmt.line)
                if exact is not None and exact.names <= self.known.ints and self.once(name):
                    self.fixed[name] = exact
        return (replace(stmt, value=value, augmented=False),)

    def new_row(self, path: str, place: Expr, stmt: Assign) -> tuple[Stmt, ...]:
        """``a[place] = row`` for a new list: see `nest.values.replaced`."""
        line = stmt.line
        old = Load(path, (place,), next(self.ids), line)
        row = self.taken(self.array(path), (place,), old, target=True)
        value = self.meant(stmt.value)
        if not isinstance(row, Section) or not isinstance(value, Section) or value.listed != 1:
            raise self.refuse(Reason.SYNTAX, line, f"{text(old)}, another item in a list of lists")
        if not value.fresh and all(value.path != made.path for made in self.made.values()):
            raise self.refuse(Reason.SYNTAX, line, f"{text(old)}, a list that has another name")
        self.equal(row.extents[0], value.extents[0], line)
        return self.store(row, value, stmt)

    def once(self, name: str) -> bool:
        """Whether the scalar `name` is assigned in one place, and read after that only."""
        loop = self.nest.loop
        places = [
            s
            for s in walking.statements(loop)
            if assigns(s, name) or (isinstance(s, For) and s.var == name)
        ]
        return len(places) == 1 and name not in exposed((loop,))

    def counted(self, call: Call) -> tuple[Stmt, ...]:
        """See to it that something has as many items as it must."""
        (expr,) = call.args
        value = self.meant(expr)
        if not isinstance(value, Section):
            raise self.refuse(Reason.NOT_ARRAY, call.line, text(expr).strip("<>"))
        wanted = int(call.func.removeprefix(ir.OF)[:-1])
        why = f"{text(expr).strip('<>')} with other than {wanted} items to unpack"
        self.require(value.extents[0] - number(wanted), 0, 0, call.line, why)
        return ()

    def put(self, stmt: ir.Put) -> tuple[Stmt, ...]:
        """``view = value``."""
        if stmt.other:
            return self.each(stmt)
        view = stmt.target
        if view.index == ("append",):
            if not isinstance(view.array, Name):
                raise self.refuse(Reason.SYNTAX, stmt.line, text(view))
            return self.appended(view.array.id, stmt)
        if view.index == ("pop",):
            if not isinstance(view.array, Name):
                raise self.refuse(Reason.SYNTAX, stmt.line, text(view))
            return self.popped(view.array.id, stmt.line)
        base = self.meant(view.array)
        whole = view.array
        while isinstance(whole, View):
            whole = whole.array
        if isinstance(base, Section) and isinstance(whole, Name):
            base = replace(base, new=False)  # of one that has a name, be it a name of ours
        if not isinstance(base, Section) or base.fresh:
            raise self.refuse(Reason.WRONG_TYPE, stmt.line, text(view))
        if isinstance(stmt.value, Call) and stmt.value.func in (ir.UP, ir.DOWN):
            return self.store(base, ordering.in_place(self, base, stmt.value), stmt)
        if base.listed == base.rank == 1 and isinstance(view.index[0], ir.Slice):
            return self.exchanged(base, stmt)
        target = self.target(base, view.index, view)
        return self.given(target, stmt)

    def exchanged(self, base: Section, stmt: ir.Put) -> tuple[Stmt, ...]:
        """``items[a:b] = others`` of a list: of as many, or it would have another length."""
        line, view = stmt.line, stmt.target
        match stmt.value:
            case Call(func=ir.BACKWARDS, args=(items,)):
                turned = True
            case items:
                turned = False
        self.at_once = True
        try:
            value = self.meant(items)
        finally:
            self.at_once = False
        if turned and isinstance(value, Section) and value.rank == 1:
            value = self.backwards(value, line)
        fixed = base.path in self.known.fixed
        long = base.path in self.nest.paths or self.as_long(base.path)
        as_list = isinstance(value, Section) and value.listed == value.rank == 1
        if not (as_list and isinstance(value, Section) and long) or fixed or stmt.augmented:
            raise self.refuse(Reason.WRONG_TYPE, line, f"{text(view)} of a list, which is assigned")
        target = part(base, self.items(base, self.parts(base, view.index, view), line))
        why = f"{text(view)}, which is assigned another number of items"
        self.require(target.extents[0] - value.extents[0], 0, 0, line, why)
        return self.store(target, value, stmt)

    def backwards(self, items: Section, line: int) -> Section:
        """The items of a list from the last to the first."""
        (extent,) = items.extents
        last = extent - ONE

        def element(index: Index) -> Expr:
            return self.element(items, (last - index[0],), line)

        return replace(items, compute=element, path="", where=tuple)

    def each(self, stmt: ir.Put) -> tuple[Stmt, ...]:
        """``ufunc.at(array, index, value)``."""
        view, call = stmt.target, stmt.value
        assert isinstance(call, Call)
        op = _AT.get(self.known.objects.get(call.func))
        base = self.value(view.array)
        if op is None or not isinstance(base, Section) or base.fresh:
            raise self.refuse(Reason.CALL, stmt.line, f"{call.func}.at")
        target = self.target(base, view.index, view)
        if not isinstance(target, Section) or target.mask is not None:
            raise self.refuse(Reason.CALL, stmt.line, f"{call.func}.at")
        return self.one_by_one(target, op, self.value(call.args[0]), stmt)

    def target(self, base: Section, index: Sequence[ir.Part], expr: Load | View) -> Value:
        """``base[index]`` to be assigned; of a list, only a number can be."""
        found = self.taken(base, index, expr, target=True)
        if isinstance(found, Section) and found.listed:
            raise self.refuse(Reason.SYNTAX, expr.line, f"{text(expr)}, a list in another list")
        return found

    def given(self, target: Value, stmt: Assign | ir.Put) -> tuple[Stmt, ...]:
        """``target = value`` for an element or a part of an array."""
        under = self.masked(target, stmt)
        if under is not None and isinstance(target, Section):
            return self.store(target, under, stmt)
        value = self.value(stmt.value)
        if isinstance(target, Section):
            several = isinstance(value, Section) and value.rank > target.rank - target.masked
            if target.mask is not None and several and not stmt.augmented:
                raise self.refuse(Reason.SYNTAX, stmt.line, text(stmt.target))
            return self.store(target, value, stmt)
        if isinstance(value, Section) or not isinstance(target, Load):
            raise self.refuse(Reason.WRONG_TYPE, stmt.line, text(stmt.target))
        place = Element(target.array, target.index, target.id, target.line)
        return (Assign(place, value, stmt.id, stmt.line), *self.changed(target))


def _paths(loop: For) -> set[str]:
    """Everything that `loop` names, scalars included."""
    found: set[str] = set()
    for stmt in walking.statements(loop):
        for top in walking.expressions(stmt):
            for expr in walking.walk(top):
                found |= _named(expr)
        if isinstance(stmt, Assign) and isinstance(stmt.target, Element):
            found.add(stmt.target.array)
    return found


def _names(expr: Expr) -> set[str]:
    return {name for inner in walking.walk(expr) for name in _named(inner)}


def _named(expr: Expr) -> set[str]:
    match expr:
        case Name(id=name) | Load(array=name) | ir.Dim(array=name):
            return {name}
        case Call(func=func) if not func.startswith("<"):
            return {func}
    return set()
