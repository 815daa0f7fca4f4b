"""What benchmarks have in common: their options, programs that autopar takes, results on disk."""

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
clock = time.perf_counter


def options(doc, names=(), rounds=None, threads=False):
    """A parser of the options that the benchmark described by `doc` has like others."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    if names:
        parser.add_argument("names", nargs="*", choices=[*names, []])
    if rounds is not None:
        parser.add_argument("--rounds", type=_several, default=rounds)
    if threads:
        parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--json", type=Path)
    return parser


def _several(text):
    if int(text) < 2:
        raise argparse.ArgumentTypeError("quartiles need at least two rounds")
    return int(text)


def machine():
    """What the numbers were measured on."""
    model = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        names = [x.split(":", 1)[1] for x in info.read_text().splitlines() if "model name" in x]
        model = names[0].strip() if names else model
    system = f"{platform.system()} {platform.machine()}"
    return {"processor": model, "cores": os.cpu_count(), "system": system}


def versions():
    """Python and the libraries that matter, as installed."""
    found = {"python": platform.python_version()}
    for name in ("numpy", "numba", "llvmlite", "islpy", "cupy", "pyopencl", "autopar"):
        for dist in (name, f"{name}-cuda12x", f"{name}-cuda13x"):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                found[name] = importlib.metadata.version(dist)
    return found


def started(**found):
    """The beginning of a result: when, on what, with what."""
    today = datetime.date.today().isoformat()
    return {"version": 1, "date": today, "machine": machine(), "versions": versions(), **found}


@contextlib.contextmanager
def copies(text, plain, taken, threads):
    """Modules with `text` that can be imported: those named `plain`, and `taken` by autopar.

    The folder that they lie in holds autopar's cache too, and ends with the benchmark.
    """
    sys.path.insert(0, str(HERE.parent / "src"))
    import autopar
    from autopar import config

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cache").mkdir(mode=0o700)
        for module in (*plain, *taken):
            (folder / f"{module}.py").write_text(text)
        sys.path.insert(0, name)
        autopar.install(list(taken), threads=threads)
        config.use(replace(config.current(), cache_dir=folder / "cache", background=False))
        yield folder


def settled(env):
    """Wait until nobody makes kernels any more for a process that had this environment."""
    mark = f"AUTOPAR_CACHE_DIR={env['AUTOPAR_CACHE_DIR']}".encode()
    while any(
        mark in told.split(b"\0") for told in map(_environment, Path("/proc").glob("[0-9]*"))
    ):
        time.sleep(0.02)


def _environment(process):
    """What a process was started with; empty for one that has ended, or is another user's."""
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


def geometric_mean(programs):
    """Of their ratios."""
    return statistics.geometric_mean(program["ratio"] for program in programs)


def leave(result, table, path):
    """Print `result` as the table that `table` makes of it, and keep it in the file `path`."""
    print(table(result))
    keep(result, path)


def keep(result, path):
    """Write `result` to the file `path`, if there is one."""
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1) + "\n")
