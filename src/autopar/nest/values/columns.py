"""Lists of tuples that a nest makes, as so many lists of numbers.

``z.append((x, y))`` becomes ``<z[0]>.append(x); <z[1]>.append(y)``, and what is read of `z` is
unpacked, or one of the items of a tuple.  So are lists of such lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from autopar.nest import ir, walking
from autopar.nest.ir import Assign, Call, Expr, Name, Stmt, View
from autopar.nest.meaning import renumbered

if TYPE_CHECKING:
    from autopar.nest.values.tupled import Shape, Shapes
    from autopar.nest.values.tuples import Splitter, Tree


def found(known: Shapes) -> bool:
    """Find out which names are lists of tuples, as far as that is new."""
    before = dict(known.lists)
    for name in (*known.nest.scalars, *sorted(walking.extended(known.nest))):
        if name in before or name in known.shapes or name in known.nest.live_out:
            continue
        kinds = [_kind(known, value) for value in _given(known, name)]
        if kinds and None not in kinds and kinds.count(kinds[0]) == len(kinds):
            assert kinds[0] is not None
            known.lists[name] = kinds[0]
    return known.lists != before


def _given(known: Shapes, name: str) -> Iterator[tuple[bool, Expr]]:
    """What `name` is, and what is put at its end; whether it is the latter."""
    for stmt in walking.statements(known.nest.loop):
        match stmt:
            case Assign(target=Name(id=target), value=value) if target == name:
                if value != Call(ir.LIST, (), stmt.line):
                    yield False, value
            case ir.Put(target=View(array=Name(id=target), index=("append",)), value=value) if (
                target == name
            ):
                yield True, value


def _kind(known: Shapes, given: tuple[bool, Expr]) -> tuple[int, Shape] | None:
    """What that makes of the name."""
    appended, value = given
    if not appended:
        match value:
            case View(array=Name(id=other), index=(ir.Const() | ir.Name(),)) if (
                known.lists.get(other, (0,))[0] > 1
            ):
                rank, shape = known.lists[other]
                return rank - 1, shape
        return None
    match value:
        case Name(id=other) if other in known.lists and other.startswith("<"):
            # One of ours: nobody puts more at its end when it has become an item.
            rank, shape = known.lists[other]
            return rank + 1, shape
    shape = known.shape(value)
    return None if shape is None else (1, shape)


def extending(splitter: Splitter) -> tuple[ir.Columns, ...]:
    """The live-in lists to which tuples are appended."""

    def leaves(tree: Tree) -> ir.Leaves:
        if isinstance(tree, tuple):
            return tuple(map(leaves, tree))
        assert isinstance(tree, Name)
        return tree.id

    found = []
    for path in sorted(walking.extended(splitter.nest) & splitter.lists.keys()):
        items = leaves(_tree(splitter, path))
        assert isinstance(items, tuple)
        found.append(ir.Columns(path, items))
    return tuple(found)


def names(splitter: Splitter, name: str) -> list[Name]:
    """The lists that stand for `name`."""
    return list(_leaves(_tree(splitter, name)))


def _tree(splitter: Splitter, name: str) -> Tree:
    _, shape = splitter.lists[name]
    assert shape is not None
    return splitter.named(name.replace(".", ":"), shape)


def _leaves(tree: Tree) -> Iterator[Name]:
    if isinstance(tree, tuple):
        for part in tree:
            yield from _leaves(part)
    else:
        assert isinstance(tree, Name)
        yield tree


def item(splitter: Splitter, name: str, place: Expr) -> Tree:
    """``name[place]``, a tuple; of a list of lists it is none."""
    rank, _ = splitter.lists[name]
    if rank > 1:
        raise splitter.refuse(f"{name.strip('<>')}, a list of lists of tuples")

    def read(tree: Tree) -> Tree:
        if isinstance(tree, tuple):
            return tuple(map(read, tree))
        return View(tree, (renumbered(place, splitter.ids),), splitter.line)

    return read(_tree(splitter, name))


def statement(splitter: Splitter, stmt: Stmt) -> tuple[Stmt, ...] | None:
    """`stmt` for each of the lists, if it is about one of tuples."""
    line = stmt.line
    match stmt:
        case Assign(target=Name(id=name), value=value) if name in splitter.lists:
            match value:
                case View(array=Name(id=other), index=(place,)):
                    assert isinstance(place, ir.Const | ir.Name)
                    values: list[Expr] = [
                        View(one, (renumbered(place, splitter.ids),), line)
                        for one in names(splitter, other)
                    ]
                case _:
                    values = [value for _ in names(splitter, name)]
            pairs = zip(names(splitter, name), values, strict=True)
            return tuple(Assign(one, e, next(splitter.ids), line) for one, e in pairs)
        case ir.Put(target=View(array=Name(id=name), index=("append",)), value=value) if (
            name in splitter.lists
        ):
            if isinstance(value, Name) and value.id in splitter.lists:
                items: list[Expr] = [*names(splitter, value.id)]
            else:
                before, splitter.first = splitter.first, []
                items = list(_items(splitter.tree(value)))
                first, splitter.first = splitter.first, before
                if first:
                    raise splitter.refuse("a row in a list of tuples")
            pairs = zip(names(splitter, name), items, strict=True)
            return tuple(
                ir.Put(View(one, ("append",), line), e, next(splitter.ids), line)
                for one, e in pairs
            )
        case ir.Put(target=View(array=Name(id=name), index=("pop",))) if name in splitter.lists:
            return tuple(
                ir.Put(View(one, ("pop",), line), stmt.value, next(splitter.ids), line)
                for one in names(splitter, name)
            )
    return None


def _items(tree: Tree) -> Iterator[Expr]:
    if isinstance(tree, tuple):
        for part in tree:
            yield from _items(part)
    else:
        yield tree
