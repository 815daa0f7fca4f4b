"""Deterministic contents of arrays: small numbers, and on request the corners of the dtype."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_FLOAT_CORNERS = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, 1e-310, 700.0)


def values(dtype: str, shape: tuple[int, ...], seed: int, wild: bool = False) -> np.ndarray:
    """An array; `wild` puts corners of the dtype into a quarter of its elements."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    size = math.prod(shape)
    corners: tuple[Any, ...]
    if kind == "b":
        flat: Any = rng.integers(0, 2, size)
        corners = ()
    elif kind in "iu":
        info = np.iinfo(dtype)
        # Every third array is wide enough for sums and products to wrap in the narrow dtypes.
        most = 9 if seed % 3 else min(int(info.max), 200)
        flat = rng.integers(0 if kind == "u" else -(most // 2), most, size)
        corners = (info.min, info.max, info.max - 1, 0)
    elif kind == "f":
        flat = rng.normal(0, 3, size)
        corners = _FLOAT_CORNERS
    else:
        flat = rng.normal(0, 3, size) + 1j * rng.normal(0, 3, size)
        corners = (0, 1j, 1e200 + 1e200j)
    with np.errstate(all="ignore"):
        found = np.asarray(flat).astype(dtype)
        if wild and size and corners:
            at = rng.integers(0, size, max(1, size // 4))
            found[at] = rng.choice(np.array(corners, dtype), at.size)
    return found.reshape(shape)
