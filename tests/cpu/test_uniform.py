"""Loops that LLVM must not unroll into chains that all turns of a loop share."""

from __future__ import annotations

import ast

import pytest
from outcome import same

from autopar.cpu.uniform import uniform

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]


def lines(text: str) -> set[int]:
    (definition,) = ast.parse(text).body
    assert isinstance(definition, ast.FunctionDef)
    return {loop.lineno for loop in uniform(definition)}


def test_chains_that_all_turns_share() -> None:
    text = """
def kernel(o, Z, x):
    for i in range(20):
        s = 0.5
        for j in range(20):
            s = s * s + Z[j]
        o[i] = s
    for i in range(20):
        s = x[i]
        for j in range(20):
            s = s * s + Z[j]
        o[i] = s
    for i in range(20):
        s = 0.5
        for j in range(20):
            s = s + Z[j]
        o[i] = s
    for j in range(20):
        s = s * s
    for i in range(20):
        s = x[0]
        for j in range(20):
            s = s * s
            odd = noted(odd, s)
        odd = noted(odd, x[i])
        o[i] = s
"""
    assert lines(text) == {5, 22}


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
