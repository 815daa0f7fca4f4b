"""Loops in order that are left early, around loops that run in parallel."""

from __future__ import annotations

import harness
import numpy as np
import pytest

from autopar.cpu import regions
from autopar.cpu.regions import Conditional, Driven, Jump, Parallel

N = 200

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
        "for t in range(limit):\n    for u in range(limit):\n"
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
}


def values() -> dict[str, object]:
    rng = np.random.default_rng(5)
    return {"x": rng.random(N), "y": rng.random(N), "n": N, "limit": 40}


def interpreted(source: str, names: dict[str, object]) -> dict[str, object]:
    exec(compile(source, "<text>", "exec"), names)
    return names


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


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_left_is_left_where_python_leaves_it(name, found, strict):
    source = LOOPS[name]
    expected = interpreted(source, values())
    here, names = harness.run(source, **values())
    for key in expected.keys() - {"__builtins__"}:
        assert type(names[key]) is type(expected[key]), key
        np.testing.assert_array_equal(names[key], expected[key], err_msg=key)
    assert here.record.runs == 1
    assert any(inside(found, Jump))
    for jump in [d for d in inside(found, Driven) if any(inside(d.body, Jump))]:
        assert any(inside(jump.body, Parallel))


def test_loops_without_parallel_loops_stay_in_one_piece(found):
    source = (
        "for t in range(limit):\n    for i in range(1, n):\n        x[i] = x[i] + x[i - 1]\n"
        "    if x[5] > 100:\n        break\n"
    )
    expected = interpreted(source, values())
    _, names = harness.run(source, **values())
    np.testing.assert_array_equal(names["x"], expected["x"])
    assert names["t"] == expected["t"]
    assert found
    assert not any(inside(found, Jump))


def test_an_error_after_many_rounds_is_the_users(found):
    source = (
        "for t in range(limit):\n    for i in range(n):\n        x[i] = x[i] + 1\n"
        "    if x[int(x[0]) * 10] < 0:\n        break\n"
        "    for i in range(n):\n        y[i] = y[i] + x[i]\n"
    )
    expected, names = values(), values()
    with pytest.raises(IndexError) as told:
        interpreted(source, expected)
    with pytest.raises(IndexError, match=str(told.value).split(" is")[0]):
        harness.run(source, **names)
    for key in ("x", "y"):
        np.testing.assert_array_equal(names[key], expected[key])
