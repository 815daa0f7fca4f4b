"""Whole programs at their normal size: the folders of `examples/`, plain and under autopar.

    python benchmarks/examples.py [--only NAME] [--json PATH]

Each program runs under autopar to fill an empty cache, once more since what the first process has
left to Python may get kernels in the second, then plain and under autopar in turn.  What is timed
is the process, from start to exit; the outputs must be the same.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import common
from run import environment
from tables import examples

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PROGRAMS = {
    path.parent.name: path
    for path in sorted(EXAMPLES.glob("*/*.py"))
    if path.stem in ("main", path.parent.name)
}
"""By name of the folder, the file that is run."""


def process(command, env):
    """Seconds from start to exit, and what was printed."""
    start = time.perf_counter()
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE)
    took = time.perf_counter() - start
    common.settled(env)
    return took, done.stdout


def counts(report):
    """Loops by what became of them, and seconds of compiling."""
    loops = json.loads(report.read_text())["loops"]
    found = {}
    for loop in loops:
        found[loop["status"]] = found.get(loop["status"], 0) + 1
    return found, sum(loop["compile_s"] or 0.0 for loop in loops)


def measure(name, options, folder):
    """One line of the table."""
    env = environment(options, str(folder / f"cache_{name}"), background=True)
    report = folder / f"{name}.json"
    plain = [sys.executable, str(PROGRAMS[name])]
    commands = {"python": plain, "autopar": [sys.executable, "-m", "autopar", *plain[1:]]}
    reporting = [*commands["autopar"][:3], "--report-json", str(report), *plain[1:]]
    first_s, printed = process(reporting, env)
    outputs = {printed}
    loops, compile_s = counts(report)
    second_s, printed = process(commands["autopar"], env)
    outputs.add(printed)
    samples = {"python": [], "autopar": []}
    for r in range(options.repetitions):
        for key in sorted(commands, reverse=r % 2 == 0):
            seconds, printed = process(commands[key], env)
            samples[key].append(seconds)
            outputs.add(printed)
    both = zip(samples["python"], samples["autopar"], strict=True)
    return {
        "name": name,
        "equal": len(outputs) == 1,
        "python_s": statistics.median(samples["python"]),
        "first_s": first_s,
        "second_s": second_s,
        "autopar_s": statistics.median(samples["autopar"]),
        "ratio": statistics.median(p / a for p, a in both),
        "loops": loops,
        "compile_s": compile_s,
        "samples": samples,
    }


def main(argv=None):
    parser = common.options(__doc__, threads=True)
    parser.add_argument("--only", choices=tuple(PROGRAMS), action="append", metavar="NAME")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(argv)
    result = common.started(threads=options.threads, repetitions=options.repetitions)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        result["programs"] = [
            measure(program, options, Path(name)) for program in options.only or PROGRAMS
        ]
    lines = result["programs"]
    result["geometric_mean"] = common.geometric_mean(lines)
    common.leave(result, examples, options.json)
    return 0 if all(line["equal"] for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
