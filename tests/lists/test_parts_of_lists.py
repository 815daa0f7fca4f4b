"""Parts of lists of numbers: copies, which are gone through or have names."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
n = 8
x = [0.5 * k - 1.0 for k in range(n)]
a = [[float(i * j % 5) + 1.0 for j in range(n)] for i in range(n)]
y = [0.0] * n
t = 0.0
k = 3
u = np.arange(8.0)
pairs = [(n - 1 - k, k) for k in range(n)]
b = [[0.25 * j - i for j in range(n)] for i in range(n)]
"""

TAKEN = {
    "a sum": "y[i] = sum(v * v for v in x[:i]) + 1.0",
    "a sum of some row": "t -= sum(v for v in a[i][:i])",
    "taken from": "y[i] = a[i][i] - sum(v * v for v in a[i][:i])",
    "the rest": "y[i] = 0.5 * sum(v for v in a[i][i:])",
    "from the end": "y[i] = sum(v for v in x[-3:])",
    "each second": "y[i] = sum(v for v in x[i % 2::2])",
    "a loop": "for v in x[1:k]:\n        t += v",
    "the largest": "y[i] = max(v for v in x[:i + 1])",
    "all": "y[i] = 1.0 if all(v < 3.0 for v in a[i][:i]) else 2.0",
    "numbered": "for j, v in enumerate(a[i][2:]):\n        t += j * v",
    "rows": "for r in a[:2]:\n        t += r[0]",
    "pairs": "for p, q in pairs[1:]:\n        t += p * q\n        u[i] -= p",
    "pairs that are stored into another list": "for p, q in pairs[:i]:\n        y[q] += p + i",
    "rows from a place on": "for r in a[i:]:\n        t += r[i]\n        a[i][0] += 1.0",
    "rows in steps": "for r in a[i % 2::3]:\n        for v in r[:k]:\n            t += v",
    "rows that are changed": "for r in b[1:]:\n        r[i] += 1.0",
    "numbered rows": "for j, r in enumerate(b[2:], start=2):\n        u[i] += b[j][0] - r[i]",
    "another list is": "for v in x[:3]:\n        y[i] = y[i] + v",
    "neighbours": "for p, q in zip(x, x[1:]):\n        t += abs(q - p)",
    "three neighbours": "for p, q, r in zip(x, x[1:], x[2:]):\n        t += q if p < q > r else p",
    "neighbours, stored": "for j, (p, q) in enumerate(zip(x, x[1:])):\n        y[j] = q - p",
    "two lists of rows": "for r, (p, q) in zip(a[1:], pairs[1:]):\n        t += r[i] * p - q",
}

LEFT = {
    "neighbours that are stored into": (
        "for j, (p, q) in enumerate(zip(x, x[1:])):\n        x[j] = q - p"
    ),
    "a row of those": "for j, (p, q) in enumerate(zip(a[i], a[i][1:])):\n        a[0][j] = q - p",
    "cut off": "y[i] = sum(v for v in x[:i + 5])",
    "two at a time": "y[i] = sum(v * w for v, w in zip(x[1:], a[i][:5]))",
    "what is gone through is stored into": "for v in x[:3]:\n        x[0] = v * 2.0",
    "rows that are replaced": "for r in a[1:]:\n        a[2] = [1.0] * n\n        t += r[0]",
    "rows that change places": (
        "for r in a[1:]:\n        t += r[0]\n        a[0], a[k] = a[k], a[0]"
    ),
    "more rows": "for r in a[1:3]:\n        t += r[0]\n        a.append(r)",
    "fewer rows": "for r in a[:3]:\n        t += r[0]\n        del a[3:]",
    "rows with a name": "z = a[1:]\n    for r in z:\n        t += r[0]\n    a[1] = [1.0] * n",
    "rows beyond the end": "for p, q in pairs[i + 3:n + 5]:\n        t += p",
    "no rows": "for r in a[i:i]:\n        t += r[0]",
    "backwards": "t += sum(v for v in x[::-1])",
    "a sum that may be the int 0 lives on": "t = sum(v for v in x[:i])",
    "times NumPy's": "t = sum(v for v in u[:i]) * 1.0",
    "stored": "x[1:3] = x[2:4]",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    code = f"{HEAD}for i in range(n):\n    {TAKEN[title]}\n"
    assert same(code)[HEAD.count("\n") + 1] == "compiled"


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title: str) -> None:
    assert same(f"{HEAD}for i in range(n):\n    {LEFT[title]}\n")


def test_signs_of_empty_sums() -> None:
    code = "x[0] = -0.0\nfor i in range(n):\n    y[i] = -0.0 - sum(v * 0.0 for v in x[:i])\n"
    code += (
        "    y[i] = math.copysign(1.0, y[i]) + math.copysign(1.0, sum(v for v in x[:i]) + x[0])\n"
    )
    same(HEAD + code)


def test_no_list_of_its_own() -> None:
    code = "for i in range(n):\n    z = x[1:5]\n    z[0] = 7.0\n    t += z[0] + x[1] + z[i % 4]\n"
    same(HEAD + code)


@pytest.mark.parametrize(
    "form", ["sum(x[i:i + 3])", "max(x[i:i + 3])", "min(a[i][1:3])", "sum(x[i:i + k]) / k"]
)
def test_what_is_made_of_a_part_is_pythons(form: str) -> None:
    code = f"{HEAD}made = []\nfor i in range(5):\n    made.append({form})\n"
    assert same(code)[HEAD.count("\n") + 2] == "compiled"


def test_a_part_is_read_before_it_is_stored_into() -> None:
    code = f"{HEAD}for i in range(5):\n    x[i] = max(x[i:i + 3]) - min(x[i:i + 2])\n"
    assert same(code)[HEAD.count("\n") + 1] == "compiled"
