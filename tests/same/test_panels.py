"""Triangles that work in place leave and say in panels of columns what they do row by row."""

from __future__ import annotations

import re
from dataclasses import replace

import harness
import numpy as np
import pytest
from outcome import both

from autopar import config

PROGRAM = """
import math
def f(a, b, x, n, m):
{body}
a, b, x = {arrays}
try:
    f(a, b, x, n, m)
except Exception as error:
    r = repr(error)
"""
LU = """
for i in range(n):
    for j in range(i):
        for k in range(j):
            a[i, j] -= a[i, k] * a[k, j]
        a[i, j] /= a[j, j]
    for j in range(i, n):
        for k in range(i):
            a[i, j] -= a[i, k] * a[k, j]
"""
SCALARS = """
for i in range(n):
    for j in range(i):
        w = a[i, j]
        for k in range(j):
            w -= a[i, k] * a[k, j]
        a[i, j] = w / a[j, j]
    for j in range(i, n):
        w = a[i, j]
        for k in range(i):
            w -= a[i, k] * a[k, j]
        a[i, j] = w
"""
CHOLESKY = """
for i in range(n):
    for j in range(i):
        for k in range(j):
            a[i, j] -= a[i, k] * a[j, k]
        a[i, j] /= a[j, j]
    for k in range(i):
        a[i, i] -= a[i, k] * a[i, k]
    a[i, i] = math.sqrt(a[i, i])
"""
BODIES = {
    "lu": LU,
    "lu with scalars": SCALARS,
    "cholesky": CHOLESKY,
    "cholesky with a scalar": """
for i in range(n):
    for j in range(i + 1):
        w = a[i, j]
        for k in range(j):
            w -= a[i, k] * a[j, k]
        a[i, j] = w * 0.5
""",
    "ldl": """
for i in range(n):
    for j in range(i):
        for k in range(j):
            a[i, j] -= a[i, k] * a[j, k] * x[k]
    for j in range(i):
        a[i, j] /= x[j]
    for j in range(i):
        x[i] -= a[i, j] * a[i, j]
""",
    "row by row": """
for i in range(n):
    for k in range(i):
        a[i, k] /= a[k, k]
        for j in range(k + 1, n):
            a[i, j] -= a[i, k] * a[k, j]
""",
    "substitution": """
for i in range(n):
    for j in range(i):
        x[i] -= a[i, j] * x[j]
    x[i] /= a[i, i]
""",
    "substitution, transposed": """
for i in range(n):
    for j in range(i):
        x[i] -= a[j, i] * x[j]
    x[i] /= a[i, i]
""",
    "several right sides": """
for i in range(n):
    for j in range(i):
        for c in range(m):
            b[i, c] -= a[i, j] * b[j, c]
    for c in range(m):
        b[i, c] /= a[i, i]
""",
    "two arrays": """
for i in range(n):
    for j in range(i):
        w = a[i, j]
        for k in range(j):
            w -= a[i, k] * b[k, j]
        a[i, j] = w / (b[j, j] + 1)
        b[i, j] = a[i, j]
    for j in range(i, n):
        for k in range(i):
            b[i, j] -= a[i, k] * b[k, j]
""",
}


SUBSTITUTIONS = {
    "in place": BODIES["substitution"],
    "from another array": "for i in range(n):\n    x[i] = b[0, i]\n    for j in range(i):\n"
    "        x[i] -= a[i, j] * x[j]\n    x[i] /= a[i, i]\n",
    "from two statements": "for i in range(n):\n    x[i] = b[0, i]\n    x[i] += b[1, i] * m\n"
    "    for j in range(i):\n        x[i] -= a[i, j] * x[j]\n",
    "in a scalar": "for i in range(n):\n    w = b[i, 0]\n    for j in range(i):\n"
    "        w -= a[i, j] * x[j]\n    x[i] = w / a[i, i]\n",
    "in a scalar that is the result": "for i in range(n):\n    w = b[i, 0] * 2\n"
    "    for j in range(i):\n        w -= a[i, j] * x[j]\n    x[i] = w\n",
    "from the result before it": "for i in range(1, n):\n    w = x[i - 1]\n"
    "    for j in range(1, i):\n        w -= a[i, j] * x[j]\n    x[i] = w / a[i, i]\n",
    "from what is there already": "for i in range(n - 1):\n    w = x[i + 1]\n"
    "    for j in range(i):\n        w -= a[i, j] * x[j]\n    x[i] = w / a[i, i]\n",
    "from its own cell": "for i in range(n):\n    w = x[i] * 3\n"
    "    for j in range(i):\n        w -= a[i, j] * x[j]\n    x[i] = w / a[i, i]\n",
}


def program(body, arrays="given.copy(order='K'), other.copy(order='K'), third.copy()"):
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return PROGRAM.format(body=lines, arrays=arrays)


def numbers(dtype=np.float64, order="C", size=70):
    rng = np.random.default_rng(3)
    made = rng.normal(size=(size, size)) * 3
    made += (made.T if dtype is not np.int64 else 0) + np.eye(size) * size * 20
    other, third = rng.normal(size=(size, size)) * 5, rng.normal(size=size) * 5 + 20
    one, two = (np.array(x, dtype, order=order) for x in (made, other))
    return {"given": one, "other": two, "third": np.array(third, dtype)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_same_numbers(lenient, body):
    source = program(body)
    others = [(np.float64, "F"), (np.float32, "C"), (np.int64, "C")]
    other = others[[*BODIES.values()].index(body) % len(others)]
    for dtype, order in ((np.float64, "C"), other):
        for n, m in ((0, 3), (1, 0), (2, 5), (17, 9), (33, 4), (50, 2)):
            both(source, **numbers(dtype, order), n=n, m=m)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", [LU, SCALARS, CHOLESKY], ids=["lu", "scalars", "cholesky"])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 9, 16, 18, 47])
def test_odd_sizes(lenient, body, n):
    both(program(body), **numbers(), n=n, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("view", [":", "::-1", ":, ::-1", "::-1, ::-1", "::2, ::2", ":, ::2"])
@pytest.mark.parametrize("body", [LU, SCALARS, CHOLESKY], ids=["lu", "scalars", "cholesky"])
def test_views(lenient, body, view):
    n = 35 if "2" in view else 60
    arrays = f"given.copy()[{view}], other, third"
    both(program(body, arrays), **numbers(), n=n, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("view", [":", "::-1", ":-1, 1:", "1:", ".T", "third"])
def test_arrays_that_share_memory(lenient, view):
    part = view if view.startswith(".") else f"[{view}]"
    arrays = f"(given := given.copy()), given{part}, given[3]"
    if view == "third":
        arrays = "(given := given.copy()), other.copy(), given[:, 5]"
    for name in ("two arrays", "several right sides", "ldl", "substitution"):
        both(program(BODIES[name], arrays), **numbers(), n=50, m=20)


@pytest.mark.parametrize("body", [LU, SCALARS, CHOLESKY], ids=["lu", "scalars", "cholesky"])
def test_lists(lenient, body):
    given = numbers(size=40)
    source = program(re.sub(r"a\[(\w), (\w)\]", r"a[\1][\2]", body), "given.tolist(), other, third")
    both(source, **given, n=40, m=0)
    given["given"][20, 20] = given["given"][3, 3] = 0.0
    given["given"][3, :3] = given["given"][:3, 3] = 0.0
    both(source, **given, n=40, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", [LU, SCALARS, CHOLESKY], ids=["lu", "scalars", "cholesky"])
def test_numbers_that_wrap_or_fail(lenient, body):
    """Negative square roots raise in the middle; rows before are left as they are then."""
    for at in (0, 5, 20, 44, 69):
        given = numbers()
        given["given"][at, at] = -1e9
        both(program(body), **given, n=70, m=0)
    both(program(body.replace("a[j, j]", "a[j - 1, j - 1]")), **numbers(), n=50, m=0)
    both(program(body.replace("range(j)", "range(j - 1)")), **numbers(), n=50, m=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kept", ["i", "j", "k", "w", "i, j, k"])
def test_what_the_last_iteration_leaves(lenient, kept):
    head = "i = j = k = w = None\n"
    source = program(head + SCALARS.strip() + f"\nreturn {kept}").replace("    f(", "    r = f(")
    for n in (0, 1, 2, 3, 40):
        both(source, **numbers(), n=n, m=0)


NEST = LU.strip() + "\n"


@pytest.mark.parametrize("place", [(0, 0), (2, 1), (20, 20), (45, 3), (49, 49)])
@pytest.mark.parametrize("value", [np.inf, 0.0, 1e300, np.nan])
@pytest.mark.parametrize("body", [LU, SCALARS, CHOLESKY], ids=["lu", "scalars", "cholesky"])
def test_the_same_warnings(strict, body, place, value):
    source = body.strip() + "\n"
    if body is CHOLESKY:
        source = source.replace("math.sqrt(a[i, i])", "a[i, i] / 3.0")
    array = numbers(size=50)["given"]
    array[place] = value
    here = harness.same_warnings(source, array, n=50)
    (state,) = here.engine.states.values()
    assert state.arrangements


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", SUBSTITUTIONS.values(), ids=SUBSTITUTIONS)
def test_rows_of_one_number(lenient, body):
    given = numbers(size=200)
    for n in (0, 1, 2, 20, 127, 128, 129, 200, 256, 260):
        both(program(body), **given, n=n, m=3)
    given["given"][150, 150] = 0.0
    both(program(body), **given, n=200, m=3)
    shared = "given.copy(), (other := other.copy()), other[0, :]"
    both(program(body, shared), **given, n=199, m=3)


@pytest.mark.parametrize("fp", ["exact", "relaxed"])
def test_products_of_single_rows_do_not_keep_a_triangle_from_panels(lenient, fp):
    """BLAS could take what a row of `LU` begins with, and would read half of it for each row."""
    config.use(replace(config.current(), fp=fp))
    here, left = harness.run_unseen(LU, a=numbers()["given"], n=70)
    assert left == {}
    (state,) = here.engine.states.values()
    assert not state.variants
    (variant,) = state.arrangements["panels"].variants.values()
    assert variant.plan.body[0].loop.var == "<panel of i>"
