"""Programs that were once answered wrongly, each cut down to what it needs."""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

import ast
import math
import os
import signal
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autopar.nest.text.live import live_after
from autopar.runtime import verify

sys.path.insert(0, str(Path(__file__).parents[1] / "same"))
import harness

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]


def both(source: str, **names: Any) -> dict[str, Any] | None:
    """What kernels gave, or None; raises where the interpreter gives something else."""
    here, found = harness.run(source, **names)
    assert here.record is not None
    refusal = here.record.refusal
    assert refusal is None or refusal.code != "internal", refusal
    return found


# ---------------------------------------------------------------------------- integers


def test_inverted_integers_are_bounded_too():
    both("for i in range(3):\n    a[i] = ~(n * n * n * n) < -5\n", a=np.zeros(3, bool), n=2**20)


def test_a_parallel_loop_that_starts_beyond_64_bits():
    both("for i in range(n * n * n * n, n * n * n * n + 3):\n    s = 1\n", n=2**20)


@pytest.mark.parametrize(
    "text",
    ["abs(int(a[i]))", "int(a[i]) // -1", "int(a[i]) // m", "-int(a[i])", "abs(int(a[i]) + z)"],
)
def test_the_least_64_bit_integer_has_no_opposite(text):
    found = both(f"for i in range(3):\n    k = {text}\n", a=np.full(3, -(2**63)), m=-1, z=0)
    assert found is None or found["k"] == 2**63


def test_verification_compares_integers_by_value():
    assert not verify.same(-(2**63), 2**63)
    assert not verify.same(-1, 2**64 - 1)
    assert verify.same(2**70, 2**70)


@pytest.mark.parametrize(("start", "step"), [(-(2**63) + 1, 2**62), (-(2**63) + 1, 2**63 - 1)])
def test_ranges_wider_than_64_bits(start, step):
    both(
        "for i in range(start, -start, step):\n    a[0] += 1\n",
        a=np.zeros(1),
        start=start,
        step=step,
    )


def test_a_loop_variable_that_was_a_float_before():
    both(
        "for i in range(3):\n    a[i] = k\n    for k in range(n, n + 1):\n        b[i] = 1\n",
        a=np.zeros(3), b=np.zeros(3), k=0.5, n=2**60 + 1,
    )  # fmt: skip


# ---------------------------------------------------------------------------- types


@pytest.mark.parametrize("text", ["-x", "abs(x)", "~x"])
@pytest.mark.parametrize(
    ("narrow", "wide"), [("i1", "i8"), ("u1", "u8"), ("i2", "i4"), ("f4", "f8")]
)
def test_one_operand_of_two_widths(text, narrow, wide):
    if text == "~x" and narrow == "f4":
        return
    low = -128 if narrow == "i1" else -32768 if narrow == "i2" else 1
    both(
        f"for i in range(4):\n    x = a[i] if i < 2 else b[i]\n    c[i] = {text}\n",
        a=np.full(4, low, narrow), b=np.arange(4).astype(wide), c=np.zeros(4, wide),
    )  # fmt: skip


@pytest.mark.parametrize("function", ["floor", "ceil", "trunc"])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8", "bool", "float32", "float64"])
def test_rounding_of_numpy_numbers(function, dtype):
    value = 2**53 + 1 if dtype.endswith("int64") else 1
    both(
        f"for i in range(3):\n    k = math.{function}(a[i])\n",
        a=np.full(3, value, dtype),
        math=math,
    )


@pytest.mark.parametrize("dtype", [np.longlong, np.ulonglong])
def test_the_other_64_bit_integer_type(dtype):
    both("for i in range(3):\n    k = a[i] + a[0]\n", a=np.ones(3, dtype))
    both("for i in range(3):\n    s = s + s\n", s=dtype(3))


# ---------------------------------------------------------------------------- live values


def test_a_loop_variable_outlives_a_distributed_loop():
    found = both(
        "for i in range(n):\n    for j in range(i + 1, n):\n"
        "        a[i] = a[j] + a[j]\n        a[j] = a[j] + 3\n",
        a=np.arange(12), n=5,
    )  # fmt: skip
    assert found is None or (found["i"], found["j"]) == (4, 4)


def test_a_generator_expression_reads_later():
    text = """
        def f(a, n):
            s = 0.0
            late = (s for _ in range(1))
            for i in range(n):
                s = a[i] * 2.0
            return list(late)
    """
    function = ast.parse(textwrap.dedent(text)).body[0]
    assert isinstance(function, ast.FunctionDef)
    loop = function.body[2]
    assert isinstance(loop, ast.For)
    assert live_after(function)(loop, "s")


# ---------------------------------------------------------------------------- errors


def test_numpys_loops_may_raise():
    names = {"a": np.full(300, 3), "b": np.full(300, -2), "c": np.zeros(300, int), "np": np}
    assert both("for i in range(300):\n    c[i] = np.power(a[i], b[i])\n", **names) is None


def test_warnings_that_were_made_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = "for i in range(3):\n    a[i] = a[i] + a[i]\n"
        assert both(source, a=np.full(3, 100, np.int8)) is None


def test_an_infinite_imaginary_literal():
    both("for i in range(3):\n    a[i] = a[i] * 1e999j\n", a=np.ones(3, complex))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize(
    "name",
    ["kernel", "interior", "int_part", "float_x", "numpy_a", "u_out", "x_tag", "int64", "v1_", "t_",
     "complex", "checked_add", "kernel0", "chunk", "run", "a_shape0", "_", "libm_exp", "sqrt_", "inf_"],
)  # fmt: skip
def test_any_name_will_do(name):
    def late(*_: object) -> None:
        raise TimeoutError(name)

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 20.0)
    try:
        both(
            f"for i in range(3):\n    a[i] = {name}[i] * math.sqrt(2.0) + a.shape[0]\n",
            a=np.zeros(3), math=math, **{name: np.arange(3.0)},
        )  # fmt: skip
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


# ---------------------------------------------------------------------------- a fork at a bad time

FORK = """
import os, signal, sys, threading, time
import numpy as np

def work(a, b, n):
    for i in range(n):
        b[i] = a[i] * 2.5 + i

def child():
    signal.alarm(10)
    b = np.zeros(9)
    work(np.ones(9), b, 9)
    os._exit(int(b[3] != 5.5))

signal.alarm(20)
thread = threading.Thread(target=lambda: work(np.ones(900), np.zeros(900), 900))
thread.start()
time.sleep(float(sys.argv[1]))
pid = os.fork()
if pid == 0:
    child()
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("delay", ["0", "0.15", "0.4", "0.7"])
def test_a_fork_while_a_thread_imports_or_compiles(tmp_path, delay):
    script = tmp_path / "script.py"
    script.write_text(FORK)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    settings = {"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "AUTOPAR_FAIL_ON_FALLBACK": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "autopar", str(script), delay], capture_output=True, text=True,
        env={**kept, **settings, "PYTHONPATH": str(ROOT / "src")}, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


# ---------------------------------------------------------------------------- analysis in bounded time

SLOW = """
from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text

nest = lift_text('''
for i in range(2, n + 1):
    for j in range(i % 3, m, 2):
        for k in range(j, j + 2):
            A[k, X[i] + 1, j * 2 % 7] = (1 << 5)
        for k in range(1, n):
            A[n - 1 - k, j // 2, i * 5] = A[-1, 1, i + m] < A[k // 2, i, k + h]
''')
analyse(nest, Facts(ints=frozenset("nmh"), ranks=(("A", 3), ("X", 1))))
"""


def test_analysis_ends_soon_whatever_the_subscripts():
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AUTOPAR")}
    subprocess.run(  # isl cannot be interrupted from Python: a process of its own
        [sys.executable, "-c", SLOW], check=True, env={**kept, "PYTHONPATH": str(ROOT / "src")},
        timeout=15,
    )  # fmt: skip


# ---------------------------------------------------------------------------- calls


def test_a_call_with_keywords_that_is_not_known_is_asked_about_once():
    # It was written out, which changed nothing, and so written out again, without end.
    text = "for i in range(3):\n    s = math.isclose(a[i], 1.0, rel_tol=1e-3)\n"
    assert both(text, a=np.ones(3), math=math) is None
