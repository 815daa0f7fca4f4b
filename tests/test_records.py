"""The classes that `records.dataclass` makes do what those of `dataclasses` do."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from autopar.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A point."""

    x: float
    y: float = 0.5
    names: tuple[str, ...] = ()
    cache: list[int] = field(default_factory=list, init=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = "p"


@dataclass(frozen=True, slots=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class One:
    value: float


@dataclass(slots=True)
class Pass:
    items: list[int] = field(default_factory=list)
    count: int = field(init=False)
    sealed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.count = len(self.items)


@dataclass(slots=True, eq=False)
class Identity:
    value: int


@dataclass(frozen=True, slots=True)
class Own:
    value: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.value % 2 == other.value % 2

    def __hash__(self) -> int:
        return self.value % 2

    def __repr__(self) -> str:
        return "own"


def test_the_first_instance_and_those_after_it() -> None:
    for _ in range(2):
        one = Point(1.0, names=("a",))
        assert (one.x, one.y, one.names, one.cache) == (1.0, 0.5, ("a",), [])
        assert Named(1, 2, (), "q").name == "q"
        assert Named(1).name == "p"
        assert repr(Empty()) == "Empty()"


def test_wrong_arguments_are_named() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required .*'x'"):
            Point()  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
            Point(1, z=2)  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            Point(1, cache=[])  # type: ignore[call-arg]


def test_equal_and_hashed_by_compared_fields_of_the_same_class() -> None:
    one, two = Point(1.0), Point(1.0)
    one.cache.append(1)
    assert one == two
    assert hash(one) == hash(two)
    assert {one: 1}[two] == 1
    assert one != Point(2.0)
    assert one != Named(1.0)
    assert Empty() == Empty()
    assert Point.__eq__(one, (1.0, 0.5, ())) is NotImplemented
    assert One(1) == One(1.0)  # as tuples compare
    assert One(math.nan) == One(math.nan)  # the same object, as in a tuple
    assert One(float("nan")) != One(float("nan"))


def test_frozen() -> None:
    one = Point(1.0)
    with pytest.raises(FrozenInstanceError):
        one.x = 2.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del one.x
    with pytest.raises(AttributeError):
        one.other = 2.0  # type: ignore[attr-defined]
    assert not hasattr(one, "__dict__")


def test_written_as_the_original_writes_it() -> None:
    assert repr(Named(1, name="q")) == "Named(x=1, y=0.5, names=(), name='q')"
    assert repr(Pass([1])) == "Pass(items=[1], count=1, sealed=False)"


def test_works_with_what_knows_dataclasses() -> None:
    one = Named(1.0, names=("a",))
    assert [f.name for f in fields(one)] == ["x", "y", "names", "cache", "name"]
    assert dataclasses.is_dataclass(one)
    assert replace(one, y=3.0) == Named(1.0, 3.0, ("a",))
    match one:
        case Point(x, y):
            assert (x, y) == (1.0, 0.5)
        case _:
            pytest.fail("positions are fields")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(one, protocol)) == one
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(Pass([1, 2]))) == Pass([1, 2])


def test_one_that_changes() -> None:
    one, two = Pass(), Pass()
    one.items.append(1)
    assert (two.items, two.count, two.sealed) == ([], 0, False)
    assert one != two
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    assert Identity(1) != Identity(1)
    assert len({Identity(1), Identity(1)}) == 2


def test_methods_of_the_class_itself_stay() -> None:
    assert Own(1) == Own(3)
    assert hash(Own(3)) == 1
    assert repr(Own(3)) == "own"
