"""Programs that raise: the same exception at the same place, the same arrays and variables."""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "names"))
from outcome import plain, same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = "import contextlib, math\nimport numpy as np\na = np.arange(9.0)\nb = np.zeros(9)\nc = np.zeros(9, 'i1')\nk = np.arange(9)\n"

RAISES = {
    "past the end": "for i in range(12):\n    s = a[i] * 2\n    b[i] = s\n",
    "before the start": "for i in range(12):\n    b[3] += i\n    s = a[-i - 1]\n",
    "an index from an array": "k[5] = 40\nfor i in range(9):\n    b[k[i]] += a[i]\n",
    "in an inner loop": "for i in range(5):\n    for j in range(9):\n        b[i + j] += a[j] + i\n",
    "a zero divisor": "for i in range(9):\n    b[i] = 1 / (4 - i)\n",
    "a zero divisor of integers": "for i in range(9):\n    b[i] = 7 // (4 - i)\n    s = 7 % (3 - i)\n",
    "a zero divisor of complex numbers": "for i in range(9):\n    s = 1j / (4 - i)\n    b[i] = i\n",
    "zero to a negative power": "for i in range(9):\n    b[i] = (4 - i) ** -1\n",
    "NumPy integers to a negative power": "for i in range(9):\n    b[i] = k[i] ** (4 - k[i])\n",
    "a power out of range": "for i in range(9):\n    b[i] = 10.0 ** (i * 100)\n",
    "a domain error": "for i in range(9):\n    b[i] = math.sqrt(4.0 - i)\n",
    "a range error": "for i in range(9):\n    b[i] = math.exp(i * 200.0)\n",
    "log of zero": "for i in range(9):\n    b[i] = math.log(a[8 - i])\n",
    "an integer that does not fit": "for i in range(9):\n    c[i] = i * 30\n",
    "a literal that does not fit": "for i in range(9):\n    c[i] = c[i] + 300\n",
    "int of nan": "a[4] = np.nan\nfor i in range(9):\n    k[i] = int(a[i])\n",
    "int of infinity": "a[4] = np.inf\nfor i in range(9):\n    k[i] = int(a[i])\n",
    "a float nan for an integer array": "a[4] = np.nan\nfor i in range(9):\n    k[i] = float(a[i])\n",
    "round of infinity": "a[4] = np.inf\nfor i in range(9):\n    k[i] = round(a[i])\n",
    "a negative shift": "for i in range(9):\n    k[i] = 1 << (4 - i)\n",
    "a step of zero": "for i in range(9):\n    for j in range(0, 5, 4 - i):\n        b[j] += i\n",
    "a complex number for a float array": "z = a * 1j\nfor i in range(9):\n    b[i] = 2j\n",
    "a float as an index": "for i in range(9):\n    b[i / 2] = 1\n",
    "a float as a bound": "for i in range(4.5):\n    b[i] = 1\n",
    "an unbound name": "def f():\n    for i in range(9):\n        b[i] = i\n        if i == 4:\n            b[i] = t\n        if i == 5:\n            t = 3\nf()\n",
    "a missing global": "for i in range(9):\n    b[i] = a[i] + nowhere\n",
    "a missing attribute": "for i in range(9):\n    b[i] = math.squareroot(a[i])\n",
    "too few subscripts": "d = np.zeros((3, 3))\nfor i in range(3):\n    b[i] = d[i]\n",
    "too many subscripts": "for i in range(3):\n    b[i] = a[i, 0]\n",
    "a read-only array": "b.flags.writeable = False\nfor i in range(3):\n    s = a[i]\n    b[i] = s\n",
    "bools subtracted": "f = a > 3\nfor i in range(3):\n    b[i] = f[i] - f[0]\n",
    "the value before the index": "for i in range(9):\n    b[i + 7] = 1 // (1 - i)\n",
    "the index before the value": "for i in range(9):\n    b[1 // (2 - i)] += a[i + 7]\n",
    "the first of two targets": "for i in range(9):\n    b[i], c[i] = i, i * 40\n",
    "the second target of a chain": "for i in range(12):\n    b[i % 9] = a[i] = i\n",
    "after an else": "for i in range(4):\n    for j in range(3):\n        if j == i:\n            break\n    else:\n        b[i] = 1 / (i - 3)\n    b[i] += 1\n",
    "with the variable rebound": "for i in range(9):\n    i = i + 2\n    b[i] = i\n",
    "an integer in a float": "s = 2 ** 53\nfor i in range(9):\n    s = s * 4099\n    b[i] = 0.5 * s\n    b[i] = 1.0 / (5 - i)\n",
}  # fmt: skip

AROUND = {
    "bare": "{}",
    "except": "r = []\ntry:\n{1}except Exception as e:\n    r.append((type(e).__name__, str(e), i if 'i' in globals() else None))\nelse:\n    r.append('else')\nfinally:\n    r.append('finally')\n",
    "function": "r = []\ndef g():\n    s = i = -1.5\n    try:\n{2}    except (ArithmeticError, LookupError, ValueError):\n        r.append(s)\n    finally:\n        r.append(i)\n    return s, i\nr.append(g())\n",
    "suppress": "with contextlib.suppress(Exception):\n{1}",
}


def indented(text: str, depth: int) -> str:
    return "".join("    " * depth + line + "\n" for line in text.splitlines())


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("title", RAISES)
def test_the_same_exception(title, around):
    text = RAISES[title]
    frame = AROUND[around].replace("{}", text)
    program = frame.replace("{1}", indented(text, 1)).replace("{2}", indented(text, 2))
    if around == "bare":
        assert plain(HEAD + program).error is not None, "the program is meant to raise"
    same(HEAD + program)


INSIDE = {
    "caught": "r = []\nfor i in range(12):\n    try:\n        b[i] = 1 / (4 - i)\n    except ZeroDivisionError as e:\n        r.append(str(e))\n    except IndexError:\n        break\n    finally:\n        r.append(i)\n",
    "an inner loop in try": "r = []\nfor i in range(3):\n    try:\n        for j in range(8 + i):\n            b[j] += a[j] + i\n    except IndexError as e:\n        r.append((str(e), i, j))\n",
    "an inner loop in finally": "r = []\nfor i in range(3):\n    try:\n        r.append(i)\n    finally:\n        for j in range(8):\n            b[j] += a[j] + i\n",
    "assert": "for i in range(9):\n    assert a[i] < 5, i\n    b[i] = 1\n",
    "raise": "for i in range(9):\n    if a[i] > 5:\n        raise ValueError(i)\n    b[i] = 1\n",
}  # fmt: skip


@pytest.mark.parametrize("title", INSIDE)
def test_exceptions_handled_inside(title):
    same(HEAD + INSIDE[title])


def test_nothing_of_ours_is_left_behind_by_an_exception(monkeypatch):
    from autopar.runtime.site import Site

    def late(*_: object) -> None:
        raise KeyError("late")  # as a signal handler might

    monkeypatch.setattr(Site, "run", late)
    from autopar.hook.loader import code_of

    space: dict[str, object] = {}
    code = code_of("for i in range(3):\n    k = i\n", "<user program>", "text")
    assert code is not None
    with pytest.raises(KeyError, match="late"):
        exec(code, space)
    assert [name for name in space if "autopar" in name] == []
