"""Where two views share memory: equations against every pair of elements, byte by byte."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from autopar.runtime.values.facts import aliases
from autopar.runtime.values.overlap import Layout, equations
from drawn import sampled_from

SIZES = sampled_from([1, 2, 4, 8])


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    rank = draw(st.integers(0, 3))
    itemsize = draw(SIZES)
    unit = draw(sampled_from([1, itemsize]))
    shape = draw(st.tuples(*[st.integers(1, 4)] * rank))
    steps = draw(st.tuples(*[st.integers(-6, 12)] * rank))
    return Layout(shape, tuple(unit * step for step in steps), itemsize)


def elements(layout: Layout, start: int) -> dict[tuple[int, ...], int]:
    """First byte of every element."""
    return {
        index: start + sum(s * i for s, i in zip(layout.strides, index, strict=True))
        for index in itertools.product(*map(range, layout.shape))
    }


def total(factors: tuple[int, ...], index: tuple[int, ...]) -> int:
    return sum(f * k for f, k in zip(factors, index, strict=True))


@given(first=layouts(), second=layouts(), apart=st.integers(-40, 40))
def test_elements_that_share_a_byte_satisfy_all_equations(first, second, apart):
    found = equations(first, second, apart)
    for i, p in elements(first, 0).items():
        for j, q in elements(second, apart).items():
            if p < q + second.itemsize and q < p + first.itemsize:
                assert found is not None
                for one in found:
                    assert total(one.first, i) == total(one.second, j) + one.const
                    turned = one.turned()
                    assert total(turned.first, j) == total(turned.second, i) + turned.const


@given(st.data())
def test_slices_of_one_array_meet_exactly_where_the_equations_say(data):
    base = np.zeros((5, 6, 4))
    part = st.tuples(st.integers(0, 3), st.integers(3, 6), sampled_from([1, 2, -1]))
    views = []
    for _ in range(2):
        cut = tuple(slice(*data.draw(part)) for _ in range(3))
        cut = tuple(slice(c.stop, c.start, -1) if c.step == -1 else c for c in cut)
        axes = data.draw(st.permutations(range(3)))
        views.append(base[cut].transpose(axes))
    one, two = views
    start = base.ctypes.data
    found = equations(
        Layout(one.shape, one.strides, 8), Layout(two.shape, two.strides, 8),
        two.ctypes.data - one.ctypes.data,
    )  # fmt: skip
    for i, p in elements(Layout(one.shape, one.strides, 8), one.ctypes.data - start).items():
        for j, q in elements(Layout(two.shape, two.strides, 8), two.ctypes.data - start).items():
            said = found is not None and all(
                total(e.first, i) == total(e.second, j) + e.const for e in found
            )
            assert said == (p == q)


def where(a: np.ndarray, b: np.ndarray) -> list[tuple[tuple[int, ...], tuple[int, ...], int]]:
    (overlap,) = aliases({"a": a, "b": b}, ["a"]).tangled
    return [(e.first, e.second, e.const) for e in overlap.where]


def test_shifted_views_do_not_depend_on_sizes():
    for n, m in ((5, 7), (90, 31)):
        x = np.zeros((n, m))
        assert where(x[:, :-1], x[:, 1:]) == [((1, 0), (1, 0), 0), ((0, 1), (0, 1), 1)]
        assert where(x[1:], x[:-1]) == [((1, 0), (1, 0), -1), ((0, 1), (0, 1), 0)]


def test_transposed_reversed_diagonal():
    x = np.zeros((6, 6))
    assert where(x, x.T) == [((1, 0), (0, 1), 0), ((0, 1), (1, 0), 0)]
    assert where(x[0], x[0, ::-1]) == [((1,), (-1,), 5)]
    diagonal = np.lib.stride_tricks.as_strided(x, (6,), (7 * 8,))
    assert where(diagonal, x) == [((1,), (1, 0), 0), ((0,), (-1, 1), 0)]
    across = np.lib.stride_tricks.as_strided(x[0, 5:], (6,), (5 * 8,))
    assert where(across, x) == [((1,), (1, 0), 0), ((-1,), (0, 1), -5)]


def test_views_of_another_itemsize():
    z = np.zeros(8, complex)
    assert where(z.real, z) == [((1,), (1,), 0)]
    assert aliases({"a": z.real, "b": z.imag}, ["a"]).tangled == frozenset()
    x = np.zeros(8)
    assert where(x.view("f4"), x) == []  # two of the one to each of the other: nothing is said


def test_an_array_that_is_its_own_neighbour():
    windows = np.lib.stride_tricks.sliding_window_view(np.zeros(9), 3, writeable=True)
    (overlap,) = aliases({"w": windows}, ["w"]).tangled
    assert [(e.first, e.second, e.const) for e in overlap.where] == [((1, 1), (1, 1), 0)]
    spread = np.lib.stride_tricks.as_strided(np.zeros(3), (4, 3), (0, 8))
    (overlap,) = aliases({"w": spread}, ["w"]).tangled
    assert [(e.first, e.second, e.const) for e in overlap.where] == [((0, 1), (0, 1), 0)]


def test_two_names_of_an_array_that_is_its_own_neighbour_are_not_one_view():
    windows = np.lib.stride_tricks.sliding_window_view(np.zeros(9), 3, writeable=True)
    found = aliases({"v": windows, "w": windows[:]}, ["w"])
    assert found.same == ()
    assert {(o.first, o.second) for o in found.tangled} == {("w", "w"), ("v", "w")}
