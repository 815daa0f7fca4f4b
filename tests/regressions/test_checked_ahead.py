"""Subscripts that are looked at before a loop: only for accesses that come with what was looked at.

Two loops in one around them had the same subscript; where the first had no iteration, nobody had
said where the second one's was, and it was the first element.
"""

from __future__ import annotations

import numpy as np
import pytest
from outcome import same

pytestmark = pytest.mark.filterwarnings("ignore")

HEAD = (
    "import numpy as np\nA = np.arange(1.0, n * n + 1).reshape(n, n)\nv = np.arange(1.0, n + 1)\n"
)
NESTS = {
    "the second loop is empty": """
for k in range(n - 1, -1, -1):
    k = (3 * k) % n
    for t in range(2):
        for i in range(k, n):
            A[i, k] = A[k, i] + 1.0
        for i in range(k + 2, n):
            v[i] = A[i, k]
""",
    "the first loop is empty": """
for k in range(n - 1, -1, -1):
    k = (3 * k) % n
    for t in range(2):
        for i in range(k + 2, n):
            v[i] = A[i, k]
        for i in range(n):
            A[i, k] = 0.5 * A[i, k] + v[i]
""",
    "under a condition": """
for k in range(n - 1, -1, -1):
    k = (3 * k) % n
    for t in range(2):
        for i in range(k + 2, n):
            v[i] = A[i, k]
        if v[0] > 0.0:
            A[0, k] = A[0, k] + 2.0
""",
    "loops of one name": """
for k in range(n):
    p, q = (2 * k) % n, (3 * k) % n
    for t in range(2):
        for i in range(p):
            v[i] = v[i] + 1.0
        for i in range(q):
            v[i] = v[i] * 0.5
""",
}


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_each_access_is_where_its_own_subscript_says(name: str, n: int, strict: None) -> None:
    with np.errstate(all="ignore"):
        assert same(HEAD + NESTS[name], n=n)


@pytest.mark.parametrize("n", [3, 6])
def test_a_loop_beyond_the_end_is_the_users_error(n: int, lenient: None) -> None:
    source = (
        "for k in range(n):\n    p, q = (2 * k) % n, (3 * k) % n + n\n    for t in range(2):\n"
        "        for i in range(p):\n            v[i] = v[i] + 1.0\n"
        "        for i in range(q):\n            v[i] = v[i] * 0.5\n"
    )
    with np.errstate(all="ignore"):
        assert same(HEAD + source, n=n)
