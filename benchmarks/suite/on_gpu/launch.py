"""Compiling a kernel in CUDA C once, and how many blocks cover a grid."""

import functools
import math

PROCESSORS = 132
"""Multiprocessors of an H100; with fewer blocks than these, some of them have nothing to do."""


@functools.cache
def compiled(text, name, *options):
    import cupy

    return cupy.RawKernel(text, name, options=options)


def blocks(*axes):
    """Blocks along each axis, each given as its size and what one block covers of it."""
    return tuple(max(1, -(-size // part)) for size, part in axes)


def largest(choices, grid):
    """The largest of `choices` whose `grid` has a block for each processor, or the smallest."""
    enough = [each for each in choices if math.prod(grid(each)) >= PROCESSORS]
    return max(enough, default=min(choices))
