"""A device as kernels see it, whatever library reaches it."""

from __future__ import annotations

import _thread
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from autopar.device import remembered
from autopar.device.dialect import Dialect
from autopar.device.groups import Groups, Seconds
from autopar.device.memory import Layout, address
from autopar.device.recordings import Recordings
from autopar.device.values import Untaken
from autopar.records import dataclass

Array = np.ndarray[Any, Any]
_SPIN_S = 1e-3  # one look after the other
_SHARE, _LONGEST_S = 1 / 16, 1e-3  # of the time so far, between two looks after that
_MOST_KEPT = 2048  # kernels of which is kept how many work items go on together


class DeviceFailed(Exception):
    """There is no device, or it could not do what it was asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """An integer of 32 bits on the device, and where the host hears of it, with the address."""

    there: Any
    here: Array
    at: int


class Device(ABC):
    """One device, and what launches on it need; of no use in a child of the process.

    What its library raises becomes `DeviceFailed` inside of `failing`.

    Attributes
    ----------
    dialect
        The C that it compiles.
    group
        Work items that go on together, always as many: a compiler may make each number a kernel of
        its own, and work items beyond the last chunk do nothing.
    failures
        What its library raises, and what is raised where there is no memory or a file is missing.
    name, version
        As its maker calls it, and what compiles for it.
    number
        Which of the devices of its kind.
    memory, largest
        Bytes that it has, and that one block may have.
    gpu
        Whether it is more than the processor under another name.
    tries
        Whether numbers of work items that go on together are tried.  A processor's compiler would
        make a kernel of its own for each.
    most
        Work items of a group, at the most.
    recordings
        Of runs that have been there before; None where launches cannot be recorded.
    copy
        Copies an array to another of its shape; whoever has threads may have a faster one.
    """

    dialect: ClassVar[Dialect]
    group: ClassVar[int]
    failures: tuple[type[Exception], ...]

    def __init__(self, name: str, number: int, memory: int, largest: int, gpu: bool) -> None:
        self.name, self.number, self.memory, self.largest = name, number, memory, largest
        self.version = ""
        self.gpu = self.tries = gpu
        self.most = 1024
        self.copy: Callable[[Array, Array], None] = np.copyto
        self.process = os.getpid()
        self.lock = _thread.allocate_lock()
        self.inside: set[int] = set()  # threads that hold it, or wait for it
        self.kernels: dict[tuple[str, str], Any] = {}  # by entry and text
        self.programs: dict[str, Any] = {}  # by text
        self.groups: dict[tuple[str, str], Groups] = {}  # by entry and text
        # By entry and text: numbers of times that loops run, for which there are texts.
        self.few: dict[tuple[str, str], dict[tuple[tuple[int, int], ...], None]] = {}
        self.recordings: Recordings | None = None
        self.words: list[Word] = []  # that nobody has

    @property
    def label(self) -> str:
        """As users and the report have it."""
        return f"{self.dialect.name}:{self.number}"

    def check(self) -> None:
        """Raise `DeviceFailed` in a forked process, which would wait for threads it has not."""
        if self.process != os.getpid():
            raise DeviceFailed(f"{self.name} is not there in a forked process")

    def room(self, where: Layout, limit: int | None) -> bool:
        """Whether all blocks fit into its memory, or so many bytes of it, and a packed one too."""
        sizes = [block.size for block in where.blocks]
        largest, free = max(sizes, default=0), self.free()
        return largest <= self.largest and sum(sizes) + largest <= min(limit or free, free)

    def free(self) -> int:
        """Bytes that nobody has, as far as is known."""
        return self.memory

    @contextmanager
    def alone(self) -> Generator[None, None, None]:
        """Around what one thread must do at a time: kernels and what stages copies are shared.

        Raises
        ------
        Untaken
            This thread is doing it already: a signal handler, or an object that is no longer
            needed, has run a nest in between, which must neither wait nor touch what is shared.
        """
        me = _thread.get_ident()
        if me in self.inside:
            raise Untaken("the device is in the middle of something else")
        self.inside.add(me)
        try:
            with self.lock:
                yield
        finally:
            self.inside.discard(me)

    def kernel(self, entry: str, text: str) -> Any:
        """The function `entry` of `text`, ready to be launched.

        What its compiler does to the filters of warnings is for the caller to keep from the
        user's program.

        Raises
        ------
        DeviceFailed
            Its compiler does not take the text.
        """
        self.check()
        found = self.kernels.get((entry, text))
        if found is None:
            try:
                program = self.programs.get(text)
                if program is None:
                    program = self.programs[text] = self.compiled(text)
                found = self.kernels[entry, text] = self.function(program, entry)
            except self.failures as error:
                words = f"{self.name} compiles no kernel: {first_line(error)}"
                raise DeviceFailed(words) from error
        return found

    def grouped(self, entry: str, text: str) -> Groups:
        """How many work items of a kernel go on together, where any number may."""
        found = self.groups.get((entry, text))
        if found is None:
            about = self.name, self.version, self.memory, entry, text
            known = remembered.known("groups", about, ("size",))

            def keep(size: int) -> None:
                remembered.keep("groups", about, {"size": size}, _MOST_KEPT)

            kept = None if known is None else int(known["size"])
            most = self.limit(self.kernel(entry, text))
            found = self.groups[entry, text] = Groups(self.group, most, kept, keep)
        return found

    @contextmanager
    def failing(self) -> Generator[None, None, None]:
        """Around what may fail on the device."""
        try:
            yield
        except self.failures as error:
            raise DeviceFailed(first_line(error)) from error

    def host(self, size: int) -> Array:
        """So many bytes of the host, with anything in them, which `send` and `fetch` reach best."""
        return np.empty(size, np.uint8)

    def word(self) -> Word:
        """A word with zero in it; who does not need it any more puts it back into `words`."""
        try:
            found = self.words.pop()
        except IndexError:
            here = self.host(4).view(np.int32)
            found = Word(self.buffer(4), here, address(here))
        self.fill(found.there, 0, 4)
        return found

    def heard(self, word: Word) -> int:
        """What is in a word, once all launches are done; Ctrl-C is heard meanwhile."""
        self.fetch(word.here, word.there, 0)
        return int(word.here[0])

    def wait(self, mark: Any) -> None:
        """Until all before a mark is done; between two looks, Ctrl-C is heard.

        Raises
        ------
        DeviceFailed
            It never will be.
        """
        began = time.perf_counter()
        while not self.done(mark):
            waited = time.perf_counter() - began
            time.sleep(0 if waited < _SPIN_S else min(waited * _SHARE, _LONGEST_S))

    @abstractmethod
    def compiled(self, text: str) -> Any:
        """What there is on the device of a text."""

    @abstractmethod
    def function(self, program: Any, entry: str) -> Any:
        """What `launch` is handed for the function `entry` of something that is compiled."""

    @abstractmethod
    def buffer(self, size: int) -> Any:
        """A block of at least so many bytes, with anything in it."""

    @abstractmethod
    def release(self, buffer: Any) -> None:
        """Nobody needs a block any more, but for what has been launched."""

    @abstractmethod
    def send(self, buffer: Any, content: Array, at: int) -> None:
        """Have `content`, which is dense, in a block from a byte on; it may change afterwards."""

    @abstractmethod
    def fetch(self, content: Array, buffer: Any, at: int) -> None:
        """Have what is in a block from a byte on in `content`, once all launches are done.

        Ctrl-C is heard meanwhile.
        """

    @abstractmethod
    def fill(self, buffer: Any, byte: int, size: int) -> None:
        """Have the same in all bytes of a block."""

    @abstractmethod
    def launch(self, kernel: Any, items: int, group: int, given: Sequence[Any]) -> None:
        """Start a kernel of at least so many work items, behind all that was started before.

        Parameters
        ----------
        group
            How many of them go on together.
        given
            Blocks, and NumPy's numbers.
        """

    @abstractmethod
    def timed(self, kernel: Any, items: int, group: int, given: Sequence[Any]) -> Seconds:
        """As `launch`; what is answered says how long it took on the device."""

    @abstractmethod
    def limit(self, kernel: Any) -> int:
        """How many work items of a kernel can go on together."""

    @abstractmethod
    def mark(self) -> Any:
        """A mark behind all that was started before."""

    @abstractmethod
    def done(self, mark: Any) -> bool:
        """Whether all before a mark is done."""


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
