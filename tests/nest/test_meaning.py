"""Operations that typing replaces by others, and what typing costs."""

from __future__ import annotations

import builtins
import time

import pytest

from autopar.nest import functions
from autopar.nest.ir import Assign
from autopar.nest.show import text
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, Typed, infer
from autopar.verdict import Refusal


def typed(expression: str, dtype: str) -> Typed | Refusal:
    nest = lift_text(f"for i in range(9):\n    s = {expression}\n")
    arrays = {p: ArrayType(dtype, 1, "C", True, True) for p in nest.paths if p in ("a", "b")}
    calls = {}
    for path in set(nest.paths) & {"range", "abs", "complex"}:
        found = functions.known(getattr(builtins, path))
        assert found is not None
        calls[path] = found
    return infer(nest, arrays, {}, calls)


@pytest.mark.parametrize(
    ("written", "dtype", "meant"),
    [
        ("a[i] + a[0]", "bool", "a[i] | a[0]"),
        ("a[i] * (i > 2)", "bool", "a[i] & (i > 2)"),
        ("(i > 1) + (i > 2)", "bool", "(i > 1) + (i > 2)"),
        ("a[i] + a[0]", "int8", "a[i] + a[0]"),
        ("abs(a[i])", "bool", "a[i]"),
        ("i ** -2", "int8", "i ** -2.0"),
        ("a[i] ** -2", "int64", "a[i] ** -2"),
        ("a[i] ** -2", "float64", "a[i] ** -2"),
        ("a[i].real", "float32", "a[i]"),
        ("a[i].real", "complex64", "a[i].real"),
        ("(i > 2).real", "bool", "+(i > 2)"),
        ("(a[i] * 2).conjugate()", "int8", "a[i] * 2"),
        ("complex(a[i])", "float32", "complex(a[i], 0.0)"),
        ("a.shape[-1]", "float32", "a.shape[0]"),
    ],
)
def test_what_an_operation_means(written, dtype, meant):
    found = typed(written, dtype)
    assert isinstance(found, Typed)
    (stmt,) = found.nest.loop.body
    assert isinstance(stmt, Assign)
    assert text(stmt.value) == meant


@pytest.mark.parametrize("written", ["a[i] - a[0]", "-a[i]", "a[i].imag", "complex(1j)"])
def test_what_is_refused(written):
    assert isinstance(typed(written, "bool"), Refusal)


def test_typing_a_long_sum_takes_no_longer_than_reading_it():
    before = time.perf_counter()
    assert isinstance(typed(" + ".join(["a[i]"] * 150), "float64"), Typed)
    assert time.perf_counter() - before < 2
