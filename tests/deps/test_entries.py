"""Subscripts and ranges read from index arrays, against what really happens."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine, found_dependences
from test_analyse import check_vectors

from autopar.deps.analyse import analyse
from autopar.deps.data import Elements, Equation, Facts, Overlap, highest, lowest
from autopar.nest.show import text
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import accesses
from drawn import sampled_from

RANKS = {"A": 1, "B": 2, "p": 1, "q": 1, "v": 1, "pairs": 2}
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


class Left(Exception):
    """An access outside its array."""


class Wrapping(Machine):
    """Arrays with bounds: negative subscripts wrap, others end the run."""

    def read(self, array, place, access, stmt):
        super().read(array, place, access, stmt)
        home = wrapped(place, self.extents[array])
        return self.cells.get((array, home), sum(home) % 5)


def wrapped(place, shape):
    if not all(-n <= k < n for k, n in zip(place, shape, strict=True)):
        raise Left
    return tuple(k % n for k, n in zip(place, shape, strict=True))


def elements(name, values):
    return Elements(
        name,
        distinct=len(set(values)) == len(values),
        rising=list(values) == sorted(values),
        roomy=True,
        scalable=True,
        consecutive=list(values) == list(range(values[0], values[0] + len(values))),
    )


def facts(contents, **more):
    found = tuple(elements(name, values) for name, values in sorted(contents.items()))
    ranks = tuple(sorted(RANKS.items()))
    return Facts(frozenset({"n", "m"}), ranks, elements=found, **more)


def values_of(contents, extents, n, m):
    found = {"n": n, "m": m}
    for name, values in contents.items():
        found |= {lowest(name): min(values), highest(name): max(values)}
    shapes = shapes_of(contents, extents)
    return found | {f"{a}.shape[{k}]": x for a, s in shapes.items() for k, x in enumerate(s)}


def shapes_of(contents, extents):
    shapes = {a: (extents,) * rank for a, rank in RANKS.items()}
    return shapes | {name: (len(values),) for name, values in contents.items()}


def settled(nest, given_facts, values):
    """As at a call: accesses that may wrap are not believed."""
    analysis = analyse(nest, given_facts)
    inside = analysis.inside(values)
    outside = frozenset(k for k, _ in analysis.in_bounds) - inside
    if outside:
        analysis = analyse(nest, replace(given_facts, unreadable=outside))
    return analysis, analysis.held(values), inside


def events_of(nest, contents, extents, n, m):
    shapes = shapes_of(contents, extents)
    machine = Wrapping({"n": n, "m": m, "s": 0}, shapes)
    machine.cells = {(a, (k,)): x for a, xs in contents.items() for k, x in enumerate(xs)}
    with contextlib.suppress(Left):
        machine.run(nest.loop)
    made = []
    for event in machine.events:
        try:
            home = wrapped(event.index, shapes[event.array])
        except Left:
            break
        made.append((event, type(event)(**{**vars_of(event), "index": home})))
    return made


def vars_of(event):
    return {name: getattr(event, name) for name in event.__dataclass_fields__}


@st.composite
def nests(draw):
    """One or two loops over subscripts from `p` and `q`, and rows that `p` bounds."""

    def place(around):
        one = draw(sampled_from([*around, *around, "n", "0"]))
        return one + draw(sampled_from(["", "", "", " + 1", " - 1"]))

    def index(around):
        array = draw(sampled_from("ppq"))
        kind = draw(st.integers(0, 9))
        if kind < 5:
            return f"{array}[{place(around)}]"
        if kind == 5:
            return f"{array}[{place(around)}] {draw(sampled_from(['+ 1', '- 1', '- 2']))}"
        if kind == 6:
            return f"p[q[{place(around)}]]"
        if kind == 7:
            return "s"
        return place(around)

    def element(around):
        if draw(st.integers(0, 3)):
            return f"A[{index(around)}]"
        return f"B[{index(around)}, {index(around)}]"

    def test(around):
        op = draw(sampled_from(["<", "==", "!=", ">="]))
        return f"{index(around)} {op} {index(around)}".replace("s", "0")

    def assign(around, pad):
        lines = [f"{pad}{element(around)} = {element(around)} * 3 + {element(around)}"]
        if draw(st.integers(0, 4)) == 0:
            lines = [f"{pad}if {test(around)}:", *("    " + line for line in lines)]
        if any("s" in line for line in lines):
            lines.insert(0, f"{pad}s = {index(around).replace('s', 'p[i]')}")
        return lines

    body = []
    kind = draw(st.integers(0, 3))
    if kind <= 1:
        body += assign(["i"], "    ")
    if kind >= 1:
        low, high = draw(
            sampled_from(
                [
                    ("p[i]", "p[i + 1]"),
                    ("p[i]", "p[i + 1]"),
                    ("p[i - 1]", "p[i]"),
                    ("p[2 * i]", "p[2 * i + 1]"),
                    ("p[i] + 1", "p[i + 1]"),
                    ("q[i]", "p[i]"),
                    ("0", "m"),
                    ("i", "p[i]"),
                ]
            )
        )
        step = draw(sampled_from(["", "", "", ", 2", ", -1"]))
        if step == ", -1":
            low, high = high + " - 1", low + " - 1"
        if draw(st.booleans()):
            body += [f"    low = {low}", f"    high = {high}"]
            low, high = "low", "high"
        body.append(f"    for j in range({low}, {high}{step}):")
        for _ in range(draw(st.integers(1, 2))):
            body += assign(["i", "j"], "        ")
    if kind == 3:
        body += assign(["i"], "    ")
    low = draw(sampled_from(["0", "0", "1"]))
    return "\n".join([f"for i in range({low}, n):", *body]) + "\n"


VALUES = st.lists(st.integers(-2, 6), min_size=1, max_size=6)
CONTENTS = st.one_of(
    VALUES,
    VALUES.map(sorted),
    st.lists(st.integers(0, 6), min_size=1, max_size=6, unique=True),
    st.permutations(range(5)),
    st.lists(st.integers(0, 5), min_size=3, max_size=6).map(sorted),
)


@QUICK
@given(
    source=nests(),
    p=CONTENTS,
    q=CONTENTS,
    extents=st.integers(1, 7),
    n=st.integers(0, 5),
    m=st.integers(0, 3),
    wide=st.booleans(),
)
def test_nothing_that_happens_is_missed(source, p, q, extents, n, m, wide):
    contents = {"p": p, "q": q}
    n = len(p) - 1 if wide else n
    nest = lift_text(source)
    values = values_of(contents, extents, n, m)
    analysis, held, inside = settled(nest, facts(contents), values)
    events = events_of(nest, contents, extents, n, m)
    for raw, home in events:
        if raw.access in inside:
            assert raw.index == home.index
    names = {access.id: text(access) for _, access in accesses(nest.loop)}
    said: dict[tuple, list] = {}
    for k in held:
        d = analysis.dependences[k]
        said.setdefault((d.source, d.sink, d.source_text, d.sink_text, d.level), []).append(d)
    for one, two, a, b, level, distance in found_dependences([home for _, home in events]):
        key = (one, two, names[a], names[b], level)
        assert key in said
        check_vectors(nest, said[key], {distance})


def levels(source, contents, extents, n, m=3, **more):
    nest = lift_text(source)
    values = values_of(contents, extents, n, m)
    analysis, held, inside = settled(nest, facts(contents, **more), values)
    everything = {access.id for _, access in accesses(nest.loop)}
    carried = {
        analysis.dependences[k].level for k in held if not analysis.dependences[k].scalar
    } - {None}
    return carried, everything - inside, [analysis.dependences[k] for k in held]


SCATTER = "for i in range(n):\n    A[p[i]] = A[p[i]] + v[i]\n"
ROWS = "for i in range(n):\n    for j in range(p[i], p[i + 1]):\n        A[j] = A[j] + v[i]\n"
NAMED = """
for i in range(n):
    low = p[i]
    high = p[i + 1]
    for j in range(low, high):
        A[j] = A[j] + v[i]
"""


def test_a_permutation_scatters_without_dependences():
    assert levels(SCATTER, {"p": [2, 0, 1]}, 3, 3)[:2] == (set(), set())


@pytest.mark.parametrize("values", [[2, 0, 2], [0, 0, 0]])
def test_an_element_named_twice_is_a_dependence_with_a_reason(values):
    carried, outside, held = levels(SCATTER, {"p": values}, 3, 3)
    assert (carried, outside) == ({1}, set())
    assert {d.blame for d in held} == {("p", "repeats")}


@pytest.mark.parametrize(
    ("values", "extents"),
    [([2, 0, -1], 3), ([2, 0, 3], 3)],
)
def test_an_element_that_wraps_or_leaves_the_array_is_not_believed(values, extents):
    """-1 and 2 are different numbers and one element."""
    carried, outside, _ = levels(SCATTER, {"p": values}, extents, 3)
    assert carried == {1}
    assert len(outside) == 2


def test_a_subscript_of_the_index_array_that_wraps_is_not_believed():
    source = "for i in range(n):\n    A[p[i - 1]] = v[i]\n"
    assert levels(source, {"p": [2, 0, 1]}, 3, 3)[0] == {1}
    shifted = "for i in range(1, n):\n    A[p[i - 1]] = v[i]\n"
    assert levels(shifted, {"p": [2, 0, 1]}, 3, 3)[0] == set()


def test_another_element_of_the_permutation_is_a_recurrence():
    source = "for i in range(1, n):\n    A[p[i]] = A[p[i - 1]]\n"
    carried, _, held = levels(source, {"p": [2, 0, 1]}, 3, 3)
    assert carried == {1}
    assert {d.distance for d in held} == {(1,)}
    assert {d.blame for d in held} == {None}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A[p[i] - 1] = v[i]", set()),
        ("A[p[i]] = A[p[i] - 1]", {1}),
        ("A[p[q[i]]] = v[i]", set()),
        ("A[p[i]] = A[q[i]]", {1}),
        ("A[p[2 * i]] = v[i]", set()),
        ("A[p[i // 2]] = v[i]", {1}),
        ("A[2 * p[i]] = v[i]", {1}),
        ("A[p[i] + p[i]] = v[i]", {1}),
        ("s = p[i]\n    A[s] = A[s] + v[i]", set()),
        ("s = p[i]\n    A[s] = v[i]\n    s = q[i]\n    A[s] = v[i]", {1}),
        ("s = int(p[i])\n    A[s] = A[s] + v[i]", {1}),
        ("B[p[i], q[i]] = v[i]", set()),
        ("if p[i * i] != p[i * n]:\n        A[0] = v[i]", {1}),
        ("if p[i] < p[i + 1]:\n        A[i] = v[i]", set()),
    ],
)
def test_what_is_read_of_an_element(body, expected):
    contents = {"p": [5, 3, 1, 2, 4], "q": [1, 4, 3, 0, 2]}
    assert levels(f"for i in range(n):\n    {body}\n", contents, 6, 2)[0] == expected


def test_an_element_made_a_python_integer_is_the_same_number():
    source = "for i in range(n):\n    s = int(p[i])\n    A[s] = A[int(p[i])] + v[i]\n"
    contents = {"p": [5, 3, 1, 2, 4]}
    assert levels(source, contents, 6, 3, builtins=frozenset({"int"}))[:2] == (set(), set())
    assert levels(source, contents, 6, 3)[0] == {1}


def test_index_arrays_with_elements_of_their_own_never_meet():
    source = "for i in range(n):\n    A[p[i]] = A[q[i]] + A[9]\n"
    assert levels(source, {"p": [3, 5, 4], "q": [2, 0, 2]}, 10, 3)[0] == set()
    assert levels(source, {"p": [3, 5, 4], "q": [2, 0, 3]}, 10, 3)[0] == {1}
    assert levels(source, {"p": [3, 9, 4], "q": [2, 0, 2]}, 10, 3)[0] == {1}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A[pairs[i, 0]] = A[pairs[i, 1]] + v[i]", set()),
        ("A[pairs[i, 0]] = A[pairs[i + 1, 0]]", {1}),
        ("A[pairs[i, 0]] = A[pairs[i - 1, 1]]", {1}),
        ("A[pairs[0, i]] = v[i]", set()),
        ("A[pairs[0, 0]] = v[i]", {1}),
        ("for j in range(pairs[i, 0], pairs[i, 1]):\n        A[j] = v[i]", {1}),
    ],
)
def test_index_arrays_of_two_axes(body, expected):
    """Elements in a row that rise say nothing of an axis."""
    nest = lift_text(f"for i in range(n):\n    {body}\n")
    known = facts({"p": [0]}, builtins=frozenset())
    found = replace(known, elements=(Elements("pairs", True, False, True),))
    values = values_of({"p": [0]}, 9, 2, 0) | {"min(pairs)": 0, "max(pairs)": 5}
    analysis, held, _ = settled(nest, found, values)
    assert {analysis.dependences[k].level for k in held} - {None, 2} == expected
    doubled = replace(known, elements=(Elements("pairs", False, False, True),))
    analysis, held, _ = settled(nest, doubled, values)
    assert 1 in {analysis.dependences[k].level for k in held}


def test_the_places_of_two_dimensions_are_apart_if_one_is():
    source = "for i in range(n):\n    for j in range(m):\n        B[p[i], j] = B[p[i], j] + v[j]\n"
    assert levels(source, {"p": [2, 0, 1]}, 4, 3)[0] == set()
    assert levels(source, {"p": [2, 0, 2]}, 4, 3)[0] == {1}
    same_row = source.replace("j] ", "0] ")
    carried, _, held = levels(same_row, {"p": [2, 0, 1]}, 4, 3)
    assert carried == {2}
    assert {d.blame for d in held} == {None}


@pytest.mark.parametrize("source", [ROWS, NAMED])
@pytest.mark.parametrize(
    ("values", "expected"),
    [([0, 2, 2, 5], set()), ([0, 0, 0, 0], set()), ([0, 3, 2, 5], {1}), ([0, 2, 2, 9], {1})],
)
def test_rows_of_a_rising_array_are_apart(source, values, expected):
    """The last one leaves `A`, so nothing is believed of ``A[j]``."""
    carried, outside, held = levels(source, {"p": values}, 5, 3)
    assert carried - {2} == expected
    assert bool(outside) == (max(values) > 5)
    blamed = {d.blame for d in held if d.level == 1}
    assert blamed == ({("p", "falls")} if expected and not outside else {None} & blamed)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("p[i], p[i + 1]", set()),
        ("p[i], p[i + 2]", {1}),
        ("p[i] - 1, p[i + 1] - 1", set()),
        ("p[i], p[i + 1] + 1", {1}),
        ("p[i + 1] - 1, p[i] - 1, -1", set()),
        ("p[n - i - 1], p[n - i]", set()),
        ("p[i], q[i + 1]", {1}),
        ("p[i], p[i + 1], 2", set()),
    ],
)
def test_how_rows_are_bounded(head, expected):
    source = f"for i in range(n):\n    for j in range({head}):\n        A[j] = v[i]\n"
    contents = {"p": [1, 2, 2, 4, 6], "q": [1, 2, 2, 4, 6]}
    assert levels(source, contents, 9, 3)[0] == expected


def test_rows_that_a_subscript_wraps_into_are_not_believed():
    source = "for i in range(n):\n    for j in range(p[i - 1], p[i]):\n        A[j] = v[i]\n"
    assert levels(source, {"p": [0, 2, 3]}, 5, 3)[0] == {1}


def test_a_loop_over_the_same_name_does_not_change_what_a_scalar_stands_for():
    """``A[s]`` is one element for all of the inner loop, though `p` names each only once."""
    source = "for i in range(n):\n    s = p[i]\n    for i in range(m):\n        A[s] = v[i]\n"
    assert 2 in levels(source, {"p": [2, 0, 1]}, 3, 2, 2)[0]


def test_views_that_overlap_are_read_through_index_arrays_too():
    source = "for i in range(n):\n    A[p[i]] = v[p[i]]\n"
    shifted = frozenset({Overlap("A", "v", (Equation((1,), (1,), 1, (None,), (None,)),))})
    contents = {"p": [2, 0, 1]}
    assert levels(source, contents, 3, 3, tangled=shifted)[0] == {1}
    same = {"same": (("A", "v"),)}
    assert levels(source, contents, 3, 3, **same)[0] == set()
    assert levels(source, {"p": [1, 1, 0]}, 3, 3, **same)[0] == {1}


def test_without_facts_an_index_array_may_hold_anything():
    nest = lift_text(SCATTER)
    plain = Facts(frozenset({"n"}), tuple(sorted(RANKS.items())))
    analysis = analyse(nest, plain)
    held = analysis.held({"n": 3} | {f"{a}.shape[0]": 9 for a in RANKS})
    assert {analysis.dependences[k].level for k in held} >= {1}
