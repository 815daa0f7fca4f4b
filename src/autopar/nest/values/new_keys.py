"""Dictionaries that get new keys: lists that grow, in place of their keys and values.

``d[k] = v`` becomes ``key = k; item = v`` and, where `key` is in the dictionary, a store into the
list of its values; else `key` and `item` are appended, and the array that says where the value of
a key stands is told the new place.  See `nest.values.tables` for that array.

A dictionary may know what to do about a key that it has not: ``d[k] += v`` of a
``defaultdict(int)`` is ``d[k] = d.get(k, 0) + v``, and a `Counter` counts 0 of all others.  The
former has the key as soon as it is read, so nothing in the nest may ask meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat

from autopar.nest.ir import (
    IN,
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
    Logic,
    Name,
    Put,
    Select,
    Stmt,
    View,
)
from autopar.nest.meaning import rebuilt, renumbered, rewritten
from autopar.nest.walking import children, expressions, statements, walk
from autopar.records import replace

GET = ".get"
"""How the path ends of what is called for ``d.get(k, value)``."""
PLAIN, COUNTER, INTS, FLOATS = "dict", "Counter", "defaultdict(int)", "defaultdict(float)"
"""What dictionaries do about keys that they have not."""

_MISSING: dict[str, int | float] = {COUNTER: 0, INTS: 0, FLOATS: 0.0}


def owner_of(func: str) -> str:
    """The path of what may be a dictionary, if `func` is called for its ``get``."""
    return func.removesuffix(GET) if func.endswith(GET) else ""


def with_defaults(loop: For, kinds: Mapping[str, str]) -> For:
    """`loop` with what dictionaries have for new keys said in it; `kinds` are theirs, by path."""

    def said(stmt: Stmt) -> Stmt:
        match stmt:
            case Assign(target=Element(array=path, index=(key,))) if path in kinds:
                return rewritten(stmt, lambda expr: asked(asked(expr, counts), {path}, key))
        return rewritten(stmt, lambda expr: asked(expr, counts), inside)

    def inside(block: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(said, block))

    def asked(expr: Expr, paths: set[str], key: Expr | None = None) -> Expr:
        """`expr` with ``d.get(k, …)`` for ``d[k]``, of these dictionaries and that key."""

        def again(operand: Expr) -> Expr:
            return asked(operand, paths, key)

        match expr:
            case Call(func=func, args=(Load() as held,)) if func == IN:
                return replace(expr, args=(rebuilt(held, again),))
        made = rebuilt(expr, again)
        match made:
            case Load(array=path, index=(other,), line=line) if path in paths & missing.keys():
                if key is None or _same(other, key):
                    return Call(path + GET, (other, Const(missing[path])), line)
        return made

    seen = _asked(loop)
    missing = {
        path: _MISSING[kind]
        for path, kind in kinds.items()
        if kind in _MISSING and (kind == COUNTER or path not in seen)
    }
    counts = {path for path, kind in kinds.items() if kind == COUNTER}
    made = said(loop)
    assert isinstance(made, For)
    return made


def get_keys(loop: For, kinds: Mapping[str, str]) -> frozenset[str]:
    """Those dictionaries that may get new keys: a value is stored that is not made of the old one.

    To read that one raises where there is no such key; see `with_defaults` for where it does not.
    """
    return frozenset(
        stmt.target.array
        for stmt in statements(with_defaults(loop, kinds))
        if isinstance(stmt, Assign)
        and isinstance(stmt.target, Element)
        and stmt.target.array in kinds
        and not any(
            isinstance(one, Load)
            and one.array == stmt.target.array
            and len(one.index) == 1
            and _same(one.index[0], *stmt.target.index)
            for one in _always(stmt.value)
        )
    )


def put(
    target: Element,
    value: Expr,
    held: tuple[Expr, Expr],
    lists: tuple[str, str],
    where: tuple[str, str],
    ids: Iterator[int],
) -> tuple[Stmt, ...]:
    """``d[key] = value`` of a name, which is the key.

    Parameters
    ----------
    held
        Whether the key is one already, and where its value stands.
    lists, where
        Names of the lists of values and of keys, and of the arrays that say where keys from 0 up
        have their values, and those below.
    """
    (key,), line = target.index, target.line
    (values, keys), (up, down) = lists, where
    has, place = held
    item = f"<item {next(ids)}>"

    def append(name: str, what: Expr) -> Stmt:
        return Put(View(Name(name), ("append",), line), what, next(ids), line)

    def note(name: str) -> Stmt:
        last = Binary("-", Dim(values, 0), Const(1), line)
        return Assign(Element(name, (key,), next(ids), line), last, next(ids), line)

    store = Element(values, (place,), target.id, line)
    return (
        Assign(Name(item), value, next(ids), line),
        If(
            has,
            (Assign(store, Name(item), next(ids), line),),
            (
                append(keys, key),
                append(values, Name(item)),
                If(Compare(">=", key, Const(0), line), (note(up),), (note(down),), next(ids), line),
            ),
            next(ids),
            line,
        ),
    )


def _asked(loop: For) -> frozenset[str]:
    """Paths that `loop` asks for keys, or for how many there are."""
    found: set[str] = set()
    for stmt in statements(loop):
        for expr in (expr for top in expressions(stmt) for expr in walk(top)):
            match expr:
                case Call(func=func, args=(Load(array=path),)) if func == IN:
                    found.add(path)
                case Call(func=func) if owner_of(func):
                    found.add(owner_of(func))
                case Dim(array=path):
                    found.add(path)
    return frozenset(found)


def _always(expr: Expr) -> Iterator[Expr]:
    """What is evaluated whenever `expr` is."""
    match expr:
        case Select(test=test):
            yield from _always(test)
            return
        case Logic(values=(first, *_)):
            yield from _always(first)
            return
        case Call(func=func, args=(Load() as held,)) if func == IN:
            expr = held  # of which only the key is evaluated
        case _:
            yield expr
    for operand in children(expr):
        yield from _always(operand)


def _same(one: Expr, two: Expr) -> bool:
    """Whether they say the same, wherever they stand."""
    return renumbered(one, repeat(0)) == renumbered(two, repeat(0))
