"""Strips that are put back: what they had overwritten, and which warnings they name."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import harness
import numpy as np
import pytest

from autopar.cpu.loops import KEPT_STRIP, LoopWriter
from autopar.journal import LoopRecord
from autopar.kernel import Watch
from autopar.runtime.site import Site
from autopar.runtime.verify import VerifyError

N = 2 * KEPT_STRIP + 77
AT = (0, KEPT_STRIP // 2, KEPT_STRIP - 1, KEPT_STRIP, N - 1)
"""Iterations that ring: at the borders of strips, within one, and in the last, which is short."""
Shown = list[tuple[str, int]]


def watches(here: Site) -> set[Watch]:
    """How the kernels that were chosen watch for warnings."""
    states = here.engine.states.values()
    return {choice.variant.options.watch for state in states for choice in state.memo.values()}


def interpreted(source: str, **names: object) -> Shown:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(compile(source, "<text>", "exec"), {"__name__": "user", "np": np, **names})
    return [(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning]


def compiled(source: str, **names: object) -> tuple[Shown, LoopRecord, Site]:
    """The same for kernels; the arrays are compared with the interpreter's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        here, _ = harness.run(source, np=np, **names)
    found = [(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning]
    assert here.record is not None
    return found, here.record, here


def same(source: str, make: Callable[[], dict[str, object]], watch: Watch = Watch.KEEP) -> None:
    """Kernels of that watch do and say what the interpreter does, and something is said."""
    expected = interpreted(source, **make())
    assert expected
    found, record, here = compiled(source, **make())
    assert sorted(found) == sorted(expected)
    assert record.runs == 1
    assert watches(here) == {watch}


def values(at: int, dtype: str = "float64", **more: object) -> dict[str, object]:
    rng = np.random.default_rng(at)
    x, y = (rng.random(N).astype(dtype) + 1 for _ in range(2))
    x[at] = np.finfo(dtype).max
    return {"x": x, "y": y, "z": np.ones(N, dtype), "n": N, **more}


LOOPS = {
    "forwards": "for i in range(n):\n    y[i] = 10 * x[i] + y[i]\n",
    "backwards": "for i in range(n - 1, -1, -1):\n    y[i] = 10 * x[i] + y[i]\n",
    "every third": "for i in range(0, n, 3):\n    y[i] = 10 * x[i] + 3 * y[i]\n",
    "from the end": "for i in range(n - 1, -1, -1):\n    y[n - 1 - i] = 10 * x[i] - y[n - 1 - i]\n",
    "with a scalar": "for i in range(n):\n    s = 3 * x[i]\n    y[i] = s * 2 - y[i] * s\n",
    "in a branch": "for i in range(n):\n    if y[i] > 1.5:\n        y[i] = 10 * x[i] - y[i]\n",
    "past the rest": (
        "for i in range(n):\n    if y[i] > 1.5:\n        continue\n    y[i] = 10 * x[i] - y[i]\n"
    ),
    "not last": "for i in range(n):\n    y[i] = 10 * x[i] - y[i]\n    s = 2 * y[i]\n",
    "two stores": "for i in range(n):\n    y[i] = 10 * x[i] - y[i]\n    x[i] = x[i] + y[i]\n",
    "one cell twice": "for i in range(n):\n    y[i] = 9 * x[i] + y[i]\n    y[i] = y[i] + x[i]\n",
    "one of them in a branch": (
        "for i in range(n):\n    y[i] = 10 * x[i] - y[i]\n"
        "    if y[i] > 1.5:\n        x[i] = x[i] + y[i]\n"
    ),
    "what is stored is read after it": (
        "for i in range(n):\n    z[i] = x[i] * 10\n    y[i] = y[i] - z[i]\n    z[i] = z[i] + y[i]\n"
    ),
    "four stores": (
        "for i in range(n):\n    y[i] = 10 * x[i] - y[i]\n    x[i] = x[i] * y[i]\n"
        "    y[i] = y[i] - 2 * x[i]\n    x[i] = x[i] + 1\n"
    ),
}


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_strip_that_rang_is_put_back_and_named(name, dtype):
    rang = 0
    for at in AT:
        if interpreted(LOOPS[name], **values(at, dtype)):  # branches and steps pass some by
            same(LOOPS[name], lambda at=at: values(at, dtype))
            rang += 1
    assert rang


@pytest.mark.usefixtures("strict")
def test_several_strips_that_ring_in_several_chunks():
    def make() -> dict[str, object]:
        found = values(7)
        x = found["x"]
        assert isinstance(x, np.ndarray)
        x[::200] = np.finfo(float).max
        x[5::300] = np.inf  # which is no warning
        return found

    same("for i in range(n):\n    y[i] = x[i] * 10 + y[i]\n", make)
    same("for i in range(n):\n    y[i] = y[i] / (x[i] - x[i])\n", make)


NESTS = {
    "rows": "for i in range(m):\n    for j in range(1, n):\n        a[i, j] = a[i, j] * c[j] + i\n",
    "reversed": (
        "for i in range(m):\n    for j in range(n - 1, -1, -1):\n        a[i, j] = a[i, j] * c[j]\n"
    ),
    "sweeps": """\
for t in range(2):
    for i in range(1, m - 1):
        for j in range(1, n - 1):
            b[i, j] = 3 * (a[i, j] + a[i, j - 1] + a[i - 1, j])
    for i in range(1, m - 1):
        for j in range(1, n - 1):
            a[i, j] = 3 * (b[i, j] + b[i, j + 1] + b[i + 1, j])
""",
}


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("name", NESTS)
def test_strips_of_inner_loops(name):
    for at in AT:

        def make(at: int = at) -> dict[str, object]:
            rng = np.random.default_rng(at)
            a, c = rng.random((5, N)) + 1, rng.random(N) + 1
            a[2, max(at, 1) - (at == N - 1)] = c[at] = 1.7e308
            return {"a": a, "b": a * 0 + 1, "c": c, "m": 5, "n": N}

        same(NESTS[name], make)


FRESH = {
    "one store": "for t in range(2):\n    for i in range(n):\n        y[i] = 10 * x[i] - t\n"
    "    for i in range(n):\n        x[i] = y[n - 1 - i] * 3 + t\n",
    "two stores": "for t in range(2):\n    for i in range(n):\n        y[i] = 3 * x[i]\n"
    "        z[i] = x[i] * x[i]\n    for i in range(n):\n        x[i] = y[n - 1 - i] + z[i]\n",
}


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("name", FRESH)
def test_a_strip_that_reads_nothing_that_it_writes_needs_no_buffer(name, monkeypatch):
    monkeypatch.setattr(LoopWriter, "keep", lambda *args: pytest.fail("kept"))
    for at in AT:
        same(FRESH[name], lambda at=at: values(at))


@pytest.mark.usefixtures("strict")
def test_two_names_for_one_array_are_kept_from():
    """`y` is read by another name in the loop that writes it."""

    def make() -> dict[str, object]:
        found = values(700)
        x = found["x"]
        return {**found, "y": x}

    def beside() -> dict[str, object]:
        whole = np.arange(2.0 * N)
        whole[700] = 1.7e308
        return {"x": whole[:N], "y": whole[:N].view(), "n": N}

    for made in (make, beside):
        same("for i in range(n):\n    y[i] = 10 * x[i] + 1\n", made)


def test_without_a_warning_nothing_is_shown_and_each_cell_is_updated_once(strict):
    for source in (*LOOPS.values(), "for i in range(n):\n    y[i] = y[i] * y[i]\n"):
        rng = np.random.default_rng(1)
        found, record, here = compiled(
            source, x=rng.random(N), y=rng.random(N) + 1, z=np.ones(N), n=N
        )
        assert not found
        assert record.runs == 1
        assert watches(here) == {Watch.KEEP}


@pytest.mark.parametrize("name", ["forwards", "backwards", "in a branch", "past the rest"])
def test_without_the_put_back_a_strip_is_run_twice(name, monkeypatch, apart):
    apart()
    monkeypatch.setattr(LoopWriter, "put_back", lambda self, strip: self.write("pass"))
    failed = 0
    for at in AT:
        if interpreted(LOOPS[name], **values(at)):
            try:
                same(LOOPS[name], lambda at=at: values(at))
            except AssertionError:  # another array, or other warnings
                failed += 1
    assert failed


def test_a_branch_that_stored_nothing_puts_nothing_back(monkeypatch, apart):
    """What lies in the buffer then belongs to another strip."""
    true = LoopWriter.put_back

    def always(self, strip):
        true(self, strip)
        if strip.sometimes:
            self.lines[-2:] = [self.lines[-1].replace("    ", "", 1)]

    source = "for i in range(n):\n    if x[i] > 2:\n        y[i] = 10 * x[i] - y[i]\n"
    same(source, lambda: values(AT[3]))
    apart()
    monkeypatch.setattr(LoopWriter, "put_back", always)
    with pytest.raises(VerifyError):
        same(source, lambda: values(AT[3]))


# ---------------------------------------------------------------------------- what is refused

OTHERS = {
    "many stores": "for i in range(n):\n    x[i] = 10 * x[i]\n"
    + 5 * "    y[i] = x[i] - y[i]\n    x[i] = x[i] + y[i]\n",
    "another cell": "for i in range(n):\n    k = p[i] % 1 + i\n    y[k] = 10 * x[k] - y[k]\n",
    "in order": "for i in range(1, n):\n    y[i] = y[i - 1] * 0.5 + x[i] * 10\n",
}


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("name", OTHERS)
def test_other_loops_keep_nothing(name, monkeypatch):
    monkeypatch.setattr(LoopWriter, "keep", lambda *args: pytest.fail("kept"))
    for at in AT:
        expected = interpreted(OTHERS[name], **values(at, p=np.arange(N)))
        found, record, _ = compiled(OTHERS[name], **values(at, p=np.arange(N)))
        assert record.runs == 1
        assert sorted(found) == sorted(expected)


@pytest.mark.usefixtures("lenient")
def test_what_has_no_name_is_the_interpreters():
    """An alarm of a complex number says too little, so its nest needs the undo copy anyway."""
    for text in ("y[i] * y[i] + x[i]", "y[i] ** 3"):
        y = np.full(N, 1.5 + (1j if "+" in text else 0))
        y[700] = 1.7e308
        before = y.copy()
        found, record, here = compiled(
            f"for i in range(n):\n    y[i] = {text}\n", x=y.copy(), y=y, n=N
        )
        assert record.refusal is not None
        assert record.refusal.code == "warning"
        assert not found
        assert y.tobytes() == before.tobytes()
        assert watches(here) == {Watch.NOTICE}
