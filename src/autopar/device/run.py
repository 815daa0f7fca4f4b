"""One run of a nest on a device: its arrays are there from the beginning to the end."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from autopar.device.api import Array, Device, DeviceFailed
from autopar.device.groups import LEAST, Groups
from autopar.device.lower import Argument, Few, Source
from autopar.device.memory import GRID, NO_BOXES, Box, Layout, Place, layout, packed, unpack
from autopar.device.packing import (
    ENTRY,
    SPREAD,
    WIDEST,
    Cells,
    Strip,
    count,
    gather,
    in_pieces,
    packer,
    scattered,
    spreader,
    strips,
    table,
    unit,
    views,
)
from autopar.device.recordings import MOST, Recording
from autopar.device.unrolling import FEW
from autopar.device.values import Untaken
from autopar.records import dataclass

_NOTHING = 0xA5
"""What is where nothing went over, if that is to be noticed."""
_AHEAD = 64
"""Launches that nobody has waited for, at the most."""
_MOST_FEW = 4  # texts of a kernel for loops that run few times
_EACH_TIME = frozenset(("number", "re", "im", "own"))
"""Parts of arguments that may be others at each launch."""
Parts = Mapping[int, tuple[Cells | None, Cells | None]]
NO_PARTS: Parts = MappingProxyType({})


def _at_once(work: Callable[[], Any]) -> Any:
    return work()


@dataclass(frozen=True, slots=True)
class _Small:
    buffer: Any
    array: Array


@dataclass(frozen=True, slots=True)
class _Ready:
    """A kernel that can be launched, and how many work items go on together, or what finds out."""

    entry: Any
    group: int
    groups: Groups | None


class Run:
    """One run of a nest on a device.

    Parameters
    ----------
    written
        Positions of arrays that come back, if the run comes to its end.
    parts
        By the position of an array, which of its cells the run needs and which of them come back;
        all where there is nothing, or None.  It is of no use to arrays that share memory with one
        that is written.
    boxes
        For which part of an array there is to be room, as in `layout`.
    check
        Whether to put something else where nothing goes over, that cannot be there by chance.
    apart
        How to compile, so that the user's program does not notice.

    Attributes
    ----------
    moved, scratch
        Bytes of arrays that went over and came back, and bytes of all else.

    Raises
    ------
    Untaken
        Its arrays share memory in a way that is not taken.
    DeviceFailed
        They cannot be brought to the device.
    """

    def __init__(
        self,
        device: Device,
        arrays: Sequence[Array],
        written: frozenset[int],
        parts: Parts = NO_PARTS,
        boxes: Mapping[int, Box] = NO_BOXES,
        check: bool = False,
        apart: Callable[[Callable[[], Any]], Any] = _at_once,
    ) -> None:
        self.device, self.arrays = device, arrays
        self.moved = self.scratch = 0
        device.check()
        self.layout: Layout = layout(arrays, written, boxes)
        self.parts, self.apart, self.check = parts, apart, check
        if any(block.size > device.largest for block in self.layout.blocks):
            raise DeviceFailed(f"{device.name} has no room for an array of this nest")
        self.small: dict[int, _Small] = {}  # by the id of the array
        self.own: dict[int, tuple[int, Any]] = {}  # by the block: bytes, and where they are
        self.ahead = 0  # launches that nobody has waited for
        self.launches, self.trying = 0, False  # so far, and whether some of them were to find out
        self.lasting: dict[tuple[int, int, int], Any] = {}  # arguments that are the same each time
        # By the id of a source, which is handed the same arrays each time, and by its form.
        self.ready: dict[tuple[int, bool, Few], _Ready] = {}
        self.recording = False
        with device.failing():
            self.buffers = [device.buffer(block.size) for block in self.layout.blocks]
            for k in range(len(self.buffers)):
                self.come(k)
            self.worst = device.word()

    def send(self, buffer: Any, content: Array, at: int = 0) -> int:
        """Bytes that went over, to `at` in the buffer."""
        self.device.send(buffer, content, at)
        return content.nbytes

    def fetch(self, content: Array, buffer: Any, at: int = 0) -> int:
        """Bytes that came back, from `at` in the buffer."""
        self.device.fetch(content, buffer, at)
        return content.nbytes

    # ------------------------------------------------------------------ cells of arrays

    def part(self, block: int, back: bool) -> tuple[int, list[Strip]] | None:
        """An array and its cells that go over or come back with a block; None: all of it."""
        if self.layout.blocks[block].raw is not None:
            return None
        (k,) = (k for k, place in enumerate(self.layout.places) if place.block == block)
        cells = self.parts.get(k, (None, None))[back]
        if cells is None:
            return None
        place = self.layout.places[k]
        return k, strips(self.arrays[k], place.offset, place.strides, cells)

    def come(self, block: int) -> None:
        """Bring over what the run needs of a block."""
        buffer, part = self.buffers[block], self.part(block, back=False)
        if part is None:
            self.moved += self.send(buffer, packed(self.arrays, self.layout, block))
            return
        if self.check:
            self.device.fill(buffer, _NOTHING, self.layout.blocks[block].size)
        k, found = part
        array = self.arrays[k]
        if in_pieces(found, array.itemsize):
            for one, view in zip(found, views(array, found), strict=True):
                self.moved += self.send(buffer, np.ascontiguousarray(view), one.at)
            return
        content = self.device.host(count(found) * array.itemsize).view(array.dtype)
        gather(content, array, found, self.device.copy)
        held = self.device.buffer(content.nbytes)
        self.moved += self.send(held, content)
        self.pack(buffer, held, found, array, back=False)

    def fetched(self, block: int) -> Callable[[], None]:
        """Bring back what comes back of a block; what is answered leaves it in the arrays."""
        buffer, part = self.buffers[block], self.part(block, back=True)
        if part is None:
            whole = self.device.host(self.layout.blocks[block].size)
            self.moved += self.fetch(whole, buffer)
            where = self.arrays, self.layout, block
            return functools.partial(unpack, *where, whole, self.device.copy)
        k, found = part
        array = self.arrays[k]
        content = self.device.host(count(found) * array.itemsize).view(array.dtype)
        if in_pieces(found, array.itemsize):
            at = 0
            for one in found:
                self.moved += self.fetch(content[at : at + one.size], buffer, one.at)
                at += one.size
        else:
            held = self.device.buffer(content.nbytes)
            self.pack(buffer, held, found, array, back=True)
            self.moved += self.fetch(content, held)
        return functools.partial(scattered, array, found, content, self.device.copy)

    def pack(
        self, buffer: Any, held: Any, found: Sequence[Strip], array: Array, back: bool
    ) -> None:
        """Have the device spread cells that are packed over a block, or pack them."""
        rows = table(found, array.itemsize)
        told = self.device.buffer(rows.nbytes)
        self.scratch += self.send(told, rows)
        by, size = unit(array.itemsize), count(found)
        text = packer(self.device.dialect, by)
        entry = self.kernel(ENTRY, text)
        numbers = (len(rows), rows.shape[1] // 2 - 1, size, array.itemsize // by, back)
        given = (buffer, held, told, *map(np.int64, numbers))
        self.device.launch(entry, size, self.device.group, given)
        self.device.wait(self.device.mark())  # nobody else keeps the packed cells

    def kernel(self, entry: str, text: str) -> Any:
        """As `Device.kernel`, unnoticed by the user's program."""
        found = self.device.kernels.get((entry, text))
        if found is None:
            found = self.apart(functools.partial(self.device.kernel, entry, text))
        return found

    def release(self) -> None:
        """Nothing of the run is needed any more; its memory is for the next one."""
        small = (one.buffer for one in self.small.values())
        own = (buffer for _, buffer in self.own.values())
        for buffer in (*self.buffers, *small, *own):
            self.device.release(buffer)
        self.device.words.append(self.worst)
        self.buffers = []
        self.small, self.own = {}, {}

    def back(self) -> None:
        """Bring back what was written.  It is all on the host before the first array changes."""
        changed = [k for k, block in enumerate(self.layout.blocks) if block.written]
        with self.device.failing():
            found = [self.fetched(k) for k in changed]
        try:
            for leave in found:
                leave()
        except BaseException:  # a signal handler's, which must not see some arrays without others
            for leave in found:
                leave()
            raise

    # ------------------------------------------------------------------ kernels

    def launch(
        self,
        source: Source,
        trips: int,
        chunks: int,
        values: Sequence[Any],
        small: Sequence[Array] = (),
        first: int = 0,
    ) -> None:
        """Start a kernel; `status` waits for it.

        Parameters
        ----------
        trips, chunks
            Iterations of its loop, and in how many parts; 1 and 1 where it has none.
        values
            For each parameter: the position of an array of the run, or a number.
        small
            Arrays behind these, which are there as `held` and `tell` have left them.
        first
            The first of the iterations.

        Raises
        ------
        DeviceFailed
        """
        device = self.device
        with device.failing():
            each = source.parallel and chunks == trips
            given = [*values, *map(self.held, small)]
            few = self.few(source, given) if source.bounds and device.gpu else ()
            kernel = self.ready.get((id(source), each, few))
            if kernel is None:
                kernel = self.made(source, each, given, few)
                self.ready[id(source), each, few] = kernel
            head = list(map(np.int64, (trips, chunks, first))) if source.parallel else []
            rest = [
                self.argument(a, given[a.place], chunks - (a.place not in source.joined))
                if a.part in _EACH_TIME
                else self.same(source, k, given[a.place])
                for k, a in enumerate(source.arguments)
            ]
            self.begun(kernel, chunks, (self.worst.there, *head, *rest))
            self.launches += 1
            self.ahead += 1
            if self.ahead >= _AHEAD and not self.recording:
                device.wait(device.mark())
                self.ahead = 0

    def few(self, source: Source, given: Sequence[Any]) -> Few:
        """The numbers that say that a loop runs few times; those of a nest are mostly the same."""
        found = []
        for k in source.bounds:
            argument = source.arguments[k]
            value = int(self.argument(argument, given[argument.place], 0))
            if 0 < value <= FEW:
                found.append((k, value))
        few = tuple(found)
        known = self.device.few.setdefault((source.entry, source.text), {(): None})
        if few not in known and len(known) <= _MOST_FEW:
            known[few] = None
        return few if few in known else ()

    def made(self, source: Source, each: bool, given: Sequence[Any], few: Few) -> _Ready:
        """A kernel in the form for arrays like these, ready to be launched."""
        device = self.device
        text = source.form(each, self.unaliased(source, given), few)
        entry = self.kernel(source.entry, text)
        if not source.parallel:
            return _Ready(entry, 1, None)
        if each and 0 < source.group <= device.limit(entry):
            return _Ready(entry, source.group, None)
        groups = device.grouped(source.entry, text) if device.tries else None
        return _Ready(entry, device.group, groups)

    def begun(self, kernel: _Ready, items: int, given: Sequence[Any]) -> None:
        """Launch a kernel, timed where it is tried how many work items should go on together."""
        device, groups = self.device, kernel.groups
        if groups is None:
            device.launch(kernel.entry, items, kernel.group, given)
            return
        size, same = None, b""
        if items >= LEAST and not groups.settled and not self.recording:
            self.trying = True
            same = b"".join(one.tobytes() for one in given if isinstance(one, np.generic))
            size = groups.turn(same)
        if size is None:
            device.launch(kernel.entry, items, groups.best, given)
        else:
            groups.begun(same, size, device.timed(kernel.entry, items, size, given))

    def unaliased(self, source: Source, given: Sequence[Any]) -> bool:
        """Whether each of the arrays that a kernel is given has a block for itself."""
        arrays = [given[a.place] for a in source.arguments if a.part == "data"]
        blocks = [
            id(one) if isinstance(one, _Small) else self.layout.places[one].block for one in arrays
        ]
        return len(set(blocks)) == len(blocks)

    def repeated(self, drive: Callable[[], int], owner: object, name: Hashable) -> int:
        """What `drive` answers, which does nothing but launch kernels of the run.

        Parameters
        ----------
        owner
            Of that function's kernels; it is kept for as long as its identity stands for it.
        name
            What together with that, and with where arrays are, decides what is launched.

        Raises
        ------
        DeviceFailed
        """
        recordings = self.device.recordings
        if recordings is None:
            return drive()
        blocks = [recordings.place(one) for one in (*self.buffers, self.worst.there)]
        # Their parts one by one: what is compared here is not to be looked for by Python.
        lie = [
            (place.block, place.offset, place.strides, array.shape)
            for place, array in zip(self.layout.places, self.arrays, strict=True)
        ]
        name = id(owner), name, tuple(blocks), tuple(lie)
        found = recordings.recalled(name)
        if found is None:
            status = drive()
            if not status and 0 < self.launches <= MOST and not self.trying:
                recordings.note(name, Recording(owner))
            return status
        launches = found.launches
        if launches is None:
            self.recording = True
            try:
                with self.device.failing():
                    status, launches = recordings.record(drive)
            except DeviceFailed:
                self.device.recordings = None  # nothing has run, nor will any be recorded again
            finally:
                self.recording = False
            if launches is None:
                return drive()
            if status:
                return status
            recordings.note(name, Recording(owner, launches))
        with self.device.failing():
            recordings.replay(launches)
        return 0

    def status(self) -> int:
        """The greatest status of all kernels so far, once they are done.

        Raises
        ------
        DeviceFailed
        """
        with self.device.failing():
            status = self.device.heard(self.worst)
        self.scratch += self.worst.here.nbytes
        self.ahead = 0
        return status

    # ------------------------------------------------------------------ small arrays

    def held(self, array: Array) -> _Small:
        """A small array of the host's own, which has room on the device until the run is over."""
        found = self.small.get(id(array))
        if found is None:
            found = self.small[id(array)] = _Small(self.device.buffer(array.nbytes), array)
        return found

    def tell(self, array: Array, rows: slice) -> None:
        """Have on the device what these rows of a small array hold."""
        with self.device.failing():
            buffer = self.held(array).buffer
            at = (rows.start or 0) * array.strides[0]
            self.scratch += self.send(buffer, np.ascontiguousarray(array[rows]), at)

    def put(self, array: Array, byte: int, content: Array) -> None:
        """Have `content` in a small array on the device, from a byte of it on."""
        with self.device.failing():
            self.scratch += self.send(self.held(array).buffer, content, byte)

    def hear(self, array: Array, rows: slice) -> None:
        """Have in these rows of a small array what they hold on the device."""
        content = np.empty_like(array[rows])
        with self.device.failing():
            at = (rows.start or 0) * array.strides[0]
            self.scratch += self.fetch(content, self.held(array).buffer, at)
        array[rows] = content

    def same(self, source: Source, k: int, value: Any) -> Any:
        """What the device is handed for an argument that says where an array of the run lies."""
        key = id(source), k, id(value)
        found = self.lasting.get(key)
        if found is None:
            found = self.lasting[key] = self.argument(source.arguments[k], value, 0)
        return found

    def argument(self, argument: Argument, value: Any, copies: int) -> Any:
        """What the device is handed for one argument of a kernel, with room for so many copies."""
        match argument.part:
            case "number":
                return _type(argument.dtype)(value)
            case "re":
                return _type(argument.dtype)(value.real)
            case "im":
                return _type(argument.dtype)(value.imag)
        if isinstance(value, _Small):
            shape, strides, offset, buffer = value.array.shape, value.array.strides, 0, value.buffer
            place = Place(0, 0, strides)
        else:
            place = self.layout.places[value]
            shape, strides, offset = self.arrays[value].shape, place.strides, place.offset
            buffer = self.buffers[place.block]
        match argument.part:
            case "data":
                return buffer
            case "offset":
                return np.int64(offset)
            case "own":
                return self.copies(place.block, copies)
            case "each":
                return np.int64(self.each(place.block))
            case "n":
                return np.int64(shape[argument.axis])
            case _:
                return np.int64(strides[argument.axis])

    def each(self, block: int) -> int:
        """Bytes of what a chunk has for itself in place of a block."""
        return -(-self.layout.blocks[block].size // GRID) * GRID

    def copies(self, block: int, count: int) -> Any:
        """Room for a number of copies of a block, with anything in them."""
        size = count * self.each(block)
        found = self.own.get(block)
        if found is None or found[0] < size:
            if found is not None:
                self.device.release(found[1])
            found = self.own[block] = size, self.device.buffer(size)
            if self.check:
                self.device.fill(found[1], _NOTHING, size)
        return found[1]

    def begin(self, k: int, count: int) -> None:
        """Have copies of the array at a position for so many chunks, each with what it holds."""
        block = self.layout.places[k].block
        size, each = self.layout.blocks[block].size, self.each(block)
        by = WIDEST if size % WIDEST == 0 else 1
        items = size // by * count
        if not items:
            return
        with self.device.failing():
            entry = self.kernel(SPREAD, spreader(self.device.dialect, by))
            given = self.buffers[block], self.copies(block, count)
            numbers = map(np.int64, (size // by, each // by, items))
            self.device.launch(entry, items, self.device.group, (*given, *numbers))

    # ------------------------------------------------------------------ copies put together

    def now(self, k: int) -> Array:
        """What the array at a position holds on the device, after all kernels so far."""
        block = self.layout.places[k].block
        content = np.empty(self.layout.blocks[block].size, np.uint8)
        with self.device.failing():
            self.scratch += self.fetch(content, self.buffers[block])
        return self.seen(k, content)

    def replace(self, k: int, array: Array) -> None:
        """Have `array` there in its place."""
        block = self.layout.places[k].block
        content = np.zeros(self.layout.blocks[block].size, np.uint8)
        np.copyto(self.seen(k, content), array)
        with self.device.failing():
            self.scratch += self.send(self.buffers[block], content)

    def divide(self, k: int, count: int, first: Array) -> None:
        """Have copies of the array for so many chunks, each with the contents of `first`."""
        block = self.layout.places[k].block
        content = np.zeros((count, self.each(block)), np.uint8)
        np.copyto(self.seen(k, content[0]), first)
        content[1:] = content[0]
        with self.device.failing():
            self.scratch += self.send(self.copies(block, count), content)

    def collected(self, k: int, count: int) -> list[Array]:
        """What these chunks have made of their copies."""
        block = self.layout.places[k].block
        content = np.empty((count, self.each(block)), np.uint8)
        with self.device.failing():
            self.scratch += self.fetch(content, self.copies(block, count))
        return [self.seen(k, row) for row in content]

    def seen(self, k: int, content: Array) -> Array:
        """The array at a position, where `content` is its block.

        Raises
        ------
        Untaken
            Not all of it is there.
        """
        array, place = self.arrays[k], self.layout.places[k]
        if place.offset or self.layout.blocks[place.block].size != array.nbytes:
            raise Untaken("each part of the loop would need a copy of a part of an array")
        return np.ndarray(array.shape, array.dtype, content.data, place.offset, place.strides)


@functools.cache
def _type(dtype: str) -> type[np.generic]:
    """NumPy's type of numbers; booleans are bytes on a device."""
    return np.dtype("uint8" if dtype == "bool" else dtype).type
