"""Rows of a list of lists that change their places: ``a[k], a[p] = a[p], a[k]``.

The numbers are swapped, one by one, and so are the numbers of the rows in an array that says which
list is where (`ORDER`): when the nest is done, the very lists are put in that order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from autopar.nest.hidden import FRESH, ORDER
from autopar.nest.ir import (
    Assign,
    Binary,
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
    Slice,
    Stmt,
    View,
    While,
)
from autopar.nest.meaning import renumbered
from autopar.nest.text.reading import LENGTH
from autopar.nest.walking import assigned, expressions, new_ids, statements, walk
from autopar.records import replace

_READS = frozenset((LENGTH, "len", "sum", "max", "min", "math.fsum"))


def swapped(nest: Nest, tables: Collection[str]) -> Nest:
    """`nest` with the swaps of rows of `tables` written out.

    Those of a table are left of which rows have other names: these stay with their rows.
    """
    swaps = {path: ids for path, ids in swaps_in(nest.loop).items() if path in tables}
    found = set(swaps)
    renewed = {path for path in found if path + FRESH in nest.paths}
    found -= _named(nest.loop, swaps, renewed)
    found -= gone_through(nest.loop, swaps)
    if not found:
        return nest
    ids = new_ids(nest.loop)

    def block(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        k = 0
        while k < len(stmts):
            four = stmts[k : k + 4]
            if swap_of(four) in found:
                made += _written_out(four, ids, nest.paths)
                k += 4
            else:
                made.append(inside(stmts[k]))
                k += 1
        return tuple(made)

    def inside(stmt: Stmt) -> Stmt:
        match stmt:
            case If(body=body, orelse=orelse):
                return replace(stmt, body=block(body), orelse=block(orelse))
            case While(body=body) | For(body=body):
                return replace(stmt, body=block(body))
        return stmt

    loop = inside(nest.loop)
    assert isinstance(loop, For)
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted({*nest.paths, *(path + ORDER for path in found)})),
        scalars=tuple(sorted(assigned(loop))),
    )


def blocks(stmt: Stmt) -> list[tuple[Stmt, ...]]:
    """All blocks in `stmt`."""
    found = []
    for inner in statements(stmt):
        match inner:
            case If(body=body, orelse=orelse):
                found += [body, orelse]
            case While(body=body) | For(body=body):
                found.append(body)
    return found


def swaps_in(loop: Stmt) -> dict[str, set[int]]:
    """Lists of which `loop` swaps items, with the statements that do so."""
    found: dict[str, set[int]] = {}
    for stmts in blocks(loop):
        for k in range(len(stmts)):
            path = swap_of(stmts[k : k + 4])
            if path is not None:
                found.setdefault(path, set()).update(stmt.id for stmt in stmts[k : k + 4])
    return found


def swap_of(stmts: Sequence[Stmt]) -> str | None:
    """The list in which `stmts` swap two items, if they do."""
    match stmts:
        case [
            Assign(target=Name(id=one), value=Load(array=path, index=(p,), line=line)),
            Assign(target=Name(id=two), value=Load(array=path_2, index=(q,))),
            Assign(target=Element(array=path_3, index=(q_2,)), value=Name(id=first)),
            Assign(target=Element(array=path_4, index=(p_2,)), value=Name(id=second)),
        ] if line and one.startswith("<") and two.startswith("<"):
            same = path == path_2 == path_3 == path_4 and (p, q) == (p_2, q_2)
            if same and (one, two) == (first, second) and _steady(p) and _steady(q):
                return path
    return None


def _steady(place: Expr) -> bool:
    """Whether a subscript reads numbers only, and no items."""
    return all(isinstance(expr, Name | Const | Binary | Dim) for expr in walk(place))


def _named(loop: Stmt, swaps: Mapping[str, Collection[int]], renewed: Collection[str]) -> set[str]:
    """Lists of which whole rows are used in other ways than in these `swaps`.

    Rows of those that are `renewed` are also replaced, see `nest.values.replaced`.
    """
    found: set[str] = set()
    swapping = {number for ids in swaps.values() for number in ids}
    for stmt in statements(loop):
        if stmt.id in swapping:
            continue
        match stmt:
            case Assign(target=Element(array=path, index=index)) if len(index) != 2:
                if path not in renewed:
                    found.add(path)
        for top in expressions(stmt):
            at_once = read_at_once(top)
            for expr in walk(top):
                match expr:
                    case Load(array=path, index=index) if (
                        len(index) != 2 and id(expr) not in at_once
                    ):
                        found.add(path)
                    case Name(id=path):
                        found.add(path)
    return found & set(swaps)


def read_at_once(top: Expr) -> frozenset[int]:
    """Lists, by their `id`, of which `top` only has items, or their number, sum, or extremes."""
    found: set[int] = set()
    for expr in walk(top):
        match expr:
            case View(array=inner, index=index) if not any(isinstance(p, str) for p in index):
                found.add(id(inner))
            case Call(func=func, args=(inner,), names=()) if func in _READS:
                found.add(id(inner))
    return frozenset(found)


def gone_through(loop: Stmt, changes: Mapping[str, Collection[int]]) -> set[str]:
    """Lists of lists a row of which a loop goes through that has one of their `changes` in it.

    Python goes on with the row that was there.
    """
    found: set[str] = set()
    for stmt in statements(loop):
        if not isinstance(stmt, For):
            continue
        inside = list(statements(stmt))
        for expr in (e for one in inside for top in expressions(one) for e in walk(top)):
            match expr:
                case View(array=Load(array=path), index=index) if path in changes:
                    places = (e for p in index if not isinstance(p, Slice | str) for e in walk(p))
                    if any(isinstance(e, Name) and e.id == stmt.var for e in places) and any(
                        one.id in changes[path] for one in inside
                    ):
                        found.add(path)
    return found


def _written_out(stmts: Sequence[Stmt], ids: count[int], paths: Collection[str]) -> list[Stmt]:
    """Items of both rows are swapped, and what `paths` say of the rows themselves."""
    one = stmts[0]
    assert isinstance(one, Assign)
    assert isinstance(one.value, Load)
    two = stmts[1]
    assert isinstance(two, Assign)
    assert isinstance(two.value, Load)
    path, line = one.value.array, one.line
    (p,), (q,) = one.value.index, two.value.index
    here = next(ids)
    item = Name(f"<item {here} of line {line}>")

    def swap(array: str, *more: Expr) -> tuple[Stmt, ...]:
        held = Name(f"<t {next(ids)}>")

        def place(index: Expr) -> tuple[Expr, ...]:
            return (renumbered(index, ids), *more)

        def element(index: Expr) -> Element:
            return Element(array, place(index), next(ids), line, nested=bool(more))

        def load(index: Expr) -> Load:
            return Load(array, place(index), next(ids), line, nested=bool(more))

        return (
            Assign(held, load(p), next(ids), line),
            Assign(element(p), load(q), next(ids), line),
            Assign(element(q), held, next(ids), line),
        )

    row = swap(path, item)
    return [
        For(item.id, Const(0), Dim(path, 1), Const(1), row, here, line),
        *swap(path + ORDER),
        *(swap(path + FRESH) if path + FRESH in paths else ()),
    ]
