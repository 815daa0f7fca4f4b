"""What a ``for`` goes through: ranges, items of arrays, tuples that are written out, products."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autopar.nest import ir, walking
from autopar.nest.ir import COUNTING
from autopar.nest.marks import THROUGH, mark
from autopar.nest.text.reading import Reading
from autopar.nest.trees import every
from autopar.records import dataclass, field
from autopar.verdict import Reason

_MOST_ITEMS = 64  # of a tuple that is written out
_BUILTINS = COUNTING - {"arange", "ndindex", "product"}
Item = tuple[ast.expr, ir.Expr]
"""A part of a target, and what it is in an iteration."""


@dataclass(frozen=True, slots=True)
class Range:
    """The integers of ``range(start, stop, step)``; as NumPy's where `numpy` is set."""

    start: ir.Expr
    stop: ir.Expr
    step: ir.Expr
    numpy: bool = False

    def item(self, number: ir.Expr, line: int) -> ir.Expr:
        """What the variable of a loop is, where the range is at `number`."""
        return ir.Call("<cast int64>", (number,), line) if self.numpy else number


@dataclass(slots=True)
class Iteration(Reading):
    """What loops go through.

    Attributes
    ----------
    hidden
        Names of ours so far.
    before
        What is to be done before the loop at hand.
    conditions
        What must be true at the call.
    """

    hidden: set[str] = field(default_factory=set)
    before: list[ir.Stmt] = field(default_factory=list)
    conditions: list[ir.Condition] = field(default_factory=list)

    def hide(self, name: str) -> str:
        """A name of ours that looks like the user's."""
        ours = f"<{name}>"
        while ours in self.hidden:
            ours = f"<{name}{self.next_id()}>"
        self.hidden.add(ours)
        return ours

    def arguments(self, node: ast.expr, least: int, most: int) -> list[ast.expr]:
        """The arguments of a call that is none in the IR."""
        assert isinstance(node, ast.Call)
        name = called(node)
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise self.refuse(Reason.NOT_RANGE, node)
        if name is None or not least <= len(node.args) <= most:
            raise self.refuse(Reason.NOT_RANGE, node)
        if self.path(node.func) is None:
            raise self.refuse(Reason.SHADOWED, node)
        self.counting[self.live_in(node.func)] = name
        return node.args

    # ------------------------------------------------------------------ ranges

    def range(self, node: ast.expr) -> Range | None:
        """The integers that `node` goes through, if it is so written."""
        match called(node):
            case "range" | "arange" as name:
                args = [self.expr(arg) for arg in self.arguments(node, 1, 3)]
                if name == "arange":
                    args = [ir.Call("<signed>", (arg,), node.lineno) for arg in args]
                start, stop = (ir.Const(0), args[0]) if len(args) == 1 else (args[0], args[1])
                step = args[2] if len(args) == 3 else ir.Const(1)
                return Range(start, stop, step, name == "arange")
            case "reversed" | "list" | "tuple" | "sorted" as name:
                assert isinstance(node, ast.Call)
                found = self.range(node.args[0]) if len(node.args) == 1 else None
                if found is None:
                    return None
                self.arguments(node, 1, 1)
                if name in ("list", "tuple"):
                    return None if found.numpy else found
                return self.ordered(node, found, name == "reversed")
        return None

    def ordered(self, node: ast.expr, found: Range, backwards: bool) -> Range:
        """A range whose step is a number, from its last item on, or from the least on."""
        start, stop, line = found.start, found.stop, node.lineno
        match found.step:
            case ir.Const(value=int(size)) if size in (1, -1) and not found.numpy:
                if not backwards and size == 1:
                    return found
                if any(isinstance(e, ir.Call) for e in walking.walk(start)):
                    start = self.once(start, line)  # Python evaluates it before the other end
                last = ir.Binary("-", stop, ir.Const(size), line)
                beyond = ir.Binary("-", start, ir.Const(size), line)
                return Range(last, beyond, ir.Const(-size))
            case ir.Const(value=int(size)) if type(size) is int and size and not found.numpy:
                if not backwards and size > 0:
                    return found
                return self.counted_back(found, size, line)
        raise self.refuse(Reason.NOT_RANGE, node)

    def counted_back(self, found: Range, size: int, line: int) -> Range:
        """A range with steps of `size`, from its last item on."""
        start, stop = (
            self.once(ir.Call("<index>", (e,), line), line) for e in (found.start, found.stop)
        )
        away = ir.Binary("-", *((stop, start) if size > 0 else (start, stop)), line)
        steps = ir.Binary("//", ir.Binary("-", away, ir.Const(1), line), ir.Const(abs(size)), line)
        last = ir.Binary("+", start, ir.Binary("*", ir.Const(size), steps, line), line)
        return Range(last, ir.Binary("-", start, ir.Const(size), line), ir.Const(-size))

    def placed(
        self, node: ast.expr, found: Range, place: ir.Expr, changed: frozenset[str]
    ) -> tuple[ir.Expr, ir.Expr]:
        """How many items there are in a range, and the one at `place`."""
        line = node.lineno
        self.steady(node, changed)
        start, stop = (
            self.once(ir.Call("<index>", (e,), line), line) for e in (found.start, found.stop)
        )
        match found.step:
            case ir.Const(value=int(size)) if type(size) is int and size:
                pass
            case _:
                raise self.refuse(Reason.NOT_RANGE, node)
        ends = (stop, start) if size > 0 else (start, stop)
        length: ir.Expr = ir.Binary("-", *ends, line)
        if abs(size) > 1:
            length = ir.Binary("+", length, ir.Const(abs(size) - 1), line)
            length = ir.Binary("//", length, ir.Const(abs(size)), line)
        scaled = place if size == 1 else ir.Binary("*", ir.Const(size), place, line)
        return length, found.item(ir.Binary("+", start, scaled, line), line)

    def once(self, expr: ir.Expr, line: int) -> ir.Expr:
        """`expr`, evaluated before the loop where evaluating it again may be another matter."""
        match expr:
            case ir.Call(func="<index>", args=(ir.Const(value=int()) | ir.Dim() as inner,)):
                return inner
            case ir.Call(func="<index>", args=(inner,)) if _simple(inner):
                return expr
            case _ if _simple(expr):
                return expr
        here = self.next_id()
        held = ir.Name(f"<t {here}>")
        self.before.append(ir.Assign(held, expr, here, line))
        return held

    # ------------------------------------------------------------------ items

    def items(
        self,
        source: ast.expr,
        target: ast.expr,
        place: ir.Expr,
        changed: frozenset[str],
        lengths: list[ir.Expr],
    ) -> list[Item]:
        """What the parts of `target` are at a place of `source`.

        Parameters
        ----------
        changed
            Names that the loop assigns.
        lengths
            Where to put how many items there are.
        """
        line = source.lineno
        match called(source), target:
            case "enumerate", ast.Tuple(elts=[number, item]) | ast.List(elts=[number, item]):
                inner, *begin = self.arguments(_plain(source), 1, 2)
                found = self.items(inner, item, place, changed, lengths)
                count = place
                if begin:  # an int, whatever it was; Python evaluates it after what is numbered
                    self.steady(begin[0], changed)
                    first = ir.Call("<index>", (self.expr(begin[0]),), line)
                    count = ir.Binary("+", self.once(first, line), place, line)
                return [(number, count), *found]
            case "zip", ast.Tuple(elts=elts) | ast.List(elts=elts):
                sources = self.arguments(source, len(elts), len(elts))
                pairs = zip(sources, elts, strict=True)
                return [
                    found
                    for inner, item in pairs
                    for found in self.items(inner, item, place, changed, lengths)
                ]
        counted = self.range(source)
        if counted is not None:
            length, value = self.placed(source, counted, place, changed)
            lengths.append(length)
            return [(target, value)]
        if isinstance(source, ast.Tuple | ast.List) and 0 < len(source.elts) <= _MOST_ITEMS:
            lengths.append(ir.Const(len(source.elts)))
            return self.columns(source.elts, target, place, changed)
        backwards = called(source) == "reversed"
        if backwards:
            (source,) = self.arguments(source, 1, 1)
        self.steady(source, changed)
        if not isinstance(source, ast.Name | ast.Attribute | ast.Subscript):
            raise self.refuse(Reason.NOT_RANGE, source)
        if isinstance(source, ast.Subscript) and isinstance(source.slice, ast.Slice):
            mark(source.slice, THROUGH)
        length = self.length(source)
        lengths.append(length)
        if backwards:
            last = ir.Binary("-", length, ir.Const(1), line)
            place = ir.Binary("-", last, place, line)
        path = self.path(source)
        if path is not None:
            return [(target, ir.Load(path, (place,), self.next_id(), line))]
        return [(target, ir.View(self.expr(source), (place,), line))]

    def columns(
        self,
        rows: Sequence[ast.expr],
        target: ast.expr,
        place: ir.Expr,
        changed: frozenset[str],
    ) -> list[Item]:
        """What the parts of `target` are at a place of what was written out."""
        values = [self.leaves(row, target, changed) for row in rows]
        return [
            (item, _chosen(column, place, item.lineno))
            for item, column in zip(_parts(target), zip(*values, strict=True), strict=True)
        ]

    def leaves(self, row: ast.expr, target: ast.expr, changed: frozenset[str]) -> list[ir.Expr]:
        """What each part of `target` gets of `row`, evaluated in Python's order."""
        if not isinstance(target, ast.Tuple | ast.List):
            self.steady(row, changed)
            return [self.once(self.expr(row), row.lineno)]
        if not isinstance(row, ast.Tuple | ast.List) or len(row.elts) != len(target.elts):
            raise self.refuse(Reason.SYNTAX, target)
        pairs = zip(row.elts, target.elts, strict=True)
        return [leaf for one, item in pairs for leaf in self.leaves(one, item, changed)]

    def steady(self, node: ast.expr, changed: frozenset[str]) -> None:
        """Refuse what the loop would change: it is evaluated once."""
        if any(isinstance(n, ast.Name) and n.id in changed for n in every(node)):
            raise self.refuse(Reason.NOT_RANGE, node)

    # ------------------------------------------------------------------ products

    def axes(self, node: ast.expr, width: int | None) -> list[Range] | None:
        """The ranges whose product `node` goes through, the last one fastest, if it is one.

        Parameters
        ----------
        width
            How many there must be, if that is known.
        """
        match node:
            case ast.Call(args=args, keywords=[ast.keyword("repeat", ast.Constant(value=int(n)))]):
                bare = _call_with(node, args * n) if called(node) == "product" else node
                return None if bare is node or n < 1 else self.axes(bare, width)
            case ast.Call(args=args) if called(node) == "product":
                found = [self.range(arg) for arg in self.arguments(node, 1, 8)]
                axes = [one for one in found if one is not None and not one.numpy]
                if len(axes) < len(found):
                    raise self.refuse(Reason.NOT_RANGE, node)
                return axes
            case ast.Call(args=args) if called(node) == "ndindex":
                return self.extents(node, width)
        return None

    def extents(self, node: ast.Call, width: int | None) -> list[Range]:
        """The ranges of ``np.ndindex``."""
        args = self.arguments(node, 1, 8)
        match args:
            case [ast.Attribute(value=owner, attr="shape")] if width is not None:
                path, line = self.live_in(owner), node.lineno
                rank = f"{path}.ndim"
                self.paths.add(rank)
                why = f"{path}, which has not {width} dimensions"
                about = ir.Condition(ir.Name(rank), width, width, (), line, why)
                self.conditions.append(about)
                stops: list[ir.Expr] = [ir.Dim(path, axis, attribute=True) for axis in range(width)]
            case [ast.Tuple(elts=elts)] if elts:
                stops = [self.size(e) for e in elts]
            case _:
                stops = [self.size(e) for e in args]
        return [Range(ir.Const(0), stop, ir.Const(1)) for stop in stops]

    def size(self, node: ast.expr) -> ir.Expr:
        """An extent, which must not be negative."""
        found = self.expr(node)
        match found:
            case ir.Const(value=int(value)) if value >= 0:
                return found
            case ir.Dim():
                return found
            case ir.Name(id=name) if name not in self.assigned:
                why = f"{name}, a negative number of elements"
                about = ir.Condition(found, 0, None, (), node.lineno, why)
                self.conditions.append(about)
                return found
        raise self.refuse(Reason.NOT_RANGE, node)


def _call_with(node: ast.Call, args: list[ast.expr]) -> ast.Call:
    """`node` with these arguments alone."""
    return ast.copy_location(ast.Call(node.func, args, []), node)


def _simple(expr: ir.Expr) -> bool:
    """Whether nobody can tell how often `expr` is evaluated while its names stay the same."""
    match expr:
        case ir.Const() | ir.Dim() | ir.Name():
            return True
        case ir.Binary(op="+" | "-" | "*", left=left, right=right):
            return _simple(left) and _simple(right)
    return False


def _plain(node: ast.expr) -> ast.expr:
    """``enumerate(x, k)`` for ``enumerate(x, start=k)``."""
    match node:
        case ast.Call(args=[one], keywords=[ast.keyword("start", first)]):
            return _call_with(node, [one, first])
    return node


def called(node: ast.expr) -> str | None:
    """The last name of the function that `node` calls, if it may be one that loops go through."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(attr=name)) if name in COUNTING - _BUILTINS:
            return name
    return None


def _parts(target: ast.expr) -> list[ast.expr]:
    """The targets that `target` is made of."""
    if not isinstance(target, ast.Tuple | ast.List):
        return [target]
    return [part for item in target.elts for part in _parts(item)]


def _chosen(values: Sequence[ir.Expr], place: ir.Expr, line: int) -> ir.Expr:
    """The one of `values` at `place`."""
    plain = [v.value for v in values if isinstance(v, ir.Const) and type(v.value) is int]
    if len(plain) == len(values):
        first, step = plain[0], plain[1] - plain[0] if len(plain) > 1 else 0
        if plain == [first + step * k for k in range(len(plain))]:
            scaled = ir.Binary("*", ir.Const(step), place, line)
            return ir.Binary("+", ir.Const(first), scaled, line)
    *others, found = values
    for k, value in reversed([*enumerate(others)]):
        here = ir.Compare("==", place, ir.Const(k), line)
        found = ir.Select(here, value, found, line)
    return found
