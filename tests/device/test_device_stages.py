"""Work items that read by way of the chip leave what Python leaves, in full blocks and others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import standin
from outcome import both

from autopar import config, journal, pipeline
from autopar.cpu.work_items import ItemWriter
from autopar.runtime.choice import items
from autopar.sched.flat import Forms
from autopar.verdict import Refusal

HEAD = """
import numpy as np
def data(shape, dtype="float64", order="C"):
    made = np.arange(1, np.prod(shape) + 1).reshape(shape) % (3 if dtype == "int8" else 101)
    if np.dtype(dtype).kind in "fc":
        made = made * 0.37 + 1
    return np.array(made % 7 > 2 if dtype == "bool" else made, dtype, order=order)
"""
SUM = """
            s = start
            for k in range({}):
                s += {}
            c[i, j] = s
"""
PAIR = "\n    for i in range({}):\n        for j in range({}):" + SUM
ROW = """
    for i in range({}):
        s = start
        for k in range({}):
            s += {}
        y[i] = s
"""
NESTS = {
    "a product": PAIR.format("n", "m", "p", "a[i, k] * b[k, j]"),
    "rows by rows": PAIR.format("n", "m", "p", "a[i, k] * r[j, k]"),
    "a triangle": PAIR.format("n", "i + 1", "p", "a[i, k] * r[j, k] + r[i, k]"),
    "another triangle": PAIR.format("n", "i, m", "p", "a[i, k] * b[k, j]"),
    "a triangle that begins late": PAIR.format("n", "4, i", "p", "a[i - 5, k] * r[j - 4, k]"),
    "further on": PAIR.format("1, n - 1", "m - 1", "1, p", "a[i + 1, k - 1] * b[k, j + 1]"),
    "a vector as well": PAIR.format("n", "m", "p", "a[i, k] * b[k, j] * x[k] - x[j]"),
    "sums of subscripts": PAIR.format("n", "m", "p", "x[i + k] * x[j + k] - x[k]"),
    "two loops in order": PAIR.format("n", "m", "p", "a[i, k] * b[k, j]")
    + "            for k in range(2, p):\n                s = s * 0.5 + a[i, k - 1]\n"
    "            c[i, j] = s\n",
    "rows of a matrix": ROW.format("n", "p", "a[i, k] * x[k]"),
    "its columns": ROW.format("m", "p", "b[k, i] * x[k]"),
    "rows of two": ROW.format("n", "p", "a[i, k] * x[k] - r[i, k] * 3"),
    "some rows": ROW.format("2, n", "1, p", "a[i - 1, k] * x[k - 1]"),
    "a window": ROW.format("n", "p", "x[i + k] * x[k]"),
    "a loop around the one in order": """
    for i in range(n):
        for j in range(m):
            s = start
            for l in range(2):
                for k in range(p):
                    s += a[i, k] * b[k, j] + l
            c[i, j] = s
""",
}  # fmt: skip
SIZES = "((7, 12, 9), (8, 12, 3), (16, 24, 8), (17, 25, 5), (5, 31, 7), (1, 1, 1), (24, 3, 2))"
WIDE = Forms(items._TILES[0], items._ROW, items._SWATH, items._LINE)
"""What work items of a GPU have."""


def program(nest: str, dtype: str = "float64", order: str = "C", sizes: str = SIZES) -> str:
    start = "0" if dtype == "bool" else f"np.{dtype}(0)"
    kept = "int64" if dtype == "bool" else dtype
    return f"""{HEAD}
def run(a, b, r, x, c, y, n, m, p, start):{nest}
for n, m, p in {sizes}:
    most = max(n, m)
    a, b, r = data((n, p), "{dtype}", "{order}"), data((p, m), "{dtype}", "{order}"), data(
        (most, p), "{dtype}", "{order}")
    x, c, y = data(2 * most + p, "{dtype}"), data((n, most), "{kept}"), data(most, "{kept}")
    run(a, b, r, x, c, y, n, m, p, {start})
    print(n, m, p, c.tobytes(), y.tobytes())
"""


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of each kernel for a device, how many of its work items go on together."""
    found: list[int] = []
    made = pipeline.for_device

    def noted(*given: Any) -> Any:
        sources = made(*given)
        if not isinstance(sources, Refusal):
            found.extend(source.group for source in sources)
        return sources

    monkeypatch.setattr(pipeline, "for_device", noted)
    return found


@pytest.mark.parametrize("name", NESTS)
def test_on_opencl(name, pocl, groups):
    both(program(NESTS[name]))
    assert 3 in groups or 6 in groups


SHORT = {
    "a product": PAIR.format("n", "m", "2", "a[i, k] * b[k, j]"),
    "a triangle": PAIR.format("n", "i + 1", "2", "a[i, k] * r[j, k]"),
    "a part of it": PAIR.format("2, n", "1, m - 1", "2", "a[i - 1, k] * b[k, j + 1]"),
    "a product that is noticed": PAIR.format("n", "m", "2", "a[i, k] * b[k, j] - k"),
    "a filter": """
    for i in range(n):
        for j in range(m):
            s = start
            for u in range(2):
                for v in range(2):
                    s += x[i + u] * x[j + v]
            c[i, j] = s
""",
}


@pytest.mark.parametrize("dtype", ["float64", "int8"])
@pytest.mark.parametrize("name", SHORT)
def test_tiles_of_which_some_iterations_are_not_there(name, dtype, gpu, apart, monkeypatch):
    """Too short for threads to meet in it: what is left of a tile goes on together by itself."""
    apart()
    found: list[bool] = []
    incomplete = ItemWriter.incomplete

    def noted(self: ItemWriter, *given: Any) -> None:
        incomplete(self, *given)
        found.append(True)

    monkeypatch.setattr(ItemWriter, "incomplete", noted)
    both(program(SHORT[name], dtype, sizes="((7, 12, 9), (17, 25, 5), (24, 3, 2), (1, 2, 2))"))
    assert found


@pytest.mark.parametrize("place", ["i", "min(i, j + far)"])
def test_only_iterations_that_are_there_know_their_scalars(place, gpu, apart):
    """At a rim, others would read by way of a scalar that nobody has assigned: far away."""
    apart()
    both(f"""{HEAD}
def run(a, b, c, n, m, far):
    for i in range(far, n):
        for j in range(m):
            t = {place}
            s = 0.0
            for k in range(2):
                s += a[t - far, k] * b[k, j]
            c[i - far, j] = s
for n, m in ((7, 12), (17, 25)):
    a, b, c = data((n, 2)), data((2, m)), np.zeros((n, m))
    run(a, b, c, n + 300_000_000, m, 300_000_000)
    print(c.tobytes())
""")


@pytest.mark.parametrize("name", NESTS)
def test_on_cuda_threads_meet(name, gpu, groups):
    standin.MEETINGS.clear()
    both(program(NESTS[name]))
    assert any(groups)
    assert any(standin.MEETINGS)


@pytest.mark.parametrize("name", ["a product", "a triangle", "rows of two", "its columns"])
def test_blocks_of_a_gpu(name, pocl, groups, apart, monkeypatch):
    apart("blocks of a GPU")
    monkeypatch.setattr(items, "_SMALL", WIDE)
    both(program(NESTS[name], sizes="((66, 130, 34), (32, 64, 64))"))
    assert 128 in groups or 32 in groups


@pytest.mark.parametrize(
    ("name", "dtype", "order"),
    [
        *(("a product", dtype, "C") for dtype in ("float32", "uint64", "complex128", "bool")),
        *(("rows of a matrix", dtype, "C") for dtype in ("int8", "uint16", "complex64")),
        ("rows by rows", "float64", "F"),
        ("a product", "complex128", "F"),
    ],
)
def test_other_types_and_the_other_way_round(name, dtype, order, pocl, groups):
    sizes = "((17, 25, 7), (8, 12, 5))"
    both(program(NESTS[name], dtype, order, sizes))
    assert any(groups)


@pytest.mark.parametrize(
    "call",
    [
        "run(a, a, a, x, a, y, n, m, p, 0.0)",  # what is stored is read
        "run(w[::2], w[:, ::2], w[::-1], x, c, y, n, m, p, 0.0)",  # views of one array
        "run(w[::2, ::-2], w[::-1, 1::2], w, w[0], c, w[1], n, m, p, 0.0)",
    ],
)
def test_arrays_that_share_memory(call, pocl, groups):
    source = f"""{HEAD}
def run(a, b, r, x, c, y, n, m, p, start):{NESTS["a product"]}{NESTS["rows of a matrix"]}
n, m, p = 9, 13, 8
a, w, c = data((26, 26)), data((52, 52)) * 0.25, data((26, 26))
x, y = data(60), data(26)
{call}
print(a.tobytes(), w.tobytes(), c.tobytes(), y.tobytes())
"""
    both(source)
    assert any(groups)  # what nothing else shares


@pytest.mark.parametrize("wrong", [0, 1, 10, 19])
def test_where_one_may_give_up(wrong, gpu, groups):
    """A subscript that is looked at in each step: who finds it wrong leaves all others."""
    config.use(replace(config.current(), fail_on_fallback=False))
    nest = ROW.format("n", "p", "a[i, k] * x[at[i + k]]")
    source = f"""{HEAD}
def run(a, x, y, at, n, p, start):{nest}
a, x, y, at = data((20, 9)), data(20), data(20), np.arange(29) % 20
run(a, x, y, at, 20, 9, 0.0)
print(y.tobytes())
at[{wrong}] = 20
try:
    run(a, x, y, at, 20, 9, 0.0)
except IndexError as error:
    print(error)
print(y.tobytes())
"""
    both(source)
    assert groups


def test_warnings_and_odd_numbers(pocl, groups):
    source = program(NESTS["a product"], sizes="((16, 24, 8),)").replace(
        "    run(a, b", "    a[3, 2], b[1, 7], b[0, 7] = np.inf, np.nan, 1e308\n    run(a, b"
    )
    both(source)
    assert any(groups)


def test_a_launch_that_begins_inside_a_block(pocl, groups):
    """In pieces: blocks are cut where there is no room for all of them."""
    config.use(replace(config.current(), device_memory=2500))
    both(program(NESTS["rows of a matrix"], sizes="((40, 3, 7), (41, 3, 9))"))


@pytest.mark.parametrize("name", ["a triangle", "rows of a matrix", "two loops in order"])
def test_processors_run_the_same_text_where_the_device_fails(name, gpu, groups, monkeypatch):
    def none(size: int) -> Any:
        raise MemoryError(f"out of memory allocating {size} bytes")

    monkeypatch.setattr(standin, "alloc", none)
    found = both(program(NESTS[name]))
    assert any(groups)
    assert "compiled" in found.loops.values()
    assert {one.device for one in journal.records() if one.runs} == {"cpu"}
