"""Loops that stand next to one another and run as one nest."""

from __future__ import annotations

import pytest
from outcome import both, same

from autopar import journal
from autopar.runtime import site

pytestmark = pytest.mark.usefixtures("lenient", "joined")

HEAD = (
    "import numpy as np\nrng = np.random.default_rng(7)\nn, i, j, s = 31, -1, -1, 0.5\n"
    "a, b = rng.random((n, n)), rng.random((n, n))\n"
    "v, w, k = rng.random(n), rng.random(n), rng.integers(0, n, n)\n"
)
TOGETHER = {
    "one after the other": (
        "for i in range(n):\n    v[i] = v[i] * 2.0\n"
        "for i in range(n):\n    w[i] = w[i] + v[n - 1 - i]\n"
    ),
    "an array that is filled and read": (
        "for i in range(n):\n    for j in range(n):\n        b[i, j] = a[j, i]\n"
        "for i in range(n):\n    for j in range(n):\n        v[i] += b[i, j]\n"
    ),
    "with a number in between": (
        "for i in range(n):\n    s += v[i]\ns = s / n\nt = s * s - 1.0\n"
        "for i in range(n):\n    w[i] = (v[i] - s) * t\n"
    ),
    "three, the last without iterations": (
        "for i in range(n):\n    v[i] = 1.0\nfor j in range(n):\n    w[j] = v[j]\n"
        "for m in range(0):\n    w[m] = 2.0\n"
    ),
    "a variable that stays as it was": (
        "for i in range(0):\n    v[i] = 1.0\nfor j in range(3):\n    w[j] = v[j]\n"
    ),
    "a break": (
        "for i in range(n):\n    if v[i] > 0.9:\n        break\n    w[i] = v[i]\n"
        "for j in range(i):\n    w[j] = w[j] - 1.0\n"
    ),
    "an exception in the second": (
        "for i in range(n):\n    v[i] = 2.0 * i\nfor i in range(n + 1):\n    w[i] = v[i]\n"
    ),
    "an exception in the first": (
        "for i in range(n + 1):\n    w[i] = v[i]\nfor i in range(n):\n    v[i] = 2.0 * i\n"
    ),
    "a warning in the second": (
        "for i in range(n):\n    v[i] = v[i] * 1e300\nfor i in range(n):\n    w[i] = v[i] * v[i]\n"
    ),
    "integers that are subscripts": (
        "for i in range(n):\n    k[i] = (k[i] * 3) % n\nfor i in range(n):\n    w[k[i]] += v[i]\n"
    ),
    "ranges that the first computes": (
        "m = 0\nfor i in range(n):\n    if v[i] > 0.5:\n        m += 1\n"
        "for i in range(m):\n    w[i] = v[i]\n"
    ),
    "items of arrays": (
        "for x in v:\n    s = s + x\nfor i, x in enumerate(w):\n    v[i] = x * s\n"
    ),
    "one name, two types": (
        "x = 1\nfor i in range(n):\n    v[i] = x\nx = 0.5\nfor i in range(n):\n    w[i] = x\n"
    ),
}
ALONE = {
    "something in between": (
        "for i in range(n):\n    v[i] = 1.0\nprint(v[0])\nfor i in range(n):\n    w[i] = v[i]\n"
    ),
    "an array in between": (
        "for i in range(n):\n    v[i] = 1.0\nw = np.sort(v)\nfor i in range(n):\n    w[i] = v[i]\n"
    ),
    "an else": (
        "for i in range(n):\n    if v[i] > 2.0:\n        break\n    w[i] = v[i]\nelse:\n"
        "    s = 3.0\nfor i in range(n):\n    v[i] = w[i]\n"
    ),
    "one that is turned off": (
        "for i in range(n):\n    v[i] = 1.0\n# autopar: off\nfor i in range(n):\n    w[i] = v[i]\n"
    ),
    "an assertion": (
        "for i in range(n):\n    assert v[i] < 2.0\n    w[i] = v[i]\n"
        "for i in range(n):\n    v[i] = w[i]\n"
    ),
}


def together() -> list[int]:
    """The lines of the loops that have run as a nest with those next to them."""
    found = journal.records()
    return [one.line for one in found if one.together is not None and one.together.runs]


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are asked together on the cores, too."""
    monkeypatch.setattr(site, "joins", lambda: True)


@pytest.mark.parametrize("name", TOGETHER)
def test_one_nest(name: str) -> None:
    found = both(HEAD + TOGETHER[name])
    if found.error is not None:
        return  # nothing of it has run
    heads = found.loops_after(HEAD)
    assert together() == [*heads]
    assert {*heads.values()} == {"compiled"}


@pytest.mark.parametrize("name", ALONE)
def test_not_one_nest(name: str) -> None:
    same(HEAD + ALONE[name])
    assert not together()


def test_those_that_are_taken_run_where_one_is_not() -> None:
    loops = (
        "names = ['a', 'b']\nfor i in range(n):\n    v[i] = w[i] * 2.0\n"
        "for i in range(2):\n    names[i] = names[i].upper()\n"
        "for i in range(n):\n    w[i] = v[i] + 1.0\n"
    )
    found = both(HEAD + loops)
    assert [*found.loops_after(HEAD).values()].count("compiled") == 2
    assert not together()


def test_the_cores_run_them_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    found = both(HEAD + TOGETHER["one after the other"])
    assert {*found.loops_after(HEAD).values()} == {"compiled"}
    assert not together()


CALLED = """
import numpy as np
def put(a, i):
    for j in range(a.shape[1]):
        a[i, j] = i + j
def f(a, b):
    for t in range(2):
        for i in range(len(a)):
            put(a, i)
    for i in range(len(b)):
        b[i] = a[i, 0]
f(np.zeros((30, 40)), np.zeros(30))
"""


def test_what_is_called_belongs_to_the_loop() -> None:
    both(CALLED)
    assert together() == [7, 10]
    one, two = (record for record in journal.records() if record.line in (7, 10))
    assert (one.status, two.status) == ("parallel", "parallel")
    assert (one.parallel_loops[0], two.parallel_loops) == ("i", ["i"])


SMALL = (
    "import numpy as np\ndef f(a, b):\n    for i in range(len(a)):\n        a[i] = i\n"
    "    for i in range(len(a)):\n        b[i] = a[i]\nfor t in range(3):\n"
    "    f(np.zeros(4), np.zeros(4))\n"
)


def test_the_interpreters_runs_are_counted_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from autopar import config

    config.use(replace(config.current(), verify=False, report=True))
    both(SMALL)
    one, two = (record for record in journal.records() if record.function == "f")
    assert (one.fallbacks, one.runs) == (two.fallbacks, two.runs) == (3, 0)
    assert one.refusal is not None
    assert two.refusal is not None
    assert (one.refusal.code, two.refusal.span.line) == (two.refusal.code, 5)
