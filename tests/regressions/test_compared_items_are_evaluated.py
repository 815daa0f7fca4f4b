"""Both sides of a comparison of tuples, and all that `in` looks among, are evaluated first."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TESTS = {
    "(i, 10 // (i - 3)) == (9, 1)": "",
    "(i, 10 // (i - 3)) != (9, 1)": "",
    "(i, 1) == (9, 10 // (i - 3))": "",
    "(i, a[i]) == (9, 1)": "a = [1, 2]",
    "(i, a[i]) == (9, 1.0)": "a = np.ones(2)",
    "(i, 1 << (3 - i)) == (9, 1)": "",
    "(i, 10 // (i - 3)) in ((9, 1), (8, 2))": "",
    "(a[0], a[i]) == ('z', 'a')": "a = list('abc')",
    "(t := (i, 1)) == (9, a[i])": "a = [1, 2]",
    "p[i % 3] == (9, a[i])": "a, p = [1, 2], [(1, 2), (3, 4), (5, 6)]",
    "i in (i, z)": "if i > 3: z = 1",
    "a[i] not in [0, z]": "a = [0] * 9\nfor j in range(0): z = 1",
    "(i, z) == (9, 1)": "if i > 3: z = 1",
    "(i, (1, z)) == (9, (1, 2))": "if i > 3: z = 1",
    "((i, z), 1) != ((9, 1), 2)": "if i > 3: z = 1",
    "(z, i) == (9, 1)": "if i > 3: z = 1",
    "i in (1, 2, i * 3)": "",
    "(i, i + 1) == (3, 4)": "",
    "(i, x) == (3, x)": "x = float('nan')",
    "x in (i, x)": "x = float('nan')",
    "(i, a[i]) in ((1, 2), (3, 4.0))": "a = [1, 2, 3, 4, 5, 6]",
}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("bound", [False, True])
def test_as_python_does(test: str, bound: bool) -> None:
    first = TESTS[test].replace("\n", "\n        ")
    asked = (
        f"t, u = {test.replace(' == ', ', ', 1)}\n        if t == u:" if bound else f"if {test}:"
    )
    if bound and (" == " not in test or ":=" in test):
        return
    text = f"""
import numpy as np
def f(n):
    k = 0
    for i in range(n):
        {first}
        {asked}
            k += 1 + i
    return k
try:
    out = f(6)
except Exception as error:
    out = type(error).__name__, str(error)
"""
    both(text)
