"""All versions of the kernels of the suite, checked and timed: ``run.py suite``.

For each kernel and column two processes: one with empty caches, which gives the first call cold,
and a later one that finds what the first has left, which gives the first call warm and is timed.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import common
import contenders
import suite
from group import Group, environment, ratio, spread
from tables import columns as table

AUTOPARS = ("autopar", "relaxed", "cores", "device")  # columns, and places in `gpu.py`
SETTLE_S = 0.25  # in which threads that wait for more work, spinning, fall asleep
IN_A_ROW = 12  # more calls of a turn, one after the other
WARMUP, MOST_CALLS, MOST_S = 2, 300, 3.0
FEWEST_CALLS, FEWEST_S = 16, 0.5  # whichever comes first: caches, and trials of threads, are over


def surroundings(options, folder):
    """A function: the environment of a column, with caches that it shares with no other."""

    def of(column):
        cache = folder / column
        cache.mkdir(exist_ok=True)
        return {
            **environment(options, str(cache)),
            "AUTOPAR_FP": "relaxed" if column == "relaxed" else "exact",
            "NUMBA_CACHE_DIR": str(cache),
            "PYTHRAN_KEPT": os.environ.get("PYTHRAN_KEPT", str(cache)),
            "OMP_NUM_THREADS": str(options.threads),
            "OPENBLAS_NUM_THREADS": str(options.threads),
        }

    return of


def first(group, column, name, options, expected):
    """First call in a new process: seconds of its parts, and its results against CPython's."""
    loaded = group.ask(column, "load", name=name)
    size = loaded["sizes"][options.size]
    ready = group.ask(column, "make", size=size, seed=options.seed)
    if "missing" in ready:
        return ready
    call_s = group.ask(column, "call")
    if column == "cpython":
        group.ask(column, "save", path=str(expected))
        found = {"equal": True, "distance": 0.0}
    else:
        found = group.ask(column, "compare", path=str(expected))
    whole_s = loaded["load_s"] + ready["ready_s"] + call_s
    return {"size": size, "call_s": call_s, "first_s": whole_s, **found}


def measure(name, options, env, expected):
    """One line of the table."""
    line = {"name": name, "cold": {}, "warm": {}, "missing": {}}
    for column in options.contenders:
        with Group([column], env, "column.py") as group:
            try:
                found = first(group, column, name, options, expected)
            except RuntimeError as error:
                found = {"missing": reason(error)}
            if "missing" in found:
                line["missing"][column] = found["missing"]
            else:
                line["cold"][column] = found
    there = [c for c in options.contenders if c in line["cold"] and c != "cpython"]
    with Group(there, env, "column.py") as group:
        for column in there:
            line["warm"][column] = first(group, column, name, options, expected)
            settle(group, column)
        samples, rows = rounds(group, there, options.repetitions)
        line["last"] = {c: group.ask(c, "compare", path=str(expected)) for c in there}
        if "autopar" in there:
            line["loops"] = group.ask("autopar", "loops")
            line["versions"] = group.ask("autopar", "versions")
    line["size"] = line["cold"]["cpython"]["size"]
    line["seconds"] = {c: spread(s) for c, s in samples.items()}
    line["speedup"] = speedups(samples, line["cold"]["cpython"]["call_s"])
    line["row_seconds"] = {c: spread(s) for c, s in rows.items()}
    line["row_speedup"] = speedups(rows, line["cold"]["cpython"]["call_s"])
    line["wrong"] = wrong(line)
    return line


def settle(group, column):
    """Call until nothing changes: autopar compiles a small loop once it has cost enough."""
    took = [group.ask(column, "call") for _ in range(WARMUP)]
    while len(took) < FEWEST_CALLS and sum(took) < FEWEST_S:
        took.append(group.ask(column, "call"))
    before = None
    while column in AUTOPARS and len(took) < MOST_CALLS and sum(took) < MOST_S:
        now = [(x["status"], x["fallbacks"]) for x in group.ask(column, "loops")]
        if now == before:
            return
        before = now
        took += [group.ask(column, "call") for _ in range(WARMUP)]


def reason(error):
    """The first line of what a worker said, without where the files lie."""
    return str(error).partition("\n")[0].replace(f"{common.HERE.parent}/", "")


def rounds(group, timed, repetitions):
    """Samples of every version, interleaved, the order rotated in every round.

    The first call of a turn, after a pause and others' calls; and the median of those behind it.
    """
    samples, rows = ({column: [] for column in timed} for _ in range(2))
    for r in range(repetitions):
        turn = r % max(1, len(timed))
        for column in timed[turn:] + timed[:turn]:
            time.sleep(SETTLE_S)
            samples[column].append(group.ask(column, "call"))
            more = [group.ask(column, "call") for _ in range(IN_A_ROW)]
            rows[column].append(statistics.median(more))
    return samples, rows


def speedups(samples, cpython_s):
    """Of autopar over each other column; over the best of those that are exact, by hand or not.

    Relaxed autopar is held against fastmath.
    """
    found = {}
    if mine := samples.get("autopar"):
        found = {c: ratio(s, mine) for c, s in samples.items() if c not in ("autopar", "fastmath")}
        found["cpython"] = cpython_s / statistics.median(mine)
        if by_hand := [samples[c] for c in ("njit", "expert") if c in samples]:
            found["best"] = ratio(min(by_hand, key=statistics.median), mine)
    if "fastmath" in samples and "relaxed" in samples:
        found["fastmath"] = ratio(samples["fastmath"], samples["relaxed"])
    return found


def wrong(line):
    """The columns whose results are not CPython's, or for some not even near them."""
    found = []
    for calls in ("cold", "warm", "last"):
        for column, call in line[calls].items():
            good = call["distance"] <= contenders.FARTHEST.get(column, suite.TOLERANCE)
            if column == "autopar":
                good = call["equal"]
            elif line["name"] in suite.TURNS_ON_LAST_BIT:
                good = True
            if not good and column not in found:
                found.append(column)
    return found


def means(lines):
    """Geometric means of the speedups; of calls in a row, under ``row best`` and so on."""
    found = {}
    for which, before in (("speedup", ""), ("row_speedup", "row ")):
        for column in (*contenders.COLUMNS, "best"):
            values = [line[which][column] for line in lines if column in line[which]]
            if values:
                found[before + column] = statistics.geometric_mean(values)
    return found


def main(options):
    lines = []
    result = {}
    for name in options.names:
        print(name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:  # for each its own: cold is cold
            folder = Path(folder)
            env = surroundings(options, folder)
            lines.append(measure(name, options, env, folder / "expected"))
        result = {
            **common.started(suite="suite", threads=options.threads, size=options.size),
            "repetitions": options.repetitions,
            "benchmarks": lines,
            "geometric_means": means(lines),
        }
        common.keep(result, options.json)  # an hour's work is not lost when the next one fails
    print(table(result))
    return int(any(line["wrong"] for line in lines))
