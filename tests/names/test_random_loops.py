"""Random nests in which loops share, rebind and leave their variables, with ``else`` clauses."""

from __future__ import annotations

import random

import pytest
from outcome import same

HEAD = """\
import numpy as np
a = np.arange(40.0)
b = np.zeros(40)
i = j = k = 1
s = 0.5
"""
NAMES = ("i", "j", "k")


class Writer:
    """One program; `depth` loops around the current line."""

    def __init__(self, seed: int) -> None:
        self.random, self.lines = random.Random(seed), [HEAD]

    def number(self) -> str:
        return self.random.choice([*NAMES, *NAMES, "1", "2", "i + 1", "j * 2", "k - i"])

    def index(self) -> str:
        return f"({self.number()}) % 37"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text + "\n")

    def loop(self, depth: int) -> None:
        name = self.random.choice(NAMES)
        bound = self.random.choice(["3", "4", "2", "i % 4", "j % 3 + 1", "k % 3"])
        self.line(depth, f"for {name} in range({bound}):")
        self.block(depth + 1, depth + 1)
        if depth and self.random.random() < 0.4:
            self.line(depth, "else:")
            self.block(depth + 1, depth)

    def block(self, depth: int, loops: int) -> None:
        """Statements at the indentation `depth`, inside so many loops."""
        for _ in range(self.random.choice([1, 2, 2, 3])):
            self.statement(depth, loops)

    def statement(self, depth: int, loops: int) -> None:
        match self.random.randrange(9 if loops < 3 and depth < 5 else 6):
            case 0:
                self.line(depth, f"{self.random.choice(NAMES)} = ({self.number()}) % 9")
            case 1:
                self.line(depth, f"b[{self.index()}] += {self.number()}")
            case 2:
                self.line(depth, f"s = a[{self.index()}] + {self.number()}")
            case 3:
                self.line(depth, f"{self.random.choice(NAMES)} += 1")
            case 4:
                self.line(depth, f"b[{self.index()}], a[0] = s, b[{self.index()}]")
            case 5:
                self.line(depth, f"if ({self.number()}) % 3 == {self.random.randrange(3)}:")
                word = "pass" if depth == loops == 1 else self.random.choice(["break", "continue"])
                self.line(depth + 1, word if loops else "pass")
            case _:
                self.loop(depth)


def program(seed: int) -> str:
    """Ends soon: every loop runs over a range of at most four."""
    writer = Writer(seed)
    writer.loop(0)
    return "".join(writer.lines)


@pytest.mark.usefixtures("lenient")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(8))
def test_random_loops(seed):
    same(program(seed))
