"""Sites whose kernels an earlier process has made: they need not wait until compiling pays.

A site that has been worth a compilation mostly is again, and then its kernels are on disk, and to
read them takes less.  One that has lost as much as a compilation takes, in a process that could not
know how long it would go on, is likely to do so again, and need not wait either.  Guesses, by an
empty file for each such site: what is wrong about them costs a compilation.
"""

from __future__ import annotations

import contextlib
import functools
import os

from autopar import config
from autopar.digest import digest
from autopar.kernel import SiteSpec


class Before:
    """What is on disk of one site."""

    def __init__(self, spec: SiteSpec) -> None:
        self.spec = spec

    @functools.cached_property
    def mark(self) -> str | None:
        """The file that says so; None where nothing can be kept."""
        try:
            folder = config.cache_folder("marks")
        except (OSError, config.ConfigError):
            return None  # the first who wants to keep a kernel says why
        text = self.spec.nest or self.spec.text.encode("utf-8", "surrogatepass")
        named = f"{self.spec.file}\0".encode("utf-8", "surrogatepass") + text
        return os.path.join(folder, digest(named).hexdigest()[:32])

    @functools.cached_property
    def compiled(self) -> bool:
        """Whether kernels were made in an earlier process."""
        return self.mark is not None and os.path.exists(self.mark)

    @functools.cached_property
    def promise(self) -> str | None:
        """The file that says that kernels would have been worth it."""
        return None if self.mark is None else f"{self.mark}.promise"

    @functools.cached_property
    def promised(self) -> bool:
        """Whether an earlier process has lost as much without kernels as they cost."""
        return self.promise is not None and os.path.exists(self.promise)

    def lost(self) -> None:
        """This one has."""
        if self.promise is not None and not self.promised:
            self.promised = True
            with contextlib.suppress(OSError):
                config.write_whole(self.promise, b"")

    def note(self) -> None:
        """Kernels have been made in this one."""
        if self.mark is not None and not self.compiled:
            with contextlib.suppress(OSError):
                config.write_whole(self.mark, b"")
