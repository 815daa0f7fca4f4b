"""Strategies of hypothesis that are made once: to make one takes longer than to draw from it."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable

from hypothesis import strategies as st


def sampled_from(options: Iterable[Hashable]) -> st.SearchStrategy:
    """One of `options`, as with `strategies.sampled_from`, for tests that draw many times."""
    return _sampled_from(*options)


@functools.lru_cache(maxsize=None, typed=True)
def _sampled_from(*options: Hashable) -> st.SearchStrategy:
    return st.sampled_from(options)
