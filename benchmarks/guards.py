"""What correctness costs: guards, looking for warnings, undo copies; and a tiny nest's call.

    python benchmarks/guards.py [--rounds 15] [--calls 2000] [--json PATH] [names ...]

Each of the twelve programs runs in turn as users get it and bare: the same plan, its kernels
called with the guard's answer in hand, without a look at NumPy's warnings and without copies for a
roll-back.  Only the kernels' own time counts for the bare run.  A tiny nest over three arrays is
called in several ways, and its kernel in its place.
"""

import importlib
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from unittest import mock

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


def often(scale, tables, names, n, found):
    for name in names:
        a, b, c = tables[name]
        scale(a, b, c, n)
        found[name] = f"{name} {n}"
"""
"""A nest, and what nobody but the interpreter can run, with the nest's function in it."""


class Bare:
    """Takes the place of `Runner.attempt`, and sums up the seconds in drivers."""

    def __init__(self):
        self.seconds = 0.0
        self.runs = 0

    def attempt(self, runner, variant, choice, values):
        from autopar.runtime.run.launch import Launch
        from autopar.runtime.running import driver_inputs

        live_out = runner.nest.live_out
        launch = Launch(variant.loaded, values, choice.threads, live_out, choice.extents)
        inputs = driver_inputs(values, variant.loaded.inputs)
        start = time.perf_counter()
        status = variant.loaded.drive(launch, *inputs)
        self.seconds += time.perf_counter() - start
        self.runs += 1
        launch.close()
        return status, launch


def bare_s(module, data):
    """Seconds in the kernels of one run."""
    from autopar.runtime.engine import Engine
    from autopar.runtime.running import Runner
    from autopar.runtime.steady import Steady

    bare = Bare()
    nothing = mock.Mock(return_value=None)  # so that all calls come to `Runner.attempt`
    with (
        mock.patch.object(Runner, "attempt", lambda runner, *args: bare.attempt(runner, *args)),
        mock.patch.object(Engine, "repeated", nothing),
        mock.patch.object(Steady, "result", nothing),
        np.errstate(all="ignore"),
    ):
        module.run(**data)
    assert bare.runs, "no kernel has run"
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


ITERATIONS = 300
MOST_CALLS = 100_000  # until a small nest is worth its kernel
MANY = [str(k) for k in range(100)]
OTHERS = 100  # calls with other work in between
OTHER_WORK = {str(k): [float(k), {k: str(k)}] for k in range(20_000)}


def compiled(module, arrays):
    """Call the tiny nest until it has kernels; its kernel, to be called like the function."""
    from autopar import journal
    from autopar.runtime.run.launch import Launch
    from autopar.runtime.site import Site

    asked = []
    usual = Site.run

    def noted(site, values):
        asked.append((site, values))
        return usual(site, values)

    with mock.patch.object(Site, "run", noted):
        module.scale(*arrays, ITERATIONS)
    site, values = asked[0]
    for _ in range(MOST_CALLS):
        if any(r.runs for r in journal.records()):
            break
        module.scale(*arrays, ITERATIONS)
    assert any(r.runs for r in journal.records()), "the tiny nest was not compiled"
    engine = site.engine
    key, read = engine.reader.read(values)
    choice = next(iter(engine.states[key].memo.values()))
    loaded = choice.variant.loaded
    assert loaded.program.kernels[0].arrays == ("a", "b", "c")
    launch = Launch(loaded, read, choice.threads, engine.nest.live_out)
    call, address, tail = loaded.calls[0], launch.word.address, launch.tails[0]
    return lambda a, b, c, n: call(address, 0, 0, n, a, b, c, *tail)


def ways(module, arrays):
    """By name a way to call a function like `scale` so many times: the seconds that took."""
    tables = dict.fromkeys(MANY, arrays)

    def in_a_row(scale, calls):
        start = time.perf_counter()
        for _ in range(calls):
            scale(*arrays, ITERATIONS)
        return time.perf_counter() - start

    def in_a_helper(scale, calls):
        found = {}
        start = time.perf_counter()
        for _ in range(calls // len(MANY)):
            module.often(scale, tables, MANY, ITERATIONS, found)
        return time.perf_counter() - start

    def of_other_lengths(scale, calls):
        start = time.perf_counter()
        for k in range(calls):
            scale(*arrays, ITERATIONS - k % 50)
        return time.perf_counter() - start

    def after_other_work(scale, calls):
        seconds = 0.0
        for _ in range(min(calls, OTHERS)):
            sum(len(item[1]) for item in OTHER_WORK.values())
            start = time.perf_counter()
            scale(*arrays, ITERATIONS)
            seconds += time.perf_counter() - start
        return seconds * (calls / min(calls, OTHERS))

    return {
        "one after the other": in_a_row,
        "from a function of the program": in_a_helper,
        "with other numbers of iterations": of_other_lengths,
        "after work that fills the caches": after_other_work,
    }


def tiny(folder, calls, rounds):
    """Microseconds of calls of a tiny nest, of its kernel, and the difference."""
    (folder / "tiny_nest.py").write_text(TINY)
    sys.path.insert(0, str(folder))
    import tiny_nest

    arrays = [np.ones(ITERATIONS) for _ in range(3)]
    kernel = compiled(tiny_nest, arrays)
    plain = {}
    exec(TINY, plain)
    contenders = {"call_us": tiny_nest.scale, "kernel_us": kernel, "python_us": plain["scale"]}
    found = []
    for name, way in ways(tiny_nest, arrays).items():
        samples = {key: [] for key in contenders}
        way(tiny_nest.scale, 10 * calls)  # some decide what to do once for each number
        for r in range(rounds):
            for key in sorted(contenders, reverse=bool(r % 2)):
                count = len(MANY) if key == "python_us" else calls
                samples[key].append(way(contenders[key], count) / count * 1e6)
        both = zip(samples["call_us"], samples["kernel_us"], strict=True)
        medians = {key: statistics.median(times) for key, times in samples.items()}
        beyond = statistics.median(call - kernel for call, kernel in both)
        found.append({"name": name, **medians, "beyond_us": beyond})
    return {"iterations": ITERATIONS, "ways": found}


def main(argv=None):
    parser = common.options(__doc__, NAMES, rounds=15, threads=True)
    parser.add_argument("--calls", type=int, default=1000, help="of the tiny nest, in a round")
    options = parser.parse_args(argv)
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
        result["tiny"] = tiny(folder, options.calls, options.rounds)
        result["programs"] = [compare(n, options.rounds) for n in options.names or NAMES]
    result["geometric_mean"] = common.geometric_mean(result["programs"])
    common.leave(result, guards, options.json)


if __name__ == "__main__":
    main()
