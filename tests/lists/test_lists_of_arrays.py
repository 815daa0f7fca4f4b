"""Lists to which a nest appends arrays: each of these is a new one."""

from __future__ import annotations

from textwrap import indent

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

BEGIN = """
y = np.array([1.0, 2.0, 3.0])
u = np.arange(16.0).reshape(4, 4)
A = np.eye(3) * 0.9
x, z = 1.0, 2.0
out, more = [], []
"""
TAKEN = {
    "a copy": "y = y + 0.1 * np.sin(y)\nout.append(y.copy())",
    "the array itself": "y = y + 0.1 * np.array([y[1] - y[0], y[0] * y[2], -y[2]])\nout.append(y)",
    "numbers": "x, z = x + 0.1 * z, z - 0.1 * x\nout.append(np.array([x, z]))",
    "a product": "out.append(A @ y)\ny += 0.1 * y",
    "a table": "out.append(u + i)\nu[i % 4] *= 0.5",
    "a row that is copied": "out.append(u[i % 4].copy())\nu[i % 4, 1] = i",
    "sums": "out.append(u.sum(axis=0))\nu[1] += 1",
    "zeros": "out.append(np.zeros(3))",
    "under a condition": "if i % 3 == 0:\n    out.append(y * i)\ny[1] = i",
    "integers": "out.append(np.arange(3) + i)",
    "two lists": "out.append(y * i)\nmore.append(u[1] - i)",
    "numbers as well": "out.append(y * i)\nmore.append(x * i)",
}
LEFT = {
    "the same each time": "y[0] += 1\nout.append(y)",
    "a view": "out.append(u[1])\nu[1, 1] = i",
    "a view with a name": "v = u[i % 4]\nout.append(v)\nv[1] = i",
    "changed in place later": "y = y + 1\nout.append(y)\ny[1] = i",
    "changed by another name later": "y = y + 1\nw = y\nout.append(y)\nw[1] = i",
    "changed by a view later": "y = y + 1\nw = y[1:]\nout.append(y)\nw[0] = i",
    "augmented later": "y = y + 1\nout.append(y)\ny += i",
    "appended before": "out.append(y)\ny = y + 1",
    "sometimes another": "if i % 2:\n    y = y + 1\nout.append(y)",
    "twice": "y = y + 1\nout.append(y)\nmore.append(y)",
    "two shapes": "if i % 2:\n    out.append(y * 2)\nelse:\n    out.append(u[:2, 1] * 2)",
    "two ranks": "out.append(y * 2)\nout.append(u * 2)",
    "two types": "out.append(y * 2)\nout.append(np.arange(3))",
    "numbers too": "out.append(y * 2)\nout.append(1.0)",
    "lists too": "out.append(y * 2)\nout.append([1.0, 2.0, 3.0])",
    "lists before": "out.append([1.0, 2.0, 3.0])\nout.append(y * 2)",
    "read again": "out.append(y * 2)\nx += out[-1][0] + len(out)",
    "of another order": "out.append(u.T * 2)",
    "as many as there are": "out.append(u[u > i] * 1.0)",
    "a shape that changes": "out.append(np.zeros(i))",
    "the very array": "out.append(np.asarray(y))\ny[0] = i",
    "reshaped": "out.append(y.reshape(3, 1))\ny[0] = i",
}


def program(step: str, place: str) -> str:
    # What is known of the very objects: who is whose item, and what else is changed with it.
    last = "same = [[a is b for b in out] for a in out], [a is y or a is u for a in out]\n"
    last += (
        "y = y + 0\nif out and type(out[-1]) is np.ndarray and out[-1].size:\n    out[-1][0] = 77\n"
    )
    text = f"{BEGIN}for i in range(30):\n{indent(step, '    ')}\n"
    if place == "function":
        whole = indent(text + last, "    ") + "    return out, more, u, same\n"
        return f"import numpy as np\ndef f():\n{whole}res = f()\n"
    return f"import numpy as np\n{text}{last}"


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    found = both(
        f"import numpy as np\ndef f():\n{indent(BEGIN, '    ')}    for i in range(30):\n"
        f"{indent(TAKEN[title], '        ')}\n    return out, more, u\nres = f()\n"
    )
    assert "compiled" in found.loops.values(), found.loops


@pytest.mark.parametrize("title", [*TAKEN, *LEFT])
@pytest.mark.parametrize("place", ["module", "function"])
def test_whose_they_are(title: str, place: str) -> None:
    both(program((TAKEN | LEFT)[title], place))


@pytest.mark.parametrize("title", TAKEN)
def test_a_list_with_arrays_before(title: str) -> None:
    step = TAKEN[title]
    text = program(step, "function").replace("out, more = [], []", "out, more = [y], [u]")
    both(text)
