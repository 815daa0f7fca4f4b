"""Arrays of random numbers that a nest makes: the numbers, the state and exceptions of NumPy's."""

from __future__ import annotations

import pytest
from outcome import both

START = """\
import numpy as np

np.random.seed(11)
rng = np.random.default_rng(13)
old = np.random.RandomState(14)
n, m, none, few = 6, 3, None, np.int64(4)
table, x = np.zeros((2, 3)), np.zeros(40)
"""
END = """
states = [
    np.random.get_state(legacy=False), rng.bit_generator.state, old.get_state(legacy=False)
]
"""
TAKEN = [
    "np.random.rand(n)",
    "np.random.rand(n, m)",
    "np.random.rand(2, 3, 4)",
    "np.random.randn(1)",
    "old.random_sample(2 * n + 1)",
    "old.random((n, m))",
    "old.uniform(-1, 2, n)",
    "old.uniform(size=n, high=7)",
    "old.normal(0.5, 2.0, [2, m])",
    "old.standard_normal(n - 1)",
    "old.standard_exponential(size=(n,))",
    "old.exponential(2.0, n)",
    "old.poisson(3.5, n)",
    "old.randint(5, size=n)",
    "old.randint(-3, 2**40, n)",
    "old.randint(1, 9, (2, m))",
    "rng.random(n)",
    "rng.random((m, n))",
    "rng.random(size=table.shape)",
    "rng.uniform(-1, x[i] + 0.5, n)",
    "rng.normal(size=n)",
    "rng.normal(loc=i, scale=0.5, size=m)",
    "rng.standard_normal(n)",
    "rng.standard_exponential(n)",
    "rng.exponential(1.5, n)",
    "rng.poisson(0.5, size=n)",
    "rng.integers(5, size=n)",
    "rng.integers(-3, 2**33, n)",
    "rng.integers(0, 6, n, endpoint=True)",
    "rng.integers(i, i + 1, n)",
]


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("call", TAKEN)
def test_taken(call: str) -> None:
    """Between numbers drawn alone, of which NumPy may keep a second one."""
    text = (
        "for i in range(4):\n"
        "    x[i] += old.normal() + rng.integers(9) + np.random.randint(7)\n"
        f"    r = {call}\n"
        "    x[5] += np.max(r)\n"
        "    x[i + 6] += old.randn() + rng.integers(9) + np.random.randn()\n"
    )
    found = both(START + text + END)
    assert set(found.loops.values()) == {"compiled"}, found.loops


LIVES_ON = {
    "several arrays": (
        "for i in range(5):\n    r = rng.random(n)\n    s = rng.normal(0.0, 1.0, n)\n"
    ),
    "under an if": (
        "r = x\nfor i in range(5):\n    if rng.random() < 0.5:\n        r = rng.random(n)\n"
    ),
    "no size": "for i in range(5):\n    x[i] = old.uniform(0, 1, size=None) + rng.random(None)\n",
    "in an expression": "for i in range(5):\n    x[:n] += 2 * rng.random(n) - old.rand(n)\n",
    "one inside another": (
        "for i in range(5):\n    r = rng.uniform(0.0, np.sum(rng.random(n)), m)\n"
    ),
    "elements": (
        "for i in range(5):\n    r = rng.random(n)\n    k = old.randint(0, 6, n)\n"
        "    for j in range(n):\n        x[j] += r[j] * k[j]\n        r[j] = k[j]\n"
    ),
    "points": (
        "c = 0\nfor i in range(5):\n    p = np.random.rand(n, 2)\n    for j in range(n):\n"
        "        if p[j, 0] ** 2 + p[j, 1] ** 2 < 1.0:\n            c += 1\n"
    ),
    "sizes that change": "for i in range(1, 5):\n    x[:i] = rng.random(i)\n",
    "steps of a walk": (
        "for i in range(5):\n    s = np.cumsum(rng.normal(size=n))\n    x[i] = s[-1]\n"
    ),
}


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("title", LIVES_ON)
def test_in_a_nest(title: str) -> None:
    assert both(START + LIVES_ON[title] + END).loops


LEFT = [
    "old.randn(i + 1, 2)",
    "old.random_sample(n + i)",
    "np.random.randn(few)",
    "rng.normal(size=few)",
    "rng.random(0)",
    "rng.random(n - 6)",
    "rng.random(-1)",
    "rng.random(-n)",
    "rng.random(2.0)",
    "rng.random(True)",
    "rng.random(none)",
    "rng.random(None)",
    "rng.random(())",
    "rng.random(x)",
    "rng.random(n, np.float32)",
    "rng.random(n, dtype=np.float32)",
    "rng.random(out=x)",
    "rng.random(n, m)",
    "rng.uniform(0, 1, None)",
    "rng.uniform(0, x, 40)",
    "rng.uniform(x, 1, n)",
    "rng.uniform(-1e308, 1e308, n)",
    "rng.normal(0, -1, n)",
    "rng.normal(0, -1, 0)",
    "rng.normal(0, -1, n - 6)",
    "rng.integers(5, 3, n)",
    "rng.integers(5, 3, n - 6)",
    "rng.integers(0, 5, True)",
    "rng.integers(0, 5, n, np.int32)",
    "rng.integers(0, [5, 6], 2)",
    "rng.integers(0, 5, n, endpoint=none)",
    "rng.exponential(-1, n)",
    "rng.poisson(-1.0, n)",
    "rng.choice(5, n)",
    "rng.permutation(n)",
    "np.random.rand(n, 2.0)",
    "np.random.rand(d0=n)",
    "np.random.rand(*table.shape)",
    "np.random.rand((n, m))",
    "np.random.randn(0, n)",
    "np.random.randn(none)",
    "np.random.randint(0, 5, n, np.uint8)",
    "np.random.randint(0, 2**63, n)",
]


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("call", LEFT)
def test_the_same_in_any_case(call: str) -> None:
    text = (
        "for i in range(4):\n    x[i] += old.normal() + rng.integers(9)\n"
        f"    r = {call}\n    x[i + 5] += rng.random() + np.random.randn()\n"
    )
    both(
        START + f"try:\n    {text.strip().replace(chr(10), chr(10) + '    ')}\n"
        "except Exception as error:\n    caught = repr(error)\n" + END
    )


@pytest.mark.usefixtures("lenient")
def test_an_exception_in_the_middle() -> None:
    """The state is what Python leaves: all of the array has been drawn by then."""
    text = "for i in range(5):\n    r = rng.random(n)\n    x[i] = r[3] / (3 - i) + [1, 2, 3][i]\n"
    both(
        START
        + "try:\n    "
        + text.strip().replace("\n", "\n    ")
        + "\nexcept Exception as error:\n    caught = repr(error)\n"
        + END
    )
