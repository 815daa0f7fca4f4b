"""What happened to each loop, and autopar's only way to say something."""

from __future__ import annotations

import sys
from collections.abc import Callable

from autopar import config
from autopar.records import BUILTINS, dataclass, field, replace
from autopar.verdict import Reason, Refusal

__builtins__ = BUILTINS  # a program may replace Python's

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Literal


@dataclass(slots=True)
class LoopRecord:
    """One nest of the user's; `line` is that of the outermost ``for``.

    Mutable, unlike all other data here: the runtime counts in it while the program runs.

    Attributes
    ----------
    together
        The record of the nest that it is together with the loops next to it, if there is one: what
        is counted there is not counted here.
    leads
        Whether it is the first of these, and has their time.
    said
        Why it was left to Python, as far as the user has been told: each reason once.
    """

    file: str
    line: int
    function: str
    status: Literal["parallel", "sequential", "interpreted"] = "interpreted"
    device: str | None = None
    parallel_loops: list[str] = field(default_factory=list)
    sequential_loops: list[str] = field(default_factory=list)
    kernels: int = 0
    runs: int = 0
    fallbacks: int = 0
    compile_s: float = 0.0
    transfer_bytes: int = 0
    run_s: float = 0.0
    refusal: Refusal | None = None
    notes: list[str] = field(default_factory=list)
    products: list[str] = field(default_factory=list)
    together: LoopRecord | None = None
    leads: bool = False
    said: set[Reason] = field(default_factory=set)


_loops: dict[tuple[str, int, str], LoopRecord] = {}
_said: set[str] = set()


def loop(file: str, line: int, function: str) -> LoopRecord:
    """The record of this nest, a new one at the first call."""
    # `setdefault` is atomic: two threads get the same record, and no lock can be held in a fork.
    return _loops.setdefault((file, line, function), LoopRecord(file, line, function))


def add(record: LoopRecord) -> None:
    """Keep a record that was made by itself, unless there is one of its place."""
    _loops.setdefault((record.file, record.line, record.function), record)


def records() -> list[LoopRecord]:
    """All records, by file and line."""
    return [_whole(_loops[key]) for key in sorted(_loops)]


def _whole(record: LoopRecord) -> LoopRecord:
    """`record` with what is counted for several loops together."""
    others = record.together
    if others is None:
        return record
    whole = replace(record, runs=record.runs + others.runs)
    if record.leads:
        for name in ("kernels", "compile_s", "transfer_bytes", "run_s"):
            setattr(whole, name, getattr(record, name) + getattr(others, name))
    return whole


def clear() -> None:
    """Forget all records, and what has been said of them."""
    _loops.clear()
    _said.clear()


def say(level: int, text: str) -> None:
    """Tell the user when ``-v`` (1), ``-vv`` (2) or AUTOPAR_DEBUG ask for it; always at 0."""
    settings = config.current()
    if max(settings.verbose, settings.debug) >= level:
        write(text)


def say_once(level: int, text: str) -> None:
    """`say`, unless the same has been said: a loop and one within it can share what stops them."""
    if text not in _said:
        _said.add(text)
        say(level, text)


def debug(level: int, text: str | Callable[[], str]) -> None:
    """Tell a developer when AUTOPAR_DEBUG is `level` or more.

    What takes time to put into words comes as a function, which is called for those who listen.
    """
    if config.current().debug >= level:
        write(text if isinstance(text, str) else text())


def trace(error: BaseException) -> None:
    """Show a developer where an error of ours was raised, with AUTOPAR_DEBUG=1.

    It may be one for which nothing can be imported any more: no file can be opened, for instance.
    """
    if config.current().debug < 1:
        return
    try:
        import traceback
    except Exception:
        write(f"{type(error).__name__}: {error}")
    else:
        write("".join(traceback.format_exception(error)))


def write(text: str) -> None:
    """`text` on stderr, every line marked as autopar's."""
    lines = "".join(f"[autopar] {line}\n" for line in text.splitlines() or [""])
    try:
        sys.stderr.write(lines)
        sys.stderr.flush()
    except (AttributeError, ValueError, OSError):
        pass  # stderr is None, closed or gone: the user's program must not fail over our words
