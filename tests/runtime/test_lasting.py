"""A number that changes at each call costs a decision only where something depends on it."""

from __future__ import annotations

import pytest
from outcome import same

from autopar.runtime.choice.choose import Chooser

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 30
a = np.arange(float(n * n)).reshape(n, n)
x = np.zeros(n)
big = np.arange(n)
rows = [[float(i * j) for j in range(n)] for i in range(n)]
def each(f, start, stop):
    for i in range(start, stop):
        try:
            f(i)
        except IndexError as error:
            print(i, error)
"""
_LINE = HEAD.count("\n") + 2

# What is done at each call, over which numbers, and how many decisions that may take.
CALLS = {
    "a row": ("x[j] += a[i, j]", 0, 30, 3),
    "of a list": ("x[j] = rows[i][j] + 1.0", 0, 30, 3),
    "a number in a sum": ("big[j] = big[j] + i", 0, 30, 3),
    "rows that are not there": ("x[j] += a[i, j]", -40, 40, 80),
    "an own row": ("a[i, j] = a[i - 1, j] + 1.0", 0, 30, 4),
    "a shift": ("x[j] = x[j - i] + 1.0", -3, 4, 7),
    "large numbers": ("big[j] = i * 10**9 * 10**8", 0, 1000, 1000),
    "sometimes the same": ("a[i, j] = a[(i - 3) * 2 + 3, j] * 2.0", 0, 17, 17),
    "a loop's end": ("x[j] += a[0, min(i, j)]", 0, 30, 30),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_python_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, start, stop, most = CALLS[name]
    code = f"{HEAD}def f(i):\n    for j in range(n):\n        {body}\neach(f, {start}, {stop})\n"
    decided: list[str] = []
    decide = Chooser.decide

    def counted(self, *args, **kwargs):
        decided.append(self.place)
        return decide(self, *args, **kwargs)

    monkeypatch.setattr(Chooser, "decide", counted)
    assert same(code)[_LINE] == "compiled"
    assert len([place for place in decided if place.endswith(f":{_LINE}")]) <= most


def test_an_end_is_no_idle_number(monkeypatch: pytest.MonkeyPatch) -> None:
    code = f"{HEAD}def f(i):\n    k = i + 1\n    for j in range(k):\n        x[j] += a[i, j]\n"
    assert same(code + "each(f, 0, 31)\n")[_LINE + 1] == "compiled"
