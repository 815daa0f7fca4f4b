"""Extremes of which a part is known beforehand are what one step after the other finds."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from outcome import both

from autopar import config
from autopar.cpu.partial import PartialWriter

PROGRAM = """
def f(t, w, x, n, m, c):
    for i in range({rows}):
        for j in range({columns}):
            {first}
            for k in range({steps}):
                {body}
            {last}
t, w = given.copy(order="K"), other.copy(order="K")
try:
    r = f(t, w, x, n, m, c)
except Exception as error:
    r = repr(error)
"""
ROWS = ("n - 1, -1, -1", "n", "m - 1, n")
COLUMNS = ("i + 1, n", "n", "m, n", "m - 4, n")
STEPS = ("i + 1, j", "i, j + 1", "j", "0, j", "m, j + 2", "m - 4, j")
FIRST = ("best = t[i, j - 1]", "best = c", "best = max(t[i, j - 1], t[i, j])", "best += w[i, j]")
LEFT = ("t[i, k]", "t[i, k - 1]", "t[i, k + 1]", "w[i, k]", "x[k]", "t[i, j - 1]", "t[i, 5]")
RIGHT = ("t[k + 1, j]", "t[k, j]", "t[i, j]", "w[k, j]", "x[j]", "t[k, j - 1] - w[j, k]", "k * c")
BODIES = (
    "best = max(best, {})",
    "best = min({}, best)",
    "e = {}\n                if e > best:\n                    best = e",
    "e = {}\n                if e <= best:\n                    best = e",
    "best = {0} if {0} < best else best",
)
LAST = (
    "t[i, j] = best",
    "t[i, j] = best % 64 - w[j, i]",
    "t[i, j] = best; w[i, j] += k if n > j else 1",
    "if best % 3:\n                t[i, j] = best % 100",
)


@pytest.fixture
def seen(lenient, monkeypatch, tmp_path):
    """Loops of which extremes were taken apart, none of them for an earlier test."""
    tmp_path.chmod(0o700)
    config.use(replace(config.current(), cache_dir=tmp_path))
    found = []
    plain = PartialWriter.in_parts

    def noted(self, loop, partial):
        found.append(partial)
        plain(self, loop, partial)

    monkeypatch.setattr(PartialWriter, "in_parts", noted)
    return found


def arrays(rng, dtype="int64", order="C", largest=50):
    made = (rng.integers(0, largest, size) for size in ((48, 47), (48, 47), 48))
    given, other, x = (np.array(one, dtype, order=order) for one in made)
    return {"given": given, "other": other, "x": x}


NUSSINOV = PROGRAM.format(
    rows=ROWS[0], columns=COLUMNS[0], first=FIRST[2], steps=STEPS[0],
    body=BODIES[0].format("t[i, k] + t[k + 1, j]"), last=LAST[0],
)  # fmt: skip


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
@pytest.mark.parametrize("order", "CF")
def test_the_same_numbers(seen, threads, dtype, order):
    config.use(replace(config.current(), threads=threads))
    given = arrays(np.random.default_rng(3), dtype, order)
    for n, m in ((47, 0), (46, 3), (17, 2), (16, 5), (9, 0), (2, 1), (1, 0), (0, 0)):
        both(NUSSINOV, **given, n=n, m=m, c=0)
    assert seen if order == "C" else not seen


def test_of_many_forms(seen):
    chance, rng = random.Random(9), np.random.default_rng(9)
    for k in range(60):
        config.use(replace(config.current(), threads=(1, 3)[k % 2]))
        terms = f"{chance.choice(LEFT)} {chance.choice('+-')} {chance.choice(RIGHT)}"
        parts = (ROWS, COLUMNS, FIRST, STEPS, LAST)
        rows, columns, first, steps, last = map(chance.choice, parts)
        body = chance.choice(BODIES).format(terms)
        source = PROGRAM.format(
            rows=rows, columns=columns, first=first, steps=steps, body=body, last=last
        )
        given = arrays(rng, chance.choice(("int64", "int64", "int32")))
        both(source, **given, n=chance.choice((47, 40, 33, 20)), m=chance.randrange(8), c=3)
    assert len(seen) > 10


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("far", [(3, 40), (20, 21), (44, 46)])
def test_numbers_beyond_64_bits(lenient, threads, far):
    config.use(replace(config.current(), threads=threads))
    given = arrays(np.random.default_rng(3))
    given["given"][far] = 2**63 - 1
    both(NUSSINOV, **given, n=47, m=0, c=0)


def test_columns_from_the_end(lenient):
    """A step before the first column reads what a later iteration stores."""
    source = PROGRAM.format(
        rows="n", columns="n", first="best = c", steps="-n, j",
        body=BODIES[0].format("t[i, k] + 1"), last="t[i, j] = best",
    )  # fmt: skip
    given = arrays(np.random.default_rng(3))
    for n in (5, 20, 46, 47):
        both(source, **given, n=n, m=0, c=3)


@pytest.mark.parametrize("view", ["t", "t[::-1]", "t[:, ::-1]", "t.T", "t[1:]", "t[:, 1:]"])
def test_one_array_under_two_names(lenient, view):
    source = PROGRAM.format(
        rows=ROWS[0], columns=COLUMNS[0], first=FIRST[1], steps=STEPS[0],
        body=BODIES[0].format("w[i, k] + w[k + 1, j]"), last=LAST[0],
    ).replace("other.copy()", view.replace("t", "t_"))  # fmt: skip
    source = source.replace("t, w = given.copy()", "t_ = given.copy(); t, w = t_")
    both(source, **arrays(np.random.default_rng(3)), n=44, m=0, c=0)
