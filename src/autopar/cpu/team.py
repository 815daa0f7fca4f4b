"""Threads that take the chunks of one parallel loop after the other, in machine code.

A launch that wakes threads up, and hands them each chunk through the interpreter, takes a hundred
microseconds, as long as a sweep through an array in cache.  So threads that have had work look for
more for a while, in memory that all of them share: a team.  To have it begin costs a microsecond.

This is where these and what Python wants done have their places in that memory; `threads` and
`errands` are the text of the functions.
"""

from __future__ import annotations

import functools
import platform
import sys

from autopar.cpu import errands, likeness, replay, threads
from autopar.cpu.structs import DATA, FLAGS, WITHOUT_GAPS

LINE = 8
"""Words that processors hand to each other at once."""

TOGETHER = 0
"""Place of a word in the memory of a team: the function that a kernel calls to have it run."""
_LAUNCH, _TASK, _FRAME, _COUNT, _STOP = (LINE + k for k in range(5))
THREADS = LINE + 5
"""Of how many threads a team is, the one that launches included."""
_FINISHED = 2 * LINE
_STATUSES = 3 * LINE
LEFT = 4 * LINE
"""How many threads have left since the team was made, because there was nothing to do."""
OVER = 5 * LINE
"""Not zero: all are to leave."""
_ARRIVED = 6 * LINE
ASLEEP = 7 * LINE
"""How many threads sleep, or are about to."""
PATIENCE = 7 * LINE + 2
"""Looks for more work before a thread sleeps, or leaves."""
AVOIDED = 7 * LINE + 1
"""Number of the processor that threads keep away from; -1: they may be on any."""
_SEMAPHORE = 8 * LINE  # 32 bytes in glibc, less elsewhere
PROCESSORS = 9 * LINE
"""Bits for those that threads may be on; all 0: they are wherever the system has them."""
MOST_PROCESSORS = 2 * LINE * 64
"""Whose bits there is room for."""
_TICKETS = 11 * LINE
_HANDLE = 1  # behind a ticket: what the system knows the thread by that it belongs to

_BITS = 16
MOST_THREADS = 1 << (_BITS - 4)
"""Their chunks can be told apart in the lower bits of a ticket; launches, in the upper ones, begin
again after years."""
SPINS = 40_000
"""The usual `PATIENCE`: two milliseconds, for what a program does between two nests, and since a
processor that has been put to sleep may take one to wake."""
_POLITE = 63
"""Between so many of them the processor is offered to somebody else: it may be the one of who waits
for this thread."""
_LOYAL, _SOON = 2000, 100
"""Looks at what another has left before one takes it from there: to bring what it works on from the
cache of another processor takes long, too.  The last chunk, which its owner is likely to come to,
is left alone for tens of microseconds, more of them for a few."""
SLEEPS = sys.platform == "linux"
"""Whether there are semaphores without a name, and threads can be told where to be."""
YIELDS = sys.platform != "win32"
"""Whether a thread can offer its processor to others."""
_EAGER = 500
"""Looks at whether others have finished before the processor is offered to somebody else."""

BEGIN, SERVE, NOTHING, END, COPY, STIR, STEPS, LIKE, AGAIN = range(9)
"""What the function of Python's is to do: get the memory ready, have the calling thread help until
it is to leave, run chunks in which there is nothing to do, have all threads leave, copy memory,
wake those that sleep for a launch that is about to come, run one parallel loop after the other; or,
which has little to do with threads, tell whether values are like those that a table is about, or do
all of a call if they are.

To copy, the address of a table follows, of how many parts, how many arrays, and room for a word;
and for each array room for a word, where its copy begins, and of how many bytes it is.  Then the
array that copies are put into, and those that are copied.  One part is copied by this thread alone.
If there are `GAPS` in one of the arrays, nothing is.  To run loops, the address of a table of how
many these are, and for each a row of `STEP` words: which of the kernels, how many chunks, how many
iterations, how many loops are around it, and where these are.  Then that of a table of where the
kernels are noted, and that of the word that stops them.  A bit is set in what is returned for each
status that there was in the last loop that was begun.  To compare, the address of a table of
`likeness` and a tuple of values follow; to do all of a call, that of a table of `replay`, the
values, and an array for copies, or anything where there are none.
"""

GAPS = 1
"""What is returned of arrays whose elements do not follow each other."""

STEP = 8
"""Words of one loop in a table."""
MOST_AROUND = STEP - 4
"""Loops around it for which there is room there."""

NOTED = 8
"""Words in memory where a kernel is noted, before what it is called with: its function, and where
in memory the variables of the loops around it are to be written."""


def words(threads: int) -> int:
    """How many words the memory of a team has."""
    return _TICKETS + threads * LINE


_X86 = "call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"
_ARM = "call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"
_PAUSES = {"x86_64": _X86, "AMD64": _X86, "aarch64": _ARM, "arm64": _ARM}
"""What tells a processor that the thread waits, and its declaration."""


@functools.cache
def text(stopped: int, sleeps: bool, yields: bool) -> str:
    """LLVM text of ``<name>(address of a team, what to do)``.

    Parameters
    ----------
    stopped
        The status of a chunk that is not begun, because something has gone wrong elsewhere.
    sleeps, yields
        See `SLEEPS` and `YIELDS`.
    """
    numbers = {
        "together": TOGETHER, "launch": _LAUNCH, "task": _TASK, "frame": _FRAME, "count": _COUNT,
        "stop": _STOP, "threads": THREADS, "finished": _FINISHED, "statuses": _STATUSES,
        "left": LEFT, "asleep": ASLEEP, "semaphore": _SEMAPHORE, "end": END, "copy": COPY,
        "stir": STIR, "steps": STEPS, "like": LIKE, "again": AGAIN, "step": STEP, "noted": NOTED,
        "gaps": GAPS,
        "data": DATA, "flags": FLAGS, "without_gaps": WITHOUT_GAPS,
        "polite": _POLITE, "loyal": _LOYAL, "soon": _LOYAL - _SOON,
        "over": OVER, "arrived": _ARRIVED, "tickets": _TICKETS, "line": LINE,
        "avoided": AVOIDED, "patience": PATIENCE, "processors": PROCESSORS, "most": MOST_PROCESSORS,
        "room": MOST_PROCESSORS // 64, "bytes": MOST_PROCESSORS // 8, "handle": _HANDLE,
        "eager": _EAGER, "bits": _BITS, "mask": (1 << _BITS) - 1,
        "upper": -1 << _BITS,
        "serve": SERVE, "nothing": NOTHING, "stopped": stopped,
    }  # fmt: skip
    pause, declaration = _PAUSES.get(platform.machine(), ("", ""))
    offer = ""
    if yields:
        offer = 'call i32 @"sched_yield"()'
        declaration += '\ndeclare i32 @"sched_yield"()'
    made = errands.TEXT + threads.TEXT
    made = made.replace("<pause>", pause).replace("<declaration>", declaration)
    made = made.replace("<offer>", offer)
    for word, number in numbers.items():
        made = made.replace(f"<{word}>", str(number))
    return made.replace("<sleeps>", str(sleeps).lower()) + likeness.text() + replay.text()
