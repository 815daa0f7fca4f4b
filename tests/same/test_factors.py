"""Parameters that multiply, divide or step: a plan for the numbers of a call, never a wrong one."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from harness import run, site

from autopar.runtime.choice import numbers
from autopar.runtime.choice.numbers import Ration

pytestmark = pytest.mark.usefixtures("lenient")


class Calls:
    """One loop called again and again; each call under verification."""

    def __init__(self, source: str) -> None:
        self.site = site(source)

    def __call__(self, **names) -> list[str]:
        """The parallel loops of what this call runs."""
        space = {**vars(builtins), **names}
        record = self.site.record
        assert self.site.run(tuple(space[root] for root in self.site.spec.roots)) is not None
        (state,) = self.site.engine.states.values()
        choices = list(state.memo.values())
        assert record.fallbacks == 0, record.refusal
        return list(choices[-1].variant.plan.parallel_loops)


FLAT = "for i in range(n):\n    for j in range(w):\n        a[i * m + j] = b[i * m + j] + 1.0\n"
ROWS = (
    "for i in range(n):\n    for j in range(m):\n        a[(i + 1) * m + j] = a[i * m + j] * 0.5\n"
)
STRIPS = (
    "for i in range(0, n, s):\n"
    "    for j in range(i + 1, min(i + s, n)):\n"
    "        a[j] += a[j - 1]\n"
)
FOLDED = "for i in range(n):\n    c[i // m, i % m] = a[i]\n"
RING = "for i in range(n):\n    a[i % m] = b[i]\n"
CLAMP = "for i in range(n):\n    a[min(i, m)] = b[i]\n"


def arrays(size=400):
    return {"a": np.arange(float(size)), "b": np.arange(float(size)) * 3}


def test_each_number_has_the_plan_that_is_legal_for_it():
    call = Calls(FLAT)
    both, inner = ["i", "j"], ["j"]
    for n, m, expected in (
        (20, 7, both),
        (20, 9, both),
        (20, 6, inner),
        (19, 7, both),
        (9, 0, both),  # one row, of which the last iteration leaves what there is
    ):
        assert call(n=n, w=7, m=m, **arrays()) == expected


def test_a_negative_factor_counts_from_the_end_of_the_array_and_is_compared():
    # -3 and so on wrap around: the subscripts are not believed.
    assert Calls(FLAT)(n=20, w=7, m=-9, **arrays()) == []


@pytest.mark.parametrize(
    ("source", "names", "expected"),
    [
        (ROWS, {"n": 9, "m": 11}, ["j"]),
        (STRIPS, {"n": 99, "s": 10}, ["i"]),
        (STRIPS, {"n": 99, "s": 1}, ["i", "j"]),
        (FOLDED, {"n": 99, "m": 10, "c": np.zeros((12, 12))}, ["i"]),
        (RING, {"n": 50, "m": 50}, ["i"]),
        (RING, {"n": 50, "m": 49}, []),
        (CLAMP, {"n": 50, "m": 49}, ["i"]),
        (CLAMP, {"n": 50, "m": 48}, ["i"]),  # cut before the last iteration
        (CLAMP, {"n": 50, "m": 40}, []),
        (CLAMP, {"n": 50, "m": -1}, []),
    ],
)
def test_found_where_legal_and_refused_where_not(source, names, expected):
    assert Calls(source)(**(arrays() | names)) == expected


def test_a_flat_view_and_a_square_one_of_the_same_memory():
    flat = np.arange(200.0)
    square = flat.reshape(10, 20)
    source = "for i in range(n):\n    for j in range(m):\n        a[i, j] = b[i * m + j{}] + 1.0\n"
    apart, ahead = Calls(source.format("")), Calls(source.format(" + 1"))
    assert apart(a=square, b=flat, n=10, m=20) == ["i", "j"]
    assert ahead(a=square, b=flat, n=9, m=20) == []
    assert apart(a=square, b=flat, n=9, m=19) == []


def test_a_divisor_of_zero_is_left_to_the_interpreter():
    here, found = run(RING, n=5, m=0, **arrays())
    assert found is None
    assert here.record.fallbacks == 1


def test_equal_kernels_for_other_numbers_are_compiled_once():
    call = Calls(FLAT)
    call(n=20, w=7, m=7, **arrays())
    (state,) = call.site.engine.states.values()
    call(n=20, w=7, m=8, **arrays())
    texts = {tuple(k.text for k in v.program.kernels) for v in state.variants.values()}
    assert len(state.variants) == 2
    assert len(texts) == 1


def test_numbers_that_change_at_each_call_are_given_up():
    call = Calls(FLAT)
    found = [call(n=5, w=7, m=m, **arrays()) for m in range(7, 7 + numbers._MOST_TUPLES + 3)]
    assert found == [["i", "j"]] * numbers._MOST_TUPLES + [[]] * 3
    assert call(n=6, w=7, m=9, **arrays()) == ["i", "j"]  # known still


def test_numbers_that_never_help_are_given_up_sooner():
    ration = Ration()
    for m in range(numbers._MOST_IN_VAIN):
        given = ration.numbers(("m",), {"m": (m, m)})
        assert given == (("m", m),)
        ration.note(given, helped=False)
    assert ration.numbers(("m",), {"m": (99, 99)}) == ()
    assert ration.numbers(("m",), {"m": (0, 0)}) == ()


def test_a_proof_needs_plain_integers():
    env = {"m": (np.int64(3), np.int64(3))}
    ((_, number),) = Ration().numbers(("m", "unknown"), env)
    assert type(number) is int
