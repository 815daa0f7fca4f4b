"""A stand-in for CuPy on machines without a GPU: CUDA's text, compiled for the processor.

It has what `autopar.device.cuda` calls, and no more. Kernels are run block by block and thread by
thread, each up to where threads meet, so what can be seen is what they compute and what is copied;
not speed.  From one meeting to the next the order of the threads changes, which shows some races,
and a thread that leaves while others wait for it fails the test.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

_HEAD = r"""
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(threads, blocks)
struct Place { unsigned x; };
static thread_local Place blockIdx, threadIdx, blockDim;
static int atomicMax(int *at, int value) {
    int old = *at;
    if (value > old) *at = value;
    return old;
}
static int atomicMin(int *at, int value) {
    int old = *at;
    if (value < old) *at = value;
    return old;
}
static long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned __int128)a * b >> 64;
}
static int __clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
static long long __double_as_longlong(double a) { long long b; memcpy(&b, &a, 8); return b; }
static double __longlong_as_double(long long a) { double b; memcpy(&b, &a, 8); return b; }
static float __fdiv_rn(float a, float b) { return a / b; }
static float __fsqrt_rn(float a) { return sqrtf(a); }

enum { MOST = 1024, ROOM = 1 << 16 };
static ucontext_t outside, inside[MOST];
static char *stacks;
static void **handed;
static int left[MOST], votes, meetings;
static void __syncthreads() {
    unsigned me = threadIdx.x;
    meetings++;
    swapcontext(&inside[me], &outside);
    threadIdx.x = me;
}
static int __syncthreads_and(int test) {
    votes += test != 0;
    __syncthreads();
    int found = votes == (int)blockDim.x;
    __syncthreads();
    votes = 0;
    __syncthreads();
    return found;
}
"""
_ENTRY = r"AP_KERNEL\s(?:#endif\s)?void (\w+)\((.*?)\) \{"
_RUN = r"""
static void one_<entry>() {
    void **given = handed;
    unsigned me = threadIdx.x;
    <entry>(<given>);
    left[me] = 1;
}
extern "C" int run_<entry>(unsigned blocks, unsigned threads, void **given) {
    if (!stacks) stacks = (char *)malloc((size_t)MOST * ROOM);
    handed = given;
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        for (unsigned k = 0; k < threads; k++) {
            left[k] = 0;
            getcontext(&inside[k]);
            inside[k].uc_stack.ss_sp = stacks + (size_t)k * ROOM;
            inside[k].uc_stack.ss_size = ROOM;
            inside[k].uc_link = &outside;
            makecontext(&inside[k], one_<entry>, 0);
        }
        for (unsigned gone = 0, turn = 0; gone < threads; turn++) {
            gone = 0;
            for (unsigned k = 0; k < threads; k++) {
                unsigned me = turn % 2 ? threads - 1 - k : k;
                threadIdx.x = me;
                swapcontext(&outside, &inside[me]);
                gone += left[me];
            }
            if (gone && gone < threads) return threads - gone;
        }
    }
    return 0;
}
"""
_MET = r"""
extern "C" int met() {
    int found = meetings;
    meetings = 0;
    return found;
}
"""


@functools.cache
def compiler() -> str | None:
    return shutil.which("c++") or shutil.which("g++")


class CUDARuntimeError(RuntimeError):
    pass


class CUDADriverError(RuntimeError):
    pass


class CompileException(Exception):
    pass


class _Here:
    """What is entered and left: a device or a stream."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class Event:
    ptr = 0

    def __init__(self, **_: Any) -> None:
        pass

    def record(self, stream: Any = None) -> None:
        pass


class Graph:
    """Launches that have been captured."""

    def __init__(self, launches: list[Callable[[], None]]) -> None:
        self.launches = launches

    def launch(self, stream: Stream) -> None:
        assert stream.captured is None
        GRAPHS.append(len(self.launches))
        for launch in self.launches:
            launch()


class Stream(_Here):
    captured: list[Callable[[], None]] | None = None

    def begin_capture(self) -> None:
        assert self.captured is None
        self.captured = []

    def end_capture(self) -> Graph:
        assert self.captured is not None
        found, self.captured = Graph(self.captured), None
        return found

    def record(self, event: Event | None = None) -> Event:
        return event or Event()

    def synchronize(self) -> None:
        pass


class MemoryPool:
    """What nobody refers to any more is handed out again."""

    def __init__(self) -> None:
        self.rooms: list[Any] = []

    def malloc(self, size: int) -> Pointer:
        for k in range(len(self.rooms)):
            if len(self.rooms[k]) == size and sys.getrefcount(self.rooms[k]) == 2:
                self.rooms[k].fill(0x5A)
                return Pointer(self.rooms[k])
        found = alloc(size)
        self.rooms.append(found.room)
        return found

    def free_bytes(self) -> int:
        return 0


class Pointer:
    """A place in memory of the device, which here is some bytes of an array."""

    def __init__(self, room: Any, at: int = 0) -> None:
        self.room, self.at = room, at
        self.ptr: int = room.ctypes.data + at

    def __add__(self, more: int) -> Pointer:
        return Pointer(self.room, self.at + more)

    def _fits(self, size: int) -> None:
        assert 0 <= self.at <= self.at + size <= len(self.room)

    def copy_from_host_async(self, address: int, size: int, stream: Any) -> None:
        self._fits(size)
        ctypes.memmove(self.ptr, address, size)

    def copy_to_host_async(self, address: int, size: int, stream: Any) -> None:
        self._fits(size)
        ctypes.memmove(address, self.ptr, size)

    def memset_async(self, value: int, size: int, stream: Any) -> None:
        self._fits(size)
        ctypes.memset(self.ptr, value, size)


class Pinned(bytearray):
    @property
    def ptr(self) -> int:
        return ctypes.addressof(ctypes.c_char.from_buffer(self))


class PinnedMemoryPool:
    def malloc(self, size: int) -> Pinned:
        return Pinned(size)

    def n_free_blocks(self) -> int:
        return 0


def compile_using_nvrtc(
    code: str, options: tuple[str, ...], *, cache_in_memory: bool
) -> tuple[bytes, None]:
    assert "--fmad=false" in options
    assert "--ftz=false" in options
    assert cache_in_memory
    return code.encode(), None


class Module:
    """What is compiled; the machine code is the text."""

    def load(self, binary: bytes) -> None:
        self.code = binary.decode()

    def get_function(self, entry: str) -> Any:
        """A function that takes a grid, a block and arguments."""
        runs = []
        for name, words in re.findall(_ENTRY, self.code, re.DOTALL):
            kinds = [re.sub(r"\w+$", "", word.strip()) for word in words.split(",")]
            given = ", ".join(f"*({kind} *)given[{k}]" for k, kind in enumerate(kinds))
            runs.append(_RUN.replace("<entry>", name).replace("<given>", given))
        return Function(_library(_HEAD + self.code + "".join(runs) + _MET), entry)


class Function:
    ptr = 0

    def __init__(self, library: ctypes.CDLL, entry: str) -> None:
        self.library, self.run = library, library[f"run_{entry}"]

    def __call__(
        self, grid: tuple[int], block: tuple[int], args: tuple[Any, ...], stream: Stream
    ) -> None:
        assert grid[0] > 0
        if stream.captured is not None:
            again = functools.partial(self, grid, block, args, Stream())
            stream.captured.append(again)
            return
        held = [np.array(one) for one in args]
        places = (ctypes.c_void_p * len(held))(*(one.ctypes.data for one in held))
        waiting = self.run(ctypes.c_uint(*grid), ctypes.c_uint(*block), places)
        assert not waiting, f"{waiting} threads wait for others that have left"
        MEETINGS.append(self.library.met())


GRAPHS: list[int] = []
"""How many launches each graph had that has been launched."""
MEETINGS: list[int] = []
"""Of each launch, how often its threads have met, each of them counted."""
_folder: list[Path] = []


@functools.cache
def _library(text: str) -> ctypes.CDLL:
    (folder,) = _folder
    name = folder / hashlib.sha256(text.encode()).hexdigest()[:16]
    name.with_suffix(".cc").write_text(text)
    # Headers of C as they are: those of C++ around them take half of the time; optimising takes a
    # third of what is left.
    options = ["-O0", "-w", "-ffp-contract=off", "-shared", "-fPIC", "-nostdinc++"]
    made = subprocess.run(
        [compiler() or "c++", *options, f"{name}.cc", "-o", f"{name}.so"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        raise CompileException(made.stderr)
    return ctypes.CDLL(str(name.with_suffix(".so")))


def alloc(size: int) -> Pointer:
    room = np.full(size, 0x5A, np.uint8)
    return Pointer(room)


def cupy(folder: Path, devices: int = 1) -> ModuleType:
    """The stand-in, which keeps what it compiles in `folder`."""
    _folder[:] = [folder]
    _library.cache_clear()

    def count() -> int:
        if not devices:
            raise CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")
        return devices

    about = {"name": b"a stand-in", "totalGlobalMem": 1 << 32, "major": 9, "minor": 0}
    module = ModuleType("cupy")
    module.__version__ = "13.0"  # type: ignore[attr-defined]
    module.cuda = SimpleNamespace(  # type: ignore[attr-defined]
        runtime=SimpleNamespace(
            CUDARuntimeError=CUDARuntimeError,
            driverGetVersion=lambda: 12040,
            getDeviceCount=count,
            getDeviceProperties=lambda number: about,
            memGetInfo=lambda: (1 << 32, 1 << 32),
            eventQuery=lambda ptr: 0,
        ),
        driver=SimpleNamespace(
            CUDADriverError=CUDADriverError,
            funcGetAttribute=lambda attribute, ptr: {0: 1024}[attribute],
        ),
        nvrtc=SimpleNamespace(getVersion=lambda: (12, 4)),
        compiler=SimpleNamespace(
            CompileException=CompileException, compile_using_nvrtc=compile_using_nvrtc
        ),
        function=SimpleNamespace(Module=Module),
        Device=_Here,
        Stream=Stream,
        Event=Event,
        get_elapsed_time=lambda first, last: 1.0,
        MemoryPool=MemoryPool,
        PinnedMemoryPool=PinnedMemoryPool,
        alloc_pinned_memory=Pinned,
    )
    return module
