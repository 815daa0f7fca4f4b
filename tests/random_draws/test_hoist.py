"""Draws as statements of their own, and in which order."""

from __future__ import annotations

import pytest

from autopar.nest.calls.draws import Method, drawn
from autopar.nest.ir import Nest
from autopar.nest.show import show
from autopar.nest.text.lift import lift_text
from autopar.verdict import Reason, Refusal

METHODS = {
    "rng.random": Method("Generator", "random", 0),
    "rng.integers": Method("Generator", "integers", 0),
    "np.random.rand": Method("RandomState", "rand", 1),
}


def draws(body: str) -> Nest | Refusal:
    nest = lift_text("for i in range(n):\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    used = {path: METHODS[path] for path in METHODS if path in nest.paths}
    return drawn(nest, used, {})


def shown(body: str) -> list[str]:
    """The statements."""
    found = draws(body)
    assert isinstance(found, Nest)
    return [line.strip() for line in show(found).split("\n")]


def order(body: str) -> list[int]:
    """Numbers of the generators, in the order of the draws."""
    return [int(line[11]) for line in shown(body) if line.startswith("<generator ")]


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("x = rng.random() + np.random.rand() * rng.random()", [0, 1, 0]),
        ("a[rng.integers(5)] = np.random.rand()", [1, 0]),
        ("a[rng.integers(5)] += np.random.rand()", [0, 1]),
        ("x = rng.integers(rng.integers(3) + 1)", [0, 0]),
        ("if rng.random() < np.random.rand() < 0.5:\n    x = 1", [0, 1]),
        ("if rng.random() < 0.5 < np.random.rand():\n    x = 1", [0, 1]),
        ("while np.random.rand() < 0.5:\n    x = rng.random()", [1, 0]),
        ("x, y = np.random.rand(), rng.random()", [1, 0]),
        ("x = np.random.rand() if rng.random() < 0.5 else 1.0", [0, 1]),
    ],
)
def test_order(body: str, numbers: list[int]) -> None:
    assert order(body) == numbers


def test_an_operand_that_may_not_be_evaluated_draws_under_a_condition() -> None:
    lines = shown("x = i < 3 and rng.random() < 0.5")
    first = next(k for k, line in enumerate(lines) if line.startswith("<generator"))
    assert any(line.startswith("if ") for line in lines[:first])


@pytest.mark.parametrize(
    "body",
    [
        "x = rng.random(3, out=d)",
        "x = rng.random(dtype=d)",
        "if 0 < i < rng.random() < 1:\n    x = 1",
        "x = rng.integers()",
        "x = rng.integers(1, low=2)",
    ],
)
def test_refusals(body: str) -> None:
    found = draws(body)
    assert isinstance(found, Refusal)
    assert found.reason in (Reason.DRAW, Reason.CALL)
    assert found.span.line == 2


def test_the_range_of_the_outermost_loop_is_known_before() -> None:
    nest = lift_text("for i in range(rng.integers(5)):\n    x = i\n")
    found = drawn(nest, {"rng.integers": METHODS["rng.integers"]}, {})
    assert isinstance(found, Refusal)
    assert "range of the outermost loop" in found.detail
