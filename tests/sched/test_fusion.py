"""Neighbouring loops joined: which are, which must not be, and that nothing changes."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts, Overlap
from autopar.nest.ir import Binary, Condition, Const, Dim, Name
from autopar.nest.show import text
from autopar.nest.text.lift import lift_text
from autopar.sched.distribute import schedule
from autopar.sched.equality import Equality
from autopar.sched.fusion import Known, fused
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "x": 1, "y": 1, "z": 1, "w": 1}
FACTS = Facts(frozenset("nmq"), tuple(sorted(RANKS.items())))
SIZES = {"n": 5, "m": 4, "q": 2}
SHAPES = {f"{a}.shape[{k}]": 12 for a, rank in RANKS.items() for k in range(rank)}
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def plans(
    source,
    live_out=(),
    facts=FACTS,
    sizes=SIZES,
    conditions=(),
    overlapping=(),
    called=False,
    alone=False,
):
    """The plan before and after."""
    nest = replace(lift_text(source), live_out=tuple(live_out), conditions=conditions)
    analysis = analyse(nest, facts)
    plan = replace(schedule(nest, analysis, analysis.held(sizes | SHAPES)), serial=alone)

    def carried(part, level):
        found = analyse(part, facts)
        deps = [found.dependences[k] for k in found.held(sizes | SHAPES)]
        return [d for d in deps if d.level == level]

    def independent(part, level, aside):
        return all(d.scalar and d.variable in aside for d in carried(part, level))

    def forward(part, level, first):
        return not any(d.sink in first and d.source not in first for d in carried(part, level))

    def equal(one, two):
        return called and value(one, sizes) == value(two, sizes)

    return plan, fused(plan, Known(independent, equal, frozenset(overlapping), forward=forward))


def value(expr, sizes):
    return eval(text(expr), {}, dict(sizes))


def in_time(*lines):
    return "for t in range(q):\n" + "".join(f"    {line}\n" for line in lines)


def loop(body, var="i", bound="n"):
    return f"for {var} in range({bound}):\n        {body}"


def loops(plan):
    """How many loops stand in the loop over time, or in its copies."""
    return sum(hasattr(node, "loop") for time in plan.body for node in time.body)


JOINED = {
    "what is stored is read in the same iteration": ["x[i] = y[i] * 2", "z[i] = x[i] + y[i]"],
    "nothing in common but the launch": ["x[i] = 1.0", "z[i] = 2.0"],
    "what is read is overwritten by the same iteration": ["x[i] = y[i] + w[i]", "y[i] = w[i]"],
    "three of them": ["x[i] = y[i]", "z[i] = x[i] * 2", "y[i] = z[i] - x[i]"],
    "parts that never meet": ["x[i] = y[i]", "z[i] = x[i + n] * 2"],
    "two arrays overwritten": ["x[i] = x[i] * 2 + w[i]", "z[i] = z[i] * w[i]"],
    "the same element is stored twice": ["x[i] = y[i]", "x[i] = y[i] * z[i]"],
}
APART = {
    "an element of the next iteration": ["x[i] = y[i]", "z[i] = x[i + 1]"],
    "an element of the iteration before": ["x[i + 1] = y[i]", "z[i] = x[i]"],
    "what a later iteration reads is overwritten": ["x[i] = y[i + 1]", "y[i] = z[i]"],
    "from the other end": ["x[i] = y[i]", "z[i] = x[n - 1 - i]"],
    "all of them": ["x[i] = y[i]", "z[i] = x[0]"],
    "one cell of which the last value counts": ["x[i] = y[i]", "x[i + 1] = z[i]"],
}


@pytest.mark.parametrize("bodies", JOINED.values(), ids=JOINED)
def test_joined(bodies):
    before, after = plans(in_time(*map(loop, bodies)))
    assert loops(before) == len(bodies)
    assert loops(after) == 1
    assert after.body[0].body[0].parallel


@pytest.mark.parametrize("bodies", APART.values(), ids=APART)
def test_left_apart(bodies):
    before, after = plans(in_time(*map(loop, bodies)))
    assert loops(before) == len(bodies)
    assert after is before


@pytest.mark.parametrize(
    "lines",
    [
        [loop("x[i] = y[i]"), loop("z[i] = x[i]", bound="m")],
        [loop("x[i] = y[i]"), loop("z[i] = x[i]", bound="1, n")],
        [loop("x[i] = y[i]"), loop("z[i] = x[i]", bound="0, n, 2")],
        [loop("x[i] = y[i]"), loop("z[i] = x[i]", bound="t, n")],
        [loop("x[i] = y[i]"), "s = 0.0", loop("s += x[i]"), loop("z[i] = x[i] * s")],
        [loop("x[i] = y[i]"), "s = x[0]", loop("z[i] = x[i] * s")],
        [loop("x[i] = y[i]"), "s = 2.0", loop("z[i] = x[i] * s")],
        [loop("x[i] = x[i - 1]", bound="1, n"), loop("z[i] = x[i]", bound="1, n")],
        [loop("x[i] = y[i]"), "if t > q - 2:", "    break", loop("z[i] = x[i]")],
        [loop("x[i] = y[i]", bound="t"), loop("z[i] = x[i]", bound="n")],
    ],
)
def test_other_ranges_and_what_stands_between(lines):
    before, after = plans(in_time(*lines))
    assert str(after) == str(before)


def test_a_number_for_a_scalar_may_be_passed():
    _, after = plans(in_time(loop("x[i] = y[i]"), "s = 2.0", loop("z[i] = x[i]")), "s")
    assert str(after).splitlines()[1:] == [
        "    parallel for i in range(n):",
        "        x[i] = y[i]",
        "        z[i] = x[i]",
        "    s = 2.0",
    ]


PASSED = in_time(loop("x[i] = y[i]"), "s = w[3]", "w[4] = s * t", loop("z[i] = x[i]"))


def test_what_has_nothing_to_do_with_a_loop_is_passed():
    assert loops(plans(PASSED)[1]) == 1
    assert loops(plans(PASSED, overlapping={("w", "x")})[1]) == 2
    assert loops(plans(PASSED, overlapping={("z", "w")})[1]) == 2
    assert loops(plans(PASSED, overlapping={("y", "w")})[1]) == 1  # which is not passed
    assert loops(plans(PASSED.replace("s * t", "z[1]"))[1]) == 2
    assert loops(plans(PASSED.replace("w[3]", "z[3]"))[1]) == 2
    assert loops(plans(PASSED.replace("w[4]", "x[4]"))[1]) == 2
    assert loops(plans(PASSED.replace("= x[i]", "= x[i] * s"))[1]) == 2


def test_a_loop_over_another_range_is_passed():
    text = in_time(loop("x[i] = y[i]"), loop("w[i] = y[i]", "i", "m"), loop("z[i] = x[i]"))
    assert str(plans(text)[1]).splitlines()[1:] == [
        "    parallel for i in range(n):",
        "        x[i] = y[i]",
        "        z[i] = x[i]",
        "    parallel for i in range(m):",
        "        w[i] = y[i]",
    ]
    assert loops(plans(text, live_out="i")[1]) == 3  # which range it is of counts


def test_ranges_that_are_equal_at_a_call():
    text = in_time(loop("x[i] = y[i]"), loop("w[i] = y[i]", "i", "m + 1"))
    assert loops(plans(text, called=True)[1]) == 1
    assert loops(plans(text, called=True, sizes={"n": 5, "m": 5, "q": 2})[1]) == 2
    changing = text.replace("m + 1", "s").replace(
        "    for i in range(s)", "    s = 5\n    for i in range(s)"
    )
    assert loops(plans(changing, called=True)[1]) == 2


def test_variables_of_other_names():
    text = in_time(loop("x[i] = y[i]"), loop("z[k] = x[k] + w[k]", "k"))
    assert str(plans(text)[1]).splitlines()[1:] == [
        "    parallel for i in range(n):",
        "        x[i] = y[i]",
        "        z[i] = x[i] + w[i]",
    ]
    assert loops(plans(text, "i")[1]) == 1
    assert loops(plans(text, "k")[1]) == 2  # whose last value somebody wants
    other = in_time(loop("x[i] = y[i]"), "for k in range(n):\n        for i in range(m):\n"
                    "            A[k, i] = x[k]")  # fmt: skip
    assert loops(plans(other)[1]) == 2


def test_loops_in_loops_are_joined_as_far_in_as_they_can_be():
    text = in_time(
        "for i in range(n):\n        for j in range(m):\n            A[i, j] = B[i, j] * 2",
        "for i in range(n):\n        for j in range(m):\n            B[i, j] = A[i, m - 1 - j]",
    )
    assert str(plans(text)[1]).splitlines()[1:] == [
        "    parallel for i in range(n):",
        "        parallel for j in range(m):",
        "            A[i, j] = B[i, j] * 2",
        "        parallel for j in range(m):",
        "            B[i, j] = A[i, m - 1 - j]",
    ]
    text = text.replace("m - 1 - j", "j")
    assert len(str(plans(text)[1]).splitlines()) == 5


def test_scalars_of_their_bodies_stay_their_own():
    text = in_time(loop("s = y[i]; x[i] = s"), loop("s = x[i]; z[i] = s"))
    assert loops(plans(text)[1]) == 2
    text = in_time(loop("s = y[i]; x[i] = s"), loop("r = x[i]; z[i] = r"))
    assert loops(plans(text)[1]) == 1


def test_arrays_that_share_memory():
    text = in_time(loop("x[i] = y[i] * 2"), loop("z[i] = w[i]"))
    assert loops(plans(text)[1]) == 1
    assert loops(plans(text, facts=replace(FACTS, same=(("w", "x"),)))[1]) == 1
    unknown = replace(FACTS, tangled=frozenset((Overlap("w", "x"),)))
    assert loops(plans(text, facts=unknown)[1]) == 2


def test_it_depends_on_the_numbers_of_the_call():
    text = in_time(loop("x[i] = y[i]"), loop("z[i] = x[i + m]"))
    assert loops(plans(text)[1]) == 2
    assert loops(plans(text, sizes={"n": 5, "m": 5, "q": 2})[1]) == 1
    assert loops(plans(text, sizes={"n": 5, "m": 0, "q": 2})[1]) == 1


def test_more_arrays_than_can_be_followed():
    many = {f"a{k}": 1 for k in range(16)}
    facts = Facts(frozenset("nq"), tuple(sorted(many.items())))
    one, two = (
        f"a{8 * k}[i] = " + " + ".join(f"a{8 * k + j}[i]" for j in range(1, 8)) for k in (0, 1)
    )
    before, after = plans(in_time(loop(one), loop(two)), facts=facts)
    assert after is before


def test_more_arrays_overwritten_than_can_be_kept():
    bodies = [loop(f"a{k}[i] = a{k}[i] * 2") for k in range(5)]
    facts = Facts(frozenset("nq"), tuple((f"a{k}", 1) for k in range(5)))
    assert loops(plans(in_time(*bodies), facts=facts)[1]) == 3


# ---------------------------------------------------------------------------- equal ranges


def zero(expr):
    return Condition(expr, 0, 0, (), 1, "")


def test_what_conditions_say():
    n, m, k = Name("n"), Name("m"), Dim("x", 0)

    def less(a, b):
        return Binary("-", a, b, 1)

    known = Equality([zero(less(n, m)), zero(less(less(k, m), Const(1)))])
    assert known.holds(n, m)
    assert known.holds(less(k, Const(1)), n)
    assert known.holds(Binary("*", Const(2), n, 1), Binary("+", m, n, 1))
    assert not known.holds(k, n)
    assert not known.holds(n, Name("q"))
    assert Equality([]).holds(Binary("+", n, Const(1), 1), Binary("+", Const(1), n, 1))
    assert not Equality([Condition(less(n, m), 0, None, (), 1, "")]).holds(n, m)


def test_ranges_that_a_condition_makes_equal():
    text = in_time(loop("x[i] = y[i]"), loop("z[i] = x[i]", bound="m"))
    same = (zero(Binary("-", Name("n"), Name("m"), 1)),)
    assert loops(plans(text, sizes={"n": 4, "m": 4, "q": 2}, conditions=same)[1]) == 1
    assert loops(plans(text, sizes={"n": 4, "m": 4, "q": 2})[1]) == 2


# ---------------------------------------------------------------------------- sums

SUMS = {
    "of what was stored": ["x[i] = x[i] + 2 * y[i]", "s = s + x[i] * x[i]"],
    "of what is overwritten": ["s = s + x[i]", "x[i] = y[i]"],
    "of what is stored further on": ["x[i + 1] = y[i]", "s = s + x[i + 1]"],
    "of something else": ["x[i] = y[i]", "s = s + z[i] * w[i]"],
}
TWO_SUMS = {
    "side by side": ["s = s + x[i] * y[i]", "r = r + y[i]"],
    "of the same": ["s = s + x[i]", "r = r - x[i]"],
    "of which one is a difference": ["s = s + x[i]", "r = y[i] * w[i] + r"],
    "of rows": [
        "for j in range(m):\n            s = s + A[i, j]",
        "for k in range(m):\n            r = r + B[i, k]",
    ],
}
NO_TWO_SUMS = {
    "one adds the other": ["s = s + x[i]", "r = r + s"],
    "both add to one": ["s = s + x[i]", "s = s + y[i]"],
    "what one reads is stored between": ["s = s + x[i]", "y[i] = z[i] * s", "r = r + y[i]"],
    "one does more": ["s = s + x[i]", "x[0] = x[0] + y[i]"],
    "too much at once": [
        "s = s + x[i] * y[i] - z[i] * w[i] + x[i + 1]",
        "r = r + x[i + 1] * y[i + 1] - z[i + 1] * w[i + 1]",
    ],
}
NO_SUMS = {
    "of what is stored later": ["x[i] = y[i]", "s = s + x[i + 1]"],
    "of what was overwritten": ["s = s + x[i] * t", "x[i + 1] = y[i]"],
    "that goes into the other loop": ["s = s + x[i]", "z[i] = x[i] * s"],
    "and something else": ["x[i] = y[i]", "z[0] = z[0] + x[i]"],
    "with too much beside it": [
        "x[i] = y[i] * z[i] + w[i] * y[i + 1] - z[i + 1] * w[i + 1] + y[i + 2] * w[i + 2]",
        "s = s + x[i]",
    ],
}


def in_order(plan):
    (time,) = plan.body
    return [node for node in time.body if hasattr(node, "loop")]


@pytest.mark.parametrize("bodies", SUMS.values(), ids=SUMS)
def test_sums_are_joined_on_one_thread(bodies):
    text = in_time(*map(loop, bodies))
    assert loops(plans(text, live_out=("s", "r"))[1]) == len(bodies)
    before, after = plans(text, live_out=("s", "r"), alone=True)
    joined = in_order(after)
    assert len(joined) < len(in_order(before))
    assert any(not node.parallel and len(node.body) > 1 for node in joined)


@pytest.mark.parametrize("bodies", NO_SUMS.values(), ids=NO_SUMS)
def test_sums_that_stay_alone(bodies):
    before, after = plans(in_time(*map(loop, bodies)), live_out=("s", "r"), alone=True)
    assert len(in_order(after)) == len(in_order(before))


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("bodies", TWO_SUMS.values(), ids=TWO_SUMS)
def test_two_sums_are_added_up_together(bodies, alone):
    _, after = plans(in_time(*map(loop, bodies)), live_out=("s", "r"), alone=alone)
    sums = next(node for node in in_order(after) if not node.parallel)
    while not hasattr(sums.body[0], "stmt"):
        (sums,) = sums.body
    assert {"s", "r"} <= {leaf.stmt.target.id for leaf in sums.body if hasattr(leaf, "stmt")}


@pytest.mark.parametrize("bodies", NO_TWO_SUMS.values(), ids=NO_TWO_SUMS)
def test_two_sums_that_stay_apart(bodies):
    before, after = plans(in_time(*map(loop, bodies)), live_out=("s", "r"))
    innermost = [len(node.body) for node in in_order(after) if not node.parallel]
    assert innermost == [len(node.body) for node in in_order(before) if not node.parallel]


def test_a_sum_comes_down_to_another():
    lines = ["s = 0.0", loop("s = s + x[i]"), "r = 0.0", loop("r = r + y[i]")]
    _, after = plans(in_time(*lines), live_out=("s", "r"))
    (time,) = after.body
    assert [hasattr(node, "loop") for node in time.body] == [False, False, True]
    past = [loop("s = s + x[i]"), loop("z[i] = w[i]"), loop("r = r + y[i]")]
    _, after = plans(in_time(*past), live_out=("s", "r"))
    assert loops(after) == 2
    between = ["s = 0.0", loop("s = s + x[i]"), "r = s", loop("r = r + y[i]")]
    _, after = plans(in_time(*between), live_out=("s", "r"))
    (time,) = after.body
    assert [hasattr(node, "loop") for node in time.body] == [False, True, False, True]


def test_a_loop_comes_down_to_a_sum():
    lines = [loop("x[i] = x[i] + y[i]"), "b = s", "s = 0.0", loop("s = s + x[i]")]
    _, after = plans(in_time(*lines), live_out=("s", "b"), alone=True)
    (time,) = after.body
    assert [hasattr(node, "loop") for node in time.body] == [False, False, True]
    between = [loop("x[i] = x[i] + y[i]"), "b = x[1]", "s = 0.0", loop("s = s + x[i]")]
    _, after = plans(in_time(*between), live_out=("s", "b"), alone=True)
    (time,) = after.body
    assert [hasattr(node, "loop") for node in time.body] == [True, False, False, True]


# ---------------------------------------------------------------------------- steps

STEP = ["s = 0.0", loop("s = s + x[i]"), "b = b * s", loop("x[i] = x[i] * b + y[i]")]


def test_the_end_of_a_step_and_the_beginning_of_the_next():
    assert str(plans(in_time(*STEP), live_out="sb", alone=True)[1]).splitlines() == [
        "for t in range(q):",
        "    if t == 0:",
        "        s = 0.0",
        "        for i in range(n):",
        "            s = s + x[i]",
        "    b = b * s",
        "    if t + 1 < q:",
        "        s = 0.0",
        "        for i in range(n):",
        "            x[i] = x[i] * b + y[i]",
        "            s = s + x[i]",
        "    else:",
        "        parallel for i in range(n):",
        "            x[i] = x[i] * b + y[i]",
    ]
    assert "if" not in str(plans(in_time(*STEP), live_out="sb")[1])


@pytest.mark.parametrize("header", ["range(q, 0, -1)", "range(q - 1, -3, -2)", "range(1, q, 2)"])
def test_steps_of_other_ranges(header):
    source = in_time(*STEP).replace("range(q)", header)
    nest = lift_text(source)
    _, after = plans(source, live_out="sbt", sizes=SIZES | {"q": 4}, alone=True)
    assert "if t" in str(after)
    for q in range(6):
        runs = [Machine({"n": 5, "m": 4, "q": q, "s": 2, "b": 3}, {"x": (12,), "y": (12,)}, None)
                for _ in range(2)]  # fmt: skip
        runs[0].run(nest.loop)
        runs[1].plan(after.body)
        assert runs[0].cells == runs[1].cells
        for name in "sbt":
            assert runs[0].scalars.get(name) == runs[1].scalars.get(name)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s = 0.0", "s = t"),  # the beginning of which step?
        ("s + x[i]", "s + x[i] * t"),
        ("b = b * s", "b = b * s\n    if b > 9:\n        break"),
        ("b = b * s", "b = b * s\n    q = q + 1"),
        ("b = b * s", "b = b * s\n    t = t + b"),
        ("x[i] = x[i] * b", "x[i + 1] = x[i] * b"),  # in order as well
        ("x[i] = x[i] * b", "x[n - i] = y[i] * b"),  # comes too late
        ("in range(q)", "in range(x[0])"),
        ("in range(q)", "in range(0, q, m)"),
    ],
)
def test_steps_as_they_stand(old, new):
    source = in_time(*STEP)
    assert old in source
    _, after = plans(source.replace(old, new), live_out="sb", alone=True)
    assert "if t" not in str(after)


# ---------------------------------------------------------------------------- random ones


@st.composite
def neighbours(draw):
    """Loops one after the other in a loop over time, some of them two deep."""
    places = sampled_from(["i", "i", "i", "i + 1", "n - 1 - i", "i + n", "i + m", "2 * i", "1"])
    vectors = sampled_from("xyzw")

    def element(i="i"):
        if draw(st.integers(0, 3)):
            return f"{draw(vectors)}[{draw(places)}]"
        rows = draw(sampled_from(["i", "i", "i + 1"]))
        columns = draw(sampled_from(["t", "0", "i"]))
        return f"{draw(sampled_from('AB'))}[{rows}, {columns}]"

    lines = []
    for _ in range(draw(st.integers(2, 5))):
        var, bound = draw(sampled_from(["i", "i", "k"])), draw(sampled_from(["n", "n", "m"]))
        if draw(st.integers(0, 4)) == 0:
            lines.append(draw(sampled_from(["s = 1", "s = t", "x[0] = 3", "r = x[1]"])))
        if draw(st.integers(0, 4)) == 0:
            lines.append(loop(f"s = s + {element()}", "i", "n"))
        if draw(st.integers(0, 4)) == 0:
            inner = "" if draw(st.booleans()) else "for j in range(m):\n            "
            lines.append(loop(f"{inner}r = r + {element()}", "i", "n"))
        if draw(st.integers(0, 3)) == 0:
            column = draw(sampled_from(["j", "j + 1", "m - j"]))
            arrays = draw(st.permutations("AB"))
            body = f"for j in range(m):\n            {arrays[0]}[i, j] = {arrays[1]}[i, {column}]"
            body = body.replace("= ", f"= {element()} + ")
        else:
            body = f"{element()} = {element()} + {element()} * {draw(sampled_from('23s'))}"
        lines.append(loop(re.sub(r"\bi\b", var, body), var, bound))
    return in_time(*lines)


@QUICK
@given(
    source=neighbours(),
    live_out=st.sets(sampled_from("sijkr")),
    sizes=st.fixed_dictionaries({"n": st.integers(0, 5), "m": st.integers(0, 4)}),
    seed=st.integers(0, 99),
    alone=st.booleans(),
)
def test_joined_loops_mean_the_nest(source, live_out, sizes, seed, alone):
    nest = lift_text(source)
    seen = tuple(name for name in nest.scalars if name in live_out)
    _, after = plans(source, seen, sizes=sizes | {"q": 2}, called=True, alone=alone)

    def outcome(act, shuffle=None):
        cells = {a: (12,) * rank for a, rank in RANKS.items()}
        machine = Machine({**sizes, "q": 2, "s": 2, "r": 3}, cells, shuffle)
        act(machine)
        return machine.cells, {name: machine.scalars.get(name) for name in seen}

    want = outcome(lambda machine: machine.run(nest.loop))
    for shuffle in (None, random.Random(seed)):
        assert outcome(lambda machine: machine.plan(after.body), shuffle) == want, after
