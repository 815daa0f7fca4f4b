"""``python -m tests.catalogue [category or loop …]``: the table, and what is missed."""

from __future__ import annotations

import argparse
import sys

from .judge import judge
from .loop import catalogue
from .run import ready
from .table import misses, pairs, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.catalogue", description=__doc__)
    parser.add_argument("chosen", nargs="*", help="categories or loops; default all")
    parser.add_argument("--compile", action="store_true", help="run kernels for every call")
    parser.add_argument("--plans", action="store_true", help="show each plan")
    options = parser.parse_args()
    wanted = set(options.chosen)
    verdicts = []
    with ready():
        for loop in catalogue():
            if not wanted or wanted & {loop.category, loop.name}:
                verdicts += judge(loop, options.compile or None)
    for verdict in verdicts if options.plans else ():
        print(f"\n{verdict.case.label}   legal {pairs(verdict, verdict.legal)}")
        print("\n".join(verdict.plans + verdict.refusals))
    print(table(verdicts))
    print("\nmissed:" + misses(verdicts))
    wrong = [(v, line) for v in verdicts for line in v.wrong]
    for verdict, line in wrong:
        print(f"WRONG {verdict.case.label}: {line}")
    return 1 if wrong else 0


sys.exit(main())
