"""Questions with one answer for a call, and what is looked for in a few items."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import enum, math
import numpy as np
rng = np.random.default_rng(7)
n = 40
u, v = rng.random(n), rng.random(n) - 0.5
I = rng.integers(0, 9, n)
i8 = np.arange(n, dtype=np.int8)
f = rng.random(n).astype(np.float32)
class Mode(enum.Enum):
    OPEN = 1
    CLOSED = 2
class Flag(enum.Enum):
    ON = 1
    ALIAS = 1
"""

TAKEN = {
    "a name that changes": """
best = None
for i in range(n):
    if best is None or u[i] < best:
        best = u[i]
""",
    "text that is handed over": """
def step(mode):
    for i in range(n):
        if mode == "periodic":
            v[i] = u[(i + 1) % n]
        elif mode == "reflect":
            v[i] = u[min(i + 1, n - 1)]
        else:
            v[i] = 0.0
        if mode != "x":
            v[i] += 1.0
step("periodic")
step("reflect")
step("x")
step(None)
step(3)
""",
    "an array that may be none": """
def step(source=None, scale=None):
    for i in range(n):
        v[i] = u[i] if scale is None else u[i] * scale
        if source is not None and source[i] > 0.2:
            v[i] += source[i]
        if source is None or scale == None:
            v[i] -= 0.125
step()
step(f)
step(u, 2)
step(u[::-1], 0.5)
step(scale=np.float32(0.5))
""",
    "functions that are told how": """
def weight(x, kind="flat", center=None):
    if kind in ("flat", "box"):
        return 1.0
    if center is None:
        return x if kind == "line" else x * x
    return x - center
for i in range(n):
    v[i] = weight(u[i]) + weight(u[i], "line") + weight(u[i], kind="square")
    u[i] = weight(u[i], "line", None) + weight(u[i], "line", 0.5) + weight(u[i], "box", center=2)
""",
    "members of an enumeration": """
mode, flag = Mode.CLOSED, Flag.ALIAS
for i in range(n):
    if mode == Mode.OPEN:
        v[i] = math.sqrt(-1.0)
    elif mode is Mode.CLOSED and mode != Mode.OPEN and flag == Flag.ON:
        v[i] = u[i] * 3
    if mode == 2 or mode is None or flag == mode:
        v[i] = 0.0
def again(mode):
    for i in range(n):
        v[i] += 1.0 if mode == Mode.OPEN else 2.0
again(Mode.OPEN), again(Mode.CLOSED), again(Flag.ON)
again(None), again("OPEN"), again(1), again(1.5)
""",
    "what is only assigned otherwise": """
t = 5
def step(mode):
    s, r = 0, 1
    for i in range(n):
        if mode == "sum":
            s += I[i]
            last = i
        elif mode is not None:
            r = i
            extra = v[i]
    return s, r
q = step("sum"), step("x"), step(None)
mode = "open"
for i in range(n):
    if mode == "closed":
        t = u[i]
        only = 3
    v[i] = t
""",
    "loops that are left out": """
def step(limit, count=None):
    k = 0
    for i in range(n):
        while limit is not None and k < limit:
            k += 1
            v[i] += k
        for j in range(3 if count is None else count):
            v[i] += j
        if limit is None:
            continue
        u[i] += 1.0
    return k
q = step(None), step(7), step(3, 2)
""",
    "a few integers": """
c = d = e = 0
for i in range(n):
    c += I[i] in (1, 2, 5)
    if I[i] not in (0, 3) and i not in [0, n - 1]:
        d += 1
    if i8[i] in (3, 300) or u[i] in (0.5, 1) or f[i] in (0.1, 2):
        d += 10
    inside = i in range(5, n - 5)
    outside = I[i] not in range(4)
    e += inside + outside
    one = i in (7,)
""",
    "a few integers that have names": """
EMPTY, TREE, FIRE = 0, 1, 2
g = I % 3
for i in range(1, n):
    if g[i] in (TREE, FIRE):
        g[i] = FIRE if g[i - 1] in (FIRE, EMPTY - 1) else TREE
    k = i % 5 in (1, n)
""",
}

INTERPRETED = {
    "what may run code": """
class Odd:
    def __eq__(self, other):
        print("asked")
        return True
odd = Odd()
for i in range(3):
    if odd == "x":
        v[i] = 1.0
""",
    "an array that is compared with text": """
for i in range(3):
    if (u == "x") is False:
        v[i] = 1.0
""",
    "floats that have names": """
nan = float("nan")
x = np.array([nan, 1.0])
c = 0
for i in range(2):
    c += nan in (nan, 1.0)
    c += x[i] in (nan, 2.0)
""",
    "what is looked for and may raise": """
c = 0
for i in range(n):
    c += i in (0, I[i + 1])
""",
    "a word that is stored": """
for i in range(3):
    k = "x" if i else None
    v[i] = 1.0
""",
    "numbers of another type": """
c = 0
for i in range(n):
    c += u[i] in range(3)
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, same):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) <= {"compiled", "not asked"}, loops
    assert "compiled" in loops.values()


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title, same):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops


def test_a_replaced_range_is_noticed(same):
    text = "range = lambda *ends: (1, 2)\nc = 0\nfor i in (0, 1, 2):\n    c += i in range(9)\n"
    assert "compiled" not in same(text).values()


def test_the_remark_names_line_and_word(same):
    from autopar import journal

    same(HEAD + "for i in range(3):\n    v[i] = 1.0\n    k = max('a', 'b')\n")
    (refusal,) = [r.refusal for r in journal.records() if r.refusal is not None]
    assert "'a'" in str(refusal)
    assert refusal.span.line == HEAD.count("\n") + 3
