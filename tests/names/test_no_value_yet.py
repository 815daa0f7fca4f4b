"""Names that have no value when a loop begins, and may be read before they get one."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n, m = 12, 9
rng = np.random.default_rng(3)
u, v = rng.random((n, m)), np.zeros(n)
rows = [[float((i * 7 + j * 5) % 13) for j in range(m)] for i in range(n)]
"""

TAKEN = {
    "the best of each": """
def run(u, v, n, m):
    for t in range(n):
        best = 1e300
        for i in range(n):
            for j in range(m):
                d = (u[i, j] - 0.1 * t) ** 2
                if d < best:
                    best, bi, bj = d, i, j
        v[bi] += u[bi, bj]
    return bi, bj, best
k = run(u, v, n, m)
""",
    "in lists": """
def run(rows, n, m):
    s = 0.0
    for t in range(n):
        for j in range(m):
            if rows[t][j] > 5.0:
                last = rows[t][j]
                where = j
        s += last * where
        rows[t][where] = -last
    return s, last, where
k = run(rows, n, m)
""",
    "since something has happened": """
def run(n, first):
    s = 0
    for i in range(n):
        if i == first:
            since = i
        if i > first:
            s += i - since
    return s, since
k = run(n, 3), run(n, 0)
""",
    "that stays without": """
def run(n, first):
    s = 0
    for i in range(n):
        if i > first:
            s += since
        if i > first - 3:
            since = 2 * i
        s += i
    return s
k = run(n, 20), run(n, 5)
""",
    "of two types": """
def run(v, n):
    for i in range(n):
        if i % 4 == 2:
            k, x = i, 0.5 * i
        if i > 5:
            v[i] = x + k
    return k, x
k = run(v, n)
""",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    loops = same(HEAD + TAKEN[name])
    first = next(k for k, line in enumerate(TAKEN[name].split("\n")) if "for " in line)
    assert loops[HEAD.count("\n") + 1 + first] == "compiled", loops


@pytest.mark.parametrize("name", TAKEN)
def test_at_the_top(name: str) -> None:
    """Where names are those of a module."""
    body = TAKEN[name].split("\n")[2:]
    body = [line[4:] for line in body if line.startswith("    ") and "return" not in line]
    same(HEAD + "first = 3\n" + "\n".join(body) + "\n")


OTHERS = {
    "not in time": """
def run(n, first):
    s = 0
    for i in range(n):
        if i > first:
            s += since
        if i == first + 3:
            since = i
    return s
try:
    run(n, 3)
except NameError as error:
    k = repr(error)
""",
    "never": """
def run(v, n):
    for i in range(n):
        v[i] = i
        if i > 50:
            k = i
        if i == n - 1:
            v[0] = k
try:
    run(v, n)
except NameError as error:
    k = repr(error)
""",
    "of a module, never": """
for i in range(n):
    v[i] = i
    if i > 50:
        late = i
try:
    late
except NameError as error:
    k = repr(error)
""",
    "None later": """
def run(n):
    s = 0
    for i in range(n):
        if i == 2:
            x = None
        if i == 4:
            x = 5
        if i > 4:
            s += x
        if i == 3:
            s += x is None
    return s
k = run(n)
""",
    "asked": """
def run(n):
    s = 0
    for i in range(n):
        if i >= 2:
            s += x is None
        if i == 1:
            x = 5
    return s
k = run(n)
""",
    "asked too soon": """
def run(n):
    s = 0
    for i in range(n):
        s += x is None
        if i == 1:
            x = 5
    return s
try:
    run(n)
except NameError as error:
    k = repr(error)
""",
    "handed on": """
def run(n):
    s = 0
    for i in range(n):
        if i == 1:
            x = 5
        if i >= 1:
            y = x
            s += y
    return s, y
k = run(n)
""",
    "handed on too soon": """
def run(n):
    for i in range(n):
        if i == 3:
            x = 5
        y = x
try:
    run(n)
except NameError as error:
    k = repr(error)
""",
    "a text later": """
def run(n):
    for i in range(n):
        if i == 3:
            x = "a"
    return x
k = run(n)
""",
    "an array later": """
def run(u, v, n):
    for i in range(n):
        if i >= 1:
            v[i] = row[0]
        row = u[i]
    return row
k = run(u, v, n)
""",
    "a list later": """
def run(rows, v, n):
    for i in range(n):
        if i >= 1:
            v[i] = row[0]
        row = rows[i]
    return row is rows[-1]
k = run(rows, v, n)
""",
    "with a value in the second call": """
def run(v, n, begin):
    if begin:
        x = 7.5
    for i in range(n):
        if i == 4:
            x = 0.25
        if begin or i > 4:
            v[i] += x
    return x
k = [run(v, n, b) for b in (False, True, False)]
""",
    "the variable of a loop": """
def run(n, m):
    s = 0
    for i in range(n):
        for j in range(m if i > 1 else 0):
            s += j
        if i > 1:
            s += j
    return s, j
k = run(n, m)
""",
    "the variable of a loop that is not gone through": """
def run(n, m):
    s = 0
    for i in range(n):
        for j in range(m if i > 1 else 0):
            s += j
        s += j
    return s, j
try:
    run(n, m)
except NameError as error:
    k = repr(error)
""",
    "deleted before": """
def run(v, n):
    x = 1.0
    del x
    for i in range(n):
        if i == 2:
            x = 3.0
        if i > 2:
            v[i] = x
    return x
k = run(v, n)
""",
    "of a function around": """
def run(v, n):
    def inner():
        nonlocal x
        for i in range(n):
            if i == 2:
                x = 3.0
            if i > 2:
                v[i] = x
    if n < 0:
        x = 1.0
    inner()
    return x
k = run(v, n)
""",
    "a generator's": """
def run(n):
    for i in range(n):
        if i == 2:
            x = 3.0
        if i > 2:
            yield x + i
k = list(run(n))
""",
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_same_in_any_case(name: str) -> None:
    same(HEAD + OTHERS[name])


@pytest.mark.parametrize(
    "read",
    [
        "y = x",
        "x",
        "(x, 1)[1]",
        "y, z = x, 1",
        "y, z = 1, x",
        "y = min(x, 3)",
        "y = x * 0",
        "y = 0 and x",
        "y = i and x",
        "if x > 3: pass",
        "y = 1 if i < 99 else x",
        "y = (lambda a: 1)(x)",
        "y = helper(x)",
        "for j in range(0, x, 1): pass",
        "v[i] = x",
        "v[i] += 0 * x",
        "x += 1",
        "x, y = 1, x",
        "y = [x, 1][1]",
        "y = sum([x for _ in range(i)])",
        "assert x or True",
        "while x < 0: x += 1",
    ],
)
def test_what_is_read_for_nothing_raises_as_well(read: str) -> None:
    source = f"""
def helper(a):
    return 1
def run(v, n, late):
    for i in range(n):
        if i == late:
            x = 2
        {read}
    return x
k = []
for late in (0, 3, 50):
    try:
        k.append(run(v, n, late))
    except NameError as error:
        k.append(repr(error))
"""
    same(HEAD + source)
