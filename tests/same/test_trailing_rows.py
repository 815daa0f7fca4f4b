"""Loops over rows that trail one another leave and say what they do one after the other."""

from __future__ import annotations

import re

import harness
import numpy as np
import pytest
from outcome import both

from autopar import config
from autopar.records import replace

PROGRAM = """
def f(a, b, c, n, m):
{body}
a, b, c = {arrays}
try:
    f(a, b, c, n, m)
except Exception as error:
    r = repr(error)
"""
MEAN = """
for t in range(3):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            b[i, j] = 0.3 * (a[i - 1, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j])
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = b[i, j]
"""
FIELDS = """
for t in range(3):
    for j in range(m):
        a[0, j] = t
    for i in range(1, n):
        for j in range(m):
            a[i, j] -= 0.5 * (c[i, j] - c[i - 1, j])
    for i in range(n):
        for j in range(1, m):
            b[i, j] -= 0.5 * (c[i, j] - c[i, j - 1])
    for i in range(n - 1):
        for j in range(m - 1):
            c[i, j] -= 0.7 * (b[i, j + 1] - b[i, j] + a[i + 1, j] - a[i, j])
"""
BODIES = {
    "there and back": MEAN,
    "fields": FIELDS,
    "whole arrays": """
for t in range(3):
    b[1:-1, 1:-1] = 0.3 * (a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
    a[1:-1, 1:-1] = 0.3 * (b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
""",
    "three behind one another": """
for t in range(3):
    for i in range(n):
        for j in range(m):
            b[i, j] = a[i, j] * 0.5 + c[i, j]
    for i in range(2, n - 2):
        for j in range(m):
            c[i, j] = b[i - 2, j] - b[i + 2, j] if b[i, j] > 0 else a[i, j]
    for i in range(2, n - 3):
        s = c[i + 1, 0]
        for j in range(m):
            s -= c[i - 1, j] * 0.25
            a[i, j] = s
""",
    "life": """
for t in range(3):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            near = 0
            for y in range(i - 1, i + 2):
                for x in range(j - 1, j + 2):
                    near += a[y, x]
            b[i, j] = 1 if near == 3 else (a[i, j] if near == 4 else 0)
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = b[i, j]
""",
}


def program(body, arrays="one.copy(order='K'), two.copy(order='K'), three.copy(order='K')"):
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return PROGRAM.format(body=lines, arrays=arrays)


def numbers(dtype=np.float64, order="C", rows=40, columns=12):
    made = np.random.default_rng(3).integers(0, 2, (3, rows, columns))
    made = made if dtype is np.int64 else made - 0.25
    return {
        name: np.array(x, dtype, order=order)
        for name, x in zip(("one", "two", "three"), made, strict=True)
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_same_numbers(lenient, body):
    others = [(np.int64, "C"), (np.float64, "F"), (np.float32, "C")]
    other = others[[*BODIES.values()].index(body) % len(others)]
    for dtype, order in ((np.float64, "C"), other):
        for n, m in ((0, 3), (2, 3), (9, 1), (17, 9), (18, 12), (26, 5), (40, 12)):
            both(program(body), **numbers(dtype, order), n=n, m=m)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", [MEAN, FIELDS], ids=["mean", "fields"])
def test_arrays_that_share_memory(lenient, body):
    for view in ("[:]", "[::-1]", "[:, ::-1]", "[1:]", "[:-1]"):
        arrays = f"(given := one.copy()), given{view}, three.copy()"
        both(program(body, arrays), **numbers(), n=30, m=12)
    both(
        program(body, "one.copy().T, two.copy()[::-1], three.copy()[:, ::2]"),
        **numbers(),
        n=12,
        m=6,
    )


@pytest.mark.parametrize("body", [MEAN, FIELDS], ids=["mean", "fields"])
def test_subscripts_that_wrap_or_fail(lenient, body):
    for low, far in (("range(0, n", "[i - 1, j]"), ("range(1, n", "[i + 1, j - 2]")):
        both(
            program(body.replace("range(1, n", low).replace("[i, j]", far)), **numbers(), n=33, m=9
        )
    both(program(body), **numbers(), n=41, m=12)
    both(program(body), **numbers(), n=40, m=13)


@pytest.mark.parametrize("kept", ["i", "j", "t"])
def test_what_the_last_iteration_leaves(lenient, kept):
    source = program("i = j = t = None\n" + MEAN.strip() + f"\nreturn {kept}")
    for n in (0, 2, 30):
        both(source.replace("    f(", "    r = f("), **numbers(), n=n, m=9)


@pytest.mark.parametrize("place", [(0, 0), (7, 1), (8, 4), (20, 5), (29, 11)])
@pytest.mark.parametrize("value", [np.inf, 1.7e308, np.nan])
def test_the_same_warnings(strict, place, value):
    array = numbers(rows=30)["one"]
    array[place] = value
    b = numbers(rows=30)["two"]
    here = harness.same_warnings(MEAN.strip() + "\n", array, b=b, n=30, m=12)
    (state,) = here.engine.states.values()
    assert state.arrangements


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_runs_are_blocks(lenient, body):
    names = dict(zip("abc", numbers().values(), strict=True))
    here, _ = harness.run_unseen(body.strip() + "\n", **names, n=34, m=12)
    said = "the loops in lines .* go through blocks of rows together"
    assert any(re.fullmatch(said, note) for note in here.record.notes)
    assert not any("block of" in name for name in here.record.parallel_loops)
    assert not any(" of i" in note for note in here.record.notes)


OTHERS = {
    "a product": """
    for i in range(n):
        for j in range(m):
            for k in range(m):
                c[i, j] += a[i, k] * a[k, j]
""",
    "an array of each row's own": """
    for i in range(1, n - 1):
        for j in range(m):
            c[0, j] = a[i, j] * 0.5
        for j in range(1, m - 1):
            a[i, j] = c[0, j - 1] + c[0, j + 1]
""",
}


@pytest.mark.parametrize("fp", ["exact", "relaxed"])
@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_what_else_is_to_be_had_for_a_nest(lenient, fp, body):
    """Where there is a better way for one of its loops, or none that is as good, all stay."""
    config.use(replace(config.current(), fp=fp))
    names = dict(zip("abc", numbers(rows=12).values(), strict=True))
    here, _ = harness.run_unseen(MEAN.strip() + body, **names, n=12, m=12)
    told = "together" if (fp, "k" in body) == ("exact", True) else "copy of it|left to BLAS"
    said = [*here.record.notes, *here.record.products]
    assert any(re.search(told, note) for note in said), said
