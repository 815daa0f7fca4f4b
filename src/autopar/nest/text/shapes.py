"""Items of the text that are numbers, or tuples of such items, as so many numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autopar.nest.ir import Leaves

Shape = tuple["Shape", ...] | None
"""Of an item: a tuple of such items, or None for a number."""


def shape_of(item: ast.expr) -> Shape:
    """The shape of `item`, as far as it is written out."""
    if isinstance(item, ast.Tuple) and item.elts:
        return tuple(map(shape_of, item.elts))
    return None


def width(shape: Shape) -> int:
    """How many numbers an item of that shape consists of."""
    return 1 if shape is None else sum(map(width, shape))


def numbers(item: ast.expr, shape: Shape) -> Iterator[ast.expr]:
    """The numbers that an item of that shape consists of."""
    if shape is None:
        yield item
    else:
        assert isinstance(item, ast.Tuple)
        for one, part in zip(item.elts, shape, strict=True):
            yield from numbers(one, part)


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
