"""Arrays private to a loop, against what really happens when a nest is run."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from replay import Machine
from temporaries import SIZES, temporaries

from autopar.deps.data import Facts
from autopar.deps.private import private
from autopar.nest.ir import For
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import accesses, statements

INTS = ("n", "m", "q")
RANKS = {"t": 1, "u": 2, "a": 2, "b": 2, "idx": 1}
FACTS = Facts(frozenset(INTS), tuple(sorted(RANKS.items())))
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def loops(nest):
    return [s.id for s in statements(nest.loop) if isinstance(s, For)]


def claimed(nest, sizes, arrays="tu", facts=FACTS):
    """Pairs of an array and the number of a loop, outermost 0."""
    ids = loops(nest)
    found = private(nest, facts, frozenset((a, i) for a in arrays for i in ids))
    values = dict(sizes)
    for name in found.params:  # ranges that are not affine
        if name.startswith("loop"):
            number, _, end = name.removeprefix("loop").partition(".")
            loop = next(s for s in statements(nest.loop) if s.id == int(number))
            machine = Machine(dict(sizes), {})
            around = range(*(machine.value(e, loop) for e in (loop.start, loop.stop, loop.step)))
            last = around.start + (len(around) - 1) * around.step
            values[name] = around.start if end == "first" else last
    return {(array, ids.index(loop)) for array, loop in found.held(values)}


def true_of(nest, sizes, arrays="tu"):
    """Pairs for which copies give the same, by the accesses of one run in the user's order."""
    machine = Machine(dict(sizes) | {"s": 2}, dict.fromkeys(RANKS, (5, 5)))
    machine.run(nest.loop)
    return {
        (array, k)
        for array in arrays
        for k, loop in enumerate(loops(nest))
        if _private([e for e in machine.events if e.array == array], loop, nest, sizes)
    }


def _private(events, loop, nest, sizes):
    runs: dict[tuple, dict[int, list]] = {}
    for event in events:
        ids = [one[0] for one in event.at]
        if loop in ids:
            depth = ids.index(loop)
            run = runs.setdefault(event.at[:depth], {})
            run.setdefault(event.at[depth][1], []).append(event)
    return all(_apart(run, _count(nest, loop, around, sizes)) for around, run in runs.items())


def _count(nest, loop, around, sizes):
    """Iterations of one run of `loop`: the last may not touch the array at all."""
    stmt = next(s for s in statements(nest.loop) if s.id == loop)
    names = {s.id: s.var for s in statements(nest.loop) if isinstance(s, For)}
    scalars = dict(sizes) | {names[one[0]]: one[2] for one in around if one[0] in names}
    machine = Machine(scalars, dict.fromkeys(RANKS, (5, 5)))
    return len(range(*(machine.value(e, stmt) for e in (stmt.start, stmt.stop, stmt.step))))


def _apart(run, count):
    before, everything = set(), set()
    for _, events in sorted(run.items()):
        mine = set()
        for event in events:
            if event.writes:
                mine.add(event.index)
            elif event.index in before - mine:
                return False
        before |= mine
    everything = before
    last = {e.index for e in run.get(count - 1, ()) if e.writes}
    return everything <= last


@QUICK
@given(source=temporaries(tests=True), sizes=SIZES)
def test_what_is_claimed_is_true(source, sizes):
    nest = lift_text(source)
    assert claimed(nest, sizes) <= true_of(nest, sizes), source


@QUICK
@given(source=temporaries(), sizes=SIZES)
def test_most_of_what_is_true_is_claimed(source, sizes):
    """All of it, where every range and subscript is affine and no quotient is in the way."""
    if any(part in source for part in ("//", "n * m", "min(", "2 *", ", 2)")):
        return
    nest = lift_text(source)
    touched = {array for array in "tu" if f"{array}[" in source}
    assert claimed(nest, sizes, touched) == true_of(nest, sizes, touched), source


FILL = "    for j in range(m):\n        t[j] = b[i, j] * 2\n"
USE = "    for j in range(m):\n        a[i, j] = t[j] + t[m - 1 - j]\n"
HEAD = "for i in range(n):\n"
CASES = [
    (HEAD + FILL + USE, True),
    (HEAD + "    t[0] = b[i, 0]\n    a[i, 0] = t[0]\n", True),
    (HEAD + "    for j in range(i + 1):\n        t[j] = b[i, j]\n"
     "    for j in range(i + 1):\n        a[i, j] = t[i - j]\n", True),
    (HEAD + "    t[0] = b[i, 0]\n    for j in range(1, m):\n        t[j] = t[j - 1] + b[i, j]\n"
     "    for j in range(m):\n        a[i, j] = t[j]\n", True),
    # A cell that nobody writes keeps its value in every copy.
    (HEAD + "    for j in range(1, m):\n        t[j] = t[0] + b[i, j]\n"
     "    for j in range(1, m):\n        a[i, j] = t[j]\n", True),
    (HEAD + FILL.replace("(m)", "(m - 1)") + USE, True),
    (HEAD + USE + FILL, False),
    (HEAD + FILL.replace("(m)", "(m - 1 - i % 2)") + USE, False),
    (HEAD + "    for j in range(m):\n        a[i, j] = t[j + 1]\n        t[j] = b[i, j]\n", False),
    (HEAD + "    if b[i, 0] > 0:\n        t[0] = b[i, 0]\n    a[i, 0] = t[0]\n", False),
    (HEAD + "    if b[i, 0] > 0:\n        t[0] = 1\n    else:\n        t[0] = 2\n"
     "    a[i, 0] = t[0]\n", True),
    (HEAD + "    if b[i, 0] > 0:\n        t[0] = 1\n    else:\n        t[1] = 2\n"
     "    a[i, 0] = t[0]\n", False),
    (HEAD + "    if b[i, 0] > 0:\n        a[i, 0] = t[0]\n        t[0] = 1\n    else:\n"
     "        t[0] = 2\n", False),
    (HEAD + "    for j in range(m):\n        if b[i, j] > 4:\n            t[j] = 1\n"
     "        else:\n            t[j] = b[i, j]\n" + USE, True),
    (HEAD + "    if q > 0:\n        t[0] = b[i, 0]\n", False),
    (HEAD + FILL.replace("(m)", "(n - i)"), False),
    (HEAD + FILL.replace("t[j]", "t[idx[j]]") + USE, False),
    (HEAD + "    for j in range(m):\n        if b[i, j] > 5:\n            break\n"
     "        t[j] = b[i, j]\n" + USE, False),
    (HEAD + "    if b[i, 0] > 5:\n        continue\n" + FILL, False),
    (HEAD + "    t[i] = b[i, 0]\n", False),
    (HEAD + "    t[0] = t[0] + b[i, 0]\n", False),
    (HEAD + "    s = 0\n    while s < 2:\n        s = s + 1\n        t[0] = b[i, s]\n"
     "    a[i, 0] = t[0]\n", False),
    (HEAD + "    s = 3\n    for j in range(s):\n        t[j] = b[i, j]\n"
     "    for j in range(3):\n        a[i, j] = t[j]\n", False),
    (HEAD + "    for j in range(min(m, b[i, 0])):\n        t[j] = b[i, j]\n" + USE, False),
]  # fmt: skip


@pytest.mark.parametrize(("source", "want"), CASES)
def test_by_hand(source, want):
    found = claimed(lift_text(source), {"n": 4, "m": 3, "q": 1}, "t")
    assert (("t", 0) in found) == want


def test_conditions_are_decided_at_the_call():
    """Without an inner iteration the cells that are read are nobody's; with one they are not."""
    source = HEAD + "    for j in range(m):\n        t[0] = b[i, j]\n    a[i, 0] = t[0]\n"
    nest = lift_text(source)
    for n, m in ((4, 1), (4, 0), (1, 0), (4, -1)):
        assert claimed(nest, {"n": n, "m": m, "q": 0}, "t") >= {("t", 0)}
    source = HEAD + "    for j in range(m):\n        t[j] = b[i, j]\n    a[i, 0] = t[q]\n"
    nest = lift_text(source)
    for q, want in ((0, True), (2, True), (3, True), (-1, True)):
        assert (("t", 0) in claimed(nest, {"n": 4, "m": 3, "q": q}, "t")) == want
    source = HEAD + "    for j in range(i, m):\n        t[j] = b[i, j]\n"
    nest = lift_text(source)
    for n, m, want in ((1, 3, True), (2, 3, False), (3, 0, True)):
        assert (("t", 0) in claimed(nest, {"n": n, "m": m, "q": 0}, "t")) == want


def test_a_subscript_that_may_wrap_is_not_believed():
    nest = lift_text(HEAD + FILL + USE)
    for number in range(8):
        facts = Facts(FACTS.ints, FACTS.ranks, unreadable=frozenset({number}))
        found = claimed(nest, {"n": 4, "m": 3, "q": 0}, "t", facts)
        touches = any(a.id == number and a.array == "t" for _, a in accesses(nest.loop))
        assert (("t", 0) in found) != touches
