"""Bytes that nests read: numbers from 0 to 255, in Python's own integers."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
data = bytes((i * 37 + 11) % 256 for i in range(300))
mine = bytearray(data[::-1])
n = len(data)
x = np.zeros(n)
"""

TAKEN = {
    "a check sum": "a, b = 1, 0\nfor byte in data:\n    a = (a + byte) % 65521\n"
    "    b = (b + a) % 65521",
    "bit by bit": "crc = 0xFFFFFFFF\nfor byte in data:\n    crc ^= byte\n    for _ in range(8):\n"
    "        crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)",
    "by subscript": "s = 0\nfor i in range(n):\n    s += data[i] * mine[-1 - i]\n"
    "    x[i] = mine[i] / 2",
    "counts": "many = [0] * 256\nfor byte in mine:\n    many[byte] += 1",
    "in a dictionary": "d = {}\nfor byte in data:\n    d[byte] = d.get(byte, 0) + 1",
    "runs": "longest = run = 0\nfor i in range(1, n):\n    if data[i] > data[i - 1]:\n"
    "        run += 1\n        longest = max(longest, run)\n    else:\n        run = 0",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    loops = same(HEAD + TAKEN[name] + "\n")
    line = next(k for k, text in enumerate(TAKEN[name].split("\n")) if text.startswith("for"))
    assert loops[HEAD.count("\n") + 1 + line] == "compiled", loops


OTHERS = {
    "stored": "for i in range(n):\n    mine[i] = 7",
    "stored where that fails": "for i in range(n):\n    data[i] = 7",
    "too large": "for i in range(n):\n    mine[i] = 300",
    "a part with a name": "for i in range(9):\n    b = data[i:i + 4]\n    s = b[0]",
    "parts in a list": "out = []\nfor i in range(9):\n    out.append(mine[i:i + 4])",
    "beyond the end": "s = 0\nfor i in range(n + 1):\n    s += data[i]",
    "nothing": "s = 0\nfor byte in b'':\n    s += byte",
    "nothing under a name": "data = b''\ns = 0\nfor byte in data:\n    s += byte",
    "one by two names": "other = mine\ns = 0\nfor i in range(n):\n    s += mine[i] - other[i]",
    "asked": "s = 0\nfor i in range(300):\n    s += i % 256 in data",
    "compared": "s = 0\nfor i in range(n):\n    s += data[i:i + 1] == b'A'",
    "of a class of the user's": "class B(bytes):\n    def __getitem__(self, k):\n        return 3\n"
    "data = B(data)\ns = 0\nfor i in range(5):\n    s += data[i]",
    "grown": "for i in range(5):\n    mine.append(i)\n    x[i] = mine[-1]",
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_same_in_any_case(name: str) -> None:
    same(HEAD + OTHERS[name] + "\n")
