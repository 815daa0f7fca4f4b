"""What benchmarks and nests leave on a device, and the bytes that move: no more than they must.

The least is found by running the plain function on arrays that note each access: in must go what is
read before it is written, and back what is written.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import run
from on_device import NAMES, REFUSED, digest, left, suite
from recorded import Log, Touched, recorded

from autopar import config, journal
from autopar.hook.loader import code_of
from autopar.runtime.choice import moves
from autopar.runtime.running import Runner
from autopar.runtime.verify import VerifyError

# Cells of which the values of others decide whether they are written: all of them may be.
WRITTEN_BY_VALUE = {"floyd_warshall"}
# What is made by statements on whole arrays in front of the loops, or read there: two arrays of
# zeros; one of them, and one element of each of two others.
MADE = {
    "three_mm": lambda data: (
        _cells(data["a"][:, 0]) * data["b"].shape[1] + _cells(data["c"][:, 0]) * data["d"].shape[1]
    ),
    "durbin": lambda data: len(data["r"]) + 2,
}


def _rows(lists: Any) -> int:
    """Elements of a list of lists of several lengths; where each begins, and how long it is."""
    return sum(map(len, lists)) + 2 * len(lists)


def _cells(array: Any) -> int:
    return int(np.array(array).size)


# Elements that move where there are no loops, but comprehensions, or where there are lists: what
# goes in, and the lists that are the result; and where loops of other functions are part of one.
BY_HAND = {
    "csr_lists": lambda d: sum(len(d[k]) for k in ("rows", "columns", "values", "x", "x")),
    "csr_comprehension": lambda d: _rows(d["values"]) + _rows(d["columns"]) + 2 * len(d["x"]),
    # Each step is a run of its own.
    "ell_comprehension": lambda d: d["steps"] * (2 * _cells(d["values"]) + 2 * len(d["x"])),
    # Ahead of the steps, five arrays for two others, and two sums of products; all steps together
    # read nine and leave ten, of which four others are what they were where there is no step.
    "pcg_loops": lambda d: (5 + 2 + 2 * 2 + 9 + 4 + 10) * _cells(d["a"]),
    # Two sums of products; then u, v, three coefficients and three pairs of vectors, and u and v.
    "pcg_comprehension": lambda d: (2 * 2 + 2 + 3 + 4 + 2) * _cells(d["a"]),
    # All but where `alphas` and `errors` begin is left to the CPU.
    "smo_comprehension": lambda d: 3 * len(d["labels"]),
}


FEW = {"limit": 3, "steps": 3}
"""Steps of what takes many, all of which do the same."""


def inputs(make: Callable[..., dict[str, Any]], name: str) -> dict[str, Any]:
    """What a benchmark works on, of its least size and in few steps."""
    data = make(suite.sizes(name)["tiny"], 1)
    return {key: FEW.get(key, value) for key, value in data.items()}


def least(one: Touched, name: str) -> int:
    """Bytes of one array that must go over and come back."""
    written = len(one.written)
    if written and name in WRITTEN_BY_VALUE:
        written = one.array.size
    return (len(one.needed) + written) * one.array.itemsize


def by_line(log: Log, name: str) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for line, arrays in log.runs:
        found.setdefault(line, []).append(sum(least(one, name) for one in arrays.values()))
    return found


@pytest.fixture
def moved(pocl: None, apart: Any, monkeypatch: pytest.MonkeyPatch) -> dict[int, list[int]]:
    """Bytes of arrays that each run on the device has moved, by the line of its loop."""
    apart()
    journal.clear()
    # Verification would run what is called by the interpreter's run on the device as well.
    config.use(replace(config.current(), check=True, verify=False))
    found: dict[int, list[int]] = {}
    offloaded = Runner.offloaded

    def noted(self: Runner, *given: Any) -> Any:
        launch: Any = offloaded(self, *given)
        if launch is not None:
            found.setdefault(self.nest.loop.line, []).append(launch.moved)
        return launch

    monkeypatch.setattr(Runner, "offloaded", noted)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_benchmarks_leave_the_bytes_of_cpython_and_move_no_more_than_they_must(
    name, moved, for_cuda
):
    """On PoCL; CUDA's compiler takes all kernels."""
    plain = importlib.import_module(suite.PLACES[name][0])
    if name == "ell_comprehension":  # the loop around is declined, and what it calls is not
        config.use(replace(config.current(), verify=True, fail_on_fallback=False))
    assert plain.__file__ is not None
    text = Path(plain.__file__).read_text()
    code = code_of(text, plain.__file__, "text")
    assert code is not None
    space: dict[str, Any] = {"__name__": f"moves_{name}"}
    exec(code, space)
    found = digest(left(space["run"], inputs(space["make"], name)))
    data = inputs(plain.make, name)
    assert found == digest(left(plain.run, inputs(plain.make, name)))
    ran = [one for one in journal.records() if one.runs]
    assert ran
    for one in ran:
        assert one.device == "opencl:0" or (one.refusal and REFUSED[name] in one.refusal.text)
    assert (name in REFUSED) == any(one.device == "cpu" for one in ran)
    total = sum(map(sum, moved.values()))
    if name in BY_HAND:
        assert total == 8 * BY_HAND[name](data)
        return
    joined = {one.line for one in journal.records() if one.together and not one.leads}
    expected = by_line(recorded(text, f"recorded_{name}", inputs(plain.make, name), joined), name)
    if name in REFUSED:
        assert expected.keys() - moved.keys()
    expected = {k: v for k, v in expected.items() if k in moved or name not in REFUSED}
    assert {k: v for k, v in moved.items() if k in expected} == expected
    made = 8 * MADE[name](data) if name in MADE else 0
    assert total - sum(map(sum, expected.values())) == made


# ---------------------------------------------------------------------------- single nests


@pytest.fixture
def noted(pocl: None, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The runs on the device, each verified; what does not go over is no number of any use."""
    config.use(replace(config.current(), check=True))
    found: list[Any] = []
    offloaded = Runner.offloaded

    def noting(self: Runner, *given: Any) -> Any:
        found.append(offloaded(self, *given))
        return found[-1]

    monkeypatch.setattr(Runner, "offloaded", noting)
    return found


RNG = np.random.default_rng(2)
KINDS = ["bool", "int8", "uint16", "int32", "float32", "float64", "complex64", "complex128"]
COPY = "for i in range(1, len(a)):\n    for j in range(i):\n        a[i, j] = a[j, i + 1]\n"


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize(
    "view", [lambda a: a, np.asfortranarray, lambda a: a[::2, ::-1], lambda a: a.T[1:]]
)
def test_triangles_are_packed_whatever_their_elements_are(dtype, view, noted):
    whole = (RNG.random((24, 26)) * 100).astype(dtype)
    a = view(whole)
    n = min(len(a), a.shape[1] - 1)
    run(COPY.replace("len(a)", "n"), a=a, n=n)
    (launch,) = noted
    assert launch.moved == n * (n - 1) * a.itemsize


def test_neither_rows_nor_columns_move_that_nobody_touches(noted):
    a, b = RNG.random((40, 30)), np.zeros((40, 30))
    source = (
        "for i in range(3, 20, 4):\n    for j in range(2, 9):\n        b[i, j] = a[i - 3, 2 * j]\n"
    )
    run(source, a=a, b=b)
    assert noted[0].moved == 2 * 5 * 7 * 8


def test_what_shares_memory_moves_whole(noted):
    whole = RNG.random((12, 12))
    run(
        "for i in range(4):\n    for j in range(4):\n        b[i, j] = a[i, j]\n",
        a=whole[:, :8], b=whole[:, 6:],
    )  # fmt: skip
    assert noted[0].moved >= whole.nbytes


def test_a_size_is_no_reason_to_move_an_array(noted):
    a, b = RNG.random(50), RNG.random(5000)
    run("for i in range(len(a)):\n    a[i] = a[i] * 0.5 + b.shape[0]\n", a=a, b=b)
    assert noted[0].moved == 2 * a.nbytes


@pytest.mark.parametrize("forgotten", [0, 1])
def test_a_cell_that_is_forgotten_is_noticed(forgotten, noted, monkeypatch):
    """Tests would see it if too little went over, or came back."""
    found = moves.moves

    def less(*given: Any) -> Any:
        parts = {path: list(part) for path, part in found(*given).items()}
        ((first, ((count, step), *_)),) = parts["a"][forgotten]
        parts["a"][forgotten] = ((first, ((count - 1, step),)),)
        return {path: tuple(part) for path, part in parts.items()}

    monkeypatch.setattr(moves, "moves", less)
    with pytest.raises(VerifyError, match="array a differs"):
        run("for i in range(len(a)):\n    a[i] = a[i] + 1.5\n", a=RNG.random(30))


def test_what_launches_need_beside_arrays_is_little(noted):
    few, many = (RNG.integers(0, 9, n) for n in (10, 50_000))
    for k in (few, many):
        run("for i in range(len(k)):\n    s += int(k[i])\n", k=k, s=0)
    small, large = noted
    assert small.moved == few.nbytes
    assert small.scratch < 1000
    assert large.scratch < 200_000


def test_what_an_array_points_to_lies_between_its_ends(noted):
    """No more is known of which elements are read than the least and the greatest place."""
    a, b, k = RNG.random(5000), np.zeros(40), RNG.permutation(np.arange(100, 160))[:40]
    run("for i in range(len(k)):\n    b[i] = a[k[i]]\n", a=a, b=b, k=k)
    between = int(k.max() - k.min()) + 1
    assert noted[0].moved == k.nbytes + b.nbytes + between * a.itemsize
