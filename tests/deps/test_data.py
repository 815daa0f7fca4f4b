"""Conditions and how an analysis evaluates them; the graph made of the outcome."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopar.deps import sets
from autopar.deps.analyse import analyse
from autopar.deps.data import ALWAYS, NEVER, Analysis, Condition, Facts
from autopar.deps.graph import graph
from autopar.nest.text.lift import lift_text


def test_a_condition_reads_only_its_own_parameters():
    condition = Condition("p0 >= 2 and p1 % 3 == 0", ("n", "A.shape[0]"))
    assert condition.holds({"n": 2, "A.shape[0]": 6, "other": 1})
    assert not condition.holds({"n": 1, "A.shape[0]": 6})
    assert str(condition) == "n >= 2 and A.shape[0] % 3 == 0"
    assert ALWAYS.holds({})
    assert not NEVER.holds({})


def test_only_integers_are_values():
    with pytest.raises(TypeError):
        Condition("p0 >= 2", ("n",)).holds({"n": 2.0})


@given(n=st.integers(-9, 9), m=st.integers(-9, 9))
def test_an_analysis_decides_all_its_conditions_at_once(n, m):
    conditions = (
        Condition("p0 >= 2", ("m",)),
        Condition("p0 >= 2", ("n",)),
        ALWAYS,
        NEVER,
        Condition("p0 + p1 == 0 or p0 < p1", ("m", "n")),
    )
    analysis = Analysis(("n", "m"), (), tuple(enumerate(conditions)))
    values = {"n": n, "m": m}
    expected = {k for k, condition in enumerate(conditions) if condition.holds(values)}
    assert analysis.inside(values) == expected
    assert analysis.inside(values) is analysis.inside(values) or not expected
    assert analysis.held(values) == set()


@pytest.mark.parametrize(
    "body",
    ["A[3 * i + q] = A[2 * j] + 1", "A[i // 2 + q] = A[(j + q) % 3]", "A[i - 2 * j] = A[q]"],
)
@pytest.mark.parametrize("q", [-7, -1, 0, 1, 5])
def test_quotients_and_remainders_of_negative_numbers(body, q, monkeypatch):
    """Texts that isl makes with its own division, however long, against a search."""
    monkeypatch.setattr(sets, "_LONGEST", 1_000_000)
    monkeypatch.setattr(sets, "_MOST_DIVS", 1_000)
    source = f"for i in range(-6, n, 3):\n    for j in range(i, n, 2):\n        {body}\n"
    analysis = analyse(lift_text(source), Facts(frozenset("nq"), (("A", 1),)))
    write, read = (part.split("]")[0].strip()[2:] for part in body.split(" = "))
    for n in range(-7, 8):
        turns = [(i, j) for i in range(-6, n, 3) for j in range(i, n, 2)]
        real = set()
        for a in turns:
            for b in turns:
                to = eval(write, {}, {"i": a[0], "j": a[1], "q": q})
                if to == eval(read, {}, {"i": b[0], "j": b[1], "q": q}) and a != b:
                    level = 1 if a[0] != b[0] else 2
                    real.add(("true" if a < b else "anti", level))
        held = analysis.held({"n": n, "q": q})
        chosen = [analysis.dependences[k] for k in held]
        assert {(d.kind, d.level) for d in chosen if d.kind != "output"} == real


def test_the_graph_has_the_dependences_that_hold():
    nest = lift_text("for i in range(n):\n    A[i + k] = A[i] + 1\n    C[i] = A[i]\n")
    analysis = analyse(nest, Facts(frozenset("nk"), (("A", 1), ("C", 1))))
    made = graph(analysis, {"n": 9, "k": 2})
    first, second = (stmt.id for stmt in nest.loop.body)
    assert {(a, b, d["kind"], d["level"], d["distance"]) for a, b, d in made.edges(data=True)} == {
        (first, first, "true", 1, (None,)),
        (first, second, "true", 1, (None,)),
    }
    assert {line for _, line in made.nodes(data="line")} == {2, 3}
    assert graph(analysis, analysis.held({"n": 9, "k": 0})).number_of_edges() == 1


@pytest.mark.parametrize(
    "subscript",
    [
        "(-3 * i - m) // 6 + (3 * i) % 7 + (i - n) % 11",
        "(-i - m) // 2 + (3 * i) % 7 + (i - n) % 11",
        "(m - i) // 4 - (i + q) // 3 + (n - i) // 5",
        "(5 * i + n) // 13 + (3 * i) % 17",
    ],
)
def test_conditions_that_isl_could_not_write_in_years(subscript):
    """They are widened: such an access may be said to leave its bounds, but not to keep them."""
    code = (
        "from autopar.deps.analyse import analyse; from autopar.deps.data import Facts;"
        "from autopar.nest.text.lift import lift_text;"
        f"nest = lift_text('for i in range(n):\\n    A[i] = C[{subscript}]\\n');"
        "analyse(nest, Facts(frozenset('nmq'), (('A', 1), ('C', 1))))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
