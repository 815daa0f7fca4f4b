"""What autopar costs before it gains anything: start-up time, first result, second process.

python benchmarks/startup.py [--pairs 15] [--json PATH]
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import common
from run import environment
from tables import startup

NO_LOOP = {
    "no import, no loop": "print('done')\n",
    "import numpy, no loop": "import numpy as np\n\nprint(np.arange(10).sum())\n",
}
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


def process_s(command, env):
    """Seconds from start to exit."""
    start = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def first_line(command, env):
    """Seconds from start to the first line of output, and the line."""
    start = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        took = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {process.returncode}")
    return took, line


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


def three_nests(script, folder, env, count):
    """Time to the first result: plain, with an empty kernel cache, in a second process.

    And of two others: that imports NumPy and nothing else, and by Numba without its cache.
    """
    others = {"numpy": NUMPY_ALONE}
    if find_spec("numba"):
        others["numba"] = NUMBA
    for name, text in others.items():
        (folder / f"{name}_alone.py").write_text(text)
    took = {name: [] for name in ("python", "cold", "warm", *others)}
    compile_s = {"cold": [], "warm": []}
    for name in others:
        first_line([sys.executable, str(folder / f"{name}_alone.py")], env)  # into the page cache
    for r in range(count):
        for name in others:
            seconds, line = first_line([sys.executable, str(folder / f"{name}_alone.py")], env)
            took[name].append(seconds)
            if name == "numba":
                by_numba = line
        env = {**env, "AUTOPAR_CACHE_DIR": str(folder / f"cache{r}")}
        seconds, expected = first_line([sys.executable, script], env)
        took["python"].append(seconds)
        if "numba" in others and by_numba != expected:
            raise RuntimeError(f"Numba printed {by_numba!r}, Python {expected!r}")
        for name in ("cold", "warm"):
            report = folder / f"{name}.json"
            command = [sys.executable, "-m", "autopar", "--report-json", str(report), script]
            seconds, line = first_line(command, env)
            if line != expected:
                raise RuntimeError(f"autopar printed {line!r}, Python {expected!r}")
            took[name].append(seconds)
            loops = json.loads(report.read_text())["loops"]
            compile_s[name].append(sum(loop["compile_s"] or 0.0 for loop in loops))
    return {
        **{f"{name}_s": statistics.median(samples) for name, samples in took.items()},
        "beyond_numpy_s": statistics.median(
            warm - alone for warm, alone in zip(took["warm"], took["numpy"], strict=True)
        ),
        "samples": took,
        "compile_s": {name: statistics.median(samples) for name, samples in compile_s.items()},
        "warm_compiled_nothing": max(compile_s["warm"]) == 0 < min(compile_s["cold"]),
        "loops": [(loop["line"], loop["status"], loop["reason"]) for loop in loops],
    }


def main(argv=None):
    parser = common.options(__doc__, threads=True)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--starts", type=int, default=5, help="cold and warm starts")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(argv)
    result = common.started()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment(options, str(folder / "cache"))
        result["no_loop"] = {}
        for title, text in NO_LOOP.items():
            script = folder / "no_loop.py"
            script.write_text(text)
            result["no_loop"][title] = pairs(str(script), options.pairs, env)
        script = folder / "three_nests.py"
        script.write_text(THREE_NESTS)
        result["three_nests"] = three_nests(str(script), folder, env, options.starts)
    common.leave(result, startup, options.json)
    return 0 if result["three_nests"]["warm_compiled_nothing"] else 1


if __name__ == "__main__":
    sys.exit(main())
