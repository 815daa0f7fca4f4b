"""Numbers that have been measured of a device, on disk for the processes that come after."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping, Sequence

from autopar import config
from autopar.digest import digest

_MOST_FILES = 16


def remembered(
    about: Sequence[object], names: Sequence[str], measure: Callable[[], Mapping[str, float]]
) -> dict[str, float]:
    """What `measure` has found in this process, or in an earlier one.

    Parameters
    ----------
    about
        All on which the numbers depend.
    names
        Of the numbers, all of which must be there.
    """
    file = None
    with contextlib.suppress(OSError, config.ConfigError):
        folder = config.cache_folder("devices")
        file = os.path.join(folder, digest(repr(tuple(about)).encode()).hexdigest()[:16])
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        if file is not None:
            with open(file, encoding="ascii") as text:
                known = json.load(text)
            return {name: float(known[name]) for name in names}
    found = dict(measure())
    if file is not None:
        with contextlib.suppress(OSError):
            config.make_room(os.path.dirname(file), _MOST_FILES)
            config.write_whole(file, json.dumps(found).encode())
    return found
