"""How long the analysis of a nest takes: at its first call, and at a later one with new sizes.

    python benchmarks/analysis.py [--starts 9] [--calls 300] [--json PATH] [names ...]

The nests (`benchmarks/nests.py`) have six statements and depth four.  The first analysis goes from
the typed nest to the dependences that hold, the accesses in bounds, and the plan, each time in a
new process with its libraries imported; what it must import by itself is timed apart.  At a later
call every parameter and every shape is new: the analysis then evaluates its conditions, and the
decision goes on to the kernels that are there already.
"""

import argparse
import gc
import json
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import common
import numpy as np
from analysed import NESTS
from tables import analysis

HERE = Path(__file__).resolve().parent
WARM = 48  # calls until all variants of a nest are there


def values_of(case, k):
    """Live-ins of the `k`-th call."""
    numbers = case.parameters(k)
    arrays = {name: np.empty(shape) for name, shape in case.shapes(**numbers).items()}
    return {**numbers, **arrays, "range": range, "min": min}


def engine_of(case):
    """An engine as the first call makes it, and the function from its live-ins to their tuple."""
    from autopar.nest.text.lift import lift_text
    from autopar.runtime.engine import Engine
    from autopar.runtime.site import Site
    from autopar.site_spec import SiteSpec

    nest = lift_text(case.text)
    spec = SiteSpec(
        *("nest.py", 1, "run", nest.roots, nest.live_out, pickle.dumps(nest), case.text, None)
    )
    return Engine(Site(spec, None)), lambda found: tuple(found.get(root) for root in nest.roots)


def facts_and_sizes(state, values, alias):
    """What the decision tells the analysis."""
    from autopar.runtime.choice.decide import environment
    from autopar.runtime.choice.weighed import facts_of

    env = environment(state.ints, values)
    return facts_of(state, alias, env), env


def first(name, ready):
    """Seconds of one first analysis; `ready`: with all libraries imported."""
    case = NESTS[name]
    engine, roots = engine_of(case)
    from autopar.runtime.choice.decide import Way, parameters
    from autopar.runtime.values.facts import aliases

    _, values = engine.reader.read(roots(values_of(case, 0)))
    state = engine.learn(values, {})
    facts, env = facts_and_sizes(state, values, aliases(values.arrays, state.written))
    imports = {}
    libraries = ("autopar.deps.analyse", "autopar.sched.distribute", "autopar.sched.interchange")
    libraries += ("islpy",)
    for library in libraries if ready else ():
        start = time.perf_counter()
        __import__(library)
        imports[library] = time.perf_counter() - start
    gc.collect()  # what imports leave to the next collection is not part of the analysis
    start = time.perf_counter()
    found = state.analyse(facts)
    analysed = time.perf_counter()
    numbers = parameters(found, state, env)
    held, inside = found.held(numbers), found.inside(numbers)
    decided = time.perf_counter()
    plan = state.plan(facts, held, Way.PARTS)
    end = time.perf_counter()
    return {
        "seconds": end - start,
        "analyse_s": analysed - start,
        "conditions_s": decided - analysed,
        "plan_s": end - decided,
        "imports_s": imports,
        "imported": sorted({"islpy", "networkx"} & set(sys.modules)),
        "dependences": len(found.dependences),
        "held": len(held),
        "inside": len(inside),
        "parallel": list(plan.parallel_loops),
    }


def firsts(name, starts):
    """Medians over new processes."""

    def child(*more):
        command = [sys.executable, __file__, name, "--first", *more]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    alone = [child("--not-ready") for _ in range(starts)]
    ready = [child() for _ in range(starts)]
    steps = ("seconds", "analyse_s", "conditions_s", "plan_s")
    imports = {
        k: statistics.median(c["imports_s"][k] for c in ready) for k in ready[0]["imports_s"]
    }
    return {
        **{k: ready[0][k] for k in ("dependences", "held", "inside", "parallel")},
        **{k: statistics.median(c[k] for c in ready) for k in steps},
        "samples": [c["seconds"] for c in ready],
        "with_imports_s": statistics.median(c["seconds"] for c in alone),
        "imported": alone[0]["imported"],
        "imports_s": imports,
    }


def later(name, calls):
    """Medians over calls whose numbers have not been seen before."""
    from autopar.kernel import Watch
    from autopar.runtime.choice.decide import parameters, settle
    from autopar.runtime.values.facts import aliases

    case = NESTS[name]
    engine, roots = engine_of(case)
    took = {"conditions_s": [], "analysis_s": [], "decision_s": [], "choice_s": []}
    state = None
    for k in range(WARM + calls):
        _, values = engine.reader.read(roots(values_of(case, k)))
        state = state or engine.learn(values, {})
        alias = aliases(values.arrays, state.written)
        facts, env = facts_and_sizes(state, values, alias)
        before = len(state.variants)
        gc.disable()
        start = time.perf_counter()
        facts, *_ = settle(state, facts, env)
        settled = time.perf_counter()
        choice = engine.chooser.decide(state, values, alias, Watch.NOTICE)
        decided = time.perf_counter()
        found = state.analyse(facts)
        numbers = parameters(found, state, env)
        begun = time.perf_counter()
        found.held(numbers), found.inside(numbers)
        end = time.perf_counter()
        engine.chooser.choose(state, values, Watch.NOTICE)
        chosen = time.perf_counter()
        gc.enable()
        if k >= WARM and len(state.variants) == before:
            assert choice.variant.loaded is not None
            samples = (end - begun, settled - start, decided - settled, chosen - end)
            for measure, seconds in zip(took, samples, strict=True):
                took[measure].append(seconds)
    medians = {measure: statistics.median(samples) for measure, samples in took.items()}
    return {"calls": len(took["decision_s"]), **medians}


def main(argv=None):
    parser = common.options(__doc__, NESTS)
    parser.add_argument("--starts", type=int, default=9, help="new processes per nest")
    parser.add_argument("--calls", type=int, default=300, help="later calls per nest")
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--not-ready", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    sys.path[:0] = [str(HERE.parent / "src")]
    if options.first:
        print(json.dumps(first(options.names[0], not options.not_ready)))
        return
    from autopar import config

    result = common.started()
    result["nests"] = []
    with tempfile.TemporaryDirectory() as folder:
        eager = replace(config.current(), fail_on_fallback=True, cache_dir=Path(folder) / "cache")
        config.use(eager)
        for name in options.names or NESTS:
            found = {"first": firsts(name, options.starts), "later": later(name, options.calls)}
            result["nests"].append({"name": name, **found})
    common.leave(result, analysis, options.json)


if __name__ == "__main__":
    main()
