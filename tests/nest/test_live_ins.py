"""What a nest wants to know of a call, also as another process has found it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autopar import config, pipeline
from autopar.nest.ir import Nest
from autopar.nest.text.asked import questions
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.live_ins import live_ins
from autopar.nest.typed.types import roles
from autopar.nest.walking import extended, written

LINES = (
    "box.a[i] = b[i] * k + f(i)",
    "if mode == 'open':",
    "    c[i] = len(d) + s",
    "s = c[i]",
    "more.append(s)",
)


def nest(times: int) -> Nest:
    return lift_text("for i in range(n):\n" + "".join(f"    {line}\n" for line in LINES * times))


@pytest.mark.parametrize("times", [1, 30])
def test_it_is_the_same_from_disk(apart: Callable[[], None], times: int) -> None:
    apart()
    found = live_ins(nest(times))
    assert found == pipeline.live_ins(nest(times)) == pipeline.live_ins(nest(times))
    folder = Path(config.current().cache_dir) / "nests"
    assert (folder.is_dir() and len(list(folder.iterdir())) == 1) == (times > 1)


def test_all_of_it() -> None:
    one = nest(2)
    found = live_ins(one)
    assert (found.arrays, found.calls, found.numbers) == roles(one)
    assert {"box.a", "b", "c"} <= found.arrays
    assert "f" in found.calls
    assert {"n", "k", "s"} <= found.numbers
    assert found.extended == extended(one) == {"more"}
    assert found.written == {*written(one)} == {"box.a", "c"}
    assert found.questions == questions(one)
    assert [one.op for one in found.questions] == ["==", "=="]


def test_nests_that_differ_in_a_name(apart: Callable[[], None]) -> None:
    apart()
    one, two = nest(30), lift_text("for i in range(n):\n" + "    z[i] = y[i]\n" * 60)
    assert pipeline.live_ins(one) == live_ins(one)
    assert pipeline.live_ins(two) == live_ins(two) != live_ins(one)
