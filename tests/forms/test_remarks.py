"""What is said of loops that are left: the line, the text at fault."""

from __future__ import annotations

import contextlib

import pytest

from autopar import journal

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = "import itertools, math\nimport numpy as np\nu = np.zeros(9)\ns = 0.0\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("for t in iter([1, 2]):\n    s += t\n", 5, "iter([1, 2])"),
        ("for i, j in itertools.combinations((0, 1), 2):\n    s += 1\n", 5, "itertools.combin"),
        ("for i in range(3):\n    s += 1.0\n    u = np.unique(u)\n", 7, "np.unique(u)"),
        ("for i in range(3):\n    s += math.gcd(i, 2, 3)\n", 6, "math.gcd(i, 2, 3)"),
        ("p = {}\nfor i in range(3):\n    s += p['dt']\n", 6, "['dt']"),
        ("for i in range(3):\n    s += len(u[::-1 - i])\n", 6, "step"),
    ],
)
def test_named(same, text, line, said):
    with contextlib.suppress(KeyError):
        same(HEAD + text)
    found = [str(r.refusal) for r in journal.records() if r.refusal is not None]
    assert any(said in one and f":{line}: " in one for one in found), found


def test_a_name_without_a_value(same):
    text = "t = 0\nfor i in range(9):\n    t += i * nothing_yet if i > 99 else 1\n"
    with contextlib.suppress(NameError):
        same(text)
    assert any("nothing_yet" in str(r.refusal) for r in journal.records())
