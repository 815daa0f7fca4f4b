"""How NumPy computes its functions, as far as that decides bits: asked of NumPy itself."""

from __future__ import annotations

import functools

import numpy as np

INLINE = frozenset(
    ("absolute", "fabs", "sqrt", "square", "reciprocal", "maximum", "minimum", "negative",
     "positive", "floor", "ceil", "rint")
)  # fmt: skip
"""Functions of floats that are a few instructions."""
_SEVERAL = 67  # elements: some vectors, and some that are left


@functools.cache
def alike(name: str, dtype: str) -> bool:
    """Whether NumPy finds the same for an element alone as for one among many.

    A loop that is written for vectors may compute the elements that are left in another way.
    """
    ufunc: np.ufunc = getattr(np, name)
    random = np.random.default_rng(0)
    args = [(random.random(_SEVERAL) * 3).astype(dtype) for _ in range(ufunc.nin)]
    with np.errstate(all="ignore"):
        together = ufunc(*args)
        alone = np.concatenate([ufunc(*(a[k : k + 1] for a in args)) for k in range(_SEVERAL)])
    return bool(together.tobytes() == alone.tobytes())


@functools.cache
def second_of_equals(dtype: str) -> bool:
    """Whether `np.maximum` and `np.minimum` take the second of two zeros of different signs."""
    plus, minus = np.zeros(_SEVERAL, dtype), -np.zeros(_SEVERAL, dtype)
    return all(
        bool((np.signbit(ufunc(one, two)) == np.signbit(two)).all())
        for ufunc in (np.maximum, np.minimum)
        for one, two in ((plus, minus), (minus, plus), (plus[:1], minus[:1]), (minus[:1], plus[:1]))
    )
