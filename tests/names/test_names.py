"""What a name means, where, and when: each program as Python runs it and as autopar runs it."""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = "import math, types\nimport numpy as np\na = np.arange(9.0)\nb = np.zeros(9)\n"
FIRST = HEAD.count("\n") + 1
"""The line on which the text of a program starts."""


def became(text: str) -> list[str]:
    """What became of the loops of a program, from top to bottom; it means the same both ways."""
    found = same(HEAD + text)
    return [found[line] for line in sorted(found)]


# ---------------------------------------------------------------------------- taken

TAKEN = {
    "abs is another function": "abs = math.sqrt\nfor i in range(9):\n    b[i] = abs(a[i])\n",
    "min under another name": "low = min\nfor i in range(9):\n    b[low(i, 4)] = low(a[i], 2)\n",
    "math is another namespace": "math = types.SimpleNamespace(sqrt=math.exp)\nfor i in range(9):\n    b[i] = math.sqrt(a[i])\n",
    "np is math": "np = math\nfor i in range(9):\n    b[i] = np.sqrt(a[i])\n",
    "bounds change in the body": "n = 5\nfor i in range(n):\n    n = n - 1\n    b[i] = n\n    for j in range(n):\n        n = n + (j < 2)\n        b[j] += 1\n",
    "the loop variable is assigned": "for i in range(5):\n    i = i * 2\n    b[i // 2] = i\n",
    "the loop variable is augmented inside": "for i in range(3):\n    for j in range(2):\n        i += j\n    b[i] += i\n",
    "the loop variable becomes a float": "for i in range(5):\n    b[0] = i\n    i = i * 0.5\n    b[1] += i\n",
    "one name for two loops": "for i in range(3):\n    for i in range(2):\n        b[i] += 1\n    b[i + 2] += i\n",
    "one name for three loops": "for _ in range(3):\n    for _ in range(_):\n        for _ in range(2):\n            b[_] += 1\n",
    "one name, the inner loop empty": "for i in range(3):\n    b[i] += 1\n    for i in range(0):\n        b[i] += 1\n    b[i] += 3\n",
    "a name that looks like ours": "for t5 in range(3):\n    t5 = t5 + 1\n    b[t5], b[0] = b[0], t5\n",
    "else": "for i in range(5):\n    b[i] = i\nelse:\n    z = i\n",
    "else that rebinds range": "for i in range(5):\n    b[i] = i\nelse:\n    range = 3\n",
    "else that binds a live-in": "z = 2.5\nfor i in range(5):\n    b[i] = z\nelse:\n    z = i\n",
    "else that breaks the loop around": "for k in [1, 2, 3]:\n    for i in range(5):\n        b[i] += i\n    else:\n        break\n",
    "else that continues the loop around": "r = []\nfor k in [1, 2, 3]:\n    for i in range(5):\n        b[i] += i\n    else:\n        continue\n    r.append(k)\n",
    "inner else": "for i in range(3):\n    for j in range(3):\n        b[j] += 1\n    else:\n        b[i] = 7\n",
    "inner else and break": "j = 0\nfor i in range(6):\n    for j in range(3):\n        if j > i % 4:\n            break\n    else:\n        b[i] = 7\n        if i == 4:\n            break\n    b[i] += j\n",
    "while and else": "for i in range(4):\n    k = 0\n    while k < 3:\n        k += 1\n        if k == i:\n            break\n    else:\n        b[i] = k\n",
    "else in else": "for i in range(5):\n    for j in range(3):\n        for k in range(3):\n            if k == i:\n                break\n        else:\n            b[i] += 1\n            continue\n        break\n    else:\n        b[i] += 10\n",
    "chained comparison": "f = np.zeros(9, bool)\nfor i in range(9):\n    f[i] = 1 < a[i] <= a[8 - i] < 8\n",
    "chained assignment": "c = np.zeros(9, int)\nk = 0\nfor i in range(8):\n    c[i] = b[i] = x = i * 1.7\n    k = a[k] = i\n",
    "swaps": "k = 0\nfor i in range(4):\n    a[i], a[8 - i] = a[8 - i], a[i]\n    k, b[k] = k + 1, k * 10\n",
    "augmented, the index from an array": "c = np.array([1, 1, 2, 0])\nfor i in range(4):\n    b[c[i]] += a[i]\n    c[c[i] % 4] += 1\n",
    "annotated in a function": "def f():\n    for i in range(3):\n        x: undefined = a[i]\n        b[i + 1]: undefined.x = x\n    return x\nr = f()\n",
    "del after": "for i in range(5):\n    s = a[i]\ndel i, s\n",
    "del before": "def f():\n    s = 3\n    del s\n    for i in range(5):\n        s = a[i] + 1\n    return s\nr = f()\n",
    "del of a name that was not assigned": "def f():\n    s = 3\n    for i in range(0):\n        s = a[i] + 1\n    del s\nr = f()\n",
    "nothing runs": "i = 'before'\nfor i in range(0):\n    s = a[i]\n",
    "closure": "def f():\n    i = 7\n    g = lambda: i\n    for i in range(5):\n        b[i] = i\n    return g()\nr = f()\n",
    "closure read": "def f(k):\n    def g():\n        for i in range(5):\n            b[i] = k + i\n    k = k + 1\n    g()\nf(2.5)\n",
    "nonlocal": "def f():\n    i = 7\n    s = 1.5\n    def g():\n        nonlocal i, s\n        for i in range(5):\n            s = s + a[i]\n    g()\n    return i, s\nr = f()\n",
    "global": "def f():\n    global s, i\n    for i in range(5):\n        s = a[i] * 2\nf()\n",
    "a global that changes between calls": "k = 1\ndef f():\n    for i in range(5):\n        b[i] += k\nfor k in (2, 2.5, np.float32(0.1), True, 3):\n    f()\n",
    "a global array that changes between calls": "def f():\n    for i in range(5):\n        c[i] += 1.7\nr = []\nfor c in (np.zeros(5), np.zeros(5, int), np.zeros(7, 'f4'), np.zeros((5, 5))[0]):\n    f()\n    r.append(c)\n",
    "captured by a default": "def f():\n    r = []\n    for k in [1, 2]:\n        for i in range(k):\n            b[i] += 1\n        r.append(lambda x=i: x)\n    return [q() for q in r]\nr = f()\n",
    "comprehensions have their own": "def f():\n    i = -1\n    q = [i for i in range(3)]\n    for i in range(2):\n        b[i] = 1\n    return [i for _ in range(2)], q\nr = f()\n",
    "a class in the function reads it": "def f():\n    for i in range(3):\n        b[i] = 1\n    class K:\n        q = i\n    return K.q\nr = f()\n",
    "a method": "class C:\n    def f(self, __n):\n        for __i in range(__n):\n            b[__i] += 1\n        return __i\nr = C().f(4)\n",
    "a match statement": "def f(q):\n    match q:\n        case [i, s]:\n            for i in range(3):\n                s = a[i] + i\n    return i, s\nr = f([1, 2])\n",
    "the name of an exception": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    for i in range(5):\n        e = a[i]\ntry:\n    e\nexcept NameError as x:\n    r = str(x)\n",
    "a decorator": "def twice(f):\n    return lambda n: f(f(n))\n@twice\ndef f(n):\n    for i in range(n):\n        b[i] += 1\n    return i\nr = f(6)\n",
    "a generator": "def g():\n    for i in range(5):\n        a[i] += 1\n    yield i\nr = list(g())\n",
    "a coroutine": "import asyncio\nasync def g():\n    for i in range(5):\n        a[i] += 1\n    await asyncio.sleep(0)\n    return i\nr = asyncio.run(g())\n",
    "exec in the function": "def f():\n    k = 1\n    for i in range(5):\n        s = a[i] + k\n    exec('k = 9')\n    return k, locals()['i'], locals()['s'], eval('s')\nr = f()\n",
    "eval under another name": "e = eval\ndef f():\n    s = -1.0\n    for i in range(5):\n        s = a[i]\n    return e('s'), e('i')\nr = f()\n",
    "eval imported under another name": "from builtins import eval as e\ndef f():\n    s = -1.0\n    for i in range(5):\n        s = a[i]\n    return e('s'), e('i')\nr = f()\n",
    "eval as an attribute": "import builtins\ndef f():\n    s = -1.0\n    for i in range(5):\n        s = a[i]\n    return builtins.eval('s')\nr = f()\n",
    "a look into the frame": "import sys\ndef f():\n    s = -1.0\n    for i in range(5):\n        s = a[i]\n    return sys._getframe().f_locals['s']\nr = f()\n",
    "a look into the caller's frame": "import sys\ndef q():\n    return sys._getframe(1).f_locals['s']\ndef f():\n    s = -1.0\n    for i in range(5):\n        s = a[i]\n    return q()\nr = f()\n",
    "finally after return in a handler": "r = []\ndef f():\n    s = -1.0\n    try:\n        [][0]\n    except IndexError:\n        for i in range(5):\n            s = a[i]\n        return 1\n    finally:\n        r.append(s)\nf()\n",
    "finally after an error in a handler": "r = []\ndef f():\n    s = -1.0\n    try:\n        [][0]\n    except IndexError:\n        for i in range(5):\n            s = a[i]\n        [][0]\n        s = 3\n    finally:\n        r.append(s)\ntry:\n    f()\nexcept IndexError:\n    pass\n",
    "finally after return in else": "r = []\ndef f():\n    s = -1.0\n    try:\n        pass\n    except IndexError:\n        pass\n    else:\n        for i in range(5):\n            s = a[i]\n        return 1\n    finally:\n        r.append(s)\nf()\n",
    "math is a class": "class math:\n    sqrt = staticmethod(lambda x: -x)\nfor i in range(5):\n    b[i] = math.sqrt(a[i])\n",
    "extents from the end": "c = np.zeros((2, 3, 4))\nfor i in range(c.shape[-1]):\n    for j in range(c.shape[-2]):\n        c[1, j, i] = i + j * c.shape[-3]\n",
}  # fmt: skip


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    assert "compiled" in became(TAKEN[title])


# ---------------------------------------------------------------------------- left alone

LEFT = {  # text, reason
    "range is a function": ("def range(n):\n    return [n]\nfor i in range(3):\n    b[i] = 7\n", "shadowed"),
    "range is a parameter": ("def f(range):\n    for i in range(3):\n        b[i] = 1\nf(lambda n: [n, n + 1])\n", "shadowed"),
    "len is a function": ("len = lambda x: 3\nfor i in range(len(a)):\n    b[i] = 7\n", "shadowed"),
    "min is max": ("min = max\nfor i in range(5):\n    b[i] = min(a[i], 2)\n", "shadowed"),
    "sum": ("for i in range(5):\n    b[i] = sum((a[i], 2))\n", "syntax"),
    "a property": ("class C:\n    k = property(lambda self: 3)\nc = C()\nfor i in range(5):\n    b[i] = c.k\n", "wrong-type"),
    "walrus in the bounds": ("for i in range(n := 5):\n    b[i] = n\n", "syntax"),
    "walrus in the body": ("t = 0\nfor i in range(5):\n    b[i] = t + (t := a[i])\n", "syntax"),
    "starred values": ("for i in range(5):\n    x, y = *[1], i\n    b[i] = x + y\n", "syntax"),
    "a starred target": ("for i in range(5):\n    x, *y = a[i], i\n", "syntax"),
    "del in the body": ("for i in range(5):\n    s = a[i]\n    del s\n", "syntax"),
    "the loop variable deleted": ("for i in range(5):\n    b[i] = 1\n    del i\n", "syntax"),
    "a class body": ("class C:\n    for i in range(5):\n        b[i] += 1\nr = C.i\n", "syntax"),
    "yield in the body": ("def g():\n    for i in range(5):\n        a[i] += 1\n        yield i, a[i]\nr = list(g())\n", "syntax"),
    "await in the body": ("import asyncio\nasync def g():\n    for i in range(5):\n        a[i] += 1\n        await asyncio.sleep(0)\n    return i\nr = asyncio.run(g())\n", "syntax"),
    "annotated in a module": ("for i in range(3):\n    x: float = a[i]\nr = str(__annotations__)\n", "syntax"),
    "a lambda captures the variable": ("r = []\nfor i in range(3):\n    b[i] = 1\n    r.append(lambda: i)\nr = [q() for q in r]\n", "syntax"),
    "an inner function": ("for i in range(3):\n    def f():\n        return i\n    b[i] = f()\n", "syntax"),
    "a float beside complex numbers": ("c = a + 1j\ns = 0.0\nfor i in range(9):\n    s = s + c[i]\n", "mixed-type"),
    "a float, and perhaps a complex number": ("c = a + 1j\ns = 0.5\nfor i in range(9):\n    if a[i] > 99:\n        s = s + c[i]\n", "mixed-type"),
    "rounding to digits": ("for i in range(9):\n    b[i] = round(a[i], -1)\n", "wrong-type"),
    "a long integer": ("c = np.ones(9, np.uint64)\nfor i in range(9):\n    c[i] = c[i] & 0xFFFFFFFFFFFFFFFF\n", "big-integer"),
    "bools subtracted": ("f = np.ones(9, bool)\nfor i in range(9):\n    f[i] = f[i] - f[i]\n", "wrong-type"),
}  # fmt: skip


@pytest.mark.parametrize("title", LEFT)
def test_left_alone(title):
    text, reason = LEFT[title]
    assert became(text)[0] == reason


def test_a_refused_operation_names_its_types_and_line():
    from autopar import journal

    same(HEAD + "f = a > 3\nfor i in range(9):\n    x = 1\n    f[i] = f[i] - f[0]\n")
    (record,) = [r for r in journal.records() if r.line == FIRST + 1]
    assert record.refusal is not None
    assert str(record.refusal).startswith(f"<user program>:{FIRST + 3}: ")
    assert "f[i] - f[0], np.bool - np.bool" in str(record.refusal)


# ---------------------------------------------------------------------------- values in place

VALUES = {
    "a negative power of integers": "for i in range(1, 9):\n    b[i] = i ** -2\n    s = i ** -1\n    t = (-i) ** -3\n",
    "a negative power of zero": "for i in range(3):\n    b[i] = (2 - i) ** -1\n",
    "a negative power of NumPy integers": "c = np.arange(1, 9)\nfor i in range(8):\n    b[i] = c[i] ** -1\n",
    "arithmetic of bools": "f = a > 4\ng = f[::-1].copy()\nfor i in range(9):\n    g[i] = f[i] + g[i]\n    s = f[i] * g[i]\n    t = abs(f[i])\n    u = f[i] + (i > 2)\n    v = (i > 2) * f[i] + True\n    w = (i > 2) + (i > 3)\n",
    "parts of complex numbers": "c = a * 1.5 - 1j\nfor i in range(9):\n    b[i] = c[i].real * c[i].imag\n    z = c[i] * 2\n    s = z.real\n    t = (c[i] * 1j).conjugate()\n    u = a[i].real\n    v = (i * 2).real\n    w = (i > 3).real\n",
    "parts of single complex numbers": "c = (a * 1.5 - 1j).astype('c8')\nfor i in range(9):\n    s = c[i].real\n    t = c[i].imag\n    u = c[i].conj()\n    v = np.real(c[i]) + np.imag(c[i])\n    w = np.conj(c[i])\n",
    "complex numbers from parts": "for i in range(9):\n    s = complex(a[i], -0.0)\n    t = complex(i, i > 3)\n    u = complex(-a[i] * 0)\n    v = complex(0.5, a[i]) * 1j\n",
    "complex from complex": "c = a - 0j\nfor i in range(9):\n    s = complex(c[i], -0.0)\n",
    "NumPy's power with exponent two": "c = np.linspace(0.1, 3, 9)\nfor i in range(9):\n    b[i] = np.power(c[i], 2.0)\n    s = 0.1 ** np.int32(2)\n",
    "a conjugate that Python's numbers lack": "for i in range(9):\n    s = (i * 1j).conj()\n",
}  # fmt: skip


@pytest.mark.parametrize("title", VALUES)
def test_values(title):
    became(VALUES[title])
