"""Settings for tests on a real GPU: `pytest tests/gpu`; skipped where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar import config
from autopar.device import cuda
from autopar.device.api import DeviceFailed
from autopar.runtime.run import on_device


@pytest.fixture
def gpu(strict: None, monkeypatch: pytest.MonkeyPatch) -> cuda.Cuda:
    """Nests run on the first CUDA device, each verified, none left to the interpreter."""
    try:
        found = cuda.find(0)
    except DeviceFailed as failed:
        pytest.skip(str(failed))
    monkeypatch.setattr(on_device, "_warned", [])
    config.use(replace(config.current(), device="cuda"))
    return found
