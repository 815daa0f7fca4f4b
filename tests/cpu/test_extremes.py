"""Sums with the same number in all iterations: whether one overflows is asked of two of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.same.outcome import both

from autopar.cpu.extremes import shared

LOOP = """\
    for j in range(0, n):
        v1_ = here
        v2_ = a[k, j]
        v3_ = v1_ + v2_
        odd_ |= ((v1_ ^ v3_) & (v2_ ^ v3_)) < 0
        if v3_ < b[i, j]:
            v4_ = here
            v5_ = a[k, j]
            v6_ = v4_ + v5_
            odd_ |= ((v4_ ^ v6_) & (v5_ ^ v6_)) < 0
            b[i, j] = v6_
    return 0""".splitlines()

SHARED = """\
    low0_0_ = int64(9223372036854775807)
    high0_0_ = int64(-9223372036854775808)
    for j in range(0, n):
        here0_0_ = a[k, j]
        low0_0_ = min(low0_0_, here0_0_)
        high0_0_ = max(high0_0_, here0_0_)
        v1_ = here
        v2_ = a[k, j]
        v3_ = v1_ + v2_
        if v3_ < b[i, j]:
            v4_ = here
            v5_ = a[k, j]
            v6_ = v4_ + v5_
            b[i, j] = v6_
    if low0_0_ <= high0_0_:
        sumlow0_0_ = here + low0_0_
        odd_ |= (here ^ sumlow0_0_) & (low0_0_ ^ sumlow0_0_) < 0
        sumhigh0_0_ = here + high0_0_
        odd_ |= (here ^ sumhigh0_0_) & (high0_0_ ^ sumhigh0_0_) < 0
    return 0""".splitlines()


def test_a_loop_keeps_the_extremes_of_what_is_added():
    assert [line.replace("((", "(").replace("))", ")") for line in shared(LOOP)] == SHARED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v1_ = here", "v1_ = b[i, k]"),  # another number each time
        ("v1_ = here", "here = v2_\n        v1_ = here"),
        ("v2_ = a[k, j]", "v2_ = b[i, j]"),  # the loop stores there
        ("v2_ = a[k, j]", "v2_ = a[k, v6_]"),
        ("v2_ = a[k, j]", "v2_ = int64(a[k, j])"),
        ("v3_ = v1_ + v2_", "v3_ = v1_ - v2_"),
        ("v3_ = v1_ + v2_", "v3_ = v2_ + v2_"),
        ("        if v3_", "        if v1_ > 7:\n            break\n        if v3_"),
        ("        if v3_", "        for q in range(3):\n            v1_ = q\n        if v3_"),
    ],
)
def test_what_stays(old, new):
    body = "\n".join(LOOP).replace(old, new, 1).splitlines()
    assert shared(body) == body


def test_what_only_some_iterations_ask_stays():
    body = [*LOOP[:1], *LOOP[1:4], *LOOP[5:]]
    assert shared(body) == body
    inside = "\n".join(LOOP).replace("v2_ = a[k, j]", "if j > 3:\n            v2_ = a[k, j]", 1)
    assert shared(inside.splitlines()) == inside.splitlines()


def test_two_elements_have_extremes_of_their_own():
    body = "\n".join(LOOP).replace("v5_ = a[k, j]", "v5_ = a[k, j + 1]").splitlines()
    found = shared(body)
    assert sum("odd_ |=" in line for line in found) == 3  # what is in the branch stays
    again = [
        line.replace("v1_", "w1_").replace("v2_", "w2_").replace("v3_", "w3_") for line in LOOP
    ]
    again = [line.replace("a[k, j]", "a[i, j]").replace("= here", "= there") for line in again[1:5]]
    found = shared([*LOOP[:5], *again, *LOOP[5:]])
    assert sum(" min(" in line for line in found) == 2
    assert sum("odd_ |=" in line for line in found) == 4


SOURCE = """\
def run(a, b, k, here):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            if here[i] + a[k, j] < b[i, j]:
                b[i, j] = here[i] + a[k, j]
run(a, b, 1, here)
"""
EDGE = 2**62


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", [0, 3, 40, 69])
def test_the_first_and_the_last_sum_that_fits(lenient, place):
    ends = (EDGE, EDGE - 1, -EDGE, -EDGE - 1)
    for one, two in itertools.product(ends, ends):
        a = np.arange(140, dtype=np.int64).reshape(2, 70)
        a[1, place] = two
        here = np.array([5, one, -7], np.int64)
        both(SOURCE, a=a, b=np.full((3, 70), 50, np.int64), here=here)
    empty = np.zeros((2, 0), np.int64)
    both(SOURCE, a=empty, b=np.zeros((3, 0), np.int64), here=np.full(3, 2**63 - 1))
