"""Cells at two remainders of one loop's variable did not go over to a device.

isl's loops through ``B[(2 + j) % 5, (j - 1) % 7]`` left out four of five cells.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from harness import run_unseen

from autopar import config

SOURCE = """
for j in range(5):
    if b[(i + j) % 5, (j - 1) % 7] > j:
        a[i, j] = b[j, 3] + b[j, j]
    else:
        b[j, j] = 6
"""


def test_they_go_over(strict):
    pytest.importorskip("pyopencl")
    config.use(replace(config.current(), device="opencl"))
    for i in range(5):
        a, b = np.zeros((14, 14), dtype=int), np.arange(196).reshape(14, 14) * 37 % 11
        site, _ = run_unseen(SOURCE, a=a, b=b, i=i)  # which is verified
        assert site.record.device == "opencl:0"
