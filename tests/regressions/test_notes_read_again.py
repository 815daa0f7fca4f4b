"""Tests of branches that read what an outer loop has noted."""

from __future__ import annotations

from outcome import same


def test_a_test_in_an_inner_loop_reads_the_note_and_not_the_last_value(lenient):
    """It was kept from a first try, in which it read the scalar itself."""
    source = """
import numpy as np
x, a = np.arange(12) * 0.5, np.arange(12) * 0.5
y = np.zeros(400)
for t in range(3):
    k = 0
    for i in range(12):
        v = x[i]
        if v > t:
            for j in range(12):
                w = a[j]
                if w < v:
                    if w > 1:
                        y[k] = v + w
                        k = k + 1
"""
    assert "compiled" in same(source).values()


def test_parts_of_a_sum_have_their_own_layout(lenient):
    """Parts of a histogram in an array with gaps lie without any."""
    source = """
import numpy as np
rng = np.random.default_rng(1)
idx = rng.integers(0, 50, 4000)
h = np.zeros(150)[::3]
g = np.zeros((50, 3), int)[:, 1]
for i in range(4000):
    h[idx[i]] += 1
for i in range(4000):
    g[idx[i]] += 2
"""
    assert "compiled" in same(source).values()
