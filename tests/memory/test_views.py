"""Nests over views of one array: in parallel where the cells are apart, in order where not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

sys.path.insert(0, str(Path(__file__).parents[1] / "same"))
import harness

pytestmark = [pytest.mark.usefixtures("strict"), pytest.mark.filterwarnings("ignore")]

ONE = "for i in range(n):\n    a[i] = b[i] * 2 + 1\n"
TWO = "for i in range(n):\n    for j in range(m):\n        a[i, j] = b[i, j] * 2 + 1\n"
LOWER = "for i in range(n):\n    for j in range(i):\n        a[i, j] = b[i, j] * 2 + 1\n"


def parallel(source: str, **names: Any) -> list[str]:
    """Loops that run in parallel; the fixture `strict` compares with the interpreter."""
    here, found = harness.run(source, **names)
    assert found is not None
    assert here.record is not None
    return here.record.parallel_loops


def line() -> np.ndarray:
    return np.arange(60.0)


def square() -> np.ndarray:
    return np.arange(144.0).reshape(12, 12)


def diagonal(x: np.ndarray) -> np.ndarray:
    return as_strided(x, (12,), (13 * 8,))


def test_views_whose_elements_are_apart():
    x = line()
    assert parallel(ONE, a=x[::2], b=x[1::2], n=30) == ["i"]
    assert parallel(ONE, a=x[:30], b=x[30:], n=30) == ["i"]
    s = square()
    assert parallel(TWO, a=s[:, ::2], b=s[:, 1::2], n=12, m=6) == ["i", "j"]
    assert parallel(TWO, a=s[::-2], b=s[::2], n=6, m=12) == ["i", "j"]
    z = np.zeros(30, complex)
    assert parallel(ONE, a=z.real, b=z.imag, n=30) == ["i"]
    fields = np.zeros(30, [("p", "f8"), ("q", "f4"), ("r", "f8")])
    assert parallel(ONE, a=fields["p"], b=fields["r"], n=30) == ["i"]


def test_views_of_shared_elements_that_the_nest_does_not_share():
    x, s = line(), square()
    assert parallel(ONE, a=x, b=x[::-1], n=30) == ["i"]  # the lower half from the upper
    assert parallel(ONE, a=x[20:], b=x, n=20) == ["i"]
    assert parallel("for i in range(n):\n    a[i] = b[2 * i + 1] + 1\n", a=x[::2], b=x, n=30) == [
        "i"
    ]
    assert parallel(LOWER, a=s, b=s.T, n=12) == ["i", "j"]
    row = "for i in range(1, n):\n    for j in range(m):\n        a[i, j] = b[j] * 2 + 1\n"
    assert parallel(row, a=s, b=s[0], n=12, m=12) == ["i", "j"]


def test_one_element_in_the_same_iteration():
    x, s = line(), square()
    assert parallel(ONE, a=x, b=x, n=60) == ["i"]
    assert parallel(ONE, a=x, b=x[:], n=60) == ["i"]
    assert parallel(ONE, a=x[3:], b=x[3:40], n=37) == ["i"]
    assert parallel(TWO, a=s.T, b=s.T[:, :], n=12, m=12) == ["i", "j"]


def test_shifted_views_run_in_order_along_the_shift():
    x, s = line(), square()
    for a, b in ((x[1:], x[:-1]), (x[:-1], x[1:])):
        assert parallel(ONE, a=a, b=b, n=59) == []
    assert parallel(ONE, a=x, b=x[::-1], n=59) == ["i"]  # cut in the middle
    assert parallel(ONE, a=x[3:], b=x[:-3], n=57) == ["i"]  # in strips of three
    assert parallel(TWO, a=s[:, 1:], b=s[:, :-1], n=12, m=11) == ["i"]
    assert parallel(TWO, a=s[1:], b=s[:-1], n=11, m=12) == ["j"]
    here, _ = harness.run(ONE, a=x[1:], b=x[:-1], n=57)
    assert here.record is not None
    assert here.record.refusal is not None
    assert "distance 1" in here.record.refusal.text


def test_transposed():
    s = square()
    assert parallel(TWO, a=s, b=s.T, n=12, m=12) == ["j"]


def test_diagonals():
    s = square()
    below = "for i in range(1, n):\n    d[i] = a[i, i - 1] + 1\n"
    assert parallel(below, a=s, d=diagonal(s), n=12) == ["i"]
    scale = "for i in range(n):\n    for j in range(i):\n        a[i, j] = a[i, j] / d[j]\n"
    assert parallel(scale, a=s + 1, d=np.ones(12), n=12) == ["i", "j"]
    s = square() + 1
    assert parallel(scale, a=s, d=diagonal(s), n=12) == ["i", "j"]
    carried = "for i in range(1, n):\n    d[i] = a[i - 1, i - 1] + 1\n"
    assert parallel(carried, a=s, d=diagonal(s), n=12) == []


def test_reshaped():
    s = square()
    blocks = s.reshape(12, 3, 4)
    source = "for i in range(n):\n    for j in range(3):\n        a[i, 0, j] = b[i, j + 4] + 1\n"
    assert "i" in parallel(source, a=blocks, b=s, n=12)
    flat = s.reshape(-1)
    assert parallel("for i in range(n):\n    f[i] = a[1, i] + 1\n", a=s, f=flat, n=12) == []


def test_an_array_whose_own_elements_share_memory():
    w = sliding_window_view(line(), 5, writeable=True)
    assert parallel("for i in range(n):\n    w[i, 0] = i\n", w=w, n=50) == ["i"]
    assert parallel("for i in range(n):\n    w[i, 0] = w[i, 1] + 1\n", w=w, n=50) == []
    assert parallel("for i in range(n):\n    w[i, 0] = w[i, 4] + 1\n", w=w, n=50) == ["i"]
    every = "for i in range(0, n, s):\n    for j in range(5):\n        w[i, j] = i * j\n"
    assert "i" not in parallel(every, w=w, n=50, s=1)
    spread = as_strided(np.zeros(3), (4, 3), (0, 8))
    assert parallel(TWO, a=spread, b=np.ones((4, 3)), n=4, m=3) == ["j"]


def test_two_names_of_an_array_whose_own_elements_share_memory():
    w = sliding_window_view(line(), 5, writeable=True)
    source = "for i in range(n):\n    w[i, 0] = v[i, 1] + 1\n"
    assert parallel(source, w=w, v=w, n=50) == []
    assert parallel(source, w=w, v=w[:], n=50) == []


def test_elements_of_two_widths():
    x = line()
    assert parallel(ONE, a=x.view("f4"), b=x, n=60) == []
    assert parallel(ONE, a=x.view("f4")[::2], b=x, n=60) == ["i"]
    assert parallel(
        "for i in range(n):\n    a[i] = abs(b[i]) + 1\n",
        a=(z := np.ones(30, complex)).imag,
        b=z,
        n=30,
    ) == ["i"]


def test_views_that_move_at_each_call_are_analysed_a_few_times_only():
    x = np.arange(400.0)
    here = harness.site(ONE)
    for k in range(1, 40):
        names = {"a": x[5 * k :], "b": x, "n": 100, "range": range}
        assert here.run(tuple(names[root] for root in here.spec.roots)) is not None
    engine = here.engine
    assert engine is not None
    (state,) = engine.states.values()
    assert len(state.overlaps) <= 16


def test_random_views():
    rng = np.random.default_rng(5)
    sources = (
        TWO, LOWER,
        "for i in range(n):\n    for j in range(m):\n        a[i, j] = a[i, j] + b[j, i]\n",
        "for i in range(n):\n    for j in range(1, m):\n        a[i, j] = b[i, j - 1] + b[i, 0]\n",
    )  # fmt: skip

    def cut(size: int) -> slice:
        start = int(rng.integers(0, 3))
        return (
            slice(start, start + 2 * size, 2) if rng.random() < 0.3 else slice(start, start + size)
        )

    for turn in range(12):
        base = rng.random((16, 16))
        views = []
        for _ in range(2):
            view = base[cut(6), cut(6)]
            view = view[:: rng.choice([1, -1]), :: rng.choice([1, -1])]
            views.append(view.T if rng.random() < 0.4 else view)
        parallel(sources[turn % len(sources)], a=views[0], b=views[1], n=6, m=6)
