"""Iterations of an independent loop side by side, around loops that run in order."""

import itertools
import warnings

import numpy as np
import pytest
from tests.same.outcome import FILE, both, same

from autopar.cpu.jam import jammed
from autopar.hook.loader import code_of

LOOP = """\
    odd_ = False
    y = float32(0)
    for i in apart_(lo, hi):
        if stopped_(stop):
            return 2
        y = 0.0
        for j in range(0, n):
            v1_ = ((y * c) + a[{read}])
            odd_ |= (v1_ != v1_)
            y = v1_
            b[{write}] = (y * y)
    return 0"""


def lanes(read="j, i", write="j, i", loop=LOOP):
    layouts = {"a": "C", "b": "C", "f": "F"}
    return jammed(loop.format(read=read, write=write).splitlines(), layouts)


def test_what_lies_side_by_side_stands_statement_by_statement():
    found = lanes()
    start = found.index("    low0_ = int64(lo)")
    assert found[start + 2] == "    wide0_ = max(low0_, high0_ - 1 - (high0_ - low0_ - 1) % 8)"
    assert found[start + 3] == "    lane0_odd__ = odd_"
    assert found[start + 11] == "    lane0_y_ = y"  # which has its type from there
    texts = [line.strip() for line in found]
    steps = texts[texts.index("for j in range(0, n):") + 1 :]
    assert steps[:2] == ["lane0_v1__ = lane0_y_ * c + a[j, i]",
                         "lane1_v1__ = lane1_y_ * c + a[j, i + 1]"]  # fmt: skip
    assert steps[24:26] == ["put0_9_0_ = lane0_y_ * lane0_y_", "put0_9_1_ = lane1_y_ * lane1_y_"]
    assert steps[32:34] == ["b[j, i] = put0_9_0_", "b[j, i + 1] = put0_9_1_"]
    assert steps[40] == "odd_ |= lane0_odd__"
    last = texts.index("for i in apart_(wide0_, high0_):")
    assert found[last + 1 :] == LOOP.format(read="j, i", write="j, i").splitlines()[3:]


@pytest.mark.parametrize(
    ("read", "write"), [("i, j", "j, i"), ("j, 2 * i", "i, j"), ("k, j", "i, j")]
)
def test_what_does_not_stands_iteration_by_iteration(read, write):
    texts = [line.strip() for line in lanes(read, write)]
    steps = texts[texts.index("for j in range(0, n):") + 1 :]
    assert [line.split("_")[0] for line in steps[:3]] == ["lane0"] * 3
    assert "for i in apart_(low0_, wide0_, 4):" in texts


REFUSED = {
    "a loop in any order": ("range(0, n)", "apart_(0, n)"),
    "rows of different lengths": ("range(0, n)", "range(0, i)"),
    "lengths of each iteration's own": ("range(0, n)", "range(0, m)"),
    "a call": ("(y * c)", "libm_exp(y)"),
    "a while": ("odd_ |= (v1_ != v1_)", "while True:\n                break"),
    "iterations in order": ("in apart_", "in range"),
    "a scalar from the iteration before": ("        y = 0.0\n", ""),
    "a loop on a condition": ("for j in range(0, n):", "if c:\n           for j in range(0, n):"),
}


@pytest.mark.parametrize(("old", "new"), REFUSED.values(), ids=REFUSED)
def test_what_stays(old, new):
    loop = LOOP.replace("        y = 0.0", "        m = i + 1\n        y = 0.0")
    if "y = 0.0" in old:
        loop = LOOP
    loop = loop.replace(old, new)
    assert lanes(loop=loop) == loop.format(read="j, i", write="j, i").splitlines()


SUMS = {
    "a sum": ("y = (y + a[i, j])", False),
    "a difference of products": ("y = (y - (a[i, j] * a[j, i]))", False),
    "a filter": ("y = ((y * c) + a[i, j])", True),
    "what is left in each step": ("b[i, j] = a[i, j]", True),
    "a total that is left": ("b[i, 0] = y", False),
}


@pytest.mark.parametrize(("line", "taken"), SUMS.values(), ids=SUMS)
def test_mere_sums_are_for_others(line, taken):
    text = "    for i in apart_(lo, hi):\n        y = 0.0\n        for j in range(0, n):\n"
    lines = f"{text}            {line}".splitlines()
    assert (jammed(lines, {}) != lines) == taken


PROGRAM = """
def f(a, b, n, m, c):
    y = z = k = 0
    for i in range(n):
        {start}
        for j in range({steps}):
            {body}
    return y, z, k
b = given.copy()
try:
    r = f(a, b, n, m, c)
except Exception as error:
    r = repr(error)
"""
BODIES = [
    "y = y * c + a[j, i]; b[j, i] = y",
    "y = y * c + a[i, j]; b[i, j] = y; z = j * 2",
    "b[i, j] = a[j, i] * c + y; z = y; y = b[i, j] - z",
    "y = y * c * (1 - y)",
    "k = (k * 5 + j + i) % 97",
    "k = k * 3 + i; b[i, j] = k % 7",
    "y = y + a[i, j]; b[j, i] = y",
    "y = a[i, j] / (c - y); b[i, j] = y",
    "y = y * c + (a[i, j] if a[i, j] > 0 else z); z = j; b[i, j] += y",
    "if a[i, j] > 0: y = y * c + a[i, j]\n            b[i, j] = y",
    "b[j, n - 1 - i] = y; y = a[j, i] + y * c",
    "b[j, i] = b[j - 1, i] * c + a[j, i]",
    "b[i, j] = b[i, j - 1] * c + a[i, j]; z = b[i, j]",
    "y = y * c + a[j, i]\\n            for t in range(3): z = z * y + t; b[j, i] = z",
]


def texts():
    for body, steps in itertools.product(BODIES, ("m", "m - 1, -1, -1")):
        start = "y = 0.5; z = 0.25; k = i"
        yield PROGRAM.format(start=start, steps=steps, body=body.replace("\\n", "\n"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", list(texts()))
def test_the_same_numbers(lenient, source):
    rng = np.random.default_rng(3)
    for dtype, order in itertools.product((np.float64, np.float32, np.int64), "CF"):
        a = np.array(rng.normal(size=(40, 40)) * 3, dtype, order=order)
        given = np.zeros((40, 40), dtype, order=order)
        for n, m in ((40, 7), (33, 1), (9, 3), (8, 0), (3, 5), (1, 4), (0, 3)):
            both(source, a=a, given=given, n=n, m=m, c=0.75)


def told(source, code, **names):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(code, {"__name__": "user", **names})
    return sorted((str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning)


@pytest.mark.parametrize("body", BODIES)
def test_the_same_warnings(lenient, body):
    a = np.random.default_rng(3).normal(size=(40, 40))
    start, body = "y = a[i, i]; z = y; k = i", body.replace("\\n", "\n")
    source = PROGRAM.format(start=start, steps="m", body=body)
    for place, value in itertools.product(((3, 2), (38, 5), (5, 38)), (np.inf, 1e308, -1e308)):
        given = np.zeros((40, 40))
        strange = a.copy()
        strange[place] = value
        names = {"a": strange, "given": given, "n": 39, "m": 30, "c": np.float64(1e5)}
        plain = compile(source, FILE, "exec", dont_inherit=True)
        assert told(source, code_of(source, FILE, "text"), **names) == told(source, plain, **names)


def test_a_filter_is_compiled(strict):
    source = PROGRAM.format(start="y = 0.5", steps="m", body=BODIES[1])
    given = np.ones((40, 40))
    assert "compiled" in same(source, a=given, given=given, n=40, m=40, c=0.5).values()
