"""How large values are guessed to be, of which nothing of the user's hears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autopar.runtime.earlier import _is_seen
from autopar.runtime.extents import extent, length_along


class Asked:
    """An object that nobody is to ask for anything."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(name)

    def __bool__(self) -> bool:
        raise AssertionError

    __len__ = __iter__ = __bool__


class OwnList(list[Any]):
    def __bool__(self) -> bool:
        raise AssertionError

    def __getitem__(self, place: Any) -> Any:
        raise AssertionError(place)

    __len__ = __iter__ = __bool__


class OwnDict(dict[str, Any]):
    def __len__(self) -> int:
        raise AssertionError

    def values(self) -> Any:
        raise AssertionError

    __bool__ = __iter__ = __len__


class OwnText(str):
    def __len__(self) -> int:
        raise AssertionError


VALUES: dict[str, Callable[[], object]] = {  # pytest would ask them
    "object": Asked,
    "list": lambda: OwnList([1, 2]),
    "dict": lambda: OwnDict(a=1),
    "str": lambda: OwnText("acgt"),
    "object in a list": lambda: [Asked()],
    "object in a tuple": lambda: (Asked(),),
    "list in a list": lambda: [OwnList([1])],
    "object in a dict": lambda: {"a": Asked()},
    "dict in a dict": lambda: {"a": OwnDict(b=1)},
    "str in a dict": lambda: {"a": OwnText("b")},
    "list in a dict": lambda: {"a": OwnList([1.0, 2.0])},
}


@pytest.mark.parametrize("name", VALUES)
def test_nothing_of_the_users_is_asked(name: str) -> None:
    value = VALUES[name]()
    extent(value, 1)
    length_along(value, 0, 7)
    length_along(value, 1, 7)
    _is_seen(value)


def test_lists_of_a_class_of_the_users_are_as_long_as_they_are() -> None:
    assert extent([OwnList([1.0] * 9)], 2) == (9, 0)
    assert length_along([OwnList([1.0] * 9)], 1, 5) == 9


@pytest.mark.parametrize("value", [range(10**30), range(0, -(10**30), -1), [range(10**30)] * 3])
def test_ranges_that_are_longer_than_python_can_say(value: object) -> None:
    found = extent(value, 1)
    assert found is not None
    assert found[0] == length_along([value], 1, 5) if type(value) is range else found[0] > 10**9


@pytest.mark.parametrize(
    "value", [range(0), range(5, 3), range(3, 5, -1), range(2, 9, 3), range(9, 2, -3), range(7)]
)
def test_other_ranges_are_as_long_as_they_are(value: range) -> None:
    assert length_along(value, 0, 99) == len(value)


def test_a_dictionary_may_have_itself_in_it() -> None:
    own: dict[str, Any] = {"n": 1}
    own["self"] = own
    assert extent(own, 1) is None
    level: dict[str, Any] = {"n": 3}
    for _ in range(40):  # all of which would be two to the power of that
        level = {"a": level, "b": level}
    assert extent(level, 1) is None
    assert extent({"n": 3, "inner": {"a": np.zeros(50), "l": [0.0] * 7}}, 1) == (50, 0)
    assert extent({k: k for k in range(100)}, 1) is None
