"""CUDA devices, through CuPy, which compiles with NVRTC.

References
----------
NVIDIA, "CUDA C++ Programming Guide", sections "Streams" and "Page-Locked Host Memory"; "CUDA
Runtime API", error codes of `cudaEventQuery`.
"""

from __future__ import annotations

import _thread
import functools
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from autopar.device.api import Array, Device, DeviceFailed, Word, first_line
from autopar.device.dialect import CUDA
from autopar.device.groups import Seconds
from autopar.device.memory import address
from autopar.device.recordings import Recordings
from autopar.device.remembered import compiled

_NOT_READY = 600  # cudaErrorNotReady
_MOST_THREADS = 0  # CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
_MOST_BLOCKS = (1 << 31) - 1
_PIECE = 32 << 20  # bytes that go over at once, while those before are packed
_MOST_PINNED = 512 << 20  # bytes that do not move, of one block
_MOST_FREE = 4  # blocks that do not move and that nobody has


class Cuda(Device):
    """A device, with a stream in which everything happens in order."""

    dialect = CUDA
    group = 256

    def __init__(self, cupy: Any, number: int) -> None:
        cuda = cupy.cuda
        about = cuda.runtime.getDeviceProperties(number)
        memory = about["totalGlobalMem"]
        super().__init__(about["name"].decode(), number, memory, memory, True)
        self.cupy, self.runtime = cupy, cuda.runtime
        nvrtc = ".".join(map(str, cuda.nvrtc.getVersion()))
        self.version = f"{cupy.__version__} {nvrtc} {cuda.runtime.driverGetVersion()}"
        self.kind = f"{about['major']}.{about['minor']}"  # for which machine code is made
        # The errors of CUDA's own libraries are all of the first kind.
        self.failures = (RuntimeError, cuda.compiler.CompileException, MemoryError, OSError)
        # Whatever allocators the user's program has chosen.
        self.pool, self.pins = cuda.MemoryPool(), cuda.PinnedMemoryPool()
        self.pinned: dict[int, int] = {}  # addresses of what does not move, and bytes there
        with self.here():
            self.stream = cuda.Stream(non_blocking=True)
        self.staging: list[_Staged] = []
        self.streams: dict[int, Any] = {}  # of threads that record what they launch
        self.recordings = _Graphs(self)

    def here(self) -> Any:
        """Around calls that are about this device; not to be shared: it knows what was before."""
        return self.cupy.cuda.Device(self.number)

    @contextmanager
    def current(self) -> Generator[None, None, None]:
        """Around calls of CuPy: the device and the stream that they are about, on this thread."""
        with self.here(), self.stream:
            yield

    @contextmanager
    def copying(self) -> Generator[None, None, None]:
        """Around copies: none is under way when somebody else may use what stages them."""
        with self.alone(), self.current():
            try:
                yield
            except BaseException:
                self.stream.synchronize()
                raise

    def free(self) -> int:
        with self.here():
            free, _ = self.runtime.memGetInfo()
            found: int = free + self.pool.free_bytes()
            return found

    def compiled(self, text: str) -> Any:
        def make() -> bytes:
            # Not `RawModule`: that adds options of its own, one of which flushes subnormals to 0.
            made, _ = self.cupy.cuda.compiler.compile_using_nvrtc(
                text, CUDA.options, cache_in_memory=True
            )
            return bytes(made)

        with self.current():
            module = self.cupy.cuda.function.Module()
            module.load(compiled((text, CUDA.options, self.version, self.kind), make))
            return module

    def function(self, program: Any, entry: str) -> Any:
        with self.current():
            return program.get_function(entry)

    def buffer(self, size: int) -> Any:
        with self.current():
            return self.pool.malloc(max(size, 8))

    def release(self, buffer: Any) -> None:
        """CuPy's pool has it back once nobody refers to it, and hands it out in this stream."""

    def host(self, size: int) -> Array:
        """Memory that does not move, unless it is much: copies go there directly."""
        if not 0 < size <= _MOST_PINNED:
            return super().host(size)
        try:
            with self.here():
                if self.pins.n_free_blocks() > _MOST_FREE:
                    self.pins.free_all_blocks()
                found: Array = np.frombuffer(self.pins.malloc(size), np.uint8, size)
        except self.failures:
            return super().host(size)
        low = address(found)
        self.pinned[low] = size
        # Views may outlive it: then copies to them go the other way.
        weakref.finalize(found, self.pinned.pop, low).atexit = False
        return found

    def stays(self, flat: Array) -> bool:
        """Whether these bytes are such that do not move."""
        low = address(flat)
        high = low + flat.size
        return any(at <= low and high <= at + size for at, size in list(self.pinned.items()))

    def send(self, buffer: Any, content: Array, at: int) -> None:
        flat = content.reshape(-1).view(np.uint8)
        if self.stays(flat):
            self.directly((buffer + at).copy_from_host_async, address(flat), flat.size)
            return
        with self.copying():
            for k, (low, high) in enumerate(_pieces(flat.size)):
                staged = self.staged(k)
                self.wait(staged.event)
                self.copy(staged.room[: high - low], flat[low:high])
                place = buffer + (at + low)
                place.copy_from_host_async(staged.address, high - low, self.stream)
                staged.event.record(self.stream)

    def fetch(self, content: Array, buffer: Any, at: int) -> None:
        flat = content.reshape(-1).view(np.uint8)
        if self.stays(flat):
            self.directly((buffer + at).copy_to_host_async, address(flat), flat.size)
            return
        with self.copying():
            pieces = _pieces(flat.size)
            for k, (low, high) in enumerate(pieces[:2]):
                self.bring(k, buffer, at + low, high - low)
            for k, (low, high) in enumerate(pieces):
                staged = self.staged(k)
                self.wait(staged.event)
                self.copy(flat[low:high], staged.room[: high - low])
                if k + 2 < len(pieces):
                    low, high = pieces[k + 2]
                    self.bring(k, buffer, at + low, high - low)

    def heard(self, word: Word) -> int:
        self.directly(word.there.copy_to_host_async, word.at, 4)
        return int(word.here[0])

    def directly(self, way: Callable[[int, int, Any], None], at: int, size: int) -> None:
        """Copy to or from memory that does not move; it is the caller's again afterwards."""
        try:
            with self.here():
                way(at, size, self.stream)
            self.wait(self.mark())
        except BaseException:
            self.stream.synchronize()
            raise

    def bring(self, k: int, buffer: Any, at: int, size: int) -> None:
        """Begin to bring a piece of a block to memory that does not move."""
        staged = self.staged(k)
        self.wait(staged.event)
        (buffer + at).copy_to_host_async(staged.address, size, self.stream)
        staged.event.record(self.stream)

    def staged(self, k: int) -> _Staged:
        """Memory that does not move, which two pieces use in turn."""
        while len(self.staging) < 2:
            self.staging.append(_Staged(self.cupy, self.stream))
        return self.staging[k % 2]

    def fill(self, buffer: Any, byte: int, size: int) -> None:
        with self.current():
            buffer.memset_async(byte, size, self.stream)

    def launch(self, kernel: Any, items: int, group: int, given: Sequence[Any]) -> None:
        blocks = -(-items // group)
        if blocks > _MOST_BLOCKS:
            raise DeviceFailed(f"{self.name} has no room for so many iterations at once")
        numbers = [one if isinstance(one, np.generic) else np.uint64(one.ptr) for one in given]
        stream = self.streams.get(_thread.get_ident(), self.stream)
        with self.here():
            kernel((blocks,), (group,), tuple(numbers), stream=stream)

    def timed(self, kernel: Any, items: int, group: int, given: Sequence[Any]) -> Seconds:
        with self.here():
            before = self.stream.record()
            self.launch(kernel, items, group, given)
            after = self.stream.record()

        def seconds() -> float | None:
            if not self.done(after):
                return None
            found: float = self.cupy.cuda.get_elapsed_time(before, after) * 1e-3
            return found

        return seconds

    def limit(self, kernel: Any) -> int:
        with self.here():
            found = self.cupy.cuda.driver.funcGetAttribute(_MOST_THREADS, kernel.ptr)
            return min(int(found), self.most)

    def mark(self) -> Any:
        with self.here():
            return self.stream.record(self.cupy.cuda.Event(disable_timing=True))

    def done(self, mark: Any) -> bool:
        with self.here():
            status = self.runtime.eventQuery(mark.ptr)
        if status not in (0, _NOT_READY):
            words = self.runtime.CUDARuntimeError(status)
            raise DeviceFailed(f"{self.name} has given up a kernel: {first_line(words)}")
        return bool(status == 0)


class _Graphs(Recordings):
    """CUDA graphs of what a thread launches, captured in a stream of its own: others go on."""

    def __init__(self, device: Cuda) -> None:
        super().__init__()
        self.device = device

    def place(self, buffer: Any) -> int:
        found: int = buffer.ptr
        return found

    def record(self, work: Callable[[], int]) -> tuple[int, Any]:
        device, me = self.device, _thread.get_ident()
        with device.here():
            stream = device.cupy.cuda.Stream(non_blocking=True)
            stream.begin_capture()
            device.streams[me] = stream
            try:
                answer = work()
            except BaseException:  # Ctrl-C, too: a stream must not stay as it is
                with suppress(*device.failures):  # what went wrong says more
                    stream.end_capture()
                raise
            finally:
                del device.streams[me]
            return answer, stream.end_capture()

    def replay(self, launches: Any) -> None:
        with self.device.here():
            launches.launch(self.device.stream)


class _Staged:
    """Memory of the host that does not move, and the last copy from or to it."""

    def __init__(self, cupy: Any, stream: Any) -> None:
        self.memory = cupy.cuda.alloc_pinned_memory(_PIECE)
        self.address: int = self.memory.ptr
        self.room: Array = np.frombuffer(self.memory, np.uint8, _PIECE)
        self.event = stream.record()


def _pieces(size: int) -> list[tuple[int, int]]:
    return [(low, min(low + _PIECE, size)) for low in range(0, size, _PIECE)]


@functools.cache
def find(number: int) -> Cuda:
    """A device by its number.

    Raises
    ------
    DeviceFailed
        There is none, or not as many.
    """
    try:
        import cupy
    except Exception as error:  # not only where it is missing: it looks for libraries, too
        text = f"needs CuPy, which cannot be imported ({first_line(error)})"
        raise DeviceFailed(f"{text}: pip install autopar[cuda]") from error
    failed = cupy.cuda.runtime.CUDARuntimeError
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        if number < count:
            return Cuda(cupy, number)
    except failed as error:
        raise DeviceFailed(f"no CUDA device: {first_line(error)}") from error
    raise DeviceFailed(f"there is no device cuda:{number}; there are {count}, from cuda:0")
