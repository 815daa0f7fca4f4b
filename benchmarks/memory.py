"""Peak memory of kernels: CPython against autopar, beside what a roll-back may need.

    python benchmarks/memory.py [names ...] [--quick] [--json PATH]

Each kernel runs in processes of its own, which look at the most memory that was resident from
before the first call on: once plainly, then under autopar from an empty cache until all is there,
and once more.  A process under autopar may have what CPython has, and copies of what the kernel
writes, which is put back where kernels give up; what it has beyond that is the last column.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import common
import suite
from group import environment
from tables import memory

HERE = Path(__file__).resolve().parent
SIZES = {"jacobi": 800, "deriche": 1_400, "csr_loops": 25_000}
"""Of kernels whose normal size is below ten megabytes, as far as CPython needs but seconds."""
NAMES = ("vadd", "saxpy", "hilbert", "black_scholes", "stencil_5", "gemver", "nbody", "atax")
NAMES += ("trisolv", "jacobi", "deriche", "csr_loops", "csr_lists")
CALLS = 4  # of a process under autopar
MOST_STARTS = 8  # until it has all its kernels


def process(words, env):
    """What `peak.py` has printed."""
    return json.loads(subprocess.run(words, env=env, check=True, stdout=subprocess.PIPE).stdout)


def measured(name, options, folder):
    """One line of the table, all in bytes."""
    sizes = suite.sizes(name)
    size = sizes["quick"] if options.quick else SIZES.get(name, sizes["normal"])
    env = environment(options, str(folder / name))
    words = [str(HERE / "peak.py"), suite.PLACES[name][0], str(size)]
    plain = process([sys.executable, *words, "--changes"], env)
    command = [sys.executable, "-m", "autopar", *words, "--calls", str(CALLS)]
    cold = warm = process(command, env)
    for _ in range(MOST_STARTS):
        before, warm = warm, process(command, env)
        if warm["runs"] and not warm["compile_s"] and warm["runs"] == before["runs"]:
            break
    line = {"name": name, "size": size, "held": plain["held"], "written": plain["written"]}
    line |= {"python": plain["peak"], "cold": cold["peak"], "autopar": warm["peak"]}
    line |= {"runs": warm["runs"], "compile_s": warm["compile_s"]}
    line["more"] = line["autopar"] - line["python"]
    line["beyond"] = line["more"] - line["written"]
    return line


def main(argv=None):
    parser = common.options(__doc__, NAMES, threads=True)
    parser.add_argument("--quick", action="store_true", help="the quick sizes of the suite")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(argv)
    result = common.started(threads=options.threads, repetitions=1)
    result["kernels"] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or NAMES:
            result["kernels"].append(measured(name, options, Path(folder)))
            print(memory(result).splitlines()[-1], file=sys.stderr)
    common.leave(result, memory, options.json)


if __name__ == "__main__":
    main()
