"""Loops that all carry dependences: in tiles along diagonals, against the same loops in order.

    python benchmarks/wavefronts.py [--rounds 15] [--threads 2] [--json PATH] [names ...]

Both are autopar's kernels, compiled from two copies of `recurrences.py`: one is decided on with one
thread, and so runs in the user's order, the other with all of them.
"""

import importlib
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import common
import numpy as np
from recurrences import SIZES, make
from tables import wavefronts

HERE = Path(__file__).resolve().parent
WAYS = ("in_order", "in_tiles")
SMALL = 40  # at which CPython is quick enough to compare with


def restored(arguments, fresh):
    """`arguments` as they were made."""
    for argument, before in zip(arguments, fresh, strict=True):
        if isinstance(argument, np.ndarray):
            np.copyto(argument, before)
    return arguments


def compare(name, rounds, threads):
    """Seconds both ways in turn, and the median of the ratio within a round."""
    import recurrences

    from autopar import config, journal

    arguments, fresh = make(name, SIZES[name], 1), make(name, SIZES[name], 1)
    samples = {way: [] for way in WAYS}
    results = {}
    for r in range(rounds + 3):
        for way in WAYS if r % 2 else WAYS[::-1]:
            config.use(replace(config.current(), threads=1 if way == "in_order" else threads))
            function = getattr(importlib.import_module(way), name)
            restored(arguments, fresh)
            start = time.perf_counter()
            function(*arguments)
            seconds = time.perf_counter() - start
            if r >= 3:
                samples[way].append(seconds)
            results[way] = b"".join(a.tobytes() for a in arguments if isinstance(a, np.ndarray))
    small = {}
    for way in (*WAYS, "python"):
        few = make(name, SMALL, 2)
        module = recurrences if way == "python" else importlib.import_module(way)
        getattr(module, name)(*few)
        small[way] = b"".join(a.tobytes() for a in few if isinstance(a, np.ndarray))
    record = next(
        r for r in journal.records() if r.function == name and r.file.endswith("in_tiles.py")
    )
    ratios = [a / b for a, b in zip(*(samples[way] for way in WAYS), strict=True)]
    return {
        "name": name,
        "size": SIZES[name],
        "parallel_loops": list(record.parallel_loops),
        "equal": len(set(results.values())) == 1 and len(set(small.values())) == 1,
        **{f"{way}_s": statistics.median(samples[way]) for way in WAYS},
        "ratio": statistics.median(ratios),
        "quartiles": statistics.quantiles(ratios, n=4)[::2],
    }


def main(argv=None):
    options = common.options(__doc__, SIZES, rounds=15, threads=True).parse_args(argv)
    result = common.started(threads=options.threads, repetitions=options.rounds)
    with common.copies((HERE / "recurrences.py").read_text(), (), WAYS, options.threads):
        names = options.names or SIZES
        result["programs"] = [compare(n, options.rounds, options.threads) for n in names]
    result["geometric_mean"] = common.geometric_mean(result["programs"])
    common.leave(result, wavefronts, options.json)
    return int(not all(program["equal"] for program in result["programs"]))


if __name__ == "__main__":
    sys.exit(main())
