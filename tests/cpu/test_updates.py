"""Stores that a condition on their own cell decides, and flags that signs put up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_lower import array, compiled, module

from autopar.cpu import machine
from autopar.cpu.lower import _Lowering

LOOP = "def k(a, b):\n    t = {zero}\n    k = 0\n    for i in range(a.shape[0] - 1):\n"
TAKEN = {
    "the lesser": "if b[i] < a[i]:\n    a[i] = b[i]",
    "with statements before": "if a[i] > b[i]:\n    t = b[i]\n    k = k + i\n    a[i] = t",
    "with a flag": "if a[i] > b[i]:\n    k |= i\n    a[i] = b[i]",
    "one of two": "if a[i] > b[i]:\n    a[i] = b[i + 1] if b[i + 1] > b[i] else a[i + 1]",
    "twice": "if a[i] > b[i]:\n    a[i] = b[i]\nif a[i] < b[i + 1]:\n    a[i] = b[i + 1]",
    "of the cell before": "if b[i] > a[i]:\n    a[i] = a[i - 1]",
}
REFUSED = {
    "or else": "if b[i] < a[i]:\n    a[i] = b[i]\nelse:\n    b[i] = a[i]",
    "another cell": "if b[i] < a[i]:\n    a[i + 1] = b[i]",
    "what is not read": "if b[i] < b[i + 1]:\n    a[i] = b[i]",
    "what may not be read": "if b[i] > b[i + 1] and a[i] > b[i]:\n    a[i] = b[i]",
    "another subscript by then": "if a[k] < b[i]:\n    k = i\n    a[k] = b[i]",
    "two stores": "if b[i] < a[i]:\n    b[i + 1] = a[i]\n    a[i] = b[i]",
    "a loop before": "if b[i] < a[i]:\n    for k in range(i):\n        b[k] = t\n    a[i] = b[i]",
}


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch, optimised: None) -> list[Any]:
    """What is stored in any case, on a processor that has no masks."""
    found = []
    plain = _Lowering.update

    def noted(self: Any, *given: Any) -> None:
        found.append(given)
        plain(self, *given)

    monkeypatch.setattr(machine, "masks_stores", lambda: False)
    monkeypatch.setattr(_Lowering, "update", noted)
    return found


def text(body: str, zero: str = "0") -> str:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"{LOOP.format(zero=zero)}{lines}    return 0\n"


def left(body: str, dtype: str) -> None:
    """Assert that machine code leaves in both arrays what Python does."""
    rng = np.random.default_rng(4)
    one, two = (np.array(rng.integers(-50, 50, 77), dtype) for _ in range(2))
    if dtype.startswith("float"):
        words = one.view(f"int{8 * one.itemsize}")
        words[::7] = -3 - np.arange(11)  # nans, each another one
    source = text(body, f"{dtype}(0)" if dtype != "int64" else "0")
    wanted = one.copy(), two.copy()
    space: dict[str, Any] = {dtype: np.dtype(dtype).type}
    exec(source, space)
    space["k"](*wanted)
    compiled(source, array(one), array(two))(one, two)
    assert (one.tobytes(), two.tobytes()) == tuple(a.tobytes() for a in wanted)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "float64", "float32"])
@pytest.mark.parametrize("name", TAKEN)
def test_what_stays_is_stored_as_well(name, dtype, updates):
    left(TAKEN[name], dtype)
    assert len(updates) == TAKEN[name].count("if a[i]") + TAKEN[name].count("if b[i]")


@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_stored_where_the_condition_holds(name, dtype, updates):
    left(REFUSED[name], dtype)
    assert updates == []


@pytest.mark.parametrize("dtype", ["bool", "complex128"])
def test_numbers_that_are_not_what_is_loaded(dtype, updates):
    """A byte of two is true, and one that is stored is one."""
    a = np.array([2, 0, 1, 7], np.uint8).view(bool) if dtype == "bool" else np.ones(4, dtype)
    before = a.tobytes()
    test = "a[i] == b[i]" if dtype != "bool" else "a[i] != a[i]"
    compiled(text(f"if {test}:\n    a[i] = b[i]"), array(a), array(a))(a, np.zeros_like(a))
    assert a.tobytes() == before
    assert updates == []


def test_no_masks_where_there_are_none(updates):
    a = np.zeros(5)
    for body in (TAKEN["the lesser"], "t = a[i]\nif b[i] < t:\n    t = b[i]\na[i] = t"):
        llvm = module(text(body, "float64(0)"), [array(a, "C"), array(a, "C")])
        found = machine._target(machine.LEVEL).emit_assembly(machine.optimised(llvm))
        assert "maskmov" not in found


@pytest.mark.parametrize("masks", [True, False])
def test_processors_with_masks_use_them(masks, updates, monkeypatch):
    monkeypatch.setattr(machine, "masks_stores", lambda: masks)
    left(TAKEN["the lesser"], "float64")
    assert bool(updates) != masks


# ---------------------------------------------------------------------------- flags

FLAGS = """\
def k(a, out):
    last = False
    below = False
    for i in range(a.shape[0]):
        odd = {start}
        for j in range(a.shape[1]):
            odd |= {test}
            last |= a[i, j] < 0
        if odd:
            out[i, 0] = 1
            last = False
        if odd and last or below:
            out[i, 1] = 1
        below = last
    if last:
        out[0, 2] = 1
    return 0
"""


@pytest.mark.parametrize("start", ["False", "True", "last"])
@pytest.mark.parametrize("test", ["(a[i, j] ^ j) < 0", "a[i, j] < -40", "(a[i, j] & a[i, 0]) < 0"])
@pytest.mark.parametrize("dtype", ["int64", "int32", "int8"])
def test_flags_go_up_and_down(dtype, test, start, optimised):
    source = FLAGS.format(test=test, start=start)
    for seed in range(6):
        a = np.random.default_rng(seed).integers(-50, 900, (9, 40)).astype(dtype)
        a = np.abs(a) if seed % 2 else a
        a[3:5], wanted, found = -1, *(np.zeros((9, 3), np.int64) for _ in range(2))
        space: dict[str, Any] = {}
        exec(source, space)
        space["k"](a, wanted)
        assert compiled(source, array(a), array(found))(a, found) == 0
        assert found.tolist() == wanted.tolist()


def test_what_is_no_flag_keeps_all_of_its_bits():
    source = (
        "def k(a, out):\n    x = 512\n    for i in range(a.shape[0]):\n"
        "        x |= a[i] < 0\n    out[0] = x\n    return 0\n"
    )
    out = np.zeros(1, np.int64)
    for a in (np.array([1, -2]), np.array([1, 2])):
        assert compiled(source, array(a), array(out))(a, out) == 0
        assert out[0] == 512 + (a.min() < 0)
