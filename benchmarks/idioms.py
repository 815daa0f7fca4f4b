"""Loops with functions, powers, tests and counters: autopar against CPython and Numba.

    python benchmarks/idioms.py [--rounds 7] [--threads 1] [--json PATH] [names ...]

All run `of_idioms.py`, in turn; Numba's decorator stands before each function, and nothing else is
changed for it.  What autopar leaves must have CPython's bytes.  Numba's powers and functions are
near them, which is looked at as well.
"""

import importlib
import statistics
import sys
import time
from pathlib import Path

import common
import numba
import numpy as np
from of_idioms import SIZES, make
from tables import idioms

HERE = Path(__file__).resolve().parent
WAYS = ("by_cpython", "by_numba", "by_autopar")
WARM, SLOW = 6, 2
"""Calls before the first that counts; rounds in which CPython takes part."""
NEAR = 1e-9


def arrays(arguments):
    return [argument for argument in arguments if isinstance(argument, np.ndarray)]


def compare(name, rounds):
    """Seconds of all ways in turn, and medians of ratios within a round."""
    functions = {way: getattr(importlib.import_module(way), name) for way in WAYS}
    functions["by_numba"] = numba.njit(functions["by_numba"])
    samples = {way: [] for way in WAYS}
    left = {}
    for r in range(rounds + WARM):
        for way in WAYS if r % 2 else WAYS[::-1]:
            if way == WAYS[0] and r < rounds + WARM - SLOW:
                continue
            arguments = make(name, SIZES[name])
            before = time.perf_counter()
            functions[way](*arguments)
            seconds = time.perf_counter() - before
            if r >= WARM:
                samples[way].append(seconds)
            left[way] = arrays(arguments)
    plain, others, ours = (left[way] for way in WAYS)
    ratios = [a / b for a, b in zip(*(samples[way] for way in WAYS[1:]), strict=True)]
    return {
        "name": name,
        "size": SIZES[name],
        "equal": all(a.tobytes() == b.tobytes() for a, b in zip(plain, ours, strict=True)),
        "near": all(np.allclose(a, b, NEAR) for a, b in zip(plain, others, strict=True)),
        "same_as_numba": all(
            a.tobytes() == b.tobytes() for a, b in zip(plain, others, strict=True)
        ),
        **{f"{way[3:]}_s": statistics.median(samples[way]) for way in WAYS},
        "ratio": statistics.median(ratios),
        "quartiles": statistics.quantiles(ratios, n=4)[::2],
    }


def main(argv=None):
    parser = common.options(__doc__, SIZES, rounds=7, threads=True)
    options = parser.parse_args(argv)
    result = common.started(threads=options.threads, repetitions=options.rounds)
    text = (HERE / "of_idioms.py").read_text()
    with common.copies(text, WAYS[:2], WAYS[2:], options.threads):
        result["programs"] = [compare(n, options.rounds) for n in options.names or SIZES]
    result["geometric_mean"] = common.geometric_mean(result["programs"])
    common.leave(result, idioms, options.json)
    return int(not all(p["equal"] and p["near"] for p in result["programs"]))


if __name__ == "__main__":
    sys.exit(main())
