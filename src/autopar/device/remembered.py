"""What has been measured of a device, and compiled for it, on disk for the processes after."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping, Sequence

from autopar import config
from autopar.digest import SIZE, digest

_MOST_FILES = 16
_MOST_BINARIES = 2048


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
    found = known("devices", about, names)
    if found is None:
        found = dict(measure())
        keep("devices", about, found, _MOST_FILES)
    return found


def known(folder: str, about: Sequence[object], names: Sequence[str]) -> dict[str, float] | None:
    """Numbers of these names that `keep` has kept in a folder of the cache, or None."""
    file = _file(folder, about)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        if file is not None:
            with open(file, encoding="ascii") as text:
                found = json.load(text)
            return {name: float(found[name]) for name in names}
    return None


def keep(folder: str, about: Sequence[object], numbers: Mapping[str, float], most: int) -> None:
    """Keep `numbers` for processes after this one, in a folder with at most so many files."""
    file = _file(folder, about)
    if file is not None:
        with contextlib.suppress(OSError):
            config.make_room(os.path.dirname(file), most)
            config.write_whole(file, json.dumps(numbers).encode())


def compiled(about: Sequence[object], make: Callable[[], bytes]) -> bytes:
    """What `make` has compiled in this process, or in an earlier one.

    Parameters
    ----------
    about
        All on which it depends.
    """
    file = _file("binaries", about)
    with contextlib.suppress(OSError):
        if file is not None:
            content = config.read_whole(file)
            check, found = content[:SIZE], content[SIZE:]
            if digest(found).digest() == check:  # a damaged entry is an absent entry
                return found
    found = make()
    if file is not None:
        with contextlib.suppress(OSError):
            config.make_room(os.path.dirname(file), _MOST_BINARIES)
            config.write_whole(file, digest(found).digest() + found)
    return found


def _file(folder: str, about: Sequence[object]) -> str | None:
    """Where that is kept; None where there is no cache."""
    with contextlib.suppress(OSError, config.ConfigError):
        name = digest(repr(tuple(about)).encode()).hexdigest()[:32]
        return os.path.join(config.cache_folder(folder), name)
    return None
