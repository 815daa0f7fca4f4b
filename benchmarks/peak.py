"""Calls of one kernel, and the most memory that the process has had: for `memory`.

    python [-m autopar] benchmarks/peak.py suite.atax 2200 --calls 4

Prints, as JSON, bytes: that were resident `before` the first call, and the most that were from then
on, `peak`; `held` by arrays and lists, and `written` by those that the calls have changed.  Under
autopar also how often kernels have run, and the seconds of compiling.
"""
# autopar: off

import argparse
import importlib
import json
import resource
import sys
import zlib
from pathlib import Path

import numpy as np


def most(anew=False):
    """Bytes that this process has had in memory at one time, or since it was asked `anew`."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    # What `getrusage` says may be what the parent had when it forked.
    (line,) = (x for x in status.read_text().splitlines() if x.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def nbytes(value):
    """Of an array, or of a list of numbers and the lists in it."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, list):
        inner = sum(map(nbytes, value)) if value and type(value[0]) is list else 0
        return sys.getsizeof(value) + inner
    return 0


def digests(data):
    """By name a sum of what is in it; nothing is copied."""
    found = {}
    for name, value in data.items():
        if isinstance(value, np.ndarray):
            found[name] = zlib.crc32(np.ascontiguousarray(value).reshape(-1).view(np.uint8))
        elif isinstance(value, list):
            found[name] = zlib.crc32(repr(value[:100]).encode())
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("size", type=int)
    parser.add_argument("--calls", type=int, default=1)
    parser.add_argument("--changes", action="store_true", help="look at what the call has changed")
    options = parser.parse_args()
    module = importlib.import_module(options.module)
    data = module.make(options.size, 1)
    found = {"held": sum(map(nbytes, data.values()))}
    known = digests(data) if options.changes else {}
    found["before"] = most(anew=True)
    with np.errstate(all="ignore"):
        for _ in range(options.calls):
            module.run(**data)
    found["peak"] = most()
    if options.changes:
        changed = [name for name, one in digests(data).items() if one != known[name]]
        found["written"] = sum(nbytes(data[name]) for name in changed)
    if "autopar" in sys.modules:
        from autopar import journal

        records = journal.records()
        found["runs"] = sum(record.runs for record in records)
        found["compile_s"] = sum(record.compile_s for record in records)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
