"""A part of a tuple is a tuple: it came out as a list where it had a name after the loop."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
t = tuple(range(40))
rows = [(i, i + 1, i + 2) for i in range(20)]
r = range(0, 80, 2)
n = 20
"""

PROGRAMS = {
    "seen later": "for i in range(n):\n    b = t[i % 7:i % 7 + 9]",
    "of a list": "for i in range(n):\n    b = rows[i][1:]\n    s = b[0]",
    "of a range": "for i in range(n):\n    b = r[i % 7:i % 7 + 9]\n    s = b[1]",
    "in a list": "out = []\nfor i in range(n):\n    out.append(t[i:i + 3])",
    "in a comprehension": "out = [row[:] for row in rows]",
    "changed": "try:\n    for i in range(n):\n        b = t[i:i + 3]\n        b[0] = 5\n"
    "except TypeError as error:\n    why = str(error)",
    "copied": "try:\n    for row in rows:\n        b = row.copy()\n        b[0] = 5\n"
    "except AttributeError as error:\n    why = str(error)",
    "made lists": "out = [list(row) for row in rows]\nout[0][1] = 7",
    "gone through": "s = 0\nfor i in range(n):\n    for v in t[i:i + 4]:\n        s += v * i",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_they_are(name: str) -> None:
    same(HEAD + PROGRAMS[name] + "\n")


def test_a_loop_over_a_part_is_taken() -> None:
    assert same(HEAD + PROGRAMS["gone through"] + "\n")[HEAD.count("\n") + 2] == "compiled"
