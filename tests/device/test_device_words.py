"""Narrow cells that work items read and store several at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import run_unseen
from outcome import both

from autopar import pipeline
from autopar.records import replace
from autopar.runtime.choice import items
from autopar.verdict import Refusal

LIFE = """
for i in range(a.shape[0]):
    for j in range(a.shape[1]):
        up, down = (i - 1) % a.shape[0], (i + 1) % a.shape[0]
        left, right = (j - 1) % a.shape[1], (j + 1) % a.shape[1]
        s = a[up, j] + a[down, j] + a[i, left] + a[i, right]
        if s == 3 or (s == 2 and a[i, j] == 1):
            b[i, j] = 1
        else:
            b[i, j] = 0
"""
PAIR = "for i in range(a.shape[0]):\n    for j in range(a.shape[1]):\n        {}"
LINE = "for i in range(len(x)):\n    {}"
WORDS = {
    "the game of life": (LIFE, {"read", "stored"}),
    "a copy": (PAIR.format("b[i, j] = a[i, j]"), {"read", "stored"}),
    "a line": (LINE.format("y[i] = x[i]"), {"read", "stored"}),
    "a line in place": (LINE.format("x[i] = x[i] // 2"), set()),
    "two stores": (PAIR.format("b[i, j] = 0\n        if a[i, j] > 1:\n            b[i, j] = 1"),
                   {"read", "stored"}),
    "a store in one branch": (PAIR.format("if a[i, j] > 1:\n            b[i, j] = 1"), {"read"}),
    "what is read in one branch": (
        PAIR.format(
            "if i > 2:\n            b[i, j] = a[i, j]\n        else:\n            b[i, j] = 1"
        ),
        {"stored"},
    ),
    "what is read behind an and": (
        PAIR.format("b[i, j] = 1 if i > 2 and a[i, j] > 0 else 0"), {"stored"},
    ),
    "the middle of three": (
        "for i in range(a.shape[0]):\n    for j in range(1, a.shape[1] - 1):\n"
        "        b[i, j] = a[i, j - 1] // 2 + a[i, j + 1] // 2",
        {"read", "stored"},
    ),
    "turned round": (PAIR.format("b[i, j] = a[i, a.shape[1] - 1 - j]"), {"stored"}),
    "rows of another": (PAIR.format("b[i, j] = a[(i + 1) % a.shape[0], j] // 2"),
                        {"read", "stored"}),
    "the same for all rows": (PAIR.format("b[i, j] = x[j] // 2 + a[i, j] // 2"),
                              {"read", "stored"}),
    "transposed": (PAIR.format("b[i, j] = c[j, i]"), {"stored"}),
}  # fmt: skip


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Of each kernel for a device, whether words are read and stored in it."""
    found: list[set[str]] = []
    made = pipeline.for_device

    def noted(*given: Any) -> Any:
        sources = made(*given)
        for source in () if isinstance(sources, Refusal) else sources:
            body = source.body
            read = {"read"} if ">> 8)" in body or ">> 16)" in body else set()
            found.append(read | ({"stored"} if "<< 8" in body or "<< 16" in body else set()))
        return sources

    monkeypatch.setattr(pipeline, "for_device", noted)
    return found


def program(nest: str, dtype: str, made: str = "data") -> str:
    body = "    " + nest.replace("\n", "\n    ")
    return f"""
import numpy as np
rng = np.random.default_rng(5)
def data(*shape):
    return rng.integers(0, 4, shape).astype("{dtype}")
def odd(*shape):
    return data(shape[0], *(n + 3 for n in shape[1:]))[..., 1:-2]
def turned(*shape):
    return np.asfortranarray(data(*shape))
def run(a, b, c, x, y):
{body}
for n, m in ((6, 16), (7, 17), (1, 4), (2, 3), (5, 40)):
    a, b, c = {made}(n, m), {made}(n, m), {made}(m, n)
    x, y = data(m), data(m)
    run(a, b, c, x, y)
    print(a.tobytes(), b.tobytes(), x.tobytes(), y.tobytes())
"""


@pytest.mark.parametrize("name", WORDS)
def test_what_is_a_word(name, gpu, words, apart):
    apart()
    nest, expected = WORDS[name]
    both(program(nest, "uint8"))
    assert set().union(*words) == expected


@pytest.mark.parametrize(
    ("dtype", "made"),
    [("bool", "data"), ("int8", "odd"), ("uint16", "data"), ("int16", "odd"), ("uint8", "turned")],
)
@pytest.mark.parametrize("place", ["gpu", "pocl"])
def test_types_and_arrays_that_lie_otherwise(dtype, made, place, words, apart, request):
    request.getfixturevalue(place)
    apart()
    nest = LIFE if dtype != "bool" else PAIR.format("b[i, j] = a[i, j] and not a[i, j - 1]")
    both(program(nest, dtype, made))
    assert {"stored"} <= set().union(*words)


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are as long as those of a GPU."""
    forms = replace(items._SMALL, narrow=items._NARROW)
    monkeypatch.setattr(items, "_SMALL", forms)


SCALAR = "k = j + 1\n        b[i, j] = x[k - 1] & 1"


@pytest.mark.parametrize(("one", "other"), [("uint8", "uint16"), ("uint16", "uint8")])
@pytest.mark.parametrize("place", ["gpu", "pocl"])
def test_cells_of_two_sizes(one, other, place, words, apart, real, for_cuda, request):
    """A subscript may be a scalar: which cells it comes to is seen all the same."""
    request.getfixturevalue(place)
    apart()
    source = program(PAIR.format(SCALAR), one).replace("x, y = data(m), data(m)", "x, y = other")
    both(
        source.replace("other", f'data(m).astype("{other}"), data(m)').replace(
            "(5, 40)", "(3, 2048)"
        )
    )
    assert set().union(*words) == set()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "bool"])
def test_words_of_a_gpu(dtype, gpu, words, apart, real, for_cuda):
    apart()
    nest = LIFE if dtype != "bool" else PAIR.format("b[i, j] = a[i, j] and not a[i, j - 1]")
    both(program(nest, dtype).replace("(5, 40)", "(9, 2051), (4, 2048)"))
    assert "stored" in set().union(*words)


def test_wider_cells_are_none(gpu, words, apart):
    apart()
    both(program(WORDS["a copy"][0], "float32"))
    assert set().union(*words) == set()


def test_arrays_that_share_memory_have_no_words(gpu, words):
    a = np.arange(60, dtype=np.uint8).reshape(6, 10)
    run_unseen(PAIR.format("b[i, j] = a[i, j] // 2"), a=a[:3], b=a[3:])
    assert set().union(*words) == {"read", "stored"}
    words.clear()
    run_unseen(PAIR.format("b[i, j] = a[i, j] // 2"), a=a[:4], b=a[1:5])
    assert set().union(*words, set()) == set()
