"""Loops in order that each part of the loop in them goes through for itself."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.ir import Lanes
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import statements
from autopar.sched.distribute import schedule
from autopar.sched.plan import Loop, walk
from autopar.sched.sweeps import swept
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "x": 1, "y": 1}
SIZES = {"n": 5, "m": 6, "k": 2}
FACTS = Facts(frozenset(SIZES), tuple(sorted(RANKS.items())))
SHAPES = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}


def planned(source, live_out="", **sizes):
    nest = replace(lift_text(source), live_out=tuple(live_out))
    analysis = analyse(nest, FACTS)
    return nest, schedule(nest, analysis, analysis.held(SIZES | SHAPES | sizes))


def sweeps(source, live_out=""):
    """Variables of the loops that are swept, and of the loop in parts."""
    found, inside = [], set()
    for node in walk(planned(source, live_out)[1].body):
        if id(node) not in inside and swept(node) is not None:
            around, inner = swept(node)
            found.append("".join(loop.var for loop in around) + inner.loop.var)
            inside |= {id(n) for n in walk((node,))}
    return found


def nested(body, *headers):
    headers = headers or ("i in range(n)", "j in range(m)")
    lines = ["    " * k + f"for {header}:" for k, header in enumerate(headers)]
    return "\n".join([*lines, *("    " * len(headers) + line for line in body.split("\n")), ""])


WALK = "A[i + 1, j] = A[i, j] + B[i, j]"


@pytest.mark.parametrize(
    "source",
    [
        nested(WALK),
        nested("x[j] = x[j] * 2 + B[i, j]"),
        nested("x[j] = x[j] * 2 + y[j]\ny[j] = x[j] + 1"),
        nested("t = x[j] + B[i, j]\nx[j] = t * t"),  # a scalar of one iteration
        nested("if B[i, j] > 3:\n    x[j] = x[j] + 1\nelse:\n    x[j] = 2"),
        nested(WALK, "i in range(n - 1, -1, -1)", "j in range(m)").replace("i + 1", "i - 1"),
        nested("for k in range(i + 1):\n    A[k, j] = A[k, j] + B[i, j]"),
        nested("A[i + 1, j + 2] = A[i, j + 2] + A[i + 2, j + 2]"),
    ],
)  # fmt: skip
def test_what_is_swept(source):
    assert sweeps(source) == ["ij"]


def test_several_loops_are_swept_at_once():
    source = nested(
        "x[k] = x[k] * 2 + A[i, k] * j", "i in range(n)", "j in range(m)", "k in range(m)"
    )
    assert sweeps(source) == ["ijk"]


def test_the_outer_ones_of_several_may_have_to_wait():
    """Rows of another step hand on to the left, those of one step do not."""
    body = "x[k] = x[k] * 2 + A[i, k] * j\nA[i + 1, k - 1] = x[k]"
    source = nested(body, "i in range(n)", "j in range(m)", "k in range(1, m)")
    assert sweeps(source) == ["jk"]


@pytest.mark.parametrize(
    ("source", "live_out"),
    [
        (nested("A[i + 1, j] = A[i, j - 1] + B[i, j]"), ""),  # from another column
        (nested("A[i + 1, j] = A[i, m - j]"), ""),
        (nested("A[i + 1, j] = A[i, j] + A[i, 0]"), ""),  # one column that all read
        (nested("x[j] = x[j] * 2 + y[i]\ny[j] = x[j] + 1"), ""),
        (nested(WALK, "i in range(n)", "j in range(i, m)"), ""),  # another range each time
        (nested(WALK, "i in range(n)", "j in range(x[i], m)"), ""),
        (nested("x[i + j] = x[i + j] + B[i, j]"), ""),
        ("for i in range(n):\n    for j in range(m):\n        x[j] = x[j] * 2 + B[i, j]\n"
         "    y[i + 1] = y[i] + x[0]\n", ""),  # something beside
        ("for i in range(n):\n    for j in range(m):\n        x[j] = y[j] * 2 + B[i, j]\n"
         "    for j in range(m - 1):\n        y[j] = x[j + 1]\n", ""),
        (nested("x[j] = x[j] * 2 + t\nt = B[i, j]"), ""),
        (nested("x[j] = x[j] * 2 + B[i, j]\nif x[j] > 3:\n    break"), ""),
    ],
)  # fmt: skip
def test_what_is_not(source, live_out):
    assert sweeps(source, live_out) == []


# ---------------------------------------------------------------------------- nothing changes


class Parts(Machine):
    """Goes through one iteration of the loop in parts at a time."""

    def plan(self, nodes):
        for node in nodes:
            found = swept(node)
            if found is None:
                super().plan((node,))
                continue
            around, inner = found

            def through(loops, body=inner.body):
                if not loops:
                    super(Parts, self).plan(body)
                    return
                self.loop(loops[0], lambda: through(loops[1:]))

            self.loop(inner.loop, lambda loops=around, go=through: go(loops), True)


def same(source, seed, **sizes):
    """Whether anything is swept; all arrays are as they are without."""
    nest, plan = planned(source, **sizes)

    def outcome(kind, act):
        values = SIZES | sizes | {"s": 3, "t": 4}
        machine = kind(values, {a: (9,) * rank for a, rank in RANKS.items()}, random.Random(seed))
        act(machine)
        return machine.cells

    wanted = outcome(Machine, lambda machine: machine.run(nest.loop))
    assert outcome(Parts, lambda machine: machine.plan(plan.body)) == wanted
    return any(swept(node) is not None for node in walk(plan.body) if isinstance(node, Loop))


SUBSCRIPTS = ("i", "j", "i + 1", "j + 1", "j - 1", "i - 1", "k", "0", "i + j", "m - j")


@st.composite
def sources(draw):
    def cell(arrays="ABxy"):
        array = draw(sampled_from(arrays))
        index = [draw(sampled_from(SUBSCRIPTS)) for _ in range(RANKS[array])]
        return f"{array}[{', '.join(index)}]"

    lines = []
    for _ in range(draw(st.integers(1, 3))):
        line = f"{cell()} = {cell()} + {cell()} * 2"
        if draw(st.integers(0, 3)) == 0:
            line = f"if {cell()} > 4:\n    {line}"
        if draw(st.integers(0, 4)) == 0:
            line = f"t = {cell()}\n{line} + t"
        lines.append(line)
    two = draw(sampled_from(["j in range(m)", "j in range(1, m)", "j in range(m, 0, -1)"]))
    loops = [draw(sampled_from(["i in range(n)", "i in range(n, 1, -1)"])), two]
    if draw(st.booleans()):
        loops.insert(draw(st.integers(0, 2)), "k in range(3)")
    return nested("\n".join(lines), *loops)


def test_the_generator_finds_sweeps():
    found = []

    @settings(max_examples=150, database=None, deadline=None, derandomize=True)
    @given(sources(), st.integers(0, 99))
    def search(source, seed):
        found.append(same(source, seed))

    search()
    assert sum(found) > 10


@settings(max_examples=180, deadline=None, suppress_health_check=list(HealthCheck))
@given(sources(), st.integers(0, 99), st.integers(0, 4), st.integers(0, 5))
def test_nothing_changes(source, seed, n, m):
    same(source, seed, n=n, m=m)


def test_rows_that_are_staggered_are_not_where_parts_go_through_them():
    """They would go through all of the range inside, whatever part of it is asked for."""
    _, plan = planned(nested("x[j] = x[j] * 2 + B[i, j]"))
    (outer,) = plan.body
    lanes = Lanes(copies=4, ordered=True, behind=1)
    staggered = replace(outer, loop=replace(outer.loop, lanes=lanes))
    around, _ = swept(staggered)
    assert [loop.lanes for loop in around] == [None]


def test_statements_of_ours_are_not_swept():
    """Nothing is known of what they depend on."""
    from autopar.sched.sweeps import with_sweeps

    nest, plan = planned(nested(WALK))
    (outer,) = plan.body
    (inner,) = outer.body
    assert outer.swept
    fresh = 1 + max(stmt.id for stmt in statements(nest.loop))
    (leaf,) = inner.body
    other = replace(leaf, stmt=replace(leaf.stmt, id=fresh))
    (made,) = with_sweeps((replace(outer, body=(replace(inner, body=(other,)),)),), nest, [])
    assert not made.swept
