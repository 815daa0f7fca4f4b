"""What a call with new sizes costs: an evaluation, no analysis and no thread."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from autopar import config
from autopar.kernel import Claim, Watch
from autopar.nest.ir import For, Name
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import statements
from autopar.runtime import engine
from autopar.runtime.choice import choose, decide, estimate, interval
from autopar.runtime.choice.outline import outline
from autopar.runtime.site import Site
from autopar.site_spec import SiteSpec

SHIFT = "for i in range(m, n):\n    a[i] = b[i - q] * 2.0\n"


@pytest.fixture
def made(tmp_path):
    """An engine that finds every nest worth compiling."""
    before = config.current()
    (tmp_path / "cache").mkdir(mode=0o700)
    config.use(replace(before, fail_on_fallback=True, cache_dir=tmp_path / "cache"))
    nest = lift_text(SHIFT)
    spec = SiteSpec(
        *("nest.py", 1, "run", nest.roots, nest.live_out, pickle.dumps(nest), SHIFT, None)
    )
    yield engine.Engine(Site(spec, None))
    config.use(before)


def chosen(made, n, q, alias=False):
    a = np.ones(50)
    found = {"a": a, "b": a if alias else np.ones(50), "m": 5, "n": n, "q": q, "range": range}
    key, values = made.reader.read(tuple(found[root] for root in made.nest.roots))
    if key not in made.states:
        made.states[key] = made.learn(values, {})
    return made.chooser.choose(made.states[key], values, Watch.IGNORE)


def test_new_sizes_do_nothing_apart_until_something_else_holds(made, monkeypatch):
    asked = []
    for room in (decide, choose):
        monkeypatch.setattr(
            room, "apart", lambda work, usual=decide.apart: asked.append(work) or usual(work)
        )
    first = chosen(made, 20, 1).variant
    assert asked
    del asked[:]
    assert all(chosen(made, n, q).variant is first for n in range(21, 40) for q in (0, 2, 5))
    assert not asked
    assert chosen(made, 51, 1).variant is not first  # out of bounds
    assert chosen(made, 20, 1, alias=True).variant.plan.parallel_loops == ()
    assert asked


def test_what_is_remembered_is_done_once(monkeypatch):
    done = []
    find = decide.remembered(lambda *key, **more: done.append((key, more)) or len(done))
    assert [find(1, 2), find(1, 2), find(1, 3), find(1, 2, join=False), find(1, 2)] == [
        1,
        1,
        2,
        3,
        1,
    ]
    assert len(done) == 3


def test_a_failure_is_not_remembered():
    answers = iter([ValueError("no"), 7])

    def work():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    find = decide.remembered(work)
    with pytest.raises(ValueError, match="no"):
        find()
    assert find() == 7


LOOPS = """
for i in range(n):
    a[i] = 0.0
    if a[i] > 1.0:
        a[i] = a[i] + 1.0
    for j in range(i):
        a[j] = 1.0
"""


def test_an_outline_counts_what_stands_in_each_loop():
    """Operations are nodes of expressions, and one for each assignment."""
    part = outline((lift_text(LOOPS).loop,))
    ((loop, body),) = part.loops
    assert (loop.var, part.likely, part.flat) == ("i", 3, False)
    assert [inner.var for inner, _ in body.loops] == ["j"]
    # a[i] = 0.0; a[i] > 1.0; a[i] = a[i] + 1.0; the bounds of j
    assert body.likely == 3 + 4 + 6 + 3
    inner = body.loops[0][1]
    assert (inner.likely, inner.flat) == (3, True)
    # The inner loop counts at the middle of the outer one's range.
    assert estimate.operations(part, {"n": 10.0}) == 3 + 10 * (1 + body.likely + 5 * (1 + 3))


def test_claims_share_the_ranges_of_their_loops_and_nothing_else():
    nest = lift_text("for i in range(n):\n    for j in range(i):\n        a[j] = 1.0\n")
    outer, inner = (s for s in statements(nest.loop) if isinstance(s, For))
    fits = Claim(Name("i"), 0, 9, (outer,))
    too_far = Claim(Name("j"), 0, 7, (outer, inner))
    known: interval.Inner = {}
    assert interval.failing((fits, too_far), {"n": (10, 10)}, known) is too_far
    assert len(known) == 2
    assert interval.failing((fits, too_far), {"n": (9, 9)}, {}) is None
    # A loop that does not run computes nothing.
    assert interval.failing((too_far,), {"n": (0, 0)}, {}) is None
