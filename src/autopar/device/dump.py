"""Kernels in C as files that a user can read."""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Sequence

from autopar import config
from autopar.config import Location
from autopar.device.dialect import Dialect
from autopar.device.lower import Source
from autopar.digest import digest


def dump(
    folder: Location, dialect: Dialect, sources: Sequence[Source], file: str, lines: Sequence[int]
) -> None:
    """Write the kernels of a nest into `folder`, with the user's lines in front of each.

    The name of a file says where the nest stands, and which text it is, for there may be several:
    for other types of its values, or to watch for warnings.

    Raises
    ------
    OSError
        The folder cannot be written to.
    """
    os.makedirs(folder, exist_ok=True)
    place = f"{os.path.basename(file)}_{lines[0]}" if lines else os.path.basename(file)
    user = [f"// {file}\n"]
    user += [f"// {n:5}  {linecache.getline(file, n).rstrip()}\n" for n in sorted(lines)]
    for source in sources:
        mark = digest(source.text.encode()).hexdigest()[:8]
        name = re.sub(r"[^\w.]", "_", f"{place}_{source.entry}_{mark}") + dialect.suffix
        content = "".join((*user, "\n", source.text))
        config.write_whole(os.path.join(folder, name), content.encode())
