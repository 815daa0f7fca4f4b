"""Loops that draw random numbers one by one: autopar against CPython.

    python benchmarks/draws.py [--rounds 5] [--json PATH] [names ...]

Both run `drawing.py`, from two copies of it, in turn.  They must leave the same results, and their
generators in the same state.
"""

import argparse
import datetime
import importlib
import json
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from drawing import SIZES, make
from run import machine
from tables import draws
from worker import versions

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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SIZES, []])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    import autopar
    from autopar import config

    result = {"version": 1, "date": datetime.date.today().isoformat(), "machine": machine()}
    result |= {"versions": versions(), "threads": 1, "repetitions": options.rounds}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cache").mkdir(mode=0o700)
        for way in WAYS:
            (folder / f"{way}.py").write_text((HERE / "drawing.py").read_text())
        sys.path.insert(0, name)
        autopar.install(["by_autopar"], threads=1)
        config.use(replace(config.current(), cache_dir=folder / "cache"))
        result["programs"] = [compare(n, options.rounds) for n in options.names or SIZES]
    result["geometric_mean"] = statistics.geometric_mean(p["ratio"] for p in result["programs"])
    print(draws(result))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    sys.exit(not all(program["equal"] for program in result["programs"]))


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
    main()
