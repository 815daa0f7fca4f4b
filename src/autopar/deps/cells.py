"""Which cells of its arrays a nest needs and changes: plain data, evaluated at each call.

A set of cells is a text that lists it as linear memory access descriptors: a first cell, and for
each of some directions how many steps are made, and how far one goes along each axis.

References
----------
Y. Paek, J. Hoeflinger, D. Padua, "Simplification of array access patterns for compiler
optimizations", PLDI 1998, here in subscripts, not in bytes: where an array lies, and with which
strides, is another matter on each side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from operator import index

from autopar.records import dataclass

_MOST = 1 << 16  # descriptors that are listed one by one, before those in a row are made one

Place = tuple[int, ...]
"""A subscript for each axis."""

Descriptor = tuple[Place, tuple[tuple[int, Place], ...]]
"""The first cell, and the directions, outermost first: a number of cells and a step."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A set of cells of one array.

    Attributes
    ----------
    text
        Statements of Python's that call ``add(first, directions)`` for each descriptor, and
        ``step()`` in each iteration of their loops; ``p0`` stands for ``params[0]``, and so on.
    """

    text: str
    params: tuple[str, ...] = ()

    def at(self, values: Mapping[str, int]) -> tuple[Descriptor, ...] | None:
        """The cells for `values`, each once; None: too many descriptors."""
        return _listed(self.text, tuple([index(values[p]) for p in self.params]))


NO_CELLS = Cells("pass")


@dataclass(frozen=True, slots=True)
class Moved:
    """What of one array goes where its nest runs, and comes back; None: all of it.

    Attributes
    ----------
    coming
        Cells that may be read before they have surely been written, and those of `going` that are
        not surely written.
    going
        Cells that may be written.
    """

    array: str
    coming: Cells | None
    going: Cells | None


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a nest needs of its arrays, for those that share no memory with another.

    Attributes
    ----------
    params
        What the cells are to be evaluated with, as in `Analysis`.
    """

    params: tuple[str, ...]
    arrays: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """Between which subscripts of each axis all accesses to an array lie."""

    array: str
    axes: tuple[Cells, ...]

    def at(self, values: Mapping[str, int]) -> tuple[tuple[int, int], ...] | None:
        """The first and the last one of each axis; None: not known."""
        found = []
        for axis in self.axes:
            one = axis.at(values)
            if one is None or len(one) > 1:
                return None
            found.append(_ends(one[0]) if one else (0, -1))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes of all arrays, with the parameters that they want to know."""

    params: tuple[str, ...]
    arrays: tuple[Box, ...]


def _ends(one: Descriptor) -> tuple[int, int]:
    ((first,), directions) = one
    far = first + sum([(count - 1) * step for count, (step,) in directions])
    return min(first, far), max(first, far)


class _TooMany(Exception):
    """There are more descriptors than are worth it."""


@lru_cache(maxsize=1024)
def _listed(text: str, values: tuple[int, ...]) -> tuple[Descriptor, ...] | None:
    found: list[Descriptor] = []
    left = _MOST

    def step() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _TooMany

    def add(first: Place, directions: tuple[tuple[int, Place], ...]) -> None:
        found.append((first, tuple([one for one in directions if one[0] > 1])))

    try:
        _function(text, len(values))(*values, add, step)
    except _TooMany:
        return None
    return tuple(_joined(found))


@lru_cache(maxsize=1024)
def _function(text: str, count: int) -> Callable[..., None]:
    args = ", ".join([*(f"p{k}" for k in range(count)), "add", "step"])
    body = "\n".join(f"    {line}" for line in text.splitlines())
    space: dict[str, Callable[..., None]] = {}
    exec(compile(f"def cells({args}):\n{body}\n", "<cells>", "exec"), space)
    return space["cells"]


def _joined(found: list[Descriptor]) -> Iterator[Descriptor]:
    """Those of the same directions whose first cells lie in a row are one."""
    k = 0
    while k < len(found):
        first, directions = found[k]
        step: Place | None = None
        end = k + 1
        while end < len(found) and found[end][1] == directions:
            pairs = zip(found[end - 1][0], found[end][0], strict=True)
            apart = tuple([there - here for here, there in pairs])
            if step is not None and apart != step:
                break
            step = apart
            end += 1
        if step is None:
            yield first, directions
        else:
            yield first, ((end - k, step), *directions)
        k = end
