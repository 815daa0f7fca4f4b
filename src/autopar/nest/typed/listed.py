"""Arrays that stand for lists: what a list cannot do, and elements that change their type."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from autopar.nest.hidden import STORED, TYPES
from autopar.nest.ir import (
    EITHER,
    TAG,
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
    Load,
    Local,
    Name,
    Nest,
    Select,
    Stmt,
    While,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.show import text
from autopar.nest.walking import (
    accesses,
    assigned,
    children,
    expressions,
    new_ids,
    statements,
    walk,
)
from autopar.records import replace
from autopar.verdict import Reason, Refusal, Span

_ARITHMETIC = frozenset("+-*/")


def misused(nest: Nest, lists: Mapping[str, int]) -> Refusal | None:
    """The first use of one of `lists` that would raise; what is made of their parts comes later.

    Parameters
    ----------
    lists
        How many axes of each are those of lists.
    """
    for stmt, access in accesses(nest.loop):
        if 0 < access.tupled <= lists.get(access.array, 0):
            where = Span(nest.file, stmt.line)
            return Refusal(Reason.WRONG_TYPE, where, f"{text(access)} of a list")
    for stmt, expr in _everything(nest.loop):
        if isinstance(expr, Dim) and expr.attribute and expr.array in lists:
            where = Span(nest.file, stmt.line)
            return Refusal(Reason.WRONG_TYPE, where, f"{text(expr)} of a list")
    return None


def marked(nest: Nest, lists: Collection[str]) -> Nest:
    """`nest` with a note, after each store to one of `lists`, that this element has been assigned.

    ``c = [0] * n`` is a list of ints whose elements become floats one by one.
    """
    ids = new_ids(nest.loop)

    def block(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(made for stmt in stmts for made in statement(stmt))

    def statement(stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Assign(target=Element(array=path, index=index), line=line) if path in lists:
                place = Element(
                    path + STORED, tuple(renumbered(e, ids) for e in index), next(ids), line
                )
                return stmt, Assign(place, Const(True), next(ids), line)
            case If(body=body, orelse=orelse):
                return (replace(stmt, body=block(body), orelse=block(orelse)),)
            case While(body=body) | For(body=body):
                return (replace(stmt, body=block(body)),)
        return (stmt,)

    (loop,) = statement(nest.loop)
    assert isinstance(loop, For)
    notes = (path + STORED for path in lists)
    return replace(nest, loop=loop, paths=tuple(sorted({*nest.paths, *notes})))


def noted(nest: Nest, lists: Collection[str]) -> Nest:
    """`nest` with the type of each element of one of `lists` beside it, read and written."""
    notes: dict[int, int] = {}  # by what stores an element, what stores its type
    ids = new_ids(nest.loop)

    def beside(access: Load) -> Load:
        index = tuple(renumbered(e, ids) for e in access.index)
        return Load(access.array + TYPES, index, next(ids), access.line)

    def read(expr: Expr) -> Expr:
        made = rebuilt(expr, read)
        if isinstance(made, Load) and made.array in lists:
            return Call(EITHER, (made, beside(made)), made.line)
        return made

    def block(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(made for stmt in stmts for made in statement(stmt))

    def statement(stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Assign(target=Element(array=path) as target) if path in lists:
                return stored(stmt, replace(target, index=tuple(map(read, target.index))))
            case If(test=test, body=body, orelse=orelse):
                return (replace(stmt, test=read(test), body=block(body), orelse=block(orelse)),)
            case While(test=test, body=body):
                return (replace(stmt, test=read(test), body=block(body)),)
            case For(start=start, stop=stop, step=step, body=body):
                start, stop, step = map(read, (start, stop, step))
                return (replace(stmt, start=start, stop=stop, step=step, body=block(body)),)
        return (rewritten(stmt, read),)

    def stored(stmt: Assign, target: Element) -> tuple[Stmt, ...]:
        number, line = next(ids), stmt.line
        value, tag = Name(f"<item {number}>"), Name(f"<type {number}>")
        index = tuple(renumbered(e, ids) for e in target.index)
        note = Element(target.array + TYPES, index, next(ids), line)
        notes[stmt.id] = next(ids)
        return (
            Assign(value, read(stmt.value), next(ids), line),
            Assign(tag, Call(TAG, (value,), line), next(ids), line),
            replace(stmt, target=target, value=value, augmented=False),
            Assign(note, tag, notes[stmt.id], line),
        )

    (loop,) = statement(nest.loop)
    assert isinstance(loop, For)
    locals_: list[Local] = []
    for local in nest.locals:
        if local.path not in lists:
            locals_.append(local)
            continue
        beside_it = replace(
            local,
            path=local.path + TYPES,
            dtype="int8",
            made=frozenset(notes[number] for number in local.made),
            flag=f"<made {local.path + TYPES}>",
            listed=False,
            length=None,
            extends=None,
            lowest=None,
        )
        locals_ += replace(local, mixed=True), beside_it
    paths = {*nest.paths, *(path + TYPES for path in lists)}
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted(paths)),
        scalars=tuple(sorted(assigned(loop))),
        locals=tuple(locals_),
    )


def operands(loop: Stmt, lists: Collection[str]) -> Iterator[tuple[Load, Expr | None]]:
    """Each read of one of `lists`, and the other operand of the arithmetic that it is part of.

    None where it is no such operand.
    """
    for stmt in statements(loop):
        for top in expressions(stmt):
            if isinstance(top, Load) and top.array in lists:
                yield top, None
            for expr in walk(top):
                for child in children(expr):
                    if isinstance(child, Load) and child.array in lists:
                        yield child, _other(expr, child)


def _other(expr: Expr, operand: Load) -> Expr | None:
    match expr:
        case Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
            return left if operand is right else right
        case Compare(left=left, right=right):
            return left if operand is right else right
    return None


def handed_on(loop: Stmt, ends: Collection[str]) -> frozenset[str]:
    """Scalars, and arrays, that `ends` may have an element of as it is, not only what is computed.

    Python hands on the object then, and a nan is equal to another one in a list if it is the same.
    """
    sources: dict[str, set[str]] = {}
    for stmt in statements(loop):
        match stmt:
            case Assign(target=Name(id=name) | Element(array=name), value=value):
                sources.setdefault(name, set()).update(_as_it_is(value))
    found: set[str] = set()
    todo = list(ends)
    while todo:
        new = sources.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return frozenset(found)


def _as_it_is(expr: Expr) -> Iterator[str]:
    """What `expr` may be, rather than be computed from."""
    match expr:
        case Name(id=name) | Load(array=name):
            yield name
        case Binary() | Compare():
            return
        case Select(body=body, orelse=orelse):
            yield from _as_it_is(body)
            yield from _as_it_is(orelse)
        case _:
            for child in children(expr):
                yield from _as_it_is(child)


def _everything(loop: Stmt) -> Iterator[tuple[Stmt, Expr]]:
    for stmt in statements(loop):
        for top in expressions(stmt):
            for expr in walk(top):
                yield stmt, expr
