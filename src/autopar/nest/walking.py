"""What a loop nest consists of: expressions, statements, accesses and names, in source order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from operator import attrgetter
from typing import Any

from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Items,
    Load,
    Logic,
    Name,
    Nest,
    Part,
    Put,
    Select,
    Slice,
    Stmt,
    Unary,
    View,
    While,
)
from autopar.records import replace


def children(expr: Expr) -> tuple[Expr, ...]:
    """Direct sub-expressions, in evaluation order."""
    operands = _OPERANDS.get(type(expr))
    return () if operands is None else operands(expr)


def indices(index: tuple[Part, ...]) -> tuple[Expr, ...]:
    """The expressions in a subscript, in evaluation order."""
    found: list[Expr] = []
    for part in index:
        if isinstance(part, Slice):
            found += (e for e in (part.start, part.stop, part.step) if e is not None)
        elif not isinstance(part, str):
            found.append(part)
    return tuple(found)


# By class, for this is asked of each operand again and again.
_OPERANDS: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Load: attrgetter("index"),
    Unary: lambda expr: (expr.operand,),
    Binary: attrgetter("left", "right"),
    Compare: attrgetter("left", "right"),
    Logic: attrgetter("values"),
    Select: attrgetter("test", "body", "orelse"),
    Call: attrgetter("args"),
    View: lambda expr: (expr.array, *indices(expr.index)),
    Items: attrgetter("values"),
}


def walk(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything inside it, operands before operators."""
    found, todo = list[Expr](), [expr]
    while todo:  # backwards
        one = todo.pop()
        found.append(one)
        todo += children(one)
    return reversed(found)


def expressions(stmt: Stmt) -> tuple[Expr, ...]:
    """Expressions that `stmt` itself evaluates (not those of statements nested in it)."""
    match stmt:
        case Assign(target=Element(index=index), value=value):
            return (value, *index)
        case Put(target=View(array=array, index=parts), value=value):
            return (value, array, *indices(parts))
        case Assign(value=value):
            return (value,)
        case If(test=test) | While(test=test):
            return (test,)
        case For(start=start, stop=stop, step=step):
            return (start, stop, step)
    return ()


def blocks(stmt: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    """The statement lists nested directly in `stmt`."""
    match stmt:
        case If(body=body, orelse=orelse):
            return (body, orelse)
        case While(body=body) | For(body=body):
            return (body,)
    return ()


def statements(stmt: Stmt) -> Iterator[Stmt]:
    """`stmt` and every statement inside it, in textual order."""
    todo = [stmt]
    while todo:
        one = todo.pop()
        yield one
        for block in reversed(blocks(one)):
            todo += reversed(block)


def inside(stmts: Sequence[Stmt]) -> Iterator[Stmt]:
    """`stmts` and every statement inside them, in textual order."""
    return (inner for stmt in stmts for inner in statements(stmt))


def accesses(stmt: Stmt) -> Iterator[tuple[Stmt, Load | Element]]:
    """Every array access in `stmt` with the statement that makes it; reads before the write."""
    for inner in statements(stmt):
        for top in expressions(inner):
            for expr in walk(top):
                if isinstance(expr, Load):
                    yield inner, expr
        if isinstance(inner, Assign) and isinstance(inner.target, Element):
            yield inner, inner.target


def lines(stmt: Stmt) -> Iterator[int]:
    """Lines of `stmt` and of everything inside it, in textual order."""
    for inner in statements(stmt):
        yield inner.line
        for top in expressions(inner):
            yield from (expr.line for expr in walk(top) if not isinstance(expr, Const | Name | Dim))


def numbers(stmt: Stmt) -> frozenset[int]:
    """The ids of the statements in `stmt` and of their accesses."""
    own = {inner.id for inner in statements(stmt)}
    return frozenset(own | {access.id for _, access in accesses(stmt)})


def new_ids(stmt: Stmt) -> count[int]:
    """Ids that no statement in `stmt` has, and no access of one."""
    return count(1 + max(numbers(stmt)))


def rebuilt(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """`expr` with its direct operands changed."""
    parts: dict[str, Any] = {}
    match expr:
        case Load(index=index):
            parts = {"index": tuple(change(e) for e in index)}
        case Unary(operand=operand):
            parts = {"operand": change(operand)}
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            parts = {"left": change(left), "right": change(right)}
        case Logic(values=values):
            parts = {"values": tuple(change(v) for v in values)}
        case Select(test=test, body=body, orelse=orelse):
            parts = {"test": change(test), "body": change(body), "orelse": change(orelse)}
        case Call(args=args):
            parts = {"args": tuple(change(a) for a in args)}
        case View(array=array, index=index):
            parts = {"array": change(array), "index": tuple(_part(p, change) for p in index)}
        case Items(values=values):
            parts = {"values": tuple(change(v) for v in values)}
    return replace(expr, **parts) if parts else expr


def _part(part: Part, change: Callable[[Expr], Expr]) -> Part:
    match part:
        case str():
            return part
        case Slice(start=start, stop=stop, step=step):
            begin, end, each = (None if e is None else change(e) for e in (start, stop, step))
            return replace(part, start=begin, stop=end, step=each)
    return change(part)


def assigned(stmt: Stmt) -> frozenset[str]:
    """Scalars that `stmt` or anything inside it may assign."""
    names = set()
    for inner in statements(stmt):
        if isinstance(inner, Assign) and isinstance(inner.target, Name):
            names.add(inner.target.id)
        elif isinstance(inner, For):
            names.add(inner.var)
    return frozenset(names)


def extended(nest: Nest) -> frozenset[str]:
    """Live-in paths of lists to which `nest` appends, and with which it does nothing else."""
    appends: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for stmt in statements(nest.loop):
        match stmt:
            case Put(target=View(array=Name(id=path), index=("append",))):
                appends[path] += 1
        for top in expressions(stmt):
            for expr in walk(top):
                match expr:
                    case Name(id=path):
                        names[path] += 1
                    case Load(array=path) | Dim(array=path):
                        names[path] += 2  # once more than it is appended to
                        appends[path] += 1
    made = {local.extends for local in nest.locals if local.extends is not None}
    found = {path for path, count in appends.items() if names[path] == count}
    made |= {one.path for one in nest.columns}
    return frozenset(found & set(nest.paths) - set(nest.scalars) | made)


def grown(nest: Nest) -> frozenset[str]:
    """Live-in paths of lists to which `nest` appends and of which it reads, or takes, items."""
    found = {
        stmt.target.array.id
        for stmt in statements(nest.loop)
        if isinstance(stmt, Put)
        and stmt.target.index in (("append",), ("pop",))
        and isinstance(stmt.target.array, Name)
    }
    return frozenset(found & set(nest.paths) - set(nest.scalars) - extended(nest))


def buckets(nest: Nest) -> dict[str, int]:
    """Live-in lists to whose rows `nest` appends, and how many subscripts lead to such a row.

    It asks no more of them than how many rows there are.
    """
    depths: dict[str, set[int]] = {}
    mentions: Counter[str] = Counter()
    for stmt in statements(nest.loop):
        row = bucket(stmt)
        if row is not None:
            depths.setdefault(row.array, set()).add(len(row.index))
            mentions[row.array] -= 1
        if isinstance(stmt, Assign) and isinstance(stmt.target, Element):
            mentions[stmt.target.array] += 1
        for top in expressions(stmt):
            for expr in walk(top):
                match expr:
                    case Name(id=path) | Load(array=path):
                        mentions[path] += 1
                    case Dim(array=path, axis=axis, attribute=named) if axis or named:
                        mentions[path] += 1
    paths = set(nest.paths) - set(nest.scalars)
    return {
        path: found.pop()
        for path, found in sorted(depths.items())
        if path in paths and not mentions[path] and len(found) == 1
    }


def bucket(stmt: Stmt) -> Load | None:
    """What says to which row ``p[i].append(…)`` appends; None for all other statements."""
    match stmt:
        case Put(target=View(array=Load(tupled=0) as row, index=("append",))):
            return row if row.nested or len(row.index) == 1 else None
    return None


def written(nest: Nest) -> tuple[str, ...]:
    """Paths of the arrays that `nest` may write, but for its own, sorted."""
    found = {a.array for _, a in accesses(nest.loop) if isinstance(a, Element)}
    return tuple(sorted(found - {local.path for local in nest.locals}))
