"""Sums of small unsigned integers, exact until they are cut: values and NumPy's warnings."""

from __future__ import annotations

import pytest
from outcome import both

PROGRAM = """
import warnings
import numpy as np
a = (np.arange(4000) * 7 % {most}).astype(np.{dtype})
b = np.zeros_like(a)
def sums(a, b, n):
    for i in range(n):
        b[i] = {text}
def tell(a):
    b[:] = 0
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        sums(a, b, len(a) - 300)
    print(b.tobytes(), sorted({{str(one.message) for one in found}}))
for _ in range(3): tell(a)
tell(a + a.dtype.type({most}))
tell(np.full_like(a, np.iinfo(a.dtype).max))
"""


@pytest.mark.parametrize("count", [2, 3, 9, 257, 258])
@pytest.mark.parametrize(("dtype", "largest"), [("uint8", 255), ("uint16", 65535)])
def test_sums(lenient, dtype, largest, count):
    """257 numbers of eight bits have room in sixteen, 258 have not."""
    text = " + ".join(f"a[i + {k}]" for k in range(count))
    both(PROGRAM.format(dtype=dtype, most=max(largest // count, 1), text=text))
