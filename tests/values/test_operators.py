"""Every binary operator on every pair of operand types, on corner values, bit for bit.

The suite takes a sample of the pairs; ``ALL_OPERATIONS=1`` takes all (some minutes).
"""

from __future__ import annotations

import os
import random
from dataclasses import replace

import numpy as np
import pytest
import table

from autopar import config
from autopar.nest import kinds
from autopar.runtime import engine

ALWAYS = [
    ("bool", "bool"), ("int()", "int"), ("int", "int8"), ("uint64", "int"), ("int64", "uint64"),
    ("int()", "float()"), ("complex64", "complex"), ("float32", "float"), ("bool()", "bool"),
]  # fmt: skip
ALL = table.pairs()
PAIRS = ALL if os.environ.get("ALL_OPERATIONS") else [
    *ALWAYS, *random.Random(11).sample([p for p in ALL if p not in ALWAYS], 4)
]  # fmt: skip


@pytest.fixture
def eager(monkeypatch, cache):
    """However small a nest is and however often it gives up, it is tried."""
    monkeypatch.setattr(engine, "MAX_FAILURES", 10**9)
    before = config.current()
    config.use(replace(before, fail_on_fallback=True, cache_dir=cache, threads=2))
    yield
    config.use(before)


@pytest.mark.usefixtures("eager")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_operator(left, right):
    pair = table.Pair(left, right)
    for op in pair.operators:
        for case in pair.cases(op):
            found = pair.run(case)
            place = f"{left} {op} {right}: {case.left} {case.right}"
            must = table.within_64_bits(op, case.left[0], case.right[0], case.results[0])
            if found is None:
                assert not must, f"{place} declined: {pair.site.record.refusal}"
                continue
            written, last = found
            wanted = case.results
            assert not isinstance(wanted[0], Exception), f"{place} raises"
            assert table.bits(last) == table.bits(wanted[-1]), place
            out = np.dtype(kinds.dtype(pair.atom(op)))
            for x, y, mine, theirs in zip(case.left, case.right, written, wanted, strict=True):
                shown = f"{x!r} {op} {y!r} is {mine!r}, in Python {theirs!r}"
                assert table.bits(mine) == table.bits(out.type(theirs)), shown


@pytest.mark.parametrize(("left", "right"), table.pairs())
def test_what_is_not_taken(left, right):
    """Only these operations, of those that Python knows, are left to the interpreter."""
    one, two = table.Operand(left, "a"), table.Operand(right, "b")
    for op in table.OPERATORS:
        if table.possible(op, one.atom, two.atom) is not None:
            continue
        answers = [
            table.answer(op, x, y)
            for x in one.values()
            for y in two.values()
            if not table.endless(op, x, y)
        ]
        if all(isinstance(a, Exception) for a in answers):
            continue
        dtypes = {one.dtype, two.dtype}
        signs = {np.dtype(d).kind for d in dtypes}
        mixed_64 = op in table.COMPARISONS and "uint64" in dtypes and signs == {"i", "u"}
        complex_ = any(d.startswith("complex") for d in dtypes)
        assert mixed_64 or complex_, (left, op, right)
