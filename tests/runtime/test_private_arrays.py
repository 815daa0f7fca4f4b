"""Whether copies of a temporary array for each thread are worth it."""

from __future__ import annotations

import pytest

from autopar.deps.data import Facts, Overlap
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.runtime.choice.decide import State, Way, parameters
from autopar.runtime.choice.price import Call
from autopar.runtime.choice.private import privatized

ROW = """
for i in range(n):
    for j in range(m):
        t[j] = b[i, j] * 2.0
    for j in range(m):
        a[i, j] = t[j] + t[m - 1 - j]
"""
SCAN = ROW.replace("range(m):\n        t[j] = b[i, j]", "range(1, m):\n        t[j] = t[j - 1]")
RANKS = {"a": 2, "b": 2, "t": 1}


def plan(source, n, m, threads=2, size=None, eager=False, **facts):
    nest = lift_text(source)
    arrays = {p: ArrayType("float64", RANKS[p], "C", True, True) for p in nest.paths if p in RANKS}
    typed = infer(nest, arrays, {"n": "int", "m": "int"}, {})
    state = State(typed)
    env = {"n": (n, n), "m": (m, m)}
    for path, rank in RANKS.items():
        shape = (m,) if rank == 1 else (n, m)
        env |= {f"{path}.shape[{k}]": (size, size) for k, size in enumerate(shape)}
    known = Facts(typed.ints, tuple((p, k.ndim) for p, k in typed.arrays), **facts)
    analysis = state.analyse(known)
    held = analysis.held(parameters(analysis, state, env))
    sizes = {"a": 8 * n * m, "b": 8 * n * m, "t": 8 * m if size is None else size}
    middle = {name: float(low) for name, (low, _) in env.items()}
    call = Call(env, middle, sizes, 0.0, threads, eager)
    found = state.plan(known, held, Way.PARTS)
    return privatized(state, known, held, found, call) or found


def outer(found):
    return "i" in found.parallel_loops


@pytest.mark.parametrize("source", [ROW, SCAN])
def test_small_copies_against_much_work(source):
    found = plan(source, 1000, 1000)
    assert outer(found)
    assert str(found).startswith("parallel for i in range(n):  # copies t")
    assert any("`t` is filled anew" in line for line in found.parts)


def test_not_where_copies_cost_more_than_they_save():
    assert not outer(plan(ROW, 10, 1000, size=10**8))
    assert outer(plan(ROW, 10, 1000, size=10**8, eager=True))


def test_not_where_copies_would_fill_the_memory():
    assert outer(plan(SCAN, 10**5, 10**5, threads=2, size=10**8))
    assert not outer(plan(SCAN, 10**5, 10**5, threads=64, size=10**8))


def test_not_where_the_inner_loops_have_more_iterations_for_the_threads():
    assert not outer(plan(ROW, 2, 10**7, threads=16))
    assert outer(plan(ROW, 1000, 10**4, threads=16))


@pytest.mark.parametrize(
    "facts",
    [
        {"same": (("b", "t"),)},
        {"tangled": frozenset((Overlap("a", "t"),))},
        {"tangled": frozenset((Overlap("t", "t"),))},
        {"unreadable": frozenset(range(20))},
    ],
)
def test_not_where_memory_is_shared_or_subscripts_may_wrap(facts):
    assert not outer(plan(ROW, 1000, 1000, eager=True, **facts))
