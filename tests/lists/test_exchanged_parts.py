"""Parts of lists that are assigned as many items as they have: turned round, shifted, copied."""

from __future__ import annotations

import random

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 12
x = [(7 * k) % 12 for k in range(n)]
f = [0.5 * k for k in range(n)]
g = f
rows = [[i * n + j for j in range(n)] for i in range(n)]
u = np.arange(12)
fixed = tuple(x)
t = 0
def minus(items):
    return [-v for v in items]
"""
TAKEN = {
    "turned round": "x[2:i + 1] = x[2:i + 1][::-1]",
    "turned by a function": "x[i:n] = reversed(x[i:n])",
    "by a method": "x.reverse()\n    t = t * 3 % 1009 + x[i]",
    "from the end": "x[-5:-1] = x[-5:-1][::-1]",
    "all": "x[:] = x[::-1]\n    t = t * 3 % 1009 + x[i]",
    "shifted": "x[1:] = x[:-1]\n    t = t * 3 % 1009 + x[i]",
    "shifted down": "f[:-1] = f[1:]",
    "of another": "x[3:6] = rows[i][3:6]",
    "in a row": "rows[i][1:i] = rows[i][1:i][::-1]",
    "in a row by a function": "rows[i][:4] = reversed(rows[i][:4])",
    "each second": "x[::2] = x[1::2]\n    x[i] += 1",
    "beyond the end": "x[i:i + 5] = x[i:i + 5][::-1]",
    "none": "x[i:i] = x[i:i][::-1]\n    x[i] += 1",
    "nothing but none": "x[5:2] = x[5:2]\n    x[i] += 1",
    "copied back": "z = x[i] + 1\n    x[4:8] = x[0:4]\n    x[i] = z",
}
LEFT = {
    "longer": "x[1:3] = x[2:6]",
    "shorter": "x[1:4] = x[2:3]",
    "one": "x[1:4] = x[i:i + 1]",
    "numbers of NumPy's": "x[1:3] = u[1:3]",
    "a list that is made": "x[1:3] = [t, i]",
    "a number": "x[1:3] = 5",
    "floats among ints": "x[1:3] = f[1:3]",
    "ints among floats": "f[1:3] = x[1:3]",
    "added": "x[1:3] += x[2:4]",
    "of a tuple": "fixed[1:3] = fixed[1:3][::-1]",
    "to a tuple's": "x[1:3] = fixed[1:3][::-1]",
    "an array is not turned by a method": "u.reverse()",
    "nor by a function": "u[1:3] = reversed(u[1:3])",
    "a row of rows": "rows[1:3] = rows[1:3][::-1]",
    "rows": "rows.reverse()",
    "steps that do not fit": "x[::2] = x[::3]",
    "as long as another is": "x[:i] = x[n - i - 1:]",
    "turned while gone through": "for v in x:\n        t = t * 3 % 1009 + v\n        x.reverse()",
    "what is not turned": "x[1:4] = reversed(x[1:4])\n    reversed = list",
    "another function": "x[1:4] = minus(x[1:4])",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    found = both(f"{HEAD}for i in range(n):\n    {TAKEN[title]}\n")
    assert found.loops[HEAD.count("\n") + 1] == "compiled"
    assert not found.error


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title: str) -> None:
    both(f"{HEAD}for i in range(n):\n    {LEFT[title]}\n")


def test_a_function_that_only_has_that_name() -> None:
    code = f"{HEAD}def reversed(items):\n    return [v + 1 for v in items]\n"
    both(f"{code}for i in range(n):\n    x[i:] = reversed(x[i:])\n")


def test_a_tour_that_crosses_itself() -> None:
    found = both(
        """
import random
random.seed(3)
n = 30
points = [(random.random(), random.random()) for _ in range(n)]
d = [[((a - p) ** 2 + (b - q) ** 2) ** 0.5 for p, q in points] for a, b in points]
tour = list(range(n))
for again in range(4):
    for i in range(1, n - 1):
        for j in range(i + 1, n):
            a, b, c, e = tour[i - 1], tour[i], tour[j], tour[(j + 1) % n]
            if d[a][c] + d[b][e] < d[a][b] + d[c][e] - 1e-12:
                tour[i:j + 1] = reversed(tour[i:j + 1])
"""
    )
    assert found.loops[8] == "compiled"


@pytest.mark.parametrize("seed", range(40))
def test_parts_at_random(seed: int) -> None:
    drawn = random.Random(seed)

    def end() -> str:
        return drawn.choice(
            ["", "i", "-i", "i + 2", "n - i", "n + 3", "-3", "j", "i + j", "-n - 1"]
        )

    def piece() -> str:
        step = drawn.choice(["", "", "", ":2", ":-1"])
        return f"[{end()}:{end()}{step}]"

    lines = []
    for _ in range(3):
        name, place = drawn.choice(["x", "rows[i]", "x"]), piece()
        other = place if drawn.random() < 0.7 else piece()
        value = drawn.choice(
            [f"{name}{other}[::-1]", f"reversed({name}{other})", f"{name}{other}", f"x{other}"]
        )
        lines.append(f"{name}{place} = {value}")
    body = "\n        ".join(
        [*lines, "assert len(x) + len(rows[i]) < 99", "t = t * 5 % 1009 + x[(i + j) % len(x)]"]
    )
    both(f"{HEAD}for i in range(n):\n    for j in range(3):\n        {body}\n")
