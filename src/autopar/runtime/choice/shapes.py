"""A nest with statements on whole arrays, written out for the shapes of a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np

from autopar import pipeline
from autopar.kernel import Claim
from autopar.nest.ir import Condition, Nest
from autopar.nest.kinds import MAX_INT, atom_of
from autopar.nest.typed.told import Arrays
from autopar.runtime.aside import aside
from autopar.runtime.choice import interval
from autopar.runtime.choice.decide import environment
from autopar.runtime.values.facts import Values
from autopar.verdict import Reason, Refusal, Refused, Span

E = TypeVar("E")
_MOST = 256  # questions that are remembered
_LONG_STRIDE = 1 << 20
"""Bytes from one element to the next from which on NumPy may compute functions in other ways."""


class Shapes(Generic[E]):
    """What a nest becomes for arrays of one type: that depends on their shapes and strides, too.

    Parameters
    ----------
    nest
        As the user wrote it, but for helper functions.
    engine
        Makes what runs a nest.
    """

    def __init__(self, nest: Nest, engine: Callable[[Nest], E]) -> None:
        self.nest, self.make = nest, engine
        self.found: dict[Any, Refusal | tuple[Nest, E]] = {}
        self.met: dict[Any, Condition | None] = {}

    def engine(self, values: Values) -> E | Refusal:
        """What runs the nest on these values."""
        arrays = values.arrays.values()
        shapes = tuple([array.shape for array in arrays])
        numbers = values.numbers.values()
        objects = tuple([n for n in numbers if atom_of(n) is None])
        try:
            hash(objects)
        except TypeError:
            where = Span(self.nest.file, self.nest.loop.line)
            raise Refused(Refusal(Reason.WRONG_TYPE, where, "a list or dictionary")) from None
        plain = tuple([n if type(n) is int else 0 for n in numbers])
        pattern = (
            tuple([tuple([size == 1 for size in shape]) for shape in shapes]),
            tuple([_ordered(a) for a in arrays]),
            tuple([(type(o), o) for o in objects]),
        )
        failing = None
        for strict in (False, True):
            key = pattern, strict
            found = self.found.get(key)
            if found is None:
                found = self.found[key] = aside(partial(self.written, values, strict))
            if isinstance(found, Refusal):
                return found
            nest, engine = found
            question = key, shapes, plain
            if question not in self.met:
                if len(self.met) >= _MOST:
                    self.met.clear()
                self.met[question] = unmet(nest.conditions, values)
            failing = self.met[question]
            if failing is None:
                return engine
        assert failing is not None
        return Refusal(Reason.SIZES, Span(self.nest.file, failing.line), failing.why)

    def written(self, values: Values, strict: bool) -> Refusal | tuple[Nest, E]:
        """The nest without statements on whole arrays, and what runs it."""
        known = _known(self.nest, values)
        found = pipeline.written_out(self.nest, frozenset(values.arrays), known, strict)
        if isinstance(found, Refusal):
            return found
        return found, self.make(found)


def unmet(conditions: Sequence[Condition], values: Values) -> Condition | None:
    """The first of `conditions` that these values do not show to be true."""
    ints = [path for path, number in values.numbers.items() if type(number) is int]
    env = environment(ints, values)
    inside: interval.Inner = {}
    for one in conditions:
        high = MAX_INT if one.high is None else one.high
        if not interval.holds(Claim(one.expr, one.low, high, one.scope), env, inside):
            return one
    return None


def _ordered(array: np.ndarray[Any, Any]) -> bool:
    """Whether what NumPy computes from such an array is in C order, in its usual way."""
    strides = array.strides
    if not array.size:  # as if nothing were there, NumPy may say that there are no steps
        return True
    if strides and (strides[-1] <= 0 or strides[0] >= _LONG_STRIDE < strides[-1]):
        return False
    return all(one >= two for one, two in pairwise(strides))


def _known(nest: Nest, values: Values) -> Arrays:
    """What is known of the live-ins."""
    arrays = values.arrays
    strange = {path: n for path, n in values.numbers.items() if atom_of(n) is None}
    return Arrays(
        ranks={path: array.ndim for path, array in arrays.items()},
        ones=frozenset(
            (path, axis)
            for path, array in arrays.items()
            for axis, size in enumerate(array.shape)
            if size == 1
        ),
        ordered=frozenset(path for path, array in arrays.items() if _ordered(array)),
        boolean=frozenset(path for path, array in arrays.items() if array.dtype.kind == "b"),
        counting=frozenset(path for path, array in arrays.items() if array.dtype.kind in "iu"),
        real=frozenset(path for path, array in arrays.items() if array.dtype.kind == "f"),
        dtypes={path: array.dtype.name for path, array in arrays.items()},
        dense=frozenset(path for path, array in arrays.items() if array.flags.c_contiguous),
        sideways=frozenset(path for path, array in arrays.items() if array.flags.f_contiguous),
        ints=frozenset(
            path
            for path, number in values.numbers.items()
            if type(number) is int and path not in nest.scalars
        ),
        doubles=frozenset(
            path
            for path, number in values.numbers.items()
            if atom_of(number) in ("float", "np.float64")
        ),
        objects={**strange, **values.calls},
        listed=values.lists.depths,
        fixed=values.lists.fixed,
    )
