"""What comes and what goes, against what really happens when a nest is run."""

from __future__ import annotations

import itertools

import nests
import pytest
import temporaries
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.cells import Footprint
from autopar.deps.data import Facts
from autopar.deps.footprint import footprint
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import statements

INTS = ("n", "m", "q")
RANKS = {"A": 1, "B": 2, "C": 1, "idx": 1, "t": 1, "u": 2, "a": 2, "b": 2}
FACTS = Facts(frozenset(INTS), tuple(sorted(RANKS.items())))
SHAPES = {array: (7, 6)[:rank] for array, rank in RANKS.items()}
SIZES = st.fixed_dictionaries(
    {"n": st.integers(-1, 5), "m": st.integers(-2, 4), "q": st.integers(-3, 3)}
)
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def machine(sizes):
    return Machine({**sizes, "s": 2, "t": 3}, SHAPES)


def values_of(found: Footprint, nest, sizes):
    values = dict(sizes)
    values |= {f"{a}.shape[{k}]": n for a, shape in SHAPES.items() for k, n in enumerate(shape)}
    for name in found.params:  # ranges that are not affine
        if name.startswith("loop"):
            number, _, end = name.removeprefix("loop").partition(".")
            loop = next(s for s in statements(nest.loop) if s.id == int(number))
            here = machine(sizes)
            around = range(*(here.value(e, loop) for e in (loop.start, loop.stop, loop.step)))
            last = around.start + (len(around) - 1) * around.step
            values[name] = around.start if end == "first" else last
    return values


def everything(array):
    return set(itertools.product(*map(range, SHAPES[array])))


def expanded(cells, array, values):
    """The cells that a descriptor means; all of the array for None."""
    if cells is None:
        return everything(array)
    found = cells.at(values)
    assert found is not None
    listed = []
    for first, directions in found:
        for steps in itertools.product(*(range(count) for count, _ in directions)):
            place = list(first)
            for k, (_, step) in zip(steps, directions, strict=True):
                place = [x + k * s for x, s in zip(place, step, strict=True)]
            listed.append(tuple(place))
    assert len(listed) == len(set(listed))  # each once
    assert set(listed) <= everything(array)
    return set(listed)


def claimed(source, sizes, facts=FACTS):
    """By array: what comes and what goes."""
    nest = lift_text(source)
    found = footprint(nest, facts)
    values = values_of(found, nest, sizes)
    return {
        one.array: tuple(expanded(c, one.array, values) for c in (one.coming, one.going))
        for one in found.arrays
    }


def true_of(source, sizes):
    """By array: what is read before it is written, and what is written, in one run."""
    made = machine(sizes)
    made.run(lift_text(source).loop)
    found: dict[str, tuple[set, set]] = {}
    for event in made.events:
        needed, written = found.setdefault(event.array, (set(), set()))
        if event.writes:
            written.add(event.index)
        elif event.index not in written:
            needed.add(event.index)
    return {
        array: (needed & everything(array), written & everything(array))
        for array, (needed, written) in found.items()
    }


def check(source, sizes, facts=FACTS):
    got = claimed(source, sizes, facts)
    for array, (needed, written) in true_of(source, sizes).items():
        coming, going = got[array]
        assert written <= going, (source, array)
        assert needed | (going - written) <= coming, (source, array)


ANY = st.one_of(
    nests.nests(affine=False, scalars=True, leaves=True), temporaries.temporaries(tests=True)
)


@QUICK
@given(source=ANY, sizes=SIZES)
def test_nothing_is_missed(source, sizes):
    check(source, sizes)


@QUICK
@given(source=st.one_of(nests.nests(), temporaries.temporaries()), sizes=SIZES)
def test_no_more_moves_than_must(source, sizes):
    """Where every range and subscript is affine, there are no tests and no quotients."""
    if any(part in source for part in ("//", "%", "n * m", "min(", "2 *", "if ", ", 2)", ", 3)")):
        return
    if ", -2)" in source:
        return
    got = claimed(source, sizes)
    for array, (needed, written) in true_of(source, sizes).items():
        coming, going = got[array]
        assert (coming, going) == (needed, written), (source, array)


@QUICK
@given(source=ANY, sizes=SIZES, number=st.integers(0, 9))
def test_a_subscript_that_may_wrap_is_not_believed(source, sizes, number):
    facts = Facts(FACTS.ints, FACTS.ranks, unreadable=frozenset({number}))
    check(source, sizes, facts)
    got = claimed(source, sizes, facts)
    for event in _events(source, sizes):
        if event.access == number and event.writes:
            assert got[event.array][1] == everything(event.array), source


def _events(source, sizes):
    made = machine(sizes)
    made.run(lift_text(source).loop)
    return made.events


FILL = "for i in range(n):\n    for j in range(m):\n        t[j] = b[i, j] * 2\n"
SIZE = {"n": 4, "m": 3, "q": 1}
CASES = [
    # source, array, what comes, what goes
    ("for i in range(n):\n    A[i] = C[i + 1]\n", "A", "", "0123"),
    ("for i in range(n):\n    A[i] = C[i + 1]\n", "C", "1234", ""),
    ("for i in range(n):\n    A[i] = A[i] + 1\n", "A", "0123", "0123"),
    ("for i in range(1, n):\n    A[i] = A[i - 1]\n", "A", "0", "123"),
    ("for i in range(n):\n    A[3 - i] = A[i]\n", "A", "01", "0123"),
    ("for i in range(0, n, 2):\n    A[i] = C[i] + C[i + 1]\n", "A", "", "02"),
    ("for k in range(q):\n    for i in range(1, n):\n        A[i] = C[i]\n"
     "    for i in range(1, n):\n        C[i] = A[i - 1] + A[i + 1]\n", "A", "04", "123"),
    # What only may be written comes, so that what goes is right.
    ("for i in range(n):\n    if C[i] > 4:\n        A[i] = 1\n", "A", "0123", "0123"),
    ("for i in range(n):\n    if C[i] > 4:\n        A[i] = 1\n    else:\n        A[i] = 2\n",
     "A", "", "0123"),
    ("for i in range(n):\n    A[idx[i]] = 1\n", "A", "0123456", "0123456"),
    ("for i in range(n):\n    C[i] = A[idx[i]]\n", "A", "0123456", ""),
    ("for i in range(n):\n    if C[i] > 4:\n        break\n    A[i] = 1\n", "A", "0123", "0123"),
    ("for i in range(n):\n    s = 0\n    while s < 2:\n        s = s + 1\n        A[s] = 1\n",
     "A", "0123456", "0123456"),
    # Sure only if the loop around it runs at all.
    ("for i in range(n):\n    for j in range(q):\n        A[i] = 1\n    C[i] = A[i]\n", "A", "",
     "0123"),
    ("for i in range(n):\n    for j in range(q - 1):\n        A[i] = 1\n    C[i] = A[i]\n", "A",
     "0123", ""),
]  # fmt: skip


@pytest.mark.parametrize(("source", "array", "comes", "goes"), CASES)
def test_by_hand(source, array, comes, goes):
    got = claimed(source, SIZE)[array]
    assert got == tuple({(int(k),) for k in word} for word in (comes, goes))
    check(source, SIZE)


def test_triangles_and_borders_are_exact():
    source = (
        "for i in range(n):\n    for j in range(i + 1):\n        B[i, j] = B[i, j] * 2\n"
        "    for j in range(i):\n        u[i, j] = u[j, i] + a[i, i]\n"
    )
    got = claimed(source, SIZE)
    lower = {(i, j) for i in range(4) for j in range(i + 1)}
    below = {(i, j) for i, j in lower if i > j}
    assert got["B"] == (lower, lower)
    assert got["u"] == ({(j, i) for i, j in below}, below)
    assert got["a"] == ({(i, i) for i in range(1, 4)}, set())


def test_boxes_take_one_descriptor_and_triangles_one_for_each_row():
    source = "for i in range(n):\n    for j in range({}):\n        B[i, j] = u[i, j] + a[i, i]\n"
    for end, rows in (("m", 1), ("i + 1", 4)):
        nest = lift_text(source.format(end))
        found = footprint(nest, FACTS)
        by_array = {one.array: one for one in found.arrays}
        values = values_of(found, nest, SIZE)
        assert len(by_array["B"].going.at(values)) == rows
        assert len(by_array["u"].coming.at(values)) == rows
        assert by_array["B"].coming.at(values) == ()
    ((first, directions),) = by_array["a"].coming.at(values)
    assert (first, directions) == ((0, 0), ((4, (1, 1)),))


def test_too_many_rows_are_all_of_the_array():
    nest = lift_text("for i in range(n):\n    for j in range(i, i + 2):\n        B[i, j] = 1\n")
    found = footprint(nest, FACTS)
    (one,) = found.arrays
    huge = {"n": 10**6, "B.shape[0]": 10**6, "B.shape[1]": 10**6 + 2}
    assert one.going.at(huge) is None
    assert len(one.going.at(huge | {"n": 1000})) == 1


def test_arrays_of_which_nothing_is_known_are_left_whole():
    nest = lift_text("for i in range(n):\n    A[i] = C[i]\n")
    found = footprint(nest, Facts(FACTS.ints, ()))
    assert {(one.array, one.coming is None) for one in found.arrays} == {("A", True), ("C", True)}
