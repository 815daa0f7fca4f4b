"""Consecutive statements on arrays as one loop: what becomes of temporaries, and what must not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from outcome import FILE, Outcome, described, plain, taken

from autopar import pipeline

HEAD = """
import numpy as np
rng = np.random.default_rng(3)
n = 700
u = rng.random(n) - 0.25
v = rng.random(n) * 3
w = rng.random(n)
f = rng.random(n).astype(np.float32)
i = np.arange(n)
k = (np.arange(n) % 120).astype(np.int8)
A = rng.random((30, 40))
B = rng.random((30, 40))
line = rng.random(n + 2)
def run():
"""


@pytest.fixture
def plans(monkeypatch, apart):
    """The plans that were made, as text, and how many arrays became scalars."""
    apart()
    found = []
    real = pipeline.fused

    def kept(typed, plan, *given):
        made = real(typed, plan, *given)
        found.append((str(made), len(made.elements)))
        return made

    monkeypatch.setattr(pipeline, "fused", kept)
    return found


def same(lines, given="u, v, w, f, i, k, A, B, line", before="", times=3):
    """Assert that a function of `lines` means the same both ways; the source."""
    body = "".join(f"    {line}\n" for line in lines)
    head = HEAD.replace("def run():\n", f"{before}\ndef run({given}):\n")
    calls = "".join(f"r{k} = run({given})\n" for k in range(times))
    source = f"{head}{body}{calls}"
    with np.errstate(all="ignore"):
        wanted, found = plain(source), taken(source)
    assert found.error == wanted.error
    assert found.names == wanted.names
    return source


def python(source, **names):
    """What Python makes of `source`, warnings and all."""
    space = {"__name__": "user", **names}
    exec(compile(source, FILE, "exec", dont_inherit=True), space)
    return Outcome({"r": described(space["r"])}, "", None)


def once(plan):
    """How many loops over elements a plan has at its top."""
    return sum(line.startswith("    parallel for <axis") for line in plan.splitlines())


pytestmark = pytest.mark.usefixtures("strict")

GONE = {
    "a chain": (["a = u * 2.0 + v", "b = a * a - u", "return b * a"], 2),
    "a name that is bound again": (["a = u + v", "a = a * 2", "return a - u"], 0),
    "changed in place": (["a = u + v", "a *= w", "a -= u", "return a * 2"], 1),
    "single precision rounds": (["a = f * f", "a += 0.1", "b = a * u", "return b - a"], 2),
    "a double in place of a single": (["a = f + f", "a += u", "return a * u"], 1),
    "small integers wrap": (["a = k + k", "b = a * a", "c = b - k", "return c + b"], 3),
    "integers into floats": (["a = i // 3", "b = a / 7", "return b * a"], 2),
    "bools": (["a = u > 0.1", "b = a & (v < 2)", "return np.where(b, u, v)"], 2),
    "NumPy's functions": (["a = u + v", "b = np.exp(a)", "c = np.tanh(b) + a", "return c * b"], 3),
    "tables": (["a = A * 2", "b = a + B", "return b - a"], 2),
    "a row to a table": (["a = A * A[0]", "b = a + 1", "return b * B"], 2),
    "zeros of either sign": (["a = u * -0.0", "b = a * 1.0", "return b + a"], 2),
}


@pytest.mark.parametrize(("lines", "scalars"), GONE.values(), ids=GONE)
def test_temporaries_are_gone(lines, scalars, plans):
    same(lines)
    assert plans
    assert all(once(plan) == 1 and count >= scalars for plan, count in plans)


def test_arrays_whose_sizes_only_the_call_knows(plans):
    same(["u += 0.1 * v", "line *= 2", "w -= u * v", "A *= u[3]"])
    assert plans
    assert all(once(plan) == 3 for plan, _ in plans)


SEEN = {
    "returned": ["a = u + v", "b = a * 2", "return a, b"],
    "kept in a list": ["a = u + v", "b = a * 2", "kept.append(a)", "return b"],
    "a view of it": ["a = u + v", "b = a * 2", "c = a[1:]", "return b, c"],
    "for the caller": ["u *= 2", "a = u + v", "u += a"],
    "the next iteration reads it": [
        "a = u * 0",
        "for t in range(3):",
        "    b = a + u",
        "    a = b * 0.5",
        "return a",
    ],
    "some of it": ["a = u + v", "b = a * 2", "return b, a[3]"],
}


@pytest.mark.parametrize("lines", SEEN.values(), ids=SEEN)
def test_what_is_seen_is_in_memory(lines):
    same(lines, before="kept = []")


APART = {
    "neighbours": (["a = u + v", "b = a[1:] * a[:-1]", "return b"], 2),
    "the other way round": (["a = u + v", "b = w[::-1] * 2 + a[::-1]", "return b"], None),
    "a step": (["a = u + v", "b = a[::2] * 2", "return b"], 2),
    "another row": (["a = A * 2", "b = a[1:] + a[:-1]", "return b"], 2),
    "a stencil in place": (
        [
            "for t in range(3):",
            "    u[1:-1] = (v[2:] + v[:-2]) / 2",
            "    v[1:-1] = u[1:-1] * w[1:-1]",
        ],
        None,
    ),
    "a sum between": (["a = u + v", "s = np.sum(a)", "b = a * s", "return b"], 2),
    "a part of it": (["a = u + v", "a[3:9] = 0", "b = a * 2", "return b"], None),
    "by an index": (["a = u + v", "b = a[i[::-1]] * 2", "return b"], 2),
}


@pytest.mark.parametrize(("lines", "loops"), APART.values(), ids=APART)
def test_what_must_stay_apart(lines, loops, plans, lenient):
    same(lines)
    if loops is not None:
        assert plans
        assert all(once(plan) == loops for plan, _ in plans)


@pytest.mark.parametrize(
    "views",
    [
        "x, y = line[2:], line[:-2]",
        "x, y = line[:-2], line[2:]",
        "x, y = line[1:-1], line[1:-1]",
        "x, y = line[1:-1][::-1], line[1:-1]",
        "x, y = u, u",
        "x, y = u, v",
    ],
)
def test_arrays_that_share_memory(views):
    lines = ["for t in range(2):", "    x[:] = w * 2", "    z = y + w", "    y[:] = z * 0.5 + w"]
    same([*lines, "return z"], given="x, y, w", before=views)


def test_shapes_that_differ_at_some_call():
    before = "def other(x, y):\n    a = x * 2\n    b = y + 1\n    return a[:1] * b[:1]\n"
    source = same(["return other(u, v)"], before=before)
    assert "other" in source
    same(["return other(u, v[:5])"], before=before)
    same(["a = u[:5] * v[:5]", "b = a + v[:6]", "return b"])  # which Python raises


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_warnings_come_in_the_order_of_the_statements(dtype, lenient):
    source = """
import numpy as np
def run(u, v, w):
    a = u * u
    b = np.sqrt(v)
    c = b / w
    d = a - a
    return c + d
r = [run(*x) for x in given]
"""
    big, n = np.finfo(dtype).max, 3000
    for odd in [(5, 2900, 10), (2900, 5, 40), (2900, 2000, 7), (0, 0, 0), (2999, None, 0)]:
        u, v, w = np.ones(n, dtype), np.ones(n, dtype), np.ones(n, dtype)
        u[odd[0]] = big
        if odd[1] is not None:
            v[odd[1]] = -1
        w[odd[2]] = 0
        shown = []
        for run in (python, taken):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                names = run(source, given=[(u, v, w)] * 2).names
            shown.append((names["r"], [(str(c.message), c.lineno) for c in caught]))
        assert shown[0][1]
        assert shown[0] == shown[1]


def test_an_exception_on_the_way_leaves_what_python_leaves():
    same(
        [
            "a = u * 2",
            "u[:] = a + 1",
            "b = a * v[:3]",
            "return b",
        ]
    )
    same(["a = u * 2", "u[:] = a + 1", "b = a[i + 1] * 2", "return b"])
