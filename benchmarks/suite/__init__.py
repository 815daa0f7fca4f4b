"""The kernels that the CPU suite measures, as plain Python, from their definitions.

Every file has ``make(n, seed)`` (deterministic inputs), ``run(**inputs)`` (the loops) and ``SIZES``;
at the normal size CPython takes between one and ten seconds.  `by_hand` has what an expert makes of
each.  ALPyNA's and Copperhead's kernels are those of their own folders.
"""

import importlib

TOLERANCE = 1e-6
"""How far results of versions that reorder or contract may be from CPython's."""

ALPYNA = {}
COPPERHEAD = {}
JIT4GPU = ("matmul", "syrk", "nbody", "coulomb", "stencil_5")

PLACES = {
    **{name: (f"suite.{name}", f"suite.by_hand.{name}") for name in JIT4GPU},
}
"""Where the plain text of each kernel is, and what is written by hand, or None."""
NAMES = tuple(PLACES)


def sizes(name):
    """The sizes of a kernel: tiny, quick, normal."""
    borrowed = {**ALPYNA, **COPPERHEAD}
    if name in borrowed:
        return dict(zip(("tiny", "quick", "normal"), borrowed[name], strict=True))
    return importlib.import_module(PLACES[name][0]).SIZES
