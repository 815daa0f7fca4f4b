"""Programs of the fuzz grammar with draws in place of some of their numbers."""

from __future__ import annotations

import ast
import random
import textwrap
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from outcome import same

from fuzz.choices import seeded
from fuzz.grammar import program
from fuzz.program import Program
from fuzz.setting import as_wanted, eager
from fuzz.values import values

FLOATS = (
    "rng.random()", "np.random.rand()", "random.random()", "np.random.randn()",
    "random.gauss(0.0, 1.0)", "rng.uniform(-1, {0})", "random.uniform({0}, 2)", "rng.normal()",
    "np.random.uniform(0.0, {0})", "legacy.normal(0.5, 2.0)",
)  # fmt: skip
INTS = (
    "rng.integers(3)", "np.random.randint(0, 3)", "random.randint(0, 2)", "random.randrange(4)",
    "rng.integers(0, {0})", "legacy.randint(1, 5)",
)  # fmt: skip
HEAD = """\
import itertools
import math
import random
from types import SimpleNamespace
import numpy as np
np.random.seed(3)
random.seed(4)
rng, legacy = np.random.default_rng(5), np.random.RandomState(6)
"""
TAIL = """\
states = [
    np.random.get_state(legacy=False), rng.bit_generator.state, legacy.get_state(legacy=False),
    list(random.getstate()),
]
"""


class _Drawing(ast.NodeTransformer):
    """Draws in place of some numbers that are read."""

    def __init__(self, choices: random.Random) -> None:
        self.choices = choices
        self.found = 0

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self.changed(node) if type(node.value) in (int, float) else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.changed(node) if isinstance(node.ctx, ast.Load) and len(node.id) == 1 else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.slice = self.visit(node.slice)
        return self.changed(node) if isinstance(node.ctx, ast.Load) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return node if isinstance(node.operand, ast.Constant) else self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.stmt:
        node.body = [self.visit(stmt) for stmt in node.body]
        if self.found and not self.choices.randrange(6):
            node.iter = self.visit(node.iter)
        return node

    def changed(self, node: ast.expr) -> ast.expr:
        if self.choices.randrange(5):
            return node
        self.found += 1
        whole = isinstance(node, ast.Constant) and type(node.value) is int
        form = self.choices.choice(INTS if whole or not self.choices.randrange(3) else FLOATS)
        return ast.parse(form.format(ast.unparse(node)), mode="eval").body


def drawing(found: Program, choices: random.Random) -> str:
    """Text of the program that makes its inputs, runs the loop and keeps what can be seen."""
    change = _Drawing(choices)
    loop, helpers = (
        ast.unparse(change.visit(ast.parse(text))) for text in (found.loop, found.helpers)
    )
    shown = Program(found.setup, loop + "\n", place="function", helpers=helpers + "\n")
    inputs = shown.inputs("").items()
    names = sorted(n for n, v in inputs if not isinstance(v, ModuleType | type))
    text = shown.source(names)
    calls = "".join(
        f"{call}try:\n    left = sorted(program({', '.join(names)}).items())\n"
        f"except Exception as error:\n    left = repr(error)\nkept{number} = left\n"
        for number, call in enumerate(found.calls)
    )
    return f"{HEAD}{found.setup}{text}{textwrap.dedent(calls)}{TAIL}"


def judged(seed: int, number: int) -> Mapping[int, str]:
    """What became of the loops of one program, which does the same both ways."""
    found = program(seeded(seed, number))
    text = drawing(found, random.Random(f"{seed}:{number}"))
    with as_wanted(found), np.errstate(all="ignore"):
        return same(text, values=values)


@pytest.mark.filterwarnings("ignore")
def test_programs_that_draw(cache: Path) -> None:
    with eager(cache):
        loops = [judged(1, number) for number in range(60)]
    compiled = sum("compiled" in found.values() for found in loops)
    assert compiled >= 15
