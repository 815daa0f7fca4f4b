"""Loops that mostly end at once: after some calls they are no longer asked, until they grow."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from autopar import config, journal
from autopar.hook.loader import code_of
from autopar.runtime import running

SEARCH = """
def f(a, x):
    for i in range(len(a)):
        if a[i] == x:
            return i
    return -1
"""
SUM = """
def f(a, x):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s
"""


@pytest.fixture
def search(cache):
    before = config.current()
    config.use(replace(before, verify=False, check=False, cache_dir=cache, threads=1))
    yield lambda source, *sought: runs(source, *sought)
    config.use(before)


def runs(source, *sought):
    """How often the nest of `source` ran as kernels, one call for each of `sought`."""
    journal.clear()
    code = code_of(source, "<user program>", "text")
    space = {}
    exec(code, space)
    a = np.arange(1e6)
    # Machines differ, and are busy: a kernel that looks at a few elements does nothing, another
    # one nothing but that.
    machine = replace(running.MACHINE, enter_s=1.0 if max(sought) < 10 else 0.0)
    with mock.patch.object(running, "MACHINE", machine):
        for x in sought:
            space["f"](a, x)
    (record,) = journal.records()
    return record.runs


def test_what_is_found_at_once_is_soon_left_to_the_interpreter(search):
    assert search(SEARCH, *[3.0] * 3000) < 1000


def test_what_is_found_late_is_not(search):
    assert search(SEARCH, *[999_000.0] * 100) > 95  # by the text, it may be found soon


def test_nor_is_what_cannot_be_left(search):
    assert search(SUM, *[3.0] * 100) == 100
