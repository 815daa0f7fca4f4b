"""What is written by hand for a GPU, in a process of its own, commanded as `column.py`, and by

{"do": "there"}      name of the device, or why there is none
{"do": "timed"}      seconds of a call from the host's arrays, copies over and back included, and
                     seconds of one more whose arrays are there already, by the device's own clock

A `call`, and so what is saved and compared, is one from the host's arrays.
"""

import argparse
import importlib
import time

import numpy as np
import suite
from column import Column
from device_clock import Events
from worker import Worker, serve

VERSIONS = {"numba": "by_numba", "raw": "by_raw", "arrays": "by_arrays", "one_each": "one_each"}


class GpuColumn(Column):
    """Holds one kernel in one version by hand."""

    def there(self):
        try:
            import cupy

            name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
            self.as_taken({})
        except (ImportError, RuntimeError) as failed:
            return {"missing": str(failed)}
        return {"name": name}

    def load(self, name):
        found = super().load(name)
        self.by_hand = self.clock = None
        if name in suite.ALPYNA:
            self.by_hand = importlib.import_module(f"suite.on_gpu.{name}")
        return found

    def make(self, size, seed):
        Worker.make(self, size, seed)
        start = time.perf_counter()
        if self.by_hand is None:
            return {"missing": "not written"}
        self.version = getattr(self.by_hand, VERSIONS[self.contender], None)
        if self.version is None:
            return {"missing": "no natural idiom"}
        import cupy

        self.kept = {name: cupy.asarray(self.data[name]) for name in self.by_hand.WRITTEN}
        self.resident = {name: cupy.asarray(array) for name, array in self.fresh.items()}
        self.function = self.from_host
        return {"ready_s": time.perf_counter() - start}

    def from_host(self, **data):
        """Copy what is read to the device, run, and wait until what is written is back."""
        import cupy

        there = {}
        for name in self.resident:
            there[name] = cupy.empty(data[name].shape, data[name].dtype)
            if name in self.by_hand.READ:
                there[name].set(data[name])
        self.version(**{**data, **self.as_taken(there)})
        for name in self.by_hand.WRITTEN:
            there[name].get(out=data[name])

    def as_taken(self, there):
        """Arrays of CuPy as the version takes them: Numba waits for the stream of a foreign one."""
        if self.contender not in ("numba", "one_each"):
            return there
        if not hasattr(np, "row_stack"):
            np.row_stack = np.vstack  # gone from NumPy 2.5, and numba-cuda 0.30 asks for it
        from numba import cuda

        cuda.get_current_device()
        return {name: cuda.as_cuda_array(array, sync=False) for name, array in there.items()}

    def timed(self):
        import cupy

        whole_s = self.call()
        for name, array in self.kept.items():
            cupy.copyto(self.resident[name], array)
        given = {**self.data, **self.as_taken(self.resident)}
        cupy.cuda.Device().synchronize()
        self.clock = self.clock or Events(cupy.cuda.Stream.null)
        self.clock.begin()
        self.version(**given)
        return {"whole_s": whole_s, "kernels_s": self.clock.end()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("version", choices=VERSIONS)
    serve(GpuColumn(parser.parse_args().version))


if __name__ == "__main__":
    main()
