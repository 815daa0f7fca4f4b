"""OpenCL devices, through PyOpenCL.

References
----------
Khronos, "The OpenCL Specification" 1.2, sections 5.2 (buffers), 5.6 (programs), 5.8 (launches).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from autopar.device.api import Array, Device, DeviceFailed
from autopar.device.dialect import OPENCL
from autopar.device.groups import Seconds


class OpenCL(Device):
    """A device, with a queue in which everything happens in order."""

    dialect = OPENCL
    group = 64

    def __init__(self, cl: Any, about: Any, number: int) -> None:
        size, largest = about.global_mem_size, about.max_mem_alloc_size
        super().__init__(about.name, number, size, largest, about.type == cl.device_type.GPU)
        self.most = about.max_work_group_size
        self.cl, self.failures = cl, (cl.Error, MemoryError, OSError)
        self.version = f"{about.version} {about.driver_version}"
        self.context = cl.Context([about])
        self.about = about
        # In which everything happens in order, with times of what was launched.
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        self.queue = cl.CommandQueue(self.context, properties=profiling)
        self.last: Any = None  # what was started last

    def compiled(self, text: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PyOpenCL's, where a compiler has something to say
            return self.cl.Program(self.context, text).build(list(OPENCL.options))

    def function(self, program: Any, entry: str) -> Any:
        return self.cl.Kernel(program, entry)

    def buffer(self, size: int) -> Any:
        return self.cl.Buffer(self.context, self.cl.mem_flags.READ_WRITE, max(size, 8))

    def release(self, buffer: Any) -> None:
        buffer.release()

    def send(self, buffer: Any, content: Array, at: int) -> None:
        if content.size:
            self.cl.enqueue_copy(self.queue, buffer, content, dst_offset=at)

    def fetch(self, content: Array, buffer: Any, at: int) -> None:
        self.wait(self.mark())  # the copy would wait where nobody hears Ctrl-C
        if content.size:
            self.cl.enqueue_copy(self.queue, content, buffer, src_offset=at)

    def fill(self, buffer: Any, byte: int, size: int) -> None:
        self.cl.enqueue_fill_buffer(self.queue, buffer, np.uint8(byte), 0, size)

    def launch(self, kernel: Any, items: int, group: int, given: Sequence[Any]) -> None:
        self.started(kernel, items, group, given)

    def started(self, kernel: Any, items: int, group: int, given: Sequence[Any]) -> Any:
        """As `launch`; what is answered is OpenCL's event."""
        items = -(-items // group) * group
        with self.alone():
            kernel.set_args(*given)
            event = self.cl.enqueue_nd_range_kernel(self.queue, kernel, (items,), (group,))
            self.last = event
        self.queue.flush()
        return event

    def timed(self, kernel: Any, items: int, group: int, given: Sequence[Any]) -> Seconds:
        event = self.started(kernel, items, group, given)

        def seconds() -> float | None:
            if not self.done(event):
                return None
            return float(event.profile.end - event.profile.start) * 1e-9

        return seconds

    def limit(self, kernel: Any) -> int:
        sizes = self.cl.kernel_work_group_info
        return int(kernel.get_work_group_info(sizes.WORK_GROUP_SIZE, self.about))

    def mark(self) -> Any:
        return self.last

    def done(self, mark: Any) -> bool:
        if mark is None:
            return True
        state = mark.command_execution_status
        if state < 0:
            raise DeviceFailed(f"{self.name} has given up a kernel ({state})")
        complete: bool = state == self.cl.command_execution_status.COMPLETE
        return complete


@functools.cache
def find(number: int) -> OpenCL:
    """One of the devices that compute in float64 as IEEE 754 says, those with own memory first.

    Raises
    ------
    DeviceFailed
        There is none, or not as many.
    """
    try:
        import pyopencl as cl
    except ImportError as error:
        text = f"needs pyopencl, which cannot be imported ({error}): pip install autopar[opencl]"
        raise DeviceFailed(text) from error
    try:
        every = [d for platform in cl.get_platforms() for d in platform.get_devices()]
    except cl.Error as error:
        raise DeviceFailed(f"no OpenCL platform: {error}") from error
    taken = [d for d in every if _exact(cl, d)]
    if not taken:
        found = ", ".join(d.name for d in every) or "none"
        raise DeviceFailed(f"no OpenCL device has float64 and subnormal numbers; found: {found}")
    taken.sort(key=lambda d: d.type != cl.device_type.GPU)
    if number >= len(taken):
        names = ", ".join(f"opencl:{k} is {d.name}" for k, d in enumerate(taken))
        raise DeviceFailed(f"there is no device opencl:{number}; {names}")
    try:
        return OpenCL(cl, taken[number], number)
    except cl.Error as error:
        raise DeviceFailed(str(error)) from error


def _exact(cl: Any, device: Any) -> bool:
    wanted = cl.device_fp_config.DENORM | cl.device_fp_config.INF_NAN
    wanted |= cl.device_fp_config.ROUND_TO_NEAREST
    float64 = "cl_khr_fp64" in device.extensions.split() and device.double_fp_config
    both = (float64 or 0) & device.single_fp_config & wanted == wanted
    return bool(both and device.address_bits == 64 and device.endian_little)
