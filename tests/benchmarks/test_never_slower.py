"""What is looked for in `never_slower`: outputs, arithmetic and table, not times."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import never_slower  # noqa: E402
import repeated  # noqa: E402
import tables  # noqa: E402


def test_every_example_is_there():
    files = {BENCHMARKS.parent / "examples" / file for file, *_ in never_slower.SCRIPTS.values()}
    assert all(file.exists() for file in files)
    folders = {p.parent.name for p in (BENCHMARKS.parent / "examples").glob("*/*.py")}
    assert folders - {"__pycache__"} <= never_slower.SCRIPTS.keys()


@pytest.mark.parametrize("name", never_slower.SCRIPTS)
def test_each_has_a_tiny_size(name):
    file, tiny, _ = never_slower.SCRIPTS[name]
    command = [sys.executable, str(never_slower.EXAMPLES / file), *tiny.split()]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("calls", [1, 2, 5, 8])
def test_times_after_powers_of_two_and_the_last_call(calls):
    seen = []
    found = repeated.marks(lambda a: seen.append(a), {"a": [1.0]}, calls, float("inf"))
    assert [count for count, _, _ in found] == sorted({1, 2, 4, 8, calls} & set(range(calls + 1)))
    assert len(seen) == calls
    assert all(one is not two for one, two in itertools.pairwise(seen))
    assert [s for _, s, _ in found] == sorted(s for _, s, _ in found)


def test_a_kernel_from_start_to_table(tmp_path):
    out = tmp_path / "found.json"
    command = [sys.executable, str(BENCHMARKS / "never_slower.py"), "calls", "--only", "atax"]
    command += ["--seconds", "0.005", "--repetitions", "1", "--json", str(out)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr  # whether it is slower is not the question
    result = json.loads(out.read_text())
    (line,) = result["calls"]
    assert line["calls"] > 0
    assert done.stdout.strip() == tables.never_slower(result)


def test_a_wrong_output_is_noticed(tmp_path, monkeypatch):
    found = {"python": (1.0, 1.0, b"1"), "autopar": (1.0, 1.0, b"2")}
    monkeypatch.setattr(
        never_slower, "process", lambda words, env: found["autopar" if "-m" in words else "python"]
    )
    env = {"AUTOPAR_CACHE_DIR": str(tmp_path)}
    assert not never_slower.script(["x.py"], env, 2)["equal"]
    found["autopar"] = found["python"]
    assert never_slower.script(["x.py"], env, 2)["equal"]


def test_each_cold_run_has_a_cache_of_its_own(tmp_path):
    seen = []

    def of(words, env):
        if "-m" in words:
            seen.append(env["AUTOPAR_CACHE_DIR"])
        return len(seen)

    found = never_slower.in_turn(["x.py"], {"AUTOPAR_CACHE_DIR": str(tmp_path)}, 3, of)
    assert len(found["python"]) == len(found["python_first"]) == 3
    assert len(set(seen[:3])) == len(found["cold"]) == 3
    assert seen[3:] == [seen[0]] * len(found["autopar"]) == [str(tmp_path)] * 3


def test_short_scripts_are_run_until_their_least_time_is_one():
    took = never_slower.TOGETHER_S / 7.5
    for repetitions, times in ((3, 8), (9, 9)):
        found = never_slower.in_turn(
            ["x.py"],
            {"AUTOPAR_CACHE_DIR": ""},
            repetitions,
            lambda words, env: (took, took, b""),
            never_slower.are_enough,
        )
        assert len(found["cold"]) == len(found["python_first"]) == repetitions
        assert len(found["python"]) == len(found["autopar"]) == times
