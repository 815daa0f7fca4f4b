"""Nests of parallel loops as one range of work items, in functions: nobody sees their variables."""

from __future__ import annotations

from typing import Any

import pytest
from outcome import both

from autopar.cpu.work_items import ItemWriter
from autopar.device.dialect import APART
from autopar.device.run import Run
from autopar.runtime.run.on_device import OnDevice

pytestmark = pytest.mark.usefixtures("pocl")

HEAD = """
import numpy as np
def data(*shape):
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)
"""
NESTS = {
    "two loops": (
        "for i in range(n):\n        for j in range(m):\n            a[i, j] = b[j, i] + i - j",
        [(7, 2, 6)],  # work items have two rows, and three of them lie side by side
    ),
    "columns first": (
        "for j in range(m):\n        for i in range(1, n):\n            a[i, j] = a[i, j] * 2 + j",
        [(5, 3, 9)],
    ),
    "backwards and in steps": (
        "for i in range(n - 1, 0, -2):\n        for j in range(m - 1, -1, -3):\n"
        "            a[i, j] = b[j, i] * i + j",
        [(6, -2, 2)],
    ),
    "a sum in each": (
        "for i in range(n):\n        for j in range(n):\n            s = 0.0\n"
        "            for k in range(m):\n                s += a[i, k] * b[k, j]\n"
        "            c[i, j] = s",
        [(7, 8, 6)],  # a block of work items, each of which may have four by four
    ),
    "three loops": (
        "for i in range(n):\n        for j in range(n):\n            for k in range(m):\n"
        "                t[i, j, k] = a[i, k] - b[k, j]",
        [(7, 1, 24)],
    ),
    "no iterations inside": (
        "for i in range(n):\n        for j in range(m, m):\n            a[i, j] = 1.0", [],
    ),
    "a scalar of the last iteration": (
        "for i in range(n):\n        for j in range(m):\n            s = a[i, j] * 2\n"
        "            b[j, i] = s\n    last = s",
        [(7, 1, 5)],
    ),
    "a variable that is seen": (
        "for i in range(n):\n        for j in range(m):\n            b[j, i] = a[i, j]\n"
        "    last = j",
        [],
    ),
    "a triangle": (
        "for i in range(n):\n        for j in range(min(i, m)):\n            a[i, j] = i - j", [],
    ),
    "steps around": (
        "for t in range(3):\n        for i in range(1, n - 1):\n            for j in range(m):\n"
        "                c[i, j] = a[i - 1, j] + a[i + 1, j] * t\n"
        "        for i in range(1, n - 1):\n            for j in range(m):\n"
        "                a[i, j] = c[i, j] * 0.5",
        [(6, 2, 6)] * 6,
    ),
}  # fmt: skip


@pytest.fixture
def flat(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """For each launch with iterations: end and step of the outermost loop, and how many it has."""
    found: list[tuple[int, int, int]] = []
    launch = OnDevice.flat

    def noted(self: OnDevice, *given: Any) -> int:
        _, start, stop, step, inner, _ = given
        if inner and range(start, stop, step):
            found.append((stop if step > 0 else start, step, inner))
        return launch(self, *given)

    monkeypatch.setattr(OnDevice, "flat", noted)
    return found


@pytest.mark.parametrize("name", NESTS)
def test_nests_leave_what_python_leaves(name, flat, apart):
    apart()
    text, launches = NESTS[name]
    source = f"""{HEAD}
def run(a, b, c, t, n, m, last=None):
    {text}
    return last
arrays = data(7, 5), data(5, 7), data(7, 7), data(7, 7, 5)
print(run(*arrays, 7, 5), *[one.tobytes() for one in arrays])
"""
    both(source)
    assert flat == launches


def test_rows_that_lie_the_other_way_round(flat, apart):
    apart()
    both(f"""{HEAD}
def run(a, b, n, m):
    for i in range(n):
        for j in range(m):
            a[i, j] = b[i, j] * 3 - i
a, b = data(5, 7).T, np.asfortranarray(data(7, 5))
run(a, b, 7, 5)
print(a.tobytes(), b.tobytes())
""")
    assert flat == [(7, 3, 9)]


SUMS = {
    "rectangle": ("n", "m", "s"),
    "lower triangle": ("n", "i + 1", "s"),
    "upper triangle": ("n", "i, m", "s"),
    "part of it": ("2, n", "1, m", "s * 2.0"),
}
"""Ends of two loops, and what each iteration stores."""


@pytest.mark.parametrize(
    ("name", "layout"),
    [("rectangle", "F"), ("lower triangle", "C"), ("upper triangle", "F"), ("part of it", "C")],
)
def test_blocks_of_tiles_in_full_and_at_the_rim(name, layout, flat, apart):
    """Sizes around whole blocks: 8 rows and 12 columns here, or the other way round."""
    apart()
    rows, columns, stored = SUMS[name]
    source = f"""{HEAD}
def run(a, b, c, n, m):
    for i in range({rows}):
        for j in range({columns}):
            s = c[i, j]
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j] - k
            c[i, j] = {stored}
for n, m in ((7, 12), (8, 12), (16, 24), (17, 25), (23, 35), (9, 3), (1, 40)):
    given = data(n, 3) * 0.37, data(3, max(n, m)) * 0.11, data(n, max(n, m))
    a, b, c = (np.array(one, order="{layout}") for one in given)
    run(a, b, c, n, m)
    print(n, m, c.tobytes())
"""
    both(source)
    steps = {step for _, step, _ in flat}
    assert steps == {8} if layout == "C" else 12 in steps  # one row lies both ways


FEW = {
    "a line": "for i in range(n):\n        y[i] = x[i] * 0.5 - i",
    "part of a line": "for i in range(2, n - 1):\n        y[i] = x[i - 1] + x[i + 1]",
    "a line of two statements": (
        "for i in range(n):\n        s = x[i] * 0.5\n        y[i] = s\n        z[i] = s + y[i]"
    ),
    "a line with a test": (
        "for i in range(n):\n        if x[i] > 3.0:\n            y[i] = x[i]\n"
        "        else:\n            y[i] += 1.0"
    ),
    "a line backwards": "for i in range(n - 1, -1, -1):\n        y[i] = x[i] * 0.5",
    "rows": (
        "for i in range(n):\n        for j in range(m):\n            c[i, j] = a[i, j] * x[j] + i"
    ),
    "a stencil": (
        "for i in range(1, n - 1):\n        for j in range(1, m - 1):\n"
        "            c[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]"
    ),
    "a triangle": ("for i in range(n):\n        for j in range(i):\n            c[i, j] = a[i, j]"),
    "in place": (
        "for i in range(n):\n        for j in range(m):\n            a[i, j] = a[i, j] * x[i]"
    ),
    "three loops": (
        "for k in range(3):\n        for i in range(n):\n            for j in range(m):\n"
        "                t[k, i, j] = a[i, j] * k + x[j]"
    ),
}


@pytest.mark.parametrize("layout", "CF")
@pytest.mark.parametrize("name", FEW)
def test_work_items_have_several_iterations_of_few_statements(name, layout, flat, apart):
    """Two rows each, three of them side by side; or three cells each, two side by side."""
    apart()
    both(f"""{HEAD}
def run(a, c, t, x, y, z, n, m):
    {FEW[name]}
for n, m in ((1, 1), (6, 3), (7, 3), (12, 9), (13, 10), (5, 2), (2, 12)):
    a, c, t = (np.array(one, order="{layout}") for one in (
        data(n, max(n, m)), data(n, max(n, m)) * 0.5, data(3, n, m)))
    x, y, z = data(max(n, m)) * 0.37, data(n), data(n) * 2
    run(a, c, t, x, y, z, n, m)
    print(n, m, *[one.tobytes() for one in (a, c, t, y, z)])
""")
    steps = {step for _, step, _ in flat}
    if "line" in name:
        assert steps == (set() if name == "a line backwards" else {6})
    elif layout == "C":  # the outermost of three loops stays
        assert steps == ({1} if name == "three loops" else {2})
    else:
        assert 3 in steps  # one row lies both ways


TURNS = {
    "a torus": ("b[(i - 1) % n, j] + b[(i + 1) % n, j] + b[i, (j - 1) % m] + b[i, (j + 1) % m]", 4),
    "of a name": ("b[i % k, j] * 2", 1),
    "further round": ("b[(i + 3) % n, (j - 2) % m] - j", 2),
    "a divisor that changes": ("b[(i + 1) % (j + 1), j]", 0),
    "a variable that changes": (
        "b[i, j]\n            i = n - 1\n            c[i, j] = b[i % n, j]",
        0,
    ),
    "twice as far": ("b[(i * 2) % n, (i + j) % m]", 0),
    "of a number": ("b[i, (x[0] + 1) % m]", 0),
}
"""What is stored, and how many remainders are of a neighbour."""


@pytest.mark.parametrize("name", TURNS)
def test_remainders_are_taken_at_the_edges_only(name, flat, apart, monkeypatch):
    """Sizes around whole blocks of two rows and three columns, and less than a step round."""
    apart()
    stored, count = TURNS[name]
    found: list[int] = []
    remainders = ItemWriter.remainders

    def noted(self: ItemWriter, *given: Any) -> Any:
        made = remainders(self, *given)
        found.append(len(made))
        return made

    monkeypatch.setattr(ItemWriter, "remainders", noted)
    both(f"""{HEAD}
def run(b, c, x, k, n, m):
    for i in range(n):
        for j in range(m):
            c[i, j] = {stored}
for n, m in ((1, 1), (6, 3), (7, 4), (12, 9), (2, 12), (2, 2)):
    b, c, x = data(max(n, m), m), np.zeros((n, m)), np.array([m - 1])
    run(b, c, x, max(n - 1, 1), n, m)
    print(n, m, c.tobytes())
""")
    assert set(found) == {count}


def test_arrays_that_share_memory_are_not_told_to_lie_apart(apart, monkeypatch):
    apart()
    told: list[bool] = []
    kernel = Run.kernel

    def noted(self: Run, entry: str, text: str) -> Any:
        told.append(text.startswith(APART))
        return kernel(self, entry, text)

    monkeypatch.setattr(Run, "kernel", noted)
    for views, alone in (
        ("whole[:20], whole[20:]", True),  # the cells that go over have blocks of their own
        ("whole[::2], whole[1::2]", False),
        ("whole, whole", False),
        ("whole[:20], np.ones(20)", True),
    ):
        told.clear()
        both(f"""{HEAD}
def run(a, b, n):
    for i in range(n):
        a[i] = b[i] * 0.5 + 1
whole = data(40)
a, b = {views}
run(a, b, len(a))
print(whole.tobytes())
""")
        assert told, views
        assert set(told) == {alone}, views
