"""Loops in order that are left early, around loops that run in parallel."""

from __future__ import annotations

import pytest
from outcome import same

from autopar.cpu import regions
from autopar.cpu.regions import Conditional, Driven, Jump, Parallel

LOOPS = {
    "until it is small": (
        "for t in range(limit):\n    for i in range(n):\n        y[i] = 0.5 * x[i]\n"
        "    worst = 0.0\n    for i in range(n):\n        worst = max(worst, abs(x[i] - y[i]))\n"
        "    if worst < 0.01:\n        break\n"
        "    for i in range(n):\n        x[i] = y[i]\n"
    ),
    "past the rest": (
        "for t in range(limit):\n    for i in range(n):\n        x[i] = x[i] + t\n"
        "    if x[0] % 2 > 0.9:\n        continue\n"
        "    for i in range(n):\n        x[i] = x[i] * 0.5\n"
    ),
    "either": (
        "for t in range(limit):\n    for i in range(n):\n        x[i] = x[i] * 0.75 + t\n"
        "    if x[1] > 12:\n        s = x[2]\n        if x[3] > 14:\n            s += 1.0\n"
        "            break\n        s *= 2.0\n        continue\n    else:\n        s = -1.0\n"
        "    for i in range(n):\n        y[i] = x[i] - s\n"
    ),
    "in a branch with a loop": (
        "for t in range(limit):\n    if x[0] > 3:\n"
        "        for i in range(n):\n            x[i] = x[i] - 3.5\n"
        "        if x[5] < 0.1:\n            break\n"
        "    for i in range(n):\n        x[i] = x[i] + 0.5\n"
    ),
    "of the inner loop": (
        "u = 0\nfor t in range(limit):\n    for u in range(limit):\n"
        "        for i in range(n):\n            x[i] = x[i] * 0.5 + u\n"
        "        if x[7] > t:\n            break\n"
        "    for i in range(n):\n        y[i] = y[i] + x[i] * u\n"
    ),
    "at once": (
        "for t in range(limit):\n    if t >= 0:\n        break\n"
        "    for i in range(n):\n        x[i] = 0.0\n"
    ),
    "a range that is asked": (
        "m = 3\nfor t in range(limit):\n    for i in range(min(m, n)):\n        x[i] = x[i] + m\n"
        "    m += int(x[0])\n    if m > 100:\n        break\n"
    ),
    "a while that counts": (
        "t = 0\nwhile t < limit:\n    for i in range(n):\n        x[i] = x[i] * 0.5 + 1.0\n"
        "    if x[3] > 1.9:\n        break\n    for i in range(n):\n        y[i] = y[i] - x[i]\n"
        "    t += 1\n"
    ),
    "a while that counts and asks": (
        "def largest(x):\n    found = 0.0\n    for i in range(len(x)):\n"
        "        if abs(x[i]) > found:\n            found = abs(x[i])\n    return found\n"
        "t = 0\nwhile t < limit and max(largest(x), largest(y)) > 0.01:\n"
        "    for i in range(n):\n        y[i] = 0.5 * x[i]\n"
        "    for i in range(n):\n        x[i] = y[i] * 0.9\n    t += 1\n"
    ),
}


HEAD = (
    "import numpy as np\nrng = np.random.default_rng(5)\nn, limit = 200, 40\n"
    "x, y = rng.random(n), rng.random(n)\n"
)


@pytest.fixture
def found(monkeypatch, apart):
    """Every region that is made, the outermost ones."""
    apart()
    made: list[regions.Region] = []
    true = regions.split

    def split(*args):
        made.extend(true(*args))
        return true(*args)

    monkeypatch.setattr("autopar.cpu.emit.split", split)
    return made


def inside(parts, kind):
    for part in parts:
        if isinstance(part, kind):
            yield part
        if isinstance(part, Driven):
            yield from inside(part.body, kind)
        if isinstance(part, Conditional):
            yield from inside((*part.body, *part.orelse), kind)


def loops(source: str) -> list[str]:
    """What became of each loop of a program that does the same both ways."""
    return list(same(HEAD + source).values())


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_left_is_left_where_python_leaves_it(name, found, strict):
    assert "compiled" in loops(LOOPS[name])[0]
    assert any(inside(found, Jump))
    for driven in inside(found, Driven):
        if any(inside(driven.body, Jump)):
            assert any(inside(driven.body, Parallel))


def test_loops_without_parallel_loops_stay_in_one_piece(found):
    source = (
        "for t in range(limit):\n    for i in range(1, n):\n        x[i] = x[i] + x[i - 1]\n"
        "    if x[5] > 100:\n        break\n"
    )
    assert "compiled" in loops(source)[0]
    assert found
    assert not any(inside(found, Jump))


def test_an_error_after_many_rounds_is_the_users(lenient):
    source = (
        "for t in range(limit):\n    for i in range(n):\n        x[i] = x[i] + 1\n"
        "    if x[int(x[0]) * 10] < 0:\n        break\n"
        "    for i in range(n):\n        y[i] = y[i] + x[i]\n"
    )
    assert loops(source)
