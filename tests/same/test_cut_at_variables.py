"""Loops cut at the value of a variable of a loop around, so that their parts run in parallel."""

from __future__ import annotations

import pytest
from outcome import same

from autopar.runtime.choice import ways
from autopar.sched.plan import Loop, walk

LOOPS = {
    "shortest paths": (
        "for k in range(n):\n    for i in range(n):\n        for j in range(n):\n"
        "            if d[i, k] + d[k, j] < d[i, j]:\n                d[i, j] = d[i, k] + d[k, j]\n"
    ),
    "backwards": (
        "for k in range(n - 1, -1, -1):\n    for i in range(n - 1, -1, -1):\n"
        "        for j in range(n):\n            d[i, j] = d[i, j] + 0.5 * d[k, j]\n"
    ),
    "every second one": (
        "for k in range(0, n, 2):\n    for i in range(n):\n        for j in range(n):\n"
        "            d[i, j] = max(d[i, j], 0.5 * d[k, j])\n"
    ),
    "from the first on": (
        "for k in range(n):\n    for i in range(k, n):\n        v[i] = v[i] * 0.5 + v[k]\n"
    ),
    "up to the last": (
        "for k in range(n):\n    for i in range(k + 1):\n        v[i] = v[i] * 0.5 + v[k]\n"
    ),
    "outside of the range": (
        "for k in range(n):\n    for i in range(5, n - 5):\n        v[i] = v[i] * 0.5 + v[k]\n"
    ),
    "a range that ends at the place": (
        "for k in range(n):\n    for i in range(min(2 * k, n)):\n        v[i] = v[i] * 0.5 + v[k]\n"
    ),
    "the outermost of three": (
        "for k in range(n):\n    for t in range(3):\n        for i in range(n):\n"
        "            v[i] = v[i] * 0.5 + v[k]\n"
    ),
}
HEAD = (
    "import numpy as np\nrng = np.random.default_rng(7)\nn, i, j = 31, -1, -1\n"
    "d, v = np.round(9 * rng.random((n, n)), 2), rng.random(n)\n"
)
REFUSED = {
    "what is beside the place": (
        "for k in range(n):\n    for i in range(n - 1):\n        v[i] = v[i] * 0.5 + v[k + 1 - n]\n"
        "        v[i + 1] = v[i] - 1.0\n"
    ),
    "a variable that the loop changes": (
        "for k in range(n):\n    k = (k * 7) % n\n    for i in range(n):\n"
        "        v[i] = v[i] * 0.5 + v[k]\n"
    ),
    "a variable of two loops": (
        "for k in range(n):\n    for k in range(3):\n        v[k] = v[k] + 1.0\n"
        "    for i in range(n):\n        v[i] = v[i] * 0.5 + v[k]\n"
    ),
    "in steps": (
        "for k in range(n):\n    for i in range(0, n, 3):\n        v[i] = v[i] * 0.5 + v[k]\n"
    ),
    "on both sides": (
        "for k in range(n):\n    for i in range(n):\n        v[i] = v[i] * 0.5 + v[n - 1 - k]\n"
        "        v[i] = v[i] + v[k]\n"
    ),
}


@pytest.fixture
def cut(monkeypatch, apart):
    """The variables at which loops were cut, in the plans that were made."""
    apart()
    made: list[str] = []
    true = ways.in_parts

    def in_parts(*args):
        found = true(*args)
        if found is not None:
            loops = (node for node in walk(found[0].body) if isinstance(node, Loop))
            made.extend(name for loop in loops for name in loop.cut)
        return found

    monkeypatch.setattr(ways, "in_parts", in_parts)
    return made


@pytest.mark.parametrize("name", LOOPS)
def test_parts_give_what_the_loop_gives(name, cut, strict):
    found = list(same(HEAD + LOOPS[name]).values())
    assert found[0] == "compiled"
    assert "k" in cut


@pytest.mark.parametrize("name", REFUSED)
def test_other_loops_are_not_cut_there(name, cut):
    assert "compiled" in same(HEAD + REFUSED[name]).values()
    assert "k" not in cut


def test_it_says_so(cut):
    from autopar import journal

    same(HEAD + LOOPS["shortest paths"])
    (record,) = (one for one in journal.records() if one.line == 5)
    assert record.parallel_loops == ["i"]
    assert any("loop `i` is cut into 3 parts, each of them parallel" in n for n in record.notes)


def test_a_warning_in_one_part_is_the_users(cut, lenient):
    source = (
        "d = np.full((n, n), 1e300)\nfor k in range(n):\n    for i in range(n):\n"
        "        for j in range(n):\n            d[i, j] = d[i, j] + 1e307 * d[k, 0]\n"
    )
    assert same(HEAD + source)
