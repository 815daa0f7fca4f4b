"""Helper functions with parameters that take arguments by keyword only."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 50
a = np.arange(1, 51, dtype=float)
b = np.zeros(50)
"""
# After the first call, what has no argument is asked anew at each call.
CALLS = """
def run():
    for i in range(n):
        b[i] = {call}
for change in (None, {{"s": 7.5, "t": 2}}, {{"s": np.float32(0.1)}}, {{"s": "text"}}, {{}}, None):
    try:
        run()
    except TypeError as error:
        print(error)
    f.__kwdefaults__ = change
"""
TAKEN = {
    "with a default": ("def f(x, *, s=2.0): return x * s", "f(a[i], s=3.0) + f(a[i])"),
    "without one": ("def f(x, *, s): return x * s", "f(a[i], s=i)"),
    "in another order": (
        "def f(x, y=1.0, *, s, t=4): return x * s - y + t",
        "f(a[i], s=i) + f(a[i], 2.0, t=1, s=2) + f(s=1.0, x=a[i])",
    ),
    "after one without a name": (
        "def f(x, /, y=1.0, *, x2=5): return x * y + x2",
        "f(a[i], x2=i) + f(i, y=2)",
    ),
    "alone": ("def f(*, s=1): return s", "f(s=a[i])"),
    "none": (
        "def f(x, *, s=None):\n    if s is None: return x\n    return x * s",
        "f(a[i]) + f(a[i], s=2)",
    ),
    "a name that is a variable": ("i = 3\ndef f(x, *, i=2): return x - i", "f(a[i]) + f(1, i=i)"),
}
LEFT = {
    "no argument for it": ("def f(x, *, s): return x * s", "f(a[i])"),
    "by position": ("def f(x, *, s=1): return x * s", "f(a[i], 2)"),
    "another name": ("def f(x, *, s=1): return x * s", "f(a[i], s=1, r=2)"),
    "too many": ("def f(x, y=1, *, s=1): return x * s + y", "f(a[i], 1, 2)"),
    "by keyword and by position": ("def f(x, *, s=1): return x * s", "f(a[i], x=2)"),
    "with a star": ("def f(x, *, s=1): return x * s", "f(*a[i:i + 1])"),
    "all words": ("def f(x, *, s=1, **more): return x * s", "f(a[i])"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_are_written_out(name: str) -> None:
    define, call = TAKEN[name]
    assert next(iter(same(f"{HEAD}{define}\n{CALLS.format(call=call)}").values())) == "compiled"


@pytest.mark.parametrize("name", LEFT)
def test_what_python_has_to_answer(name: str) -> None:
    define, call = LEFT[name]
    assert next(iter(same(f"{HEAD}{define}\n{CALLS.format(call=call)}").values())) == "call"


def test_methods() -> None:
    define = "class C:\n    k = 2.0\n    def m(self, x, *, s=3): return x * self.k + s\nc = C()\n"
    calls = CALLS.format(call="c.m(a[i]) + c.m(a[i], s=i)").replace(" f.__kw", " C.m.__kw")
    assert next(iter(same(f"{HEAD}{define}{calls}").values())) == "compiled"
