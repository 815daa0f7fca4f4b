"""Every program that `tests/fuzz` has found, replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.compare import judge
from fuzz.findings import FOUND, load
from fuzz.setting import eager

FILES = sorted(FOUND.glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_stays_mended(path: Path) -> None:
    with eager():
        judge(load(path))


def test_there_are_some() -> None:
    assert FILES
