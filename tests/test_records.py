"""The classes that `records.dataclass` makes do what those of `dataclasses` do."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from autopar import records
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


@dataclass(slots=True)
class Ours:
    items: list[int] = records.field(default_factory=list, compare=False)
    count: int = records.field(default=3, init=False)
    name: str = "n"


def test_its_own_functions_do_what_the_originals_do() -> None:
    one = Ours([1], "m")
    for of in (one, Ours):
        assert [f.name for f in records.fields(of)] == ["items", "count", "name"]
        assert [f.name for f in fields(of)] == ["items", "count", "name"]
        assert records.is_dataclass(of)
        assert dataclasses.is_dataclass(of)
    assert not records.is_dataclass(3)
    both = records.replace(one, name="k"), replace(one, name="k")
    assert both[0] == both[1] == Ours([2], "k")
    assert both[0].items is one.items
    with pytest.raises(ValueError, match="init=False"):
        records.replace(one, count=4)
    with pytest.raises(TypeError):
        records.replace(one, other=4)
    assert dataclasses.asdict(one) == {"items": [1], "count": 3, "name": "m"}
    assert [f.init for f in fields(one)] == [True, False, True]
    assert [f.compare for f in fields(one)] == [False, True, True]
    assert fields(one)[0].default_factory is list


def test_a_start_without_numpy_does_without_the_original() -> None:
    text = "import sys, autopar.runtime.site; print('dataclasses' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
