"""Short scripts are not asked about loops that cannot be worth it."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autopar.nest.hidden import ANY, CONSECUTIVE
from autopar.nest.text.reach import Loop, reach
from autopar.runtime import earlier, hunch, vain
from autopar.runtime.before import Lately
from autopar.runtime.hunch import Hunch
from autopar.sched.machine import MACHINE
from autopar.site_spec import SiteSpec


@pytest.fixture(autouse=True)
def nobody_else_hears_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that are made up here are not the last ones of this process for other tests."""
    monkeypatch.setattr(hunch, "LATELY", Lately())


def nested(*operations: int, by: tuple[tuple[int, int], ...]) -> tuple[Loop, ...]:
    """Loops in one another."""
    inside = [(k, count, 0, by, 0, False) for k, count in enumerate(operations[1:])]
    return (0, operations[0], 0, (), 1, False), *inside


def likely_s(hunch: Hunch, *values: object) -> float:
    found = hunch.guess_s(values)
    assert found is not None
    return found[0]


def most_s(hunch: Hunch, *values: object) -> float:
    found = hunch.guess_s(values)
    assert found is not None
    return found[1]


def made(operations: tuple[int, ...] = (1, 2, 10), indexed: tuple[int, ...] = (2, 0)) -> Hunch:
    spec = SiteSpec(
        *("a.py", 1, "f", ("a", "n")[: len(indexed)], (), b"", "", None),
        loops=nested(*operations, by=((0, ANY), (1, ANY))),
        indexed=indexed,
        uses=tuple(((),) * least + (tuple(range(len(operations))),) for least in indexed),
    )
    found = Hunch(spec)
    found.before.__dict__.update(_found=None, lost_s=0.0)
    return found


def test_what_earlier_processes_have_lost_counts() -> None:
    a = np.zeros((300, 300))
    often = made()
    call_s = likely_s(often, a, 300)
    often.before.__dict__["lost_s"] = often._least_s() - 0.5 * call_s
    assert often.worth((a, 300))
    often.before.__dict__["lost_s"] = often._least_s() - 1.5 * call_s
    assert made().worth((a, 300)) is False
    assert often.worth((a, 300)) is False


class Poor(earlier.Account):
    """Of a program that takes no longer than its questions."""

    def affords(self, cost_s: float, made: bool) -> bool:
        return made


def test_what_costs_too_much_is_not_asked_however_long_it_takes() -> None:
    values = np.zeros((300, 90_000)), 300
    assert made().worth(values)
    poor = made()
    poor.account = Poor()
    for _ in range(3):
        assert poor.worth(values) is False
        assert 0 <= poor.pause() <= hunch._LONGEST_PAUSE
    poor.before.__dict__.update(promised=True)
    assert poor.worth(values)  # others will have something of it
    poor.before.__dict__.update(promised=False, _found=0.0)
    assert poor.worth(values)  # they have made kernels


def test_what_was_asked_in_vain_is_not_promised_anything() -> None:
    calls = [(np.zeros((300, size)), 300) for size in (3, 9000)]
    known = made()
    for values in calls:
        known.worth(values)
    cost_s = known.cost_s()
    known.before.__dict__.update(_told=[vain.in_vain(1.0, calls[0])], promised=True)
    assert known.worth(calls[0]) is False
    assert known.cost_s() >= 20.0
    known.worth(calls[1])  # which may be another matter
    assert known.cost_s() == cost_s


def test_the_largest_value_bounds_all_loops() -> None:
    a = np.zeros((3, 7))
    each_s = hunch._AT_MOST * MACHINE.interpreted_op_s / hunch._LESS
    expected = (1 + 2 * 7 + 10 * 49) * each_s
    assert most_s(made(), a, 3) == pytest.approx(expected)
    assert most_s(made(), a, 7) == pytest.approx(expected)
    assert most_s(made(), a, -7) == pytest.approx(expected)
    assert most_s(made(), a, np.int64(7)) == pytest.approx(expected)
    assert most_s(made(), [[0.0] * 7] * 3, 3) == pytest.approx(expected)


@pytest.mark.parametrize(
    "huge",
    [10**5000, -(10**400), np.int64(-(2**63)), np.uint64(2**64 - 1)],
    ids=["long", "negative", "least", "unsigned"],
)
def test_large_numbers_are_no_trouble(huge: Any) -> None:
    assert made().worth((np.zeros((2, 2)), huge))


@pytest.mark.parametrize(
    "value", [object(), {1}, [object()], [{}], {"k": object()}, {"k": [object()]}]
)
def test_of_other_values_nothing_is_known(value: object) -> None:
    assert made().guess_s((np.zeros((2, 2)), value)) is None
    assert made().worth((np.zeros((2, 2)), value)) is None


@pytest.mark.parametrize(
    "value",
    [{}, {"k": np.zeros(9)}, {"k": 9}, {3: [1.0] * 9}, "nineteen.", (1,) * 9, np.random, np],
)
def test_what_holds_nine_things_or_fewer(value: object) -> None:
    least, most = (most_s(made(), np.zeros((n, n)), 1) for n in (1, 9))
    found = most_s(made(), np.zeros((1, 1)), value)
    assert found in (least, most)


class Thing:
    """With an attribute of its own and one that is computed."""

    def __init__(self, n: int) -> None:
        self.n, self.u = n, np.zeros((n, 3))

    @property
    def computed(self) -> int:
        raise AssertionError("nobody asked for it")


def test_attributes_say_how_much_there_is() -> None:
    def guess_s(thing: object, *names: str) -> tuple[float, float] | None:
        spec = SiteSpec(
            *("a.py", 1, "f", ("a",), (), b"", "", None),
            loops=nested(1, 2, 10, by=((0, ANY),)),
            indexed=(99,),
            attributes=tuple((0, (name,), 2) for name in names),
            uses=((), *(((), (), (2,)) for _ in names)),
        )
        return Hunch(spec).guess_s((thing,))

    least, most = guess_s(Thing(3), "n", "u"), guess_s(Thing(300), "n")
    assert least is not None
    assert most is not None
    assert most[0] > 100 * least[0]
    of_arrays = guess_s(Thing(300), "u")
    assert of_arrays is not None
    assert of_arrays[0] > 2 * most[0]  # their numbers are NumPy's
    assert of_arrays[1] == most[1]
    assert guess_s(Thing(3), "n", "computed") is None
    assert guess_s(Thing(3), "absent") is None


def test_numbers_of_numpys_take_longer() -> None:
    def guesses(value: object, calls: int) -> tuple[float, float]:
        spec = SiteSpec(
            *("a.py", 1, "f", ("a",), (), b"", "", None),
            loops=((0, 0, 0, (), 1, False), (0, 10, calls, ((0, ANY),), 0, False)), indexed=(1,),
            uses=(((), (1,)),),
        )  # fmt: skip
        return likely_s(Hunch(spec), value), most_s(Hunch(spec), value)

    listed, numpys = guesses([0.0] * 1000, 0), guesses(np.zeros(1000), 0)
    assert listed[0] < numpys[0] / 2
    assert listed[1] == numpys[1]  # nobody knows what they are in the end
    assert guesses([0.0] * 1000, 10)[0] > 2 * listed[0]


def test_whole_arrays_take_longer() -> None:
    a = np.zeros((300, 300))
    rows, elements = made(indexed=(1, 0)), made(indexed=(2, 0))
    assert most_s(rows, a, 3) > 10 * most_s(elements, a, 3)
    assert likely_s(rows, a, 3) > 10 * likely_s(elements, a, 3)


def test_they_take_that_only_in_the_loops_that_have_them() -> None:
    text = "for t in range(n):\n    a[:] = 0.0\n    for i in range(n):\n        a[i] += 1.0\n"
    inside = text.replace("a[i]", "a[:]")

    def guesses(text: str) -> tuple[float, float]:
        one = reach(ast.parse(text).body, ("a", "n"))
        spec = SiteSpec(
            *("a.py", 1, "f", ("a", "n"), (), b"", "", None),
            loops=one.loops, indexed=one.indexed, uses=one.uses,
        )  # fmt: skip
        found = Hunch(spec)
        return likely_s(found, np.zeros(1000), 1000), most_s(found, np.zeros(1000), 1000)

    few, many = guesses(text), guesses(inside)
    assert many[0] > 20 * few[0]
    assert few[1] == pytest.approx(many[1], rel=0.5)  # nobody knows for sure


def test_rows_of_a_compressed_matrix_are_gone_through_once() -> None:
    def guesses(rows: int, elements: int) -> tuple[float, float]:
        spec = SiteSpec(
            *("a.py", 1, "f", ("p", "a"), (), b"", "", None),
            loops=(
                *nested(0, 0, by=((0, ANY),)),
                (1, 10, 0, ((0, ANY), (1, ANY)), CONSECUTIVE, False),
            ),
            indexed=(1, 1),
            uses=(((), (1,)), ((), (2,))),
        )
        values = np.zeros(rows, int), np.zeros(elements)
        return likely_s(Hunch(spec), *values), most_s(Hunch(spec), *values)

    few, many = guesses(100, 10_000), guesses(1000, 10_000)
    assert few[0] == pytest.approx(many[0])
    assert few[0] == pytest.approx(10 * guesses(100, 1000)[0])
    assert guesses(1000, 10)[0] == pytest.approx(guesses(1000, 1000)[0])
    # Each row may have all of it.
    assert many[1] == pytest.approx(hunch._AT_MOST * 1000 * many[0])


RAGGED = [[0.0]] * 500 + [[0.0] * 2] * 500


@pytest.mark.parametrize("value", [np.zeros((1000, 2)), [[0.0] * 2] * 1000, RAGGED])
def test_an_axis_counts_where_there_is_one(value: object) -> None:
    def guesses(axis: int) -> tuple[float, float]:
        spec = SiteSpec(
            *("a.py", 1, "f", ("a",), (), b"", "", None),
            loops=nested(0, 10, by=((0, axis),)), indexed=(2,), uses=(((), (), (1,)),),
        )  # fmt: skip
        return likely_s(Hunch(spec), value), most_s(Hunch(spec), value)

    assert guesses(0) == guesses(ANY)
    assert guesses(0)[0] == pytest.approx(500 * guesses(1)[0])
    assert guesses(0)[1] == guesses(1)[1]


def test_of_rows_of_several_lengths_a_long_one_counts() -> None:
    ragged = [[0.0] * count for count in (1, 2, 3, 4, 50, 60, 70, 80)]
    assert most_s(made(), ragged, 1) > most_s(made(), [[0.0] * 49] * 8, 1)


class Lists(list[Any]):
    """Which says nothing of itself."""

    def __len__(self) -> int:
        raise AssertionError("nobody asked for it")

    def __getitem__(self, place: Any) -> Any:
        raise AssertionError("nobody asked for it")


def test_nothing_of_the_users_lists_is_run() -> None:
    plain = most_s(made(), [[0.0] * 9] * 3, 1)
    assert most_s(made(), [Lists([0.0] * 9)] * 3, 1) == plain
    assert made().guess_s((Lists([0.0] * 9), 1)) is None


def test_what_calls_cannot_have_taken_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(hunch, "clock", lambda: now)
    one, calls = made(), 0
    a = np.zeros((100, 100))
    call_s = most_s(one, a, 3)
    while not one.worth((a, 3)):
        now += call_s / 10  # it takes less than the text says
        calls += 1
        assert calls < 100_000
    cost_s = MACHINE.start_s * ("autopar.runtime.engine" not in sys.modules)
    cost_s += 13 * MACHINE.compile_op_s
    assert calls * call_s / 10 + call_s >= cost_s


def test_looks_take_their_share_of_the_time_that_calls_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(hunch, "clock", lambda: now)
    monkeypatch.setattr(Hunch, "cost_s", lambda self: 1.0)
    each_s, looks, calls = 2e-6, 0, 0
    one, values = made((1, 2)), (np.zeros((30, 30)), 3)  # fifty times what it takes
    while calls < 20_000:
        assert not one.worth(values)
        looks += 1
        more = 1 + one.pause()
        calls += more
        now += more * each_s
    assert looks * hunch._HUNCH_S < 2.5 * hunch._QUESTIONS * calls * each_s
    now += 100 * each_s * calls  # then they come once in a while
    assert not one.worth(values)
    assert one.pause() < 500


def test_several_loops_in_a_row_have_that_share_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, look_s = 0.0, hunch._HUNCH_S
    monkeypatch.setattr(hunch, "clock", lambda: now)
    monkeypatch.setattr(hunch, "LOOKS", hunch.Looks())
    monkeypatch.setattr(Hunch, "cost_s", lambda self: 1.0)
    values, loop_s, looks = (np.zeros((9, 9)), 3), 5e-5, 0
    several = [made() for _ in range(6)]
    left = [0] * len(several)
    while now < 1.0:
        for k, one in enumerate(several):
            if left[k]:
                left[k] -= 1
            else:
                looks += 1
                assert not one.worth(values)
                now += look_s / 2
                left[k] = one.pause()
                now += look_s / 2
            now += loop_s
    assert looks * look_s < 0.03
    assert looks > 6 * 20


def test_one_that_grows_is_looked_at_for_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(hunch, "clock", lambda: now)
    monkeypatch.setattr(hunch, "LOOKS", hunch.Looks())
    monkeypatch.setattr(Hunch, "cost_s", lambda self: 100.0)
    one, other = made(), made((1,))
    for _ in range(3):
        now += 1e-4
        assert not one.worth((np.zeros((9, 9)), 3))
        now += 1e-6
        assert not other.worth((np.zeros((9, 9)), 3))
    assert one.took_s == pytest.approx(1e-6)
    assert one.pause() > 10
    now += 1e-4
    assert not one.worth((np.zeros((900, 900)), 3))
    assert one.took_s == one.gone_s == math.inf
    assert one.pause() == 0  # as long may the next ones take, and each be as long
    now += 0.5
    assert not other.worth((np.zeros((9, 9)), 3))
    assert one.took_s == pytest.approx(0.5)


PROGRAM = """
import sys
import time

import numpy as np

def sums(a, n):
    for i in range(n):
        for j in range(n):
            a[i, j] += a[j, i] * 0.5

a = np.ones((400, 400))
for n in map(int, sys.argv[2:]):
    sums(a, n)
    time.sleep(float(sys.argv[1]))
print(a.tobytes().hex()[:80], a.sum())
print("autopar.runtime.engine" in sys.modules, file=sys.stderr)
"""


def test_a_short_script_imports_nothing_and_a_long_one_does(tmp_path: Path) -> None:
    path = tmp_path / "sums.py"
    path.write_text(PROGRAM)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("AUTOPAR_VERIFY", "AUTOPAR_FAIL_ON_FALLBACK"):
        env.pop(name, None)

    def run(*words: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, *words], env=env, check=True, capture_output=True, text=True
        )
        return done.stdout, done.stderr.strip().splitlines()[-1]

    # On a busy machine, the pauses leave a copy of the process its turns.
    for words, started in ((["0", *["20"] * 3], "False"), (["0.05", *["400"] * 40], "True")):
        plain = run(str(path), *words)
        assert run("-m", "autopar", str(path), *words) == (plain[0], started)


WITHOUT = """
import sys
def total(numbers):
    found = 0
    for x in numbers:
        found += x * x
    return found
print(total([1, 2, 3]))
print(sorted({"typing", "re", "tomllib", "dataclasses", "inspect", "numpy"} & set(sys.modules)))
"""


def test_a_tiny_script_waits_for_no_module_that_it_does_not_use(tmp_path: Path) -> None:
    """Each of these takes some milliseconds to import."""
    path = tmp_path / "total.py"
    path.write_text(WITHOUT)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("AUTOPAR_VERIFY", "AUTOPAR_FAIL_ON_FALLBACK"):
        env.pop(name, None)
    for _ in range(3):  # the first one rewrites it, for which it needs more
        done = subprocess.run(
            [sys.executable, "-m", "autopar", str(path)],
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
    assert done.stdout == "14\n[]\n"


def test_what_a_call_may_take_is_no_reason_to_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    now, look_s, each_s, looks, calls = 0.0, 1e-5, 2e-6, 0, 0
    monkeypatch.setattr(hunch, "clock", lambda: now)
    monkeypatch.setattr(hunch, "LOOKS", hunch.Looks())
    monkeypatch.setattr(Hunch, "cost_s", lambda self: 1e3)
    one, values = made((1, 2)), (np.zeros((30, 30)), 10**9)  # which it might go through
    while calls < 200_000:
        assert one.worth(values) is False
        assert one.last_s > 10.0
        looks += 1
        now += look_s / 2
        more = 1 + one.pause()
        now += look_s / 2 + more * each_s
        calls += more
    assert looks * look_s < 0.1 * calls * each_s
