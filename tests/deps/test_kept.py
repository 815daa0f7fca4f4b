"""What an analysis has found is there again in the next process, and nothing else is."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from autopar.deps import kept
from autopar.deps.data import ALWAYS, Analysis, Facts
from autopar.nest.ir import Const, For, Name

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
    with pytest.raises(AssertionError):
        kept.written([1])


def test_any_process_writes_the_same() -> None:
    code = "import sys, pickle\nfrom autopar.deps import kept\n"
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
