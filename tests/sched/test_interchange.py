"""The loop that ends up innermost: where it pays, where it is legal, and that nothing changes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay import Machine

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.sched.distribute import schedule
from autopar.sched.interchange import interchanged
from drawn import sampled_from

RANKS = {"A": 2, "B": 2, "C": 2, "D": 2, "x": 1, "y": 1}
FACTS = Facts(frozenset("nm"), tuple(sorted(RANKS.items())))
SIZES = {"n": 4, "m": 3}


def plans(source, live_out="", **layouts):
    """The plan before and after."""
    nest = replace(lift_text(source), live_out=tuple(live_out))
    analysis = analyse(nest, FACTS)
    shapes = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}
    plan = schedule(nest, analysis, analysis.held(SIZES | shapes))
    return plan, interchanged(plan, layouts)


def nested(body, bounds=("n", "n", "n"), loops="ijk"):
    lines = [
        "    " * k + f"for {var} in range({bound}):"
        for k, (var, bound) in enumerate(zip(loops, bounds, strict=True))
    ]
    return "\n".join([*lines, *("    " * len(loops) + line for line in body.split("\n")), ""])


def order(source, live_out="", **layouts):
    """Variables from the outermost loop to the innermost."""
    _, plan = plans(source, live_out, **layouts)
    return "".join(
        line.split()[line.split().index("for") + 1]
        for line in str(plan).splitlines()
        if " in range(" in line
    )


GEMM = "C[i, j] = C[i, j] + A[i, k] * B[k, j]"


def test_a_product_of_matrices_runs_along_rows():
    assert order(nested(GEMM)) == "ikj"


def test_with_columns_side_by_side_it_stays_as_it_is():
    assert order(nested(GEMM), B="F") == "ijk"


def test_what_is_consecutive_already_stays():
    assert order(nested("C[i, j] = A[i, j] + 1", "nn", "ij")) == "ij"
    assert order(nested("C[i, j] = C[i, j] + A[i, k] * B[j, k]")) == "ijk"


def test_where_the_inner_loop_is_empty_the_others_do_not_run():
    _, plan = plans(nested(GEMM))
    assert str(plan).splitlines()[1].strip() == "if 0 < n:"
    _, plan = plans(nested(GEMM, ("n", "n, 0, -1", "n")))
    assert str(plan).splitlines()[1].strip() == "if n > 0:"
    _, plan = plans(nested(GEMM, ("n", "20", "n")))
    assert "if" not in str(plan)


def test_several_bands():
    source = (
        "for i in range(n):\n"
        "    for j in range(n):\n        for k in range(n):\n"
        f"            {GEMM}\n"
        "    for j in range(m):\n        A[i, j] = 0\n"
    )
    _, plan = plans(source)
    assert "for k" in str(plan).split("for j")[0]


def scaled(first, product=GEMM, last="pass"):
    return (
        "for i in range(n):\n    for j in range(n):\n"
        f"        {first}\n        for k in range(n):\n            {product}\n        {last}\n"
    )


def test_a_loop_is_cut_where_a_part_of_it_gains():
    assert order(scaled("C[i, j] = 2 * C[i, j]")) == "ijkj"
    assert order(scaled("C[i, j] = 2 * C[i, j]", last="A[i, j] = 1")) == "ijk"  # A is read before
    assert order(scaled("t = A[i, j]\n        C[i, j] = 2 * t")) == "ijkj"


@pytest.mark.parametrize(
    ("source", "live_out"),
    [
        (scaled("t = A[i, j]", "C[i, j] = C[i, j] + t * B[k, j]"), ""),  # t goes from part to part
        (scaled("t = 1", GEMM, "if A[i, j] > 3:\n            t = 2"), "t"),  # the last one counts
        (scaled("if A[i, j] > 3:\n            continue"), ""),
        (scaled("j = j + 1"), ""),
        # The first part writes what the range of the second would be computed from.
        (scaled("D[i, j] = 0").replace("j in range(n)", "j in range(D[i, 0])"), ""),
    ],
)
def test_where_it_must_not_be_cut(source, live_out):
    before, after = plans(source, live_out)
    assert after == before


def test_private_temporaries_move_along():
    assert order(nested("t = A[i, k] * B[k, j]\nC[i, j] = C[i, j] + t")) == "ikj"


@pytest.mark.parametrize(
    ("source", "live_out"),
    [
        (nested(GEMM, ("n", "n", "j")), ""),  # the range of one depends on the other
        (nested(GEMM), "j"),  # somebody sees what is left in a loop variable
        (nested(GEMM), "k"),
        (nested("t = A[i, k]\n" + GEMM), "t"),
        (nested(GEMM + "\nif A[i, k] > 3:\n    break"), ""),
        (nested("if A[i, k] > 3:\n    continue\n" + GEMM), ""),
        (nested(GEMM, ("n", "5", "n")), ""),  # too short to be worth it
        (nested(GEMM, ("n", "n", "n // 2")), ""),  # not known to be harmless when not reached
        (nested("C[i, j] = C[i, j - 1] + A[i, k] * B[k, j]"), ""),  # j carries a dependence
        ("for i in range(n):\n    for j in range(n):\n        for k in range(n):\n            "
         f"{GEMM}\n        x[j] = k\n", ""),
    ],
)  # fmt: skip
def test_where_it_must_stay(source, live_out):
    before, after = plans(source, live_out)
    assert after == before


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=st.integers(0, 99))
def test_it_means_the_same(data, seed):
    def index(rank):
        shift = sampled_from(["", " + 1", " - 1"])
        return ", ".join(data.draw(sampled_from("ijk")) + data.draw(shift) for _ in range(rank))

    def element(arrays="ABCxy"):
        array = data.draw(sampled_from(arrays))
        return f"{array}[{index(RANKS[array])}]"

    target = element("Cxy")
    lines = [f"{target} = {data.draw(sampled_from([target, '1']))} + {element()} * 2"]
    if data.draw(st.booleans()):
        lines = [f"t = {element()} + 1", f"{element('Cy')} = t - {element()}", *lines]
    if data.draw(st.booleans()):
        lines = [f"if {element()} > 5:", *("    " + line for line in lines)]
    bounds = [data.draw(sampled_from(["n", "m", "1, n", "n, 0, -1", "2 * m"])) for _ in "ijk"]
    source = nested("\n".join(lines), bounds)
    if data.draw(st.booleans()):
        extra = [
            f"        {element('Cxy').replace('k', 'j')} = {element().replace('k', 'j')} + 1\n"
        ]
        if data.draw(st.booleans()):
            extra = [f"        t = {element().replace('k', 'i')}\n", *extra]
        heads, inner = source.splitlines(keepends=True)[:2], source.splitlines(keepends=True)[2:]
        parts = [*inner, *extra] if data.draw(st.booleans()) else [*extra, *inner]
        source = "".join([*heads, *parts])
    sizes = {"n": data.draw(st.integers(0, 4)), "m": data.draw(st.integers(0, 3))}
    before, after = plans(source)
    layouts = {a: data.draw(sampled_from("CF")) for a in RANKS}
    held = analyse(before.nest, FACTS)
    shapes = {f"{a}.shape[{k}]": 9 for a, rank in RANKS.items() for k in range(rank)}
    plan = schedule(before.nest, held, held.held(sizes | shapes))
    after = interchanged(plan, layouts)

    def outcome(act, shuffle=None):
        machine = Machine({**sizes, "t": 3}, {a: (9,) * rank for a, rank in RANKS.items()}, shuffle)
        act(machine)
        return machine.cells

    wanted = outcome(lambda machine: machine.run(before.nest.loop))
    for shuffle in (None, random.Random(seed)):
        assert outcome(lambda machine: machine.plan(after.body), shuffle) == wanted, after
