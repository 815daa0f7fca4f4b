"""Boxes around all accesses to an array, against where they really are."""

from __future__ import annotations

from hypothesis import given
from test_footprint import ANY, FACTS, QUICK, SHAPES, SIZES, everything, machine, values_of

from autopar.deps.data import Facts
from autopar.deps.spread import boxes
from autopar.nest.text.lift import lift_text


def claimed(source, sizes, facts=FACTS):
    nest = lift_text(source)
    found = boxes(nest, facts)
    values = values_of(found, nest, sizes)
    return {box.array: box.at(values) for box in found.arrays}


@QUICK
@given(source=ANY, sizes=SIZES)
def test_all_accesses_are_in_their_box(source, sizes):
    made = machine(sizes)
    made.run(lift_text(source).loop)
    got = claimed(source, sizes)
    for event in made.events:
        if event.index in everything(event.array) and event.array in got:
            ends = got[event.array]
            assert all(a <= x <= b for x, (a, b) in zip(event.index, ends, strict=True)), source


def test_boxes_are_tight_and_in_the_array():
    sizes = {"n": 4, "m": 3, "q": 1}
    source = (
        "for i in range(1, n):\n    for j in range(i):\n        B[i, j + 1] = A[i - 1] + C[n - j]\n"
    )
    assert claimed(source, sizes) == {"A": ((0, 2),), "B": ((1, 3), (1, 3)), "C": ((2, 4),)}
    got = claimed(source, sizes | {"n": 9})
    assert got["B"] == ((1, SHAPES["B"][0] - 1), (1, SHAPES["B"][1] - 1))
    assert claimed(source, sizes | {"n": 0})["A"] == ((0, -1),)


def test_a_loop_that_does_nothing_counts_only_for_its_own_variable():
    """A kernel may look at a row of cells behind the loop that would have written it."""
    source = (
        "for i in range(n):\n    for k in range(q):\n        for j in range(m):\n"
        "            B[i, j] = B[i, j] + 1\n"
    )
    got = claimed(source, {"n": 4, "m": 3, "q": 0})
    assert got["B"] == ((0, 3), (0, 2))


def test_what_is_not_affine_is_all_of_an_axis():
    sizes = {"n": 4, "m": 3, "q": 1}
    assert claimed("for i in range(n):\n    B[idx[i], i] = 1\n", sizes)["B"] == ((0, 6), (0, 3))
    facts = Facts(FACTS.ints, FACTS.ranks, unreadable=frozenset(range(20)))
    assert claimed("for i in range(n):\n    A[i] = 1\n", sizes, facts)["A"] == ((0, 6),)
