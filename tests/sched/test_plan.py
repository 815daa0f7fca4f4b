"""Plans and nests as text."""

from __future__ import annotations

import ast

import pytest

from autopar.nest.ir import Assign, Binary, Const, Element, Name
from autopar.nest.show import lines, text
from autopar.nest.text.lift import lift_text

X = Name("x")


@pytest.mark.parametrize(
    "source",
    [
        "a - (b - c)",
        "a - b - c",
        "(a + b) * c // d % e",
        "a * (b // c)",
        "-(a + b)",
        "-a ** 2",
        "(-a) ** 2",
        "a ** -b",
        "(a ** b) ** c",
        "a ** b ** c",
        "not (a < b and c)",
        "not a < b or c",
        "(a or b) and c",
        "a < b",
        "(a < b) == c",
        "a if b else c if d else e",
        "(a if b else c) + 1",
        "(a if b else c) if d else e",
        "a | b & c ^ d",
        "a << (b >> c)",
        "f(a, b + c) + A[i, -j + 1]",
        "~a + +b",
        "1.5e+300 * 2",
    ],
)
def test_text_means_what_was_read(source):
    """As little as needed and never less: the tree of the text is the tree of the source."""
    nest = lift_text(f"for i in range(n):\n    z = {source}\n")
    (stmt,) = nest.loop.body
    assert isinstance(stmt, Assign)
    again = text(stmt.value)
    assert ast.dump(ast.parse(again)) == ast.dump(ast.parse(source))
    assert len(again) <= len(source) + 2


def test_a_negative_literal_is_an_operand_like_any_other():
    assert text(Binary("**", Const(-2), X, 1)) == "(-2) ** x"
    assert text(Binary("-", X, Const(-2), 1)) == "x - -2"
    assert text(Element("A", (X, Const(0)), 1, 1)) == "A[x, 0]"


def test_lines_of_every_statement():
    source = """
for i in range(n):
    for j in range(1, m, 2):
        if A[i, j] > 0:
            continue
        else:
            s = len(A)
        while s > 0:
            s = s - 1
            if s == 3:
                break
        A[i, j] = s
"""
    expected = source.strip().replace("len(A)", "A.shape[0]")
    assert "\n".join(lines(lift_text(source).loop)) == expected
