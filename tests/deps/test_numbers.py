"""Parameters that multiply, divide or step: analyses with their numbers, against real runs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from nests import INTS, RANKS
from replay import Machine
from test_analyse import check_vectors, happened, parameters, said

from autopar.deps import cases, relations, sets
from autopar.deps.analyse import _analyse, analyse
from autopar.deps.data import ALWAYS, NEVER, Condition, Facts
from autopar.nest.ir import Const, For
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import accesses, statements
from drawn import sampled_from

BUILTINS = frozenset({"min", "max"})
FACTS = Facts(frozenset(INTS), tuple(sorted(RANKS.items())), builtins=BUILTINS)
SIZES = st.fixed_dictionaries(
    {"n": st.integers(-1, 5), "m": st.integers(-2, 4), "q": st.integers(-3, 3)}
)
EXTENTS = st.fixed_dictionaries({name: st.integers(0, 9) for name in RANKS})
QUICK = settings(max_examples=90, deadline=None, suppress_health_check=list(HealthCheck))

INDEX = [
    "{0} * m + {1}", "m * {0} + {1} + 1", "({0} - 1) * m + {1}", "({0} * m + {1}) * q + {1}",
    "{0} * q", "{0} * q + 1", "{0} // m", "{0} % m", "({0} + q) % n", "{0} // q % m",
    "{0} * A.shape[0] + {1}", "{0} * (m + 1) - {1}", "{0} + n * m",
    "min({0}, q)", "max({0} - 1, 0)", "min(max({0} + q, 0), n - 1)", "min({0}, {1}, 2)",
    "2 * max({0}, {1}) + 1", "{0}", "{0} + 1", "{0} + q",
]  # fmt: skip
RANGES = [
    "n", "n", "m", "1, n - 1", "0, n, m", "q, n, m", "n, 0, q", "0, n, 2", "(n + m - 1) // m",
    "n * m", "n if m > 0 else m",
]  # fmt: skip
INNER = [
    *RANGES, "{0}, min({0} + m, n)", "{0} * m, {0} * m + m", "{0} * m, min({0} * m + m, n)",
    "{0} + 1, n", "{0} % m, n, m",
]  # fmt: skip


@st.composite
def nests(draw):
    """One to three loops, with subscripts and ranges that are affine only for known numbers."""
    lines, around = [], []
    for var in "ijk"[: draw(st.integers(1, 3))]:
        bounds = draw(sampled_from(INNER if around else RANGES))
        turns = bounds.format(around[-1] if around else "")
        lines.append("    " * len(around) + f"for {var} in range({turns}):")
        around.append(var)

    def element():
        array = draw(sampled_from("ABC"))
        axes = (
            draw(sampled_from(INDEX)).format(draw(sampled_from(around)), draw(sampled_from(around)))
            for _ in range(RANKS[array])
        )
        return f"{array}[{', '.join(axes)}]"

    pad = "    " * len(around)
    if draw(st.integers(0, 3)) == 0:
        lines.append(pad + f"if {around[-1]} % m {draw(sampled_from(['==', '<']))} q:")
        pad += "    "
    for _ in range(draw(st.integers(1, 2))):
        lines.append(f"{pad}{element()} = {element()} + 1")
    return "\n".join(lines) + "\n"


def traced(nest, sizes, extents):
    """The run, or nothing for one that raises."""
    shapes = {a: (extents[a],) * rank for a, rank in RANKS.items()}
    made = Machine({**sizes}, shapes)
    try:
        made.run(nest.loop)
    except (ZeroDivisionError, ValueError):
        assume(False)
    return made


def at_call(nest, sizes):
    """Facts with the signs of steps and with the numbers that are wanted."""
    steps = []
    for loop in statements(nest.loop):
        if isinstance(loop, For) and not isinstance(loop.step, Const):
            step = Machine(dict(sizes), {}).value(loop.step, loop)
            assume(step)  # a call with a step of zero is refused
            steps.append((loop.id, 1 if step > 0 else -1))
    return Facts(FACTS.ints, FACTS.ranks, steps=tuple(steps), builtins=BUILTINS)


def with_numbers(facts, analysis, values):
    wanted = tuple((name, values[name]) for name in analysis.wanted)
    return Facts(facts.ints, facts.ranks, steps=facts.steps, builtins=facts.builtins, values=wanted)


def ends(nest, sizes):
    """``loop7.first`` and so on, of the ranges that do not change."""
    found = {}
    for loop in statements(nest.loop):
        if isinstance(loop, For):
            try:
                machine = Machine(dict(sizes), {})
                turns = range(*(machine.value(e, loop) for e in (loop.start, loop.stop, loop.step)))
            except KeyError:
                continue
            except ZeroDivisionError:
                assume(False)
            found[f"loop{loop.id}.first"] = turns.start
            found[f"loop{loop.id}.last"] = turns.start + (len(turns) - 1) * turns.step
    return found


def exact_or_wider(nest, facts):
    wider = []

    def noted(function):
        return lambda *args: wider.append(function) or function(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autopar.deps.analyse._NUMBERS_PATIENCE_S", 60.0)
        patch.setattr(cases, "_MOST_CASES", 16)
        patch.setattr(relations, "_everything", noted(relations._everything))
        patch.setattr(sets, "wider", noted(sets.wider))
        patch.setattr(sets.System, "leave_out", noted(sets.System.leave_out))
        return _analyse.__wrapped__(nest, facts, ()), not wider


@QUICK
@given(source=nests(), sizes=SIZES, extents=EXTENTS)
def test_with_numbers_the_dependences_are_those_that_happen(source, sizes, extents):
    nest = lift_text(source)
    made = traced(nest, sizes, extents)
    facts = at_call(nest, sizes)
    values = parameters(sizes, extents) | ends(nest, sizes)
    plain = analyse(nest, facts)
    want = happened(nest, made.events)
    assert set(want) <= set(said(plain, plain.held(values)))
    analysis, exact = exact_or_wider(nest, with_numbers(facts, plain, values))
    got = said(analysis, analysis.held(values))
    assert set(want) <= set(got)
    if exact and not analysis.wanted:
        assert set(got) == set(want)
    if not facts.steps:
        for key, seen in want.items():
            check_vectors(nest, got[key], seen)


@QUICK
@given(source=nests(), sizes=SIZES, extents=EXTENTS)
def test_an_access_said_to_be_in_bounds_is(source, sizes, extents):
    nest = lift_text(source)
    made = traced(nest, sizes, extents)
    facts = at_call(nest, sizes)
    values = parameters(sizes, extents) | ends(nest, sizes)
    plain = analyse(nest, facts)
    analysis, exact = exact_or_wider(nest, with_numbers(facts, plain, values))
    everything = {access.id for _, access in accesses(nest.loop)}
    outside = {e.access for e in made.events if not all(0 <= x < extents[e.array] for x in e.index)}
    assert not plain.inside(values) & outside
    assert not analysis.inside(values) & outside
    if exact and not analysis.wanted:
        assert analysis.inside(values) == everything - outside


FLAT = "for i in range(n):\n    for j in range(w):\n        A[i * m + j] = C[i, j]\n"
FLAT_FACTS = Facts(frozenset({"n", "m", "w"}), (("A", 1), ("C", 2)))


def levels(source, facts, values):
    analysis = analyse(lift_text(source), facts)
    return {analysis.dependences[k].level for k in analysis.held(values)}


@pytest.mark.parametrize(
    ("m", "expected"),
    [(8, set()), (7, set()), (6, {1}), (1, {1}), (0, {1}), (-6, {1}), (-7, set())],
)
def test_rows_of_a_flat_array_are_apart_where_they_are_long_enough(m, expected):
    values = {"n": 5, "m": m, "w": 7, "A.shape[0]": 99, "C.shape[0]": 9, "C.shape[1]": 9}
    numbers = Facts(FLAT_FACTS.ints, FLAT_FACTS.ranks, values=(("m", m),))
    assert levels(FLAT, FLAT_FACTS, values) == {1, 2}
    assert levels(FLAT, numbers, values) == expected


def test_only_the_numbers_that_are_needed_are_wanted():
    def wanted(source):
        return analyse(lift_text(source), FACTS).wanted

    assert wanted("for i in range(n):\n    A[i * m + q] = 1\n") == ("m",)
    assert wanted("for i in range(n):\n    A[(i * m + 1) * q] = 1\n") == ("m", "q")
    assert wanted("for i in range(0, n, q):\n    A[i // A.shape[0]] = 1\n") == ("A.shape[0]",)
    assert wanted("for i in range(n + m):\n    A[i + 2 * q] = A[i % 3]\n") == ()
    # Their first and last value say as much as the numbers would.
    assert wanted("for i in range(n * m):\n    A[i] = A[i + 1]\n") == ()
    # No integer has anything to do with it.
    assert wanted("for i in range(n):\n    if A[i] * m > 3:\n        A[i] = A[i - 1]\n") == ()


def test_a_size_of_more_axes_is_no_extent():
    source = "for i in range(n):\n    A[i * B.size] = 1\n"
    assert analyse(lift_text(source), FACTS).wanted == ()


def test_min_in_a_subscript_is_read_only_where_it_is_the_builtin():
    source = "for i in range(n):\n    A[min(i, q)] = 1\n"
    values = {"n": 5, "q": 9, "A.shape[0]": 9}
    known = analyse(lift_text(source), FACTS)
    assert not known.held(values)
    assert known.held(values | {"q": 3})
    unknown = analyse(lift_text(source), Facts(FACTS.ints, FACTS.ranks))
    assert unknown.held(values)
    assert known.inside(values)
    assert not known.inside(values | {"q": -1})
    assert not unknown.inside(values)


def test_too_many_cases_are_not_read():
    axis = " + ".join(f"min(i, {k})" for k in range(3))
    analysis = analyse(lift_text(f"for i in range(n):\n    A[{axis}] = 1\n"), FACTS)
    assert [str(d.when) for d in analysis.dependences] == ["n >= 2"]


def test_conditions_that_all_must_hold():
    one, two = Condition("p0 > 1", ("n",)), Condition("p0 > p1", ("m", "n"))
    both = relations.all_of([one, ALWAYS, two])
    assert both.holds({"n": 2, "m": 3})
    assert not both.holds({"n": 1, "m": 3})
    assert not both.holds({"n": 2, "m": 2})
    assert relations.all_of([ALWAYS, ALWAYS]) == ALWAYS
    assert not relations.all_of([one, NEVER]).holds({"n": 2})
