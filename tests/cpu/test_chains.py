"""Chains of numbers that all turns of a loop share, with which LLVM would not come to an end."""

from __future__ import annotations

import ast

import pytest
from outcome import same

from autopar.cpu.chains import endless

pytestmark = [
    pytest.mark.usefixtures("lenient", "optimised"),
    pytest.mark.filterwarnings("ignore"),
]


def chained(body: str) -> bool:
    lines = "".join(f"        {line}\n" for line in body.strip("\n").split("\n"))
    (definition,) = ast.parse(f"def kernel(o, Z, x, q):\n    for i in range(20):\n{lines}").body
    assert isinstance(definition, ast.FunctionDef)
    return endless(definition)


ROW = "\n".join(["s = s * s + s * 0.5"] * 12)
LONG = {
    "an inner loop": "s = 0.5\nfor j in range(20):\n    s = s * s + Z[j]",
    "two numbers": """
a = q
b = x[0]
for j in range(24):
    t = a * b
    b = a * a - b * b
    a = t + t
""",
    "notes beside it": """
s = x[0]
for j in range(24):
    s = s * s
    odd |= s > x[i]
o[i] = s
""",
    "loops in a loop": """
s = q
for j in range(4):
    for k in range(8):
        s = s * s
""",
    "in a row": f"s = x[0]\n{ROW}\no[i] = s + x[i]",
    "after another use of the name": f"s = x[i]\no[i] = s\ns = q\n{ROW}",
    "under a condition that all share": f"s = q\nif q > 0.5:\n    s = s * s\n{ROW}",
}
SHORT = {
    "of what differs": "s = x[i]\nfor j in range(20):\n    s = s * s + Z[j]",
    "a sum": "s = 0.5\nfor j in range(20):\n    s = s + Z[j]",
    "a few": "s = 0.5\nfor j in range(n):\n    s = s * s",
    "carried from turn to turn": ROW,
    "around a loop of which nobody knows how long it is": (
        f"s = q\n{ROW}\nfor j in range(n):\n    o[j] = s + x[j]"
    ),
    "around one with a test": f"s = q\n{ROW}\nwhile o[i] < s:\n    o[i] += s",
    "under a condition": f"s = q\nif x[i] > 0.5:\n    s = s * s\n{ROW}",
}


@pytest.mark.parametrize("title", LONG)
def test_chains_that_all_turns_share(title: str) -> None:
    assert chained(LONG[title])


@pytest.mark.parametrize("title", SHORT)
def test_others(title: str) -> None:
    assert not chained(SHORT[title])


def test_squares_of_what_does_not_change_are_compiled_in_time() -> None:
    code = """
import numpy as np
o, Z = np.zeros(20, complex), np.linspace(0.0, 0.2, 20) * 1j
for i in range(20):
    s = 0j
    for j in range(20):
        s = s * s + Z[j]
    o[i] = s
"""
    assert same(code)[4] == "compiled"


def test_chains_beside_notes_of_what_is_odd_are_compiled_in_time() -> None:
    code = """
import numpy as np
x = np.linspace(-0.9, 0.9, 40)
o = np.zeros(40)
for i in range(40):
    a, b = x[0], x[1]
    for k in range(24):
        t = a * b
        b = a * a - b * b
        a = t + t
    o[i] = a + x[i]
"""
    assert same(code)[5] == "compiled"


@pytest.mark.parametrize("first", ["x[0]", "x[i]"])
def test_chains_in_a_row_are_compiled_in_time(first: str) -> None:
    chain = "\n".join(f"    a = a * a + a * {k % 2}.5" for k in range(24))
    code = f"""
import numpy as np
x = np.linspace(-0.9, 0.9, 40)
o = np.zeros(40)
for i in range(40):
    a = {first}
{chain}
    o[i] = a + x[i]
"""
    assert same(code)[5] == "compiled"


def test_chains_around_another_loop_are_compiled_in_time() -> None:
    """LLVM makes vectors of innermost loops, and asks of no others."""
    chain = "\n".join(f"    a = a * a + a * {k % 2}.5" for k in range(24))
    code = f"""
import numpy as np
x = np.linspace(-0.9, 0.9, 40)
o = np.zeros(40)
q = 0.5
for i in range(len(x)):
    a = q
{chain}
    for j in range(i, len(x)):
        o[j] = o[j] + a * x[j]
"""
    assert same(code)[6] == "compiled"


def test_dozens_of_statements_in_a_row_are_compiled() -> None:
    chain = "\n".join(f"    a = a * a + {k}.5" for k in range(30))
    code = f"""
import numpy as np
x = np.linspace(-0.9, 0.9, 40)
o = np.zeros(40)
for i in range(40):
    a = x[i]
{chain}
    o[i] = a
"""
    assert same(code)[5] == "compiled"
