"""Dependences through names that only stand for an expression, and conditional subscripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nests import RANKS
from test_analyse import (
    EXTENTS,
    FACTS,
    QUICK,
    SIZES,
    check_vectors,
    exact_or_wider,
    happened,
    parameters,
    run,
    said,
)

from autopar.deps.analyse import analyse
from autopar.deps.cases import cases
from autopar.deps.data import NEVER
from autopar.nest.ir import Load
from autopar.nest.show import text
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import accesses
from drawn import sampled_from


@st.composite
def named(draw: st.DrawFn) -> str:
    """A nest whose subscripts, conditions and ranges name scalars assigned in it."""

    def affine(names: list[str]) -> str:
        one, two = draw(sampled_from(names)), draw(sampled_from([*names, "m", "1", "2"]))
        return draw(sampled_from(["{} + {}", "{} - {}", "{}", "2 * {} - {}"])).format(one, two)

    def index(names: list[str]) -> str:
        if draw(st.integers(0, 3)):
            return affine(names)
        op = draw(sampled_from(["<", "==", "!=", ">="]))
        body, test, orelse = affine(names), f"{affine(names)} {op} {affine(names)}", affine(names)
        return f"({body} if {test} else {orelse}) + {draw(st.integers(0, 1))}"

    def element(names: list[str]) -> str:
        array = draw(sampled_from("ABC"))
        return f"{array}[{', '.join(index(names) for _ in range(RANKS[array]))}]"

    def line(names: list[str], pad: str) -> list[str]:
        made = f"{pad}{element(names)} = {element(names)} + 1"
        if draw(st.integers(0, 3)):
            return [made]
        return [f"{pad}if {affine(names)} > {affine(names)}:", f"    {made}"]

    lines = ["for i in range(n):", f"    t = {affine(['i'])}"]
    lines += line(["i", "t", "t"], "    ")
    stop = draw(sampled_from(["n", "t", "m"]))
    lines += [f"    for j in range({stop}):", f"        u = {affine(['i', 'j', 't'])}"]
    lines += line(["i", "j", "t", "u", "u"], "        ")
    return "\n".join(lines) + "\n"


@QUICK
@given(source=named(), sizes=SIZES, extents=EXTENTS)
def test_exactly_the_dependences_and_bounds_that_happen(source, sizes, extents):
    nest = lift_text(source)
    analysis, exact = exact_or_wider(nest)
    values = parameters(sizes, extents)
    events = run(nest, sizes, extents).events
    got, want = said(analysis, analysis.held(values)), happened(nest, events)
    assert set(want) <= set(got)
    if exact:
        assert set(got) == set(want)
    for key, seen in want.items():
        check_vectors(nest, got[key], seen)
    outside = {e.access for e in events if not all(0 <= x < extents[e.array] for x in e.index)}
    assert not analysis.inside(values) & outside
    if exact:
        assert analysis.inside(values) == {a.id for _, a in accesses(nest.loop)} - outside


def levels(source: str) -> set[tuple[str, str, int | None]]:
    found = analyse(lift_text(source), FACTS).dependences
    return {(d.source_text, d.sink_text, d.level) for d in found if d.variable in RANKS}


def test_a_name_is_what_it_stands_for():
    assert levels("for i in range(n):\n    t = i + 1\n    A[t] = A[t] + 1\n") == set()
    found = levels("for i in range(n):\n    t = i + 1\n    s = t - 1\n    A[t] = A[s] + 1\n")
    assert found == {("A[t]", "A[s]", 1)}


@pytest.mark.parametrize(
    "source",
    [
        # Assigned again, so the name may stand for either.
        "for i in range(n):\n    t = i\n    if i > m:\n        t = q\n    A[t] = A[t] + 1\n",
        # Read before it is assigned: the value of another iteration.
        "for i in range(n):\n    A[t] = A[t] + 1\n    t = i\n",
        # Not assigned in every iteration.
        "for i in range(n):\n    if i > m:\n        t = i\n    A[t] = A[t] + 1\n",
        # Assigned by a loop that may not run; `j` means nothing after it.
        "for i in range(n):\n    for j in range(m):\n        t = i + j\n    A[t] = A[t] + 1\n",
        # An element may change between the name and its use.
        "for i in range(n):\n    t = A[i]\n    A[t] = A[t] + 1\n",
        # Not exact: NumPy's integers wrap (`w` is none of the known integers).
        "for i in range(n):\n    t = i + w\n    A[t] = A[t] + 1\n",
    ],
)
def test_what_does_not_stand_for_an_expression(source):
    assert ("A[t]", "A[t]", 1) in levels(source)


def test_an_access_is_in_bounds_only_if_it_is_in_every_case():
    source = "for i in range(n):\n    B[i, i] = A[{}] + 1\n"
    for index, inside in (("i if i < m else 0", True), ("i if i < m else -1", False)):
        nest = lift_text(source.format(index))
        found = dict(analyse(nest, FACTS).in_bounds)
        (load,) = (a for _, a in accesses(nest.loop) if isinstance(a, Load))
        values = {"n": 4, "m": 2, "A.shape[0]": 4, "B.shape[0]": 4, "B.shape[1]": 4}
        assert found[load.id] != NEVER
        assert found[load.id].holds(values) == inside


def split(index: str) -> list[str]:
    nest = lift_text(f"for i in range(n):\n    A[{index}] = 1\n")
    *_, (_, access) = accesses(nest.loop)  # the target
    return [
        f"{', '.join(map(text, axes))} where "
        + " and ".join(f"{text(test)} is {holds}" for test, holds in tests)
        for tests, axes in cases(access.index)
    ]


def test_cases():
    assert split("i + 1") == ["i + 1 where "]
    assert split("1 - (i if i > m else n)") == [
        "1 - i where i > m is True",
        "1 - n where i > m is False",
    ]
    assert split("(i if i > m else (n if i == 0 else q)) * 2") == [
        "i * 2 where i > m is True",
        "n * 2 where i > m is False and i == 0 is True",
        "q * 2 where i > m is False and i == 0 is False",
    ]
    assert split("A[i if i > m else n]") == ["A[i if i > m else n] where "]
    many = " + ".join(f"(i if i > {k} else n)" for k in range(3))
    assert split(many) == [f"{many} where "]
