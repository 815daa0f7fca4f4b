"""Sums and means of blocks of integers, with a sign and without: they wrap as NumPy's do."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
def block(a, b):
    n, m = a.shape
    s, most, mean = 0, 0, 0.0
    near = np.zeros((n, m), np.uint64)
    for y in range(1, n - 1):
        for x in range(1, m - 1):
            s += a[y - 1 : y + 2, x - 1 : x + 2].sum()
            s += np.sum(np.abs(a[y - 1 : y + 2, x - 1 : x + 2] - b[y - 1 : y + 2, x - 1 : x + 2]))
            most += np.minimum(a[y, :], 100).sum()
            s += (a[y - 1 : y + 2, x] * 3).sum()
            mean += a[y - 1 : y + 2, x - 1 : x + 2].mean()
            near[y, x] = a[y, x - 1 : x + 2].sum()
    return s, most, mean, near
def mixed(a, b):
    s = 0
    for y in range(a.shape[0]):
        s += (a[y] + b[y]).sum()
        s += (a[y] - 1).sum() + (-a[y]).sum() + np.square(a[y]).sum()
    return s
rng = np.random.default_rng(3)
"""
SAME = """
a, b = (rng.integers(0, 100, (7, 9)).astype(np.{dtype}) for _ in range(2))
res = [block(a, b)]
res.append(block(np.full((4, 5), np.iinfo(np.{dtype}).max), np.full((4, 5), 3, np.{dtype})))
"""
OTHERS = """
res = []
for one, two in (("{dtype}", "uint8"), ("{dtype}", "int64"), ("uint16", "{dtype}")):
    a = rng.integers(0, 100, (7, 9)).astype(one)
    b = rng.integers(0, 100, (7, 9)).astype(two)
    res.append(mixed(a, b))
    res.append(mixed(np.full((3, 4), np.iinfo(one).max, one), np.full((3, 4), 2, two)))
"""
DTYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")


@pytest.mark.parametrize("dtype", DTYPES)
def test_blocks(dtype: str) -> None:
    found = both(HEAD + SAME.format(dtype=dtype))
    assert found.loops[7] == "compiled", found.loops


@pytest.mark.parametrize("dtype", DTYPES)
def test_others(dtype: str) -> None:
    both(HEAD + OTHERS.format(dtype=dtype))
