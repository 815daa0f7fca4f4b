"""One contender in a process of its own, commanded over pipes by `run.py`.

Requests and answers are one JSON object per line on standard input and output:

    {"do": "load", "suite": "alpyna", "name": "gemm"}     sizes and parallel loop variables
    {"do": "make", "size": 64, "seed": 1}                 new inputs
    {"do": "call"}                                        restore, run, seconds of the run alone
    {"do": "digest"}                                      checksum of all that the last run left
    {"do": "loops"}                                       what autopar says of the loops of `run`
    {"do": "versions"}                                    Python and libraries

An answer is {"ok": value} or {"error": text}.  What the benchmark prints goes to stderr.
"""

import argparse
import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path

import common
import numpy as np

HERE = Path(__file__).resolve().parent
CONTENDERS = ("cpython", "njit", "prange", "autopar")
LOOP_FIELDS = ("line", "function", "status", "device", "parallel_loops", "sequential_loops")
LOOP_FIELDS += ("kernels", "runs", "fallbacks", "compile_s")


def account(record):
    """One loop of autopar's journal as JSON can hold it."""
    no = record.refusal
    why = {"code": no and no.code, "reason": no and no.text}
    return {**{field: getattr(record, field) for field in LOOP_FIELDS}, **why}


class Worker:
    """Holds one benchmark and its inputs, ready to be timed."""

    def __init__(self, contender):
        self.contender = contender

    def load(self, suite, name):
        sys.path.insert(0, str(HERE))
        if self.contender == "autopar":
            import autopar

            autopar.install(packages=[suite, f"{suite}.*"])
        self.module = importlib.import_module(f"{suite}.{name}")
        self.digest_of = importlib.import_module("alpyna.script").digest
        self.function = self.module.run
        if self.contender == "njit":
            import numba

            self.function = numba.njit(self.module.run)
        if self.contender == "prange" and suite == "alpyna":
            self.function = getattr(importlib.import_module(f"{suite}.annotated"), name)
        elif self.contender == "prange":
            import numba

            self.function = numba.njit(self.module.run, parallel=True)
        parallel = getattr(self.module, "PARALLEL", None)
        return {"sizes": self.module.SIZES, "parallel": parallel}

    def make(self, size, seed):
        self.data = self.module.make(size, seed)
        self.fresh = {k: v.copy() for k, v in self.data.items() if isinstance(v, np.ndarray)}
        self.called = False

    def call(self):
        for name, array in self.fresh.items():
            np.copyto(self.data[name], array)
        self.result = None
        start = time.perf_counter()
        self.result = self.function(**self.data)
        took = time.perf_counter() - start
        if not self.called:  # what the run does not write needs no second copy
            for name in [k for k, v in self.fresh.items() if np.array_equal(v, self.data[k])]:
                del self.fresh[name]
            self.called = True
        return took

    def digest(self):
        result = {} if self.result is None else {"<result>": self.result}
        return self.digest_of({**self.data, **result})

    def loops(self):
        import autopar.journal

        return [
            account(record)
            for record in autopar.journal.records()
            if os.path.realpath(record.file) == os.path.realpath(self.module.__file__)
        ]

    def versions(self):
        return common.versions()


def serve(worker):
    """Answer requests on standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": getattr(worker, request.pop("do"))(**request)}
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("contender", choices=CONTENDERS)
    serve(Worker(parser.parse_args().contender))


if __name__ == "__main__":
    main()
