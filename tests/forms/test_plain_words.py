"""What is said in plainer words: ``match``, ``try``, ``raise``, ``assert`` and ``:=``."""

from __future__ import annotations

import ast

import pytest

from autopar.nest.text.plainer import plainer

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
rng = np.random.default_rng(7)
n = 40
u, v = rng.random(n), rng.random(n) - 0.5
I = rng.integers(0, 9, n)
"""

TAKEN = {
    "numbers that are matched": """
for i in range(n):
    match I[i]:
        case 0:
            v[i] = 1
        case 1 | 2 | -3:
            v[i] = u[i]
        case 3.0 if u[i] > 0.5:
            v[i] += 2
        case k if k > 6:
            v[i] = k
        case k:
            v[i] -= k
""",
    "tuples that are matched": """
x = y = 0
for i in range(n):
    match i % 3, I[i] % 2:
        case 0, 0:
            v[i] = 1
        case 0, y:
            v[i] = y
        case [x, 1] if x + u[i] > 1.5:
            v[i] = x
        case _, y:
            v[i] -= y
""",
    "no case that fits": """
k = 5
def find():
    k = 5
    for i in range(n):
        match i:
            case 70:
                k = 1
            case j if j > n:
                k = 2
    return k, j
q = find()
""",
    "ways to leave a match": """
def find(a, most):
    t = 0
    for i in range(len(a)):
        match i:
            case 3:
                continue
            case 30 if most < 1:
                return "thirty"
            case 35:
                break
        match i % 2, most:
            case 0, 1:
                raise ValueError(i, t)
            case _:
                if a[i] > most:
                    return i
        t += i
    assert t < 500, t
    return t
def outcome(*args):
    try:
        return find(*args)
    except ValueError as wrong:
        return wrong.args
q = [outcome(u, most) for most in (0.1, 0.9, 0.99999, 1, 2)]
""",
    "a match that always leaves": """
def find(a):
    for i in range(len(a)):
        if a[i] > 0.9:
            match i % 3:
                case 0:
                    return i
                case 1:
                    return -i
                case _:
                    return 1000 + i
            return "never"
        if a[i] < 0.001:
            return "small"
    return "none"
q = find(u), find(u[5:]), find(u[20:]), find(u * 0.5), find(u * 0.001)
""",
    "what is tried": """
w = np.zeros(n)
m = 0
for i in range(n):
    try:
        w[i] = 1.0 / int(I[i] + 1)
        if I[i] > 20:
            print("never")
            raise ValueError("too large")
        assert u[i] < 2
    except (ZeroDivisionError, ValueError) as wrong:
        w[i] = 0.0
        m += 1
    else:
        w[i] += 1
        if w[i] > 99:
            raise ValueError("much too large")
    finally:
        v[i] = w[i]
        assert v[i] < 99
""",
    "what is tried in another loop": """
def first(a):
    t = 0.0
    for i in range(len(a)):
        try:
            for j in range(3):
                if a[i + j] > 0.95:
                    break
                t += a[i + j]
            else:
                t += 1
        except IndexError:
            break
        if t > 15:
            return i, t
    return t
q = first(u)
""",
    "functions that refuse some arguments": """
def root(x):
    if x < 0:
        print("negative")
        raise ValueError(f"negative: {x}")
    return math.sqrt(x)
def kind(x):
    assert x >= 0, "negative"
    if x < 0.25:
        return 1.0
    elif x < 0.5:
        return 2.0
    else:
        if x <= 1:
            return 3.0
    raise ValueError(x)
def ratio(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        return 0.0
def choose(x, mode):
    if mode == 1:
        y = x
    elif mode == 2:
        y = x * 2
    else:
        raise KeyError(mode)
    return y + 1
for i in range(n):
    v[i] = root(u[i]) + kind(u[i]) + ratio(u[i], int(I[i] + 1)) + choose(u[i], i % 2 + 1)
""",
    "what is assigned on the way": """
t, m = 0.0, 0
w = x = y = z = 0.0
for i in range(n):
    if (y := u[i] * 2) > 0.7 and (z := y * 3) < 5:
        t += y + z
    elif (w := math.sqrt(u[i])) < 0.3 or (x := w * 2) > 1.1:
        t -= w
    else:
        t += x
    v[i] = (d := u[i] - 0.5) * d + (m := m + 1)
    v[i] += (e := d + 1)
while (err := t / 2) > 0.01:
    t = err
    m += 1
""",
    "what is negated, and assigned under a condition": """
t = x = y = 0.0
for i in range(n):
    if not (i % 3 and (x := u[i]) > 0.5):
        t += 1
    else:
        t += x
    while (x := t * 0.5) > 3 and not (I[i] > 4 or (y := x - 1) < 1):
        t = y
""",
}

UNDONE = {
    "an exception that is handled": """
def each(a):
    b, m = np.zeros(len(a)), 0
    for i in range(len(a)):
        try:
            b[i] = 1.0 / int(a[i])
        except ZeroDivisionError:
            b[i] = -1.0
            m += 1
        finally:
            m += 1
    return b, m
q = each(I)
""",
    "an exception that a function raises, and is handled": """
def root(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return math.sqrt(x)
def each(a):
    b, m = np.zeros(len(a)), 0
    for i in range(len(a)):
        try:
            b[i] = root(a[i])
        except ValueError as wrong:
            m += len(str(wrong))
    return b, m
q = each(v)
""",
    "an exception that a function raises": """
def root(x):
    assert x < 0.4, x
    if x < 0:
        v[0] = 7.0
        raise ValueError(f"negative: {x}")
    return math.sqrt(x)
def each(a):
    b, m = np.zeros(len(a)), 0
    for i in range(len(a)):
        b[i] = root(a[i])
        m += 1
try:
    each(v)
except (ValueError, AssertionError) as wrong:
    q = repr(wrong)
""",
}

REFUSED = {
    "what is returned may raise, too": """
def first(a):
    for i in range(len(a)):
        try:
            return 1 / int(a[i])
        except ZeroDivisionError:
            continue
q = first(I)
""",
    "what happens at last, also where a loop is left": """
m = 0
for i in range(n):
    try:
        if u[i] > 0.5:
            continue
        v[i] = 1.0
    finally:
        m += 1
""",
    "parts of lists": """
for i in range(n):
    match [I[i], i, i]:
        case [0, *rest]:
            v[i] = len(rest)
""",
    "a name that was read before": """
y = 0.0
for i in range(n):
    v[i] = y + (y := u[i])
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, same):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) <= {"compiled", "not asked"}, loops
    assert "compiled" in loops.values()


@pytest.mark.parametrize("title", UNDONE)
def test_undone(title, same):
    loops = same(HEAD + UNDONE[title])
    assert "compiled" not in loops.values(), loops


@pytest.mark.parametrize("title", REFUSED)
def test_left_to_the_interpreter(title, same):
    loops = same(HEAD + REFUSED[title])
    assert "compiled" not in loops.values(), loops


@pytest.mark.parametrize(
    "text",
    [
        "x = f(y) + (y := 2)",  # which `y` the function reads
        "x = a[0] + (y := f(a))",  # the function may change `a`
        "x = [(y := k) for k in a]",
        "b[y] += (y := 2)",
        "x = (y if (z := a) else 0) + (y := 2)",
        "x = ((z := a) and y) + (y := 2)",
        "x = (f(0) if (z := a) else 0) + (y := 2)",
        "b[(y := 1) if c else 0] += (z := 2)",
        "b[(y := 1)] += (z := 2)",
        "x = c and (y := 2)",
        "x = 1 < (y := a) < (z := 3)",
        "match a, b:\n    case [0, 1, 2]: x = 1",
        "match a:\n    case {'k': 1}: x = 1",
        "match a:\n    case None: x = 1",
        "match a:\n    case int(): x = 1",
        "try:\n    return f(x)\nexcept E:\n    pass",
        "try:\n    x = 1\nexcept* E:\n    pass",
    ],
)
def test_what_stays_as_it_is(text):
    nodes = ast.parse(text).body
    made = plainer(nodes)
    assert [ast.dump(node) for node in made] == [ast.dump(node) for node in nodes]


def test_the_users_tree_is_not_changed():
    text = "for i in range(9):\n    if (y := i) > 3:\n        match y:\n            case 4: x = 1"
    nodes = ast.parse(text).body
    before = ast.dump(nodes[0])
    assert ast.dump(plainer(nodes)[0]) != before
    assert ast.dump(nodes[0]) == before
