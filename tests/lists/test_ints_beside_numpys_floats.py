"""Lists of NumPy's floats and Python's ints: `max(change, 0)` is either, as it comes."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(0)
p = 100 + np.cumsum(rng.normal(size=300))
"""
TAKEN = {
    "gains and losses": """
gains, losses = [0], [0]
for i in range(1, len(p)):
    ch = p[i] - p[i - 1]
    gains.append(max(ch, 0))
    losses.append(max(-ch, 0))
""",
    "made in the loop": """
def f(p):
    for k in range(3):
        out = []
        for i in range(len(p)):
            if p[i] > 100 + k:
                out.append(p[i] - 100)
            else:
                out.append(k)
    return out
found = f(p)
""",
    "stored": """
g = [0] * len(p)
for i in range(1, len(p)):
    if p[i] > p[i - 1]:
        g[i] = p[i] - p[i - 1]
    elif i % 3:
        g[i] = i
""",
    "read": """
g = [0 if v < 100 else v for v in p]
a = np.zeros(len(p))
for i in range(len(p)):
    a[i] = g[i] / 14
    if i % 7 == 0:
        g[i] = -1
""",
    "copied": """
g = [k if k % 3 else p[k] for k in range(len(p))]
h = [0] * len(p)
for i in range(len(p)):
    h[i] = g[len(p) - 1 - i]
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    assert "compiled" in both(HEAD + TAKEN[title]).loops.values()


@pytest.mark.parametrize(
    "items",
    ["[2**53 + 1, p[0]]", "[-(2**53), p[0], 0]", "[2**70, p[0]]", "[True, p[0], 3]",
     "[0, p[0], 1.5]", "[np.int64(3), p[0]]", "[0, np.float64('nan')]",
     "[-0.0, np.float64(-0.0)]", "[0, np.float32(2)]"],
)  # fmt: skip
def test_whatever_is_there(items: str) -> None:
    text = f"""
g = {items}
n = len(g)
for i in range(60):
    g[i % n] = g[(i + 1) % n]
    if i == 40:
        g[0] = i
h = list(map(type, g))
"""
    both(HEAD + text)
