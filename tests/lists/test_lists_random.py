"""Programs over lists made at random: the same with and without autopar."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import random
rng = random.Random({seed})
n, m = {n}, {m}
x = [rng.choice([0.5, -1.25, 3.0, 0.0, -0.0, rng.random()]) for _ in range(n)]
y = [rng.random() for _ in range(n)]
p = [rng.randrange(-4, 9) for _ in range(n)]
k = [rng.randrange(-n, n) for _ in range(n)]
f = [rng.random() < 0.5 for _ in range(n)]
a = [[rng.random() - 0.5 for _ in range(m)] for _ in range(n)]
b = [[rng.random() for _ in range(m)] for _ in range(n)]
q = [[rng.randrange(-9, 9) for _ in range(m)] for _ in range(n)]
z = [[0] * m for _ in range(n)]
w = [0] * n
t = tuple(y)
s, c = 0.0, 0
def work():
    global s, c
"""

TAIL = """
try:
    work()
except Exception as error:
    raised = repr(error)
"""


class Maker:
    """Text of one program.

    `outer` says what may be a subscript of the first axis at the place at hand, `inner` of the
    second; `rows` are names of rows there.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.outer = ["i"]
        self.inner: list[str] = []
        self.rows: list[str] = []
        self.float_rows: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def first(self) -> str:
        i = self.rng.choice(self.outer)
        return self.pick(i, i, i, i, f"{i} - 1", "-1", f"n - 1 - {i}", f"k[{i}]", f"{i} // 2")

    def second(self) -> str:
        if not self.inner:
            return self.pick("0", "-1")
        j = self.rng.choice(self.inner)
        return self.pick(j, j, j, j, f"{j} - 1", f"m - 1 - {j}", "0")

    def number(self, depth: int = 0) -> str:
        """A float."""
        leaves = [f"x[{self.first()}]", f"y[{self.first()}]", f"t[{self.first()}]", "0.25"]
        leaves += [f"a[{self.first()}][{self.second()}]", f"b[{self.first()}][{self.second()}]"]
        leaves += [f"{row}[{self.second()}]" for row in self.float_rows]
        if depth > 2 or self.rng.random() < 0.35:
            return self.rng.choice(leaves)
        one, two = self.number(depth + 1), self.number(depth + 1)
        whole = self.whole(depth + 1)
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"{one} * {two}", f"({one} * {whole})",
            f"({one} if {self.truth()} else {two})", f"abs({one})", f"min({one}, {two})",
            f"{one} / (1.5 + abs({two}))", f"(-{one})", f"({one} + z[{self.first()}][0])",
        )  # fmt: skip

    def whole(self, depth: int = 0) -> str:
        """An int."""
        leaves = [f"p[{self.first()}]", f"q[{self.first()}][{self.second()}]", "3", "i", "c"]
        if depth > 2 or self.rng.random() < 0.4:
            return self.rng.choice(leaves)
        one, two = self.whole(depth + 1), self.whole(depth + 1)
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"{one} % 7", f"{one} // 3", f"({one} & 15)",
            f"({one} * 2)", f"abs({one})", f"max({one}, {two})",
        )  # fmt: skip

    def truth(self) -> str:
        return self.pick(
            f"f[{self.first()}]", f"x[{self.first()}] < y[{self.first()}]",
            f"p[{self.first()}] > {self.rng.randrange(5)}", f"not f[{self.first()}]",
        )  # fmt: skip

    def assignment(self) -> str:
        i, j = self.first(), self.second()
        if self.rng.random() < 0.2:
            i = "i"
        floats = [f"x[{i}]", f"a[{i}][{j}]", f"a[{i}][{j}]", "s", f"z[{i}][{j}]", f"w[{i}]"]
        floats += [f"{row}[{j}]" for row in self.float_rows]
        ints = [f"p[{i}]", f"q[{i}][{j}]", "c"]
        match self.rng.randrange(8):
            case 0 | 1 | 2:
                return f"{self.rng.choice(floats)} {self.pick('=', '=', '+=')} {self.number()}"
            case 3 | 4:
                return f"{self.rng.choice(ints)} {self.pick('=', '+=')} {self.whole()}"
            case 5:
                return f"f[{i}] = {self.truth()}"
            case 6:
                return f"x[{i}], x[{self.first()}] = x[{self.first()}], x[{i}]"
        return f"s += {self.number()}"

    def block(self, depth: int, indent: str) -> None:
        for _ in range(self.rng.randrange(1, 4)):
            kind = self.rng.random()
            if kind < 0.3 and depth < 3:
                self.nested(depth, indent)
            elif kind < 0.4:
                self.lines.append(f"{indent}if {self.truth()}:")
                self.lines.append(f"{indent}    {self.assignment()}")
            elif kind < 0.5 and depth < 3:
                row = f"r{len(self.lines)}"
                self.lines.append(f"{indent}{row} = {self.pick('a', 'b')}[{self.first()}]")
                self.float_rows.append(row)
            else:
                self.lines.append(indent + self.assignment())

    def nested(self, depth: int, indent: str) -> None:
        number = len(self.lines)
        j, v = f"j{number}", f"v{number}"
        before = list(self.inner), list(self.float_rows)
        head = self.pick("range(m)", f"range(len(a[{self.outer[0]}]))", "range(1, m)")
        match self.rng.randrange(4):
            case 0 if self.float_rows:
                row = self.rng.choice(self.float_rows)
                self.lines.append(f"{indent}for {j}, {v} in enumerate({row}):")
                self.lines.append(f"{indent}    s += {v}")
            case 1:
                self.lines.append(f"{indent}for {j}, {v} in enumerate(q[i]):")
                self.lines.append(f"{indent}    c += {v}")
            case _:
                self.lines.append(f"{indent}for {j} in {head}:")
        self.inner.append(j)
        self.block(depth + 1, indent + "    ")
        self.inner, self.float_rows = before

    def text(self) -> str:
        n, m = self.rng.randrange(2, 7), self.rng.randrange(1, 6)
        for _ in range(self.rng.randrange(1, 3)):
            self.inner, self.float_rows = [], []
            match self.rng.randrange(4):
                case 0:
                    self.lines.append("    for i, row in enumerate(a):")
                    self.float_rows = ["row"]
                case 1:
                    self.lines.append("    for i in range(1, len(x)):")
                case 2:
                    self.lines.append("    for i, u in enumerate(x):")
                    self.lines.append("        s += u")
                case _:
                    self.lines.append("    for i in range(n):")
            self.block(0, "        ")
        head = HEAD.format(seed=self.rng.randrange(1000), n=n, m=m)
        return head + "\n".join(self.lines) + TAIL


def test_at_random() -> None:
    found = Counter(status for k in range(14) for status in same(Maker(k).text()).values())
    assert found["compiled"] > 10, found
