"""Heaps that a nest makes, as lists that hold what `heapq` would have there, item by item.

``h = [(0.0, s)]`` becomes a list for each number of its items, `ds` and `vs`, and
``heappush(h, (d, v))`` puts them at the ends of these, from where they rise::

    ds.append(d); vs.append(v); at = len(ds) - 1
    while at > 0 and (d, v) < (ds[(at - 1) // 2], vs[(at - 1) // 2]):
        ds[at] = ds[(at - 1) // 2]; vs[at] = vs[(at - 1) // 2]
        at = (at - 1) // 2
    ds[at] = d; vs[at] = v

``d, u = heappop(h)`` takes the first ones, lets smaller items rise into the gap down to a leaf, and
then the last item from there.  The comparisons are those of `heapq`, one by one, so that of equal
items the same one comes first.  Where it would raise, or meet a nan in a tuple, which may be the
very same object, the nest gives up.

References
----------
D. E. Knuth, The Art of Computer Programming 3, section 5.2.3 and exercise 18 there: from a leaf
upwards, the last item does not have far to go.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence

from autopar.nest import ir
from autopar.nest.text.building import (
    append,
    assign,
    in_scope_of_its_own,
    load,
    mentions,
    often,
    ours,
)
from autopar.nest.text.comprehensions import Builtins
from autopar.nest.text.held import Held
from autopar.nest.text.pieces import Piece, Pieces, begins_first, counted, counts, uses
from autopar.nest.text.reading import LENGTH
from autopar.nest.text.shapes import (
    Shape,
    Unlike,
    guessed,
    item_of,
    leaves_of,
    numbers,
    shape_of_all,
    width,
)
from autopar.nest.trees import all_copied, copied, every
from autopar.records import dataclass

WORDS = frozenset(("heappush", "heappop"))
_MOST = 2**62  # items
_PLAIN = ast.BinOp | ast.UnaryOp | ast.Constant | ast.Tuple | ast.Subscript | ast.Name
"""What may stand around what is taken from a heap, and is not changed by that."""


def as_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with lists of numbers in place of their heaps.

    Parameters
    ----------
    live
        Whether a name may be read afterwards.
    """
    parts = [inner for node in nodes for inner in every(node)]
    names = {pushed[0] for part in parts if (pushed := _pushed(part)) is not None}
    found: dict[str, Shape] = {}
    known = guessed(parts) if names else {}
    for name in names:
        items = [item for part in parts for item in _put_in(part, name)]
        if _is_heap(nodes, parts, name):
            with contextlib.suppress(Unlike):
                found[name] = shape_of_all(items, known)
    if not found:
        return nodes
    called = frozenset(ast.unparse(func) for part in parts for func in _functions(part))
    seen = frozenset(filter(live, found))
    return _Heaps(found, seen, called | counts(nodes, found)).block(all_copied(nodes))


def _called(node: ast.AST, word: str) -> ast.Call | None:
    """`node` if it calls the function of `heapq` with that name, or another one of that name."""
    match node:
        case ast.Call(
            func=ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name),
            args=[ast.Name(), *_],
            keywords=[],
        ) if name == word:
            return node
    return None


def _functions(node: ast.AST) -> Iterator[ast.expr]:
    for word in WORDS:
        call = _called(node, word)
        if call is not None:
            yield call.func


def _pushed(node: ast.AST) -> tuple[str, ast.expr] | None:
    """The heap into which the statement `node` puts an item, and this."""
    if isinstance(node, ast.Expr):
        match _called(node.value, "heappush"):
            case ast.Call(args=[ast.Name(id=name), item]):
                return name, item
    return None


def _put_in(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """The items that the statement `node` puts into the heap `name`."""
    pushed = _pushed(node)
    if pushed is not None and pushed[0] == name:
        yield pushed[1]
    if isinstance(node, ast.stmt):
        yield from _beginning(node, name) or ()


def _beginning(node: ast.stmt, name: str) -> list[ast.expr] | None:
    """The items with which `name` begins by the statement `node`, if it does."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=target)], value=ast.List(elts=items))
            | ast.AnnAssign(target=ast.Name(id=target), value=ast.List(elts=items))
        ) if target == name and not any(isinstance(item, ast.Starred) for item in items):
            return items
    return None


def _is_heap(nodes: Sequence[ast.stmt], parts: Sequence[ast.AST], name: str) -> bool:
    """Whether all that `nodes` do with `name` is known of a heap, and it is one from the start."""
    if in_scope_of_its_own(nodes, name):
        return False
    known = uses(parts, name, _read)
    for part in parts:
        pushed = _pushed(part)
        known += pushed is not None and pushed[0] == name
        if isinstance(part, ast.stmt):
            known += _beginning(part, name) is not None
            known += len(_taken(part, name))
    return known == often(nodes, name) and begins_first(nodes, name, _begins)


def _begins(node: ast.stmt, name: str) -> bool:
    items = _beginning(node, name)
    return items is not None and not any(mentions(item, name) for item in items)


def _read(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of `node` that may be a heap, but where items come and go."""
    match node:
        case ast.Subscript(value=one, slice=ast.Constant(value=int(k)), ctx=ast.Load()) if k == 0:
            yield one
        case _:
            yield from counted(node)


def _taken(node: ast.stmt, name: str) -> list[ast.Call]:
    """The calls by which the statement `node` takes items of `name`, in their order."""
    pushed = _pushed(node)
    match node:
        case ast.Expr() if pushed is not None:
            _, value = pushed
        case ast.Assign(targets=[target], value=value) if not mentions(target, name):
            pass
        case ast.Return(value=ast.expr() as value):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[value])):
            if mentions(owner, name):
                return []
        case ast.AugAssign(target=ast.Name(), value=value) | ast.Expr(value=value):
            pass
        case _:
            return []
    found: list[ast.Call] = []
    return found if _gather(value, name, found) else []


def _gather(node: ast.expr, name: str, found: list[ast.Call]) -> bool:
    """Whether nothing in `node` but what is taken of `name` has to be evaluated in order."""
    call = _called(node, "heappop")
    if call is not None and len(call.args) == 1:
        if mentions(call.args[0], name):
            found.append(call)
        return True  # what is taken of another heap changes nothing of this one
    if not isinstance(node, _PLAIN) or (isinstance(node, ast.Name) and node.id == name):
        return False
    match node:
        case ast.Subscript(value=value, slice=part):
            return isinstance(part, ast.Constant) and _gather(value, name, found)
    inner = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
    return all(_gather(one, name, found) for one in inner)


@dataclass(frozen=True, slots=True)
class _Heap:
    """The lists for a heap.

    Attributes
    ----------
    shape
        Of its items.
    lists
        One for each number that these consist of.
    """

    shape: Shape
    lists: tuple[str, ...]

    def at(self, place: ast.expr) -> list[ast.expr]:
        """The numbers of the item there."""
        return [ast.Subscript(load(one), copied(place), ast.Load()) for one in self.lists]

    def put(self, place: str, values: Sequence[ast.expr]) -> list[ast.stmt]:
        """Let the item there be another one."""
        return [
            ast.Assign([ast.Subscript(load(one), load(place), ast.Store())], copied(value))
            for one, value in zip(self.lists, values, strict=True)
        ]

    def append(self, values: Sequence[ast.expr]) -> list[ast.stmt]:
        return [append(one, copied(v)) for one, v in zip(self.lists, values, strict=True)]


class _Heaps(Pieces):
    """Statements and expressions about heaps, about lists.

    Parameters
    ----------
    shapes
        The heaps, and what their items are like.
    live
        Those of them that must be there in the end.
    """

    def __init__(
        self, shapes: dict[str, Shape], live: frozenset[str], called: frozenset[str]
    ) -> None:
        self.live = live
        self.heaps = {
            name: _Heap(shape, tuple(f"<numbers {k} of {name}>" for k in range(width(shape))))
            for name, shape in shapes.items()
        }
        super().__init__({name: Piece(heap.lists[0]) for name, heap in self.heaps.items()}, called)
        self.items: list[ast.AST] = []  # that are written out

    # ------------------------------------------------------------------ statements

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self.assigned(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        return self.assigned(node)

    def assigned(self, node: ast.Assign | ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        for name, heap in self.heaps.items():
            items = _beginning(node, name)
            if items is None:
                continue
            made: list[ast.stmt] = [Builtins(self.called)]
            if name in self.live:
                made.append(Held(name, "list", leaves_of(iter(heap.lists), heap.shape)))
            values: list[ast.expr] = []
            for item in items:
                values += self.numbers(heap, item, made, name)
            made += [assign(one, ast.List([], ast.Load())) for one in heap.lists]
            size = len(heap.lists)
            for k in range(0, len(values), size):
                made += heap.append(values[k : k + size])
            return self.statements(made, node)
        return self.taking(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        return self.taking(node)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        return self.taking(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        pushed = _pushed(node)
        if pushed is None or pushed[0] not in self.heaps:
            return self.taking(node)
        name, item = pushed
        made, found = self.taken(node)
        made += self.push(name, self.visit(self.with_items(item, found)))
        return self.statements(made, node)

    def taking(self, node: ast.stmt) -> ast.AST | list[ast.stmt]:
        """A statement that takes items of a heap, one by one."""
        made, found = self.taken(node)
        if not found:
            return self.generic_visit(node)
        match node:
            case ast.Assign(targets=targets, value=value):
                node.value = self.visit(self.with_items(value, found))
                node.targets = list(map(self.visit, targets))
                made.append(node)
            case ast.AugAssign(value=value) | ast.Return(value=ast.expr() as value):
                node.value = self.visit(self.with_items(value, found))
                made.append(node)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append") as func) as call):
                call.args = [self.visit(self.with_items(call.args[0], found))]
                call.func = self.visit(func)
                made.append(node)
        return self.statements(made, node)

    def taken(self, node: ast.stmt) -> tuple[list[ast.stmt], dict[int, ast.expr]]:
        """What is to be done first, and the items that `node` takes, by the calls in it."""
        made: list[ast.stmt] = []
        found: dict[int, ast.expr] = {}
        for name in self.heaps:
            for call in _taken(node, name):
                found[id(call)] = self.pop(name, made)
        return made, found

    def with_items(self, node: ast.expr, found: dict[int, ast.expr]) -> ast.expr:
        """`node`, with the items that are `found` in place of these calls."""
        if id(node) in found:
            return found[id(node)]
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, field, self.with_items(value, found))
            elif isinstance(value, list):
                setattr(node, field, [self.with_items(one, found) for one in value])
        return self.picked(node)

    def picked(self, node: ast.expr) -> ast.expr:
        """`node`, or if that is a part of an item that is written out, this part."""
        match node:
            case ast.Subscript(
                value=ast.Tuple(elts=elts) as item, slice=ast.Constant(value=int(k))
            ):
                if any(item is one for one in self.items) and k < len(elts):
                    return elts[k]
        return node

    # ------------------------------------------------------------------ what heapq does

    def push(self, name: str, item: ast.expr) -> list[ast.stmt]:
        heap, made = self.heaps[name], list[ast.stmt]()
        values = self.numbers(heap, item, made, name)
        at = self.name("place", name)
        last = ast.BinOp(ours(LENGTH, heap.lists[0]), ast.Sub(), ast.Constant(1))
        return [*made, *heap.append(values), assign(at, last), *self.rise(name, at, values)]

    def pop(self, name: str, made: list[ast.stmt]) -> ast.expr:
        """The item that is taken, by what is `made`."""
        heap = self.heaps[name]
        limits: list[ast.expr] = [ast.Constant(1), ast.Constant(_MOST)]
        length = ours(LENGTH, heap.lists[0])
        made.append(
            assign(self.name("ok", name), ast.Call(load("<within>"), [length, *limits], []))
        )
        firsts = [self.name("first", name) for _ in heap.lists]
        made += map(assign, firsts, heap.at(ast.Constant(0)))
        lasts = [self.name("last", name) for _ in heap.lists]
        for last, one in zip(lasts, heap.lists, strict=True):
            popped = ast.Call(ast.Attribute(load(one), "pop", ast.Load()), [], [])
            made.append(assign(last, popped))
        at, end = self.name("place", name), self.name("end", name)
        made += [assign(end, ours(LENGTH, heap.lists[0])), assign(at, ast.Constant(0))]
        made += self.sink(name, at, end)
        others = self.rise(name, at, [load(last) for last in lasts])
        made.append(ast.If(_positive(end), others, []))
        return self.item(map(load, firsts), heap.shape)

    def sink(self, name: str, at: str, end: str) -> list[ast.stmt]:
        """Let the smaller one of the two items below a gap at `at` rise, until there are none."""
        heap = self.heaps[name]
        below, right = self.name("below", name), self.name("right", name)
        one = [self.name("left", name) for _ in heap.lists]
        two = [self.name("other", name) for _ in heap.lists]
        change = [assign(below, load(right)), *map(assign, one, map(load, two))]
        other = ast.UnaryOp(ast.Not(), _before(list(map(load, one)), list(map(load, two))))
        both: list[ast.stmt] = [
            *map(assign, two, heap.at(load(right))),
            ast.If(other, change, []),
        ]
        body: list[ast.stmt] = [
            *map(assign, one, heap.at(load(below))),
            assign(right, _sum(load(below), 1)),
            ast.If(_below(right, end), both, []),
            *heap.put(at, list(map(load, one))),
            assign(at, load(below)),
            assign(below, _sum(ast.BinOp(ast.Constant(2), ast.Mult(), load(at)), 1)),
        ]
        first = assign(below, ast.Constant(1))
        return [first, ast.While(_below(below, end), body, [])]

    def rise(self, name: str, at: str, values: Sequence[ast.expr]) -> list[ast.stmt]:
        """Put an item at the place `at`, or above it if those there are larger."""
        heap = self.heaps[name]
        above, rises = self.name("above", name), self.name("rises", name)
        parts = [self.name("above", name) for _ in heap.lists]
        half = ast.BinOp(_sum(load(at), -1), ast.FloorDiv(), ast.Constant(2))
        down = [
            *heap.put(at, list(map(load, parts))),
            assign(at, load(above)),
            assign(rises, _positive(at)),
        ]
        body: list[ast.stmt] = [
            assign(above, half),
            *map(assign, parts, heap.at(load(above))),
            assign(rises, _before(list(map(copied, values)), list(map(load, parts)))),
            ast.If(load(rises), down, []),
        ]
        return [
            assign(rises, _positive(at)),
            ast.While(load(rises), body, []),
            *heap.put(at, values),
        ]

    def item(self, values: Iterator[ast.expr], shape: Shape) -> ast.expr:
        """The item that consists of these numbers."""
        made = item_of(values, shape)
        self.items += every(made) if shape is not None else ()
        return made

    def numbers(
        self, heap: _Heap, item: ast.expr, made: list[ast.stmt], name: str
    ) -> list[ast.expr]:
        """Names for the numbers of an item; of several, none may be a nan."""
        found: list[ast.expr] = []
        for leaf in numbers(item, heap.shape, made, lambda: self.name("tuple", name)):
            value = self.name("item", name)
            made.append(assign(value, leaf))
            found.append(load(value))
            if len(heap.lists) > 1:
                known = self.name("item", name)
                number = ast.Compare(load(value), [ast.Eq()], [load(value)])
                made.append(assign(known, ast.Call(load(ir.GIVEN), [load(value), number], [])))
                found[-1] = load(known)
        return found

    # ------------------------------------------------------------------ expressions

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if name in self.heaps:
                heap = self.heaps[name]
                first = ast.Call(load(ir.GIVEN), [ast.Constant(0), self.pieces[name].some], [])
                return self.placed(self.item(iter(heap.at(first)), heap.shape), node)
        self.generic_visit(node)
        return self.picked(node)


def _before(left: Sequence[ast.expr], right: Sequence[ast.expr]) -> ast.expr:
    """Whether an item of these numbers comes before another one."""
    first: ast.expr = ast.Compare(left[0], [ast.Lt()], [right[0]])
    if len(left) == 1:
        return first
    same = ast.Compare(copied(left[0]), [ast.Eq()], [copied(right[0])])
    rest = _before(left[1:], right[1:])
    return ast.BoolOp(ast.Or(), [first, ast.BoolOp(ast.And(), [same, rest])])


def _below(left: str, right: str) -> ast.expr:
    return ast.Compare(load(left), [ast.Lt()], [load(right)])


def _positive(name: str) -> ast.expr:
    return ast.Compare(load(name), [ast.Gt()], [ast.Constant(0)])


def _sum(left: ast.expr, right: int) -> ast.expr:
    return ast.BinOp(left, ast.Add(), ast.Constant(right))
