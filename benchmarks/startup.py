"""What autopar costs before it gains anything: start-up time, first result, later processes.

python benchmarks/startup.py [--pairs 15] [--json PATH]
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path

import common
from run import environment
from tables import startup

NO_LOOP = {
    "no import, no loop": "print('done')\n",
    "import numpy, no loop": "import numpy as np\n\nprint(np.arange(10).sum())\n",
}
NESTS = 3
THREE_NESTS = """\
import numpy as np

n = 700
a = np.zeros((n, n))
b = np.zeros((n, n))
total = np.zeros(n)


def fill(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = (i * 3 + j * 7) % 11 * 0.5


def smooth(a, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def sums(b, total):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            total[i] += b[i, j]


fill(a)
smooth(a, b)
sums(b, total)
print(total[0], total[n // 2], flush=True)
"""
NUMPY_ALONE = "import numpy as np\n\nprint(np.arange(10).sum(), flush=True)\n"
# What a user who knows Numba would write: the same nests, compiled at their first call.
NUMBA = THREE_NESTS.replace("\ndef ", "\n@numba.njit(parallel=True)\ndef ")
NUMBA = "import numba\n" + NUMBA.replace("    for i in range(", "    for i in numba.prange(")
# After the first line, which is what is timed. A report would be asked for beforehand, and change
# what autopar does: who wants one gets all loops looked at.
TOLD = """
import sys

if "autopar" in sys.modules:
    import json

    from autopar import journal

    print(json.dumps([[r.line, r.runs, r.compile_s] for r in journal.records()]))
"""
MOST_STARTS = 12  # until all nests have their kernels
MOST_PAIRS = 3  # of warm processes, and such as import NumPy alone, from one cache


def process_s(command, env):
    """Seconds from start to exit."""
    start = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def first_line(command, env):
    """Seconds from start to the first line of output, the line, and what comes after it."""
    start = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        took = time.perf_counter() - start
        rest = process.stdout.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {process.returncode}")
    common.settled(env)
    return took, line, rest


def pairs(script, count, env):
    """Medians of both and of the difference within each pair, which of the two first changing."""
    commands = {"python": [sys.executable, script]}
    commands["autopar"] = [sys.executable, "-m", "autopar", script]
    samples = {name: [] for name in commands}
    for command in commands.values():
        process_s(command, env)  # files into the page cache
    for r in range(count):
        for name in sorted(commands, reverse=bool(r % 2)):
            samples[name].append(process_s(commands[name], env))
    both = zip(samples["autopar"], samples["python"], strict=True)
    return {
        "python_s": statistics.median(samples["python"]),
        "autopar_s": statistics.median(samples["autopar"]),
        "difference_s": statistics.median(a - p for a, p in both),
        "samples": samples,
    }


def three_nests(script, folder, env, count, pairs):
    """Time to the first result: plain, and in one process after the other from an empty cache.

    Autopar leaves short work to Python until it is known to come again, so the second process is
    not yet what all later ones are: *warm* are those after one in which all nests ran as kernels
    and none was compiled.  And two others: that imports NumPy and nothing else, and Numba without
    its cache.
    """
    others = {"numpy": NUMPY_ALONE}
    if find_spec("numba"):
        others["numba"] = NUMBA
    for name, text in others.items():
        (folder / f"{name}_alone.py").write_text(text)
    took = {name: [] for name in ("python", "warm", *others)}
    rounds = []
    for name in others:
        first_line([sys.executable, str(folder / f"{name}_alone.py")], env)  # into the page cache
    alone = [sys.executable, str(folder / "numpy_alone.py")]
    for r in range(count):
        if "numba" in others:
            numba = [sys.executable, str(folder / "numba_alone.py")]
            seconds, by_numba, _ = first_line(numba, env)
            took["numba"].append(seconds)
        env = {**env, "AUTOPAR_CACHE_DIR": str(folder / f"cache{r}")}
        seconds, expected, _ = first_line([sys.executable, script], env)
        took["python"].append(seconds)
        if "numba" in others and by_numba != expected:
            raise RuntimeError(f"Numba printed {by_numba!r}, Python {expected!r}")
        rounds.append(starts(script, env, expected))
        command = [sys.executable, "-m", "autopar", script]
        for _ in range(pairs):  # in turn, since what the machine does changes
            took["numpy"].append(first_line(alone, env)[0])
            took["warm"].append(first_line(command, env)[0])
    both = zip(took["warm"], took["numpy"], strict=True)
    return {
        **{f"{name}_s": statistics.median(samples) for name, samples in took.items()},
        "cold_s": statistics.median(found[0]["first_s"] for found in rounds),
        "beyond_numpy_s": statistics.median(warm - alone for warm, alone in both),
        "samples": took,
        "starts": [of_all(found) for found in zip_longest(*rounds)],
        "warm": all(is_warm(found[-1]) for found in rounds),
    }


def starts(script, env, expected):
    """What one process after the other does, until the last finds all that it needs."""
    found = []
    command = [sys.executable, "-m", "autopar", script]
    while len(found) < MOST_STARTS and not all(map(is_warm, found[-2:] or [{}])):
        seconds, line, rest = first_line(command, env)
        if line != expected:
            raise RuntimeError(f"autopar printed {line!r}, Python {expected!r}")
        loops = json.loads(rest)
        one = {"first_s": seconds, "compile_s": sum(compile_s for _, _, compile_s in loops)}
        found.append({**one, "kernels": sum(runs > 0 for _, runs, _ in loops)})
    return found


def is_warm(start):
    """Whether all three nests ran as kernels, and none was compiled."""
    return start.get("kernels") == NESTS and not start["compile_s"]


def of_all(found):
    """Medians of what the processes of that number have done; `rounds` had so many."""
    found = [one for one in found if one]
    medians = {key: statistics.median(one[key] for one in found) for key in found[0]}
    return {"rounds": len(found), **medians}


def main(argv=None):
    parser = common.options(__doc__, threads=True)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--starts", type=int, default=5, help="from an empty cache")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(argv)
    result = common.started()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        env = environment(options, str(folder / "cache"), background=True)
        result["no_loop"] = {}
        for title, text in NO_LOOP.items():
            script = folder / "no_loop.py"
            script.write_text(text)
            result["no_loop"][title] = pairs(str(script), options.pairs, env)
        script = folder / "three_nests.py"
        script.write_text(THREE_NESTS + TOLD)
        result["three_nests"] = three_nests(
            str(script), folder, env, options.starts, min(options.pairs, MOST_PAIRS)
        )
    common.leave(result, startup, options.json)
    return 0 if result["three_nests"]["warm"] else 1


if __name__ == "__main__":
    sys.exit(main())
