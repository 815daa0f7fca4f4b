"""Rows of a list of lists that change their places."""

from __future__ import annotations

import random

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import random
random.seed(5)
n = 7
a = [[random.uniform(-1.0, 1.0) for _ in range(n)] for _ in range(n)]
old = list(a)
items = [row + [] for row in a]
p = [3, 0, 6, 2, 2, 5, 1]
b = [0.0] * n
count = 0
"""
TAIL = """
places = [[row is other for other in old] for row in a]
kept = [[x is y for x, y in zip(row, before)] for row, before in zip(old, items)]
"""

TAKEN = {
    "one swap for each": "a[i], a[p[i]] = a[p[i]], a[i]",
    "by names": "q = p[i]\n    a[i], a[q] = a[q], a[i]\n    b[i] = a[q][2]",
    "where it pays": "if a[i][0] < a[p[i]][0]:\n        q = p[i]\n        a[i], a[q] = a[q], a[i]",
    "and stored into": "q = p[i]\n    a[i], a[q] = a[q], a[i]\n    a[q][i] *= 2.0",
    "with itself": "a[i], a[i] = a[i], a[i]\n    b[i] = a[i][0]",
    "from the end": "q = -1 - i\n    a[i], a[q] = a[q], a[i]\n    b[i] = a[q][0]",
    "gone through": "q = p[i]\n    a[i], a[q] = a[q], a[i]\n    for v in a[q]:\n        b[i] += v",
    "summed up": "q = p[i]\n    a[i], a[q] = a[q], a[i]\n    b[i] = sum(a[q]) + len(a[i])",
    "two at a time": "a[i], a[3] = a[3], a[i]\n    a[0], a[i] = a[i], a[0]\n    b[i] = a[0][i]",
}

LEFT = {
    "a row with a name": "r = a[0]\n    q = p[i]\n    a[0], a[q] = a[q], a[0]\n    b[i] = r[1]",
    "gone through meanwhile": "for v in a[i]:\n        a[i], a[2] = a[2], a[i]\n        b[i] += v",
    "rows from another list": "a[i], old[i] = old[i], a[i]",
    "turned round": "q = p[i]\n    a[i], a[q], a[0] = a[q], a[0], a[i]",
    "out of bounds": "q = i + 3\n    a[i], a[q] = a[q], a[i]\n    b[i] = a[q][0]",
}


def program(statement: str) -> str:
    loop = f"try:\n    for i in range(n):\n        {statement.replace(chr(10), chr(10) + '    ')}\n"
    return f"{HEAD}{loop}except Exception as error: count = repr(error)\n{TAIL}"


@pytest.mark.parametrize("title", TAKEN)
def test_swapped(title: str) -> None:
    text = program(TAKEN[title])
    found = same(text)
    if title != "one swap for each":
        assert found[HEAD.count("\n") + 2] == "compiled"


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title: str) -> None:
    assert same(program(LEFT[title]))[HEAD.count("\n") + 2] != "compiled"


def test_another_name() -> None:
    text = (
        "c = a\nfor i in range(n):\n    q = p[i]\n    a[i], a[q] = a[q], a[i]\n    b[i] = c[q][0]\n"
    )
    assert same(HEAD + text + TAIL)[HEAD.count("\n") + 2] != "compiled"


def test_the_same_row_twice() -> None:
    text = "for i in range(n):\n    q = p[i]\n    a[i], a[q] = a[q], a[i]\n    a[i][0] = 1.0\n"
    assert same(f"{HEAD}a[3] = a[1]\n{text}{TAIL}")[HEAD.count("\n") + 2] != "compiled"


PIVOT = """
order = list(range(n))
sign = 1.0
for k in range(n):
    pivot = {best}(range(k, n), key=lambda i: abs(a[i][k]))
    if a[pivot][k] == 0.0:
        raise ZeroDivisionError("matrix is singular")
    if pivot != k:
        a[k], a[pivot] = a[pivot], a[k]
        order[k], order[pivot] = order[pivot], order[k]
        sign = -sign
    for i in range(k + 1, n):
        a[i][k] /= a[k][k]
        factor = a[i][k]
        if factor == 0.0:
            continue
        for j in range(k + 1, n):
            a[i][j] -= factor * a[k][j]
"""


@pytest.mark.parametrize("best", ["max", "min"])
@pytest.mark.parametrize("change", ["", "a[2] = [0.0] * n", "a[4] = [2.0 * x for x in a[1]]"])
def test_elimination(best: str, change: str) -> None:
    head = f"{HEAD}{change}\n"
    code = f"{head}try:\n" + "".join(
        f"    {line}\n" for line in PIVOT.format(best=best).strip().split("\n")
    )
    code += f"except ZeroDivisionError as error: count = repr(error)\n{TAIL}"
    assert same(code)[head.count("\n") + 4] == "compiled"


KEYS = {
    "a lambda": "t += max(range(n), key=lambda k: a[i][k])",
    "the first of equals": "t += min(range(n), key=lambda k: abs(p[k] - 2))",
    "a function": "t += max(p, key=abs)",
    "of a comprehension": "t += max((x for x in a[i] if x > -2.0), key=lambda x: -x * x)",
    "of what is named": "t += min(a[i], key=lambda x: abs(x - 0.25))",
    "of several values": "t += max((x * y for x, y in zip(a[i], b)), key=lambda v: v)",
}


@pytest.mark.parametrize("title", KEYS)
def test_best_by_a_key(title: str) -> None:
    code = f"{HEAD}t = 0.0\nfor i in range(n):\n    {KEYS[title]}\n"
    assert same(code)[HEAD.count("\n") + 2] == "compiled"


@pytest.mark.parametrize("text", ["max([], key=abs)", "max(p[i:i], key=abs)", "max(p, key=None)"])
def test_no_best(text: str) -> None:
    same(f"{HEAD}t = 0\nfor i in range(n):\n    t += {text}\n")


@pytest.mark.parametrize("seed", range(6))
def test_random_swaps(seed: int) -> None:
    chosen = random.Random(seed)
    lines = []
    for _ in range(3):
        one, two = (chosen.choice(["i", "0", "q", "n - 1 - i", "-1", "r"]) for _ in range(2))
        kind = chosen.randrange(3)
        if kind == 0:
            lines.append(f"a[{one}], a[{two}] = a[{two}], a[{one}]")
        elif kind == 1:
            lines.append(f"a[{one}][{two}] = a[{two}][i] + 0.5")
        else:
            lines.append(f"b[i] += a[{one}][q]")
    body = "".join(f"    {line}\n" for line in lines)
    same(f"{HEAD}for i in range(n):\n    q = p[i]\n    r = (i * 3) % n\n{body}{TAIL}")
