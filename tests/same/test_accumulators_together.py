"""Loops next to one another that accumulate: joined where nothing leads from one to the other."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from outcome import plain, same, taken
from test_warnings import kernels, shown

from autopar import config, pipeline
from autopar.sched.plan import Branch, Loop

HEAD = (
    "import numpy as np\nrng = np.random.default_rng(7)\n"
    "x, y = rng.random(n) - 0.5, rng.random(n) - 0.5\n"
    "A, B = rng.random((n, 3)) - 0.5, rng.random((n, 3)) - 0.5\n"
)
SIZES = [0, 1, 2, 513]


def program(body: str, odd: str = "") -> str:
    """A function with `body`, so that nobody sees what its variables are left with."""
    lines = "".join(
        f"    {line}\n" for line in f"s = r = m = w = 0.0\nc = p = q = z = 0\n{body}".splitlines()
    )
    whole = f"def run(x, y, A, B):\n{lines}    return s, r, m, w, c, p, q, z\n"
    return f"{HEAD}{odd}{whole}found = run(x, y, A, B)\n"


TOGETHER = {
    "two sums": (
        "for t in range(3):\n    s = 0.0\n    for i in range(n):\n        s += x[i] * y[i]\n"
        "    r = 0.0\n    for i in range(n):\n        r += x[i] * x[i]\n"
    ),
    "two sums of rows": (
        "for t in range(3):\n    s = 0.0\n"
        "    for i in range(n):\n        for j in range(3):\n            s += A[i, j] * A[i, j]\n"
        "    r = 0.0\n"
        "    for k in range(n):\n        for l in range(3):\n            r -= A[k, l] * B[k, l]\n"
    ),
    "a sum and a product": (
        "for t in range(3):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n"
        "    r = 1.0\n    for i in range(n):\n        r *= y[i] + 1.5\n"
    ),
    "two maxima": (
        "for t in range(3):\n    m = 0.0\n    for i in range(n):\n"
        "        if abs(x[i]) > m:\n            m = abs(x[i])\n"
        "    w = 0.0\n    for k in range(n):\n"
        "        if abs(y[k]) > w:\n            w = abs(y[k])\n"
    ),
    "where the least ones are": (
        "p = q = -1\nfor t in range(3):\n    m = 9.0\n    for i in range(n):\n"
        "        if x[i] < m:\n            m = x[i]\n            p = i\n"
        "    w = 9.0\n    for i in range(n):\n"
        "        if y[i] <= w:\n            w = y[i]\n            q = i\n"
    ),
    "a count and a maximum of rows": (
        "for t in range(3):\n    c = 0\n    for i in range(n):\n        for j in range(3):\n"
        "            if A[i, j] > 0.25:\n                c += 1\n"
        "    m = -1.0\n    for i in range(n):\n        for j in range(3):\n"
        "            m = max(m, B[i, j])\n    A[0, 0] = m * 0.5\n    B[0, 0] = c * 0.01\n"
    ),
    "a maximum and what it has nothing to do with": (
        "for t in range(3):\n    m = 0.0\n    for i in range(n):\n        m = max(m, x[i])\n"
        "    for i in range(n):\n        y[i] = y[i] * 0.5 + t\n    x[0] = y[1] - m\n"
    ),
    "a maximum of what has just been stored": (
        "for t in range(3):\n    for i in range(n):\n        x[i] = y[i] * 0.5 - x[i]\n"
        "    w = m\n    m = -9.0\n    for i in range(n):\n        m = max(m, x[i] - y[i])\n"
    ),
    "a maximum of what is then overwritten": (
        "for t in range(3):\n    m = -9.0\n"
        "    for i in range(n):\n        m = max(m, x[i] - y[i])\n"
        "    for i in range(n):\n        x[i] = y[i] * 0.5 + t\n    A[t, 0] = m\n"
    ),
    "where the least of what has just been stored is": (
        "p = q = -1\nfor t in range(3):\n    for i in range(n):\n        x[i] = y[i] - x[i]\n"
        "    m = 9.0\n    for i in range(n):\n        if x[i] < m:\n"
        "            m = x[i]\n            p = i\n"
    ),
    "the end of a step and the beginning of the next": (
        "for t in range(3):\n    m = -9.0\n    for i in range(n):\n        m = max(m, x[i])\n"
        "    w = m * 0.25 + w\n    for i in range(n):\n        x[i] = y[i] * w - x[i]\n"
    ),
}
APART = {
    "one that starts from the other": (
        "for t in range(3):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n"
        "    r = s\n    for i in range(n):\n        r += y[i]\n"
    ),
    "one that goes on with the other": (
        "for t in range(3):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n"
        "    for i in range(n):\n        s += y[i]\n"
    ),
    "a maximum that is subtracted": (
        "for t in range(3):\n    m = 0.0\n    for i in range(n):\n        m = max(m, x[i])\n"
        "    c = 0\n    for i in range(n):\n        if x[i] > m - 0.1:\n            c += 1\n"
    ),
    "what the second stores, the first has read": (
        "for t in range(3):\n    m = 0.0\n"
        "    for i in range(n):\n        m = max(m, x[n - 1 - i])\n"
        "    for i in range(n):\n        x[i] = y[i] * 0.5 + t\n"
    ),
    "what the first stores, the second reads": (
        "for t in range(3):\n    for i in range(n):\n        x[i] = x[i] * 0.5 + t\n"
        "    m = 0.0\n    for i in range(n):\n        m = max(m, x[n - 1 - i])\n"
    ),
    "ranges of two lengths": (
        "for t in range(3):\n    m = 0.0\n    for i in range(n):\n        m = max(m, x[i])\n"
        "    w = 0.0\n    for i in range(n - 1):\n        w = max(w, y[i])\n"
    ),
    "a variable that is read": (
        "z = np.zeros(3)\nfor t in range(3):\n    m, i = 0.0, -1\n"
        "    for i in range(n):\n        m = max(m, x[i])\n    z[t] = i\n"
        "    w = 0.0\n    for i in range(n):\n        w = max(w, y[i])\n"
    ),
    "the same array under two names": (
        "v = x\nfor t in range(3):\n    for i in range(n):\n        v[i] = v[i] * 0.5 + t\n"
        "    m = 0.0\n    for i in range(n):\n        m = max(m, x[n - 1 - i])\n"
    ),
}


@pytest.fixture
def joined(monkeypatch, apart):
    """How many loops there are, counted before and after they were joined."""
    apart()
    made: list[tuple[int, int]] = []
    true = pipeline.fused

    def fused(typed, plan, *others):
        found = true(typed, plan, *others)
        made.append((loops(plan.body), loops(found.body)))
        return found

    monkeypatch.setattr(pipeline, "fused", fused)
    return made


def loops(nodes):
    found = 0
    for node in nodes:
        if isinstance(node, Loop):
            found += 1 + loops(node.body)
        elif isinstance(node, Branch):
            found += loops(node.body) + loops(node.orelse)
    return found


@pytest.mark.parametrize("name", TOGETHER)
def test_they_are_joined(name, joined):
    assert set(same(program(TOGETHER[name]), n=513).values()) == {"compiled"}
    # Of the end of a step joined to the beginning of the next there are two copies.
    assert any(after != before for before, after in joined)


@pytest.mark.parametrize("name", APART)
def test_they_are_left_apart(name, joined):
    assert set(same(program(APART[name]), n=513).values()) == {"compiled"}
    assert all(after == before for before, after in joined)


def test_a_step_is_no_more_than_its_sums_where_their_order_is_free(joined):
    """Conjugate gradients: what one sum needs is stored by the loop that is joined to it."""
    config.use(replace(config.current(), fp="relaxed"))
    body = (
        "r = 1.0\nfor t in range(4):\n    s = 0.0\n"
        "    for i in range(n):\n        s += x[i] * y[i]\n"
        "    w = r / (s + 1000.0)\n    for i in range(n):\n        A[i, 0] += w * x[i]\n"
        "    for i in range(n):\n        A[i, 1] -= w * y[i]\n    m = r\n    r = 0.0\n"
        "    for i in range(n):\n        r += A[i, 1] * A[i, 1]\n"
        "    w = r / (m + 1000.0)\n    for i in range(n):\n        x[i] = A[i, 1] + w * x[i]\n"
    )
    made = taken(program(body), n=513)
    assert set(made.loops.values()) == {"compiled"}
    assert (6, 5) in joined  # of them, two copies of the loop that updates `x`, and the first sum
    for name, value in plain(program(body), n=513).names.items():
        if name in ("x", "A"):
            one, other = (np.frombuffer(found[3]) for found in (value, made.names[name]))
            assert np.allclose(one, other, rtol=1e-12), name


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", [*TOGETHER, *APART])
def test_they_mean_the_same(name, n, lenient):
    same(program((TOGETHER | APART)[name]), n=n)


@pytest.mark.parametrize("values", [np.nan, np.inf, -np.inf, -0.0])
@pytest.mark.parametrize("name", TOGETHER)
def test_odd_numbers(name, values, lenient):
    odd = "x[::7] = odd\ny[3::5] = -odd\nA[::2, 1] = odd\nB[1::3] = odd\n"
    with np.errstate(all="ignore"):
        same(program(TOGETHER[name], odd), n=40, odd=values)


@pytest.mark.parametrize("n", [3, 200])
def test_warnings_come_in_the_order_of_the_lines(n, lenient):
    source = (
        "for t in range(2):\n"
        "    for i in range(n):\n        s += x[i] * x[i]\n"
        "    for i in range(n):\n        r += y[i] - x[i]\n"
    )
    zero = np.float64(0.0)
    for x, y in ((1e200, 1.0), (1e308, -1e308), (1.0, np.inf)):
        given = {"x": np.full(n, x), "y": np.full(n, y), "s": zero, "r": zero, "n": n}
        with warnings.catch_warnings():
            found, record = kernels(source, **given)
        assert record.runs
        assert found == shown(source, **given)
