"""Triangles of parallel loops as rectangles with a test: the same iterations at all sizes."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count

import pytest

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text
from autopar.sched.distribute import schedule
from autopar.sched.plan import Loop, Plan
from autopar.sched.squared import squared

RANKS = {"A": 2, "B": 2, "T": 3, "P": 1}
FACTS = Facts(frozenset(("n", "m", "k")), tuple(sorted(RANKS.items())))
SHAPES = {f"{a}.shape[{k}]": 90 for a, rank in RANKS.items() for k in range(rank)}
LOW, HIGH = "j in range(i + 1)", "j in range(i, n)"


def nested(body: str, *headers: str) -> str:
    lines = ["    " * k + f"for {header}:" for k, header in enumerate(headers)]
    return "\n".join([*lines, "    " * len(headers) + body, ""])


def planned(source: str, live_out: tuple[str, ...] = ()) -> tuple[Plan, Plan]:
    """The plan of the nest as it is, and with rectangles."""
    nest = replace(lift_text(source), live_out=live_out)
    analysis = analyse(nest, FACTS)
    plan = schedule(nest, analysis, analysis.held(SHAPES | {"n": 9, "m": 9, "k": 9}))
    ids = count(10_000)
    made = [squared(nest, one, ids) if isinstance(one, Loop) else one for one in plan.body]
    return plan, replace(plan, body=tuple(made))


def cells(plan: Plan, **sizes: int) -> list[tuple[int, ...]]:
    """The cells that a plan stores into, in order."""
    found: list[tuple[int, ...]] = []

    class Noting(dict[tuple[int, ...], float]):
        def __setitem__(self, key: tuple[int, ...], value: float) -> None:
            found.append(key)

        def __missing__(self, key: tuple[int, ...]) -> float:
            return 0.0

    text = re.sub(r"\bparallel (?=for)", "", re.sub(r"  # .*", "", str(plan)))
    exec(text, {**sizes, **{name: Noting() for name in RANKS}})
    return found


TAKEN = {
    "below": nested("A[i, j] = 1.0", "i in range(n)", LOW),
    "above": nested("A[i, j] = 1.0", "i in range(n)", HIGH),
    "above, and not all of it": nested("A[i, j] = 1.0", "i in range(2, m)", "j in range(i - 1, n)"),
    "turned over": nested("A[i, j] = 1.0", "i in range(n)", "j in range(n - i)"),
    "backwards": nested("A[i, j] = 1.0", "i in range(n - 1, -1, -1)", LOW),
    "backwards, above": nested("A[i, j] = 1.0", "i in range(n, m, -1)", "j in range(i, k)"),
    "with a plain one inside": nested("T[i, j, p] = 1.0", "i in range(n)", LOW, "p in range(m)"),
    "two": nested("T[i, j, p] = 1.0", "i in range(n)", LOW, "p in range(j, m)"),
    "of the outermost": nested(
        "T[i, j, p] = 1.0", "i in range(n)", "j in range(m)", "p in range(i)"
    ),
    "from somewhere on": nested("A[i, j] = 1.0", "i in range(m, n)", "j in range(m, i + 1)"),
}
LEFT = {
    "a band": nested("A[i, j] = 1.0", "i in range(n)", "j in range(i, i + 3)"),
    "a steep one": nested("A[i, j] = 1.0", "i in range(n)", "j in range(2 * i)"),
    "in steps": nested("A[i, j] = 1.0", "i in range(n)", "j in range(0, i, 2)"),
    "around in steps": nested("A[i, j] = 1.0", "i in range(0, n, 2)", "j in range(i)"),
    "a rectangle": nested("A[i, j] = 1.0", "i in range(n)", "j in range(m)"),
    "from an array": nested("A[i, j] = 1.0", "i in range(n)", "j in range(P[i])"),
    "of two variables": nested(
        "T[i, j, p] = 1.0", "i in range(n)", "j in range(m)", "p in range(i + j)"
    ),
    "by a product": nested("A[i, j] = 1.0", "i in range(n)", "j in range(i * m)"),
    "beside another": (
        "for i in range(n):\n    A[i, 0] = 1.0\n    for j in range(1, i):\n        A[i, j] = 2.0\n"
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_the_same_cells_in_the_same_order(name: str) -> None:
    plain, square = planned(TAKEN[name])
    assert plain != square
    for n in range(6):
        for m in range(5):
            for k in (0, 3):
                sizes = {"n": n, "m": m, "k": k}
                assert cells(square, **sizes) == cells(plain, **sizes), sizes


@pytest.mark.parametrize("name", LEFT)
def test_left_as_it_is(name: str) -> None:
    plain, square = planned(LEFT[name])
    assert plain == square


def test_a_variable_that_somebody_sees() -> None:
    """It would be another one after the last iteration."""
    plain, square = planned(TAKEN["below"], ("j",))
    assert plain == square
