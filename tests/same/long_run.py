"""Random nests for as long as you like: ``python tests/same/long_run.py --minutes 20 --seed 1``.

Prints every failing program, cut down, and a summary of what became of all of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from programs import Program, programs
from verdicts import Wrong, judge

from autopar import config


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--round", type=int, default=60, help="programs between two new seeds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        before = config.read({}, {}, Path(cache))
        config.use(replace(before, verify=True, cache_dir=Path(cache), threads=3))
        return _rounds(options, time.monotonic() + 60 * options.minutes)


def _rounds(options: argparse.Namespace, end: float) -> int:
    warnings.simplefilter("ignore")
    seen: Counter[str] = Counter()
    failures = 0
    number = options.seed * 1000
    while time.monotonic() < end:
        number += 1
        try:
            _round(number, options.round, end, seen)
        except Wrong as wrong:
            failures += 1
            print(f"--- seed {number}\n{wrong}", flush=True)
    total = max(1, seen.total())
    for key, count in seen.most_common():
        print(f"{count:6d}  {100 * count / total:5.1f} %  {key}")
    print(f"{total} programs, {failures} failures")
    return failures > 0


def _round(number: int, count: int, end: float, seen: Counter[str]) -> None:
    late = end + 30  # what was found just before the end may still be cut down

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(program=programs())
    def once(program: Program) -> None:
        if time.monotonic() < late:
            seen[judge(program)] += 1

    once()


if __name__ == "__main__":
    sys.exit(main())
