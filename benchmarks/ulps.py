"""Functions in kernels against the interpreter and against correctly rounded results.

    python benchmarks/ulps.py [--count 20000] [--write]
    python benchmarks/ulps.py --device opencl [--write]

Each function runs in a nest over arguments spread over its domain, once compiled and once by
CPython.  The distance to the exact value is in units in the last place of it, computed with mpmath.
With a device, its own functions are compared with the host's, as is done before ``fp = "ulp"`` lets
a nest use them.  `--write` puts the table into `docs/semantics.md`.
"""

import argparse
import math
import pickle
import re
import sys
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
from tables import markdown

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

WIDE, UNIT, POSITIVE = (-700.0, 700.0), (-1.0, 1.0), (1e-300, 1e300)
FUNCTIONS = {
    "exp": WIDE, "log": POSITIVE, "log2": POSITIVE, "log10": POSITIVE, "log1p": (-0.999, 1e6),
    "expm1": (-30.0, 30.0), "sin": (-1e4, 1e4), "cos": (-1e4, 1e4), "tan": (-1e4, 1e4),
    "asin": UNIT, "acos": UNIT, "atan": (-100.0, 100.0), "sinh": (-300.0, 300.0),
    "cosh": (-300.0, 300.0), "tanh": (-20.0, 20.0), "sqrt": POSITIVE, "erf": (-5.0, 5.0),
}  # fmt: skip
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}


def arguments(low, high, count):
    """Numbers between the two, by their logarithm where they span many magnitudes."""
    rng = np.random.default_rng(1)
    if low > 0 and high / low > 1e9:
        return np.exp(rng.uniform(math.log(low), math.log(high), count))
    return rng.uniform(low, high, count)


def compiled(text, names):
    """Run the loop as kernels; an error where it is left to the interpreter."""
    from autopar import config, journal
    from autopar.nest.text.lift import lift_text
    from autopar.runtime.site import Site
    from autopar.site_spec import SiteSpec

    config.use(replace(config.current(), fail_on_fallback=True))
    nest = lift_text(text)
    journal.clear()
    spec = SiteSpec("", 1, "", nest.roots, nest.live_out, pickle.dumps(nest), text, None)
    space = {"range": range, **names}
    Site(spec, None).run(tuple(space[root] for root in nest.roots))


def worst(name, xs, ys):
    """Largest distance of `ys` from the exact values, in units in the last place."""
    exact = [getattr(mpmath, name)(mpmath.mpf(float(x))) for x in xs]
    return max(
        float(abs(mpmath.mpf(float(y)) - e) / mpmath.mpf(math.ulp(float(e))))
        for e, y in zip(exact, ys, strict=True)
    )


def measure(name, call, count):
    """Differences from CPython, and the largest error of both."""
    xs = arguments(*FUNCTIONS[name], count)
    text = f"for i in range(n):\n    y[i] = {call}(x[i])\n"
    results = {}
    for key in ("ours", "python"):
        names = {"x": xs, "y": np.zeros(count), "n": count, "math": math, "np": np}
        compiled(text, names) if key == "ours" else exec(text, names)
        results[key] = names["y"]
    differing = int(np.sum(results["ours"].view(np.int64) != results["python"].view(np.int64)))
    few = slice(0, 4000)
    return differing, *(worst(name, xs[few], results[key][few]) for key in ("ours", "python"))


def table(count):
    mpmath.mp.prec = 120
    rows = [["function", "results that differ from CPython's", "largest error, ulp", "CPython's"]]
    for name in FUNCTIONS:
        calls = [f"math.{name}"]
        if hasattr(np, NUMPY.get(name, name)):
            calls.append(f"np.{NUMPY.get(name, name)}")
        for call in calls:
            differing, ours, theirs = measure(name, call, count)
            rows.append([f"`{call}`", f"{differing} of {count:,}", f"{ours:.2f}", f"{theirs:.2f}"])
    return markdown(rows, right=1)


def device_table(name):
    """How far a device's own functions are from the host's."""
    from autopar.device.devices import find
    from autopar.device.elementary import FUNCTIONS
    from autopar.device.ulps import TOO_FAR, measured

    dialect, _, number = name.partition(":")
    device = find(dialect, int(number or 0))
    found = measured(device)
    rows = [["function", "largest distance, ulp", "used under `ulp`"]]
    for one in FUNCTIONS:
        far = found[one.name]
        rows.append([f"`{one.name}`", f"{far:.2f}", "yes" if far < TOO_FAR else "no"])
    return f"{device.label}, {device.name}:\n\n{markdown(rows, right=1)}"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--device", help="opencl or cuda, and its number")
    options = parser.parse_args(argv)
    text = device_table(options.device) if options.device else table(options.count)
    print(text)
    if options.write:
        page = ROOT / "docs" / "semantics.md"
        first = f"<!-- ulps{' of a device' * bool(options.device)} -->"
        block = f"{first}\n\n{text}\n\n<!-- end -->"
        old = page.read_text()
        marks = re.compile(re.escape(first) + r".*?<!-- end -->", re.S)
        page.write_text(marks.sub(lambda _: block, old))


if __name__ == "__main__":
    main()
