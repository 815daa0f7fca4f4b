"""The journal as text and JSON, written when the program ends."""

from __future__ import annotations

import os
import sys

_registered = False


def at_exit() -> None:
    """Write the reports that the settings ask for when this process ends."""
    global _registered
    if _registered:
        return
    _registered = True
    import atexit

    # Registered before the user's functions, hence run after them: their loops count as well.
    atexit.register(_write, os.getpid())


def text() -> str:
    """The table of all loops so far."""
    from autopar.report import table

    return table.text()


def _write(process: int) -> None:
    from autopar import config

    settings = config.current()
    # A forked child has the journal of its parent, and would overwrite the parent's report.
    if os.getpid() != process:
        return
    if settings.report:
        from autopar import journal

        journal.write(text())
    if settings.report_json is not None:
        from autopar.report import data

        data.write(settings.report_json)
    if settings.dump_kernels is not None and "autopar.device.dump" not in sys.modules:
        from autopar import journal

        journal.write(
            "--dump-kernels: no loop was compiled for a device; name one, such as --device opencl "
            "or --device cuda, which need not be there"
        )
