"""Every operator on every pair of number types, on corner values, against the interpreter.

The suite takes a sample; ``ALL_OPERATIONS=1`` takes all pairs (some ten minutes).
"""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

import itertools
import os
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autopar.nest import kinds

sys.path.insert(0, str(Path(__file__).parents[1] / "same"))
import harness

DTYPES = ("bool", *kinds.NUMBERS)
PYTHON: dict[str, Any] = {
    "int": 3, "int < 0": -2, "int 0": 0, "float": 2.5, "float < 0": -0.75, "bool": True,
    "complex": 1.5 - 2j,
}  # fmt: skip
OPERATORS = (
    "+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=",
)  # fmt: skip
SIZE = 24
PAIRS = [
    pair for pair in itertools.product((*DTYPES, *PYTHON), repeat=2) if not set(pair) <= set(PYTHON)
]
if not os.environ.get("ALL_OPERATIONS"):
    PAIRS = random.Random(5).sample(PAIRS, 25)
UNARY = ("-{}", "+{}", "~{}", "not {}", "abs({})", "{} if {} else {}", "int({})", "float({})")


def corners(name: str) -> np.ndarray:
    """`SIZE` values of a dtype: ordinary ones, and where it ends."""
    rng = np.random.default_rng(len(name))
    dtype = np.dtype(name)
    match dtype.kind:
        case "b":
            return rng.integers(0, 2, SIZE).astype(bool)
        case "i" | "u":
            info = np.iinfo(dtype)
            low, high = max(int(info.min), -40), min(int(info.max), 40)
            usual = rng.integers(low, high, SIZE - 4).astype(dtype)
            return np.concatenate([usual, np.array([info.min, info.max, 0, 1], dtype)])
        case "f":
            special = np.array([0.0, -0.0, np.inf, -np.inf, 1e30, 1e-30, 1.0, -1.0])
            return np.concatenate([rng.normal(0, 10, SIZE - 8), special]).astype(dtype)
    usual = rng.normal(0, 10, SIZE - 4) + 1j * rng.normal(0, 10, SIZE - 4)
    return np.concatenate([usual, np.array([0, 1, 1j, 2 - 1j])]).astype(dtype)


def operand(name: str) -> tuple[str, Any]:
    """Atom and value of one side."""
    if name in PYTHON:
        return type(PYTHON[name]).__name__, PYTHON[name]
    return f"np.{name}", corners(name)


def groups(left: str, right: str) -> list[list[tuple[str, kinds.Step]]]:
    """Operators taken for these atoms; those that may raise are run apart."""
    steps = [(op, kinds.binary(op, left, right)) for op in OPERATORS]
    known = [
        (op, step)
        for op, step in steps
        # Of complex numbers, only squares are taken: tests/values/test_complex_squares.py.
        if step is not None and not (op == "**" and step.loop == "complex128")
    ]
    return [
        g for g in ([s for s in known if s[0] != "**"], [s for s in known if s[0] == "**"]) if g
    ]


@pytest.mark.usefixtures("lenient", "quiet")
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_binary_operators(left, right):
    (one, a), (two, b) = operand(left), operand(right)
    for group in groups(one, two):
        if group[0][0] == "**" and kinds.family(group[0][1].loop) == "int":
            b = np.abs(np.clip(b, -50, 50)) if isinstance(b, np.ndarray) and b.dtype != bool else b
        sides = [f"{n}[i]" if isinstance(v, np.ndarray) else n for n, v in (("a", a), ("b", b))]
        lines = [f"    o{k}[i] = {sides[0]} {op} {sides[1]}" for k, (op, _) in enumerate(group)]
        outs = {f"o{k}": np.zeros(SIZE, kinds.dtype(step.out)) for k, (_, step) in enumerate(group)}
        source = "\n".join(["for i in range(n):", *lines, ""])
        here, _ = harness.run(source, a=a, b=b, n=SIZE, **outs)
        refusal = here.record.refusal
        assert refusal is None or refusal.code in ("failed-inside", "big-integer"), refusal


@pytest.mark.usefixtures("lenient", "quiet")
@pytest.mark.parametrize("name", DTYPES)
def test_unary_operators_and_conversions(name):
    values = corners(name)
    values = values[np.isfinite(values)] if values.dtype.kind in "fc" else values
    if values.dtype.kind == "f":
        values = values[np.abs(values) < 1e18]
    for form in UNARY:
        text = form.replace("{}", "a[i]")
        source = f"for i in range(n):\n    s = {text}\n    c[i] = {text}\n"
        here, _ = harness.run(source, a=values, c=np.zeros(len(values), "c16"), n=len(values))
        assert here.record.refusal is None or here.record.refusal.code != "internal"


@pytest.mark.usefixtures("lenient", "quiet")
@pytest.mark.parametrize("target", DTYPES)
def test_stores_of_every_type(target):
    """In range the bits of NumPy's cast; out of range an exception or NumPy's own wrap-around."""
    for name in DTYPES:
        values = corners(name)
        if values.dtype.kind == "c" and np.dtype(target).kind != "c":
            continue
        source = "for i in range(n):\n    c[i] = a[i]\n"
        harness.run(source, a=values, c=np.zeros(SIZE, target), n=SIZE)
        small = np.abs(np.nan_to_num(values, posinf=1, neginf=1))
        small = np.where((np.abs(small) < 100) & (small.real >= 0), small, 1).astype(name)
        _, found = harness.run(source, a=small, c=np.zeros(SIZE, target), n=SIZE)
        assert found is not None, (name, target)
