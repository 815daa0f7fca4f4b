"""Compiling a kernel in CUDA C once, and how many blocks cover a grid."""

import functools

PROCESSORS = 132
"""Multiprocessors of an H100; with fewer blocks than these, some of them have nothing to do."""


@functools.cache
def compiled(text, name, *options):
    import cupy

    return cupy.RawKernel(text, name, options=options)


def blocks(*axes):
    """Blocks along each axis, each given as its size and what one block covers of it."""
    return tuple(max(1, -(-size // part)) for size, part in axes)


def largest(choices, *axes):
    """The largest of `choices` with a block for each multiprocessor, or the smallest.

    Each axis is its size and what one block covers of it for a choice of one.
    """
    for each in sorted(choices, reverse=True):
        count = 1
        for many in blocks(*((size, part * each) for size, part in axes)):
            count *= many
        if count >= PROCESSORS:
            return each
    return min(choices)
