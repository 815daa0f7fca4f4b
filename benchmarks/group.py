"""Worker processes of one benchmark, and what is made of their times."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Group:
    """The worker processes of one benchmark, by contender; `env` may be a function of that."""

    def __init__(self, contenders, env, program="worker.py"):
        self.workers = {
            contender: subprocess.Popen(
                [sys.executable, str(HERE / program), contender],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=env(contender) if callable(env) else env,
            )
            for contender in contenders
        }

    def ask(self, contender, do, **request):
        """Answer of one worker; a failure there is a failure here."""
        worker = self.workers[contender]
        worker.stdin.write(json.dumps({"do": do, **request}) + "\n")
        worker.stdin.flush()
        line = worker.stdout.readline()
        answer = json.loads(line) if line else {"error": f"exit status {worker.wait()}"}
        if "error" in answer:
            raise RuntimeError(f"{contender}, {do}: {answer['error']}")
        return answer["ok"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers.values():
            worker.stdin.close()
            worker.wait()


def environment(options, cache, background=False):
    """The same number of threads for everyone, this checkout's autopar, an empty kernel cache.

    Installed packages come with bytecode: without, each process would compile all of autopar.
    Kernels are made in the `background` where that is what is measured: see `common.settled`.
    """
    path = [str(HERE.parent / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join(path),
        "NUMBA_NUM_THREADS": str(options.threads),
        "AUTOPAR_THREADS": str(options.threads),
        "AUTOPAR_DEVICE": options.device,
        "AUTOPAR_CACHE_DIR": cache,
        "AUTOPAR_BACKGROUND": str(int(background)),
    }


def spread(samples):
    """Median, quartiles and the samples themselves."""
    several = samples if len(samples) > 1 else samples * 2  # one has no quartiles
    low, middle, high = statistics.quantiles(several, n=4, method="inclusive")
    return {"median": middle, "quartiles": [low, high], "samples": samples}


def ratio(theirs, ours):
    """How many times faster `ours` is: the median of the ratios within each round."""
    return statistics.median(a / b for a, b in zip(theirs, ours, strict=True))
