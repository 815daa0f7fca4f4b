"""Loops in one another with the same variable, whose outer iterations went on together.

What the outer loop had assigned to it was put back in each of the inner one's iterations.
"""

import pytest
from tests.same.outcome import same

BODIES = {
    "tuples": "out.append((u[j % 3], i))",
    "elements": "v[j] += u[j % 3]",
    "a sum": """s = 0.0
            for k in range(5):
                s += v[k]
            w[j] = s""",
}


@pytest.mark.parametrize("name", BODIES)
def test_the_same_variable(strict, name):
    source = f"""
import numpy as np
def f(u, out, v, w, n, i):
    for j in range(n):
        for j in range(len(u)):
            {BODIES[name]}
u, out, v, w = [0, 1, 2], [], np.arange(9.0), np.zeros(9)
f(u, out, v, w, 70, 3)
"""
    assert same(source)[4] == "compiled"
