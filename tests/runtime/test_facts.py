"""What a call's values say: attributes without side effects, and exact aliasing."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

from autopar.runtime.values.facts import aliases
from autopar.runtime.values.plain import plain_attribute
from autopar.verdict import Refused


def test_aliases_are_all_pairs_that_share_memory():
    random = np.random.default_rng(8)
    for _ in range(60):
        bases = [np.zeros((4, 6)) for _ in range(3)]
        bases += [np.zeros((4, 6)), np.asfortranarray(bases[0])]
        made = {}
        for name in "abcdefg":
            base = bases[random.integers(len(bases))]
            low = random.integers(0, 3)
            made[name] = (base, base[low:], base[:, low::2], base.T)[random.integers(4)]
        written = sorted(random.choice(list(made), 3, replace=False))
        found = aliases(made, written)
        for one in made:
            for two in made:
                if one < two and {one, two} & {*written}:
                    shared = np.shares_memory(made[one], made[two])
                    assert found.joins(one, two) == shared, (one, two)


class Plain:
    shared = 3.0

    def __init__(self) -> None:
        self.u = np.zeros(3)


class Slotted:
    __slots__ = ("dt", "empty")

    def __init__(self) -> None:
        self.dt = 0.5


class Computed:
    def __init__(self) -> None:
        self.__dict__["hidden"] = 1

    @property
    def hidden(self) -> int:
        raise AssertionError("a property was run")

    def __getattr__(self, name: str) -> int:
        raise AssertionError("__getattr__ was run")


class Watched:
    def __getattribute__(self, name: str) -> int:
        raise AssertionError("__getattribute__ was run")


def test_attributes_that_are_only_looked_up():
    thing = Plain()
    assert plain_attribute(thing, "u") is thing.u
    assert plain_attribute(thing, "shared") == 3.0
    assert plain_attribute(Plain, "shared") == 3.0
    assert plain_attribute(Slotted(), "dt") == 0.5
    assert plain_attribute(math, "pi") == math.pi
    assert plain_attribute(types.SimpleNamespace(n=4), "n") == 4
    assert plain_attribute(np.zeros((2, 3)), "size") == 6


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (Computed, "hidden"),
        (Computed, "other"),
        (Watched, "x"),
        (Plain, "__init__"),
        (Plain, "missing"),
        (Slotted, "empty"),
    ],
)
def test_attributes_that_run_code_or_are_absent(make, name):
    with pytest.raises(Refused):
        plain_attribute(make(), name)


def test_views_of_one_base():
    base = np.zeros(20)
    arrays = {"a": base[::2], "b": base[1::2], "c": base[::2], "d": base[3:9]}
    found = aliases(arrays, ["a"])
    assert found.same == (("a", "c"),)
    assert [(o.first, o.second) for o in found.tangled] == [("a", "d")]


def test_only_pairs_with_a_written_array_matter():
    base = np.zeros(20)
    found = aliases({"a": np.zeros(3), "x": base[:9], "y": base[4:]}, ["a"])
    assert (found.same, found.tangled) == ((), frozenset())


def test_classes_of_views_are_merged():
    a = np.zeros(5)
    found = aliases({"p": a, "q": a, "r": a[:]}, ["p", "q"])
    assert found.same == (("p", "q", "r"),)


def test_an_array_that_overlaps_itself():
    rolling = np.lib.stride_tricks.as_strided(np.zeros(8), (4, 3), (8, 8))
    (overlap,) = aliases({"w": rolling}, ["w"]).tangled
    assert (overlap.first, overlap.second) == ("w", "w")
    assert aliases({"w": np.zeros((4, 6))[:, ::2]}, ["w"]).tangled == frozenset()
