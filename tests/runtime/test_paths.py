"""What is looked up for one nest of a call is not looked up again for those that stand for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from outcome import same

from autopar.nest.text.lift import lift_text
from autopar.runtime.values import paths
from autopar.runtime.values.paths import Paths, Said
from autopar.verdict import Reason, Refused

TEXT = "for i in range(n):\n    box.inner.a[i] = box.f(i) + math.pi\n"
Lookups = list[tuple[str, str]]


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> Lookups:
    """All attributes that are read, with the type of what they are read from."""
    found: Lookups = []

    def noted(read: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
        def reads(value: Any, name: str) -> Any:
            found.append((type(value).__name__, name))
            return read(value, name)

        return reads

    for name in ("plain_attribute", "_called"):
        monkeypatch.setattr(paths, name, noted(getattr(paths, name)))
    return found


def call() -> tuple[Paths, Said, SimpleNamespace]:
    nest = lift_text(TEXT)
    box = SimpleNamespace(inner=SimpleNamespace(a=np.ones(3)), f=math.sqrt)
    known = {"box": box, "n": 3, "math": math, "range": range}
    return Paths(nest), Said(tuple(known[root] for root in nest.roots)), box


def test_an_attribute_is_read_once_in_a_call(lookups: Lookups) -> None:
    one, said, box = call()
    two, _, _ = call()
    for resolvers in (one, two, one):
        assert resolvers.resolver("box.inner.a")(said) is box.inner.a
        assert resolvers.resolver("box.inner")(said) is box.inner
        assert resolvers.resolver("n")(said) == 3
    assert lookups == [("SimpleNamespace", "inner"), ("SimpleNamespace", "a")]


def test_and_again_in_the_next_call(lookups: Lookups) -> None:
    resolvers, said, box = call()
    resolve = resolvers.resolver("box.inner.a")
    resolve(said)
    box.inner.a = np.zeros(5)
    assert resolve(Said(said.roots)) is box.inner.a
    assert len(lookups) == 4


def test_what_is_called_is_another_matter_than_what_is_read(lookups: Lookups) -> None:
    resolvers, said, _ = call()
    assert resolvers.resolver("box.f", called=True)(said) is math.sqrt
    assert resolvers.resolver("box.f")(said) is math.sqrt
    assert len(lookups) == 2


def test_generators_that_are_lent_come_after_what_is_known(lookups: Lookups) -> None:
    resolvers, said, box = call()
    resolve = resolvers.resolver("box.inner.a")
    resolve(said)
    beside = said.beside(np.zeros(1))
    assert beside.roots[:-1] == said.roots
    assert resolve(beside) is box.inner.a
    assert len(lookups) == 2


def test_a_refusal_is_not_kept() -> None:
    resolvers, said, box = call()
    missing = resolvers.resolver("box.inner.b")
    with pytest.raises(Refused):
        missing(said)
    box.inner.b = 1.0
    assert missing(said) == 1.0


def test_a_variable_of_a_module_that_one_of_the_nests_assigns() -> None:
    own = ModuleType("own")
    own.pi = 3.0  # type: ignore[attr-defined]
    values = {"n": 3, "own": own, "math": math, "range": range}

    def looked_up(text: str, path: str) -> float:
        paths = Paths(lift_text(text))
        said = Said(tuple(values.get(root) for root in paths.nest.roots))
        said.known[path] = values[path.partition(".")[0]].pi
        return paths.resolver(path)(said)

    usual = "for i in range(n):\n    box.a[i] = own.pi + math.pi\n"
    assert looked_up(usual, "own.pi") == 3.0
    assigning = "for i in range(n):\n    pi = box.a[i]\n    box.a[i] = own.pi + math.pi\n"
    with pytest.raises(Refused) as caught:
        looked_up(assigning, "own.pi")
    assert caught.value.refusal.reason is Reason.SYNTAX
    assert looked_up(assigning, "math.pi") == math.pi  # no nest stands in there


PROGRAM = """
import numpy as np

class Scene:
    def __init__(self, shift):
        self.shift = shift
        self.points = [(1.0, 2.0), (3.0, 4.0)]

    def moved(self, x):
        return scaled(x) + self.shift

def scaled(x):
    return x * FACTOR

FACTOR = 2.0
scene = Scene(1.0)
a = np.zeros(50)
for turn in range(6):
    for i in range(len(a)):
        a[i] += scene.moved(a[i]) + scene.points[0][1]
    if turn == 1:
        FACTOR = 3.0
    if turn == 2:
        scene = Scene(0.5)
        scene.points[0] = (0.25, 7.0)
    if turn == 3:
        scaled = lambda x: x - FACTOR
    if turn == 4:
        scene.points[0] = (1, 2)
"""


def test_what_changes_between_calls_is_noticed(lenient: None) -> None:
    same(PROGRAM)
