"""Whether loops run the longer the later the iteration around them."""

from __future__ import annotations

import pytest

from autopar.cpu.chunks import even, growing
from autopar.nest.text.lift import lift_text

BODY = "        a[i, j] = 1.0\n"
GROWING = {
    "a lower triangle": "for i in range(n):\n    for j in range(i + 1):\n" + BODY,
    "twice as fast": "for i in range(n):\n    for j in range(2 * i, 4 * i):\n" + BODY,
    "the rest, backwards": "for i in range(n - 1, -1, -1):\n    for j in range(i, n):\n" + BODY,
    "down to the first": "for i in range(n):\n    for j in range(i, -1, -1):\n" + BODY,
    "beside one that stays": (
        "for i in range(n):\n    for k in range(n):\n        b[i, k] = 1.0\n"
        "    for j in range(i):\n" + BODY
    ),
    "in one that stays": (
        "for i in range(n):\n    for k in range(n):\n        for j in range(i):\n"
        "            a[i, j] = a[i, j] + b[k, j]\n"
    ),
}
OTHERS = {
    "a square": "for i in range(n):\n    for j in range(n):\n" + BODY,
    "a band": "for i in range(n):\n    for j in range(i, i + 3):\n" + BODY,
    "an upper triangle": "for i in range(n):\n    for j in range(i, n):\n" + BODY,
    "backwards": "for i in range(n, 0, -1):\n    for j in range(i):\n" + BODY,
    "both": (
        "for i in range(n):\n    for j in range(i):\n        a[i, j] = 1.0\n"
        "    for j in range(i, n):\n" + BODY
    ),
    "nobody knows": "for i in range(n):\n    for j in range(p[i], p[i + 1]):\n" + BODY,
    "by a square": "for i in range(n):\n    for j in range(i * i):\n" + BODY,
    "in steps that nobody knows": "for i in range(0, n, m):\n    for j in range(i):\n" + BODY,
    "no loop": "for i in range(n):\n    a[i, 0] = 1.0\n",
}


@pytest.mark.parametrize("name", GROWING)
def test_growing(name: str) -> None:
    loop = lift_text(GROWING[name]).loop
    assert growing(loop)
    assert not even(loop)


@pytest.mark.parametrize("name", OTHERS)
def test_not_growing(name: str) -> None:
    assert not growing(lift_text(OTHERS[name]).loop)
