"""Rows at places that are below zero at the edge: they count from the end."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(0)
u = rng.random((7, 5, 3))
v = np.zeros((7, 5, 3))
s = 0.0
"""


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(7):\n    for j in range(5):\n"
        "        v[i, j] = u[i - 1, j - 2] + u[(i + 1) % 7, j] - u[i, j - 1]\n",
        "for i in range(7):\n    d = u[i] - u[i - 1]\n    s += (d ** 2).sum()\n",
        "for i in range(7):\n    v[i - 2] = v[i - 1] * 0.5 + u[i]\n",
        "for i in range(3):\n    u[i - 3, 1] = v[i, 2] + 1\n",
        "for i in range(4):\n    r = u[i - 7]\n    r += v[i - 1]\n",
    ],
)
def test_taken(text: str) -> None:
    assert "compiled" in both(HEAD + text).loops.values()


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(3):\n    s += u[i - 9].sum()\n",
        "for i in range(9):\n    v[i - 1] = u[0]\n",
        "for i in range(9):\n    v[i - 1, 4 - i] = u[0, 0]\n",
    ],
)
def test_too_far(text: str) -> None:
    caught = text.replace("\n", "\n    ")
    both(f"{HEAD}try:\n    {caught}pass\nexcept IndexError as error:\n    said = str(error)\n")
