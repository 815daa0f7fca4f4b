"""Loops with functions, powers and counters leave what CPython leaves, at odd sizes as well."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autopar import config, journal

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import common  # noqa: E402
import of_idioms  # noqa: E402


@pytest.fixture(scope="module")
def taken():
    """The programs as autopar takes them, however little they do."""
    before = config.current()
    text = (BENCHMARKS / "of_idioms.py").read_text()
    with common.copies(text, [], ["idioms_by_autopar"], 2):
        config.use(replace(config.current(), verify=True))
        yield importlib.import_module("idioms_by_autopar")
    config.use(before)


def runs():
    return sum(record.runs for record in journal.records())


@pytest.mark.parametrize("n", [7, 30])
@pytest.mark.parametrize("name", of_idioms.SIZES)
def test_the_same_bytes(name, n, taken):
    size = n if of_idioms.SIZES[name] < 1000 else n * n
    before = runs()
    left = []
    for module in (of_idioms, taken):
        arguments = of_idioms.make(name, size)
        getattr(module, name)(*arguments)
        left.append([a.tobytes() for a in arguments if isinstance(a, np.ndarray)])
    assert left[0] == left[1]
    assert runs() > before
