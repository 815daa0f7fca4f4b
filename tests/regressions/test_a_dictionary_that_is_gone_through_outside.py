"""`AUTOPAR_VERIFY` lets be a dictionary that the nest has not changed: others go through it."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
def inner(d, n):
    s = 0
    for i in range(n):
        s += d[1] + i % 3
    return s
d = {1: 5, 2: 6, 3: 7, 4: 8}
x = d.pop(1)
d[1] = x
res = [(k, inner(d, 50)) for k in iter(d)]
"""


@pytest.mark.parametrize("verify", ["0", "1"])
def test_all_of_it(monkeypatch: pytest.MonkeyPatch, verify: str) -> None:
    monkeypatch.setenv("AUTOPAR_VERIFY", verify)
    both(PROGRAM)
