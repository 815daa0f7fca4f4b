"""Lists and tuples of arrays, which are only read."""

from __future__ import annotations

import pytest
from outcome import same, taken

from autopar import journal

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(3)
tables = [rng.normal(size=(4, 5)) for _ in range(6)]
lines = [rng.normal(size=7) for _ in range(6)]
fixed = tuple(np.arange(5) + k for k in range(6))
deep = [[rng.normal(size=3) for _ in range(2)] for _ in range(6)]
small = [np.arange(4, dtype=np.int8) * k for k in range(6)]
flags = [np.array([k > 2, True]) for k in range(6)]
ragged = [np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)]
kinds = [np.zeros(3), np.zeros(3, np.float32), *(np.zeros(3) for _ in range(4))]
turned = [np.asfortranarray(t) for t in tables]
none = [np.zeros((0, 3)) for _ in range(6)]
out = np.zeros((6, 8))
t = 0.0
"""

READ = {
    "an element": "out[i, 0] = tables[i][1, 2]",
    "subscripts one by one": "out[i, 0] = tables[i][1][2]",
    "from the end": "out[i, 0] = tables[-1 - i][-1, -2] + lines[-1][i]",
    "a name": "r = lines[i]\n    out[i, 0] = r[2] * r[-1]",
    "an array of two axes with a name": "r = tables[i]\n    out[i, :5] = r[2, :] + r[1]",
    "its shape": "r = tables[i]\n    t += r.shape[0] + r.shape[1] + len(r) + len(tables)",
    "a part": "out[i, :3] = tables[i][1:4, 2]",
    "all of it": "out[i, :5] = tables[i].sum(axis=0)",
    "arithmetic": "out[i, :7] = lines[i] * 2.0 + lines[0]",
    "a product": "out[i, :4] = tables[i] @ tables[0][1]",
    "gone through": "for v in lines[i]:\n        t += v",
    "a tuple": "t += fixed[i][i - 2]",
    "lists of lists": "t += deep[i][1][2] - deep[i][0][i % 3]",
    "small integers": "out[i, 0] = small[i][3] + 1",
    "bools": "out[i, 0] = 1.0 if flags[i][0] and flags[i][1] else 2.0",
    "the largest": "t += max(lines[i]) - min(lines[i])",
    "what is read lives on": "r = lines[i]\n    t += r[1]",
}

LEFT = {
    "of several lengths": ("t += ragged[i][1]", "not alike"),
    "of several types": ("t += kinds[i][1]", "float32"),
    "in another order": ("t += turned[i][1, 2]", "not in C order"),
    "stored into": ("lines[i][0] = 1.0", "read-only"),
    "a tuple for a list": ("t += lines[i, 0]", "of a list"),
    "a tuple for lists of lists": ("t += deep[i, 1][0]", "of a list"),
    "the list's shape": ("t += lines[i][0] + lines.shape[0]", "of a list"),
    "the list plus one": ("u = lines + 1\n    t += u[0]", ""),
    "written by another name": ("base[i, 0] = views[i][1]", "share memory"),
}


@pytest.mark.parametrize("title", READ)
def test_read(title: str) -> None:
    code = f"{HEAD}for i in range(6):\n    {READ[title]}\n"
    assert same(code)[HEAD.count("\n") + 1] == "compiled"


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title: str) -> None:
    statement, why = LEFT[title]
    head = f"{HEAD}base = np.ones((6, 3))\nviews = list(base)\n"
    inside = statement.replace("\n", "\n    ")
    code = f"{head}try:\n    for i in range(6):\n        {inside}\n"
    code += "except Exception as error: t = repr(error)\n"
    assert same(code)[head.count("\n") + 2] != "compiled"
    taken(code)
    said = [r.refusal.text for r in journal.records() if r.refusal is not None]
    assert any(why in text for text in said), said


def test_rows_that_live_on_are_the_very_arrays() -> None:
    code = f"{HEAD}for i in range(6):\n    r = lines[i]\n    t += r[1]\nsame = r is lines[5]\n"
    assert same(code)[HEAD.count("\n") + 1] == "compiled"


def test_what_changes_between_calls_is_seen() -> None:
    code = f"""{HEAD}
for k in range(4):
    for i in range(6):
        out[i, k] = lines[i][k]
    lines[k] = lines[k] * 2.0
    lines[k + 1][k] = -0.0
    if k == 2:
        lines[0] = lines[0].astype(np.float32)
    print(out.tolist())
"""
    same(code)


def test_views_of_what_is_only_read() -> None:
    code = f"{HEAD}base = rng.normal(size=(6, 3))\nv = list(base)\nfor i in range(6):\n"
    code += "    t += v[i][1] * base[i, 2]\n"
    assert "compiled" in same(code).values()


def test_nothing_in_them() -> None:
    same(f"{HEAD}for i in range(6):\n    t += none[i].shape[1] + len(none[i])\n")
