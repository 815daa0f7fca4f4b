"""Whether anything is slower under autopar than without it: calls of kernels and whole scripts.

    python benchmarks/never_slower.py [calls|scripts] [--only NAME …] [--repetitions R]

`calls`: each kernel of the suite is called again and again at a size where one call is next to
nothing, until CPython has taken `--seconds`; a process counts what all its calls have taken, from
the first on.  `scripts`: the examples, at sizes from tiny to such as take a second, as processes
from start to exit.  Plain and under autopar in turn, first with an empty cache each time, then with
what the first of these has left.  The exit status is 1 if something is slower than `--limit`
allows.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import common
import suite
from group import environment
from tables import never_slower

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
TOGETHER_S = 2.0
"""That warm plain runs of a script take together, at the least."""
BESIDE = {"cold": "python_first", "autopar": "python"}
"""Plain runs beside which each kind of run was measured, as many, and in turn with them."""
SCRIPTS = {
    "heat": ("heat.py", "--size 12 --steps 10", "--size 60 --steps 150"),
    "nbody": ("nbody.py", "--bodies 5 --steps 4", "--bodies 60 --steps 60"),
    "life": ("life.py", "--size 10 --generations 5", "--size 60 --generations 60"),
    "mandelbrot": ("mandelbrot.py", "--size 8", "--size 150"),
    "edges": ("edges.py", "--size 12", "--size 150"),
    "wave": ("wave.py", "--size 10 --steps 10", "--size 50 --steps 60"),
    "distances": (
        "distances.py",
        "--towns 8 --letters 20 --matrices 8",
        "--towns 80 --letters 300 --matrices 40",
    ),
    "alignment": ("alignment/alignment.py", "--length 20", "--length 300"),
    "epidemic": ("epidemic/epidemic.py", "--size 10 --days 5", "--size 50 --days 60"),
    "euler_tube": ("euler_tube/main.py", "--cells 20", "--cells 160"),
    "gaussian_mixture": (
        "gaussian_mixture/main.py",
        "--points 30 --most 2",
        "--points 300 --most 3",
    ),
    "ising": (
        "ising/ising.py",
        "--size 6 --sweeps 10 --warmup 5 --temperatures 2",
        "--size 16 --sweeps 100 --temperatures 3",
    ),
    "lattice_boltzmann": (
        "lattice_boltzmann/main.py",
        "--nx 12 --ny 8 --steps 5",
        "--nx 40 --ny 20 --steps 30",
    ),
    "linear_algebra": ("linear_algebra/main.py", "--size 8", "--size 70"),
    "molecular_dynamics": (
        "molecular_dynamics/main.py",
        "--side 8 --steps 10 --warmup 5 --every 2",
        "--side 10 --steps 80 --warmup 20",
    ),
    "neural_network": (
        "neural_network/main.py",
        "--points 6 --hidden 4 --epochs 3",
        "--points 40 --hidden 12 --epochs 30",
    ),
    "option_pricing": (
        "option_pricing/main.py",
        "--steps 20 --paths 50 --days 10 --nodes 20",
        "--steps 200 --paths 2000 --days 40 --nodes 80",
    ),
    "pagerank": ("pagerank/pagerank.py", "--pages 50", "--pages 2000"),
    "ray_tracer": (
        "ray_tracer/main.py",
        "--width 8 --height 6 --samples 1",
        "--width 50 --height 30 --samples 2",
    ),
}
"""By name the file, and arguments for a tiny size and one that takes about a second."""


def process(command, env):
    """Seconds of wall and of the processor that it takes, and its output."""
    with tempfile.TemporaryFile() as out:
        before = common.clock()
        child = subprocess.Popen(command, env=env, stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        took = common.clock() - before
        child.returncode = os.waitstatus_to_exitcode(status)
        common.settled(env)  # what is made for the next process is not to be in the way of it
        if child.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit status {child.returncode}")
        out.seek(0)
        return took, used.ru_utime + used.ru_stime, out.read()


def in_turn(words, env, repetitions, of, enough=len):
    """Runs with an empty cache, plain ones, and such as find what an earlier one has left.

    `of` takes words and the environment.  The very first cache is the one that later runs find, of
    which there are more than `repetitions` until those that are plain are `enough`.
    """
    ways = {"python": [sys.executable], "autopar": [sys.executable, "-m", "autopar"]}
    found = {"cold": [], "python_first": [], "python": [], "autopar": []}
    for r in range(repetitions):
        cache = env["AUTOPAR_CACHE_DIR"]
        own = {**env, "AUTOPAR_CACHE_DIR": f"{cache}_{r}"} if r else env
        found["python_first"].append(of([*ways["python"], *words], env))
        found["cold"].append(of([*ways["autopar"], *words], own))
    while (r := len(found["python"])) < repetitions or not enough(found["python"]):
        for way in sorted(ways, reverse=bool(r % 2)):
            found[way].append(of([*ways[way], *words], env))
    return found


def are_enough(runs):
    """Whether the least time of `runs` is one: short processes differ by more than 5 %."""
    return sum(took for took, _, _ in runs) >= TOGETHER_S


def script(words, env, repetitions):
    """Least seconds cold, plain, and warm, of the processor and of the clock; equal outputs?

    With the medians of the clock, and the lesser of the two, run by run: the first ones find out
    what pays.
    """
    found = in_turn(words, env, repetitions, process, are_enough)
    outputs = {out for runs in found.values() for _, _, out in runs}
    used = {way: min(used for _, used, _ in runs) for way, runs in found.items()}
    took = {way: min(took for took, _, _ in runs) for way, runs in found.items()}
    usual = {way: median(took for took, _, _ in runs) for way, runs in found.items()}
    each = {way: [min(run[:2]) for run in runs] for way, runs in found.items()}
    return {"used": used, "took": took, "usual": usual, "each": each, "equal": len(outputs) == 1}


def ratio(found, way):
    """Of the least seconds of `script`, of the processor or of the clock, whichever are fewer.

    While threads of NumPy's library look for work, the processor's are more; and those of several
    threads say nothing of how long they take.
    """
    mine, beside = (
        min(found[what][way] for what in ("used", "took")) for way in (way, BESIDE[way])
    )
    return mine / beside


def scripts(options, folder):
    """One line for each example and size."""
    lines = []
    for name, (file, *sizes) in SCRIPTS.items():
        for size in sizes if not options.only or name in options.only else ():
            env = environment(options, str(folder / f"{name}{len(lines)}"), background=True)
            words = [str(EXAMPLES / file), *size.split()]
            found = script(words, env, options.repetitions)
            line = {"name": name, "size": size, **found, "python_s": found["took"]["python"]}
            line |= {"warm": ratio(found, "autopar"), "cold": ratio(found, "cold")}
            line["usually"] = found["usual"]["autopar"] / found["usual"]["python"]
            slowest, usual = max(found["each"]["autopar"]), median(found["each"]["python"])
            line["slowest"] = slowest / usual
            lines.append(line)
            print(never_slower({"scripts": [line]}).splitlines()[-1], file=sys.stderr)
    return lines


def marks(command, env):
    """What `repeated.py` has printed, by the number of calls."""
    _, _, out = process(command, env)
    return {calls: (took, used) for calls, took, used in json.loads(out)}


def calls(options, folder):
    """One line for each kernel at its tiny size."""
    lines = []
    for name in options.only or suite.NAMES:
        module, size = suite.PLACES[name][0], suite.sizes(name)["tiny"]
        env = environment(options, str(folder / f"calls_{name}"), background=True)
        words = [str(HERE / "repeated.py"), module, str(size)]
        known = marks([sys.executable, *words, "--seconds", str(options.seconds)], env)
        words += ["--calls", str(max(known))]
        found = in_turn(words, env, options.repetitions, marks)
        # Nothing of that size runs on several threads, so the processor's time is what counts.
        sums = {way: [min(r[c][1] for r in runs) for c in known] for way, runs in found.items()}
        plain = sums["python"]
        line = {"name": name, "size": size, "calls": max(known), "python_s": plain[-1]}
        for way, which in (("autopar", "warm"), ("cold", "cold")):
            beside = sums[BESIDE[way]]
            line[which] = sums[way][-1] / beside[-1]
            line[f"{which}_lost_s"] = max(a - p for a, p in zip(sums[way], beside, strict=True))
        lines.append(line)
        print(never_slower({"calls": [line]}).splitlines()[-1], file=sys.stderr)
    return lines


def main(argv=None):
    parser = common.options(__doc__, threads=True)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("part", nargs="?", choices=("calls", "scripts"))
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=(*SCRIPTS, *suite.NAMES))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--limit", type=float, default=1.05, help="of the ratio, warm")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(argv)
    result = common.started(threads=options.threads, repetitions=options.repetitions)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        for part, measure in (("calls", calls), ("scripts", scripts)):
            if options.part in (None, part):
                result[part] = measure(options, Path(name))
    common.leave(result, never_slower, options.json)
    ratios = [line["warm"] for line in result.get("calls", ())]
    ratios += [line["warm"] for line in result.get("scripts", ())]
    equal = all(line["equal"] for line in result.get("scripts", ()))
    return int(not equal or max(ratios) > options.limit)


if __name__ == "__main__":
    sys.exit(main())
