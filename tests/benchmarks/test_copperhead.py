"""Copperhead's examples in two styles: autopar leaves what CPython leaves, types included."""

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import run  # noqa: E402
from alpyna.script import digest  # noqa: E402
from copperhead import NAMES  # noqa: E402

TINY = (2, 3, 7, 30)
STYLES = [
    ("csr_comprehension", "csr_loops"),
    ("csr_lists", "csr_loops"),
    ("ell_comprehension", "ell_loops"),
    ("ell_loops", "csr_loops"),
    ("pcg_comprehension", "pcg_loops"),
    ("smo_comprehension", "smo_loops"),
]


def outcome(name, n):
    """What `name` leaves behind: its result, and the multipliers where they are an argument."""
    module = importlib.import_module(f"copperhead.{name}")
    data = module.make(n, 3)
    result = module.run(**data)
    return (data["alphas"], *result) if name == "smo_loops" else result


@pytest.fixture(scope="module")
def contenders(tmp_path_factory):
    options = run.parse(["copperhead"])
    environment = run.environment(options, str(tmp_path_factory.mktemp("cache")))
    with run.Group(("cpython", "autopar"), environment) as group:
        yield group


@pytest.mark.parametrize("name", NAMES)
def test_same_values_and_types_at_tiny_sizes(name, contenders):
    for contender in contenders.workers:
        contenders.ask(contender, "load", suite="copperhead", name=name)
    for size in TINY:
        left = {}
        for contender in contenders.workers:
            contenders.ask(contender, "make", size=size, seed=size)
            left[contender] = []
            for _ in range(2):
                contenders.ask(contender, "call")
                left[contender].append(contenders.ask(contender, "digest"))
        assert left["autopar"] == left["cpython"], f"{name} at size {size}"


def test_same_for_lists_that_hold_something_unusual(tmp_path):
    """Rows without entries, ints among floats, columns that do not exist: one line for each."""
    command = [sys.executable, str(Path(__file__).parent / "odd_lists.py")]
    options = run.parse(["copperhead"])
    lines = {}
    for argument in ([], ["autopar"]):
        done = subprocess.run(
            [*command, *argument],
            capture_output=True,
            text=True,
            env=run.environment(options, str(tmp_path)),
        )
        assert done.returncode == 0, done.stderr
        lines[tuple(argument)] = done.stdout.splitlines()
    assert lines[("autopar",)] == lines[()]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="sum() of floats is compensated from 3.12")
@pytest.mark.parametrize(("one", "other"), STYLES)
def test_styles_agree_to_the_last_bit(one, other):
    flat = [np.hstack([np.ravel(x) for x in outcome(name, 12)]) for name in (one, other)]
    assert flat[0].tobytes() == flat[1].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_lists_that_are_passed_in_stay_as_they_were(name):
    """The runner restores arrays between calls, and nothing else."""
    module = importlib.import_module(f"copperhead.{name}")
    assert set(module.SIZES) == {"check", "steady"}
    data = module.make(9, 2)
    lists = {key: value for key, value in data.items() if isinstance(value, list)}
    before = digest(lists)
    module.run(**data)
    assert digest(lists) == before


@pytest.mark.parametrize("name", ["csr_comprehension", "pcg_comprehension", "smo_comprehension"])
def test_lists_of_floats_hold_floats(name):
    found = outcome(name, 8)
    numbers = found if name.startswith("csr") else found[0]
    rows = numbers if name.startswith("pcg") else [numbers]
    assert {type(x) for row in rows for x in row} == {float}


@pytest.mark.parametrize(
    ("one", "other"),
    [([1.0], [np.float64(1.0)]), ([1.0], (1.0,)), ([[1.0], []], [[], [1.0]]), ([0.0], [-0.0])],
)
def test_checksums_tell_lists_apart(one, other):
    assert digest({"x": one}) != digest({"x": other})
