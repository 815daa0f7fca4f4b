"""`gpu_column.py` without a GPU: NumPy plays CuPy, and Numba's simulator the device.

    python gpu_played.py name ...

prints, as JSON, how far each version of each kernel is from the plain run, at an odd size, in
small blocks and with few steps, images and filters: the simulator takes long.  CUDA C is not
played.
"""

import contextlib
import functools
import importlib
import json
import math
import os
import sys
import tempfile
import types
from pathlib import Path
from types import SimpleNamespace

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import numpy as np
import suite
from column import Column
from gpu_column import GpuColumn
from numba import cuda
from numba.cuda.simulator import kernel

SIZE = 11
SMALL = {"SIDE": 4, "TILE": 8, "PADDED": 5, "WIDTH": 4, "HEIGHT": 2, "STRIP": 4}
"""Blocks so small that there are several, and parts of one at the ends."""


class Array(np.ndarray):
    """An array "on the device"."""

    def set(self, host):
        self[...] = host

    def get(self, out):
        out[...] = self


def empty(shape, dtype):
    """What is not written before it is read spoils the result."""
    return np.full(shape, 77 if np.dtype(dtype).kind in "iu" else np.nan, dtype).view(Array)


class Played(types.ModuleType):
    def __getattr__(self, name):
        return getattr(np, name)


def few(make):
    """Inputs of `make` with fewer steps, images and filters, of those it has."""

    def made(n, seed):
        data = make(n, seed)
        parts = {"steps": 2} if "steps" in data else {}
        if "images" in data:
            parts = {"images": data["images"][:1], "filters": data["filters"][:2]}
            parts["out"] = data["out"][:1, :2].copy()
        return {**data, **parts}

    return made


def small(of):
    """What those constants of a module are for small blocks."""
    threads = (4, 4) if "SIDE" in of else 8
    return {k: v for k, v in {**SMALL, "THREADS": threads}.items() if k in of}


@contextlib.contextmanager
def on_device(function, module):
    """The simulator puts its `module` into a kernel's globals; `cuda` is a name of ours inside."""
    cuda.__getattr__ = functools.partial(getattr, module)
    yield


def play():
    for name in suite.ALPYNA:
        plain = importlib.import_module(f"alpyna.{name}")
        plain.make = few(plain.make)
        by_hand = vars(importlib.import_module(f"suite.on_gpu.{name}"))
        by_hand.update(small(by_hand))
    kernel.swapped_cuda_module = on_device
    played = Played("cupy")
    played.empty = empty
    played.asarray = lambda host: np.array(host).view(Array)
    device = SimpleNamespace(synchronize=lambda: None)
    stream = SimpleNamespace(record=lambda: device)
    block = SimpleNamespace(copy_from_device_async=lambda *given: None)
    played.cuda = SimpleNamespace(
        Device=lambda: device,
        Stream=SimpleNamespace(null=stream),
        alloc=lambda size: block,
        get_elapsed_time=lambda before, after: 1.0,
    )
    sys.modules["cupy"] = played
    special = SimpleNamespace(erf=np.vectorize(math.erf))
    for name in ("cupyx", "cupyx.scipy", "cupyx.scipy.special"):
        sys.modules[name] = special
    cuda.as_cuda_array = lambda array, sync: array
    cuda.get_current_device = lambda: device


def distance(name, version, left):
    """How far that version is; None where there is none."""
    column = GpuColumn(version)
    column.load(name)
    if "missing" in column.make(SIZE, 3):
        return None
    if version != "arrays":
        column.call()
        return column.compare(left)["distance"]
    column.timed()
    column.timed()
    far = column.compare(left)["distance"]
    column.data.update(column.resident)
    return max(far, column.compare(left)["distance"])


def main(names):
    play()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        left = str(Path(folder, "left"))
        for name in names:
            plain = Column("cpython")
            plain.load(name)
            plain.make(SIZE, 3)
            plain.call()
            plain.save(left)
            versions = ("numba", "arrays", "one_each")
            found[name] = {each: distance(name, each, left) for each in versions}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:] or suite.ALPYNA)
