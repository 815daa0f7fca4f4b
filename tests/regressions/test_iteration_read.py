"""Loops over many kinds of things, draws and operations on arrays, each cut down to what it needs.

All of them once came out in another way than in Python.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from outcome import same

from fuzz.setting import eager

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]


# ---------------------------------------------------------------------------- what loops go through


@pytest.mark.parametrize("start", ["p[0]", "int(b[0])", "m"])
def test_the_first_number_is_looked_at_once_and_becomes_an_int(start: str) -> None:
    same(
        "import numpy as np\n"
        "a, b, c, p = np.arange(6.0), np.zeros(2), np.zeros(3), np.arange(3)\n"
        "m, s = np.int64(2), 0\n"
        "for t in range(3):\n"
        f"    for i, x in enumerate(a, {start}):\n"
        "        p[0] = b[0] = 7\n"
        "        c[t] += i * x\n"
        "        s += i\n"
    )


def test_the_first_number_comes_after_what_is_numbered() -> None:
    source = (
        "import numpy as np\n"
        "rng, s = np.random.default_rng(5), 0\n"
        "for t in range(9):\n"
        "    for i, k in enumerate(range(rng.integers(1, 9)), rng.integers(100)):\n"
        "        s = s * 3 % 1000 + i * k\n"
        "last = rng.bit_generator.state['state']['state']\n"
    )
    same(source)


@pytest.mark.parametrize(
    "items",
    [
        "reversed(range(one.randrange(5), one.randrange(5, 9)))",
        "sorted(range(one.randrange(5, 9), one.randrange(5), -1))",
    ],
)
def test_a_range_that_is_turned_draws_its_ends_in_order(items: str) -> None:
    head = "import random\none, s = random.Random(2), 0\n"
    loop = f"for t in range(9):\n    for i in {items}:\n        s = (s * 3 + i) % 1000\n"
    same(head + loop + "state = one.getstate()")


def test_rows_that_are_written_out_are_drawn_row_by_row() -> None:
    rows = "((one.random(), one.random()), (one.random(), one.random()))"
    head = "import random\none, s = random.Random(2), 0.0\n"
    loop = f"for t in range(9):\n    for x, y in {rows}:\n        s = s * 0.5 + x - y * 0.3\n"
    same(head + loop)


def test_all_items_are_there_before_a_part_of_the_target_is_stored() -> None:
    head = "import numpy as np\na, b, s = np.arange(6.0), np.arange(6.0) + 10, 0.0\n"
    same(head + "for a[0], x in zip(b, a):\n    s += x\n")


# ---------------------------------------------------------------------------- orders of NumPy's own


@pytest.mark.parametrize(
    "value", ["a[:, p].std()", "a[:, p].var(axis=0)[1]", "a[:, p][1:].sum()", "a[:, p][1:].std()"]
)
def test_columns_that_are_picked_lie_in_columns(value: str) -> None:
    a = np.random.default_rng(1).normal(size=(5, 5)) * 3
    p = np.array([3, 1, 4, 0, 2])
    same(f"s = 0.0\nfor i in range(4):\n    s = s * 1.1 + {value}\n", a=a, p=p)


# ---------------------------------------------------------------------------- what is made


@pytest.mark.parametrize("k", [5, 7, 9, -3])
@pytest.mark.parametrize(
    "made",
    [
        "np.zeros(k % 5)", "np.arange(k % 5) * 2.0", "v[:k % 5] * 2", "np.full(9 - k % 5, 1.5)",
        "np.zeros((2, k % 5))", "[x * 2.0 for x in range(k % 5)]", "[x + 1.0 for x in v[:k % 5]]",
        "[[x * 2.0 for x in range(k % 5)] for y in range(k % 4)]",
    ],
)  # fmt: skip
def test_what_is_made_is_as_long_as_in_python(made: str, k: int) -> None:
    head = f"import numpy as np\nv, k = np.ones(9), {k}\n"
    same(
        head
        + f"def f(k, v):\n    for i in range(4):\n        z = {made}\n    return z\nr = f(k, v)\n"
    )


@pytest.mark.parametrize("n", [5, 7])
def test_a_list_gets_no_more_than_is_appended(n: int) -> None:
    same(f"l, n = [], {n}\nfor q in range(n % 5):\n    l.append(q * 1.0)\ns = sum(l)\n")


# ---------------------------------------------------------------------------- how often loops run


def test_a_range_to_one_of_numpys_integers_has_no_notes_for_its_iterations(cache: Path) -> None:
    source = (
        "import numpy as np\n"
        "def f(v, w, m, k):\n"
        "    x = y = 0.5\n"
        "    for i in range(k, m):\n"
        "        x, y = y, v[-1]\n"
        "        w[i] = x\n"
        "    return x, y\n"
        "w = np.zeros(8)\n"
        "r = f(np.arange(8.0), w, np.int64(4), 1)\n"
    )
    with eager(cache):
        same(source)
