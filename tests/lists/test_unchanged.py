"""A long list that is as it was is not read again, and whatever changes in it is seen."""

from __future__ import annotations

import random

import pytest
from outcome import both, taken

from autopar.runtime.values import mirrors, unchanged

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 40
rows = [[0.5 * i - 0.25 * j for j in range(n)] for i in range(n)]
flat = [float(k % 7) for k in range(n * n)]
ints = [k * 3 for k in range(n * n)]
x = [1.0 + j for j in range(n)]
big = [v for row in rows for v in row]
out = np.zeros(n)
log = []
def matvec(a, x):
    return [sum(v * w for v, w in zip(row, x)) for row in a]
def total(values):
    s = 0
    for k in range(len(values)):
        s += values[k]
    return s
def into(a, to):
    for i in range(len(to)):
        to[i] = a[i][i] * 2.0
def scaled(a, f):
    for i in range(len(a)):
        for j in range(len(a[i])):
            a[i][j] = a[i][j] * f + 1.0
def each():
    for g in (lambda: matvec(rows, x), lambda: total(flat), lambda: total(ints),
              lambda: into(rows, out)):
        try:
            log.append(g())
            log.append(out.copy())
        except (TypeError, IndexError, ZeroDivisionError) as error:
            log.append((type(error).__name__, str(error)))
"""
CHANGES = {
    "nothing": "pass",
    "an element": "rows[3][4] = 99.0",
    "the last element": "rows[-1][-1] = flat[-1] = -5.5; ints[-1] = 8",
    "an equal number that is another object": "rows[3][4] = rows[3][4] * 1.0",
    "a zero with another sign": "flat[5] = -0.0",
    "a nan": "flat[7] = rows[2][2] = float('nan')",
    "an infinity": "flat[7] = rows[2][2] = float('inf')",
    "NumPy's": "flat[9] = np.float64(3.5); rows[1][1] = np.float64(0.5)",
    "an int among floats": "flat[9] = 3; rows[1][1] = 2",
    "a float among ints": "ints[9] = 3.5",
    "a bool": "ints[9] = True",
    "a large int": "ints[9] = 2**53 + 1",
    "an int beyond 64 bits": "ints[9] = 2**70",
    "no number": "flat[9] = None; rows[1][1] = 'x'",
    "a longer list": "flat.append(2.0); ints.append(4); rows.append(list(x))",
    "a shorter list": "flat.pop(); ints.pop(); rows.pop()",
    "a shorter row": "rows[2].pop()",
    "an empty row": "rows[2] = []",
    "a row twice": "rows[2] = rows[3]",
    "rows that swap": "rows[2], rows[3] = rows[3], rows[2]",
    "equal rows": "rows[:] = [list(row) for row in rows]",
    "a tuple among rows": "rows[2] = tuple(rows[2])",
    "other lists": "rows = [[1.0 + i] * n for i in range(n)]; flat = flat[::-1]",
    "other lists in the same memory": "del flat; flat = [2.0] * (n * n)",
    "tuples": "rows = tuple(map(tuple, rows)); flat = tuple(flat)",
    "sorted": "flat.sort(); ints.reverse()",
    "written by a kernel": "scaled(rows, 0.5)",
    "a row written by a kernel": "into(rows, rows[0])",
    "another name": "flat = big; big[0] = 17.0",
    "the target": "out = x",
}


def program(changes: list[str]) -> str:
    steps = ("each()\neach()\neach()\neach()\n", "each()\neach()\n")
    body = "".join(f"{change}\n{steps[k > 0]}" for k, change in enumerate(["pass", *changes]))
    return HEAD + body


@pytest.mark.parametrize("name", CHANGES)
def test_as_python_does(name: str) -> None:
    both(program([CHANGES[name], "pass", CHANGES["nothing"]]))


def test_changes_one_after_the_other() -> None:
    rng = random.Random(11)
    for _ in range(10):
        both(program(rng.choices(sorted(CHANGES.values()), k=4)))


@pytest.mark.parametrize(("change", "read"), [("pass", 2), ("rows[3][4] = 99.0", 3)])
def test_is_read_again_only_once_it_has_changed(
    change: str, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    fill = mirrors._fill

    def counted(one, rows):
        if one.array.size >= unchanged.LEAST:
            reads.append(one.path)
        return fill(one, rows)

    monkeypatch.setattr(mirrors, "_fill", counted)
    call = "log.append(matvec(rows, x))\n"
    taken(f"{HEAD}{call * 4}{change}\n{call}")
    assert len(reads) == read


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "_MOST", 4000)
    monkeypatch.setattr(unchanged, "_MOST_LISTS", 2)
    monkeypatch.setattr(unchanged, "_readings", {})  # others have read lists in this process
    monkeypatch.setattr(unchanged, "_counts", {})
    both(program(["pass", CHANGES["an element"]]))
    assert sum(one.array.size for one in unchanged._readings.values()) <= 4000
    assert len(unchanged._counts) <= 2
