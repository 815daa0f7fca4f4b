"""Loops that draw random numbers one by one: autopar against CPython.

    python benchmarks/draws.py [--rounds 5] [--json PATH] [names ...]

Both run `drawing.py`, from two copies of it, in turn.  They must leave the same results, and their
generators in the same state.
"""

import importlib
import statistics
import sys
import time
from pathlib import Path

import common
from drawing import SIZES, make
from tables import draws

HERE = Path(__file__).resolve().parent
WAYS = ("by_cpython", "by_autopar")


def compare(name, rounds):
    """Seconds both ways in turn, and the median of the ratio within a round."""
    samples = {way: [] for way in WAYS}
    left = {}
    for r in range(rounds + 2):
        for way in WAYS if r % 2 else WAYS[::-1]:
            module = importlib.import_module(way)
            module.start()
            arguments = make(name, SIZES[name])
            before = time.perf_counter()
            result = getattr(module, name)(*arguments)
            seconds = time.perf_counter() - before
            if r >= 2:
                samples[way].append(seconds)
            left[way] = type(result), repr(result), module.states()
    ratios = [a / b for a, b in zip(*(samples[way] for way in WAYS), strict=True)]
    return {
        "name": name,
        "size": SIZES[name],
        "equal": left[WAYS[0]] == left[WAYS[1]],
        "cpython_s": statistics.median(samples[WAYS[0]]),
        "autopar_s": statistics.median(samples[WAYS[1]]),
        "ratio": statistics.median(ratios),
        "quartiles": statistics.quantiles(ratios, n=4)[::2],
    }


def main(argv=None):
    options = common.options(__doc__, SIZES, rounds=5).parse_args(argv)
    result = common.started(threads=1, repetitions=options.rounds)
    with common.copies((HERE / "drawing.py").read_text(), WAYS[:1], WAYS[1:], 1):
        result["programs"] = [compare(n, options.rounds) for n in options.names or SIZES]
    result["geometric_mean"] = common.geometric_mean(result["programs"])
    common.leave(result, draws, options.json)
    return int(not all(program["equal"] for program in result["programs"]))


if __name__ == "__main__":
    sys.exit(main())
