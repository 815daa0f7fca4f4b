"""NumPy's library of products is asked to leave processors to loops soon after each product.

The threads of OpenBLAS look for more work for some tens of milliseconds, spinning: after each
product, and after NumPy has been imported.  Loops behind it share their processors with them
meanwhile, and nobody can tell that these threads do nothing (`runtime.copied`), for longer than
many a script runs.  OpenBLAS reads how long once, when it is loaded.  What it is told here is about
a millisecond: a product that comes later wakes its threads, which takes 20 microseconds.
"""

from __future__ import annotations

import os

LIBRARY = "numpy._core._multiarray_umath"
"""The module with which it is loaded."""
VARIABLE = "OPENBLAS_THREAD_TIMEOUT"
"""The logarithm of the cycles of the processor's clock; the user's own is left as it is."""
_CYCLES = "21"


class ThreadTimeout:
    """Tells the library, and nobody else: what processes inherit is as before.

    Attributes
    ----------
    set
        Whether the variable is there for the library to read.
    """

    __slots__ = ("set",)

    def __init__(self) -> None:
        self.set = False

    def importing(self, name: str) -> None:
        """A module is about to be found, and those before it have been loaded."""
        if self.set:
            self.set = False
            os.unsetenv(VARIABLE)
        if name == LIBRARY and VARIABLE not in os.environ:
            self.set = True
            os.putenv(VARIABLE, _CYCLES)  # which `os.environ` does not show
