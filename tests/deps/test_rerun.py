"""Which nests may be run twice."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.again import put_back
from autopar.deps.data import Facts, Overlap
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import statements
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "x": 1, "y": 1}
FACTS = Facts(frozenset("nm"), tuple(sorted(RANKS.items())))
TABLE = """\
for i in range(1, n):
    for j in range(1, m):
        A[i, j] = A[i - 1, j] + A[i, j - 1] + A[i - 1, j - 1]
"""
TWICE = {
    "a recurrence": "for i in range(1, n):\n    x[i] = x[i - 1] + y[i]\n",
    "backwards": "for i in range(n - 2, -1, -1):\n    x[i] = x[i + 1] + y[i]\n",
    "from what stays": "for i in range(n):\n    x[i] = x[n] + 1\n",
    "the other parity": "for i in range(n):\n    x[2 * i] = x[2 * i + 1] + 1\n",
    "a table": TABLE,
    "a sum, begun anew": "for i in range(n):\n    x[i] = 0\n    for j in range(m):\n"
    "        y[j] = x[i]\n",
    "two arrays": "for i in range(n):\n    x[i] = y[i]\n    y[n + i] = x[i]\n",
    "rows of rows": "for i in range(1, n):\n    for j in range(m):\n"
    "        A[i, j] = A[i - 1, j] if A[i - 1, j] > 3 else B[i, j]\n",
}
ONCE = {
    "the same cell": "for i in range(n):\n    x[i] = x[i] + 1\n",
    "the next cell": "for i in range(n):\n    x[i] = x[i + 1]\n",
    "the one before, backwards": "for i in range(n - 1, 0, -1):\n    x[i] = x[i - 1]\n",
    "a statement before": "for i in range(n):\n    y[i] = x[i]\n    x[i] = 1\n",
    "a loop before": "for t in range(2):\n    for i in range(n):\n        y[i] = x[i]\n"
    "    for i in range(n):\n        x[i] = 1\n",
    "the next step": "for t in range(n):\n    for i in range(m):\n        y[i] = x[i]\n"
    "        x[i + 1] = t\n",
    "a test": "for i in range(n):\n    if x[i] > 0:\n        x[i] = 1\n",
    "a sum": "for i in range(n):\n    for j in range(m):\n        x[i] = x[i] + A[i, j]\n",
    "any cell": "for i in range(n):\n    x[i] = x[i * i]\n",
    "below": TABLE.replace("A[i, j - 1]", "A[i, j + 1]"),
    "in a while": "for i in range(n):\n    while x[i] < 5:\n        x[i] = 3\n",
    "loops in a while": "for t in range(n):\n    k = 0\n    while k < 2:\n"
    "        for i in range(1, m):\n            if k > 0:\n                x[i] = 3\n"
    "            else:\n                y[i] = x[i - 1]\n        k = k + 1\n",
}


@pytest.mark.parametrize("source", TWICE.values(), ids=TWICE)
def test_twice(source):
    assert not put_back(lift_text(source), FACTS)


SWEEPS = """\
for t in range(n):
    for i in range(1, m - 1):
        y[i] = x[i - 1] + x[i + 1]
    for i in range(1, m - 1):
        x[i] = y[i - 1] + y[i + 1]
"""
ONE_OF_TWO = {
    "to and fro": SWEEPS,
    "in two dimensions": SWEEPS.replace("y[", "A[t, ").replace(
        "    for i in range(1, m - 1):\n        A", "    for i in range(m):\n        A"
    ),
    "backwards": SWEEPS.replace("range(1, m - 1)", "range(m - 2, 0, -1)", 1),
    "less than all": SWEEPS.replace("range(1, m - 1)", "range(m)", 1),
    "at other places": SWEEPS.replace("y[i]", "y[m - i]").replace("y[i - 1]", "y[i]"),
    "a square": """\
for t in range(n):
    for i in range(m):
        for j in range(m):
            A[i, j] = x[j] * x[i]
    for i in range(m):
        x[i] = A[i, i] + A[i, t] if t < m else 0
""",
}
BOTH = {
    "every second": SWEEPS.replace("range(1, m - 1)", "range(1, m - 1, 2)", 1),
    "where a test holds": SWEEPS.replace("y[i] =", "if x[i] > 3: y[i] ="),
    "unless it is left": SWEEPS.replace(
        "        y[i] =", "        if x[i] > 3: break\n        y[i] ="
    ),
    "to a row of ends that differ": SWEEPS.replace(
        "range(1, m - 1)", "range(1, min(m - 1, n * n))", 1
    ),
    "here or there": SWEEPS.replace("y[i] =", "y[i if t > 0 else m + i] ="),
    "through a scalar": SWEEPS.replace("n):", "n):\n    k = 0 if t > 0 else m", 1).replace(
        "y[i] =", "y[i + k] ="
    ),
    "one cell": SWEEPS.replace("y[i] =", "y[n] ="),
}


@pytest.mark.parametrize("source", ONE_OF_TWO.values(), ids=ONE_OF_TWO)
def test_what_is_stored_before_it_is_read_may_stay(source):
    assert put_back(lift_text(source), FACTS) == {"x"}


@pytest.mark.parametrize("source", BOTH.values(), ids=BOTH)
def test_what_may_be_read_before_it_is_stored_may_not(source):
    assert put_back(lift_text(source), FACTS) == {"x", "y"}


@pytest.mark.parametrize("source", ONCE.values(), ids=ONCE)
def test_once(source):
    assert put_back(lift_text(source), FACTS)


def test_arrays_that_share_memory():
    nest = lift_text("for i in range(n):\n    x[i] = y[i]\n")
    assert not put_back(nest, FACTS)
    assert put_back(nest, replace(FACTS, same=(("x", "y"),)))
    assert put_back(nest, replace(FACTS, tangled=frozenset((Overlap("x", "y"),))))


class Stopped(Exception):
    pass


class Stopping(Machine):
    """A machine that breaks down after some statements."""

    left = 10**9

    def run(self, stmt):
        self.left -= 1
        if self.left < 0:
            raise Stopped
        super().run(stmt)


def after(nest, first, sizes, back):
    """What is in the arrays after `nest`, which was begun before, for so many statements.

    Arrays of `back` are as they were before that.
    """
    machine = Stopping(dict(sizes), {})
    machine.left = first
    with contextlib.suppress(Stopped):
        machine.run(nest.loop)
    cells = {place: value for place, value in machine.cells.items() if place[0] not in back}
    machine = Machine(dict(sizes), {}, cells=cells)
    machine.run(nest.loop)
    return machine.cells


def check(data, source):
    """Run `source` after parts of it, with nothing put back but what is to be."""
    nest = lift_text(source)
    back = put_back(nest, FACTS)
    sizes = {"n": data.draw(sampled_from((1, 2, 4))), "m": data.draw(sampled_from((2, 3, 5)))}
    whole = after(nest, 0, sizes, back)
    count = sum(1 for _ in statements(nest.loop)) * 20
    for first in (3, 7, data.draw(st.integers(1, count)), 10**6):
        assert after(nest, first, sizes, back) == whole, source


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_random_nests_come_to_the_same(data):
    def draw(*choices):
        return data.draw(sampled_from(choices))

    def element(write=False):
        array = draw("A", "A", "x")
        shifts = [draw("", "", " - 1", " + 1") if not write else "" for _ in range(2)]
        index = [f"{draw('i', 'i', 'i', 'j')}{shifts[0]}", f"{draw('j', 'j', 'i')}{shifts[1]}"]
        return f"{array}[{', '.join(index[: RANKS[array]])}]"

    first, second = (draw("range(1, {0})", "range({0} - 1, 0, -1)") for _ in range(2))
    lines = [f"for i in {first.format('n')}:", f"    for j in {second.format('m')}:"]
    for _ in range(draw(1, 1, 2)):
        test = draw("", "", f"if {element()} > 4: ")
        lines.append(f"        {test}{element(True)} = {element()} + {element()}")
    check(data, "\n".join(lines) + "\n")


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_random_sweeps_come_to_the_same(data):
    """To and fro between arrays, each step of which stores what the next half reads."""

    def draw(*choices):
        return data.draw(sampled_from(choices))

    def element(array, write=False):
        shift = (lambda: "") if write else (lambda: draw("", "", " - 1", " + 1"))
        axes = ("j", "i") if draw(*[False] * 7, True) else ("i", "j")
        return f"{array}[{', '.join(axis + shift() for axis in axes)}]"

    lines = ["for t in range(2):"]
    for one, two in (("A", "B"), (draw("B", "B", "A"), draw("A", "A", "B"))):
        ranges = draw("range(n)", "range(1, n - 1)"), draw("range(m)", "range(m - 1, 0, -1)")
        lines += [f"    for i in {ranges[0]}:", f"        for j in {ranges[1]}:"]
        test = draw("", "", "", f"if {element(two)} > 4: ")
        value = f"{element(two)} + {element(draw(two, two, one))}"
        lines.append(f"            {test}{element(one, True)} = {value}")
    check(data, "\n".join(lines) + "\n")
