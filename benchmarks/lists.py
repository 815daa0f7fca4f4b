"""Lists and lists of lists: the interpreter against autopar, which copies them at each call.

    python benchmarks/lists.py [--rounds 9] [--threads 2] [--json PATH] [names ...]

Times are of whole calls once the nest has been compiled, copies of the lists included.
"""

import importlib
import statistics
import sys
import time
from pathlib import Path

import common
import numpy as np
from of_lists import SIZES, make
from tables import lists

HERE = Path(__file__).resolve().parent
WAYS = ("cpython", "autopar")
ELEMENTS = 1_000_000
WARM = 30  # calls, at the most


def timed(function, arguments):
    """Seconds of one call, and what it comes to."""
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, repr((result, arguments))


def compare(name, rounds):
    """Seconds both ways in turn, and the median of the ratio within a round."""
    from autopar import journal

    size = SIZES[name]
    plain, taken = (getattr(importlib.import_module(m), name) for m in ("of_lists", "taken_lists"))
    for _ in range(WARM):  # until there has been enough work to be worth compiling
        timed(taken, make(name, size, 1))
        record = next(r for r in journal.records() if r.function == name)
        if record.runs:
            break
    samples = {way: [] for way in WAYS}
    equal = True
    for r in range(rounds):
        results = {}
        for way in WAYS if r % 2 else WAYS[::-1]:
            function = plain if way == "cpython" else taken
            seconds, results[way] = timed(function, make(name, size, r))
            samples[way].append(seconds)
        equal &= results["cpython"] == results["autopar"]
    ratios = [a / b for a, b in zip(*(samples[way] for way in WAYS), strict=True)]
    return {
        "name": name,
        "size": size,
        "parallel_loops": list(record.parallel_loops),
        "runs": record.runs,
        "equal": equal,
        **{f"{way}_s": statistics.median(samples[way]) for way in WAYS},
        "ratio": statistics.median(ratios),
        "quartiles": statistics.quantiles(ratios, n=4)[::2],
    }


def copies(rounds):
    """Nanoseconds for an element: read, put back where it has changed, and where it has not."""
    from autopar import pipeline

    found = {}
    for dtype, value in (("float64", 0.5), ("int64", 70000), ("bool", True)):
        read, write = (pipeline.mover(work, dtype) for work in ("read", "write"))
        row = [type(value)(value + k) if dtype != "bool" else value for k in range(ELEMENTS)]
        array = np.zeros((1, ELEMENTS), dtype)
        samples = {"read": [], "changed": [], "same": []}
        for _ in range(rounds):
            rows = (list(row),)
            before = time.perf_counter()
            read(rows, list, type(value), array, True)
            samples["read"].append(time.perf_counter() - before)
            other = ~array if dtype == "bool" else array + 1
            for way, old in (("same", array), ("changed", other)):
                before = time.perf_counter()
                write(rows, list, type(value), array, old)
                samples[way].append(time.perf_counter() - before)
        found[dtype] = {w: statistics.median(s) / ELEMENTS * 1e9 for w, s in samples.items()}
    return found


def main(argv=None):
    options = common.options(__doc__, SIZES, rounds=9, threads=True).parse_args(argv)
    result = common.started(threads=options.threads, repetitions=options.rounds)
    with common.copies((HERE / "of_lists.py").read_text(), (), ["taken_lists"], options.threads):
        result["programs"] = [compare(n, options.rounds) for n in options.names or SIZES]
        result["copies_ns"] = copies(options.rounds)
    result["geometric_mean"] = common.geometric_mean(result["programs"])
    common.leave(result, lists, options.json)
    return int(not all(program["equal"] for program in result["programs"]))


if __name__ == "__main__":
    sys.exit(main())
