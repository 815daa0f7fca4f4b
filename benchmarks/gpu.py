"""Kernels of the suite on a device: whole calls from the host, and the time on the device alone.

    python benchmarks/gpu.py [--device cuda] [--size normal] [--repetitions 9] [--json PATH] [name]
    python benchmarks/gpu.py --fp ulp black_scholes rbf_rows

Two processes run autopar, one on the cores and one on the device, in turn, and must leave the same
bytes; with `--fp ulp` or `relaxed`, where functions may be the device's own, what is within a
millionth of the largest number.  *on the device* is the time from the first launch to the end of
the last, with all arrays there.  What arrays must move over and back at the least is also what
kernels must read and write at the least: *of a copy* is how fast they do, beside a copy of one
array to another on that device.
What the device does not take runs on the cores, and is named below the table.
"""

import argparse
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


def measure(group, name, options):
    """One line of the table, or None where nothing of it runs on the device."""
    line = {"name": name}
    for place in ("cores", "device"):
        sizes = {**group.ask(place, "load", name=name)["sizes"], "large": LARGE.get(name)}
        size = sizes[options.size]
        group.ask(place, "make", size=size, seed=1)
        settle(group, place)
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
    return line


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
    parser.add_argument("--threads", type=int, default=2)
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
        for name in options.names or (LARGE if options.size == "large" else NAMES):
            print(name, file=sys.stderr, flush=True)
            with Group(["cores", "device"], surroundings, "device_column.py") as group:
                lines.append(measure(group, name, options))
    result = common.started(
        device=options.device, fp=options.fp, name=there["name"], size=options.size,
        threads=options.threads, repetitions=options.repetitions, copy_bytes_s=copied,
        kernels=lines,
    )  # fmt: skip
    common.leave(result, gpu, options.json)
    sys.exit(not all(line["equal"] or line["near"] for line in lines))


if __name__ == "__main__":
    main()
