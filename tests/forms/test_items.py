"""Numbers and arrays that are kept in dictionaries under names."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(7)
n = 40
u, v = rng.random(n), rng.random(n) - 0.5
par = {"dt": 0.1, "k": 2, "n": n, "grid": {"h": 0.5}, "mode": "open", "none": None}
state = {"x": u.copy(), "v": v.copy(), "list": [1.0, 2.0, 3.0], "double": lambda x: 2 * x}
class Run:
    pass
run = Run()
run.par, run.state, run.t = par, state, 0.0
"""

TAKEN = {
    "numbers": """
for i in range(par["n"]):
    u[i] += par["dt"] * v[i] * par["grid"]["h"] + run.par["k"]
    if par["mode"] == "open" and par["none"] is None:
        v[i] = par["k"] ** 2
def step(x, p):
    return x * p["dt"] + par["k"]
for i in range(n):
    u[i] = step(u[i], par) + step(v[i], run.par)
""",
    "arrays": """
for t in range(5):
    for i in range(1, n):
        state["x"][i] += par["dt"] * state["v"][i - 1]
    state["v"][1:] = state["x"][:-1] * 0.5 + state["v"][1:]
    u[:] = run.state["x"] * 2
    for x in state["list"]:
        u += x
    for i, x in enumerate(state["v"]):
        u[i] -= x + len(state["v"]) + state["x"].shape[0]
""",
    "functions": """
for i in range(n):
    u[i] = state["double"](v[i])
""",
}

INTERPRETED = {
    "items that change": """
for i in range(5):
    par["k"] += i
""",
    "items that are not there": """
try:
    for i in range(5):
        u[i] += par["size"]
except KeyError:
    i = -1
""",
    "names of a module": """
space = globals()
k = 0
for i in range(5):
    k = i
    u[i] = space["k"]
del space
""",
    "attributes of an object": """
space = vars(run)
for i in range(5):
    run.t += 0.5
    u[i] = space["t"]
del space
""",
    "dictionaries of another kind": """
class Odd(dict):
    def __getitem__(self, key):
        print(key)
        return 1.0
odd = Odd()
for i in range(5):
    u[i] = odd["x"]
del odd, Odd
""",
    "names that are no names": """
odd = {"a b": 1.0, "a.b": 2.0}
for i in range(5):
    u[i] = odd["a b"] + odd["a.b"]
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


def test_another_dictionary_or_another_array_at_each_call(same):
    same(
        HEAD
        + """
def step(p, s):
    for i in range(n):
        s["x"][i] = s["x"][i] * p["k"] + 1
steps = []
for k in (1, 2.5, np.float32(3), True, 2):
    for x in (np.zeros(n), np.arange(n), np.ones(n, np.float32), [1.0] * n):
        s = {"x": x}
        step({"k": k}, s)
        steps.append(x)
"""
    )
