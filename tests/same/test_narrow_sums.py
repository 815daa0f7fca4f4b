"""Sums of small unsigned integers, exact until they are cut: values and NumPy's warnings."""

from __future__ import annotations

import warnings

import harness
import numpy as np
import pytest


@pytest.mark.parametrize("count", [2, 3, 9, 257, 258])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_sums(lenient, dtype, count):
    """257 numbers of eight bits have room in sixteen, 258 have not."""
    source = "for i in range(n):\n    b[i] = " + " + ".join(f"a[i + {k}]" for k in range(count))
    most = np.iinfo(dtype).max
    small = (np.arange(900) * 7 % max(most // count, 1)).astype(dtype)
    b = np.zeros(600, dtype)
    for a, warns in ((small, False), (np.full(900, most, dtype), True)):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("default")
            here, _ = harness.run(source + "\n", a=a, b=b, n=600)
        assert here.record.runs == 1
        said = {str(one.message) for one in found}
        assert said == ({"overflow encountered in scalar add"} if warns else set())
        assert b.tolist() == [int(x) % (most + 1) for x in _windows(a, count)]


def _windows(a, count):
    wide = a.astype(object)
    return [sum(wide[i : i + count]) for i in range(600)]
