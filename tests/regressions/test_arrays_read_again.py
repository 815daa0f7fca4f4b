"""Programs with statements on whole arrays that once came out otherwise."""

from __future__ import annotations

import sys

import pytest
from outcome import same as same_text

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(7)
n, m = 9, 7
A, B = rng.random((n, m)), rng.random((n, m)) - 0.5
u, v, w = rng.random(n), rng.random(n) - 0.5, rng.random(m)
f = rng.random((n, m)).astype(np.float32)
i8 = np.arange(n, dtype=np.int8)
I, U = np.arange(n) * 5 - 20, np.arange(n).astype(np.uint16)
idx = np.array([2, 0, 1, 5, -1, 3, 3, 8, 4])
bad = np.array([0, 1, 99, -50])
ok = u > 0.5
L = rng.normal(size=(500, 6)) * 10.0 ** rng.integers(-5, 5, (500, 6))
"""

LOOP = "for t in range(4):\n"
PROGRAMS = {
    "elements by an index array are a copy": """
def f(u, v):
    for t in range(4):
        x = u[idx]
        u[:] = 0.5 * t
        v[:] = x
f(u, v)
""",
    "a copy that is written": """
def f(u, v):
    for t in range(4):
        x = u[idx]
        x[:] = 5.0
        v += x
f(u, v)
""",
    "parts of a copy": LOOP + "    A[idx][1:] = 0.0\n    u[idx][1:] += 5.0\n",
    "how many a mask chooses": LOOP + "    s = u[u > 0.5].shape[0] + len(u[u > 0.5])\n",
    "the first that a mask chooses": """
def f(u):
    for t in range(4):
        x = u[u < 0.6]
        s = x[0] + u[u < 0.7][0:][1]
    return s
r = f(u)
""",
    "parts of what a mask chooses": LOOP + "    u[u > 0.2][:] = 9.0\n",
    "an array for the elements of a mask": LOOP + "    u[u > 0.5] = v\n",
    "changed before it is bound anew": """
def f(a, b):
    for t in range(4):
        a += b
        a = a * 0.5
    return a
def g(a, c):
    for t in range(4):
        if t > c:
            a = a * 2.0
        a[t] = 9.0
    return a
p, q = f(u, v), g(v, 50)
""",
    "bound anew while another name has it": """
def f(a, b):
    for t in range(4):
        b[0] = 7.0 + t
        a = a * 2.0
    return a
p, q = f(u, u), f(v, v[:])
""",
    "a view of an array that a helper binds anew": """
def h(a):
    b = a * 2.0
    c = b[1:]
    b = b + 1.0
    return c + b[1:]
for t in range(4):
    v[1:] = h(u)
""",
    "axes of one element in front": LOOP + "    u += np.ones((1, n))\n",
    "a row that becomes a table": LOOP + "    A[0] += A[0:1]\n",
    "a bool as a place": LOOP + "    A[t > 1] = 1.0\n    A[True, 1:] = 0.0\n",
    "a sum over an axis beside one of one element": "a, b = 2, 3\n"
    + LOOP + "    s = L[:, a:b].sum(axis=0)\n",
    "powers by function": LOOP + "    u[:] = np.power(-u, 0.5) + np.power(v, -1)\n",
    "a part of a new array": LOOP + "    x = (A + B)[:, ::2]\n    y = A.sum(axis=1)[:, None]\n",
    "conjugates of floats are the array itself": LOOP + "    x = u[1:].conjugate()\nx[0] = 5.0\n",
    "an end before its start": LOOP + "    s = len(u[5:2]) + u[t:3].shape[0]\n",
    "lengths of what raises": LOOP + "    s = len(-ok)\n",
    "lengths of what is out of bounds": LOOP + "    s = len(u[bad])\n",
    "out of bounds, and not read": LOOP + "    v[:2] = u[bad][:2]\n",
    "a number that does not fit": LOOP + "    i8[:] = np.int32(2000)\n",
    "a number that does not fit nowhere": LOOP + "    i8[3:3] = 300\n",
    "a number that does not fit behind a mask": LOOP + "    i8[i8 > 30] += 300\n",
    "a sum of no numbers that do not fit": "e = i8[:0]\n" + LOOP + "    x = e + 300\n",
    "flags to the power of two": "x = ok.copy()\n" + LOOP + "    x = ok ** 2\n",
    "an axis that is a bool": LOOP + "    s = A.sum(axis=True)\n",
    "where with a condition alone": LOOP + "    s = np.where(u > 0.5)\n",
    "a mask that reads an element": LOOP + "    u[u > u[0]] += u[1]\n",
    "an array without axes": LOOP + "    x = np.zeros(())\n",
    "an operand of a product is computed once": LOOP + "    s = np.dot(u * u[0], v)\n",
    "another name for a transpose": LOOP + "    x = u.T\n",
    "a dtype by position": LOOP + "    x = np.full(n, 7, np.int8)\n",
    "an operation on an array that is bound anew": """
def f(u):
    for t in range(3):
        A[A > w] = 2.0
        u[:] = t
        u = u + 1.0
    return u
r = f(v)
""",
}  # fmt: skip


@pytest.mark.parametrize("title", PROGRAMS)
def test_same(title):
    assert "internal" not in same_text(HEAD + PROGRAMS[title]).values()


def test_a_function_that_is_not_numpys_any_more():
    """Replaced before autopar has looked at anything, so in a process of its own."""
    import subprocess

    text = (
        "import numpy as np\nnp.sum = lambda a: 42\nu = np.ones(1000)\ns = 0\n"
        "for t in range(2000):\n    s += np.sum(u)\nprint(s)\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "autopar", "-c", text], capture_output=True, text=True, check=True
    )
    assert found.stdout == "84000\n"


def test_a_difference_that_verify_finds_is_told(monkeypatch):
    """Nests that are written out have an engine of their own, whose errors must come through."""
    from autopar.runtime import verify
    from autopar.runtime.verify import VerifyError

    def wrong(*_: object) -> object:
        raise VerifyError("different")

    monkeypatch.setattr(verify, "verified", wrong)
    with pytest.raises(AssertionError):
        same_text(HEAD + LOOP + "    u[:] = v * 2\n")
