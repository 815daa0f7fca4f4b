"""``--device opencl``: nests on PoCL, what is left to the CPU and why, and what cannot go wrong."""

from __future__ import annotations

import builtins
import contextlib
import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import processor
import pytest
from harness import run

from autopar import config
from autopar.device import opencl
from autopar.device import run as device_run
from autopar.device.api import DeviceFailed
from autopar.device.run import Run
from autopar.journal import LoopRecord
from autopar.kernel import Status
from autopar.runtime.run import on_device

pytestmark = pytest.mark.usefixtures("pocl")


def record(source: str, **names: Any) -> LoopRecord:
    """What the report says of the loop in `source`, which the interpreter has verified."""
    site, found = run(source, **names)
    assert found is not None
    assert site.record is not None
    return site.record


RNG = np.random.default_rng(3)
TAKEN: dict[str, tuple[str, dict[str, Callable[[], Any]]]] = {
    "two parallel loops": (
        "for i in range(a.shape[0]):\n    for j in range(a.shape[1]):\n"
        "        b[j, i] = a[i, j] * 2.0 + j / (i + 1)\n",
        {"a": lambda: RNG.random((7, 9)), "b": lambda: np.zeros((9, 7))},
    ),
    "loops in order around parallel ones": (
        "for t in range(5):\n"
        "    for i in range(1, len(a) - 1):\n        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0\n"
        "    for i in range(1, len(a) - 1):\n        a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3.0\n",
        {"a": lambda: RNG.random(300), "b": lambda: np.zeros(300)},
    ),
    "a loop in order": (
        "for i in range(1, len(a)):\n    a[i] = a[i - 1] * 0.5 + a[i]\n",
        {"a": lambda: RNG.random(300)},
    ),
    "a sum of integers": (
        "for i in range(len(k)):\n    s += int(k[i])\n",
        {"s": lambda: 3, "k": lambda: RNG.integers(-99, 99, 10_000)},
    ),
    "a place of the least": (
        "for i in range(len(a)):\n"
        "    if a[i] < least:\n        least = a[i]\n        where = i\n",
        {"a": lambda: RNG.random(9000), "least": lambda: 1e9, "where": lambda: -1},
    ),
    "scalars that outlive the loop": (
        "for i in range(len(a)):\n    last = a[i] * 2\n    if last > 1:\n        big = last\n"
        "    b[i] = last\n",
        {"a": lambda: RNG.random(9000), "b": lambda: np.zeros(9000)},
    ),
    "subscripts from an array": (
        "for i in range(len(k)):\n    b[i] = a[k[i]] // 0.3\n",
        {
            "a": lambda: RNG.random(90), "b": lambda: np.zeros(500),
            "k": lambda: RNG.integers(-90, 90, 500),
        },
    ),
    "views of one array": (
        "for i in range(1, n):\n    for j in range(n):\n        c[i, j] = c[i, j] + d[j, i - 1]\n",
        {"n": lambda: 6},
    ),
    "a triangle": (
        "for i in range(len(a)):\n    for j in range(i + 1):\n        a[i, j] *= 1.5\n",
        {"a": lambda: RNG.random((40, 40))},
    ),
    "single precision": (
        "for i in range(len(a)):\n    b[i] = (a[i] * 2.1 + 0.3) / (a[i] + np.float32(0.1))\n",
        {"a": lambda: RNG.random(999, np.float32), "b": lambda: np.zeros(999, np.float32)},
    ),
    "complex numbers": (
        "for i in range(len(z)):\n    z[i] = z[i] * z[i] + (0.5 - 0.25j)\n",
        {"z": lambda: RNG.random(99) + 1j * RNG.random(99)},
    ),
    "small integers that wrap": (
        "for i in range(len(k)):\n    k[i] = k[i] * k[i] + k[i] // 3\n",
        {"k": lambda: RNG.integers(-9, 9, 400).astype(np.int16)},
    ),
    "an array for each part": (
        "for i in range(len(b)):\n    for j in range(len(a)):\n        a[j] = b[i] * j\n"
        "    for j in range(len(a)):\n        c[i, j] = a[len(a) - 1 - j]\n",
        {
            "a": lambda: RNG.random(30), "b": lambda: RNG.random(40),
            "c": lambda: np.zeros((40, 30)),
        },
    ),
    "columns that lie side by side": (
        "for j in range(a.shape[1]):\n    for i in range(1, len(a) - 1):\n"
        "        b[j, i - 1] = a[i, j] + 0.5 * a[i + 1, j]\n",
        {"a": lambda: RNG.random((20, 30)), "b": lambda: np.zeros((30, 18))},
    ),
    "three loops backwards": (
        "for i in range(6, 0, -2):\n    for j in range(5):\n        for k in range(7, -1, -3):\n"
        "            t[i, j, k] = i * 100 + j * 10 + k\n",
        {"t": lambda: np.zeros((7, 5, 8))},
    ),
    "an inner loop without iterations": (
        "for i in range(len(a)):\n    for j in range(n):\n        a[i] = j\n",
        {"a": lambda: RNG.random(9), "n": lambda: 0},
    ),
    "a solver": (
        "for t in range(9):\n    s = 0.0\n    for i in range(len(x)):\n        s += x[i] * y[i]\n"
        "    for i in range(len(x)):\n        y[i] = y[i] + 0.125 * s * x[i]\n"
        "    r = s * 0.5\n    if r > 1e6:\n        break\n"
        "    for i in range(len(x)):\n        x[i] = x[i] - r * 0.001\n",
        {"x": lambda: RNG.random(300), "y": lambda: RNG.random(300)},
    ),
    "a histogram": (
        "for i in range(len(k)):\n    h[k[i]] += 1\n",
        {"h": lambda: np.arange(40), "k": lambda: RNG.integers(-40, 40, 9000)},
    ),
    "weights of several signs": (
        "for i in range(len(k)):\n    h[k[i]] += w[i]\n",
        {
            "h": lambda: np.arange(40, dtype=np.int32), "k": lambda: RNG.integers(0, 40, 9000),
            "w": lambda: RNG.integers(-9, 9, 9000).astype(np.int32),
        },
    ),
    "bits of each": (
        "for i in range(len(k)):\n    h[k[i] % 7] |= k[i]\n    g[k[i] % 5] ^= k[i]\n",
        {
            "h": lambda: np.zeros(7, int), "g": lambda: np.zeros(5, int),
            "k": lambda: RNG.integers(0, 1 << 40, 9000),
        },
    ),
    "the greatest of each, and the least": (
        "for i in range(len(k)):\n    if a[i] > h[k[i]]:\n        h[k[i]] = a[i]\n"
        "    g[k[i]] = min(g[k[i]], a[i])\n",
        {
            "h": lambda: np.full(20, 0.9), "g": lambda: np.full(20, 0.1),
            "k": lambda: RNG.integers(0, 20, 9000), "a": lambda: RNG.random(9000),
        },
    ),
    "counts of a table, again and again": (
        "for t in range(3):\n    for i in range(len(k)):\n        h[k[i], t] += 1\n"
        "    for j in range(len(g)):\n        g[j] = g[j] + h[j, t]\n",
        {
            "h": lambda: np.zeros((9, 3), int, "F"), "g": lambda: np.zeros(9, int),
            "k": lambda: RNG.integers(0, 9, 3000),
        },
    ),
    "a list": (
        "for i in range(len(x)):\n    x[i] = x[i] * 2.0 + i\n",
        {"x": lambda: RNG.random(50).tolist()},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_nests_run_on_the_device_as_the_interpreter_would(name):
    source, makers = TAKEN[name]
    names = {"np": np, **{key: make() for key, make in makers.items()}}
    if name == "views of one array":
        whole = np.arange(72.0).reshape(6, 12)
        names |= {"c": whole[:, :6], "d": whole[:, 6:]}
    said = record(source, **names)
    assert (said.device, said.refusal and said.refusal.code) in {
        ("opencl:0", None), ("opencl:0", "dependence"),
    }  # fmt: skip
    assert said.transfer_bytes > 0


def test_a_warning_of_numpys_is_left_to_the_cpu():
    a = np.array([1.0, 0.0, 2.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        said = record("for i in range(len(a)):\n    b[i] = 1.0 / a[i]\n", a=a, b=np.zeros(3))
    assert any("divide by zero" in str(one.message) for one in caught)
    assert said.device == "cpu"
    assert said.refusal is not None
    assert said.refusal.code == "device"


REFUSED = {
    "exp": ("for i in range(len(a)):\n    a[i] = math.exp(a[i])\n", "exp() may have other bits"),
    "a ufunc": (
        "for i in range(len(a)):\n    a[i] = np.sin(a[i])\n",
        "NumPy's own loop of sin() runs on the CPU",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_runs_on_the_cpu_and_says_why(name):
    source, why = REFUSED[name]
    names = {"a": RNG.random(30), "b": RNG.random(40), "c": np.zeros((40, 30))}
    said = record(source, np=np, math=math, **names)
    assert said.device == "cpu"
    assert said.refusal is not None
    assert said.refusal.code == "device"
    assert why in said.refusal.text


def test_a_device_that_fails_leaves_the_nest_to_the_cpu_with_one_warning(
    monkeypatch, capsys, failing
):
    def broken(*_: Any) -> int:
        raise DeviceFailed("the device is gone")

    for place in ("launch", "back"):
        monkeypatch.setattr(Run, place, broken)
        for _ in range(2):
            said = record("for i in range(len(a)):\n    a[i] += 1.5\n", a=RNG.random(100))
            assert said.device == "cpu"
        monkeypatch.undo()
        monkeypatch.setattr(on_device, "_warned", on_device._warned or ["the device is gone"])
    assert capsys.readouterr().err.count("the device is gone; loops run on the CPU") == 1


def test_a_run_that_gives_up_changes_nothing(monkeypatch):
    status = Run.status

    def late(self: Run) -> int:
        status(self)
        return Status.FAILED

    monkeypatch.setattr(Run, "status", late)
    said = record("for i in range(len(a)):\n    a[i] += 1.5\n", a=RNG.random(100))
    assert said.device == "cpu"


def test_what_a_compiler_thinks_of_kernels_is_not_told_to_users(apart, capfd):
    """Comparing a type that is known from the start would be worth a warning."""
    apart()
    source = (
        "for t in range(3):\n    m = -9.0\n    for i in range(len(a)):\n        m = max(m, a[i])\n"
        "    w = m * 0.25 + w\n    for i in range(len(a)):\n        a[i] = b[i] * w - a[i]\n"
    )
    found = record(source, a=RNG.random(300), b=RNG.random(300), w=0.0)
    assert found.device == "opencl:0"
    assert capfd.readouterr().err == ""


def test_without_pyopencl_there_is_a_warning_that_names_it(monkeypatch, capsys, failing):
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    opencl.find.cache_clear()
    said = record("for i in range(len(a)):\n    a[i] += 2.5\n", a=RNG.random(100))
    opencl.find.cache_clear()
    assert said.device == "cpu"
    assert "pip install autopar[opencl]" in capsys.readouterr().err


@pytest.mark.parametrize(("device", "suffix"), [("opencl", ".cl"), ("cuda", ".cu")])
def test_kernels_are_written_for_readers(tmp_path, device, suffix, capsys, failing):
    config.use(replace(config.current(), device=device, dump_kernels=tmp_path / "kernels"))
    said = record("for i in range(len(a)):\n    a[i] = a[i] * 3.5 + i\n", a=RNG.random(100))
    (file,) = Path(tmp_path / "kernels").iterdir()
    assert file.suffix == suffix
    text = file.read_text()
    assert "AP_KERNEL void kernel0(" in text
    assert said.device == ("opencl:0" if device == "opencl" else "cpu")
    assert ("; loops run on the CPU" in capsys.readouterr().err) == (device == "cuda")


def test_a_device_that_is_not_there_is_named(monkeypatch, capsys):
    monkeypatch.setattr(on_device, "_warned", [])
    config.use(replace(config.current(), device="opencl:9"))
    said = record("for i in range(len(a)):\n    a[i] = a[i] * 3.5 + i\n", a=RNG.random(100))
    assert said.device == "cpu"
    assert "there is no device opencl:9; opencl:0 is " in capsys.readouterr().err


def test_threads_may_run_one_nest_at_once():
    a = [np.full(3000, float(k)) for k in range(4)]
    source = "for i in range(len(a)):\n    for k in range(50):\n        a[i] = a[i] * 1.25 + 1.0\n"
    here, _ = run(source, a=np.zeros(3000))
    expected = [one.copy() for one in a]
    for one in expected:
        for _ in range(50):
            one[:] = one * 1.25 + 1.0
    config.use(replace(config.current(), verify=False))
    with ThreadPoolExecutor(4) as pool:
        list(
            pool.map(
                lambda one: here.run(
                    tuple({**vars(builtins), "a": one}[r] for r in here.spec.roots)
                ),
                a,
            )
        )
    assert all((x == y).all() for x, y in zip(a, expected, strict=True))
    assert here.record is not None
    assert here.record.device == "opencl:0"


def test_a_nest_in_the_middle_of_a_launch_of_the_same_thread_runs_on_the_cpu(monkeypatch):
    """A signal handler may come at any time, and must neither wait nor change what is launched."""
    source = "for i in range(len(a)):\n    a[i] = a[i] * 0.5 + i\n"
    assert record(source, a=RNG.random(50)).device == "opencl:0"
    device = opencl.find(0)
    with device.alone():
        config.use(replace(config.current(), fail_on_fallback=False))
        said = record(source, a=RNG.random(50))
    assert said.device == "cpu"
    assert said.refusal is not None
    assert "in the middle of something else" in said.refusal.text
    assert not device.inside
    assert record(source, a=RNG.random(50)).device == "opencl:0"


def test_an_interrupt_while_results_are_put_back_leaves_all_of_them(monkeypatch):
    config.use(replace(config.current(), verify=False))
    scattered, calls = device_run.scattered, []

    def interrupted(*given: Any) -> None:
        scattered(*given)
        calls.append(given)
        if len(calls) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(device_run, "scattered", interrupted)
    a, b = np.zeros((20, 20)), np.zeros((20, 20))
    source = "for i in range(20):\n    for j in range(i):\n"
    source += "        a[i, j] = a[i, j] + 1.0\n        b[i, j] = b[i, j] - 1.0\n"
    with pytest.raises(KeyboardInterrupt):
        record(source, a=a, b=b)
    assert (a.sum(), b.sum()) == (190, -190)
    assert len(calls) == 3


def test_arrays_without_elements():
    source = (
        "for i in range(a.shape[0]):\n    for j in range(a.shape[1]):\n        b[i, j] = a[i, j]\n"
    )
    for shape in ((0, 4), (4, 0), (5, 7), (0, 4)):
        said = record(source, a=np.ones(shape), b=np.zeros(shape))
        assert (said.device, said.refusal) == ("opencl:0", None)


def test_a_forked_child_leaves_the_device_alone():
    source, names = "for i in range(len(a)):\n    a[i] += 1.5\n", {"a": RNG.random(100)}
    assert record(source, **names).device == "opencl:0"
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = 0 if record(source, **names).device == "cpu" else 2
        os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_kernels_that_cannot_be_written_are_no_reason_to_fail(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    config.use(replace(config.current(), dump_kernels=tmp_path / "file" / "kernels"))
    said = record("for i in range(len(a)):\n    a[i] = a[i] * 4.5 + i\n", a=RNG.random(100))
    assert said.device == "opencl:0"
    assert "[autopar] --dump-kernels: " in capsys.readouterr().err


def test_an_error_of_ours_does_not_become_one_of_the_users(monkeypatch):
    monkeypatch.setattr(Run, "launch", math.sqrt)  # no text of the user's in between
    source, names = "for i in range(len(a)):\n    a[i] += 5.5\n", {"a": RNG.random(100)}
    with pytest.raises(TypeError):
        record(source, **names)
    config.use(replace(config.current(), fail_on_fallback=False))
    said = record(source, **names)
    assert said.device == "cpu"
    assert said.refusal is not None
    assert "TypeError" in said.refusal.text


def test_the_command_line_runs_a_script_on_the_device(tmp_path):
    processor.skip_unless_known()
    lines = [
        "import numpy as np", "a = np.arange(200_000.0)", "for i in range(len(a)):",
        "    a[i] = a[i] * 0.5 + 1.0 / (i + 1)", "print(a.sum().hex())",
    ]  # fmt: skip
    (tmp_path / "s.py").write_text("\n".join(lines))
    options = ["--device", "opencl", "--dump-kernels", "kernels", "--report-json", "report.json"]
    environment = {**os.environ, "AUTOPAR_VERIFY": "1", "AUTOPAR_CACHE_DIR": str(tmp_path / "c")}
    commands = [[], ["-m", "autopar", *options]]
    printed = [
        subprocess.run(
            [sys.executable, *words, "s.py"],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=True,
        ).stdout
        for words in commands
    ]  # fmt: skip
    assert printed[0] == printed[1] != ""
    (said,) = json.loads((tmp_path / "report.json").read_text())["loops"]
    assert (said["device"], said["status"], said["runs"]) == ("opencl:0", "parallel", 1)
    assert said["transfer_bytes"] >= 2 * 8 * 200_000
    (kernel,) = (tmp_path / "kernels").iterdir()
    assert "//     4      a[i] = a[i] * 0.5 + 1.0 / (i + 1)\n" in kernel.read_text()


def test_what_an_array_holds_is_there_for_each_part_of_a_loop():
    """Each part has one of its own, of which it reads cells that nothing in the loop writes."""
    config.use(replace(config.current(), check=True))
    source = """
for i in range(3):
    for j in range(5):
        y[j] = 1
    q -= y[i + 4]
"""
    for y in ([0] * 5 + [7, 8, 9], np.arange(8), np.arange(7, dtype=np.int8)):
        site, found = run(source, y=y, q=0)
        assert found is not None
        assert site.record is not None
        assert site.record.device == "opencl:0"


PRIVATE = """
for i in range(6):
    for j in range(4):
        y[j] = a[i, j] * 2.0
    for j in range(4):
        b[i, j] = b[i, j] * 0.5 + y[j] + y[3 - j]
"""


@pytest.mark.parametrize(
    ("source", "times"),
    [
        (PRIVATE, 0),  # each iteration writes all that it reads
        (PRIVATE.replace("y[j] + y[3 - j]", "y[j] + y[j + 2]"), 1),
        ("for t in range(3):" + PRIVATE.replace("\n", "\n    "), 2),  # but for the first time
    ],
)
def test_arrays_of_their_own_begin_with_something_where_that_is_read(source, times, monkeypatch):
    found: list[int] = []
    begin = Run.begin

    def noted(self: Run, k: int, count: int) -> None:
        found.append(count)
        begin(self, k, count)

    monkeypatch.setattr(Run, "begin", noted)
    config.use(replace(config.current(), check=True))
    names = {"a": RNG.random((6, 4)), "b": np.zeros((6, 4)), "y": np.arange(6.0)}
    site, answer = run(source, **names)
    assert answer is not None
    assert site.record is not None
    assert site.record.device == "opencl:0"
    assert len(found) == times
