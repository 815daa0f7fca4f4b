"""Calls of one kernel, one after the other, as a program makes them: for `never_slower`.

    python [-m autopar] benchmarks/repeated.py suite.atax 11 --calls 100 [--seconds S]

Prints, as JSON, for 1, 2, 4, … calls the seconds that these have taken, and the processor's time.
"""
# autopar: off

import argparse
import importlib
import json
import time

import numpy as np


def copied(value):
    """New inputs for each call: arrays that a kernel has written are another problem."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        return [copied(item) for item in value] if value and type(value[0]) is list else value[:]
    return value


def marks(run, data, calls, seconds):
    """After how many calls what had been spent, up to `calls` or until `seconds` have passed."""
    found = []
    whole_s = used_s = 0.0
    count = 0
    while count < calls and whole_s < seconds:
        fresh = {name: copied(value) for name, value in data.items()}
        used, before = time.process_time(), time.perf_counter()
        run(**fresh)
        whole_s += time.perf_counter() - before
        used_s += time.process_time() - used
        count += 1
        if count & (count - 1) == 0 or count == calls:
            found.append((count, whole_s, used_s))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("size", type=int)
    parser.add_argument("--calls", type=int, default=1 << 40)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    module = importlib.import_module(options.module)
    data = module.make(options.size, 1)
    print(json.dumps(marks(module.run, data, options.calls, options.seconds)))


if __name__ == "__main__":
    main()
