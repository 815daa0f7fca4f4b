"""Lists whose elements are ints and floats, as distances are that are infinite at first."""

from __future__ import annotations

import random
import textwrap

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
inf = float("inf")
n = 40
w = [(i * 17) % n for i in range(n)]
f = [((i * 29) % 23 - 11) / 4 for i in range(n)]
edges = [(i, (i * 7 + 3) % n, i % 5 + 1) for i in range(n)] * 3
"""

TAKEN = {
    "shortest paths, edge by edge": """
def run(s):
    dist = [inf] * n
    dist[s] = 0
    for _ in range(n - 1):
        for u, v, c in edges:
            if dist[u] + c < dist[v]:
                dist[v] = dist[u] + c
    return dist
found = [run(3), run(5)]
""",
    "between all": """
d = [[inf] * n for _ in range(n)]
for i in range(n):
    d[i][i] = 0
for u, v, c in edges:
    d[u][v] = min(d[u][v], c)
for k in range(n):
    for i in range(n):
        for j in range(n):
            if d[i][k] + d[k][j] < d[i][j]:
                d[i][j] = d[i][k] + d[k][j]
""",
    "made by the loop": """
total = 0
for s in range(n):
    best = [0] + [inf] * n
    for a in range(1, n + 1):
        for c in (3, 7, 11 + s % 2):
            if c <= a and best[a - c] + 1 < best[a]:
                best[a] = best[a - c] + 1
    if best[n] < inf:
        total += best[n]
last = best
""",
    "tables that it makes": """
total = 0.0
for s in range(5):
    d = [[inf] * n for _ in range(3)]
    d[0][s] = 0
    for r in (1, 2):
        for u, v, c in edges:
            if d[r - 1][u] + c < d[r][v]:
                d[r][v] = d[r - 1][u] + c
    for v in d[2]:
        if v != inf:
            total += v
""",
    "floats for ints": """
ints = [i % 7 for i in range(n)]
for t in range(3):
    for i in range(n):
        if ints[i] < 4:
            ints[i] = ints[i] + f[i] * (t > 0)
        else:
            ints[i] = 1
""",
    "read alone": """
some = [1, 2.5, 3, inf, -0.0, 0]
t = 0.0
for k in range(3):
    for v in some:
        if v < 3:
            t += v
        last = v
""",
    "in a dictionary": """
d = {k: inf for k in range(n)}
for u, v, c in edges:
    d[v] = min(d[v], c + u)
""",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    found = both(HEAD + TAKEN[name]).loops_after(HEAD)
    assert "compiled" in found.values(), found


LEFT = {
    "an int that a float would round": "d = [inf, 2**53 + 1] * 3\nfor i in range(6):\n    d[i] = 0",
    "a product of ints": "d = [inf, 3] * 3\nfor i in range(6):\n    d[i] = d[i] * d[i - 1]",
    "a bool among them": "d = [inf, 3, True] * 3\nfor i in range(6):\n    d[i] = 0",
    "another zero": "d = [inf, 0] * 3\nfor i in range(6):\n    d[i] = -d[i]",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_to_python(name: str) -> None:
    found = both(HEAD + LEFT[name]).loops_after(HEAD)
    assert "compiled" not in found.values(), found


def test_what_grows_beyond_what_floats_hold() -> None:
    """Sums that a float would round are given up in the middle; the lists are what Python says."""
    found = both(HEAD + "d = [inf, 2**52] * 3\nfor i in range(200):\n    d[1] = d[1] + 2**50 + 1\n")
    assert set(found.loops_after(HEAD).values()) == {"failed-inside"}


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    draw = random.Random(seed)
    names = ["d[i]", "d[w[i]]", "e[i]", "x", "d[i - 1]"]
    plain = ["0", "1", "2.5", "-0.0", "inf", "w[i]", "i", "f[i]", "-1", "9007199254740991"]

    def value(depth: int) -> str:
        if depth <= 0 or draw.random() < 0.3:
            return draw.choice(names + plain)
        one, other = value(depth - 1), value(depth - 1)
        return draw.choice(
            [
                f"({one} + {other})", f"({one} - {other})", f"min({one}, {other})",
                f"max({one}, {other})", f"float({one})", f"({one} * {draw.choice(['0.5', '2'])})",
                f"({one} if {other} > {value(0)} else {value(0)})",
            ]
        )  # fmt: skip

    body = []
    for _ in range(draw.randrange(1, 5)):
        target = draw.choice(["d[i]", "e[i]", "d[w[i]]", "x"])
        store = f"{target} {draw.choice(['=', '=', '+='])} {value(2)}"
        test = f"if {value(1)} {draw.choice(['<', '<=', '==', '!='])} {value(1)}:\n    "
        body.append(draw.choice(["", test]) + store)
    begins = ["[inf] * n", "[0] * n", "[0.0] * n", "[0] + [inf] * (n - 1)", "[inf, 3, 2.5, 0] * 10"]
    text = "\n".join(f"{name} = {draw.choice(begins)}" for name in "de")
    text += f"\nd[3] = {draw.choice(['0', '1.5'])}\nx = {draw.choice(['0', '0.0', 'inf'])}\n"
    text += "for i in range(1, n):\n" + textwrap.indent("\n".join(body), "    ")
    if draw.random() < 0.5:
        text = "kept = []\nfor q in range(4):\n" + textwrap.indent(text, "    ")
        text += "\n    kept.append(x)"
    both(HEAD + text)
