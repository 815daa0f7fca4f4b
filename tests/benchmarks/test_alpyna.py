"""ALPyNA's benchmarks: Numba agrees with CPython, autopar agrees bit for bit."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from alpyna import NAMES, annotated  # noqa: E402
from alpyna.script import digest  # noqa: E402

SUITE = "alpyna"

# Numba computes float32 * float in double precision, NumPy 2 in single.
NUMBA_DIFFERS = {"saxpy"}


@pytest.mark.parametrize("name", NAMES)
def test_has_what_the_runner_needs(name):
    module = importlib.import_module(f"alpyna.{name}")
    assert set(module.SIZES) == {"check", "steady"}
    assert module.PARALLEL
    assert digest(module.make(9, 1)) == digest(module.make(9, 1))
    text = Path(module.__file__).read_text()
    assert "numba" not in text
    assert "autopar" not in text


@pytest.mark.parametrize("name", NAMES)
def test_annotated_loops_are_the_plain_ones(name):
    """Same function text but for `prange`, so that the comparison is of the same arithmetic."""
    plain = (BENCHMARKS / "alpyna" / f"{name}.py").read_text()
    loops = plain.split("def run(")[1].split("\n\n\nif __name__")[0]
    marked = (BENCHMARKS / "alpyna" / "annotated.py").read_text()
    marked = marked.split(f"def {name}(")[1].split("\n\n\n@njit")[0].rstrip()
    assert "prange" in marked
    assert marked.replace("prange", "range") == loops


@pytest.mark.parametrize("name", NAMES)
def test_changes_something_and_the_same_twice(name):
    module = importlib.import_module(f"alpyna.{name}")
    first, second = module.make(9, 2), module.make(9, 2)
    before = digest(first)
    module.run(**first)
    module.run(**second)
    assert before != digest(first) == digest(second)


@pytest.mark.parametrize("name", NAMES)
def test_annotated_agrees_with_cpython(name):
    module = importlib.import_module(f"alpyna.{name}")
    expected, got = module.make(11, 3), module.make(11, 3)
    module.run(**expected)
    getattr(annotated, name)(**got)
    if name not in NUMBA_DIFFERS:
        assert digest(got) == digest(expected)
        return
    for key, array in expected.items():
        assert got[key] == pytest.approx(array, rel=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_autopar_agrees_bit_for_bit_and_runs_the_loops_in_parallel(name, checked):
    found = checked(name)
    assert found["equal"]
    assert found["complaints"] == []
