"""Compare CPython, numba.njit, hand-annotated njit(parallel=True) and autopar on plain loops.

    python benchmarks/run.py alpyna|array_style|copperhead [--quick] [--json PATH] [names ...]
    python benchmarks/run.py suite [--quick|--tiny] [--json PATH] [names ...]

First autopar must leave the same bytes as CPython and run the expected loops in parallel; then
every contender, in a process of its own, is warmed up and timed in interleaved repetitions.
`suite` is all kernels in plain loops against what experts write (`columns`).
`docs/benchmarks.md` says what the numbers mean.
"""

import argparse
import datetime
import importlib
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import columns
import common
import contenders
from group import Group, environment, ratio, spread
from tables import ARRAYS, LISTS, TIMED, loops

HERE = Path(__file__).resolve().parent
SUITES = {"alpyna": TIMED, "array_style": ARRAYS, "copperhead": LISTS}
SUITES["suite"] = contenders.COLUMNS
"""By suite, who is timed, autopar last."""
TOO_SMALL = ("too-small", "not-yet")  # autopar's codes for it
MOST_CALLS, MOST_S = 300, 1.0  # in which a loop of a small size gets compiled
SETTLE_S = 0.01  # lets the threads of the contender before fall asleep


def complaints(loops, parallel, before=()):
    """What is wrong with autopar's account of the loops of one file, as texts.

    A loop with too little work beside loops that run in parallel is a decision, not a failure.
    So are calls left to Python until then, as the account `before` has them.
    """
    waited = {loop["line"]: loop["fallbacks"] for loop in before}
    loops = [loop for loop in loops if loop["code"] not in TOO_SMALL]
    if not loops:
        return ["no loop of this file was taken"]
    found = []
    for loop in loops:
        if parallel is None and loop["status"] in ("parallel", "sequential"):
            continue  # some of these have no loop that could run in parallel
        if loop["status"] != "parallel":
            found.append(f"line {loop['line']}: {loop['status']}: {loop['reason']}")
            continue
        stray = sorted(set(loop["parallel_loops"]) - set(parallel or loop["parallel_loops"]))
        if stray or not loop["parallel_loops"]:
            found.append(f"line {loop['line']}: parallel over {stray or 'nothing'}")
        fallbacks = loop["fallbacks"] - waited.get(loop["line"], 0)
        if fallbacks:
            found.append(f"line {loop['line']}: {fallbacks} runs fell back")
    return found


def waits(group, took):
    """Whether autopar has left some loop to Python until it will have cost enough."""
    if len(took) >= MOST_CALLS or sum(took) > MOST_S:
        return False
    loops = group.ask("autopar", "loops")
    return not loops or any(loop["code"] in TOO_SMALL for loop in loops)


def check(group, size, parallel, seed):
    """Bytes, types and loops of autopar against CPython at a small size, and both times there."""
    seconds = {}
    digests = {}
    for contender, calls in (("cpython", 1), ("autopar", 4)):
        if contender not in group.workers:
            continue
        group.ask(contender, "make", size=size, seed=seed)
        took, before, seen = [], [], {}
        while len(took) < calls or (contender == "autopar" and waits(group, took)):
            if contender == "autopar":
                before = group.ask(contender, "loops")
                seen |= {loop["line"]: loop for loop in before if loop["status"] == "parallel"}
            took.append(group.ask(contender, "call"))
            digests.setdefault(contender, []).append(group.ask(contender, "digest"))
        if contender == "autopar":
            before = group.ask(contender, "loops") if len(took) > calls else before
            took.append(group.ask(contender, "call"))
            digests[contender].append(group.ask(contender, "digest"))
        seconds[contender] = statistics.median(took[1:] or took)
        seconds[f"{contender}_first"] = took[0]
    if "autopar" not in group.workers:
        return {"size": size, "seconds": seconds}
    # How many threads pay is tried out: a loop that has run in parallel may.
    loops = [
        {**seen.get(loop["line"], loop), "fallbacks": loop["fallbacks"]}
        for loop in group.ask("autopar", "loops")
    ]
    return {
        "size": size,
        "seconds": seconds,
        "equal": set(digests["autopar"]) == set(digests["cpython"]),
        "loops": loops,
        "complaints": complaints(loops, parallel, before),
    }


def steady(group, size, options):
    """Samples of every timed contender, interleaved, the order rotated in every round."""
    timed = [c for c in SUITES[options.suite] if c in group.workers]
    failed = {}
    for contender in tuple(timed):
        try:
            group.ask(contender, "make", size=size, seed=options.seed)
            for _ in range(options.warmup):
                group.ask(contender, "call")
        except RuntimeError as error:
            if contender != "prange" or options.suite == "alpyna":
                raise
            # Numba does not take all of NumPy; where the files lie is nobody's matter.
            failed[contender] = str(error).partition("\n")[0].replace(f"{HERE.parent}/", "")
            timed.remove(contender)
    samples = {contender: [] for contender in timed}
    for r in range(options.repetitions):
        turn = r % len(timed)
        for contender in timed[turn:] + timed[:turn]:
            time.sleep(SETTLE_S)
            samples[contender].append(group.ask(contender, "call"))
    result = {"size": size, "seconds": {c: spread(s) for c, s in samples.items()}}
    result["failed"] = failed
    if "autopar" in timed:
        others = [c for c in timed if c != "autopar"]
        result["loops"] = group.ask("autopar", "loops")
        result["speedup"] = {c: ratio(samples[c], samples["autopar"]) for c in others}
        if not options.quick:
            mine = group.ask("autopar", "digest")
            result["same_bytes"] = {c: group.ask(c, "digest") == mine for c in others}
    return result


def means(lines, timed):
    """Geometric mean of the speedup over each other contender, None of nothing."""
    result = {}
    for contender in timed[:-1]:
        speedups = [line.get("steady", {}).get("speedup", {}) for line in lines]
        values = [s[contender] for s in speedups if contender in s]
        result[contender] = statistics.geometric_mean(values) if values else None
    return result


def loaded(suite, name, group):
    """Sizes and parallel loops of a benchmark that all of the group are to run."""
    return [group.ask(contender, "load", suite=suite, name=name) for contender in group.workers][-1]


def checked(suite, name, group, seed):
    """Whether autopar is right about one benchmark, at its small size."""
    about = loaded(suite, name, group)
    return check(group, about["sizes"]["check"], about["parallel"], seed)


def measure(name, options, env):
    """One line of the table."""
    with Group(options.contenders, env) as group:
        about = loaded(options.suite, name, group)
        line = {"name": name, "parallel": about["parallel"]}
        sizes = about["sizes"]
        line["check"] = check(group, sizes["check"], about["parallel"], options.seed)
        if options.repetitions:
            line["steady"] = steady(group, sizes["steady"], options)
        line["versions"] = group.ask(options.contenders[-1], "versions")
    return line


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=tuple(SUITES))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--quick", action="store_true", help="few repetitions; suite: also small")
    parser.add_argument("--tiny", action="store_true", help="suite: to see that all columns run")
    parser.add_argument("--check", action="store_true", help="equality and loops only, no timing")
    parser.add_argument("--repetitions", type=int, help="default 15, with --quick 5")
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--device", default="cpu", help="autopar's device, default cpu")
    parser.add_argument("--contenders", help="default: cpython and those that the suite times")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_intermixed_args(argv)
    known = importlib.import_module(options.suite).NAMES
    options.size = "tiny" if options.tiny else "quick" if options.quick else "normal"
    if unknown := sorted(set(options.names) - set(known)):
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(known)}")
    options.names = options.names or list(known)
    given = options.contenders
    options.contenders = given.split(",") if given else list(SUITES[options.suite])
    options.contenders = ["cpython", *(c for c in options.contenders if c != "cpython")]
    if options.repetitions is None:
        options.repetitions = 2 if options.tiny else 5 if options.quick else 15
    if options.check:
        options.repetitions = 0
        options.contenders = ["cpython", "autopar"]
    return options


def main(argv=None):
    options = parse(argv)
    if options.suite == "suite":
        return columns.main(options)
    lines = []
    with tempfile.TemporaryDirectory() as cache:
        env = environment(options, cache)
        for name in options.names:
            print(name, file=sys.stderr, flush=True)
            lines.append(measure(name, options, env))
    versions = [line.pop("versions") for line in lines][-1]
    result = {
        "version": 1,
        "suite": options.suite,
        "date": datetime.date.today().isoformat(),
        "machine": common.machine(),
        "versions": versions,
        "threads": options.threads,
        "device": options.device,
        "repetitions": options.repetitions,
        "benchmarks": lines,
        "geometric_means": means(lines, SUITES[options.suite]),
    }
    common.leave(result, lambda found: loops(found, SUITES[options.suite]), options.json)
    checks = [line["check"] for line in lines]
    return int(any(not c.get("equal", True) or c.get("complaints") for c in checks))


if __name__ == "__main__":
    sys.exit(main())
