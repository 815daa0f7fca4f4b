"""Loops of kernels that run few times, as often as a number says that a kernel is given.

Where a kernel is launched with such a number, it may have a text of its own, in which a compiler
finds it as a constant.  Loops are then written out: a convolution by five weights in a row reads
each cell once for all the results that are next to one another.  How long that makes a text, it
says by itself::

    #if AP_kernel0_m * (6 + AP_kernel0_m * 12) <= 1000
    #pragma unroll
    #endif
    for (…; … < m; …)
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from autopar.records import dataclass, field

FEW = 8
"""Times that a loop runs whose number is worth a text."""
_LONGEST = 1000  # statements of loops that are written out
_UNKNOWN = 1000  # times that others run
_ONCE = re.compile(r"v\d+_")
"""Names that are ours, and stand for the same integer all the time, if for one; a name of the
user's that looks like it may only have a loop written out that need not be."""
_EXTENT = re.compile(r"ap_n\d+_\w+")


def word(kernel: str, argument: str) -> str:
    """What stands for the value of an argument in the text of a kernel."""
    return f"AP_{kernel}_{argument}"


def defined(kernel: str, known: Sequence[tuple[str, int]]) -> str:
    """Lines in front of a text for a kernel that is launched with these values."""
    return "".join(f"#define {word(kernel, name)} {value}\n" for name, value in known)


@dataclass(slots=True)
class Lengths:
    """How long loops are once they are written out, by what numbers make them run.

    Attributes
    ----------
    kernel
        Whose they are.
    numbers
        Arguments that nothing is assigned to, and names that stand for one, or for zero.
    bounds
        The arguments that end some loop.
    """

    kernel: str = ""
    numbers: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, None] = field(default_factory=dict)
    plain: int = 0  # statements of the loop at hand, or of all
    inner: list[str] = field(default_factory=list)  # texts of the lengths of loops in it

    def assigned(self, name: str, text: str) -> None:
        """A statement gives `name` a value."""
        self.plain += 1
        if _ONCE.fullmatch(name) and self.number(text):
            self.numbers[name] = self.number(text)

    def number(self, text: str) -> str:
        """The argument that `text` stands for, or zero; empty where it is neither."""
        return text if text == "0" or _EXTENT.fullmatch(text) else self.numbers.get(text, "")

    @contextmanager
    def loop(self, lines: list[str], start: str, stop: str) -> Generator[None, None, None]:
        """Around the lines of a loop by one, which may run as often as an argument says."""
        found = self.number(stop)
        if self.number(start) != "0" or found in ("", "0"):
            yield
            return
        first, before = len(lines), (self.plain, self.inner)
        self.plain, self.inner = 0, []
        yield
        self.bounds[found] = None
        length = f"{word(self.kernel, found)} * ({' + '.join((str(self.plain), *self.inner))})"
        self.plain, self.inner = before[0], [*before[1], length]
        lines[first:first] = [f"#if {length} <= {_LONGEST}", "#pragma unroll", "#endif"]

    def defaults(self) -> list[str]:
        """Lines in front of the kernel: of values that are not known, loops are long."""
        return [
            line
            for one in self.bounds
            for name in (word(self.kernel, one),)
            for line in (f"#ifndef {name}", f"#define {name} {_UNKNOWN}", "#endif")
        ]

    def constants(self) -> list[str]:
        """Lines of the entry: arguments of which the value is known."""
        return [
            line
            for one in self.bounds
            for name in (word(self.kernel, one),)
            for line in (f"#if {name} <= {FEW}", f"    {one} = {name};", "#endif")
        ]
