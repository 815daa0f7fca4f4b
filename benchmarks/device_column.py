"""Autopar on a device, or on the cores, in a process of its own, commanded as `column.py`, and by

{"do": "there"}      name of the device, or why there is none
{"do": "copy"}       bytes a second of a copy on the device, those read and those written
{"do": "timed"}      seconds of a call; those on the device, of another one; bytes that arrays have
                     moved

Seconds on a GPU are its own: it has something else to do while the host launches, so that kernels
follow one another.
"""

import argparse
import os
import statistics

import numpy as np
from column import Column
from device_clock import Clock
from worker import serve

COPY = """\
AP_KERNEL void ap_copy(AP_GLOBAL const f64 *a, AP_GLOBAL f64 *b, i64 n) {
    i64 i = AP_ITEM;
    if (i < n) b[i] = a[i];
}
"""
COPIED = {"cuda": 1 << 30, "opencl": 1 << 26}
"""Bytes of what is copied: more than caches hold."""
LAUNCHES = 10


def device():
    """The device that autopar runs on, by its environment."""
    from autopar.device.devices import find

    dialect, _, number = os.environ["AUTOPAR_DEVICE"].partition(":")
    return find(dialect, int(number or 0))


class DeviceColumn(Column):
    """Holds one kernel as autopar runs it."""

    def there(self):
        from autopar.device.api import DeviceFailed

        try:
            return {"name": device().name}
        except DeviceFailed as failed:
            return {"missing": str(failed)}

    def copy(self):
        there = device()
        size = COPIED[there.dialect.name]
        entry = there.kernel("ap_copy", there.dialect.head + COPY)
        given = there.buffer(size), there.buffer(size), np.int64(size // 8)
        there.fill(given[0], 1, size)
        clock, took = Clock(there), []
        for _ in range(LAUNCHES):
            clock.begin()
            there.launch(entry, size // 8, there.group, given)
            took.append(clock.end())
        return 2 * size / statistics.median(took)

    def load(self, name):
        from autopar.runtime.run.on_device import OnDevice

        self.spent, self.moved, self.looks, self.clock = [], [], False, None
        bring, finish = OnDevice.bring, OnDevice.finish

        def brought(run, parts):
            bring(run, parts)
            if self.looks:
                self.clock = self.clock or Clock(run.ready.device)
                run.run.status()
                self.clock.begin()

        def finished(run):
            if self.looks:
                self.spent.append(self.clock.end())
            status = finish(run)
            self.moved.append(run.moved)
            return status

        OnDevice.bring, OnDevice.finish = brought, finished
        return super().load(name)

    def timed(self):
        whole_s = self.call()
        self.spent.clear()
        self.moved.clear()
        self.looks = True
        self.call()
        self.looks = False
        return {"whole_s": whole_s, "kernels_s": sum(self.spent), "moved": sum(self.moved)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("place", choices=("cores", "device"))
    parser.parse_args()
    serve(DeviceColumn("autopar"))


if __name__ == "__main__":
    main()
