"""Which accumulators may be computed in parts, and which must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.functions import known
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, infer
from autopar.sched.distribute import schedule
from autopar.sched.plan import source_order
from autopar.sched.reductions import Scope, reductions

CALLS = {"min": known(min), "max": known(max)}
NUMBERS = {"n": "int", "s": "int", "t": "int", "m": "float", "x": "float", "w0": "bool"}
ARRAYS = {
    "a": ("int64", 1), "b": ("int32", 1), "f": ("float64", 1), "h": ("int64", 1),
    "idx": ("int64", 1), "w": ("bool", 1), "g": ("float64", 2), "u": ("uint64", 1),
}  # fmt: skip


def typed(source, **numbers):
    nest = lift_text(source)
    arrays = {p: ArrayType(*ARRAYS[p], "C", True, True) for p in nest.paths if p in ARRAYS}
    known = NUMBERS | numbers
    found = infer(
        nest,
        arrays,
        {p: known[p] for p in (*nest.paths, *nest.scalars) if p in known},
        {p: CALLS[p] for p in nest.paths if p in CALLS},
    )
    assert not hasattr(found, "reason"), found
    return found


def names(source, relaxed=False, arrays=False, shared=(), **numbers):
    here = typed(source, **numbers)
    found = reductions(here.nest.loop, Scope(here, frozenset(shared), relaxed, arrays))
    return {(r.name, r.op) for r in found}


LOOP = "for i in range(n):\n    "


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("s += a[i]", {("s", "+")}),
        ("s = a[i] + s", {("s", "+")}),
        ("s -= a[i]", {("s", "+")}),
        ("s = s + a[i] - i", {("s", "+")}),
        ("s *= 3", {("s", "*")}),
        ("s |= a[i]", {("s", "|")}),
        ("s = s ^ b[i]", {("s", "^")}),
        ("if f[i] > 0:\n        s += 1", {("s", "+")}),
        ("if f[i] < m:\n        m = f[i]", {("m", "<")}),
        ("if m >= f[i]:\n        m = f[i]\n        t = i", {("m", "<=")}),
        ("m = max(m, f[i])", {("m", ">")}),
        ("m = f[i] if f[i] > m else m", {("m", ">")}),
        ("for j in range(3):\n        s += a[j]\n        s += 1", {("s", "+")}),
        # not these
        ("s = a[i] - s", set()),
        ("s += s", set()),
        ("s += a[s]", set()),
        ("s += a[i]\n    s *= 2", set()),
        ("s += a[i]\n    a[i] = s", set()),
        ("if s > 3:\n        s += 1", set()),
        ("while s < 3:\n        s += 1", set()),
        ("x += f[i]", set()),
        ("m = max(f[i], m)", {("m", ">=")}),
        ("m = m if m < f[i] else f[i]", {("m", "<=")}),
        ("w0 = w0 and w[i]", {("w0", "and")}),
        ("w0 |= w[i]", {("w0", "|")}),
        ("w0 = w[i] and w0", set()),
        ("m = f[i] if f[i] > m else f[i]", set()),
        ("if f[i] < m:\n        m = f[i] + 1", set()),
        ("if f[i] < m:\n        m = f[i]\n        t = t + i", {("t", "+")}),
        ("if f[i] < m:\n        m = f[i]\n        t = i\n    s = t", set()),
        ("if f[i] < m:\n        m = f[i]\n    else:\n        t = i", set()),
        ("if f[i] < m:\n        m = f[i]\n        a[i] = 1", set()),
        ("if f[i] == m:\n        m = f[i]", set()),
        ("for s in range(3):\n        s += 1", set()),
    ],
)
def test_scalars(body, want):
    assert names(LOOP + body + "\n") == want


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("h[idx[i]] += 1", {("h", "+")}),
        ("h[idx[i]] = a[i] + h[idx[i]]", {("h", "+")}),
        ("h[idx[i]] = max(h[idx[i]], a[i])", {("h", ">")}),
        ("if a[i] < h[idx[i]]:\n        h[idx[i]] = a[i]", {("h", "<")}),
        ("h[idx[i]] += h[i]", set()),
        ("h[idx[i]] = h[i] + 1", set()),
        ("h[h[i]] += 1", set()),
        ("h[idx[i]] += 1\n    a[i] = h[i]", set()),
        ("h[idx[i]] += 1\n    h[i] *= 2", set()),
        ("f[idx[i]] += 1.0", set()),
    ],
)
def test_elements(body, want):
    source = LOOP + body + "\n"
    assert names(source, arrays=True) & {("h", op) for op in "+<>"} == want
    assert names(source, arrays=True, shared=["h", "f"]) == set()
    assert names(source) == set()


def test_floats_only_where_their_order_may_change():
    assert names(LOOP + "x += f[i]\n", relaxed=True) == {("x", "+")}
    assert names(LOOP + "f[idx[i]] += 1.0\n", relaxed=True, arrays=True) == {("f", "+")}
    assert names(LOOP + "x -= f[i]\n    f[i] = x\n", relaxed=True) == set()


def test_types_must_be_settled_by_one_update():
    # An int32 that becomes an int64 on the way would wrap at another place.
    assert names(LOOP + "s += a[i]\n", s="np.int32") == set()
    assert names(LOOP + "s += b[i]\n", s="np.int32") == {("s", "+")}


def test_a_plan_with_parts():
    here = typed("for i in range(n):\n    s += a[i]\n    h[i] = a[i] + 1\n")
    facts = Facts(here.ints, tuple((p, k.ndim) for p, k in here.arrays))
    analysis = analyse(here.nest, facts)
    held = analysis.held({"n": 9, "a.shape[0]": 9, "h.shape[0]": 9})
    plan = schedule(here.nest, analysis, held, Scope(here, frozenset()))
    assert str(plan).splitlines()[0] == "parallel for i in range(n):  # joins + s"
    assert plan.parts == ("`s` is computed in parts that are joined",)
    alone = schedule(here.nest, analysis, held)
    assert "parallel for i in range(n):\n    h[i] = a[i] + 1" in str(alone)
    assert "joins" not in str(alone)


def test_what_is_said_of_a_loop_with_a_sum_in_it():
    """The sum stands first, and is not why the loop must run in order."""
    here = typed("for i in range(1, n):\n    if h[i - 1] > 3:\n        s += 1\n        h[i] = 4\n")
    facts = Facts(here.ints, tuple((p, k.ndim) for p, k in here.arrays))
    analysis = analyse(here.nest, facts)
    held = analysis.held({"n": 9, "h.shape[0]": 9})
    plan = schedule(here.nest, analysis, held, Scope(here, frozenset()))
    assert plan.explain == (
        "line 4 writes `h[i]`, line 2 reads `h[i - 1]`: loop `i` must run in order (distance 1)",
    )


def test_what_keeps_a_plan_with_small_parallel_loops_on_one_thread():
    source = "for i in range(1, n):\n    for j in range(n):\n        g[i, j] = g[i - 1, j] + 1\n"
    here = typed(source)
    facts = Facts(here.ints, tuple((p, k.ndim) for p, k in here.arrays))
    analysis = analyse(here.nest, facts)
    held = analysis.held({"n": 9, "g.shape[0]": 9, "g.shape[1]": 9})
    plan = schedule(here.nest, analysis, held)
    assert plan.parallel_loops == ("j",)
    assert plan.alone(2) == (*plan.explain, "too little work for more than one thread in loop `j`")
    assert plan.explain[0].endswith("loop `i` must run in order (distance 1)")
    assert plan.alone(1) == plan.explain
    assert replace(plan, explain=()).alone(2) == ()
    assert source_order(here.nest).alone(2) == ()
