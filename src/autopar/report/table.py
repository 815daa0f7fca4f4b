"""The journal as text, one line for each nest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from autopar import journal
from autopar.journal import LoopRecord

_HEAD = ("loop", "function", "how", "device", "runs", "time", "why not")


def text(records: Iterable[LoopRecord] | None = None) -> str:
    """A table of `records`, or else of the whole journal."""
    rows = [_row(record) for record in (journal.records() if records is None else records)]
    if not rows:
        return "no loops were found"
    return "\n".join(_aligned([_HEAD, *rows]))


def _row(record: LoopRecord) -> tuple[str, ...]:
    return (
        f"{_shown(record.file)}:{record.line}",
        record.function,
        _how(record),
        record.device or "-",
        _runs(record),
        _time(record),
        _why_not(record),
    )


def _shown(file: str) -> str:
    """Relative where that is shorter."""
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):
        return file  # another drive, or the current directory is gone
    return min(relative, file, key=len) if os.path.isabs(file) else file


def _how(record: LoopRecord) -> str:
    how: str = record.status
    if record.status == "parallel":
        how += f" {', '.join(record.parallel_loops)}"
    return how + ", BLAS" * bool(record.products)


def _time(record: LoopRecord) -> str:
    others = record.together
    if others is not None and not record.leads and record.runs == others.runs:
        return f"with line {others.line}"
    return _seconds(record.run_s) if record.runs else "-"


def _runs(record: LoopRecord) -> str:
    if not record.fallbacks:
        return str(record.runs)
    return f"{record.runs} (+{record.fallbacks} interpreted)"


def _seconds(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"


def _why_not(record: LoopRecord) -> str:
    refusal = record.refusal
    return f"[{refusal.code}] line {refusal.span.line}: {refusal.text}" if refusal else ""


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
