"""What travels between the rooms that make a loop callable and the room that calls it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from autopar.records import dataclass, field

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

    from autopar.nest.ir import Expr, For


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


LAST = "last"
"""In place of an operation: parts are not joined, the last one stays."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """An accumulator that the parts of a loop may compute apart, or an array of their own.

    Attributes
    ----------
    name
        The scalar, or the path of an `array`, each part of which is one.
    op
        What joins two parts: ``+ * & | ^``, the comparison that a new value must pass to replace
        the old one, or ``and`` and ``or``, where the old one decides; `LAST` for an array that
        each iteration fills before it reads it, of which the last part has the final contents.
    updates
        Ids of the statements that update it; for `LAST`, of all in the loop.
    taken
        Scalars that are assigned whenever its value is replaced.
    ordered
        Whether that holds only as long as no value is a nan.
    """

    name: str
    op: str
    updates: frozenset[int]
    taken: tuple[str, ...] = ()
    array: bool = False
    ordered: bool = False

    @property
    def chooses(self) -> bool:
        """Whether the result is one of the values, and parts start from the one before the loop."""
        return self.op in ("<", "<=", ">", ">=", "and", "or")

    @property
    def private(self) -> bool:
        """Whether parts have nothing to do with each other."""
        return self.op == LAST


class Watch(Enum):
    """What kernels do about NumPy's floating-point warnings."""

    __hash__ = object.__hash__  # part of each call's question, and `Enum` has it in Python

    IGNORE = "ignore"
    """Nothing: the user's ``np.errstate`` ignores them all."""
    NOTICE = "notice"
    """Say afterwards that there may have been one: next to no cost."""
    NAME = "name"
    """Say which there were, in which line."""
    KEEP = "keep"
    """The same, but where iterations are independent notice, a strip of them at a time; what a
    strip reads and overwrites is kept, so that one that rang can be run again with names."""


@dataclass(frozen=True, slots=True)
class EmitOptions:
    """How the kernels of a plan are to be written.

    Attributes
    ----------
    inside
        Ids of the accesses that the guard proves in bounds; the others check themselves.
    careful
        Check every Python integer in the kernel, because the guard cannot bound them.
    watch
        What to do about floating-point warnings.
    brief, lengthy
        Ids of the loops whose iterations are short, and of those that run long each time: a kernel
        must be interruptible in its outermost loop and in lengthy ones.
    bounded
        Arrays of integers that are known to be no larger than 2**53, either way.
    apart
        Whether no array that is written shares memory with another.
    relaxed
        Whether operations on floats may be done in another order and rounded less often.
    singly
        Whether functions of NumPy's are called for one number at a time, as a device computes them.
    offloaded
        Whether they are to run on a device, which waits for memory, and not for one instruction
        more: what a step leaves is looked at in it, not once more after all steps.
    """

    inside: frozenset[int]
    careful: bool = False
    watch: Watch = Watch.IGNORE
    brief: frozenset[int] = frozenset()
    lengthy: frozenset[int] = frozenset()
    bounded: frozenset[str] = frozenset()
    apart: bool = False
    relaxed: bool = False
    singly: bool = False
    offloaded: bool = False


class Words:
    """Places in the array of int64 that stands for a random generator in a kernel.

    Attributes
    ----------
    DRAWN
        The bits of the number drawn last, the only word that the nest itself reads and writes.
    BITS
        Address of NumPy's ``bitgen_t``.
    KEPT, OTHER
        Whether the second number of a pair is kept, and its bits.
    """

    DRAWN, BITS, KEPT, OTHER = range(4)
    COUNT = 4


class Status:
    """What a kernel returns."""

    DONE = 0
    FAILED = 1
    """It met something that only the interpreter can do, such as raise."""
    STOPPED = 2
    """The launching thread asked it to stop."""
    ALARMED = 3
    """NumPy may have warned, and the kernel cannot say of what."""
    UNSURE = 4
    """Parts of a reduction cannot be joined to what the source order would have given."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One warning that one line may cause, as NumPy words it."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """One generated function.

    Its arguments, in order: the address of a word that is non-zero once it should stop; for a
    `parallel` one ``chunk, lo, hi``; `arrays`, `numbers` and `outer`; for one that `asks` an array
    of three int64 for its answer; ``tags`` and the cells of `cells`; for one with `alarms` an
    int8 array with a row for each chunk and a column for each alarm that rang; for one with
    `spans` an int64 array of a row for each chunk and two columns for each.

    Attributes
    ----------
    name, text
        Of the function; the text is in the language of `cpu.lower`.
    parallel
        Whether it runs a chunk of a loop.
    asks
        Whether it evaluates a range or a test for the driver, perhaps after some statements.
    arrays, numbers, outer
        Paths, paths, and integers that the driver computes.
    cells, leaves
        Scalars whose cells it touches, and those of them that it assigns.
    may_fail
        Whether it can return ``FAILED``, so that its arrays need a roll-back copy.
    may_alarm
        Whether it can return ``ALARMED``.
    alarms
        The warnings that it can name.
    outright
        Whether it was to `KEEP`, but names outright in some loop, which is slow.
    reductions
        Accumulators that each chunk computes for itself.
    spans
        Those of them of which it reports the greatest and the least value on the way, since NumPy
        would have warned of one that leaves the dtype.
    whole
        Whether its loop goes through the elements of arrays, as NumPy does: a warning of one of its
        statements then comes before those of the next, in whichever chunk.
    relaxed
        Whether its operations on floats may be done in another order and rounded less often.
    sweeps
        Whether a chunk is gone through several times.
    grain
        How many iterations go on together, so that chunks are better multiples of that.
    least
        How many iterations a chunk should have at the least, because of what it begins with.
    backwards
        Whether a team takes the last chunks first, as later iterations take longer.
    even
        Whether each iteration of its loop does as much as any other, as far as the text says.
    later
        Whether it looks for infinities and nans in cells after a loop that goes along them often.
    multiplies
        Whether it has BLAS multiply matrices, which has threads of its own.
    apart
        Whether no two of its arrays share memory.
    turned
        Whether its iterations are those of several loops, in another order than the user's.
    steady
        Whether how long it runs depends on numbers alone, not on what it finds in arrays.
    """

    name: str
    text: str
    parallel: bool
    asks: bool
    arrays: tuple[str, ...]
    numbers: tuple[str, ...]
    outer: tuple[str, ...]
    cells: tuple[str, ...]
    may_fail: bool
    may_alarm: bool
    alarms: tuple[Alarm, ...]
    outright: bool = False
    reductions: tuple[Reduction, ...] = ()
    spans: tuple[str, ...] = ()
    whole: bool = False
    relaxed: bool = False
    sweeps: bool = False
    grain: int = 1
    least: int = 1
    backwards: bool = False
    even: bool = False
    leaves: tuple[str, ...] = ()
    steady: bool = False
    turned: bool = False
    later: bool = False
    multiplies: bool = False
    apart: bool = False

    @property
    def copied(self) -> tuple[Reduction, ...]:
        """Those that are arrays: each chunk updates a copy of its own."""
        return tuple(r for r in self.reductions if r.array)

    @property
    def joins(self) -> bool:
        """Whether what its chunks come to must be put together."""
        return any(not r.private for r in self.reductions)


def border(chunk: int, chunks: int, trips: int, grain: int) -> int:
    """Where the chunk with that number begins, and the one before it ends.

    Each has at least one iteration if there are so many, and whole grains if there are.
    """
    if chunk == chunks:
        return trips
    at = chunk * trips // chunks
    return at if trips < chunks * grain else at - at % grain


@dataclass(frozen=True, slots=True)
class Program:
    """Everything to run one variant of a nest.

    Attributes
    ----------
    driver
        Text of ``drive(run, numbers…)``; ``run`` offers ``serial``, ``parallel``, ``ask`` and
        ``assign``.
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
    lines
        Of the nest, in the order of its statements.
    """

    kernels: tuple[Kernel, ...]
    driver: str
    inputs: tuple[str, ...]
    slots: tuple[tuple[str, str], ...]
    claims: tuple[Claim, ...]
    needs: tuple[Claim, ...]
    written: tuple[str, ...]
    lines: tuple[int, ...]

    @property
    def may_fail(self) -> bool:
        return self.joins or any(kernel.may_fail for kernel in self.kernels)

    @property
    def joins(self) -> bool:
        """Whether parts of a reduction are joined, which may turn out to be impossible."""
        return any(kernel.joins for kernel in self.kernels)

    @property
    def may_alarm(self) -> bool:
        return any(kernel.may_alarm for kernel in self.kernels)

    @property
    def later(self) -> bool:
        """Whether infinities and nans are looked for after loops, not in their iterations."""
        return any(kernel.later for kernel in self.kernels)

    @property
    def outright(self) -> bool:
        return any(kernel.outright for kernel in self.kernels)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program whose kernels can be called.

    Attributes
    ----------
    calls
        One callable per kernel of `program`; returns a `Status`.
    drive
        The compiled driver.
    compiled
        Whether machine code had to be made, rather than read from the cache.
    index
        Number of each scalar that has cells.
    may_fail, may_alarm
        Of `program`, asked once.
    inputs
        Those of `program`: the path, and of one written ``A.shape[0]`` the array and the axis.
    multiplying
        Numbers of its kernels that have BLAS multiply, not each in a part of a parallel loop.
    spare
        Runs that are over and can serve another.
    """

    program: Program
    calls: tuple[Callable[..., int], ...]
    drive: Callable[..., int]
    compiled: bool
    index: dict[str, int]
    may_fail: bool
    may_alarm: bool
    inputs: tuple[tuple[str, str, int], ...] = ()
    multiplying: frozenset[int] = frozenset()
    spare: list[Any] = field(default_factory=list, compare=False, repr=False)

    def sharing(self, threads: int) -> int:
        """How many threads work on the arrays of a run that may have so many."""
        return threads if any(kernel.parallel for kernel in self.program.kernels) else 1
