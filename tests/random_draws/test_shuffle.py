"""Lists and vectors that a generator of Python's puts in another order."""

from __future__ import annotations

import pytest
from outcome import same
from test_draws import END, START, compiled

SHUFFLED = {
    "permutations": """\
def run(a, b, times):
    pooled, hits = a + b, 0
    n = len(a)
    for _ in range(times):
        own.shuffle(pooled)
        if sum(pooled[:n]) / n >= sum(pooled[n:]) / len(b):
            hits += 1
    return hits, pooled
x, y = [0.5 * k for k in range(9)], [1.0 / (k + 1) for k in range(7)]
res = run(x, y, 20), run(x[:1], y[:1], 5)
""",
    "of integers": """\
def run(idx, n):
    s = 0
    for k in range(n):
        random.shuffle(idx)
        for i in idx:
            s = (s * 7 + i) % 1000003
    return s, idx
res = run([*range(12)], 9), run([5], 3)
""",
    "vectors": """\
def run(v, n):
    t = 0.0
    for k in range(n):
        own.shuffle(v)
        t = t * 0.5 + v[0]
    return t, v
res = run(np.arange(11.0), 7), run(np.arange(20)[::-2], 7)
""",
    "beside other draws": """\
def run(v, n):
    t = 0.0
    for k in range(n):
        if own.random() < 0.5:
            own.shuffle(v)
        t += v[own.randrange(len(v))] * own.gauss(0.0, 1.0)
    return t, v
res = run([0.25 * k for k in range(8)], 15)
""",
}

LEFT = {
    "rows": "x = [[1, 2], [3, 4], [5, 6]]\nfor k in range(5):\n    own.shuffle(x)\n",
    "rows of a matrix": "x = np.arange(8).reshape(4, 2)\nfor k in range(5):\n    own.shuffle(x)\n",
    "of NumPy's": "x = np.arange(8)\nfor k in range(5):\n    rng.shuffle(x)\n",
    "nothing": "x = [3, 1, 2]\nfor k in range(5):\n    y = own.shuffle(x)\n",
    "by another function": "x = [3, 1, 2]\nfor k in range(5):\n    own.sample(x, 2)\n",
}


@pytest.mark.parametrize("text", SHUFFLED.values(), ids=SHUFFLED)
@pytest.mark.usefixtures("lenient")
def test_taken(text: str) -> None:
    compiled(text)


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
@pytest.mark.usefixtures("lenient")
def test_left_to_python(text: str) -> None:
    assert "compiled" not in same(START + text + END).values()


@pytest.mark.usefixtures("lenient")
def test_a_tuple_cannot_be_shuffled() -> None:
    same(
        f"{START}x = (1, 2, 3)\ntry:\n    for k in range(5):\n        own.shuffle(x)\n"
        f"except TypeError as error:\n    res = str(error)\n{END}"
    )
