"""A ``while`` with an ``else`` and a ``break``: its test is asked once more behind the nest.

The counter of such a loop was not handed out where nothing but that test reads it, and the
interpreter went on with the one it had.
"""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
def f(n):
    t = n % 13
    c = 0
    while {test}:
        t = (t * 3 + n) % 1009
        if t % {divisor} == 2:
            {leave}
        c += 1
    else:
        {other}
    return t
z = [f(n) for n in range(60)]
"""


@pytest.mark.parametrize("other", ["return -t", "t = -t", "pass"])
@pytest.mark.parametrize("leave", ["break", "return 0"])
@pytest.mark.parametrize("divisor", [5, 97])
@pytest.mark.parametrize("test", ["c < 20", "t % 7 != 3 and c < 20", "not c > 9"])
def test_it_ends(test: str, divisor: int, leave: str, other: str) -> None:
    code = PROGRAM.format(test=test, divisor=divisor, leave=leave, other=other)
    assert same(code)[5] == "compiled"
