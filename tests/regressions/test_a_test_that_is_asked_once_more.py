"""``while x < 3 and i < n``: when the count is over, `x` is still read, and it may be None."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
import numpy as np
def f(i, n, x):
    {before}
    while {test}:
        {body}
        i += 1
    return i, x
found = []
for x in (0.5, None, 7.0):
    for n in (0, 6):
        try:
            found.append(f(0, n, x))
        except (TypeError, NameError) as error:
            found.append(str(error))
"""
HELPED = """
def g(i, n, x):
    y = {y}
    while {test}:
        i += 1
        y = i * 0.5
    return i
found = []
def f(n, xs, k):
    s = 0
    for x in xs:
        s += g(k, n, x)
    return s
for n in (0, 6):
    for x in (0.5, None):
        try:
            found.append(f(n, [2.0, 0.25], 0) if x else f(n, [x, x], 0))
        except TypeError as error:
            found.append(str(error))
"""


@pytest.mark.parametrize("body", ["x = i * 0.25", "x = None if i > 3 else 0.5", "pass"])
@pytest.mark.parametrize("before", ["pass", "del x"])
@pytest.mark.parametrize(
    "test", ["x < 3 and i < n", "0 < x < 3 and i < n", "not x > 3 and i < n", "i < n and x < 3"]
)
def test_it_raises_as_ever(test: str, before: str, body: str) -> None:
    same(PROGRAM.format(test=test, before=before, body=body))


@pytest.mark.parametrize("y", ["0.0", "None"])
@pytest.mark.parametrize("test", ["x < 3 and i < n", "y < 3 and i < n"])
def test_in_a_helper(test: str, y: str) -> None:
    same(HELPED.format(test=test, y=y))


def test_what_has_a_value_is_taken() -> None:
    code = PROGRAM.format(test="x < 3 and i < n", before="pass", body="x = i * 0.25")
    assert same(code.replace("None", "1.5"))[5] == "compiled"
