"""``float("inf")`` and its like, and names of Python's that mean something else."""

from __future__ import annotations

import builtins

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import builtins, math
import numpy as np
x = np.linspace(-1.0, 1.0, 20)
o = np.zeros(20)
"""

TAKEN = {
    "the least": """
for i in range(20):
    best = float("inf")
    for j in range(20):
        best = min(best, abs(x[i] - x[j]))
    o[i] = best
""",
    "other words": """
for i in range(20):
    o[i] = float(" -Infinity ") if i % 2 else float("1e3") + float(i)
    if math.isnan(float("nan")):
        o[i] = -o[i]
""",
    "in a function": """
def least(row):
    best = float('inf')
    for v in row:
        if v < best:
            best = v
    return best
for i in range(20):
    o[i] = least(x)
""",
}

LEFT = {
    "no number": """
for i in range(20):
    o[i] = float("one")
""",
    "a float of the user's": """
def float(word):
    return 3.0 if word == "inf" else 1.0
for i in range(20):
    o[i] = float("inf") + x[i]
""",
    "of the user's for all": """
float_, builtins.float = builtins.float, lambda word: 3.0
for i in range(20):
    o[i] = float("inf") + x[i]
builtins.float = float_
""",
    "a length of the user's for all": """
len_, builtins.len = builtins.len, lambda word: 3
for i in range(20):
    o[i] = len(x) + x[i]
builtins.len = len_
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    assert "compiled" in same(HEAD + TAKEN[title]).values()


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("float", "len"):  # a program that fails half-way leaves them as it made them
        monkeypatch.setattr(builtins, name, getattr(builtins, name))
    assert "compiled" not in same(HEAD + LEFT[title]).values()
