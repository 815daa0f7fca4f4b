"""Lists of characters, or of texts of one length, as arrays of the numbers of these characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def characters(rows: Sequence[Sequence[Any]]) -> Array | None:
    """The table whose rows are lists of characters; None where some are something else.

    Returns
    -------
    ndarray or None
        Of unsigned integers of 32 bits, with two axes.
    """
    for row in rows:
        if set(map(type, row)) != {str} or set(map(len, row)) != {1}:
            return None
    return _table(["".join(row) for row in rows])


def texts_of_one_length(value: Sequence[Any]) -> Array | None:
    """The table whose rows are texts of several characters; None where some are something else."""
    if not value or type(value[0]) is not str or len(value[0]) < 2:
        return None
    return _table(value) if set(map(type, value)) == {str} else None


def _table(rows: Sequence[str]) -> Array | None:
    if len(set(map(len, rows))) > 1:
        return None
    coded = "".join(rows).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(coded, np.uint32).reshape(len(rows), -1)
