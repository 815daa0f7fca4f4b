"""The suite for the CPU: what is written by hand leaves CPython's bytes, and so does autopar.

`python benchmarks/run.py suite --tiny` compiles every version of every kernel and compares them;
here the texts by hand are executed by the interpreter, which takes no compiling.
"""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import columns  # noqa: E402
import contenders  # noqa: E402
import run  # noqa: E402
import suite  # noqa: E402
import tables  # noqa: E402
from alpyna.script import digest  # noqa: E402
from column import distance  # noqa: E402
from group import Group  # noqa: E402

# A sum, a product, a recurrence, a stencil, lists, and what keeps its order in any case.
KINDS = (
    "cg_vectors",
    "two_mm",
    "deriche",
    "trisolv",
    "nbody",
    "heat_3d",
    "csr_lists",
    "nussinov",
)
BY_HAND = [name for name in suite.NAMES if suite.PLACES[name][1]]


def left(function, data):
    """All that a call leaves behind, its result included."""
    result = function(**data)
    return {**data, "<result>": 0 if result is None else result}


@pytest.mark.parametrize("name", suite.NAMES)
def test_has_what_the_runner_needs(name):
    module = importlib.import_module(suite.PLACES[name][0])
    sizes = suite.sizes(name)
    assert list(sizes) == ["tiny", "quick", "normal"]
    assert sizes["tiny"] < sizes["quick"] < sizes["normal"]
    text = Path(module.__file__).read_text()
    assert "numba" not in text
    assert "autopar" not in text
    first, second = module.make(sizes["tiny"], 2), module.make(sizes["tiny"], 2)
    before = digest({**first, "<result>": 0})
    assert before != digest(left(module.run, first)) == digest(left(module.run, second))


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize("more", [0, 1, 6])
def test_versions_by_hand_leave_the_same(name, more):
    """Sizes with and without a rest beyond pairs and fours."""
    module, by_hand = map(importlib.import_module, suite.PLACES[name])
    size = suite.sizes(name)["tiny"] + more
    expected = left(module.run, module.make(size, 3))
    got = left(by_hand.run, module.make(size, 3))
    assert digest(got) == digest(expected)
    for other in ("relaxed", "whole"):
        if hasattr(by_hand, other):
            near = left(getattr(by_hand, other), module.make(size, 3))
            far = max(distance(near[key], value) for key, value in expected.items())
            assert far <= suite.TOLERANCE, other


@pytest.mark.parametrize("name", ["trisolv", "cholesky", "lu", "floyd_warshall", "adi", "trmm"])
def test_blocks_by_hand_meet(name):
    """Sizes of more than one block, and a part of one."""
    module, by_hand = map(importlib.import_module, suite.PLACES[name])
    size = 140 if name == "trisolv" else 41
    expected = left(module.run, module.make(size, 3))
    assert digest(left(by_hand.run, module.make(size, 3))) == digest(expected)


def command(tmp_path, *arguments):
    path = tmp_path / "suite.json"
    program = [sys.executable, str(BENCHMARKS / "run.py"), "suite", "--json", str(path)]
    done = subprocess.run([*program, *arguments], capture_output=True, text=True)
    assert path.exists(), done.stderr
    lines = json.loads(path.read_text())["benchmarks"]
    assert {line["name"]: line["wrong"] for line in lines if line["wrong"]} == {}
    assert done.returncode == 0, done.stderr
    return lines, done.stdout


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """One that compiles, for each column, and one that finds what that has left."""
    options = run.parse(["suite", "--quick"])
    folder = tmp_path_factory.mktemp("suite")
    env = columns.surroundings(options, folder)
    with (
        Group(["cpython", "autopar", "relaxed"], env, "column.py") as cold,
        Group(["autopar"], env, "column.py") as warm,
    ):
        yield options, folder / "expected", cold, warm


@pytest.mark.parametrize("name", [name for name in suite.NAMES if name not in suite.ALPYNA])
def test_autopar_leaves_the_same_at_a_size_where_it_compiles(name, processes):
    """In a process that compiles and, one of each kind, in one that finds what the first has left.

    Several calls; ALPyNA's are held against CPython by themselves.
    """
    options, expected, cold, warm = processes
    found = {"cpython": [], "autopar": [], "relaxed": []}
    order = [(cold, "cpython"), (cold, "autopar")]
    for group, column in order + [(warm, "autopar"), (cold, "relaxed")] * (name in KINDS):
        found[column].append(columns.first(group, column, name, options, expected))
        if column != "cpython":
            for _ in range(3):
                group.ask(column, "call")
            found[column].append(group.ask(column, "compare", path=str(expected)))
    assert all(call["equal"] for call in found["autopar"])
    assert all(call["distance"] <= suite.TOLERANCE for call in found["relaxed"])


def test_all_columns_run_and_agree(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHRAN", "")
    monkeypatch.setenv("PATH", str(tmp_path))  # no Pythran there
    names = ("cg_vectors", "csr_lists")
    lines, text = command(tmp_path, "--tiny", *names)
    assert [line["name"] for line in lines] == list(names)
    by_pythran = {"pythran", "pythran_plain"}
    assert all(line["missing"][column] for line in lines for column in by_pythran)
    assert lines[0]["missing"] == dict.fromkeys(by_pythran, "Pythran is not installed")
    assert set(lines[0]["seconds"]) == set(contenders.COLUMNS) - {"cpython", *by_pythran}
    assert "- cg_vectors, pythran: Pythran is not installed" in text


def test_where_no_idiom_is_natural_numpy_has_no_column():
    data = importlib.import_module(suite.PLACES["lu"][0]).make(suite.sizes("lu")["tiny"], 1)
    with pytest.raises(contenders.Missing, match="no natural idiom"):
        contenders.function("numpy", suite.PLACES["lu"], data)


@pytest.mark.parametrize(
    ("got", "expected", "far"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, np.nan], [1.0, np.nan], 0.0),
        ([1.0, np.nan], [1.0, 2.0], np.inf),
        ([1.0], [1.0, 2.0], np.inf),
        ([4.0, 3.0], [4.0, 2.0], 0.25),
    ],
)
def test_distance_is_relative_and_minds_nans_and_shapes(got, expected, far):
    assert distance(np.array(got), np.array(expected)) == far


def test_integers_are_held_against_the_same_tolerance():
    """One in a hundred may differ, where an iteration stops by the last bit; no more."""
    expected = np.zeros(400, np.int64)
    got = expected.copy()
    got[:3] = 1
    assert distance(got, expected) < suite.TOLERANCE
    got[:5] = 1
    assert distance(got, expected) > suite.TOLERANCE


def test_a_result_that_must_be_equal_and_is_only_near_is_wrong():
    near = {"equal": False, "distance": 1e-9}
    far = {"equal": False, "distance": 1e-3}
    other_type = {"equal": False, "distance": 0.0}
    line = {"cold": {"expert": near, "njit": near}, "warm": {}, "last": {"numpy": far}}
    assert columns.wrong({"name": "lu", **line}) == ["expert", "numpy"]
    assert columns.wrong({"name": "smo_loops", **line}) == []
    line = {"cold": {"expert": other_type, "autopar": other_type}, "warm": {}, "last": {}}
    assert columns.wrong({"name": "lu", **line}) == ["autopar"]
    assert columns.wrong({"name": "smo_loops", **line}) == ["autopar"]


def test_best_is_the_faster_of_the_exact_versions():
    samples = {"njit": [3.0, 3.0], "expert": [2.0, 2.0], "autopar": [1.0, 1.0]}
    found = columns.speedups({**samples, "fastmath": [8.0, 8.0], "relaxed": [2.0, 2.0]}, 50.0)
    assert found["best"] == 2.0
    assert found["fastmath"] == 4.0
    assert found["cpython"] == 50.0


def test_pragmas_stand_above_parallel_loops():
    text = "def f(a):\n    for i in prange(3):\n        for j in range(2):\n            pass\n"
    lines = contenders._with_openmp(text).splitlines()
    assert lines[1:3] == ["    #omp parallel for schedule(static)", "    for i in range(3):"]
    assert lines[3:] == ["        for j in range(2):", "            pass"]


def test_unknown_kernel_is_named(capsys):
    with pytest.raises(SystemExit):
        run.parse(["suite", "gem"])
    assert "no such benchmark: gem" in capsys.readouterr().err


def test_table_says_what_was_left_to_the_interpreter():
    seconds = {c: {"median": 0.1} for c in contenders.COLUMNS[1:]}
    call = {"call_s": 1.0, "first_s": 2.0}
    line = {"name": "lu", "wrong": [], "missing": {"numpy": "no natural idiom"}, "size": 5}
    line |= {"seconds": seconds, "speedup": {"best": 2.0}, "warm": {}}
    line |= {"cold": {"cpython": call, "expert": call, "autopar": call}}
    line["loops"] = [{"line": 7, "status": "interpreted", "runs": 0, "reason": "why"}]
    text = tables.columns({"benchmarks": [line], "geometric_means": {"best": 2.0}})
    assert "- lu, line 7: why" in text
    assert "- lu, numpy: no natural idiom" in text
    assert text.splitlines()[2].split("|")[3].strip() == "in Python"
