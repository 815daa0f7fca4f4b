"""Lists of tuples that a nest makes, as so many lists of numbers.

``z.append((x, y))`` becomes ``<z[0]>.append(x); <z[1]>.append(y)``, and what is read of `z` is
unpacked, or one of the items of a tuple.  So are lists of such lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from autopar.nest import ir, walking
from autopar.nest.ir import Assign, Call, Expr, Name, Stmt, View
from autopar.nest.meaning import renumbered
from autopar.records import replace

if TYPE_CHECKING:
    from autopar.nest.values.tupled import Shape, Shapes
    from autopar.nest.values.tuples import Splitter, Tree


def found(known: Shapes) -> bool:
    """Find out which names are lists of tuples, as far as that is new."""
    before = dict(known.lists)
    for name in (*known.nest.scalars, *sorted(walking.extended(known.nest))):
        if name in before or name in known.shapes:
            continue
        kinds = [_kind(known, value) for value in _given(known, name)]
        ranks = {rank for rank, _ in kinds}
        if len(ranks) != 1:
            continue
        (rank,) = ranks
        shape: Shape = None
        for _, one in kinds:
            shape = known.joined(name, shape, one)
        if shape is not None and (rank == 1 or name not in known.nest.live_out):
            known.lists[name] = rank, shape
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


def _kind(known: Shapes, given: tuple[bool, Expr]) -> tuple[int, Shape]:
    """What that makes of the name: how deep a list, and of what; 0 where it makes nothing of it."""
    appended, value = given
    if not appended:
        match value:
            case View(array=Name(id=other), index=(ir.Const() | ir.Name(),)) if (
                known.lists.get(other, (0,))[0] > 1
            ):
                rank, shape = known.lists[other]
                return rank - 1, shape
        return 0, None
    match value:
        case Name(id=other) if other in known.lists and other.startswith("<"):
            # One of ours: nobody puts more at its end when it has become an item.
            rank, shape = known.lists[other]
            return rank + 1, shape
    return 1, known.shape(value) or known.fixed(value)


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


def handed_out(
    splitter: Splitter, live: list[str], holders: Sequence[ir.Holder]
) -> tuple[ir.Holder, ...]:
    """`holders`, and those lists of tuples that are there in the end.

    Parameters
    ----------
    live
        What is handed out; the lists that stand for one are put into its place, and behind all.
    """
    found = list(holders)
    for position, name in enumerate(splitter.nest.live_out):
        if name not in splitter.lists:
            continue
        first, *others = names(splitter, name)
        at = {first.id: position}
        for one in others:
            at[one.id] = len(live)
            live.append(one.id)
        live[position] = first.id
        places = _places(_tree(splitter, name), at)
        if not any(position in {holder.position, *holder.more} for holder in found):
            found.append(ir.Holder(position, "list", places))
            continue
        found = [
            replace(
                holder,
                items=_in_place(holder.items, position, places),
                values=holder.values
                if holder.values is None
                else _in_place(holder.values, position, places),
            )
            for holder in found
        ]
    return tuple(found)


def _places(tree: Tree, at: Mapping[str, int]) -> ir.Places:
    if isinstance(tree, tuple):
        return tuple(_places(part, at) for part in tree)
    assert isinstance(tree, Name)
    return at[tree.id]


def _in_place(places: ir.Places, position: int, others: ir.Places) -> ir.Places:
    """`places` with `others` in place of `position`."""
    if isinstance(places, tuple):
        return tuple(_in_place(part, position, others) for part in places)
    return others if places == position else places


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
        case ir.Put(
            target=View(array=Name(id=name), index=(Name() | ir.Const() as place,)), value=value
        ) if splitter.lists.get(name, (0,))[0] == 1:
            shape = splitter.lists[name][1]
            held = Name(f"<t {next(splitter.ids)}>")
            assert shape is not None
            splitter.shapes[held.id] = shape
            kept = splitter.spread(held.id, value, Assign(held, value, stmt.id, line))
            lists, parts = names(splitter, name), _leaves(splitter.names(held.id))
            return *kept, *(
                ir.Put(View(one, (place,), line), part, next(splitter.ids), line)
                for one, part in zip(lists, parts, strict=True)
            )
        case ir.Put(target=View(array=Name(id=name), index=("append",)), value=value) if (
            name in splitter.lists
        ):
            if isinstance(value, Name) and value.id in splitter.lists:
                items: list[Expr] = [*names(splitter, value.id)]
            else:
                before, splitter.first = splitter.first, []
                items = list(_items(splitter.shaped(value, splitter.lists[name][1])))
                first, splitter.first = splitter.first, before
                if first:
                    raise splitter.refuse("a row in a list of tuples")
            known, items = _held(splitter, names(splitter, name), items)
            pairs = zip(names(splitter, name), items, strict=True)
            return *known, *(
                ir.Put(View(one, ("append",), line), e, next(splitter.ids), line)
                for one, e in pairs
            )
        case ir.Put(target=View(array=Name(id=name), index=("pop",))) if name in splitter.lists:
            return tuple(
                ir.Put(View(one, ("pop",), line), stmt.value, next(splitter.ids), line)
                for one in names(splitter, name)
            )
    return None


def _held(
    splitter: Splitter, lists: Sequence[Name], items: Sequence[Expr]
) -> tuple[list[Stmt], list[Expr]]:
    """`items` that read `lists`, under names: before any of these gets one more."""
    held: list[Stmt] = []
    found: list[Expr] = []
    for item in items:
        if item not in lists and any(part in lists for part in walking.walk(item)):
            temporary = Name(f"<t {next(splitter.ids)}>")
            held.append(splitter.given(temporary, item))
            found.append(temporary)
        else:
            found.append(item)
    return held, found


def _items(tree: Tree) -> Iterator[Expr]:
    if isinstance(tree, tuple):
        for part in tree:
            yield from _items(part)
    else:
        yield tree
