"""Rows of a sweep some columns behind one another leave and say what rows in order do."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import harness
import numpy as np
import pytest
from outcome import both

from autopar import config
from autopar.cpu.lanes import LaneWriter

PROGRAM = """
def f(a, b, n, m, c):
    t = i = j = None
    for k in range(2):
        for i in range({rows}):
            for j in range({columns}):
                {body}
    return t, i, j
a, b = given.copy(), other.copy()
try:
    r = f(a, b, n, m, c)
except Exception as error:
    r = repr(error)
"""
AROUND = (
    "a[i, j] = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j]"
    " + a[i, j + 1] + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9.0"
)
BODIES = {
    "from above and the left": "a[i, j] = a[i - 1, j] * c + a[i, j - 1] * 0.25",
    "from all around": AROUND,
    "through a scalar": "t = a[i - 1, j + 1]; a[i, j] = t * c - a[i, j - 1]",
    "the least": "a[i, j] = min(a[i - 1, j], a[i, j - 1], a[i - 1, j - 1]) + abs(b[i, j])",
    "two arrays": "a[i, j] = b[i - 1, j] + a[i, j - 1]; b[i, j] = a[i, j] * 0.5",
    "a quotient that may fail": "a[i, j] += a[i - 2, j + 3] / (a[i, j - 1] - c)",
    "backwards": "a[i, m - j] = a[i - 1, m - j] + a[i, m - j + 1] * c",
    "written ahead": "b[i, j] = a[i, j - 1] + c; a[i + 1, j - 1] = b[i, j - 1]",
}
RANGES = [("1, n", "1, m"), ("n", "m"), ("2, n - 1", "1, m - 2"), ("1, n", "i, m")]


@pytest.fixture
def one_thread(lenient):
    """With more, such sweeps may run in tiles."""
    config.use(replace(config.current(), threads=1))


@pytest.fixture
def seen(monkeypatch):
    """Loops that were written as rows behind one another."""
    found = []
    plain = LaneWriter.stagger

    def noted(self, loop, lanes):
        found.append(loop.var)
        plain(self, loop, lanes)

    monkeypatch.setattr(LaneWriter, "stagger", noted)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize(("rows", "columns"), RANGES)
def test_the_same_numbers(one_thread, body, rows, columns):
    rng = np.random.default_rng(8)
    source = PROGRAM.format(rows=rows, columns=columns, body=body)
    layouts = list(itertools.product((np.float64, np.float32), "CF"))
    turn = [*BODIES.values()].index(body) + RANGES.index((rows, columns))
    dtype, order = layouts[turn % len(layouts)]  # each body in each, each range in each
    given = np.array(rng.normal(size=(50, 60)), dtype, order=order)
    for n, m in ((48, 56), (7, 40), (6, 33), (5, 38), (20, 9), (1, 40), (3, 0), (50, 60)):
        both(source, given=given, other=given * 0.5, n=n, m=m, c=0.125)


@pytest.mark.filterwarnings("ignore")
def test_one_array_under_two_names(one_thread):
    source = PROGRAM.format(rows="1, n", columns="1, m", body=BODIES["two arrays"])
    source = source.replace("a, b = given.copy(), other.copy()", "a = given.copy(); b = a[{}]")
    given = np.random.default_rng(8).normal(size=(50, 60))
    for view in (":", ":-1", "1:", ":, 1:", ":, :-1", "::-1"):
        both(source.replace("{}", view), given=given, n=45, m=50, c=0.5)


@pytest.mark.parametrize("kind", [np.float64, float])
def test_a_division_by_zero_in_the_middle(one_thread, kind):
    given = np.random.default_rng(8).normal(size=(50, 60))
    body = "a[i, j] = a[i - 1, j] + a[i, j - 1]; t = 1.0 / (c - i * 100 - j)"
    source = PROGRAM.format(rows="1, n", columns="1, m", body=body)
    for at in (101, 1002, 2317, 4754):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both(source, given=given, other=given, n=48, m=56, c=kind(at))


SWEEP = """\
for i in range(1, n):
    for j in range(1, m):
        a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j]) * c
"""


@pytest.mark.parametrize("place", [(1, 1), (3, 2), (30, 40), (48, 57)])
@pytest.mark.parametrize("value", [np.inf, 1e308, -1e308])
def test_the_same_warnings(strict, place, value):
    config.use(replace(config.current(), threads=1))
    made = [np.random.default_rng(8).normal(size=(50, 60)) for _ in range(2)]
    said = []
    for array in made:
        array[place] = value
        array[place[0] - 1, place[1]] = -value
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            names = {"a": array, "n": 49, "m": 58, "c": np.float64(-3.0)}
            if array is made[0]:
                exec(compile(SWEEP, "<text>", "exec"), dict(names))
            else:
                here, _ = harness.run(SWEEP, **names)
                assert here.record.runs == 1
        said.append([(str(w.message), w.lineno) for w in caught])
    assert sorted(said[0]) == sorted(said[1])
    assert made[0].tobytes() == made[1].tobytes()


def test_sweeps_are_written_so(apart, seen):
    apart()
    config.use(replace(config.current(), threads=1))
    given = np.random.default_rng(8).normal(size=(50, 60))
    names = {"other": given, "n": 48, "m": 55, "c": 0.5}
    both(PROGRAM.format(rows="1, n", columns="1, m", body=AROUND), given=given, **names)
    assert set(seen) == {"i"}
    seen.clear()
    both(PROGRAM.format(rows="1, n", columns="i, m", body=AROUND), given=given, **names)
    assert not seen
