"""What things take on this machine: measured once, kept on disk, the constants until then.

The numbers of `sched.machine` are those of one machine.  Here some of them are replaced by what
this one was seen to take: what imports, compiling and reading kernels took when they had to be done
anyway, and pieces of a millisecond that are run when a process is about to spend a hundred times
as long on compiling.  They are kept under a name made of the processor, its cores and the versions
of interpreter and libraries, so another machine, or another library, begins anew.

Only time depends on it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import math
import os
import sys
import time
from collections.abc import Callable

from autopar import __version__, config
from autopar.digest import digest
from autopar.records import replace
from autopar.sched.machine import MACHINE, Machine

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_TIMES = ("start_s", "first_compile_s", "compile_op_s", "first_read_s", "read_s")
_PIECES = ("interpreted_op_s", "listed_op_s", "copy_byte_s")
_OF_THREADS = ("launch_s", "wake_s", "stream_byte_s", "shared_byte_s")
_FIELDS = (*_TIMES, *_PIECES, *_OF_THREADS)
_FAR = 20.0  # times the constant, beyond which nothing is believed
_FRESH, _LATER = 0.5, 0.1  # weight of what was just seen: of the first few times, and of others
_FEW = 8
_NEWS = 1.2  # times what is on disk, to be worth writing
_MOST_FILES = 64


class Measured:
    """The numbers of one machine.

    Attributes
    ----------
    file
        Where they are kept; None: nowhere.
    values
        By name of a field of `Machine`: what it was measured to be, and how often.
    usual, machine
        All numbers as long as none has been measured, and as they are.
    """

    def __init__(self, file: str | None) -> None:
        self.process = os.getpid()
        self.file = file
        self.usual = MACHINE
        if "numpy" not in sys.modules:  # which is imported with the rest then
            self.usual = replace(MACHINE, start_s=MACHINE.start_s + MACHINE.import_s)
        self.values: dict[str, tuple[float, int]] = dict(_read(file)) if file is not None else {}
        self.before = dict(self.values)
        self.machine = self._machine()

    def _machine(self) -> Machine:
        values: dict[str, Any] = {name: value for name, (value, _) in self.values.items()}
        return replace(self.usual, **values)

    def note(self, name: str, seconds: float) -> None:
        """Something was just seen to take `seconds`; what was seen before counts as well."""
        default: float = getattr(MACHINE, name)
        seen = min(max(seconds, default / _FAR), default * _FAR)
        known, count = self.values.get(name, (default, 0))
        weight = _FRESH if count < _FEW else _LATER
        value = math.exp((1 - weight) * math.log(known) + weight * math.log(seen))
        self.values[name] = value, count + 1
        self.machine = self._machine()

    def take(self, name: str, seconds: float) -> None:
        """A piece that was made to be measured took `seconds`."""
        default: float = getattr(MACHINE, name)
        self.values[name] = min(max(seconds, default / _FAR), default * _FAR), 1
        self.machine = self._machine()

    def leave(self) -> None:
        """Write what is new; nobody misses it where that cannot be."""
        if self.file is None or os.getpid() != self.process or not self._news():
            return
        lines = [f"{name} {value:.4g} {count}" for name, (value, count) in self.values.items()]
        with contextlib.suppress(OSError):
            config.make_room(os.path.dirname(self.file), _MOST_FILES)
            config.write_whole(self.file, "\n".join(lines).encode())

    def _news(self) -> bool:
        for name, (value, count) in self.values.items():
            known, times = self.before.get(name, (value, 0))
            if times < _FEW and count != times:
                return True
            if not 1 / _NEWS < value / known < _NEWS:
                return True
        return False


def _read(file: str) -> Iterator[tuple[str, tuple[float, int]]]:
    try:
        with open(file, encoding="ascii") as text:
            lines = [line.split() for line in text]
        found = [(name, float(value), int(count)) for name, value, count in lines]
    except (OSError, ValueError):
        return  # absent or damaged: measured anew
    for name, value, count in found:
        if name in _FIELDS and 0 < value < math.inf and count > 0:
            yield name, (value, count)


# ------------------------------------------------------------------------ those of this process


def _untouched() -> bool:
    """Whether decisions are to be the same everywhere, as in tests of autopar itself."""
    settings = config.current()
    return settings.verify or settings.fail_on_fallback


@functools.cache
def _known(cache_dir: str) -> Measured:
    try:
        made = Measured(os.path.join(config.cache_folder("machine"), _name()))
    except (OSError, config.ConfigError):
        made = Measured(None)  # nothing can be kept
    atexit.register(made.leave)
    return made


def _current() -> Measured:
    return _known(os.fspath(config.current().cache_dir))


def machine() -> Machine:
    """What things take, as far as is known."""
    return MACHINE if _untouched() else _current().machine


def note(name: str, seconds: float) -> None:
    """Something of `Machine` was seen to take so long."""
    if not _untouched():
        _current().note(name, seconds)


def _name() -> str:
    parts = (
        __version__,
        *_processor(),
        str(config.current().threads),
        sys.version,
        str(getattr(sys.modules.get("numpy"), "__version__", "")),
        _place("llvmlite"),
        config.own_sum("hook", "nest"),  # which is known: others ask the system
    )
    return digest("\0".join(parts).encode()).hexdigest()[:32]


def _processor() -> tuple[str, str]:
    """Model and number of its cores."""
    model = os.uname().machine if hasattr(os, "uname") else sys.platform
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        for _, line in zip(range(40), lines, strict=False):
            if line.startswith(("model name", "CPU part")):
                model += line.partition(":")[2].strip()
    return model, str(os.cpu_count())


def _place(package: str) -> str:
    """Where a package lies and when it was put there, which differs between versions."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        return ""
    return f"{found.origin} {os.stat(found.origin).st_mtime_ns}"


# ------------------------------------------------------------------------ pieces

_SIDE = 18
_OPS_EACH = 29.4
"""Operations of one iteration of `_on_arrays` and of its loops, as `runtime.choice.outline` counts
them."""
_COUNT = 400
_LISTED_OPS_EACH = 10.0
"""The same of `_on_lists`."""
_BYTES = 1 << 22
_REPEATS = 5
_LAUNCHES = 64  # of a microsecond or two each


def _least(work: Callable[[], object], used_s: Callable[[], float] = time.thread_time) -> float:
    """Seconds of `work`, when nothing came between."""
    found = []
    for _ in range(_REPEATS):
        before = used_s()
        work()
        found.append(used_s() - before)
    return min(found)


def _on_arrays() -> float:
    """Seconds of an operation of the interpreter's on elements of arrays."""
    import numpy as np

    a, b = np.ones((_SIDE, _SIDE)), np.ones((_SIDE, _SIDE))
    n = _SIDE

    def loops() -> None:
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] += 0.25 * (a[i - 1, j] + a[i, j + 1]) - a[j, i] * a[i, j]

    return _least(loops) / ((n - 2) ** 2 * _OPS_EACH)


def _on_lists() -> float:
    """Seconds of such an operation on numbers in lists."""
    a, b = [1.0] * _COUNT, [0.5] * _COUNT

    def loops() -> None:
        for i in range(_COUNT):
            a[i] = a[i] * 0.5 + b[i]

    return _least(loops) / (_COUNT * _LISTED_OPS_EACH)


def _copied() -> float:
    """Seconds for a byte of a copy, in memory that is new."""
    import numpy as np

    array = np.ones(_BYTES // 8)
    return _least(array.copy) / _BYTES


_MEASURES: dict[str, Callable[[], float]] = {
    "interpreted_op_s": _on_arrays,
    "listed_op_s": _on_lists,
    "copy_byte_s": _copied,
}


def pieces() -> None:
    """Measure what can be measured in a few milliseconds, where that has not been done."""
    if _untouched():
        return
    known = _current()
    for name, measure in _MEASURES.items():
        if name not in known.values:
            known.take(name, measure())


def threads(
    run: Callable[[Callable[[int], int], int], object], launch: Callable[[], object], count: int
) -> None:
    """The same for `count` threads together.

    Parameters
    ----------
    run
        Wakes these threads to do a task for each of so many numbers, and waits.
    launch
        Has them do nothing; they are awake from the last time.
    """
    if _untouched() or all(name in _current().values for name in _OF_THREADS):
        return
    import numpy as np

    known, chunks = _current(), 8 * count
    small = np.ones((chunks, 1 << 13))
    large = np.ones((chunks, (1 << 24) // chunks // 8))

    def roots(chunk: int) -> int:
        np.sqrt(small[chunk], out=small[chunk])
        return 0

    def sums(chunk: int) -> int:
        large[chunk].sum()
        return 0

    def alone(task: Callable[[int], int]) -> None:
        for chunk in range(chunks):
            task(chunk)

    def times(work: Callable[[], object], count: int) -> list[float]:
        found = []
        for _ in range(count):
            before = time.perf_counter()
            work()
            found.append(time.perf_counter() - before)
        return sorted(found)

    def median(work: Callable[[], object]) -> float:
        return times(work, 2 * _REPEATS)[_REPEATS]

    known.take("stream_byte_s", median(lambda: alone(sums)) / large.nbytes)
    known.take("shared_byte_s", median(lambda: run(sums, chunks)) / large.nbytes)
    together_s, alone_s = median(lambda: run(roots, chunks)), median(lambda: alone(roots))
    known.take("wake_s", together_s - alone_s / count)
    # Whoever else is busy makes launches ten times as long for a moment, which is kept for good.
    known.take("launch_s", times(launch, _LAUNCHES)[_LAUNCHES // 4])
