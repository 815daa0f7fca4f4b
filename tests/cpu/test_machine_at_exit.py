"""What Python's functions point to is there as long as Python may look at it."""

import subprocess
import sys

PROGRAM = """
import os
from autopar.cpu import machine

class Watched(machine._MethodDef):
    def __del__(self, write=os.write):
        write(1, b"gone")

machine._MethodDef = Watched
code = machine.assemble('define ptr @"f"(ptr %self, ptr %args, i64 %n) { ret ptr %self }')
function = machine.load(code, "f", ())
cycle = [function]
cycle.append(cycle)
print(function.__name__)
"""


def test_definitions_outlive_modules() -> None:
    """The last collection of garbage looks at functions when all modules have been emptied."""
    command = [sys.executable, "-c", PROGRAM]
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout == "f\n"
