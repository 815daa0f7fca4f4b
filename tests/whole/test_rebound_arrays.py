"""Names that are new arrays in each turn: how these lie in memory, and what they can hold."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(3)
A = rng.random((130, 130))
G, H = rng.random((130, 260)), rng.random((260, 130))
"""

TAKEN = {
    "a table in several blocks": """
for t in range(3):
    mean, spread = np.mean(A), np.var(A)
    A = (A - mean) / np.sqrt(spread)
""",
    "a mask over a copy": """
def cut(B):
    B = B.copy()
    for t in range(2):
        B[B > 0.5] = 0.0
        B[B < 0.1] = 1 + t
    return B
one, two = cut(A), cut(A.astype(np.float32))
""",
}

LEFT = {
    "every second column at first": """
A = G[:, ::2]
for t in range(3):
    A = A - np.mean(A)
""",
    "the left half at first": """
A = G[:, :130]
for t in range(3):
    A = A - np.mean(A)
""",
    "every second row at first": """
B = H[::2]
for t in range(3):
    q = np.dot(A, B)
    B = q - B
""",
    "complex numbers for some": """
B = A * 2
for t in range(2):
    B[B > 0.5] = 1j
""",
    "an integer array": """
B = (A * 5).astype(int)
for t in range(2):
    B[B > 0.5] = 0.25 + t
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    assert set(same(HEAD + TAKEN[title]).values()) == {"compiled"}


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title: str) -> None:
    loops = same(HEAD + LEFT[title])
    assert loops[min(line for line in loops if line > HEAD.count("\n"))] != "compiled"
