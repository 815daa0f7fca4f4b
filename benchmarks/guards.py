"""What correctness costs: guards, looking for warnings, undo copies; and a tiny nest's call.

    python benchmarks/guards.py [--rounds 15] [--json PATH] [names ...]

Each of the twelve programs runs in turn as users get it and bare: the same plan, its kernels
called with the guard's answer in hand, without a look at NumPy's warnings and without copies for a
roll-back.  Only the kernels' own time counts for the bare run.
"""

import importlib
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import common
import numpy as np
from tables import guards

HERE = Path(__file__).resolve().parent
NAMES = ("vadd", "saxpy", "conway", "hilbert", "jacobi", "gemver", "black_scholes", "fbcorr")
NAMES += ("conv_2d", "gemm", "mandelbrot", "syr2k")
TINY = """\
def scale(a, b, c, n):
    for i in range(n):
        c[i] = a[i] * b[i] + 1.0
"""


class Bare:
    """Takes the place of `Engine.attempt`, and sums up the seconds in drivers."""

    def __init__(self):
        self.seconds = 0.0

    def attempt(self, engine, variant, choice, values):
        from autopar.runtime.engine import driver_inputs
        from autopar.runtime.run.launch import Launch

        live_out = engine.nest.live_out
        launch = Launch(variant.loaded, values, choice.threads, live_out, choice.extents)
        inputs = driver_inputs(values, variant.loaded.inputs)
        start = time.perf_counter()
        status = variant.loaded.drive(launch, *inputs)
        self.seconds += time.perf_counter() - start
        launch.close()
        return status, launch


def bare_s(module, data):
    """Seconds in the kernels of one run."""
    from autopar.runtime.engine import Engine

    bare, usual = Bare(), Engine.attempt
    Engine.attempt = lambda engine, *args: bare.attempt(engine, *args)
    try:
        with np.errstate(all="ignore"):
            module.run(**data)
    finally:
        Engine.attempt = usual
    return bare.seconds


def whole_s(module, data):
    """Seconds of one run as users get it."""
    start = time.perf_counter()
    module.run(**data)
    return time.perf_counter() - start


def compare(name, rounds):
    """Median of the ratio of both within a round."""
    module = importlib.import_module(f"alpyna.{name}")
    data = module.make(module.SIZES["steady"], 1)
    fresh = {k: v.copy() for k, v in data.items() if isinstance(v, np.ndarray)}
    samples = {"whole_s": [], "bare_s": []}
    measures = {"whole_s": whole_s, "bare_s": bare_s}
    for r in range(rounds + 3):
        for key in sorted(measures, reverse=bool(r % 2)):
            for k, v in fresh.items():
                np.copyto(data[k], v)
            seconds = measures[key](module, data)
            if r >= 3:
                samples[key].append(seconds)
    both = zip(samples["whole_s"], samples["bare_s"], strict=True)
    medians = {key: statistics.median(times) for key, times in samples.items()}
    return {"name": name, **medians, "ratio": statistics.median(w / b for w, b in both)}


MOST_CALLS = 100_000  # until a small nest is worth its kernel


def tiny(folder, calls=2000, rounds=25):
    """Microseconds of a call of a nest of 300 iterations, of its kernel, and the difference."""
    from autopar import journal
    from autopar.runtime.site import Site

    (folder / "tiny_nest.py").write_text(TINY)
    sys.path.insert(0, str(folder))
    sites = []
    usual = Site.run
    Site.run = lambda site, values: sites.append((site, values)) or usual(site, values)
    import tiny_nest

    arrays = [np.ones(300) for _ in range(3)]
    tiny_nest.scale(*arrays, 300)
    Site.run = usual
    site, values = sites[0]
    for _ in range(MOST_CALLS):
        if any(r.runs for r in journal.records()):
            break
        tiny_nest.scale(*arrays, 300)
    assert any(r.runs for r in journal.records()), "the tiny nest was not compiled"
    engine = site.engine
    key, read = engine.reader.read(values)
    choice = next(iter(engine.states[key].memo.values()))
    from autopar.runtime.run.launch import Launch

    launch = Launch(choice.variant.loaded, read, choice.threads, engine.nest.live_out)
    call, head = choice.variant.loaded.calls[0], (launch.word.address, 0, 0, 300, *launch.heads[0])
    plain = {}
    exec(TINY, plain)
    found = {"call_us": [], "kernel_us": [], "python_us": []}
    for _ in range(rounds):
        for key, function in (
            ("call_us", lambda: tiny_nest.scale(*arrays, 300)),
            ("kernel_us", lambda: call(*head, *launch.tails[0])),
        ):
            start = time.perf_counter()
            for _ in range(calls):
                function()
            found[key].append((time.perf_counter() - start) / calls * 1e6)
        start = time.perf_counter()
        for _ in range(20):
            plain["scale"](*arrays, 300)
        found["python_us"].append((time.perf_counter() - start) / 20 * 1e6)
    medians = {key: statistics.median(samples) for key, samples in found.items()}
    beyond = statistics.median(
        c - k for c, k in zip(found["call_us"], found["kernel_us"], strict=True)
    )
    return {**medians, "beyond_us": beyond}


def main(argv=None):
    options = common.options(__doc__, NAMES, rounds=15, threads=True).parse_args(argv)
    sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
    import autopar
    from autopar import config

    result = common.started()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cache = folder / "cache"
        cache.mkdir(mode=0o700)
        autopar.install(["alpyna", "alpyna.*", "tiny_nest"], threads=options.threads)
        config.use(replace(config.current(), cache_dir=cache))
        result["tiny"] = tiny(folder)
        result["programs"] = [compare(n, options.rounds) for n in options.names or NAMES]
    result["geometric_mean"] = common.geometric_mean(result["programs"])
    common.leave(result, guards, options.json)


if __name__ == "__main__":
    main()
