"""What is said of loops that could run on several threads, and do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from outcome import taken

from autopar import config, journal

EACH = """
def f(a, n):
    for i in range(n):
        a[i] = a[i] * 0.5 + 1.0
"""
STEPS = """
def f(a, n):
    for t in range(4):
        for i in range(n):
            a[i] = a[i] * 0.5 + 1.0
"""


@pytest.mark.parametrize(("source", "code"), [(EACH, "one-thread"), (STEPS, "dependence")])
def test_a_user_who_wants_one_is_not_told_of_too_little_work(source, code, strict):
    config.use(replace(config.current(), threads=1))
    taken(f"{source}f(a, n)\n", a=np.ones(3000), n=3000)
    (said,) = journal.records()
    assert said.status == "sequential"
    assert said.refusal is not None
    assert said.refusal.code == code
    assert "too little work" not in said.refusal.text
    assert ("no more are to be used" in said.refusal.text) == (code == "one-thread")
