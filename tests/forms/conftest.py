"""Programs both ways, of a text that can be found, as that of helper functions must be."""

from __future__ import annotations

import linecache

import pytest
from outcome import FILE
from outcome import same as same_text


@pytest.fixture
def same(monkeypatch):
    def kept(source, **names):
        lines = source.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, FILE, (len(source), None, lines, FILE))
        return same_text(source, **names)

    return kept
