"""Which nests may be run twice."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.again import idempotent
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
    assert idempotent(lift_text(source), FACTS)


@pytest.mark.parametrize("source", ONCE.values(), ids=ONCE)
def test_once(source):
    assert not idempotent(lift_text(source), FACTS)


def test_arrays_that_share_memory():
    nest = lift_text("for i in range(n):\n    x[i] = y[i]\n")
    assert idempotent(nest, FACTS)
    assert not idempotent(nest, replace(FACTS, same=(("x", "y"),)))
    assert not idempotent(nest, replace(FACTS, tangled=frozenset((Overlap("x", "y"),))))


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


def after(nest, first, sizes):
    """What is in the arrays after `nest`, which was begun before, for so many statements."""
    machine = Stopping(dict(sizes), {})
    machine.left = first
    with contextlib.suppress(Stopped):
        machine.run(nest.loop)
    machine = Machine(dict(sizes), {}, cells=machine.cells)
    machine.run(nest.loop)
    return machine.cells


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
    nest = lift_text("\n".join(lines) + "\n")
    if not idempotent(nest, FACTS):
        return
    sizes = {"n": draw(1, 2, 4), "m": draw(2, 3, 5)}
    whole = after(nest, 0, sizes)
    count = sum(1 for _ in statements(nest.loop)) * 20
    for first in (3, 7, draw(*range(1, count)), 10**6):
        assert after(nest, first, sizes) == whole, "\n".join(lines)
