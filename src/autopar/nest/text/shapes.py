"""Items of the text that are numbers, or tuples of such items, as so many numbers.

Some stand under a name: ``node = q.popleft()``, ``seen.add(node)``.  What these are is guessed from
what is written out elsewhere, and a name that is none of the tuples that it seems to be is refused
by `nest.values.tuples`, which knows all that it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from autopar.nest.ir import Leaves
from autopar.nest.text.building import assign, last_name, load
from autopar.nest.trees import copied

Shape = tuple["Shape", ...] | None
"""Of an item: a tuple of such items, or None for a number, or for what is not known."""
Names = Mapping[str, Shape]
"""Shapes of what names stand for, as far as they seem to be tuples."""
_MOST_ROUNDS = 8


class Unlike(Exception):
    """Items that are tuples of several shapes."""


def shape_of(item: ast.expr, names: Names | None = None) -> Shape:
    """The shape of `item`, as far as it is written out, or known of `names`."""
    match item:
        case ast.Tuple(elts=elts) if elts:
            return tuple(shape_of(one, names) for one in elts)
        case ast.Name(id=name) if names is not None:
            return names.get(name)
    return None


def both(one: Shape, other: Shape) -> Shape:
    """The shape of items that are of either.

    Raises
    ------
    Unlike
        There is none.
    """
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other):
        raise Unlike
    return tuple(map(both, one, other))


def shape_of_all(items: Sequence[ast.expr], names: Names) -> Shape:
    """The shape of all `items`.

    Raises
    ------
    Unlike
        There is none.
    """
    found: Shape = None
    for item in items:
        found = both(found, shape_of(item, names))
    return found


def width(shape: Shape) -> int:
    """How many numbers an item of that shape consists of."""
    return 1 if shape is None else sum(map(width, shape))


def numbers(
    item: ast.expr, shape: Shape, made: list[ast.stmt], hidden: Callable[[], str]
) -> Iterator[ast.expr]:
    """The numbers that an item of that shape consists of, by what is `made` as they are asked for.

    Parameters
    ----------
    hidden
        Makes names that no user can write.
    """
    if shape is None:
        yield item
    elif isinstance(item, ast.Tuple):
        for one, part in zip(item.elts, shape, strict=True):
            yield from numbers(one, part, made, hidden)
    else:
        name = hidden()
        made.append(assign(name, _zeros(shape)))  # so that it can be nothing but such a tuple
        made.append(assign(name, item))
        yield from _parts(load(name), shape)


def _zeros(shape: Shape) -> ast.expr:
    if shape is None:
        return ast.Constant(0)
    return ast.Tuple(list(map(_zeros, shape)), ast.Load())


def _parts(whole: ast.expr, shape: Shape) -> Iterator[ast.expr]:
    if shape is None:
        yield whole
    else:
        for k, part in enumerate(shape):
            yield from _parts(ast.Subscript(copied(whole), ast.Constant(k), ast.Load()), part)


def item_of(parts: Iterator[ast.expr], shape: Shape) -> ast.expr:
    """The item that consists of these numbers."""
    if shape is None:
        return next(parts)
    return ast.Tuple([item_of(parts, part) for part in shape], ast.Load())


def leaves_of(names: Iterator[str], shape: Shape) -> Leaves:
    """The names of lists, each with one of the numbers that items of that shape consist of."""
    if shape is None:
        return next(names)
    return tuple(leaves_of(names, part) for part in shape)


# ---------------------------------------------------------------------------- names


def guessed(parts: Sequence[ast.AST]) -> Names:
    """What names in `parts` seem to stand for, where these are tuples.

    Those of containers, which are no tuples, stand for what is in them.
    """
    given = [pair for part in parts for pair in _given(part)]
    found: dict[str, Shape] = {}
    for _ in range(_MOST_ROUNDS):
        before = dict(found)
        for target, item in given:
            try:
                _give(found, target, _seen(item, found))
            except Unlike:
                continue  # whoever needs it is going to find that out
        if found == before:
            break
    return found


_Target = str | tuple["_Target", ...]


def _give(found: dict[str, Shape], target: _Target, shape: Shape) -> None:
    if shape is None:
        return
    if isinstance(target, str):
        found[target] = both(found.get(target), shape)
    elif len(target) == len(shape):
        for one, part in zip(target, shape, strict=True):
            _give(found, one, part)


def _given(node: ast.AST) -> Iterator[tuple[_Target, ast.expr]]:
    """Names, and what they are given by `node`, or what is put into what they stand for."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value):
            yield _values(name), value
            yield name, key
        case ast.Assign(targets=[target], value=value):
            yield _target(target), value
            yield from _put_in(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _put_in(target, value)
        case ast.For(target=target, iter=ast.List(elts=items) | ast.Tuple(elts=items)):
            for item in items:
                yield _target(target), item
        case ast.For(target=target, iter=ast.Name() as source):
            yield _target(target), ast.Starred(source)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add"), args=[item]
        ):
            yield name, item
        case ast.Call(func=func, args=[ast.Name(id=name), item]) if last_name(func) in (
            "heappush", "heappushpop", "heapreplace",
        ):  # fmt: skip
            yield name, item


def _put_in(target: ast.expr, value: ast.expr) -> Iterator[tuple[_Target, ast.expr]]:
    """What a container begins with."""
    if not isinstance(target, ast.Name):
        return
    match value:
        case ast.Call(args=[ast.List(elts=items) | ast.Tuple(elts=items)]):
            pass
        case ast.List(elts=items) | ast.Set(elts=items):
            pass
        case ast.Dict(keys=keys, values=values):
            for key, item in zip(keys, values, strict=True):
                if key is not None:
                    yield target.id, key
                    yield _values(target.id), item
            return
        case _:
            return
    for item in items:
        yield target.id, item


def _values(name: str) -> str:
    """What stands for the values of a dictionary."""
    return f"<values of {name}>"


def _target(node: ast.expr) -> _Target:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return tuple(map(_target, elts))
    return ""


def _seen(item: ast.expr, names: Names) -> Shape:
    """The shape of `item`, which may be taken out of a container."""
    match item:
        case ast.Starred(value=ast.Name(id=name)):
            return names.get(name)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="popleft" | "pop"), args=[] | [_]
        ):
            return names.get(name)
        case ast.Call(func=func, args=[ast.Name(id=name), *_]) if last_name(func) in (
            "heappop", "heappushpop", "heapreplace",
        ):  # fmt: skip
            return names.get(name)
        case ast.Subscript(value=ast.Name(id=name)) if _values(name) in names:
            return names.get(_values(name))
        case ast.Tuple(elts=elts) if elts:
            return tuple(_seen(one, names) for one in elts)
    return shape_of(item, names)
