"""Nests whose arrays have no room on a device: in pieces of their loop, or on the CPU."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from harness import run

from autopar import config
from autopar.device.api import DeviceFailed
from autopar.device.run import Run
from autopar.journal import LoopRecord
from autopar.runtime.run import on_device

pytestmark = pytest.mark.usefixtures("pocl")
RNG = np.random.default_rng(5)
LIMIT = 1600  # bytes


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Runs on a device that has little memory."""
    config.use(replace(config.current(), device_memory=LIMIT, check=True))
    found: list[Run] = []
    there = on_device.OnDevice.there

    def noted(self: Any, *given: Any) -> Run:
        found.append(there(self, *given))
        return found[-1]

    monkeypatch.setattr(on_device.OnDevice, "there", noted)
    return found


def record(source: str, **names: Any) -> LoopRecord:
    """What the report says of the loop in `source`, which the interpreter has verified."""
    site, found = run(source, np=np, **names)
    assert found is not None
    assert site.record is not None
    return site.record


def copies(names: dict[str, Any]) -> dict[str, Any]:
    arrays = {k: v.copy(order="K") for k, v in names.items() if isinstance(v, np.ndarray)}
    return names | arrays


def matrix(rows: int, columns: int) -> Any:
    return RNG.random((rows, columns))


PIECES = {
    "rows": (
        "for i in range(len(a)):\n    for j in range(a.shape[1]):\n        b[i, j] = a[i, j] / 3\n",
        {"a": matrix(40, 10), "b": matrix(40, 10)},
    ),
    "columns": (
        "for j in range(a.shape[1]):\n    for i in range(len(a)):\n        a[i, j] = a[i, j] + j\n",
        {"a": np.asfortranarray(matrix(10, 40))},
    ),
    "a vector": (
        "for i in range(len(x)):\n    y[i] = x[i] * 0.5 + y[i]\n",
        {"x": RNG.random(500), "y": RNG.random(500)},
    ),
    "neighbours": (
        "for i in range(1, len(x) - 1):\n    y[i] = x[i - 1] + x[i] + x[i + 1]\n",
        {"x": RNG.random(500), "y": RNG.random(500)},
    ),
    "every third, backwards": (
        "for i in range(len(x) - 1, 2, -3):\n    x[i] = x[i] + y[i - 2]\n",
        {"x": RNG.random(500), "y": RNG.random(500)},
    ),
    "a triangle in place": (
        "for i in range(len(a)):\n    for j in range(i + 1):\n        a[i, j] *= 1.5\n",
        {"a": matrix(30, 30)},
    ),
    "rows of a band": (
        "for i in range(2, len(a) - 2):\n    for j in range(i - 2, i + 3):\n"
        "        b[i] = b[i] + a[i, j]\n",
        {"a": matrix(40, 40), "b": RNG.random(40)},
    ),
    "what is transposed and lies apart": (
        "for i in range(len(a)):\n    for j in range(a.shape[1]):\n        b[j, i] = a[i, j] + i\n",
        {"a": matrix(60, 20)[::2, ::2].T, "b": np.asfortranarray(matrix(40, 40))},
    ),
    "sums": (
        "for i in range(len(k)):\n    s += int(k[i])\n    p = p ^ int(k[i]) * i\n",
        {"k": RNG.integers(0, 9, 700), "s": 5, "p": 3},
    ),
    "a sum that NumPy's integers have to hold": (
        "for i in range(len(k)):\n    s += k[i]\n",
        {"k": RNG.integers(-99, 99, 700), "s": np.int64(4)},
    ),
    "the greatest, and where": (
        "for i in range(len(x)):\n    if x[i] > best:\n        best = x[i]\n        at = i\n",
        {"x": RNG.random(700), "best": 0.0, "at": -1},
    ),
    "what is left of scalars": (
        "for i in range(len(x)):\n    t = x[i] * 2.0\n    if t > 1.9:\n        u = t\n"
        "    y[i] = t\n",
        {"x": RNG.random(500), "y": RNG.random(500), "u": 0.5},
    ),
    "some of what may be written": (
        "for i in range(len(x)):\n    if x[i] > 0.5:\n        y[i] = x[i]\n",
        {"x": RNG.random(500), "y": RNG.random(500)},
    ),
    "cells that an array says": (
        "for i in range(len(k)):\n    y[k[i]] = x[i]\n",
        {"x": RNG.random(150), "y": RNG.random(60), "k": np.arange(149, 89, -1) - 90},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PIECES)
def test_a_loop_runs_piece_by_piece(name, runs):
    source, names = PIECES[name]
    said = record(source, **copies(names))
    assert (said.device, said.refusal) == ("opencl:0", None)
    assert len(runs) > 1
    for one in runs:
        sizes = [block.size for block in one.layout.blocks]
        assert sum(sizes) + max(sizes) <= LIMIT


def test_a_warning_of_one_piece_is_left_to_the_cpu(runs):
    x = RNG.random(500)
    x[444] = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        said = record("for i in range(len(x)):\n    x[i] = 1.0 / x[i]\n", x=x)
    assert any("divide by zero" in str(one.message) for one in caught)
    assert said.device == "cpu"


def test_pieces_move_no_more_than_the_whole(runs):
    source, names = PIECES["rows"]
    record(source, **{key: value.copy() for key, value in names.items()})
    assert len(runs) >= 40 * 10 * 2 * 8 / LIMIT
    assert sum(one.moved for one in runs) == 2 * 40 * 10 * 8


def test_a_part_of_a_large_array_needs_little_room(runs):
    a = matrix(2000, 50)
    source = (
        "for i in range(900, 910):\n    for j in range(3):\n        a[i, j] = a[i, j + 4] * 2.0\n"
    )
    said = record(source, a=a)
    assert said.device == "opencl:0"
    assert said.transfer_bytes < 2000


REFUSED = {
    "two loops": (
        "for t in range(3):\n    for i in range(1, len(x) - 1):\n        y[i] = x[i - 1] + x[i]\n"
        "    for i in range(1, len(x) - 1):\n        x[i] = y[i - 1] + y[i]\n",
        "it is no one loop",
    ),
    "each iteration needs all": (
        "for i in range(len(x)):\n    for j in range(len(y)):\n        x[i] = x[i] + y[j] * j\n",
        "not even what one part",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_run_in_pieces_runs_on_the_cpu_and_says_why(name, runs):
    source, why = REFUSED[name]
    names = {"x": RNG.random(300), "y": RNG.random(300), "k": RNG.integers(0, 9, 300), "s": 0}
    said = record(source, **names)
    assert said.device == "cpu"
    assert said.refusal is not None
    assert said.refusal.code == "device"
    assert why in said.refusal.text
    assert not runs


@pytest.mark.parametrize("place", ["launch", "back"])
def test_a_piece_that_fails_leaves_all_as_it_was(place, runs, monkeypatch, failing):
    work = getattr(Run, place)
    left = [3]
    seen: list[Any] = []
    x, y = RNG.random(500), RNG.random(500)
    before = y.copy()

    def late(self: Run, *given: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            assert (y != before).any()
            raise DeviceFailed("the device is gone")
        return work(self, *given)

    attempt = on_device.InPieces.parallel

    def undone(self: on_device.InPieces, *given: Any) -> int:
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: seen.append(y.copy()))
            return attempt(self, *given)

    config.use(replace(config.current(), verify=False))
    monkeypatch.setattr(Run, place, late)
    monkeypatch.setattr(on_device.InPieces, "parallel", undone)
    said = record("for i in range(len(x)):\n    y[i] = x[i] * 0.5 + y[i]\n", x=x, y=y)
    assert said.device == "cpu"
    assert (seen[0] == before).all()
    assert (y == x * 0.5 + before).all()
