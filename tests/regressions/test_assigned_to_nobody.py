"""Seed 77, program 1111: NumPy computes a value, and warns of it, that is assigned to no element."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = pytest.mark.usefixtures("lenient")

PROGRAM = """
import warnings
import numpy as np
A, W = np.ones(({rows}, 5)), np.arange(5.0) - 2
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for i in range(2):
        A[2:, :] = np.log(W[:])
said = sorted(str(w.message) for w in caught)
"""


@pytest.mark.parametrize("rows", [2, 3])
def test_a_value_that_is_assigned_to_nobody(rows: int) -> None:
    same(PROGRAM.format(rows=rows))
