"""NumPy's floating-point warnings: the same words for the same line, shown as often."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from dataclasses import replace

import harness
import numpy as np
import pytest

from autopar import config
from autopar.journal import LoopRecord


def shown(source: str, action: str = "default", **names: object) -> list[tuple[str, int]]:
    """Words and lines of the warnings that running `source` shows under one filter."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)  # type: ignore[arg-type]
        exec(compile(source, "<text>", "exec"), {"__name__": "user", "np": np, **names})
    return [(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning]


def kernels(source: str, **names: object) -> tuple[list[tuple[str, int]], LoopRecord]:
    """The same for kernels, and what became of the nest."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        here, _ = harness.run(source, np=np, **names)
    found = [(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning]
    assert here.record is not None
    return found, here.record


def loop(*body: str) -> str:
    return "for i in range(n):\n" + "".join(f"    {line}\n" for line in body)


BIG = np.array([1.0, 1e308, -1e308, np.inf, np.nan, 0.0, 2.0, -1.0])
SMALL = np.array([1.0, 10.0, 10.0, 0.0, 1.0, 0.0, 0.0, np.inf])
NAMED = [
    ("c[i] = a[i] * b[i]",),
    ("c[i] = a[i] + a[i]",),
    ("c[i] = a[i] - a[i]",),
    ("c[i] = a[i] / b[i]",),
    ("c[i] = 1 / b[i]",),
    ("c[i] = 2.0 * (a[i] + 1) - 3 / (b[i] - 10)",),
    ("c[i] = np.exp(a[i])",),
    ("c[i] = np.log(b[i] - 5)",),
    ("c[i] = np.sqrt(a[i])",),
    ("c[i] = np.sin(a[i])",),
    ("s = a[i] * b[i]", "c[i] = 1.0", "if s > 1:", "    c[i] = s / b[i]"),
    ("f[i] = a[i]",),
    ("f[i] = f[i] * a[i]",),
    ("f[i] = f[i] * 1e300",),
    ("c[i] = c[i] + a[i] * 10",),
    ("c[i] = 0.0 if a[i] * 10 > 5 else 1.0",),
    ("t = a[i] * b[i]", "u = t - 1", "c[i] = u * 0.5"),
    ("t = a[i] * b[i]", "t = t - t", "c[i] = 1.0"),
    ("t = a[i] + a[i]", "c[i] = 1 / (t + 1)"),
    ("t = a[i] + a[i]", "c[i] = 1 / t"),
    ("t = a[i] * b[i]", "if b[i] > 5:", "    t = 1.0", "c[i] = t + 1"),
    ("t = a[i] * b[i]", "if b[i] > 5:", "    continue", "c[i] = t + 1"),
    ("t = a[i] * b[i]", "c[i] = max(t - 1, 2.0)"),
    ("c[i] = a[i] * b[i]", "c[i] = c[i] * 2"),
    ("c[i] = a[i] * b[i]", "f[i] = 1 / c[i]"),
    ("c[i] = a[i] * b[i]", "c[n - 1 - i] = 0.0", "f[i] = c[i] + 1"),
    ("c[i] = a[i] + a[i]", "f[i] = c[i] - 1"),
    ("f[i] = a[i]", "c[i] = f[i] + 1"),
    ("s = a[i] * b[i]", "for j in range(3):", "    c[j] = s + j"),
    ("s = a[i] * b[i]", "for j in range(i - 1):", "    c[j] = s + j"),
    ("t = a[i] * b[i]", "u = a[i] + t", "t = u * 2", "c[i] = t", "f[i] = 1.0"),
]


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("body", NAMED)
def test_compiled_nests_say_what_numpy_says(body):
    def names() -> dict[str, object]:
        return {"a": BIG, "b": SMALL, "c": np.ones(8), "f": np.ones(8, np.float32), "n": 8}

    source = loop(*body)
    expected = shown(source, **names())
    assert expected
    found, record = kernels(source, **names())
    assert set(found) == set(expected)
    assert len(found) == len(expected)
    assert record.runs == 1


INTEGERS = [
    "c[i] = a[i] + b[i]", "c[i] = a[i] - b[i]", "c[i] = a[i] * b[i]", "c[i] = -a[i]",
    "c[i] = abs(a[i])", "c[i] = a[i] // b[i]", "c[i] = a[i] % b[i]", "c[i] = a[i] + 1",
    "c[i] = a[i] / b[i]", "c[i] = np.sqrt(a[i])", "c[i] = a[i] * 3", "c[i] = 2 * a[i] + 1",
]  # fmt: skip


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint16", "uint32", "uint64"])
def test_integers_that_wrap(dtype):
    info = np.iinfo(dtype)
    a = np.array([info.max, info.min, 3, 0, info.min], dtype)
    b = np.array([info.max, 1, 0, 5, -1 if info.min else 2], dtype)
    for body in INTEGERS:
        if "sqrt" in body and info.bits == 8:
            continue  # float16
        wide = "float64" if "/ " in body.replace("//", "") or "sqrt" in body else dtype
        source = loop(body)
        expected = shown(source, a=a, b=b, c=np.zeros(5, wide), n=5)
        found, record = kernels(source, a=a, b=b, c=np.zeros(5, wide), n=5)
        assert set(found) == set(expected), body
        assert record.runs == 1, body


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(
    "body",
    [
        "c[i] = a[i] ** 3",
        "t = a[i] - a[i] * b[i]; c[i] = t ** 2 + 1",
        "c[i] = (a[i] - a[i] * b[i]) ** 2",
        "c[i] = a[i] // b[i]",
        "c[i] = a[i] % b[i]",
        "z[i] = z[i] * z[i]",
        "z[i] = w[i] / z[i]",
        "c[i] = np.hypot(a[i], b[i]) * 10",
    ],
)
def test_what_kernels_cannot_word_the_interpreter_says(body):
    def names() -> dict[str, object]:
        big = np.full(8, 1.7e308 + 1.7e308j)
        return {"a": BIG, "b": SMALL, "c": np.ones(8), "z": big, "w": np.ones(8, complex), "n": 8}

    source = loop(body)
    expected = shown(source, **names())
    assert expected
    found, record = kernels(source, **names())
    assert not found  # the harness leaves the nest to its caller
    assert record.refusal is not None
    assert record.refusal.code == "warning"


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("body", ["c[i] = a[i] * 2 + b[i]", "c[i] = max(a[i], b[i])"])
def test_infinities_that_were_there_before_are_no_warning(body):
    a, b = np.array([np.inf, np.nan, 1.0]), np.array([1.0, 2.0, np.inf])
    source = loop(body)
    assert not shown(source, a=a, b=b, c=np.zeros(3), n=3)
    found, record = kernels(source, a=a, b=b, c=np.zeros(3), n=3)
    assert not found
    assert record.runs == 1


@pytest.mark.usefixtures("strict")
def test_a_nest_that_overwrites_its_input_is_run_once():
    source = loop("a[i] = a[i] * 10")
    a = np.array([1e308, 1.0, 2.0])
    found, _ = kernels(source, a=a, n=3)
    assert found == [("overflow encountered in scalar multiply", 2)]
    assert a.tolist() == [np.inf, 10.0, 20.0]


@pytest.mark.usefixtures("strict")
def test_errstate_ignore_is_obeyed():
    for kept in ("divide", "over", "invalid"):
        with np.errstate(all="ignore", **{kept: "warn"}):
            source = loop("c[i] = a[i] / b[i] * 1e300")
            a, b = np.array([1.0, 1e300, 0.0]), np.array([0.0, 1.0, 0.0])
            expected = shown(source, a=a, b=b, c=np.zeros(3), n=3)
            found, _ = kernels(source, a=a, b=b, c=np.zeros(3), n=3)
        assert len(expected) == 1
        assert found == expected
    with np.errstate(all="ignore"):
        found, record = kernels(source, a=a, b=b, c=np.zeros(3), n=3)
    assert not found
    assert record.runs == 1


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("mode", ["raise", "call", "print", "log"])
def test_errors_that_act_at_once_are_the_interpreters(mode):
    class Log:
        def write(self, text: str) -> None:
            pass

    with np.errstate(all="ignore"):
        before = np.seterrcall(Log() if mode == "log" else lambda *args: None)
        np.seterr(divide=mode)
        _, record = kernels(loop("c[i] = a[i]"), a=np.ones(3), c=np.zeros(3), n=3)
        np.seterrcall(before)
    assert record.refusal is not None
    assert record.refusal.code == "error-state"


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("action", ["error", "always"])
def test_filters_that_act_each_time_are_the_interpreters(action):
    with warnings.catch_warnings():
        warnings.simplefilter(action)
        here, found = harness.run(loop("c[i] = a[i]"), a=np.ones(3), c=np.zeros(3), n=3)
    assert found is None
    assert here.record.refusal.code == "error-state"
    with warnings.catch_warnings():
        warnings.filterwarnings(action, category=DeprecationWarning)
        here, found = harness.run(loop("c[i] = a[i]"), a=np.ones(3), c=np.zeros(3), n=3)
    assert found is not None


@pytest.mark.usefixtures("strict")
def test_a_warning_is_shown_once_for_each_line():
    source = loop("c[i] = a[i] * 10", "c[i] = c[i] + a[i] * 10")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        here = harness.site(source)
        space = {"a": np.full(3, 1e308), "c": np.zeros(3), "n": 3, "range": range}
        for _ in range(3):
            assert here.run(tuple(space[root] for root in here.spec.roots)) is not None
    text = "overflow encountered in scalar multiply"
    # The harness runs no code of the user's, so there is no registry of what was shown before.
    assert {(str(w.message), w.lineno) for w in caught} == {(text, 2), (text, 3)}


def test_a_loop_in_order_beside_its_parallel_sibling_is_not_rehearsed():
    """Distribution makes two loops of one; the one that carries `s` must run once only."""
    rng = np.random.default_rng(0)
    for last in ("a[i] = s * a[i]", "a[i] = a[i - 1] + s"):
        body = ("c[i] = c[i] * 0.5 + b[i]", "s = s * 0.5 + d[i]", last)
        source = loop(*body).replace("range(n)", "range(1, n)")
        values = {"a": np.ones(2000), "b": rng.random(2000), "c": np.ones(2000), "n": 2000}
        before = config.current()
        config.use(replace(before, verify=True, fail_on_fallback=True, threads=3))
        try:
            harness.run(source, d=rng.random(2000), s=1.0, **values)
        finally:
            config.use(before)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(
    "body",
    [
        ("c[i] = 1.0", "if f[i] < 1e300:", "    c[i] = 2.0"),
        ("c[i] = 2.0 if f[i] > k else 3.0",),
        ("c[i] = (np.", "        log(b[i] - 5))"),
    ],
)
def test_lines_of_casts_in_comparisons_and_of_calls_over_several_lines(body):
    def names() -> dict[str, object]:
        return {"b": SMALL, "c": np.ones(8), "f": np.ones(8, np.float32), "k": 1e300, "n": 8}

    source = loop(*body)
    expected = shown(source, **names())
    assert expected
    found, _ = kernels(source, **names())
    assert set(found) == set(expected)


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("value", ["np.log(b)", "a / b", "a[:, None] / b", "np.log1p(b - 1)"])
def test_one_operation_on_an_array_warns_in_the_order_of_numpy(value):
    a, b = np.array([0.0, 1e308, 2.0, 1.0]), np.array([-1.0, 1e-10, 0.0, 0.0])
    b[0] = 0.0 if "/" in value else -1.0
    source = f"for j in range(3):\n    c[j] = {value}\n"
    arrays = {"a": a, "b": b, "c": np.zeros((3, 4, 4) if "None" in value else (3, 4))}
    expected = shown(source, **arrays)
    assert len(expected) > 1
    found, record = kernels(source, **arrays)
    assert found == expected
    assert record.status == "parallel"


@pytest.mark.usefixtures("lenient")
def test_an_overflow_on_the_way_to_a_finite_result():
    a, b = np.array([1.79e308, 1.0]), np.array([-1.79e308, 2.0])
    source = loop("c[i] = np.logaddexp(a[i], b[i])")
    assert shown(source, a=a, b=b, c=np.zeros(2), n=2)
    _, record = kernels(source, a=a, b=b, c=np.zeros(2), n=2)
    assert record.refusal is not None
    assert record.refusal.code == "warning"


@pytest.mark.usefixtures("strict")
def test_functions_of_truth_values():
    source = loop(
        "if np.isnan(a[i]) or np.less(a[i], 0.5):",
        "    c[i] = 1.0",
        "m[i] = np.logical_not(m[i])",
    )
    a = np.array([np.nan, 0.1, 0.7, 2.0])
    _, record = kernels(source, a=a, c=np.zeros(4), m=np.array([True, False, True, False]), n=4)
    assert record.runs == 1


SCRIPT = """
import numpy as np

def scale(a, c, n):
    for i in range(n):
        for j in range(n):
            c[i, j] = (a[i, j] * 10
                       + a[j, i] * a[i, j])

def inverse(a, n):
    for i in range(n):
        for j in range(n):
            a[i, j] = 1 / a[i, j]

a, c = np.ones((900, 900)), np.zeros((900, 900))
scale(a, c, 900)
a[3, 5] = 1e308
for _ in range(4):
    scale(a, c, 900)
a[7, 7] = 0
for _ in range(3):
    inverse(a, 900)
    a[7, 7] = 0
print(c.sum(), a.sum())
"""


def test_a_script_prints_the_same_warnings(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    plain = subprocess.run([sys.executable, script], capture_output=True, text=True)
    ours = subprocess.run(
        [sys.executable, "-m", "autopar", "--report-json", tmp_path / "report.json", script],
        capture_output=True, text=True, env=env,
    )  # fmt: skip
    assert plain.stderr.count("RuntimeWarning") == 2
    assert ours.stderr == plain.stderr
    assert ours.stdout == plain.stdout
    loops = json.loads((tmp_path / "report.json").read_text())["loops"]
    # Both functions are written out in the loops that call them; whether the first call of one is
    # worth a kernel of its own depends on the machine.
    assert {entry["line"] for entry in loops if entry["runs"]} - {5} == {18, 21}
