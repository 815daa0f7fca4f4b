"""Parts of a loop that go through the loops around it for themselves leave what all of them do."""

from __future__ import annotations

import warnings
from dataclasses import replace

import harness
import numpy as np
import pytest
from outcome import both

from autopar import config, pipeline
from autopar.cpu import chunks
from autopar.runtime.run import launch

WALK = """
def f(s, z, n, m, mu, t, p):
    for t in range(n):
        for p in range(m):
            {body}
    return {left}
s, z = given.copy(), other.copy()
t = p = None
try:
    r = f(s, z, n, m, 0.5, None, None)
except Exception as error:
    r = repr(error)
"""
BODIES = {
    "from the row before": "s[t + 1, p] = s[t, p] * (mu + z[t, p])",
    "in place": "s[0, p] = s[0, p] * mu + z[t, p]",
    "through a scalar": "u = s[t, p] - mu; s[t + 1, p] = u * u + z[t, p]",
    "under a test": "if z[t, p] > 0.2: s[t + 1, p] = s[t, p] + z[t, p]",
    "a quotient that may fail": "s[t + 1, p] = s[t, p] // (z[t, p] - mu)",
    "below": "for k in range(t + 1): s[k, p] = s[k, p] + z[t, p]",
    "beyond the end": "s[t + 2, p] = s[t, p] * mu",
}


@pytest.fixture
def swept(lenient, monkeypatch, caches):
    """Kernels that go through loops around a part; all threads take part in them."""
    config.use(replace(config.current(), threads=3, cache_dir=caches("parts of two")))
    found = []
    emitted = pipeline.emit

    def noted(*args):
        program = emitted(*args)
        found.extend(kernel for kernel in getattr(program, "kernels", ()) if kernel.sweeps)
        return program

    monkeypatch.setattr(pipeline, "emit", noted)
    monkeypatch.setattr(chunks, "_WIDE", 2)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_same_numbers(swept, body):
    rng = np.random.default_rng(3)
    source = WALK.format(body=body, left="0")
    for dtype in (np.float64, np.float32):
        given, other = rng.normal(size=(2, 12, 40)).astype(dtype)
        for n, m in ((11, 40), (10, 39), (4, 1), (3, 0), (0, 5), (1, 7), (11, 41)):
            both(source, given=given, other=other, n=n, m=m)
    assert swept


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("left", ["t", "p", "(t, p)"])
@pytest.mark.parametrize("rows", ["range(n)", "range(n - 1, -1, -1)", "range(0, n, 3)"])
def test_what_the_loops_leave_behind(swept, left, rows):
    """Where there are no columns, rows are counted all the same."""
    source = WALK.format(body=BODIES["in place"], left=left)
    source = source.replace("for t in range(n)", f"for t in {rows}")
    given = np.ones((12, 40))
    for n, m in ((11, 40), (3, 0), (0, 5)):
        both(source, given=given, other=given, n=n, m=m)
    assert swept


@pytest.mark.filterwarnings("ignore")
def test_a_scalar_of_the_last_of_all(swept):
    """Where it is assigned in some columns only, no part can tell which of them is the last."""
    rng = np.random.default_rng(5)
    for body, sure in (
        ("if z[t, p] > 0.2: u = s[t, p]; s[t + 1, p] = u * mu", False),
        ("if z[t, p] > 0.2: continue\n            u = s[t, p]; s[t + 1, p] = u * mu", False),
        ("u = s[t, p]; s[t + 1, p] = u * mu", True),
    ):
        swept.clear()
        source = WALK.format(body=body, left="u").replace(
            "    for t in", "    u = -1.0\n    for t in"
        )
        for _ in range(20):
            given, other = rng.normal(size=(2, 12, 40))
            both(source, given=given, other=other, n=11, m=40)
        both(source, given=given, other=other, n=0, m=40)
        both(source, given=given, other=other, n=11, m=0)
        assert bool(swept) == sure


def test_a_part_is_a_few_cache_lines_wide(lenient, monkeypatch):
    config.use(replace(config.current(), threads=3))
    seen = []
    usual = launch.pool.chunks

    def noted(call, word, args, count, *more):
        seen.append(count)
        return usual(call, word, args, count, *more)

    monkeypatch.setattr(launch.pool, "chunks", noted)
    source = WALK.format(body=BODIES["from the row before"], left="0")
    for columns, parts in ((40, 3), (3 * 64 * 2 + 5, 6), (2, 2)):
        given = np.ones((12, columns))
        both(source, given=given, other=given * 0.1, n=11, m=columns)
        assert seen == [parts]
        seen.clear()


STEPS = """\
for t in range(n):
    for p in range(m):
        s[0, p] = s[0, p] * c + z[t, p] * z[t, p]
"""


@pytest.mark.parametrize("where", [(2, 30), (9, 3), (0, 0)])
@pytest.mark.parametrize("how", ["default", "error"])
def test_warnings_and_errors(swept, where, how):
    """Something that NumPy warns of, in any row of any part; as an error, after the rows so far."""
    made = [np.ones((12, 40)) for _ in range(2)]
    z, said = np.ones((12, 40)), []
    z[where] = 1e200
    for array in made:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(how)
            names = {"s": array, "z": z, "n": 11, "m": 40, "c": np.float64(-3.0)}
            try:
                if array is made[0]:
                    exec(compile(STEPS, "<text>", "exec"), dict(names))
                else:
                    _, left = harness.run(STEPS, **names)
                    if left is None:  # as Python says it, after all that is undone
                        exec(compile(STEPS, "<text>", "exec"), dict(names))
                    assert (left is None) == (how == "error")
            except RuntimeWarning as error:
                said.append(repr(error))
        said.append([(str(w.message), w.lineno) for w in caught])
    assert said[: len(said) // 2] == said[len(said) // 2 :]
    assert made[0].tobytes() == made[1].tobytes()
    assert swept or how == "error"


JOINED = """
def f(s, v, z, n, c):
    for t in range(n):
        {body}
s, v, z = given.copy(), other.copy(), steps
f(s, v, z, n, 0.5)
"""


@pytest.mark.parametrize(
    ("body", "alone"),
    [
        ("v += z[t] * c\n        s += v * c", True),
        ("for p in range(40): v[p] += z[t, p] * c\n        for q in range(40): s[q] += v[q]", True),
        ("v += z[t] * c\n        s[1:] += v[:-1] * c", False),  # of another range
        ("v[:-1] += z[t, 1:] * c\n        s[:-1] += v[1:]", False),  # from a neighbour
        ("v += s[::-1] * c\n        s += v * c", False),
    ],
)
def test_statements_that_are_joined_first(swept, body, alone):
    rng = np.random.default_rng(2)
    steps, given, other = rng.normal(size=(12, 40)), *rng.normal(size=(2, 40))
    source = JOINED.replace("{body}", body)
    for n in (12, 1, 0):
        both(source, given=given, other=other, steps=steps, n=n)
    assert bool(swept) == alone
