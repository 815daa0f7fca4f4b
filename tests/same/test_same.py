"""What `AUTOPAR_VERIFY=1` takes to be the same."""

from __future__ import annotations

import math

import pytest

from autopar.runtime.verify import same

LISTS = [
    [],
    [1.0, 2.0],
    [1.0, -0.0],
    [1.0, 0.0],
    [1, 2],
    [True, 2],
    [True, False],
    [1, 0],
    [1.0, 2],
    [1.0, 2.0, 3.0],
    [1 << 70],
    ["a"],
    [[1.0], [2.0]],
    [[1.0], [-0.0]],
    [(1.0,), (2.0,)],
]


@pytest.mark.parametrize("one", LISTS, ids=repr)
@pytest.mark.parametrize("two", LISTS, ids=repr)
def test_lists_are_the_same_where_they_look_so(one: list[object], two: list[object]) -> None:
    if "a" in one or "a" in two:  # which is compared by itself only
        assert same(one, one)
        return
    assert same(list(one), list(two)) == (repr(one) == repr(two))


def test_nan_is_any_nan() -> None:
    odd = math.copysign(math.nan, -1.0)
    assert same([1.0, math.nan], [1.0, odd])
    assert not same([1.0, math.nan], [2.0, odd])
