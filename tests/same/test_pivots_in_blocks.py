"""Eliminations leave and say in blocks of pivots what they do pivot by pivot."""

from __future__ import annotations

import harness
import numpy as np
import pytest
from outcome import both

PROGRAM = """
def f(a, b, x, n, m):
{body}
a, b, x = {arrays}
try:
    f(a, b, x, n, m)
except Exception as error:
    r = repr(error)
"""
PATHS = """
for k in range(n):
    for i in range(n):
        for j in range(n):
            if a[i, k] + a[k, j] < a[i, j]:
                a[i, j] = a[i, k] + a[k, j]
"""
LU = """
for k in range(n):
    for i in range(k + 1, n):
        a[i, k] /= a[k, k]
        for j in range(k + 1, n):
            a[i, j] -= a[i, k] * a[k, j]
"""
JORDAN = """
for k in range(n):
    p = a[k, k]
    for j in range(n):
        a[k, j] /= p
    for i in range(n):
        if i != k:
            w = a[i, k]
            for j in range(n):
                a[i, j] -= w * a[k, j]
"""
COLUMNS = {
    "columns by columns": """
for k in range(n):
    s = 0.0
    for i in range(m):
        s += a[i, k] * a[i, k]
    x[k] = s
    for j in range(k + 1, n):
        b[k, j] = 0.0
        for i in range(m):
            b[k, j] += a[i, k] * a[i, j]
        for i in range(m):
            a[i, j] -= a[i, k] * b[k, j] * 1e-3
""",
}
BODIES = {
    **COLUMNS,
    "paths": PATHS,
    "paths by min": """
for k in range(n):
    for i in range(n):
        for j in range(n):
            a[i, j] = min(a[i, j], a[i, k] + a[k, j])
""",
    "ways": """
for k in range(n):
    for i in range(n):
        for j in range(n):
            a[i, j] = a[i, j] or (a[i, k] and a[k, j])
""",
    "lu": LU,
    "lu, and a right side": """
for k in range(n):
    for i in range(k + 1, n):
        a[i, k] = a[i, k] / a[k, k]
    for i in range(k + 1, n):
        for j in range(k + 1, n):
            a[i, j] = a[i, j] - a[i, k] * a[k, j]
        x[i] = x[i] - a[i, k] * x[k]
""",
    "jordan": JORDAN,
    "jordan, above and below": """
for k in range(n):
    for i in range(k):
        w = a[i, k] / a[k, k]
        for j in range(k, n):
            a[i, j] -= w * a[k, j]
    for i in range(k + 1, n):
        w = a[i, k] / a[k, k]
        for j in range(k, n):
            a[i, j] -= w * a[k, j]
""",
    "pivots of another array": """
for k in range(m, n):
    b[k, k] += 1
    for i in range(2, n):
        for j in range(n - 1):
            a[i, j] += a[i, k] * b[k, j + 1]
    for i in range(2, n):
        for j in range(n):
            b[i, j] -= b[k, j] * x[k]
""",
}


def program(body, arrays="given.copy(order='K'), other.copy(order='K'), third.copy()"):
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return PROGRAM.format(body=lines, arrays=arrays)


def numbers(dtype=np.float64, order="C", size=80):
    rng = np.random.default_rng(3)
    if dtype is np.int64:
        one, two = rng.integers(0, 1000, (2, size, size))
        return {"given": np.array(one, order=order), "other": two, "third": one[0].copy()}
    one = rng.normal(size=(size, size)) * 3 + np.eye(size) * size * 20
    other, third = rng.normal(size=(size, size)) * 0.01, rng.normal(size=size) * 0.01
    one, two = (np.array(x, dtype, order=order) for x in (one, other))
    return {"given": one, "other": two, "third": np.array(third, dtype)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_same_numbers(lenient, body):
    source = program(body)
    others = [(np.int64, "C"), (np.float64, "F"), (np.float32, "C")]
    other = others[[*BODIES.values()].index(body) % len(others)]
    for dtype, order in ((np.float64, "C"), other):
        for n, m in ((0, 3), (1, 0), (17, 9), (24, 1), (33, 0), (41, 3)):
            both(source, **numbers(dtype, order), n=n, m=m)


@pytest.mark.parametrize("value", [-1, -700])
@pytest.mark.parametrize("at", [0, 7, 8, 20, 49])
def test_ways_that_get_shorter_by_going_round(lenient, at, value):
    """Where ``a[k, k] < 0``, a pivot and its column change while rows read them."""
    given = numbers(np.int64)
    given["given"][at, at] = value
    for name in ("paths", "paths by min"):
        both(program(BODIES[name]), **given, n=50, m=0)
    given["given"][at, (at + 1) % 50] = -(2**61)
    both(program(PATHS), **given, n=50, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("view", [":", "::-1", ":, ::-1", "::2, ::2", ":, ::2"])
@pytest.mark.parametrize("body", [PATHS, LU, JORDAN], ids=["paths", "lu", "jordan"])
def test_views(lenient, body, view):
    n = 40 if "2" in view else 42
    both(program(body, f"given.copy()[{view}], other, third"), **numbers(), n=n, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("view", ["[:]", "[::-1]", "[:-1, 1:]", "[1:]", ".T"])
def test_arrays_that_share_memory(lenient, view):
    arrays = f"(given := given.copy()), given{view}, given[3]"
    for name in ("lu, and a right side", "columns by columns", "pivots of another array"):
        both(program(BODIES[name], arrays), **numbers(), n=34, m=20)


@pytest.mark.parametrize("body", [PATHS, LU], ids=["paths", "lu"])
def test_subscripts_that_wrap_or_fail(lenient, body):
    for index in ("[i - 1, k]", "[i, k + 40]", "[i, k - 1]"):
        both(program(body.replace("[i, k]", index)), **numbers(), n=34, m=0)
    both(program(body.replace("[k, j]", "[k, j - 1]")), **numbers(), n=34, m=0)
    both(program(body.replace("[k, j]", "[k, j + 31]")), **numbers(), n=34, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("first", "second"), [("a[i, k]", ""), ("", "b[i, k]")])
def test_what_rows_leave_for_other_rows(lenient, first, second):
    body = "t = j = 0.0\nfor k in range(n):\n"
    for array, given in (("a", first), ("b", second)):
        body += "    for i in range(k + 1, n):\n" + f"        t = {given}\n" * bool(given)
        body += f"        for j in range(n):\n            {array}[i, j] -= t * {array}[k, j]\n"
    for n in (17, 40, 80):
        both(program(body, "given * 1e-5, other.copy(), third"), **numbers(), n=n, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kept", ["i", "j", "k", "w", "p"])
def test_what_the_last_iteration_leaves(lenient, kept):
    head = "i = j = k = w = p = None\n"
    source = program(head + JORDAN.strip() + f"\nreturn {kept}").replace("    f(", "    r = f(")
    for n in (0, 1, 40):
        both(source, **numbers(), n=n, m=0)


@pytest.mark.parametrize("place", [(0, 0), (2, 1), (20, 20), (45, 3), (49, 49)])
@pytest.mark.parametrize("value", [np.inf, 0.0, 1e300, np.nan])
@pytest.mark.parametrize("body", [PATHS, LU, JORDAN], ids=["paths", "lu", "jordan"])
def test_the_same_warnings(strict, body, place, value):
    source = body.strip() + "\n"
    array = numbers(size=50)["given"]
    array[place] = value
    here = harness.same_warnings(source, array, n=34)
    (state,) = here.engine.states.values()
    assert state.arrangements


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_runs_are_blocks(lenient, body):
    given = numbers(np.int64 if body is BODIES["ways"] else np.float64)
    arrays = {"a": given["given"], "b": given["other"], "x": given["third"]}
    names = {**arrays, "n": 34, "m": 5}
    here, _ = harness.run_unseen(body.strip() + "\n", **names)
    (state,) = here.engine.states.values()
    found = [v.plan for one in state.arrangements.values() for v in one.variants.values()]
    assert (found != []) == (body not in COLUMNS.values())
    assert all(plan.body[0].loop.var == "<panel of k>" for plan in found)
    assert all(plan.parallel_loops[0] == "i" for plan in found)
