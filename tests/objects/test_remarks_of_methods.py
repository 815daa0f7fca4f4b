"""What is said of loops whose methods are written out: the user's own text, and its line."""

from __future__ import annotations

import warnings

import pytest
from outcome import taken

from autopar import journal
from autopar.verdict import DOT, spoken

pytestmark = pytest.mark.usefixtures("lenient")

HEAD = """import numpy as np
class P:
    def __init__(self):
        self.t, self.seen, self.b, self.v = 0.0, None, {1, 2}, [1.0] * 50
        self.zero, self.q = np.zeros(60), np.ones(60)
    def f(self, x):
        self.seen = x
"""

LEFT = {
    "a list of its own": (
        "        items = [x, 1]\n        items.insert(0, x)\n        return items[0]\n",
        9,
        "items.insert(0, x)",
    ),
    "over several lines": (
        "        items = [x, 1]\n        return (x +\n            sorted(items, key=None)[0])\n",
        None,
        "p.f(i)",
    ),
    "a call in several lines": (
        "        w = [x, 1]\n        y = (x +\n             w.count(\n    1))\n        return y\n",
        10,
        "w.count(1)",
    ),
    "two names that end alike": (
        "        items = [x, 1]\n        items_ = [x]\n        items_.insert(0, x)\n"
        "        return 1\n",
        10,
        "items_.insert(0, x)",
    ),
    "types": (
        "        total = 0\n        for k in range(3):\n            total = total * 0.5 if k > x "
        "else x\n            total *= 3\n        return total\n",
        11,
        "total * 3",
    ),
    "an attribute": ("        return self.b[0]\n", 12, "self.b is set"),
    "an attribute of another name": (
        "        other = self\n        return other.b[0]\n",
        13,
        "other.b is set",
    ),
}
LOOP = """
def run(p, n):
    s = 0
    for i in range(n):
        s += p.f(i)
    return s
p = P()
res = run(p, 40)
"""


def said() -> list[str]:
    refusals = [str(r.refusal) for r in journal.records() if r.refusal is not None]
    assert not any(DOT in one for one in refusals)
    return refusals


@pytest.mark.parametrize(("body", "line", "detail"), LEFT.values(), ids=LEFT)
def test_a_refusal_shows_what_the_user_wrote(body, line, detail):
    taken(HEAD + body + LOOP)
    found = said()
    assert any(one.endswith(detail) or f"{detail}, " in one for one in found), found
    if line is not None:
        assert any(detail in one and f":{line}: " in one for one in found), found


def test_lines_of_the_loop_itself():
    text = (
        HEAD
        + "        return x\n"
        + LOOP.replace("s += p.f(i)", "s += p.f(i)\n        np.sort(p.q)")
    )
    taken(text)
    assert any(":14: " in one and "np.sort(p.q)" in one for one in said()), said()


SWEEP = """        for k in range(1, 50):
            self.v[k] += self.v[k - 1] * x
        self.t += x
"""


def test_dependences_and_loops_have_the_names_of_the_user():
    taken(HEAD + SWEEP + LOOP.replace("s += p.f(i)", "p.f(0.5)"))
    (record,) = [r for r in journal.records() if r.function == "run"]
    assert record.runs
    shown = [*record.parallel_loops, *record.sequential_loops, *record.notes]
    assert shown
    assert not any(DOT in one for one in shown)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        (f"self{DOT}w{DOT}12[k{DOT}3 - 1]", "self.w[k - 1]"),
        (f"<i k{DOT}3 diagonal>", "i k diagonal"),
        (f"l{DOT}l[0]", f"l{DOT}l[0]"),
        (f"self{DOT}ps{DOT}{DOT}x{DOT}12[i{DOT}3 - 1]", "self.ps[i - 1].x"),
        (f"ps{DOT}{DOT}x{DOT}12[p{DOT}{DOT}3] + p{DOT}{DOT}3", "p.x + p"),
        (f"ps{DOT}{DOT}x{DOT}12 holds None", ".x of ps holds None"),
        (f"range(ps{DOT}{DOT}{DOT}12)", "range(len(ps))"),
        (f"x{DOT}1st", f"x{DOT}1st"),
        ("<z of mandelbrot 6> is complex, int", "z of mandelbrot is complex, int"),
        ("find.<closure>.parent holds int", "parent holds int"),
        ("self.predict.<globals>.np.where(<net() 16>, 1, -1)", "np.where(net(), 1, -1)"),
        ("<numbers 0 of h>, <place 3 of h>", "items of h, place of h"),
        ("a dict of more than 4096 keys", "a dict of more than 4096 keys"),
    ],
)
def test_names_of_methods_that_are_written_out(name, meant):
    assert spoken(name) == meant


DIVIDING = """        for k in range(60):
            self.q[k] = (1.0 +
                self.q[k] / self.zero[k])
        return 0
"""


def warned(run) -> list[tuple[str, str, int]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        run()
    return [(str(w.message), w.filename, w.lineno) for w in caught]


def test_warnings_come_from_the_line_of_the_method():
    text = HEAD + DIVIDING + LOOP
    wanted = warned(lambda: in_python(text))
    assert wanted
    assert warned(lambda: taken(text)) == wanted
    assert [r.runs for r in journal.records() if r.function == "run"] == [1]


def test_warnings_of_another_module_name_that_module(tmp_path, monkeypatch):
    (tmp_path / "apart_from_the_loop.py").write_text(HEAD + DIVIDING)
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "from apart_from_the_loop import P\n" + LOOP
    wanted = warned(lambda: in_python(text))
    assert wanted
    assert warned(lambda: taken(text)) == wanted


def in_python(text: str) -> None:
    exec(compile(text, "<user program>", "exec"), {"__name__": "user"})
