"""Kernels on an OpenCL device, through PyOpenCL.

References
----------
Khronos, "The OpenCL Specification" 1.2, sections 5.2 (buffers), 5.6 (programs), 5.8 (launches).
"""

from __future__ import annotations

import _thread
import functools
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from autopar.device.dialect import OPENCL
from autopar.device.lower import Argument, Source
from autopar.device.memory import NO_BOXES, Array, Box, Layout, layout, packed, unpack
from autopar.device.packing import (
    ENTRY as PACK,
)
from autopar.device.packing import (
    TEXT as PACKING,
)
from autopar.device.packing import (
    Cells,
    Strip,
    gathered,
    in_pieces,
    scattered,
    strips,
    table,
    unit,
    views,
)
from autopar.records import dataclass

_GROUP = 64
"""Work items that go on together.  Always as many: a compiler may make each number a kernel of its
own, and work items beyond the last chunk do nothing."""
_NOTHING = np.uint8(0xA5)
"""What is where nothing went over, if that is to be noticed."""
Parts = Mapping[int, tuple[Cells | None, Cells | None]]
NO_PARTS: Parts = MappingProxyType({})
_SPIN_S = 1e-3  # a look at a time, before looks are this far apart


class DeviceFailed(Exception):
    """There is no device, or it could not do what it was asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device, and what launches on it need; of no use in a child of the `process`."""

    name: str
    number: int
    process: int
    about: Any
    context: Any
    queue: Any
    launching: Any
    """Held from the first argument of a kernel to its launch: threads share kernels."""

    def room(self, where: Layout, limit: int | None) -> bool:
        """Whether all blocks fit into its memory, or so many bytes of it, and a packed one too."""
        sizes = [block.size for block in where.blocks]
        largest = max(sizes, default=0)
        if largest > self.about.max_mem_alloc_size:
            return False
        most: int = self.about.global_mem_size
        return sum(sizes) + largest <= min(limit or most, most)

    def check(self) -> None:
        """Raise `DeviceFailed` in a forked process, which would wait for threads it has not."""
        if self.process != os.getpid():
            raise DeviceFailed(f"{self.name} is not there in a forked process")


@functools.cache
def find(number: int) -> Device:
    """One of the devices that compute in float64 as IEEE 754 says, those with own memory first.

    Raises
    ------
    DeviceFailed
        There is none, or not as many.
    """
    try:
        import pyopencl as cl
    except ImportError as error:
        text = f"needs pyopencl, which cannot be imported ({error}): pip install autopar[opencl]"
        raise DeviceFailed(text) from error
    try:
        every = [d for platform in cl.get_platforms() for d in platform.get_devices()]
    except cl.Error as error:
        raise DeviceFailed(f"no OpenCL platform: {error}") from error
    taken = [d for d in every if _exact(cl, d)]
    if not taken:
        found = ", ".join(d.name for d in every) or "none"
        raise DeviceFailed(f"no OpenCL device has float64 and subnormal numbers; found: {found}")
    if number >= len(taken):
        names = ", ".join(f"opencl:{k} is {d.name}" for k, d in enumerate(_sorted(cl, taken)))
        raise DeviceFailed(f"there is no device opencl:{number}; {names}")
    about = _sorted(cl, taken)[number]
    try:
        context = cl.Context([about])
        return Device(
            about.name,
            number,
            os.getpid(),
            about,
            context,
            cl.CommandQueue(context),
            _thread.allocate_lock(),
        )
    except cl.Error as error:
        raise DeviceFailed(str(error)) from error


def _sorted(cl: Any, devices: Sequence[Any]) -> list[Any]:
    return sorted(devices, key=lambda d: d.type != cl.device_type.GPU)


def _exact(cl: Any, device: Any) -> bool:
    wanted = cl.device_fp_config.DENORM | cl.device_fp_config.INF_NAN
    wanted |= cl.device_fp_config.ROUND_TO_NEAREST
    float64 = "cl_khr_fp64" in device.extensions.split() and device.double_fp_config
    both = (float64 or 0) & device.single_fp_config & wanted == wanted
    return bool(both and device.address_bits == 64 and device.endian_little)


@functools.lru_cache(maxsize=512)
def kernel(device: Device, source: Source) -> Any:
    """`source` ready to run on `device`.

    What it does to the filters of warnings is for the caller to keep from the user's program.

    Raises
    ------
    DeviceFailed
        Its compiler does not take the text.
    """
    import pyopencl as cl

    device.check()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PyOpenCL's, where a compiler has something to say
            program = cl.Program(device.context, source.text).build(list(OPENCL.options))
        return cl.Kernel(program, source.entry)
    except (cl.Error, OSError) as error:
        raise DeviceFailed(f"{device.name} compiles no kernel: {_first_line(error)}") from error


def _packing(device: Device, by: int) -> Any:
    """The kernel that packs cells, copying so many bytes at once."""
    text = PACKING.replace("UNIT", {1: "char", 2: "short", 4: "int", 8: "long"}[by])
    found = kernel(device, Source(PACK, text, False, (), frozenset(), frozenset()))
    _packers[device, by] = found
    return found


_packers: dict[tuple[Device, int], Any] = {}


def _at_once(work: Callable[[], Any]) -> Any:
    return work()


class Run:
    """One run of a nest on a device: its arrays are there from the beginning to the end.

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
        import pyopencl as cl

        self.cl, self.device, self.arrays = cl, device, arrays
        self.moved = self.scratch = 0
        device.check()
        self.layout: Layout = layout(arrays, written, boxes)
        self.parts, self.apart = parts, apart
        most = device.about.max_mem_alloc_size
        if any(block.size > most for block in self.layout.blocks):
            raise DeviceFailed(f"{device.name} has no room for an array of this nest")
        try:
            self.buffers = [self.buffer(block.size) for block in self.layout.blocks]
            for k in range(len(self.buffers)):
                self.come(k, check)
            self.status = self.buffer(4)
        except (cl.Error, MemoryError) as error:
            raise DeviceFailed(_first_line(error)) from error

    def buffer(self, size: int) -> Any:
        flags = self.cl.mem_flags.READ_WRITE
        return self.cl.Buffer(self.device.context, flags, max(size, 8))

    def send(self, buffer: Any, content: Array, at: int = 0) -> int:
        """Bytes that went over, to `at` in the buffer."""
        if content.size:
            self.cl.enqueue_copy(self.device.queue, buffer, content, dst_offset=at)
        return content.nbytes

    def fetch(self, content: Array, buffer: Any, at: int = 0) -> int:
        """Bytes that came back, from `at` in the buffer."""
        if content.size:
            self.cl.enqueue_copy(self.device.queue, content, buffer, src_offset=at)
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

    def come(self, block: int, check: bool) -> None:
        """Bring over what the run needs of a block."""
        buffer, part = self.buffers[block], self.part(block, back=False)
        if part is None:
            self.moved += self.send(buffer, packed(self.arrays, self.layout, block))
            return
        if check:
            queue, size = self.device.queue, buffer.size
            self.cl.enqueue_fill_buffer(queue, buffer, _NOTHING, 0, size)
        k, found = part
        array = self.arrays[k]
        if in_pieces(found, array.itemsize):
            for one, view in zip(found, views(array, found), strict=True):
                self.moved += self.send(buffer, np.ascontiguousarray(view), one.at)
            return
        content = gathered(array, found)
        held = self.buffer(content.nbytes)
        self.moved += self.send(held, content)
        self.pack(buffer, held, found, array, back=False)

    def fetched(self, block: int) -> Callable[[], None]:
        """Bring back what comes back of a block; what is answered leaves it in the arrays."""
        buffer, part = self.buffers[block], self.part(block, back=True)
        if part is None:
            whole = np.empty(self.layout.blocks[block].size, np.uint8)
            self.moved += self.fetch(whole, buffer)
            return functools.partial(unpack, self.arrays, self.layout, block, whole)
        k, found = part
        array = self.arrays[k]
        content = np.empty(sum(one.size for one in found), array.dtype)
        if in_pieces(found, array.itemsize):
            at = 0
            for one in found:
                self.moved += self.fetch(content[at : at + one.size], buffer, one.at)
                at += one.size
        else:
            held = self.buffer(content.nbytes)
            self.pack(buffer, held, found, array, back=True)
            self.moved += self.fetch(content, held)
        return functools.partial(scattered, array, found, content)

    def pack(
        self, buffer: Any, held: Any, found: Sequence[Strip], array: Array, back: bool
    ) -> None:
        """Have the device spread cells that are packed over a block, or pack them."""
        rows = table(found, array.itemsize)
        told = self.buffer(rows.nbytes)
        self.scratch += self.send(told, rows)
        by, size = unit(array.itemsize), sum(one.size for one in found)
        entry = _packers.get((self.device, by))
        if entry is None:
            entry = self.apart(functools.partial(_packing, self.device, by))
        numbers = (len(rows), rows.shape[1] // 2 - 1, size, array.itemsize // by, back)
        items = -(-size // _GROUP) * _GROUP
        with self.device.launching:
            entry.set_args(buffer, held, told, *map(np.int64, numbers))
            done = self.cl.enqueue_nd_range_kernel(self.device.queue, entry, (items,), (_GROUP,))
        self.device.queue.flush()
        self.wait(done)

    def release(self) -> None:
        """Nothing of the run is needed any more."""
        for buffer in (*self.buffers, self.status):
            buffer.release()

    def back(self) -> None:
        """Bring back what was written.  It is all on the host before the first array changes."""
        changed = [k for k, block in enumerate(self.layout.blocks) if block.written]
        try:
            found = [self.fetched(k) for k in changed]
        except (self.cl.Error, MemoryError) as error:
            raise DeviceFailed(_first_line(error)) from error
        for leave in found:
            leave()

    # ------------------------------------------------------------------ kernels

    def launch(
        self,
        source: Source,
        trips: int,
        chunks: int,
        values: Sequence[Any],
        small: Sequence[Array],
        first: int = 0,
    ) -> int:
        """The greatest status of a kernel's chunks.

        Parameters
        ----------
        trips, chunks
            Iterations of its loop, and in how many parts; 1 and 1 where it has none.
        values
            For each parameter: the position of an array of the run, or a number.
        small
            Arrays of the launch's own behind these; they go over and come back.
        first
            The first of the iterations.

        Raises
        ------
        DeviceFailed
        """
        cl, queue = self.cl, self.device.queue
        try:
            entry = kernel(self.device, source)
            status = np.zeros(1, np.int32)
            self.scratch += self.send(self.status, status)
            held = [self.buffer(a.nbytes) for a in small]
            for buffer, content in zip(held, small, strict=True):
                self.scratch += self.send(buffer, content)
            given = list(values) + [_Small(b, a) for b, a in zip(held, small, strict=True)]
            head = list(map(np.int64, (trips, chunks, first))) if source.parallel else []
            rest = [self.argument(a, given[a.place]) for a in source.arguments]
            group = _GROUP if source.parallel else 1
            items = -(-chunks // group) * group
            with self.device.launching:
                entry.set_args(self.status, *head, *rest)
                done = cl.enqueue_nd_range_kernel(queue, entry, (items,), (group,))
            queue.flush()
            self.wait(done)
            self.scratch += self.fetch(status, self.status)
            for buffer, content in zip(held, small, strict=True):
                self.scratch += self.fetch(content, buffer)
        except (cl.Error, MemoryError) as error:
            raise DeviceFailed(_first_line(error)) from error
        return int(status[0])

    def wait(self, event: Any) -> None:
        """Until a kernel is done; between two looks, Ctrl-C is heard."""
        complete = self.cl.command_execution_status.COMPLETE
        began = time.perf_counter()
        while (state := event.command_execution_status) != complete:
            if state < 0:
                raise DeviceFailed(f"{self.device.name} has given up a kernel ({state})")
            time.sleep(0 if time.perf_counter() - began < _SPIN_S else _SPIN_S)

    def argument(self, argument: Argument, value: Any) -> Any:
        """What the device is handed for one argument."""
        match argument.part:
            case "number":
                return np.dtype(_held(argument.dtype)).type(value)
            case "re":
                return np.dtype(argument.dtype).type(value.real)
            case "im":
                return np.dtype(argument.dtype).type(value.imag)
        if isinstance(value, _Small):
            shape, strides, offset, buffer = value.array.shape, value.array.strides, 0, value.buffer
        else:
            place = self.layout.places[value]
            shape, strides, offset = self.arrays[value].shape, place.strides, place.offset
            buffer = self.buffers[place.block]
        match argument.part:
            case "data":
                return buffer
            case "offset":
                return np.int64(offset)
            case "n":
                return np.int64(shape[argument.axis])
            case _:
                return np.int64(strides[argument.axis])


@dataclass(frozen=True, slots=True)
class _Small:
    buffer: Any
    array: Array


def _held(dtype: str) -> str:
    """Booleans are bytes on a device."""
    return "uint8" if dtype == "bool" else dtype


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
