"""Cells that show, after a loop, whether anything stored in it was infinite or nan."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from autopar.cpu.sticky import trails
from autopar.nest.ir import Assign, Element
from autopar.nest.show import text
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import accesses, statements

N = 6
SEEN = {
    "a row": ("for i in range(n):", "    a[i] = a[i] * 0.5 + c[t]"),
    "a part of a row": ("for i in range(2, n - 1):", "    a[i] -= c[i]"),
    "a matrix": ("for i in range(n):", "    for j in range(1, n):", "        d[i, j] += c[t]"),
    "a triangle": ("for i in range(n):", "    for j in range(i):", "        d[i, j] += c[t]"),
    "sums of subscripts": (
        "for i in range(3):",
        "    for j in range(3):",
        "        a[i + j] = a[i + j] * c[t]",
    ),
    "neighbours": ("for i in range(1, n - 1):", "    a[i] = a[i - 1] + a[i] + a[i + 1]"),
    "an edge in front": ("a[0] = 1.0", "for i in range(1, n):", "    a[i] = a[i] + a[i - 1]"),
    "an edge behind": (
        "for i in range(n - 1):",
        "    a[i] = a[i] + a[i + 1]",
        "a[n - 1] = c[t]",
    ),
    "an edge of a matrix": (
        "for j in range(n):",
        "    d[0, j] = c[t]",
        "for i in range(1, n):",
        "    for j in range(n):",
        "        d[i, j] -= d[i - 1, j]",
    ),
    "there and back": (
        "for i in range(1, n - 1):",
        "    b[i] = a[i - 1] + a[i]",
        "for i in range(1, n - 1):",
        "    a[i] = b[i] + b[i + 1]",
    ),
    "there and back in one loop": (
        "for i in range(n - 1):",
        "    b[i + 1] = 0.5 * a[i + 1]",
        "    a[i + 1] = b[i + 1] + c[t]",
    ),
    "there and back between edges": (
        "for i in range(1, n - 1):",
        "    b[i] = a[i - 1] + a[i]",
        "b[0] = 1.0",
        "for i in range(1, n - 1):",
        "    a[i] = b[i] + b[i + 1]",
        "a[n - 1] = 2.0",
    ),
    "a copy back": (
        "for i in range(n):",
        "    b[i] = a[i] * c[t]",
        "for i in range(n):",
        "    a[i] = b[i]",
    ),
    "updates at times": (
        "for i in range(n):",
        "    a[i] = a[i] + c[t]",
        "if t > 2:",
        "    for i in range(n):",
        "        a[i] *= 0.5",
    ),
}
NOT_SEEN = {
    "another value": ("for i in range(n):", "    a[i] = c[i] * 0.5"),
    "a divisor": ("for i in range(n):", "    a[i] = 1.0 / a[i]"),
    "neighbours alone": ("for i in range(1, n - 1):", "    a[i] = a[i - 1] + a[i + 1]"),
    "cells of one step": ("for i in range(n):", "    d[t, i] = d[t, i] + 1.0"),
    "a range of one step": ("for i in range(t, n):", "    a[i] += c[i]"),
    "another start each time": ("m = t", "for i in range(m, n):", "    a[i] += c[i]"),
    "cells that numbers choose": ("for i in range(n):", "    a[k[i]] += c[i]"),
    "cells several times": (
        "for i in range(n):",
        "    for j in range(n):",
        "        a[i] += c[j]",
    ),
    "something else comes to them": (
        "for i in range(n):",
        "    a[i] += c[t]",
        "for i in range(3):",
        "    a[i] = 0.0",
    ),
    "an edge in them": ("for i in range(n):", "    a[i] += c[t]", "a[n - 1] = 1.0"),
    "something that comes to them from behind": (
        "for i in range(n):",
        "    d[0, i] = d[0, i] * c[t]",
        "for i in range(3, -1, -1):",
        "    for j in range(n):",
        "        d[i, j] = 0.5",
    ),
    "an edge whose variable is set": (
        "for i in range(n):",
        "    d[0, i] += c[t]",
        "for i in range(1, n):",
        "    i = i - 1",
        "    d[i, 1] = 0.5",
    ),
    "an edge that counts from the end": (
        "for i in range(1, n):",
        "    a[i] += c[t]",
        "a[-1] = 1.0",
    ),
    "one of two": ("for i in range(n):", "    if c[i] > 0.5:", "        a[i] += c[t]"),
    "left": ("for i in range(n):", "    if i > 2:", "        break", "    a[i] += c[t]"),
    "there and not back": (
        "for i in range(n):",
        "    b[i] = a[i] * 0.5",
        "for i in range(n):",
        "    a[i] = c[i]",
    ),
    "there and back elsewhere": (
        "for i in range(1, n):",
        "    b[i] = a[i] * 0.5",
        "for i in range(1, n):",
        "    a[i] = b[i - 1]",
    ),
    "back in a part": (
        "for i in range(n):",
        "    b[i] = a[i] * 0.5",
        "for i in range(1, n):",
        "    a[i] = b[i] + c[t]",
    ),
    "there twice": (
        "for i in range(3):",
        "    for j in range(3):",
        "        b[i + j] = a[i + j] * 0.5",
        "for i in range(3):",
        "    for j in range(3):",
        "        a[i + j] = b[i + j] + 1.0",
    ),
    "and something else comes between": (
        "for i in range(n):",
        "    b[i] = a[i] * 0.5",
        "for i in range(2):",
        "    b[i] = 1.0",
        "for i in range(n):",
        "    a[i] = b[i] + c[t]",
    ),
    "its variable is set": ("for i in range(n):", "    i = 2", "    a[i] += c[t]"),
    "its variable is another loop's": (
        "for i in range(n):",
        "    for i in range(2):",
        "        c[i] = 1.0",
        "    a[i] += 1.0",
    ),
}


def text_of(lines: tuple[str, ...], steps: str) -> str:
    return f"for t in range({steps}):\n" + "".join(f"    {line}\n" for line in lines)


def found(lines, steps="steps", arrays="abcd", wrapping=False, apart=True):
    loop = lift_text(text_of(lines, steps)).loop
    inside = frozenset() if wrapping else frozenset(a.id for _, a in accesses(loop))
    return loop, trails(loop, frozenset(arrays), inside, apart)


class _Injected(ast.NodeTransformer):
    """Hands each stored value of some lines through `at`, which may make it a nan."""

    def __init__(self, lines: set[int]) -> None:
        self.lines = lines

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        if node.lineno in self.lines:
            node.value = ast.Call(ast.Name("at", ast.Load()), [node.value], [])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.Assign:
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        return self.visit_Assign(
            ast.Assign([node.target], ast.BinOp(read, node.op, node.value), lineno=node.lineno)
        )


@pytest.mark.parametrize("lines", SEEN.values(), ids=SEEN)
def test_whatever_stored_number_is_a_nan_it_is_seen(lines):
    """For each number that is stored: where it is a nan, so is a cell that is looked at."""
    loop, answer = found(lines)
    stores = [
        s for s in statements(loop) if isinstance(s, Assign) and isinstance(s.target, Element)
    ]
    seen = frozenset().union(*(trail.seen for trail in answer))
    assert seen
    tree = ast.parse(text_of(lines, "5"))
    tree = _Injected({s.line for s in stores if s.id in seen}).visit(tree)
    code = compile(ast.fix_missing_locations(tree), "<test>", "exec")
    looks = [compile("\n".join(looking(trail)), "<look>", "exec") for trail in answer]
    count = 1
    chosen = -1
    while chosen < count:
        rng, count = np.random.default_rng(1), 0

        def at(value, chosen=chosen):
            nonlocal count
            count += 1
            return np.nan if count - 1 == chosen else value

        a, b, c = rng.uniform(0.5, 1.0, (3, N))
        space = {"a": a, "b": b, "c": c, "d": rng.random((N, N)), "n": N, "at": at, "odd": []}
        exec(code, space)
        for look in looks:
            exec(look, space)
        assert (chosen < 0) == (not any(map(np.isnan, space["odd"])))
        chosen += 1
    assert count > 5


def looking(trail) -> list[str]:
    lines = []
    for depth, loop in enumerate(trail.loops):
        head = f"for {loop.var} in range({text(loop.start)}, {text(loop.stop)}):"
        lines.append("    " * depth + head)
    return [*lines, "    " * len(trail.loops) + f"odd.append({text(trail.store.target)})"]


@pytest.mark.parametrize("lines", NOT_SEEN.values(), ids=NOT_SEEN)
def test_looked_at_in_each_iteration(lines):
    assert not found(lines)[1]


def test_a_part_of_what_is_stored_may_be_seen():
    """The row that something else comes to is not, and the other is."""
    lines = (
        "for i in range(n):",
        "    a[i] += c[t]",
        "    b[i] += c[t]",
        "b[n] = 1.0",
        "a[2] = 1.0",
    )
    _, (trail,) = found(lines)
    assert trail.store.target.array == "b"


def test_what_it_depends_on():
    there_and_back = SEEN["there and back"]
    assert len(found(there_and_back)[1]) == 1
    assert not found(there_and_back, arrays="acd")[1]  # `b` holds integers
    assert not found(there_and_back, apart=False)[1]
    assert not found(there_and_back, wrapping=True)[1]
    assert not found(SEEN["a row"], apart=False)[1]  # elements of it may overlap
    assert not found(SEEN["a row"], "0, 9, 0")[1]
    assert found(SEEN["a row"], wrapping=True)[1]
    # A loop of few iterations is as fast without.
    assert not found(SEEN["a row"], "7")[1]
    assert found(SEEN["a row"], "8")[1]
    assert found(SEEN["a row"], "n, 0, -1")[1]
    assert not found(SEEN["a row"], "0, n, m")[1]
    assert not found(SEEN["a row"], "k[0]")[1]
