"""The runner's arithmetic and judgement, without timing anything."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import run
import tables
from worker import Worker


def loop(**changes):
    fields = {"line": 7, "status": "parallel", "parallel_loops": ["i"], "fallbacks": 0}
    return {**fields, "code": None, "reason": None, **changes}


@pytest.mark.parametrize(
    ("loops", "expected"),
    [
        ([loop()], []),
        ([], ["no loop of this file was taken"]),
        ([loop(parallel_loops=["t"])], ["line 7: parallel over ['t']"]),
        ([loop(parallel_loops=[])], ["line 7: parallel over nothing"]),
        ([loop(), loop(status="interpreted", code="too-small")], []),
        ([loop(status="interpreted", code="too-small")], ["no loop of this file was taken"]),
        ([loop(fallbacks=2)], ["line 7: 2 runs fell back"]),
        ([loop(status="interpreted", reason="why")], ["line 7: interpreted: why"]),
    ],
)
def test_complains_of_what_is_not_as_expected(loops, expected):
    assert run.complaints(loops, ("i", "j")) == expected


def test_ratio_is_within_rounds():
    """A machine that slows down for both in one round does not change the ratio."""
    assert run.ratio([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == 2.0


def test_means_skip_what_was_not_timed():
    lines = [{"steady": {"speedup": {"njit": 2.0}}}, {"steady": {"speedup": {"njit": 8.0}}}, {}]
    assert run.means(lines, tables.TIMED) == {"njit": pytest.approx(4.0), "prange": None}


def test_inputs_are_restored_before_every_call():
    worker = Worker("cpython")
    worker.load("alpyna", "gemver")
    worker.make(9, 1)
    worker.call()
    first = worker.digest()
    worker.call()
    assert worker.digest() == first
    assert set(worker.fresh) == {"a", "w", "x"}


def test_unknown_benchmark_is_named_with_those_that_exist(capsys):
    with pytest.raises(SystemExit):
        run.parse(["alpyna", "gem"])
    assert "no such benchmark: gem; there are vadd, saxpy" in capsys.readouterr().err


def test_table_has_one_line_per_benchmark():
    seconds = {c: {"median": 0.1} for c in tables.TIMED}
    steady = {"size": 5, "seconds": seconds, "speedup": {"njit": 2.0, "prange": 1.0}}
    small = {"equal": True, "complaints": [], "seconds": {"cpython": 1.0, "autopar": 0.01}}
    small["loops"] = [{"status": "parallel", "runs": 4}]
    lines = [{"name": "gemm", "check": small, "steady": steady}]
    text = tables.loops({"benchmarks": lines, "geometric_means": run.means(lines, tables.TIMED)})
    cells = [cell.strip() for cell in text.splitlines()[2].strip("|").split("|")]
    assert cells == ["gemm", "equal", "parallel", "5", *["100.0"] * 3, "2.00", "1.00", "100"]
