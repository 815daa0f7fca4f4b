"""Calls of which it is known that to ask about them is in vain, and those that are like them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from autopar import config
from autopar.records import replace
from autopar.runtime import process
from autopar.runtime.vain import Vain, in_vain, read, text, waits_s


class Layer:
    """One of the user's objects, with lists of lists in it."""

    def __init__(self, size: int, one: Any = 0.5) -> None:
        self.weights = [[one] * size for _ in range(size)]
        self.seed, self.name = 10**9, "layer"


@pytest.mark.parametrize(
    ("values", "like", "unlike"),
    [
        (([1.0] * 30, 7), ([2.0] * 100, 9), [([1.0] * 200, 7), ([Decimal(1)] * 30, 7), ([], 7)]),
        ((np.zeros(30),), (np.ones(90),), [(np.zeros(30, "f4"),), (np.zeros(130),), (None,)]),
        (
            ([Layer(3)] * 2,),
            ([Layer(4)] * 3,),
            [([Layer(30)] * 2,), ([Layer(3, Decimal(1))] * 2,), ((Layer(3),),)],
        ),
        (({"a": 1.0},), ({"b": 2.0, "c": 3.0},), [({"a": Decimal(1)},), ({"a": [1.0] * 30},)]),
        (((1, 2.5), len), ((3, 4.5), abs), [((1.5, 2), len), ((1, 2.5), lambda: 1)]),
        ((), (), [(1,)]),
    ],
)
def test_calls_with_other_types_or_much_larger_values_are_another_matter(
    values: tuple[Any, ...], like: tuple[Any, ...], unlike: list[tuple[Any, ...]]
) -> None:
    known = in_vain(0.25, values)
    assert waits_s([known], values) == waits_s([known], like) == pytest.approx(5.0)
    assert [waits_s([known], one) for one in unlike] == [0.0] * len(unlike)
    assert read(text(known, [])) == [known]


def test_calls_of_several_kinds_may_have_been_in_vain() -> None:
    """What a loop sums up is a float at first, and then one of NumPy's."""
    one, other = in_vain(0.25, (0.0,)), in_vain(0.5, (np.float64(0.0),))
    both = read(text(other, [one]))
    assert both == [other, one]
    assert waits_s(both, (1.0,)) == pytest.approx(5.0)
    assert waits_s(both, (np.float64(1.0),)) == pytest.approx(10.0)
    assert waits_s(both, (1,)) == 0.0
    assert read(text(in_vain(1.0, (2.0,)), both))[1:] == [other]  # instead of that
    many: list[Vain] = []
    for values in ((0.0,), (1j,), (True,), ("",), (None,)):
        many = read(text(in_vain(0.25, values), many))
    assert waits_s(many, (0.0,)) == 0.0
    assert waits_s(many, (2j,)) > 0.0


def test_nothing_of_the_users_is_run_and_little_is_looked_at() -> None:
    class Strange:
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(name)

        __len__ = __iter__ = __getattribute__

    tree: Any = Strange()
    for _ in range(40):
        tree.twigs = [tree] * 40
        tree.others = tuple(Strange() for _ in range(40))
        bough, tree = tree, Strange()
        tree.bough = bough
    assert in_vain(0.25, (tree, dict.fromkeys(range(40), tree))).amount > 0


@pytest.fixture
def settings() -> Iterator[config.Config]:
    known = config.current()
    yield known
    config.use(known)


def test_so_is_everything_once_the_user_has_changed_something(
    settings: config.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, values = in_vain(0.25, (7,)), (7,)
    config.use(replace(settings, packages=("other",)))
    assert waits_s([known], values) == 0.0
    config.use(settings)
    assert waits_s([known], values) > 0.0
    monkeypatch.setattr(process, "texts", [*process.texts, ("helper.py", 7)])
    assert waits_s([known], values) == 0.0


@pytest.mark.parametrize(
    "found", ["", "1 1 a\n2", "1 2", "x 1 a", "nan 1 a", "-1 1 a", "inf 1 a", "1 x a"]
)
def test_what_is_damaged_is_refused(found: str) -> None:
    with pytest.raises(ValueError, match=r"|."):
        read(found)
    assert read("1 1 a") == [Vain(1.0, 1, "a")]
