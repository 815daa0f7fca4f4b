"""What the machine was measured to take is kept, and begun anew on another one."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autopar import config
from autopar.nest.hidden import DRAW
from autopar.nest.ir import ELEMENTS, Assign, Binary, Call, Const, Load, Nest
from autopar.nest.text.lift import lift_text
from autopar.nest.typed.types import ArrayType, Typed, infer
from autopar.runtime import measured
from autopar.runtime.choice import estimate
from autopar.runtime.choice.outline import outline
from autopar.runtime.choice.variants import of_python
from autopar.runtime.measured import Measured
from autopar.runtime.run import pool
from autopar.sched.machine import MACHINE


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "numbers"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A cache of its own, and numbers that count."""
    monkeypatch.setattr(measured, "_untouched", lambda: False)
    before = config.current()
    (tmp_path / "cache").mkdir(mode=0o700)
    config.use(replace(before, cache_dir=tmp_path / "cache"))
    yield
    config.use(before)


def test_nothing_measured_means_the_constants(file: Path) -> None:
    assert Measured(file).machine == MACHINE
    assert Measured(None).machine == MACHINE


def test_numpy_is_imported_with_the_rest_where_it_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    least_s = MACHINE.start_s + MACHINE.import_s
    assert Measured(None).machine == replace(MACHINE, start_s=least_s)


def test_what_was_left_is_found(file: Path) -> None:
    one = Measured(file)
    one.take("interpreted_op_s", 1.5 * MACHINE.interpreted_op_s)
    one.note("read_s", 4 * MACHINE.read_s)
    one.leave()
    two = Measured(file)
    assert two.machine.interpreted_op_s == pytest.approx(1.5 * MACHINE.interpreted_op_s, 1e-3)
    assert two.machine.read_s == pytest.approx(2 * MACHINE.read_s, 1e-3)
    assert replace(two.machine, interpreted_op_s=0.0, read_s=0.0) == replace(
        MACHINE, interpreted_op_s=0.0, read_s=0.0
    )


def test_what_is_seen_often_is_believed(file: Path) -> None:
    one = Measured(file)
    for _ in range(20):
        one.note("compile_op_s", 3 * MACHINE.compile_op_s)
    assert one.machine.compile_op_s == pytest.approx(3 * MACHINE.compile_op_s, 0.1)
    one.note("compile_op_s", 1000.0)  # the machine slept
    assert one.machine.compile_op_s < 5 * MACHINE.compile_op_s


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e9])
def test_nothing_is_too_odd(file: Path, seconds: float) -> None:
    one = Measured(file)
    one.note("launch_s", seconds)
    one.take("copy_byte_s", seconds)
    assert 0 < one.machine.launch_s < 1.0
    assert 0 < one.machine.copy_byte_s < 1.0


@pytest.mark.parametrize(
    "text", ["", "launch_s", "launch_s 1", "launch_s x 1", "launch_s nan 1", "chunks 1.0 3", "\xff"]
)
def test_a_damaged_file_is_an_absent_one(file: Path, text: str) -> None:
    file.write_text(text, "latin-1")
    assert Measured(file).machine == MACHINE


def test_no_news_is_not_written(file: Path) -> None:
    one = Measured(file)
    for _ in range(9):
        one.note("read_s", MACHINE.read_s)
    one.leave()
    file.chmod(0o400)
    stamp = file.stat().st_mtime_ns
    two = Measured(file)
    two.note("read_s", MACHINE.read_s)
    two.leave()
    assert file.stat().st_mtime_ns == stamp


@pytest.mark.parametrize("what", ["processor", "cores", "python", "llvmlite"])
def test_another_machine_has_another_name(
    monkeypatch: pytest.MonkeyPatch, counted: None, what: str
) -> None:
    name = measured._name()
    assert measured._name() == name
    match what:
        case "processor":
            monkeypatch.setattr(measured, "_processor", lambda: ("another", "2"))
        case "cores":
            monkeypatch.setattr(measured.os, "cpu_count", lambda: 77)
        case "python":
            monkeypatch.setattr(measured.sys, "version", "3.99")
        case "llvmlite":
            monkeypatch.setattr(measured, "_place", lambda package: "elsewhere")
    assert measured._name() != name


def test_pieces_are_measured_once(counted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    measured.pieces()
    known = measured._current()
    assert {"interpreted_op_s", "listed_op_s", "copy_byte_s"} <= known.values.keys()
    failing: dict[str, Callable[[], float]] = {"interpreted_op_s": lambda: 1 / 0}
    monkeypatch.setattr(measured, "_MEASURES", failing)
    measured.pieces()


def test_threads_are_measured_once(counted: None) -> None:
    runs = []

    def run(task: Callable[[int], int], chunks: int) -> int:
        runs.append(chunks)
        return pool.run(task, chunks, 2, pool.Word())

    launches: list[None] = []
    measured.threads(run, lambda: launches.append(None), 2)
    assert launches
    assert {
        "launch_s",
        "wake_s",
        "stream_byte_s",
        "shared_byte_s",
    } <= measured._current().values.keys()
    del runs[:]
    del launches[:]
    measured.threads(run, lambda: launches.append(None), 2)
    assert not runs
    assert not launches


def test_autopars_own_tests_decide_by_the_constants() -> None:
    measured.note("launch_s", 1.0)
    assert measured.machine() is MACHINE


def loops_of(measure: Callable[[], float]) -> Nest:
    """The nest that is timed in a piece."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(measure)))
    inner: Any = next(n for n in ast.walk(tree) if getattr(n, "name", "") == "loops")
    nest = lift_text("\n".join(map(ast.unparse, inner.body)) + "\n")
    assert isinstance(nest, Nest)
    return nest


def test_operations_of_pieces_are_those_that_are_estimated() -> None:
    side, count = measured._SIDE, measured._COUNT
    arrays = outline((loops_of(measured._on_arrays).loop,), numpy=True)
    each = estimate.operations(arrays, {"n": float(side)}) / (side - 2) ** 2
    assert each == pytest.approx(measured._OPS_EACH, 0.01)
    lists = outline((loops_of(measured._on_lists).loop,), numpy=True)
    each = estimate.operations(lists, {"_COUNT": float(count)}) / count
    assert each == pytest.approx(measured._LISTED_OPS_EACH, 0.01)


def test_numpys_time_is_not_counted_in_operations_of_the_interpreter() -> None:
    nest = lift_text("for k in range(n):\n    a[k] = b[k] + c[k]\n")
    assert isinstance(nest, Nest)
    (stmt,) = nest.loop.body
    assert isinstance(stmt, Assign)
    assert isinstance(stmt.value, Binary)
    stmt = replace(stmt, value=replace(stmt.value, whole=True))
    loop = replace(nest.loop, var=f"{ELEMENTS[0]}0>", body=(stmt,))
    whole, env = outline((loop,), numpy=True), {"n": 1e6}
    assert estimate.operations(whole, env) < 1e3
    assert estimate.interpreted_s(whole, env, 0.0, 0.0) == pytest.approx(
        2e6 * MACHINE.numpy_element_s, 0.01
    )
    assert estimate.interpreted_s(outline((loop,)), env, 0.0, 0.0) == 0.0
    assert estimate.operations(outline((loop,)), env) > 1e6


def test_draws_take_what_calls_take_whatever_an_operation_does() -> None:
    state = Load("<generator 0>", (Const(0),), 1, 1)
    for how, each_s in (("double", MACHINE.draw_s), ("bounded", MACHINE.draw_integer_s)):
        nest = lift_text("for k in range(n):\n    s = 0\n")
        assert isinstance(nest, Nest)
        (stmt,) = nest.loop.body
        assert isinstance(stmt, Assign)
        loop = replace(nest.loop, body=(replace(stmt, value=Call(f"{DRAW}{how}>", (state,), 1)),))
        env = {"n": 1e4}
        assert estimate.interpreted_s(outline((loop,), numpy=True), env, 0.0, 0.0) == pytest.approx(
            1e4 * each_s
        )
        assert estimate.interpreted_s(outline((loop,)), env, 0.0, 0.0) == 0.0


def interpreted_s(text: str, python: frozenset[str], **sizes: float) -> float:
    """Seconds of the nest, an operation taking one and a light one a thousandth."""
    nest = lift_text(text)
    assert isinstance(nest, Nest)
    part = outline((nest.loop,), numpy=True, python=python)
    return estimate.interpreted_s(part, sizes, 1.0, 1e-3)


def test_what_is_done_with_pythons_own_numbers_takes_less() -> None:
    text = "for k in range(n):\n    s = s * x + math.sqrt(y) if s < 1.0 else max(s, x)\n"
    own = frozenset("ksxy")
    assert interpreted_s(text, own, n=1e3) < 1e3
    for other in own - {"k"}:  # one of them may be NumPy's, and then what comes of it is
        assert interpreted_s(text, own - {other}, n=1e3) > 1e4


@pytest.mark.parametrize("line", ["s = s + a[k]", "a[k] = s", "s = np.sqrt(s)", "s = n_of(s)"])
def test_elements_and_calls_of_others_take_what_they_took(line: str) -> None:
    text = f"for k in range(n):\n    {line}\n"
    assert interpreted_s(text, frozenset("ks"), n=1e3) > 3e3


def test_of_two_branches_the_longer_one_counts_as_it_is() -> None:
    text = (
        "for k in range(n):\n    if s < 1.0:\n        s = a[k]\n    else:\n        s = s * s * s\n"
    )
    assert interpreted_s(text, frozenset("ks"), n=1e3) < 1e3
    longer = text.replace("a[k]", "a[k] + a[k + 1] * 2.0")
    assert interpreted_s(longer, frozenset("ks"), n=1e3) > 5e3


def test_a_sum_over_an_array_is_not_pythons_own_whatever_it_begins_with() -> None:
    nest = lift_text("for k in range(n):\n    t = x * 2.0\n    s = s + a[k]\n")
    assert isinstance(nest, Nest)
    array = ArrayType("float64", 1, "C", True, True)
    found = infer(nest, {"a": array}, {"n": "int", "x": "float", "s": "float"}, {})
    assert isinstance(found, Typed)
    assert of_python(found) >= {"k", "n", "x", "t"}
    assert not of_python(found) & {"s", "a"}
    found = infer(nest, {"a": array}, {"n": "int", "x": "np.float64", "s": "float"}, {})
    assert isinstance(found, Typed)
    assert not of_python(found) & {"x", "t", "s"}
