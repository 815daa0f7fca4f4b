"""What travels between the rooms that make a loop callable and the room that calls it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autopar.nest.ir import Expr, For


@dataclass(frozen=True, slots=True)
class SiteSpec:
    """One loop in rewritten code: plain data, stored beside the code in the cache.

    Attributes
    ----------
    file, line, function
        Place of the outermost ``for``.
    roots
        Names whose values the rewritten code hands over, in order.
    live_out
        Names that it assigns from the result, in order.
    nest
        Pickled `autopar.nest.ir.Nest`; unpickled at the first call only.
    text
        The loop as source text, dedented, for the reference run of ``AUTOPAR_VERIFY``.
    parent
        Index (in the same module) of the site whose fallback contains this loop.
    """

    file: str
    line: int
    function: str
    roots: tuple[str, ...]
    live_out: tuple[str, ...]
    nest: bytes
    text: str
    parent: int | None


@dataclass(frozen=True, slots=True)
class Claim:
    """The guard must show that `expr` stays within ``[low, high]`` inside the loops `scope`.

    With `nonzero` it must also show that `expr` is never 0.  Where the guard cannot, a *careful*
    program that checks everything inside is run instead.
    """

    expr: Expr
    low: int
    high: int
    scope: tuple[For, ...]
    nonzero: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """One generated function.

    Attributes
    ----------
    name, text
        Of the function; the text compiles alone, given the helpers in `symbols`.
    parallel
        Whether it takes ``chunk, lo, hi`` first.
    arrays, numbers, outer
        Paths, paths and driver loop variables that follow, in order.
    cells
        Scalars whose cells follow last, after ``tags``; empty when it touches none.
    helpers
        Names that the text needs from `cpu.support`.
    may_fail
        Whether it can return 1, so that its arrays need a roll-back copy.
    """

    name: str
    text: str
    parallel: bool
    arrays: tuple[str, ...]
    numbers: tuple[str, ...]
    outer: tuple[str, ...]
    cells: tuple[str, ...]
    helpers: tuple[str, ...]
    may_fail: bool


@dataclass(frozen=True, slots=True)
class Program:
    """Everything to run one variant of a nest.

    Attributes
    ----------
    driver
        Text of ``drive(run, numbers…)``; ``run`` offers ``serial``, ``parallel`` and ``assign``.
    inputs
        Paths that `driver` takes, in order: numbers and ``extents`` of arrays.
    slots
        Scalars that have cells, in order, with their dtype.
    claims
        What the guard must show about Python integers, or run the careful program.
    needs
        What the guard must show in any case: ranges that the driver evaluates fit 64 bits.
    written
        Array paths that kernels write.
    """

    kernels: tuple[Kernel, ...]
    driver: str
    inputs: tuple[str, ...]
    slots: tuple[tuple[str, str], ...]
    claims: tuple[Claim, ...]
    needs: tuple[Claim, ...]
    written: tuple[str, ...]

    @property
    def may_fail(self) -> bool:
        return any(kernel.may_fail for kernel in self.kernels)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program whose kernels can be called.

    Attributes
    ----------
    calls
        One callable per kernel of `program`; returns 0, or 1 when it gave up.
    drive
        The compiled driver.
    compiled
        Whether machine code had to be made, rather than read from the cache.
    """

    program: Program
    calls: tuple[Callable[..., int], ...]
    drive: Callable[..., int]
    compiled: bool
