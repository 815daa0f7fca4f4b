"""What an analysis has found is there again in the next process, and nothing else is."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from autopar import kept
from autopar.deps.data import ALWAYS, Analysis, Facts
from autopar.nest.ir import Const, For, Name
from autopar.runtime.choice.decide import apart

LOOP = For("i", Const(0), Name("n"), Const(1), (), 3, 1)
FACTS = Facts(frozenset(("n", "m", "k")), (("a", 2), ("b", 1)), builtins=frozenset(("max", "min")))
FOUND = Analysis(("n",), (), ((1, ALWAYS),))


def test_is_made_once(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> Analysis:
        made.append(1)
        return FOUND

    for _ in range(3):
        found = kept.kept("analyse", (LOOP, FACTS), make, tmp_path)
        assert found == FOUND
        assert found.inside({"n": 3}) == {1}
    assert len(made) == 1
    kept.kept("private", (LOOP, FACTS), make, tmp_path)
    kept.kept("analyse", (LOOP, FACTS), make, None)
    assert len(made) == 3


def test_a_damaged_entry_is_made_again(tmp_path: Path) -> None:
    kept.kept("analyse", (1,), lambda: FOUND, tmp_path)
    (entry,) = tmp_path.iterdir()
    content = entry.read_bytes()
    for damaged in (b"", content[:40], content[:-1], content[:-1] + b"!", bytes(200)):
        entry.write_bytes(damaged)
        assert kept.kept("analyse", (1,), lambda: FOUND, tmp_path) == FOUND
        assert entry.read_bytes() == content


def test_of_what_may_never_be_asked_again_the_oldest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MOST_PASSING", 8)
    made: list[int] = []

    def ask(k: int, passing: bool = True) -> int:
        return kept.kept("analyse", (k,), lambda: made.append(k) or k, tmp_path, passing)

    for k in range(8):
        assert ask(k) == k
        (newest,) = (path for path in tmp_path.iterdir() if path.stat().st_mtime_ns > 1e9)
        os.utime(newest, ns=(k, k))  # however coarse the clock is
    assert len(list(tmp_path.iterdir())) == 8
    ask(8)
    assert len(list(tmp_path.iterdir())) == 5
    made.clear()
    for k in (8, 7, 6, 5, 4):
        ask(k)
    assert made == []
    ask(0)
    assert made == [0]


def test_what_lasts_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MOST_PASSING", 8)
    for k in range(20):
        kept.kept("analyse", (k,), lambda: FOUND, tmp_path)
    assert len(list(tmp_path.iterdir())) == 20


def test_nowhere_to_write(tmp_path: Path) -> None:
    assert kept.kept("analyse", (1,), lambda: FOUND, tmp_path / "missing") == FOUND


@pytest.mark.parametrize(
    "two",
    [(1, 1.0), (1, True), (0.0, -0.0), ("1", 1), ((1, 2), (12,)), (((1,), 2), ((1, 2),)),
     ("a;b", ("a", "b")), (frozenset((1,)), (1,)), (Name("a"), Const("a")), (None, "None"),
     (frozenset(("a,b",)), frozenset(("a", "b")))],
)  # fmt: skip
def test_questions_that_differ(two: tuple[object, object]) -> None:
    assert kept.written(two[0]) != kept.written(two[1])


def test_what_is_no_data_is_no_question() -> None:
    with pytest.raises(kept.NoNameError):
        kept.written([1])


def test_any_process_writes_the_same() -> None:
    code = "import sys, pickle\nfrom autopar import kept\n"
    code += "print(kept.written(pickle.loads(bytes.fromhex(sys.argv[1]))))"
    text = pickle.dumps((LOOP, FACTS)).hex()
    found = {
        subprocess.run(
            [sys.executable, "-c", code, text],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2", "3")
    }
    assert found == {kept.written((LOOP, FACTS))}


def test_numbers_that_are_equal_in_part_only() -> None:
    one = Analysis(("n",), (), ((1, ALWAYS),))
    two = Analysis(("n",), (), ((2, ALWAYS),))
    assert kept.written(one) == kept.written(FOUND)
    assert kept.written(two) != kept.written(FOUND)
    one.inside({"n": 3})  # which compiles its conditions
    assert kept.written(one) == kept.written(FOUND)


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("__version__", "0.0.other"),
        ("sys", SimpleNamespace(version="3.99", flags=sys.flags)),
        ("_ROOMS", ("nest", "deps", "sched")),
    ],
)
def test_nothing_of_another_autopar_or_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, change: object
) -> None:
    made: list[int] = []

    def ask() -> None:
        kept._circumstances.cache_clear()
        kept.kept("plan", (LOOP,), lambda: made.append(1), tmp_path)

    ask()
    ask()
    assert len(made) == 1
    with monkeypatch.context() as patch:
        patch.setattr(kept, what, change)
        ask()
        assert len(made) == 2
    ask()
    assert len(made) == 2


def test_nothing_of_another_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    features = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    before = kept._circumstances()
    kept._circumstances.cache_clear()
    monkeypatch.setitem(features, "SSE2", not features["SSE2"])
    assert kept._circumstances() != before
    kept._circumstances.cache_clear()
    monkeypatch.undo()
    assert kept._circumstances() == before


PROGRAM = """
import sys
import numpy as np

def mixed(a, b, n):
    s = 0.0
    for t in range(20):
        for i in range(1, n - 1):
            b[i] = 0.5 * (a[i - 1] + a[i + 1]) + np.sqrt(a[i])
        for i in range(1, n - 1):
            a[i] = b[i]
        s += b[n // 2]
    return s

a = np.linspace(0.0, 1.0, 4000)
b = a.copy()
print(repr(mixed(a, b, len(a))), a.tobytes().hex()[:64], b[::-1].sum())
names = (
    "autopar.cpu.emit", "autopar.sched.distribute", "autopar.deps.analyse", "autopar.sched.fusion",
    "autopar.nest.learn", "autopar.nest.arrays.whole",
)
print(*[name for name in names if name in sys.modules], file=sys.stderr)
"""


def started(program: Path, cache: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *options, str(program)],
        env={**os.environ, "AUTOPAR_CACHE_DIR": str(cache), "AUTOPAR_FAIL_ON_FALLBACK": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out, err.strip()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "mixed.py"
    path.write_text(PROGRAM)
    return path


def test_the_second_run_plans_and_emits_nothing(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain, _ = finished(started(program, cache))
    first, made = finished(started(program, cache, "-m", "autopar"))
    second, again = finished(started(program, cache, "-m", "autopar"))
    assert first == second == plain
    assert len(made.split()) == 6
    assert again == ""


NUMBERS = """
import sys
import numpy as np

def turned(a, m, n):
    for i in range(n):
        for j in range(m):
            a[i * m + j] = a[i * m + j] * 0.5 + a[((i + 1) % n) * m + j]
    for i in range(n):
        for j in range(m):
            a[i * m + j] += i - j

m = int(sys.argv[1])
a = np.linspace(0.0, 1.0, m * 200)
for _ in range(3):
    turned(a, m, 200)
print(a.tobytes().hex()[:64], a.sum())
names = "autopar.cpu.emit", "autopar.sched.distribute", "autopar.deps.analyse"
print(*[name for name in names if name in sys.modules], file=sys.stderr)
"""


def test_what_is_made_of_the_numbers_of_a_call_is_kept_too(tmp_path: Path) -> None:
    program, cache = tmp_path / "turned.py", tmp_path / "cache"
    program.write_text(NUMBERS)

    def run(m: int, *options: str) -> tuple[str, str]:
        command = [sys.executable, *options, str(program), str(m)]
        env = {**os.environ, "AUTOPAR_CACHE_DIR": str(cache), "AUTOPAR_FAIL_ON_FALLBACK": "1"}
        return finished(
            subprocess.Popen(
                command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )

    for m in (300, 300, 301):
        plain, _ = run(m)
        found, made = run(m, "-m", "autopar")
        assert found == plain
        seen = m in (int(path.name) for path in tmp_path.glob("[0-9]*"))
        assert ("autopar.deps.analyse" in made) != seen
        (tmp_path / str(m)).touch()
    assert list((cache / "passing_analyses").iterdir())
    assert run(300, "-m", "autopar")[1] == ""


def test_what_is_damaged_or_strange_is_made_again(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain, _ = finished(started(program, cache, "-m", "autopar"))
    for folder in ("analyses", "nests", "plans", "programs"):
        entries = sorted((cache / folder).iterdir())
        assert entries
        for k, entry in enumerate(entries):
            content = entry.read_bytes()
            entry.write_bytes((content[:-3], content[:-1] + b"?", b"", bytes(500))[k % 4])
    assert finished(started(program, cache, "-m", "autopar"))[0] == plain


def test_several_processes_at_once(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain, _ = finished(started(program, cache))
    several = [started(program, cache, "-m", "autopar") for _ in range(4)]
    assert {finished(one)[0] for one in several} == {plain}
    assert finished(started(program, cache, "-m", "autopar")) == (plain, "")
    assert not list(cache.rglob("*.part"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes of POSIX")
def test_nothing_is_read_from_a_directory_of_others(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain, _ = finished(started(program, cache, "-m", "autopar"))
    for folder in ("plans", "programs"):
        (cache / folder).chmod(0o777)
    out, made = finished(started(program, cache, "-m", "autopar"))
    assert out == plain
    assert "autopar.cpu.emit" in made
    assert "autopar.sched.distribute" in made


HELPER = """
def f(x):
    return x * 2.0 + SHIFT

SHIFT = 1.0
"""
CHANGING = """
import sys
import numpy as np
from helper import f

def run(a, b, n, start):
    s = start
    k = 0
    for i in range(n):
        k += 2
        b[i] = f(a[i]) + a[k % n]
        s += b[i]
    c = b * 2 + a
    d = np.sqrt(c * c) + a
    return s, d

a = np.linspace(0.0, 1.0, 5000).astype(sys.argv[1])
s, d = run(a, np.zeros_like(a), len(a), eval(sys.argv[2]))
print(type(s), repr(s), d.dtype, d.tobytes().hex()[:400])
"""


def ran(
    folder: Path, *arguments: str, python: tuple[str, ...] = (), **environment: str
) -> tuple[str, str]:
    """What the program in `folder` prints, plain and taken, with the cache that is there."""
    found = []
    for options in ((), ("-m", "autopar")):
        done = subprocess.run(
            [sys.executable, *python, *options, str(folder / "program.py"), *arguments],
            env={
                **os.environ,
                "AUTOPAR_CACHE_DIR": str(folder / "cache"),
                "AUTOPAR_FAIL_ON_FALLBACK": "1",
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.append(done.stdout)
    return found[0], found[1]


def test_other_types_text_and_settings_are_other_questions(tmp_path: Path) -> None:
    program, helper = tmp_path / "program.py", tmp_path / "helper.py"
    program.write_text(CHANGING)
    helper.write_text(HELPER)
    calls = [("f8", "0.0"), ("f4", "0.0"), ("f8", "0"), ("f8", "np.float64(0)"), ("i8", "0.0")]
    for arguments in (*calls, *calls):
        plain, taken = ran(tmp_path, *arguments)
        assert taken == plain
    seen = {plain}
    # The same names, places and types; other numbers in the text.
    for before, after in (("2.0", "3.0"), ("x * 3.0 + SHIFT", "SHIFT - x"), ("1.0", "7.0")):
        helper.write_text(helper.read_text().replace(before, after))
        later = helper.stat().st_mtime + 2 * len(
            seen
        )  # for Python takes what is as old for the same
        os.utime(helper, (later, later))
        plain, taken = ran(tmp_path, *calls[0])
        assert taken == plain
        assert plain not in seen
        seen.add(plain)
    program.write_text(CHANGING.replace("k += 2", "k += 3").replace("b * 2 + a", "b * 2 - a"))
    plain, taken = ran(tmp_path, *calls[0])
    assert taken == plain
    assert plain not in seen
    # Sums in another order, where that is allowed: never where it is not.
    ran(tmp_path, *calls[0], AUTOPAR_FP="relaxed", AUTOPAR_THREADS="4")
    for threads in ("1", "4"):
        plain, taken = ran(tmp_path, *calls[0], AUTOPAR_THREADS=threads)
        assert taken == plain


def test_functions_that_everybody_has_are_named() -> None:
    names = [kept.written(f) for f in (np.sin, np.sum, np.float64, abs, float, np.add, np.linspace)]
    assert len(set(names)) == len(names)
    assert kept.written({"a": np.sin}) != kept.written({"a": np.cos})


def test_methods_that_everybody_has_are_named() -> None:
    names = [kept.written(f) for f in (np.ndarray.mean, np.ndarray.var, np.mean, str.join)]
    assert len(set(names)) == len(names)

    class Mine(np.ndarray):
        pass

    assert kept.written(Mine.mean) == names[0]  # the very same
    for one in (np.zeros(1).mean, [].append, np.random.RandomState().rand):
        with pytest.raises(kept.NoNameError):
            kept.written(one)


def test_functions_that_may_be_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(x: float) -> float:
        return x

    class Mine:
        pass

    wrapped = functools.wraps(np.sum)(own)
    monkeypatch.setattr(np, "sum", wrapped)
    strange = (own, Mine, Mine(), wrapped, lambda x: x, np.frompyfunc(own, 1, 1), [1].append)
    for one in strange:
        with pytest.raises(kept.NoNameError):
            kept.written((1, {"f": one}))


def test_what_has_no_name_is_made_each_time(tmp_path: Path) -> None:
    made: list[int] = []
    for _ in range(2):
        kept.kept("nest", (object(),), lambda: made.append(1), tmp_path)
    assert len(made) == 2
    assert not list(tmp_path.iterdir())


def test_what_comes_from_disk_is_asked_about_by_its_entry(tmp_path: Path) -> None:
    first = kept.kept("one", (1,), lambda: FOUND, tmp_path)
    name = kept.written(first)
    kept._digests.clear()
    second = kept.kept("one", (1,), lambda: pytest.fail("it is kept"), tmp_path)
    assert first == second == FOUND
    assert kept.written(second) == name != kept.written(FOUND)
    other = kept.kept("one", (2,), lambda: replace(FOUND, params=("m",)), tmp_path)
    assert kept.written(other) != name
    inside = kept.kept("one", (3,), lambda: (FOUND, replace(FOUND, params=("m",))), tmp_path)
    assert len({kept.written(one) for one in (*inside, FOUND, second)}) == 4


def test_a_plan_that_is_not_to_be_made_is_missing(tmp_path: Path) -> None:
    plans, passing = tmp_path / "plans", tmp_path / "passing_plans"
    plans.mkdir()
    passing.mkdir()
    with kept.only_found(True):
        with pytest.raises(kept.Missing) as missing:
            kept.kept("plan", (1,), lambda: 2, plans)
        with pytest.raises(kept.Missing):
            kept.find("fusion", (1,), plans)
        assert kept.kept("plan", (1,), lambda: 2, passing) == 2
        with kept.only_found(False):  # as one that a signal handler asks for
            assert kept.kept("plan", (1,), lambda: 2, plans) == 2
        assert kept.kept("plan", (1,), lambda: 3, plans) == 2
    assert missing.value.name == next(plans.iterdir()).name
    assert kept.kept("plan", (4,), lambda: 5, plans) == 5


def test_what_is_not_to_be_made_is_a_matter_of_one_thread(tmp_path: Path) -> None:
    def only() -> bool:
        with kept.only_found(False):
            return kept.is_only_found()

    with kept.only_found(True), ThreadPoolExecutor(1) as others:
        assert not others.submit(kept.is_only_found).result()
        assert not others.submit(only).result()
        assert kept.is_only_found()
        assert apart(kept.is_only_found)  # which is done on a thread of its own
    assert not apart(kept.is_only_found)
