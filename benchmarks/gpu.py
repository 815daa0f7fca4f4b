"""Kernels of the suite on a device: whole calls from the host, and the time on the device alone.

    python benchmarks/gpu.py [--device cuda] [--size normal] [--repetitions 9] [--json PATH] [name]
    python benchmarks/gpu.py --size large
    python benchmarks/gpu.py --fp ulp black_scholes rbf_rows

Two processes run autopar, one on the cores and one on the device, in turn, and must leave the same
bytes; with `--fp ulp` or `relaxed`, where functions may be the device's own, what is within a
millionth of the largest number.  *on the device* is the time from the beginning of the first
kernel to the end of the last, with all arrays there, by the device's own clock.  *of a copy* is how
fast kernels read and write what they must at the least, beside a copy of one array to another on
that device.
What the device does not take runs on the cores, and is named below the table.

At the large size the twelve of ALPyNA are held against what is written by hand for a GPU (see
`gpu_column.py`): *numba*, *raw* and *arrays* say how much longer these take on the device, *each*
is one thread for each element, as ALPyNA launches, and *host* is the best of them from the host's
arrays and back.  That they compute the same is checked at the quick size.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import common
import suite
from columns import settle
from group import Group, environment
from tables import gpu

NAMES = [name for name in suite.NAMES if not name.endswith(("_comprehension", "_lists"))]
LARGE = {
    "vadd": 64_000_000,
    "saxpy": 64_000_000,
    "conway": 12_000,
    "hilbert": 8_000,
    "jacobi": 6_000,
    "gemver": 8_000,
    "black_scholes": 16_000_000,
    "fbcorr": 500,
    "conv_2d": 6_000,
    "gemm": 2_048,
    "mandelbrot": 4_000,
    "syr2k": 2_048,
}
"""Sizes at which a device has enough to do: arrays are larger than its caches."""
CELLS = {
    "vadd": lambda n: 12 * n,
    "saxpy": lambda n: 12 * n,
    "conway": lambda n: 2 * n * n,
    "hilbert": lambda n: 8 * n * n,
    "jacobi": lambda n: 16 * 16 * n * n,
    "gemver": lambda n: 4 * 8 * n * n,
    "black_scholes": lambda n: 40 * n,
    "conv_2d": lambda n: 16 * n * n,
}
"""Bytes that kernels must read or write, where they go through arrays larger than caches again and
again; of other kernels it is what moves."""
UNTIL_TRIED = 12
"""Calls after which it is known how many work items should go on together, and launches are
recorded."""
BY_HAND = ("numba", "raw", "arrays", "one_each")


def measure(group, name, options):
    """One line of the table, or None where nothing of it runs on the device."""
    line = {"name": name}
    for place in ("cores", "device"):
        sizes = {**group.ask(place, "load", name=name)["sizes"], "large": LARGE.get(name)}
        size = sizes[options.size]
        group.ask(place, "make", size=size, seed=1)
        settle(group, place)
    for _ in range(UNTIL_TRIED):
        group.ask("device", "call")
    cores, there = [], []
    for _ in range(options.repetitions):
        cores.append(group.ask("cores", "timed")["whole_s"])
        there.append(group.ask("device", "timed"))
    line["size"] = size
    line["cores_s"] = statistics.median(cores)
    for key in ("whole_s", "kernels_s", "moved"):
        line[key] = statistics.median(one[key] for one in there)
    line["equal"] = group.ask("cores", "digest") == group.ask("device", "digest")
    line["near"] = options.fp != "exact" and near(group)
    loops = [one for one in group.ask("device", "loops") if one["runs"]]
    line["loops"] = [{key: one[key] for key in ("line", "device", "reason")} for one in loops]
    line["bytes"] = (
        CELLS[name](size) if options.size == "large" and name in CELLS else line["moved"]
    )
    return line


def by_hand(name, options, surroundings):
    """Seconds of each version by hand: of a whole call, and on the device alone."""
    found = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        Group(BY_HAND, surroundings, "gpu_column.py") as group,
    ):
        left = plain(str(Path(folder, "left")), name, surroundings)
        for version in BY_HAND:
            quick = group.ask(version, "load", name=name)["sizes"]["quick"]
            if "missing" in group.ask(version, "make", size=quick, seed=1):
                continue
            group.ask(version, "call")
            distance = group.ask(version, "compare", path=left)["distance"]
            group.ask(version, "make", size=LARGE[name], seed=1)
            took = [group.ask(version, "timed") for _ in range(1 + options.repetitions)][1:]
            medians = {key: statistics.median(one[key] for one in took) for key in took[0]}
            found[version] = {**medians, "distance": distance}
    return found


def plain(path, name, surroundings):
    """The file with what the plain text leaves on the cores, at the quick size."""
    with Group(["cores"], surroundings, "device_column.py") as group:
        quick = group.ask("cores", "load", name=name)["sizes"]["quick"]
        group.ask("cores", "make", size=quick, seed=1)
        group.ask("cores", "call")
        group.ask("cores", "save", path=path)
    return path


def near(group):
    """Whether both have left about the same."""
    with tempfile.TemporaryDirectory() as folder:
        left = str(Path(folder, "left"))
        group.ask("cores", "save", path=left)
        return group.ask("device", "compare", path=left)["distance"] <= suite.TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*NAMES, []])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--fp", choices=("exact", "ulp", "relaxed"), default="exact")
    parser.add_argument("--size", choices=("tiny", "quick", "normal", "large"), default="normal")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:

        def surroundings(place):
            options.device, device = "cpu" if place == "cores" else options.device, options.device
            found = environment(options, str(Path(folder, place)))
            options.device = device
            return {**found, "AUTOPAR_FP": options.fp}

        with Group(["device"], surroundings, "device_column.py") as group:
            there = group.ask("device", "there")
            if "missing" in there:
                sys.exit(f"gpu.py: {there['missing']}")
            copied = group.ask("device", "copy")
        result = common.started(
            device=options.device, fp=options.fp, name=there["name"], size=options.size,
            threads=options.threads, repetitions=options.repetitions, copy_bytes_s=copied,
            kernels=lines,
        )  # fmt: skip
        for name in options.names or (LARGE if options.size == "large" else NAMES):
            print(name, file=sys.stderr, flush=True)
            with Group(["cores", "device"], surroundings, "device_column.py") as group:
                line = measure(group, name, options)
            if options.size == "large" and options.device.startswith("cuda"):
                line["by_hand"] = by_hand(name, options, surroundings)
            lines.append(line)
            common.keep(result, options.json)  # so that a run that is cut short has left something
    common.leave(result, gpu, options.json)
    others = [one for line in lines for one in line.get("by_hand", {}).values()]
    good = all(line["equal"] or line["near"] for line in lines)
    sys.exit(not good or any(one["distance"] > suite.TOLERANCE for one in others))


if __name__ == "__main__":
    main()
