"""A process that judges programs and reports a line of JSON on each; it may crash or hang.

``python -m tests.fuzz.worker LEVEL SEED FIRST COUNT`` judges the programs of that run with these
numbers; ``python -m tests.fuzz.worker LEVEL -`` the one program on standard input, which CPython
alone runs where ``=`` stands in place of the ``-``.  LEVEL says how hard LLVM tries.
"""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from autopar.cpu import machine

from .choices import seeded
from .compare import Wrong, judge, plainly
from .grammar import program
from .program import Program, read
from .setting import eager
from .shrink import shrink

SHRINK_S = 60.0
Report = Callable[[dict[str, Any]], None]


def main() -> int:
    report = _reporter()
    faulthandler.enable(sys.stderr)
    warnings.simplefilter("ignore")
    gc.set_threshold(100_000, 50, 1000)  # a compilation is all garbage: an eighth of the time
    machine.LEVEL = int(sys.argv[1])
    if sys.argv[2] == "=":
        plainly(read(sys.stdin.read()))
        return 0
    with eager():
        if sys.argv[2] == "-":
            report(verdict_of(read(sys.stdin.read())))
            return 0
        seed, first, count = map(int, sys.argv[2:5])
        for number in range(first, first + count):
            report({"at": number})
            report({"at": number, **_one(seed, number, report)})
    return 0


def _reporter() -> Report:
    """Writes to what was standard output, which nothing else reaches any more."""
    stream = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def report(message: dict[str, Any]) -> None:
        stream.write(json.dumps(message) + "\n")
        stream.flush()

    return report


def verdict_of(found: Program) -> dict[str, Any]:
    """What became of one program."""
    try:
        verdict = judge(found)
    except Wrong as wrong:
        return {"wrong": str(wrong)}
    except Exception as error:  # ours or autopar's: a fault in either case
        return {"wrong": f"{type(error).__name__}: {error}"}
    return {"status": verdict.status, "code": verdict.code, "inside": verdict.inside}


def _one(seed: int, number: int, report: Report) -> dict[str, Any]:
    choices = seeded(seed, number)
    found = program(choices)
    answer = verdict_of(found)
    if "wrong" in answer:

        def fails(candidate: Program) -> bool:
            report({"alive": True})
            return "wrong" in verdict_of(candidate)

        small = shrink(choices, fails, SHRINK_S)
        return {"wrong": verdict_of(small).get("wrong", answer["wrong"]), "program": str(small)}
    answer["text"] = hashlib.sha256(str(found).encode()).hexdigest()[:20]
    return answer


if __name__ == "__main__":
    sys.exit(main())
