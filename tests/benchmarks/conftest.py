"""Processes that the kernels of a suite share, each held against CPython."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import run


@pytest.fixture(scope="module")
def checked(request, tmp_path_factory):
    """A function: what autopar makes of a benchmark of `SUITE`, which the file of tests names."""
    suite = request.module.SUITE
    options = run.parse([suite, "--check"])
    environment = run.environment(options, str(tmp_path_factory.mktemp("cache")))
    # What pays differs from machine to machine; which loops may run as kernels does not.
    with run.Group(options.contenders, {**environment, "AUTOPAR_VERIFY": "1"}) as group:
        yield lambda name: run.checked(suite, name, group, options.seed)
