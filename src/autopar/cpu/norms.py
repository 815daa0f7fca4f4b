"""``math.hypot`` of two and three numbers, with the bits of CPython's own code.

It scales by a power of two, adds squares with what each sum is rounded by, and corrects the root
once: sums, products, a quotient and a root of doubles, which have the same bits wherever they are
computed in that order.  A number that is not there counts as zero, which adds nothing to any of the
sums.  The code is another in other versions of Python, and where a compiler fuses
products and sums: so it is compared with what this Python finds, once.

References
----------
CPython 3.11, ``Modules/mathmodule.c``, ``vector_norm``.
"""

from __future__ import annotations

import functools
import math
import platform
import sys
from itertools import product

from autopar.cpu import helpers

_VERSIONS = ((3, 11),)
_NUMBERS = (0.0, 5e-324, 1.7e-308, 3.3e-160, 0.1, 0.7, 1.1, 3.0, 123.456, 7.7e11, 1.6e308)
_SOME = 64  # others, which take other ways of being rounded


@functools.cache
def known() -> bool:
    """Whether this Python's function is that of `helpers`."""
    if sys.version_info[:2] not in _VERSIONS or platform.python_implementation() != "CPython":
        return False
    given = list(product(_NUMBERS, repeat=2))
    given += [(math.sin(k), math.cos(3 * k)) for k in range(_SOME)]
    return all(
        helpers.hypot_2(x, y) == math.hypot(x, y)
        and helpers.hypot_3(x, y, x * 0.7) == math.hypot(x, y, x * 0.7)
        for x, y in given
    )
