"""Settings for tests on devices: nests run on PoCL, each verified, none left to the interpreter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar import config
from autopar.runtime.run import on_device


@pytest.fixture
def pocl(strict: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nests run on the first OpenCL device."""
    pytest.importorskip("pyopencl")
    monkeypatch.setattr(on_device, "_warned", [])
    config.use(replace(config.current(), device="opencl"))
