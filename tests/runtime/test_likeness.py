"""Machine code finds values alike that are, and none that are not."""

from __future__ import annotations

import itertools
import math
import pickle
from functools import partial

import numpy as np
import pytest

from autopar.cpu import build
from autopar.cpu import team as layout
from autopar.cpu.likeness import table

function = partial(build.teams(None), 0, layout.LIKE)
base, swapped = np.arange(60.0), np.dtype(">f8")


class Odd(np.ndarray):
    """Another class, with the same memory."""


def arrays():
    plain = np.ones((3, 4))
    yield plain
    yield np.ones((3, 4))
    yield np.ones((4, 3))
    yield np.ones(12)
    yield np.ones((3, 4, 1))
    yield np.array(1.0)
    yield np.ones((3, 0))
    yield np.ones((3, 4), order="F")
    yield np.ones((3, 4), np.float32)
    yield np.ones((3, 4), swapped)
    yield np.ones((3, 4), np.longlong)
    yield np.ones((3, 4), np.int64)
    yield np.ones((3, 4)).view(Odd)
    yield base[:12].reshape(3, 4)
    yield np.ones((3, 8))[:, ::2]
    fixed = np.ones((3, 4))
    fixed.flags.writeable = False
    yield fixed
    yield np.broadcast_arrays(np.ones((3, 4)), np.ones(1))[1]  # warns of writing
    yield base


def described(one):
    return type(one), one.dtype, one.dtype.char, one.shape, one.flags.num


def alike(then, known, numbers=(), objects=(), bases=(), places=(0,)):
    words = table(known, places, numbers, objects, bases)
    return bool(function(words.ctypes.data, then))


def test_of_arrays_all_but_place_and_contents():
    for one, other in itertools.product(arrays(), arrays()):
        assert alike((other,), (one,)) == (described(one) == described(other)), (one, other)


@pytest.mark.parametrize("other", [0.5, 1, True, None, "x", (), [], np.float64(1), 1j, object()])
def test_what_is_no_array_is_not_looked_into(other):
    assert not alike((other,), (np.ones(3),))


def test_an_array_in_place_of_another():
    first, second, third = np.ones(3), np.ones(3), np.ones(3)
    known = (first, second, 2.0)
    assert alike((second, third, 7), known, places=(0, 1))
    assert not alike((second, second, 2.0), known, places=(0, 1))
    assert alike((second, second, 2.0), known, places=(1,))
    assert not alike((first, third, 2.0), known, bases=[id(third)], places=(0, 1))
    assert alike((first, second, 2.0), known, bases=[id(third), id(base)], places=(0, 1))


def test_numbers_with_and_without_their_values():
    values = [0, 1, -1, 2, 2**70, -(2**70), True, False, 0.0, 1.0, -0.0, math.nan, np.float64(1)]
    others = [*values, 2**70 + 0, int("1" + "0" * 30), None, np.int64(1), "1", np.ones(1)]
    for value, other in itertools.product(values, others):
        same = type(value) is type(other)
        known, then = (np.ones(2), value), (np.ones(2), other)
        assert alike(then, known, [(1, False)]) == same, (value, other)
        if type(value) in (int, bool):
            assert alike(then, known, [(1, True)]) == (same and value == other), (value, other)


def test_objects_are_those():
    known = (np.ones(2), abs, 3, math)
    objects = [(1, abs), (3, math)]
    assert alike((np.ones(2), abs, 4, math), known, objects=objects)
    assert not alike((np.ones(2), len, 3, math), known, objects=objects)
    assert not alike((np.ones(2), abs, 3, np), known, objects=objects)
    assert not alike((np.ones(2), abs, 4, math), known, [(2, True)], objects)


def test_equal_dtypes_that_are_two_objects_are_not_sure():
    one = np.ones(2)
    other = pickle.loads(pickle.dumps(one))
    assert alike((other,), (one,)) == (other.dtype is one.dtype)
