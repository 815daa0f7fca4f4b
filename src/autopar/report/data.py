"""The journal as the JSON report, version 1."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from autopar import journal
from autopar.config import Location
from autopar.journal import LoopRecord

VERSION = 1


def report(records: Iterable[LoopRecord] | None = None) -> dict[str, object]:
    """`records`, or else the whole journal, as plain data for JSON."""
    loops = journal.records() if records is None else records
    return {"version": VERSION, "loops": [loop(record) for record in loops]}


def loop(record: LoopRecord) -> dict[str, object]:
    """One loop of the report."""
    refusal = record.refusal
    return {
        "file": record.file,
        "line": record.line,
        "function": record.function,
        "status": record.status,
        "device": record.device,
        "parallel_loops": list(record.parallel_loops),
        "sequential_loops": list(record.sequential_loops),
        "products": list(record.products),
        "kernels": record.kernels,
        "runs": record.runs,
        "fallbacks": record.fallbacks,
        "compile_s": record.compile_s,
        "transfer_bytes": record.transfer_bytes,
        "run_s": record.run_s,
        "code": refusal.code if refusal else None,
        "reason": f"line {refusal.span.line}: {refusal.text}" if refusal else None,
    }


def write(where: Location) -> None:
    """Write the whole journal to a file in one step; a failure is said, not raised."""
    path = Path(where)
    text = json.dumps(report(), indent=2, allow_nan=False) + "\n"
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        # The program has done its work by now; a missing report must not change its exit code.
        part.unlink(missing_ok=True)
        journal.say(0, f"the report was not written: {error}")
