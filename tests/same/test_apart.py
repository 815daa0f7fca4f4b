"""LLVM is told of arrays that share no memory, and of no others."""

from __future__ import annotations

import harness
import numpy as np
import pytest

SOURCE = """\
for i in range(1, n - 1):
    for j in range(n):
        a[i, j] = a[i, j] + b[0] * x[j]
"""
WHOLE = np.arange(900.0).reshape(30, 30)


def given(views):
    whole = WHOLE.copy()
    return {"a": whole, "n": 30, **{name: make(whole) for name, make in views.items()}}


VIEWS = {
    "others": ({"b": lambda a: np.ones(3), "x": lambda a: np.ones(30)}, True),
    "halves": ({"b": lambda a: np.ones(60)[:30], "x": lambda a: np.ones(60)[30:]}, True),
    "a row": ({"b": lambda a: np.ones(3), "x": lambda a: a[5]}, False),
    "one element": ({"b": lambda a: a[3, 4:5], "x": lambda a: np.ones(30)}, False),
    "beside it": ({"b": lambda a: np.ones(3), "x": lambda a: a[:, 3]}, False),
}


@pytest.mark.parametrize(("views", "apart"), VIEWS.values(), ids=VIEWS)
def test_kernels_are_told_of_arrays_that_share_nothing(lenient, views, apart):
    names = given(views)
    wanted = given(views)
    for _ in range(2):  # the second call takes what has been made
        here, left = harness.run(SOURCE, **names)
        exec(SOURCE, {"range": range}, wanted)
        assert left is not None
        assert names["a"].tobytes() == wanted["a"].tobytes()
    (state,) = here.engine.states.values()
    kernels = [k for v in state.variants.values() for k in v.program.kernels]
    assert kernels
    assert {kernel.apart for kernel in kernels} == {apart}


def test_calls_that_begin_to_share_memory_take_another_kernel(lenient):
    site = harness.site(SOURCE)
    for views, apart in (*VIEWS.values(), *reversed(VIEWS.values())):
        names, wanted = given(views), given(views)
        space = {"range": range, **names}
        assert site.run(tuple(space[root] for root in site.spec.roots)) is not None
        exec(SOURCE, {"range": range}, wanted)
        assert names["a"].tobytes() == wanted["a"].tobytes(), apart
