"""Lists of characters, or of texts of one length, as arrays of the numbers of these characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_HOLDERS = (list, tuple)


def characters(value: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Those of a list of characters, or of a table; None where it is something else.

    Parameters
    ----------
    value
        A list or a tuple: of characters, of texts, or of lists or tuples of characters.

    Returns
    -------
    ndarray or None
        Of unsigned integers of 32 bits, with one axis or two.
    """
    first = value[0] if value else None
    if type(first) in _HOLDERS and first and type(first[0]) is str:
        if set(map(type, value)) != {type(first)}:
            return None
        rows = [_joined(row) for row in value]
        if None in rows:
            return None
        return _table([row for row in rows if row is not None])
    if type(first) is not str or set(map(type, value)) != {str}:
        return None
    line = _joined(value)
    return _table(value) if line is None else _numbers(line)


def _joined(row: Sequence[Any]) -> str | None:
    """The text of all items of `row`, if they are characters."""
    if set(map(type, row)) == {str} and set(map(len, row)) == {1}:
        return "".join(row)
    return None


def _table(rows: Sequence[str]) -> np.ndarray[Any, Any] | None:
    """The table of these rows; None where they are not of one length."""
    if not rows[0] or len(set(map(len, rows))) > 1:
        return None
    return _numbers("".join(rows)).reshape(len(rows), -1)


def _numbers(text: str) -> np.ndarray[Any, Any]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
