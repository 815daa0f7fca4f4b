"""Tuples of numbers as so many scalars.

``p = x, y`` becomes ``<p[0]> = x; <p[1]> = y`` where all that `p` is ever given are tuples of one
length, and ``p[0]``, ``len(p)`` and ``a, b = p`` mean these scalars.  A row that is unpacked is
read item by item; that it has as many is a condition of the call.

References
----------
Scalar replacement of aggregates: Muchnick, *Advanced Compiler Design and Implementation*,
section 12.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Assign,
    Bundle,
    Call,
    Compare,
    Condition,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Items,
    Load,
    Name,
    Nest,
    Places,
    Select,
    Slice,
    Stmt,
    View,
    While,
)
from autopar.nest.meaning import rebuilt, renumbered
from autopar.nest.naming import mentions
from autopar.nest.show import text
from autopar.nest.text.reading import LENGTH, SHAPE
from autopar.nest.typed.told import Held
from autopar.nest.values import columns
from autopar.nest.values.tupled import Shape, Shapes, expressions, user_name, width
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason, Refusal, Refused, Span

Tree = Expr | tuple["Tree", ...]
"""A number, or a tuple of such."""
_FULL = Slice(None, None, None)


def starred(nest: Nest) -> Refusal | None:
    """Why a call with a star among its arguments is not taken, where one has been left."""
    for stmt, expr in expressions(nest.loop):
        if isinstance(expr, Call) and any(_is(arg, ir.STAR) for arg in expr.args):
            return Refusal(Reason.CALL, Span(nest.file, stmt.line), text(expr))
    return None


def needed(nest: Nest) -> bool:
    """Whether there are tuples in `nest` that are no arguments."""
    for stmt in walking.statements(nest.loop):
        for top in walking.expressions(stmt):
            if isinstance(top, Items):
                return True
            for expr in walking.walk(top):
                inner = () if isinstance(expr, Call | Items) else walking.children(expr)
                if _is(expr, ir.UNPACK) or any(isinstance(part, Items) for part in inner):
                    return True
    return False


def apart(nest: Nest, held: Mapping[str, Held]) -> Nest | Refusal:
    """`nest` without tuples, but for arguments.

    Parameters
    ----------
    held
        What is known of live-in arrays and lists.
    """
    splitter = Splitter(nest, held)
    try:
        splitter.infer()
        return splitter.nest_of(splitter.statement(nest.loop))
    except Refused as refused:
        return refused.refusal


@dataclass(slots=True)
class Splitter(Shapes):
    """Makes scalars of tuples.

    Attributes
    ----------
    alias
        Names that stand for the items of others.
    around
        The loops around the statement at hand.
    first
        What is to be done before it.
    """

    ids: count[int] = field(init=False)
    alias: dict[str, str] = field(default_factory=dict)
    conditions: dict[Condition, None] = field(default_factory=dict)
    around: list[For] = field(default_factory=list)
    first: list[Stmt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ids = count(1 + max(walking.numbers(self.nest.loop)))

    # ------------------------------------------------------------------ expressions

    def scalar(self, expr: Expr) -> Expr:
        """`expr`, which must not be a tuple."""
        found = self.tree(expr)
        if isinstance(found, tuple):
            raise self.refuse(f"{text(expr)}, a tuple as a whole")
        return found

    def truth(self, expr: Expr) -> Expr:
        """`expr`, of which only the truth is asked: that of a list is whether it has items."""
        match expr:
            case Name(id=name) if name in self.lists:
                length = Call(LENGTH, (columns.names(self, name)[0],), self.line)
                return Compare(">", length, Const(0), self.line)
            case ir.Logic(values=values, chain=False):
                return replace(expr, values=tuple(map(self.truth, values)))
            case ir.Unary(op="not", operand=operand):
                return replace(expr, operand=self.truth(operand))
        return self.scalar(expr)

    def tree(self, expr: Expr) -> Tree:
        """What `expr` is; a tuple where it is one for sure."""
        match expr:
            case Items(values=values, listed=False):
                return tuple(map(self.tree, values))
            case Items(listed=True):
                raise self.refuse(f"{text(expr)}, a list")
            case Name(id=name) if name in self.shapes:
                return self.names(name)
            case Name(id=name) if name in self.lists:
                raise self.refuse(f"{user_name(name)}, a list of tuples as a whole")
            case View(array=Name(id=name), index=(ir.Const() | ir.Name() as place,)) if (
                name in self.lists
            ):
                return columns.item(self, name, place)
            case Call(func=func, args=(Name(id=name),)) if func == LENGTH and name in self.lists:
                return replace(expr, args=(columns.names(self, name)[0],))
            case Call(func=func) if func.startswith(ir.UNPACK):
                return self.unpacked(expr)
            case Call(func=func, args=(inner,)) if func == LENGTH and self.shape(inner) is not None:
                if not isinstance(inner, Name):
                    raise self.refuse(text(expr))
                return Const(len(self.shapes[inner.id]))
            case Call(args=args):
                return replace(expr, args=tuple(map(self.argument, args)))
            case Select():
                return self.select(expr)
            case Compare(op="==" | "!=", left=left, right=right) if (
                self.shape(left) is not None or self.shape(right) is not None
            ):
                return self.equal(expr, left, right)
            case View(array=array, index=index):
                whole = self.tree(array)
                if isinstance(whole, tuple):
                    return self.item(whole, index, expr)
        return rebuilt(expr, self.scalar)

    def argument(self, expr: Expr) -> Expr:
        """`expr` as an argument, which may be a tuple."""
        if isinstance(expr, Items):
            return replace(expr, values=tuple(map(self.argument, expr.values)))
        return _display(self.tree(expr), self.line)

    def named(self, name: str, shape: tuple[Shape, ...]) -> tuple[Tree, ...]:
        """Names for the items of a tuple."""
        return named(name, shape)

    def names(self, name: str) -> tuple[Tree, ...]:
        """The scalars that stand for `name`."""
        name = self.alias.get(name, name)
        return named(name.replace(".", ":"), self.shapes[name])

    def unpacked(self, expr: Call) -> Tree:
        """The items of what is unpacked."""
        (inner,) = expr.args
        wanted = width(expr)
        found = self.tree(inner)
        if not isinstance(found, tuple):
            known = self.fixed(inner)
            shape = known if known and len(known) == wanted else (None,) * wanted
            return self.row(inner, shape, True)
        if len(found) != wanted:
            raise self.refuse(f"{text(inner)}, a tuple of {len(found)} and not {wanted} items")
        return found

    def select(self, expr: Select) -> Tree:
        """``body if test else orelse``, item by item."""
        test = self.scalar(expr.test)
        body, orelse = self.tree(expr.body), self.tree(expr.orelse)
        shape = self.shape(expr)
        if shape is None:
            assert not isinstance(body, tuple)
            assert not isinstance(orelse, tuple)
            return replace(expr, test=test, body=body, orelse=orelse)
        if not isinstance(body, tuple):
            body = self.row(expr.body, shape)
        if not isinstance(orelse, tuple):
            orelse = self.row(expr.orelse, shape)
        return self.chosen(expr, test, body, orelse)

    def chosen(self, expr: Select, test: Expr, body: Tree, orelse: Tree) -> Tree:
        if isinstance(body, tuple) and isinstance(orelse, tuple) and len(body) == len(orelse):
            pairs = zip(body, orelse, strict=True)
            return tuple(self.chosen(expr, test, *both) for both in pairs)
        if isinstance(body, tuple) or isinstance(orelse, tuple):
            raise self.refuse(f"{text(expr)}, of several shapes")
        return replace(expr, test=renumbered(test, self.ids), body=body, orelse=orelse)

    def equal(self, expr: Compare, left: Expr, right: Expr) -> Expr:
        """Whether two tuples are equal, item by item.

        What is no number is equal to itself all the same, if it is the very same object: then the
        nest gives up.
        """
        shape = self.shape(left) or self.shape(right)
        assert shape is not None
        one, other = self.shaped(left, shape), self.shaped(right, shape)
        pairs = list(_pairs(one, other))
        if None in pairs:
            raise self.refuse(f"{text(expr)}, tuples of several shapes")
        known = [side for pair in filter(None, pairs) for side in pair]
        itself = tuple(
            Compare("==", renumbered(one, self.ids), renumbered(one, self.ids), expr.line)
            for k, one in enumerate(known)
            if k != 1 and not isinstance(one, Const)
        )
        found = [_asked(Compare(expr.op, a, b, expr.line)) for a, b in filter(None, pairs)]
        if itself:  # all of it is evaluated before anything is compared
            sure = itself[0] if len(itself) == 1 else ir.Logic("and", itself, expr.line)
            found[0] = Call(ir.GIVEN, (found[0], _truth(sure, expr.line)), expr.line)
        if len(found) == 1:
            return found[0]
        return ir.Logic("and" if expr.op == "==" else "or", tuple(found), expr.line)

    def item(self, whole: tuple[Tree, ...], index: Sequence[ir.Part], expr: View) -> Tree:
        """``whole[index]``."""
        size = len(whole)
        match index:
            case [Const(value=value)] if type(value) is int and -size <= value < size:
                rest = [part for k, part in enumerate(whole) if k != value % size]
                if all(map(_harmless, rest)):
                    return whole[value]
            case [Name(id=var) as place] if all(isinstance(part, Name) for part in whole):
                loops = [loop for loop in self.around if loop.var == var]
                steps = [_range(loop) for loop in loops[-1:]]
                if steps and steps[0] and min(steps[0]) >= 0 and max(steps[0]) < size:
                    found = whole[-1]
                    for k, part in reversed([*enumerate(whole[:-1])]):
                        here = Compare("==", place, Const(k), expr.line)
                        assert not isinstance(part, tuple)
                        assert not isinstance(found, tuple)
                        found = Select(here, part, found, expr.line)
                    return found
        raise self.refuse(f"{user_name(text(expr))}, an item of a tuple")

    def row(self, expr: Expr, shape: tuple[Shape, ...], unpacking: bool = False) -> Tree:
        """The items of something that is no tuple of the nest; they are read now."""
        found = self.row_of(expr)
        if found is not None:
            path, index = found
            held = self.held[path]
            left = len(held.shape) - len(index)
            if left > 0 and (unpacking or left <= held.fixed):
                load = Load(path, index, 0, self.line, getattr(expr, "tupled", 0), bool(index))
                return self.items(load, shape)
        if unpacking:
            match expr:
                case Call(func=func, args=(Name(id=path),)) if func == SHAPE and path in self.held:
                    if len(self.held[path].shape) == len(shape):
                        return tuple(Dim(path, k, attribute=True) for k in range(len(shape)))
                case View(array=Name(id=path), index=parts) if self.cuts(path, parts):
                    return self.line_of(expr, path, parts, len(shape))
            return self.views(expr, len(shape))
        raise self.refuse(f"{user_name(text(expr))}, the number of whose items is not known")

    def items(self, row: Load, shape: tuple[Shape, ...]) -> tuple[Tree, ...]:
        """The items of a row of a live-in array."""
        self.require(row.array, len(row.index), len(shape))
        found: list[Tree] = []
        for k, part in enumerate(shape):
            index = (*(renumbered(self.scalar(e), self.ids) for e in row.index), Const(k))
            item = replace(row, index=index, id=next(self.ids))
            found.append(item if part is None else self.items(replace(item, nested=True), part))
        return tuple(found)

    def views(self, expr: Expr, size: int) -> tuple[Tree, ...]:
        """The items of what `nest.arrays.whole` may know to be an array."""
        if not isinstance(expr, Name):
            held = Name(f"<t {next(self.ids)}>")
            self.first.append(self.given(held, self.scalar(expr)))
            expr = held
        sure = Call(f"{ir.OF}{size}>", (expr,), self.line)
        self.first.append(self.given(Name(f"<ok {next(self.ids)}>"), sure))
        return tuple(View(expr, (Const(k),), self.line) for k in range(size))

    def cuts(self, path: str, index: Sequence[ir.Part]) -> bool:
        """Whether ``path[index]`` is a row or a column of a live-in array."""
        held = None if path in self.nest.scalars else self.held.get(path)
        plain = [part for part in index if not isinstance(part, Slice | str)]
        fits = held is not None and len(index) == len(held.shape) == len(plain) + 1
        return fits and _FULL in index

    def line_of(
        self, view: View, path: str, index: Sequence[ir.Part], size: int
    ) -> tuple[Load, ...]:
        """The items of ``array[:, i]``."""
        self.require(path, index.index(_FULL), size)
        found = []
        for k in range(size):
            place = tuple(
                Const(k)
                if isinstance(part, Slice | str)
                else renumbered(self.scalar(part), self.ids)
                for part in index
            )
            found.append(Load(path, place, next(self.ids), self.line, view.tupled))
        return tuple(found)

    def require(self, path: str, axis: int, size: int) -> None:
        """Note that an array must be so long."""
        why = f"{path} with other than {size} items to unpack"
        self.conditions[Condition(Dim(path, axis), size, size, (), self.line, why)] = None

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        for k, stmt in enumerate(stmts):
            if not self.stands_for(stmt, stmts[k + 1 :]):
                made += self.statement(stmt)
        return tuple(made)

    def stands_for(self, stmt: Stmt, rest: Sequence[Stmt]) -> bool:
        """Whether `stmt` only holds the items of a tuple for statements that leave that alone."""
        match stmt:
            case Assign(
                target=Name(id=held), value=Call(func=func, args=(Name(id=name),)) as value
            ) if func.startswith(ir.UNPACK) and ir.UNPACKED in held and name in self.shapes:
                last = max((k for k, s in enumerate(rest) if mentions(s, held)), default=-1)
                if any(name in walking.assigned(s) for s in rest[: last + 1]):
                    return False
                self.line = stmt.line
                self.unpacked(value)
                self.alias[held] = self.alias.get(name, name)
                return True
        return False

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        self.line = stmt.line
        several = columns.statement(self, stmt)
        if several is not None:
            return several
        match stmt:
            case Assign(target=Name(id=name), value=value) if name in self.shapes:
                return self.spread(name, value, stmt)
            case Assign(target=Element(array=path, index=index) as target, value=value) if (
                self.shape(value) is not None
            ):
                held = self.held.get(path)
                if held is None or held.listed or len(held.shape) != len(index) + 1:
                    raise self.refuse(f"{text(target)} = {user_name(text(value))}, a tuple")
                here = View(Name(path), (*index, _FULL), stmt.line, tupled=1)
                return self.stored(here, path, here.index, value)
            case ir.Put(target=View(array=Name(id=path), index=index) as view, value=value) if (
                self.shape(value) is not None and self.cuts(path, index)
            ):
                return self.stored(view, path, index, value)
            case Assign(target=target, value=value):
                value = self.scalar(value)
                if isinstance(target, Element):
                    target = replace(target, index=tuple(map(self.scalar, target.index)))
                return (replace(stmt, target=target, value=value),)
            case ir.Put(target=target, value=value):
                place = self.scalar(target)
                if not isinstance(place, View):
                    raise self.refuse(f"{text(target)}, an item of a tuple")
                return (replace(stmt, target=place, value=self.scalar(value)),)
            case If(test=test, body=body, orelse=orelse):
                test = self.truth(test)
                return (replace(stmt, test=test, body=self.block(body), orelse=self.block(orelse)),)
            case While(test=test, body=body):
                return (replace(stmt, test=self.truth(test), body=self.block(body)),)
            case For(start=start, stop=stop, step=step, body=body):
                start, stop, step = map(self.scalar, (start, stop, step))
                loop = replace(stmt, start=start, stop=stop, step=step)
                self.around.append(loop)
                inside = self.block(body)
                self.around.pop()
                return (replace(loop, body=inside),)
        return (stmt,)

    def stored(
        self, view: View, path: str, index: Sequence[ir.Part], value: Expr
    ) -> tuple[Stmt, ...]:
        """``array[:, i] = value`` for a tuple: NumPy assigns item by item."""
        found = self.tree(value)
        if not isinstance(found, tuple) or any(isinstance(part, tuple) for part in found):
            raise self.refuse(f"{text(view)} = {user_name(text(value))}, a tuple")
        held = [Name(f"<t {next(self.ids)}>") for _ in found]
        first = [
            self.given(temp, e)
            for temp, e in zip(held, found, strict=True)
            if not isinstance(e, tuple)
        ]
        last = [
            Assign(
                Element(path, load.index, load.id, self.line, load.tupled),
                temp,
                next(self.ids),
                self.line,
            )
            for load, temp in zip(self.line_of(view, path, index, len(held)), held, strict=True)
        ]
        return (*first, *last)

    def spread(self, name: str, value: Expr, stmt: Assign) -> tuple[Stmt, ...]:
        """``name = value`` for a tuple: all values before all targets."""
        shape = self.shapes[name]
        match value:
            case Call(func=func, args=(Select() as inner,)) if func.startswith(ir.UNPACK):
                both = (replace(value, args=(part,)) for part in (inner.body, inner.orelse))
                then, other = (self.spread(name, e, stmt) for e in both)
                test = self.scalar(inner.test)
                return (If(test, then, other, next(self.ids), stmt.line),)
            case Select(test=test, body=body, orelse=orelse):
                test = self.scalar(test)
                then, other = (self.spread(name, e, stmt) for e in (body, orelse))
                return (If(test, then, other, next(self.ids), stmt.line),)
        if _is(value, ir.NOTHING):
            return tuple(self.given(one, _nothing(one)) for one in _leaves(self.names(name)))
        found = self.shaped(value, shape)
        before, self.first = self.first, []
        pairs = list(self.paired(name, self.names(name), found))
        targets = [target.id for target, _ in pairs]
        if any(_reads(e) & set(targets[:k]) for k, (_, e) in enumerate(pairs)):
            held = [Name(f"<t {next(self.ids)}>") for _ in pairs]
            first = [self.given(t, e) for t, (_, e) in zip(held, pairs, strict=True)]
            last = [self.given(n, t) for t, (n, _) in zip(held, pairs, strict=True)]
            return (*before, *first, *last)
        return (*before, *(self.given(target, e) for target, e in pairs))

    def shaped(self, value: Expr, shape: Shape) -> Tree:
        """What `value` is, where a name of this shape is given it."""
        match value:
            case Items(values=values, listed=False) if shape and len(shape) == len(values):
                return tuple(self.shaped(*both) for both in zip(values, shape, strict=True))
        found = self.tree(value)
        return self.row(value, shape) if shape and not isinstance(found, tuple) else found

    def given(self, target: Name, value: Expr) -> Stmt:
        return Assign(target, value, next(self.ids), self.line)

    def paired(self, name: str, one: Tree, other: Tree) -> Iterator[tuple[Name, Expr]]:
        """Each scalar of a tuple with its value."""
        if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
            for both in zip(one, other, strict=True):
                yield from self.paired(name, *both)
        elif isinstance(one, Name) and not isinstance(other, tuple):
            yield one, other
        else:
            raise self.refuse(f"{user_name(name)}, tuples of several shapes")

    # ------------------------------------------------------------------ the nest

    def nest_of(self, made: Sequence[Stmt]) -> Nest:
        """The nest whose loop has been `made`."""
        nest = self.nest
        (loop,) = made
        assert isinstance(loop, For)
        entered = sorted(exposed((nest.loop,)) & self.shapes.keys())
        first = [stmt for name in entered for stmt in self.entry(name)]
        if first:
            loop = ir.preceded(loop, tuple(first), next(self.ids))
        live, bundles = list(nest.live_out), []
        for position, name in enumerate(nest.live_out):
            if name in self.shapes:
                places = _placed(self.names(name), position, live)
                assert isinstance(places, tuple)
                bundles.append(Bundle(position, places))
        holders = columns.handed_out(self, live, nest.holders)
        scalars = walking.assigned(loop)
        return replace(
            nest,
            loop=loop,
            paths=tuple(sorted({*nest.paths, *entered})),
            scalars=tuple(sorted(scalars)),
            live_out=tuple(live),
            conditions=(*nest.conditions, *self.conditions),
            bundles=tuple(bundles),
            holders=holders,
            columns=nest.columns or columns.extending(self),
            names=(*nest.results, *live[len(nest.live_out) :]),
        )

    def entry(self, name: str) -> list[Stmt]:
        """What gives the scalars of `name` their values before the nest."""
        self.line = self.nest.loop.line
        shape, held = self.shapes[name], self.held.get(name)
        if held is None or len(held.shape) != held.fixed or len(held.shape) != _depth(shape):
            raise self.refuse(f"{user_name(name)}, no such tuple at first")
        values = self.items(Load(name, (), 0, self.line), shape)
        return [self.given(*pair) for pair in self.paired(name, self.names(name), values)]


def _asked(test: Compare) -> Expr:
    """The truth of `test`, as Python has it."""
    return _truth(test, test.line)


def _truth(test: Expr, line: int) -> Expr:
    return Select(test, Const(True), Const(False), line)


def _pairs(one: Tree, other: Tree) -> Iterator[tuple[Expr, Expr] | None]:
    """The numbers of two tuples; None where they are of different shapes."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for both in zip(one, other, strict=True):
            yield from _pairs(*both)
    elif isinstance(one, tuple) or isinstance(other, tuple):
        yield None
    else:
        yield one, other


def _is(expr: Expr, func: str) -> bool:
    return isinstance(expr, Call) and expr.func.startswith(func)


def named(name: str, shape: tuple[Shape, ...]) -> tuple[Tree, ...]:
    inner = [(f"{name}[{k}]", part) for k, part in enumerate(shape)]
    return tuple(Name(f"<{n}>") if part is None else named(n, part) for n, part in inner)


def _display(found: Tree, line: int) -> Expr:
    if not isinstance(found, tuple):
        return found
    return Items(tuple(_display(part, line) for part in found), line)


def _placed(found: Tree, first: int, live: list[str]) -> Places:
    """Where the scalars of a tuple stand in `live`: the first one in a place that is given."""
    if isinstance(found, Name):
        if live[first].startswith("<"):  # taken
            live.append(found.id)
            return len(live) - 1
        live[first] = found.id
        return first
    assert isinstance(found, tuple)
    return tuple(_placed(part, first, live) for part in found)


def _depth(shape: Shape) -> int:
    """How deep tuples are in one another; -1 where that is not the same everywhere."""
    if shape is None:
        return 0
    depths = set(map(_depth, shape))
    return 1 + depths.pop() if len(depths) == 1 and -1 not in depths else -1


def _range(loop: For) -> range:
    """What `loop` goes through, as far as its text says."""
    match loop.start, loop.stop, loop.step:
        case Const(value=int(start)), Const(value=int(stop)), Const(value=int(step)) if step:
            return range(start, stop, step)
    return range(0)


def _harmless(found: Tree) -> bool:
    """Whether nothing can happen when this is evaluated."""
    if isinstance(found, tuple):
        return all(map(_harmless, found))
    return all(isinstance(part, Name | Const | Select) for part in walking.walk(found))


def _reads(expr: Expr) -> set[str]:
    return {part.id for part in walking.walk(expr) if isinstance(part, Name)}


def _leaves(found: Tree) -> Iterator[Name]:
    """The scalars of a tuple."""
    if isinstance(found, tuple):
        for part in found:
            yield from _leaves(part)
    else:
        assert isinstance(found, Name)
        yield found


def _nothing(name: Name) -> Expr:
    return Call(f"{ir.NOTHING}{name.id}>", (), 0)
