"""Lists of characters, and tables of them, that a nest asks: mazes, states, alignments."""

from __future__ import annotations

from textwrap import indent

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TABLES = {
    "lists of characters": "[list('..#.#..#'), list('#.#..#..'), list('..x..é..')]",
    "texts": "['..#.#..#', '#.#..#..', '..x..é..']",
    "a tuple of texts": "('..#.#..#', '#.#..#..', '..x..é..')",
    "tuples of characters": "[tuple('..#.#..#'), tuple('#.#..#..'), tuple('..x..é..')]",
}
STEPS = {
    "an element": """
for i in range(3):
    for j in range(8):
        if g[i][j] == "#":
            n += i * 8 + j
""",
    "from the end": "for i in range(3):\n    n += g[i - 1][-1 - i] == '.'",
    "neighbours": """
for i in range(len(g)):
    for j in range(len(g[0])):
        for d in (-1, 0, 1):
            if 0 <= i + d < len(g) and 0 <= j - d < len(g[-1]) and g[i + d][j - d] != ".":
                n += 1
""",
    "rows": """
for row in g:
    for c in row:
        if c == "#":
            n += 1
    if row[-1] == "#":
        n += len(row)
""",
    "numbered": """
for i, row in enumerate(g):
    for j, c in enumerate(row):
        if c in "#x":
            n += i * j
        elif c > "a":
            n -= 100
""",
    "one row": "for c in g[1]:\n    n += c == '#'",
    "beside a text": "for i in range(3):\n    for j in range(8):\n        n += g[i][j] == s[i]",
    "a search": """
seen = {(0, 0)}
stack = [(0, 0)]
while stack:
    i, j = stack.pop()
    n += 1
    for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
        if 0 <= a < 3 and 0 <= b < 8 and g[a][b] != "#" and (a, b) not in seen:
            seen.add((a, b))
            stack.append((a, b))
""",
}
LEFT = [
    "for i in range(3):\n    n += g[i] == '..#.#..#'",
    "for i in range(3):\n    r = g[i]\n    n += r[0] == '#'",
    "for i in range(3):\n    n += '#' in g[i]",
    "for i in range(3):\n    n += g[i].count('#')",
    "for i in range(3):\n    n += len(g[i] + g[i])",
    "for i in range(3):\n    n += g[i, 0] == '#'",
    "for i in range(9):\n    n += g[i][0] == '#'",
    "for i in range(3):\n    n += g[i][i + 7] == '#'",
    "for i in range(3):\n    n += g[i][1:][0] == '#'",
    "for i in range(3):\n    for c in g[i][::-1]:\n        n = n * 3 % 1009 + (c == '#')",
    "for i in range(3):\n    n += (g + g)[i][0] == '#'",
    "for i in range(3):\n    g[i][0] = 'y'",
    "h = g\nfor i in range(3):\n    h[i][1] = 'y'\n    n += g[i][1] == 'y'",
    "for i in range(3):\n    n += g[i][0] == ''",
    "for i in range(3):\n    n += g[i][0] == '##'",
    "for i in range(3):\n    n += g[i][0] == 35",
    "for i in range(3):\n    n += g[i][0] is None",
    "for i in range(3):\n    n += bool(g[i][0])",
    "for i in range(3):\n    n += len(g[7 - i])",
    "out = []\nfor i in range(3):\n    out.append(g[i][0])\nn = out",
    "for row in g:\n    for c in row:\n        n += c == '#'\n    row = 'zz'\nn = n, row",
    "for row in g:\n    pass\nn = row[0]",
    "d = {}\nfor row in g:\n    for c in row:\n        d[c] = d.get(c, 0) + 1\nn = d",
    "d = {}\nfor i in range(3):\n    for c in g[i]:\n        d[g[i][1]] = c == '#'\nn = d",
    "for c in g[5]:\n    n += c == '#'",
    "for c in g[-4]:\n    n += c == '#'",
    "for i in range(3):\n    n += len(g[2]) + len(g[i])",
    "for i in range(3):\n    n += len(g[3])",
]


STORED = {
    "a mark": """
for i in range(3):
    for j in range(8):
        if g[i][j] == ".":
            g[i][j] = "O"
""",
    "one of two": """
for i in range(3):
    for j in range(8):
        g[i][j] = "#" if g[i][j] != "#" or j == 3 else "."
        n += g[i - 1][j] == "#"
""",
    "copied": """
for i in range(1, 3):
    for j in range(8):
        g[i][j] = g[i - 1][7 - j]
""",
    "exchanged": """
for i in range(3):
    for j in range(4):
        g[i][j], g[i][7 - j] = g[i][7 - j], g[i][j]
""",
    "a name": """
for i in range(3):
    c = "z"
    if g[i][2] == "#":
        c = g[i][3]
    g[i][0] = c
n = c
""",
    "a flood": """
stack = [(0, 0)]
g[0][0] = "w"
while stack:
    i, j = stack.pop()
    n += 1
    for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
        if 0 <= a < 3 and 0 <= b < 8 and g[a][b] == ".":
            g[a][b] = "w"
            stack.append((a, b))
""",
    "left in the middle": """
for i in range(3):
    for j in range(8):
        if g[i][j] == "é":
            return g
        g[i][j] = "q"
""",
}
REFUSED = [
    "for i in range(3):\n    g[i][0] = '##'",
    "for i in range(3):\n    g[i][0] = ''",
    "for i in range(3):\n    g[i][0] = 5",
    "for i in range(3):\n    g[i][0] = None",
    "for i in range(3):\n    g[i][0] = chr(65 + i)",
    "for i in range(3):\n    g[i][0] = g[i][1] + g[i][2]",
    "for i in range(3):\n    g[i][0] += 'x'",
    "for i in range(3):\n    g[i][0] *= 2",
    "for i in range(9):\n    g[i][0] = 'x'",
    "for i in range(9):\n    g[0][i] = 'x'",
    "for i in range(3):\n    g[i] = 'x'",
    "for i in range(3):\n    g[i, 0] = 'x'",
    "for i in range(3):\n    g[i][0] = s",
    "for i in range(3):\n    g[i][0] = s[i]",
    "for i in range(3):\n    g[i][0] = 'x' if i else 3",
    "for i in range(3):\n    g[i][0] = 'x' if i else '##'",
    "for i in range(3):\n    g[i].append('x')",
    "for i in range(3):\n    g[i][1:3] = 'xy'",
    "h = g[1]\nfor i in range(3):\n    h[i] = 'x'\n    n += g[1][i] == 'x'",
    "g[1] = g[0]\nfor i in range(3):\n    g[i][i] = 'x'\n    n += g[1 - i % 2][i] == 'x'",
    "g[2][7] = 7\nfor i in range(3):\n    for j in range(8):\n        g[i][j] = 'x'",
    "g[2][7] = 'xy'\nfor i in range(3):\n    for j in range(7):\n        g[i][j] = 'x'",
    "g[2] = 'abcdefgh'\nfor i in range(3):\n    for j in range(8):\n        g[i][j] = 'x'",
    "d = {'x': 1}\nfor i in range(3):\n    g[i][0] = 'x'\n    n += d.get(g[i][0], 0)",
    "r = ['a']\nfor i in range(3):\n    r.append('b')\n    r.append(g[i][0])\nn = r",
    "r = []\nfor i in range(3):\n    r.append('b')\nn = r",
    "for i in range(3):\n    n = 'x'\n    n = n + 'y'",
    "for i in range(3):\n    n = 'x'",
    "for i in range(3):\n    n = 'x' if i else i",
    "for i in range(3):\n    print('x')\n    n += i",
    "for i in range(3):\n    n += len('x')",
    "for i in range(3):\n    n += ord('x')",
    "for i in range(3):\n    n += int('7')",
    "for i in range(3):\n    n += float('7') + max('7', '8').count('8')",
    "u = {}\nfor i in range(3):\n    u['x'] = i\nn = u",
    "u = {'x': 0}\nfor i in range(3):\n    u['x'] += i\nn = u",
]


def program(step: str, table: str) -> str:
    body = indent(f"n = 0\n{step}", "    ")
    return f"""
def f(g, s):
{body}
    return n
g = {table}
try:
    out = repr(f(g, "#.x"))
except Exception as error:
    out = type(error).__name__, str(error)
"""


@pytest.mark.parametrize("title", STEPS)
@pytest.mark.parametrize("table", TABLES)
def test_taken(title: str, table: str) -> None:
    found = both(program(STEPS[title], TABLES[table]))
    assert "compiled" in (*found.loops.values(), *found.runs.values()), found


@pytest.mark.parametrize("step", LEFT)
@pytest.mark.parametrize("table", TABLES)
def test_whatever_else_is_done(step: str, table: str) -> None:
    both(program(step, TABLES[table]))
    both(
        f"g = {TABLES[table]}\ns = '#.x'\nn = 0\ntry:\n{indent(step, '    ')}\n"
        "except Exception as error:\n    n = type(error).__name__, str(error)\n"
    )


@pytest.mark.parametrize(
    "table",
    [
        "[['#'] * 8] * 3",
        "[['##'] * 8] * 3",
        "['#' * 8, '#' * 9, '#' * 8]",
        "['#' * 8, list('#' * 8), '#' * 8]",
        "[list('#' * 8), tuple('#' * 8), list('#' * 8)]",
        "[[1] * 8, ['#'] * 8, ['#'] * 8]",
        "[['#'] * 8, [1] * 8, ['#'] * 8]",
        "['\\U0001F600#######', '\\ud800#######', '\\x00#######']",
        "[['#', '', '#', '#', '#', '#', '#', '#']] * 3",
        "['', '', '']",
        "[]",
        "[[]]",
        "['#'] * 3",
        "'#######'",
        "{0: '#' * 8, 1: '#' * 8, 2: 'x' * 8}",
        "[None, '#' * 8, '#' * 8]",
    ],
)
def test_whatever_the_table_is(table: str) -> None:
    for step in STEPS.values():
        both(program(step, table))


def test_a_list_that_changes_between_calls() -> None:
    text = """
def f(g):
    n = 0
    for i in range(50):
        if g[i] == "I":
            n += 1
    return n
g = ["S"] * 50
out = []
for k in range(40):
    g[k] = "I" if k % 3 else "R"
    if k == 30:
        g[0] = "IR"
    if k == 35:
        g[0] = 5
    out.append(f(g))
"""
    assert "compiled" in both(text).loops.values()


@pytest.mark.parametrize("title", STORED)
def test_stored(title: str) -> None:
    for table in (
        TABLES["lists of characters"],
        "tuple(map(list, ['..#.#..#', '#.#..#..', '........']))",
    ):
        found = both(program(STORED[title], table) + "shown = repr(g)\n")
        assert "compiled" in (*found.loops.values(), *found.runs.values()), found


@pytest.mark.parametrize("step", [*REFUSED, *STORED.values()])
@pytest.mark.parametrize("table", TABLES)
def test_whatever_is_stored(step: str, table: str) -> None:
    both(program(step, TABLES[table]) + "shown = repr(g)\n")
    if "return" not in step:
        both(
            f"g = {TABLES[table]}\ns = '#.x'\nn = 0\ntry:\n{indent(step, '    ')}\n"
            "except Exception as error:\n    n = type(error).__name__, str(error)\n"
        )


@pytest.mark.parametrize(
    "step",
    [
        "n += g[i][0] == c",
        "n += g[i][0] in (c, '.')",
        "n += c == g[i][1] or c != '#'",
        "n += g[i][0] < c",
        "g[i][0] = c",
        "d = c\n    n += g[i][0] == d",
        "n += g[i][0] == '#'\n    m = c * 2",
        "n += g[i][0] == '#'\n    n += len(c)",
        "n += g[i][0] == '#'\n    n += c in 'abc'",
        "n += g[i][0] == '#'\n    n += ord(c)",
        "n += g[i][0] == '#'\n    n += c",
        "n += g[i][0] == '#'\n    n += bool(c)",
        "n += g[i][0] == '#'\n    n += 1 if c else 2",
        "n += g[i][0] == '#'\n    n += c is None",
        "n += g[i][0] == '#'\n    n += c == 35",
        "if g[i][0] == c:\n        c = g[i][1]\n    n += c == '#'",
        "n += g[i][0] == '#'\n    m = c",
        "n += g[i][0] == '#'\n    m = [c]",
    ],
)
@pytest.mark.parametrize("c", ["'#'", "'.'", "'##'", "''", "35", "None", "b'#'", "'\\ud800'"])
def test_a_character_that_is_handed_over(step: str, c: str) -> None:
    text = f"""
def f(g, c):
    n, m = 0, None
    for i in range(3):
        {step.replace(chr(10), chr(10) + "    ")}
    return n, m, c
g = {TABLES["lists of characters"]}
try:
    out = ascii(f(g, {c}))
except Exception as error:
    out = type(error).__name__, str(error)
shown = ascii(g)
"""
    found = both(text)
    if step == "n += g[i][0] == c" and c in ("'#'", "'.'"):
        assert "compiled" in found.loops.values()


def test_states_of_a_population() -> None:
    text = """
import random
random.seed(3)
state = ["S"] * 80
state[7] = "I"
counts = []
def step(state, p):
    new = state[:]
    for k in range(len(state)):
        if state[k] == "S":
            if state[k - 1] == "I" or state[(k + 1) % len(state)] == "I":
                if random.random() < p:
                    new[k] = "I"
        elif state[k] == "I":
            if random.random() < 0.2:
                new[k] = "R"
    return new
for t in range(30):
    state = step(state, 0.5)
    counts.append((state.count("S"), state.count("I"), state.count("R")))
"""
    assert "compiled" in both(text).loops.values()
