"""Lists of several numbers that are put at the end of a list, as so many lists of numbers.

``path.append([t, x])`` becomes ``<path[0]>.append(t); <path[1]>.append(x)``, so that each of the
items has a type of its own.  Only a list with which a nest does nothing else is made so: nobody
reads it before all is done, and then its rows are made, each a list of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.nest import ir, walking
from autopar.nest.ir import (
    Assign,
    Call,
    Columns,
    For,
    If,
    Leave,
    Name,
    Nest,
    Put,
    Stmt,
    View,
    While,
)
from autopar.nest.naming import assigns, mentions
from autopar.records import dataclass, replace

_LONGEST = 16  # items in a row: beyond that they are likely to be of one type


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that is written out: statements of one block.

    Attributes
    ----------
    begin, end
        Where it is made, and put at the end of the list.
    items
        Where its items are put into it.
    """

    begin: int
    items: tuple[int, ...]
    end: int


def apart(nest: Nest) -> Nest:
    """`nest` with a list for each item of such rows."""
    taken = {one.path for one in nest.columns}
    for path in sorted(walking.extended(nest) - taken):
        size = _size(nest, path)
        if size is not None:
            items = tuple(f"<{path.replace('.', ':')}[{k}]>" for k in range(size))
            (loop,) = _block((nest.loop,), nest, path, items)
            assert isinstance(loop, For)
            scalars = tuple(sorted(walking.assigned(loop)))
            more = Columns(path, items, listed=True)
            nest = replace(nest, loop=loop, scalars=scalars, columns=(*nest.columns, more))
    return nest


def _size(nest: Nest, path: str) -> int | None:
    """How many items all rows have that are put at the end of the list `path`."""
    count = sum(1 for stmt in walking.statements(nest.loop) if _appends(stmt, path))
    sizes = [len(row.items) for block in _blocks(nest.loop) for row in _rows(block, nest, path)]
    if not sizes or len(sizes) != count or len(set(sizes)) > 1:
        return None
    return sizes[0] if 2 <= sizes[0] <= _LONGEST else None


def _rows(block: Sequence[Stmt], nest: Nest, path: str) -> Iterator[_Row]:
    """The rows that are written out in `block` and then put at the end of the list `path`."""
    for end, stmt in enumerate(block):
        match stmt:
            case Put(value=Name(id=name)) if _appends(stmt, path):
                row = _row(block[: end + 1], name, path)
                if row is not None and _nowhere_else(nest, name, len(row.items)):
                    yield row


def _row(block: Sequence[Stmt], name: str, path: str) -> _Row | None:
    """The row `name`, made in `block`, at the end of which it is put into the list `path`."""
    end = len(block) - 1
    made = [k for k, stmt in enumerate(block) if _makes(stmt, name)]
    if len(made) != 1:
        return None
    items = [k for k in range(made[0] + 1, end) if _appends(block[k], name)]
    between = (block[k] for k in range(made[0], end))
    odd = any(mentions(s, path) or _leaves(s) for s in between)
    return None if odd else _Row(made[0], tuple(items), end)


def _nowhere_else(nest: Nest, name: str, items: int) -> bool:
    """Whether `name` is only made, given so many items, and put into a list."""
    stmts = list(walking.statements(nest.loop))
    once = sum(1 for stmt in stmts if assigns(stmt, name)) == 1
    return once and name not in nest.live_out and mentions(nest.loop, name) == items + 1


def _block(
    stmts: Sequence[Stmt], nest: Nest, path: str, columns: Sequence[str]
) -> tuple[Stmt, ...]:
    """`stmts` with each item of a row put at the end of its own list."""
    changed: dict[int, str | None] = {}
    for row in _rows(stmts, nest, path):
        changed |= dict.fromkeys((row.begin, row.end))
        changed |= dict(zip(row.items, columns, strict=True))
    made: list[Stmt] = []
    for k, stmt in enumerate(stmts):
        column = changed.get(k)
        if column is not None:
            assert isinstance(stmt, Put)
            made.append(replace(stmt, target=replace(stmt.target, array=Name(column))))
        elif k not in changed:
            made.append(_inside(stmt, nest, path, columns))
    return tuple(made)


def _inside(stmt: Stmt, nest: Nest, path: str, columns: Sequence[str]) -> Stmt:
    match stmt:
        case For(body=body) | While(body=body):
            return replace(stmt, body=_block(body, nest, path, columns))
        case If(body=body, orelse=orelse):
            then, other = (_block(block, nest, path, columns) for block in (body, orelse))
            return replace(stmt, body=then, orelse=other)
    return stmt


def _blocks(stmt: Stmt) -> Iterator[Sequence[Stmt]]:
    for block in walking.blocks(stmt):
        yield block
        for inner in block:
            yield from _blocks(inner)


def _makes(stmt: Stmt, name: str) -> bool:
    match stmt:
        case Assign(target=Name(id=found), value=Call(func=ir.LIST)):
            return found == name
    return False


def _appends(stmt: Stmt, name: str) -> bool:
    match stmt:
        case Put(target=View(array=Name(id=found), index=("append",))):
            return found == name
    return False


def _leaves(stmt: Stmt) -> bool:
    return any(isinstance(inner, Leave) for inner in walking.statements(stmt))
