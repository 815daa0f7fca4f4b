"""Rows of a list of lists for which new lists are put: ``a[r] = [x - f * y for …]``.

The numbers are stored into the row that is there, and an array says that it is another list now
(`FRESH`): when the nest is done, a new list with these numbers is put in its place, and the one
that was there is as it has been.  So a nest that does this may store nothing else into rows; and
since none of them changes, a name of a row, which may go on to mean the old one, can be a copy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count

from autopar.nest import ir
from autopar.nest.hidden import FRESH
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Load,
    Name,
    Nest,
    Put,
    Slice,
    Stmt,
    View,
    While,
)
from autopar.nest.meaning import renumbered
from autopar.nest.values.swapped import blocks, gone_through, read_at_once, swap_of, swaps_in
from autopar.nest.walking import assigned, expressions, new_ids, statements, walk
from autopar.records import replace


def replaced(nest: Nest, tables: Collection[str]) -> Nest:
    """`nest` with a note of each new row of `tables`, and copies where their rows have names."""
    found = {path for path in tables if path not in nest.scalars}
    found &= {path for path, _ in _new_rows(nest)}
    found -= {path for path in found if path + FRESH in nest.paths}
    found -= set(_other_uses(nest, found))
    if not found:
        return nest
    ids = new_ids(nest.loop)
    (loop,) = _Written(found, ids).statement(nest.loop)
    assert isinstance(loop, For)
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted({*nest.paths, *(path + FRESH for path in found)})),
        scalars=tuple(sorted(assigned(loop))),
    )


class _Written:
    """Statements with such notes and copies, for the tables `paths`."""

    def __init__(self, paths: Collection[str], ids: count[int]) -> None:
        self.paths, self.ids = paths, ids

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        k = 0
        while k < len(stmts):
            if swap_of(stmts[k : k + 4]) is not None:
                made += stmts[k : k + 4]
                k += 4
                continue
            made += self.statement(stmts[k])
            k += 1
        return tuple(made)

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Assign(target=Element(array=path, index=(place,)), line=line) if (
                path in self.paths
            ):
                note = Element(path + FRESH, (renumbered(place, self.ids),), next(self.ids), line)
                return stmt, Assign(note, Const(1), next(self.ids), line)
            case Assign(target=Name() as name, value=Load(array=path, index=(place,))) if (
                path in self.paths
            ):
                return self.copied(stmt, name, path, place)
            case If(body=body, orelse=orelse):
                return (replace(stmt, body=self.block(body), orelse=self.block(orelse)),)
            case While(body=body) | For(body=body):
                return (replace(stmt, body=self.block(body)),)
        return (stmt,)

    def copied(self, stmt: Assign, name: Name, path: str, place: Expr) -> tuple[Stmt, ...]:
        """``row = a[place]`` as a list of its own."""
        line, here = stmt.line, next(self.ids)
        item = Name(f"<item {here} of line {line}>")
        value = Load(path, (place, item), next(self.ids), line, nested=True)
        append = Put(View(name, ("append",), line), value, next(self.ids), line)
        loop = For(item.id, Const(0), Dim(path, 1), Const(1), (append,), here, line)
        return replace(stmt, value=Call(ir.LIST, (), line)), loop


def _new_rows(nest: Nest) -> Iterator[tuple[str, int]]:
    """Lists that get a new one in place of an item, and the number of the statement."""
    for stmts in blocks(nest.loop):
        for k, stmt in enumerate(stmts):
            match stmt:
                case Assign(target=Element(array=path, index=(_,)), augmented=False, value=value):
                    if _is_new(value, stmts[:k], nest):
                        yield path, stmt.id


def _is_new(value: Expr, before: Sequence[Stmt], nest: Nest) -> bool:
    """Whether `value` is a list that nobody else has, nor gets."""
    match value:
        case View(array=Load(index=(_,)) | Name(), index=(Slice(),)):
            return True  # if that is a list: see `new_row` in `nest.arrays.whole`
        case Name(id=name):
            made = [k for k, s in enumerate(before) if _begins(s, name)]
            if not made or name in nest.live_out:
                return False
            making = [s for one in before[made[-1] :] for s in statements(one)]
            if any(_hands_on(s, name) for s in making):
                return False
            mine = {s.id for s in making}
            around = [s for s in statements(nest.loop) if s.id not in mine and _mentions(s, name)]
            return len(around) == 1  # the one at hand
    return False


def _begins(stmt: Stmt, name: str) -> bool:
    match stmt:
        case Assign(target=Name(id=found), value=Call(func=ir.LIST)):
            return found == name
    return False


def _hands_on(stmt: Stmt, name: str) -> bool:
    """Whether `stmt` does more with the list `name` than to give it items, and to read them."""
    match stmt:
        case Put(target=View(array=Name(id=found), index=index), value=value) if found == name:
            tops: list[Expr] = [value, *(p for p in index if not isinstance(p, Slice | str))]
        case _:
            tops = list(expressions(stmt))
    for top in tops:
        at_once = read_at_once(top)
        for expr in walk(top):
            if isinstance(expr, Name) and expr.id == name and id(expr) not in at_once:
                return True
    return False


def _mentions(stmt: Stmt, name: str) -> bool:
    """Whether `stmt`, but for what is in it, has to do with the list `name`."""
    match stmt:
        case Assign(target=Name(id=found) | Element(array=found)) if found == name:
            return True
        case Put(target=target) if any(_is(expr, name) for expr in walk(target)):
            return True
    return any(_is(expr, name) for top in expressions(stmt) for expr in walk(top))


def _is(expr: Expr, name: str) -> bool:
    match expr:
        case Name(id=found) | Load(array=found) | Dim(array=found):
            return found == name
    return False


def _other_uses(nest: Nest, paths: Collection[str]) -> Iterator[str]:
    """Those of `paths` with which the nest does anything that copies and notes do not cover."""
    changes: dict[str, set[int]] = {path: set() for path in paths}
    for path, number in _new_rows(nest):
        changes.setdefault(path, set()).add(number)
    new = {number for ids in changes.values() for number in ids}
    moved = swaps_in(nest.loop)
    swaps = {number for path in paths for number in moved.get(path, ())}
    yield from gone_through(
        nest.loop, {path: changes[path] | moved.get(path, set()) for path in paths}
    )
    named: dict[str, set[str]] = {}  # rows, with the tables that they are of
    for stmt in statements(nest.loop):
        match stmt:
            case Assign(target=Name(id=name), value=Load(array=path, index=(_,))) if (
                path in paths and stmt.id not in swaps
            ):
                named.setdefault(name, set()).add(path)
    for stmt in statements(nest.loop):
        if stmt.id in swaps:
            continue
        match stmt:
            case Assign(target=Element(array=path)) if path in paths and stmt.id not in new:
                yield path
            case Assign(target=Element(array=name)):
                yield from named.get(name, ())
            case Assign(target=Name(id=name), value=value):
                if not (isinstance(value, Load) and value.array in paths):
                    yield from named.get(name, ())
            case Put(target=target):
                for expr in walk(target):
                    match expr:
                        case Name(id=found) | Load(array=found):
                            yield from ({found} & set(paths) or named.get(found, set()))
        copies = isinstance(stmt, Assign) and isinstance(stmt.target, Name)
        for top in expressions(stmt):
            yield from _kept_rows(top, paths, named, top_is_copied=copies)
    for name in named:
        if name in nest.live_out or name in nest.paths:
            yield from named[name]


def _kept_rows(
    top: Expr, paths: Collection[str], named: dict[str, set[str]], top_is_copied: bool
) -> Iterator[str]:
    """Tables of which `top` has whole rows, or which it has itself, for more than to read them."""
    at_once = read_at_once(top)
    for expr in walk(top):
        match expr:
            case Load(array=path, index=(_,)) if path in paths:
                if not (id(expr) in at_once or (top_is_copied and expr is top)):
                    yield path
            case Name(id=path) if path in paths:
                yield path
            case Name(id=name) if name in named and id(expr) not in at_once:
                yield from named[name]
