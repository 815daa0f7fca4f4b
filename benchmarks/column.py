"""One column of the suite in a process of its own, commanded as `worker.py` is, and besides by

{"do": "load", "name": "lu"}                 seconds of importing the kernel, and its sizes
{"do": "make", "size": 64, "seed": 1}        seconds of getting ready to call it, or why
                                             there is no such version
{"do": "save", "path": …}                    keeps what the last run left
{"do": "compare", "path": …}                 whether that is the same, and how far from it
"""

import argparse
import importlib
import pickle
import sys
import time

import contenders
import numpy as np
import suite
from alpyna.script import digest, of_one_type
from worker import HERE, Worker, serve


class Column(Worker):
    """Holds one kernel in one version."""

    def load(self, name):
        sys.path.insert(0, str(HERE))
        self.digest_of = digest
        self.place = suite.PLACES[name]
        start = time.perf_counter()
        if self.contender in ("autopar", "relaxed"):
            import autopar

            packages = sorted({place[0].partition(".")[0] for place in suite.PLACES.values()})
            autopar.install(packages=packages)
        self.module = importlib.import_module(self.place[0])
        self.load_s = time.perf_counter() - start
        return {"sizes": suite.sizes(name), "load_s": self.load_s}

    def make(self, size, seed):
        super().make(size, seed)
        start = time.perf_counter()
        try:
            self.function = contenders.function(self.contender, self.place, self.data)
        except contenders.Missing as no:
            return {"missing": str(no)}
        return {"ready_s": time.perf_counter() - start}

    def left(self):
        return {**self.data, "<result>": self.result}

    def save(self, path):
        with open(path, "wb") as file:
            pickle.dump((self.digest(), self.left()), file)

    def compare(self, path):
        with open(path, "rb") as file:
            expected, values = pickle.load(file)
        far = max(distance(mine, values[name]) for name, mine in self.left().items())
        return {"equal": self.digest() == expected, "distance": far}


def distance(got, expected):
    """Largest difference over the largest number; of integers, the share of those that differ.

    One in a hundred may differ, so that both can be held against one tolerance: where a point
    leaves the Mandelbrot set, or where an iteration stops, may turn on the last bit.
    """
    if isinstance(expected, (list, tuple)):
        if len(got) != len(expected):
            return np.inf
        if of_one_type(got) and of_one_type(expected):
            return distance(np.array(got), np.array(expected))
        return max((distance(a, b) for a, b in zip(got, expected, strict=True)), default=0.0)
    if expected is None:
        return 0.0
    a, b = np.asarray(got), np.asarray(expected)
    if a.shape != b.shape:
        return np.inf
    if b.dtype.kind in "biu":
        return float(np.mean(a != b)) * suite.TOLERANCE * 1e2 if b.size else 0.0
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    scale = np.nanmax(np.abs(b), initial=0.0) or 1.0
    return float(np.nanmax(np.abs(a - b), initial=0.0) / scale)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("column", choices=contenders.COLUMNS)
    serve(Column(parser.parse_args().column))


if __name__ == "__main__":
    main()
