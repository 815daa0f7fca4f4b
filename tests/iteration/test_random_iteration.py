"""Random loops of all the forms, in one another: the same as in Python, whatever is taken."""

from __future__ import annotations

import random

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import itertools
import numpy as np
rng = np.random.default_rng({seed})
n, m, k, z = {n}, {m}, {k}, {z}
A, B = rng.random((12, 12)), np.zeros((12, 12))
J = rng.integers(-5, 9, (12, 12))
u, v = rng.random(12), np.zeros(12)
s, x = {s}, 0.5
def run({params}):
    s, x = 0, 0.5
{body}
    return {results}
try:
    r = run({params})
except Exception as error:
    e = type(error).__name__, str(error)
"""
NAMES = tuple(f"i{number}" for number in range(40))


class Maker:
    """Makes the text of a few loops in one another."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.free = list(NAMES)
        self.used: list[str] = []

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def name(self) -> str:
        found = self.free.pop(0)
        self.used.append(found)
        return found

    def bound(self, around: list[str]) -> str:
        return self.pick("n", "m", "6", "n - k", "len(u)", "A.shape[0]", "k + 2", *around)

    def block(self, around: list[str], depth: int) -> list[str]:
        made = []
        for _ in range(self.random.randint(1, 2)):
            if depth and len(self.free) >= 2 and self.random.random() < 0.7:
                made += self.loop(around, depth - 1)
            else:
                made.append(self.statement(around))
        return made

    def statement(self, around: list[str]) -> str:
        one, two = (self.pick("0", "k", *around) for _ in range(2))
        number = self.pick("u[{0}]", "x", "1.5", "{0}", "A[{0}, {1}]", "J[{1}, {0}]", "s")
        number = number.format(one, two)
        return self.pick(
            f"B[{one}, {two}] = {number}",
            f"B[{one}, {two}] += {number} * 2",
            f"v[{one} % 12] = {number}",
            f"J[{one}, {two} - 1] = {one}",
            f"x = {number} + {two}",
            f"s += {one}",
            f"u[{one}] = v[{two}] + {number}",
        )

    def loop(self, around: list[str], depth: int) -> list[str]:
        kind = self.random.randrange(7)
        var = self.name()
        if kind < 2:
            return self.counted(var, around, depth)
        names = [var]
        if kind == 2:
            head = f"for {var} in np.arange({self.bound([])}):"
        elif kind == 3:
            names.append(self.name())
            ends = f"{self.bound([])}, {self.bound([])}"
            ranges = ", ".join(f"range({end})" for end in ends.split(", "))
            head = self.pick(
                f"for {', '.join(names)} in np.ndindex({ends}):",
                f"for {', '.join(names)} in itertools.product({ranges}):",
                f"for {', '.join(names)} in np.ndindex(A.shape):",
            )
        elif kind == 4:
            items = self.pick("(1, 2, 5)", "(0, 3)", "[4, 2, -1]", "(2,)", "(-1, 0, 1)", "(k, z)")
            head = f"for {var} in {items}:"
        elif kind == 5:
            names.append(self.name())
            items = self.pick("((0, 1), (1, 0), (-1, 2))", "[(1, 1), (2, 2)]")
            head = f"for {', '.join(names)} in {items}:"
        else:
            end = self.bound(around)
            head = f"for {var} in {self.pick(f'range({end})', f'reversed(range({end}))')}:"
        inside = self.block([*around, *names], depth)
        if self.random.random() < 0.25:
            leave = self.pick("break", "continue")
            test = f"if {self.pick(*names)} == {self.pick('2', 'k')}:"
            at = self.random.choice(_places(inside))
            inside[at:at] = [test, f"    {leave}"]
        lines = [head, *("    " + line for line in inside)]
        if self.random.random() < 0.2:
            lines += ["else:", "    s -= 1"]
        return lines

    def counted(self, var: str, around: list[str], depth: int) -> list[str]:
        end, step = self.bound(around), self.pick("1", "1", "2", "k")
        up = self.random.random() < 0.7
        start = self.pick("0", "1", "k", "z") if up else end
        test = f"{var} {self.pick('<', '<=')} {end}" if up else f"{var} {self.pick('>', '>=')} 1"
        change = f"{var} {'+' if up else '-'}= {step}"
        body = self.block([*around, var], depth)
        where = self.pick("end", "start", "middle")
        at = {"end": len(body), "start": 0, "middle": self.random.choice(_places(body))}[where]
        body.insert(at, change)
        return [f"{var} = {start}", f"while {test}:", *("    " + line for line in body)]

    def program(self, seed: int) -> str:
        body = self.loop([], 2) + self.loop([], 1)
        params = "A, B, J, u, v, n, m, k, z"
        return HEAD.format(
            seed=seed,
            n=self.random.randint(0, 11),
            m=self.random.randint(1, 11),
            k=self.random.randint(1, 3),
            z=self.pick("0", "1", "2", "np.int64(1)", "0.0", "True"),
            s=0,
            params=params,
            body="\n".join("    " + line for line in body),
            results=", ".join(["s", "x", *(f"locals().get({name!r})" for name in self.used)])
            if self.random.random() < 0.3
            else "s, x",
        )


def _places(lines: list[str]) -> list[int]:
    """Where whole statements begin: what is inside others begins with blanks."""
    return [n for n, line in enumerate(lines) if not line.startswith((" ", "else"))]


SEEDS = 40


@pytest.mark.parametrize("seed", range(SEEDS))
def test_means_the_same(seed):
    maker = Maker(seed)
    same(maker.program(seed))
