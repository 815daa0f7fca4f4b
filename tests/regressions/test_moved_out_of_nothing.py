"""A loop that goes in strips was moved out of one without iterations, and left its variable."""

from __future__ import annotations

import numpy as np
import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("strict"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
a, b, c = np.ones((n, n)), np.ones(n), np.ones(n)
i = j = k = 7
"""
NESTS = {
    "packed": """
for k in range(n - 1, -1, -1):
    c[k] = c[k] * 0.5 + 1.0
    for i in range(0, n - 2):
        for j in range(1, n):
            b[i] = a[j, k] - 0.5 * a[i, k]
""",
    "upwards": """
for k in range(n):
    c[k] = c[k] * 0.5 + 1.0
    for i in range(2, n):
        for j in range(n):
            b[i] = b[i] + a[j, k] * c[j]
""",
    "an empty one in the middle": """
for k in range(n):
    for i in range(1, n):
        for j in range(0, n - 2):
            b[i] = a[k, j] - 0.5 * a[i, j]
""",
}


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("n", [1, 2, 3, 20])
def test_a_loop_that_is_not_reached_assigns_nothing(name: str, n: int) -> None:
    with np.errstate(all="ignore"):
        assert same(HEAD + NESTS[name], n=n)
