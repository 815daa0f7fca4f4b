"""What a device takes, by its own clock where it is a GPU: without the host, which launches.

While the host launches, the device copies something else, so that the first kernel begins when it
is done with that, and each of the others behind the one before.  What kernels write is not waited
for by anybody else.  Other devices are timed by the host.
"""

import time

AHEAD = 1 << 30
"""Bytes that a GPU copies before it begins: half a millisecond of each of them."""
COPIES = 3


class Clock:
    """Of one device of autopar's; what it times is launched in the device's stream."""

    def __init__(self, device):
        self.device = device
        self.cuda = device.dialect.name == "cuda"
        if self.cuda:
            self.events = Events(device.stream)

    def begin(self):
        """All that was launched before is done."""
        if self.cuda:
            with self.device.here():
                self.events.begin()
        else:
            self.start = time.perf_counter()

    def end(self):
        """Seconds since `begin`, of what has been launched in between; it is done then."""
        if self.cuda:
            with self.device.here():
                return self.events.end()
        self.device.wait(self.device.mark())
        return time.perf_counter() - self.start


class Events:
    """The same for one stream of CuPy's, or for all, which wait for the one that has no number."""

    def __init__(self, stream):
        import cupy

        self.cupy, self.stream = cupy, stream
        self.blocks = [cupy.cuda.alloc(AHEAD) for _ in range(2)]

    def begin(self):
        to, origin = self.blocks
        for _ in range(COPIES):
            to.copy_from_device_async(origin, AHEAD, self.stream)
        self.before = self.stream.record()

    def end(self):
        after = self.stream.record()
        after.synchronize()
        return self.cupy.cuda.get_elapsed_time(self.before, after) / 1e3
