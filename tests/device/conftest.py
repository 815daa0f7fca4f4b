"""Settings for tests on devices: nests run on PoCL, each verified, none left to the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nvrtc
import pytest
import standin

from autopar import config, pipeline
from autopar.device import cuda
from autopar.runtime.run import on_device
from autopar.verdict import Refusal


@pytest.fixture
def failing() -> None:
    """A device that fails, or is not there, is what a test is about."""


@pytest.fixture
def pocl(
    strict: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Nests run on the first OpenCL device: the cores do none of its work because it fails."""
    pytest.importorskip("pyopencl")
    warned: list[str] = []
    monkeypatch.setattr(on_device, "_warned", warned)
    config.use(replace(config.current(), device="opencl"))
    yield
    assert "failing" in request.fixturenames or not warned, warned


@pytest.fixture
def gpu(strict: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Nests run on the stand-in for CUDA, each verified."""
    if standin.compiler() is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setitem(sys.modules, "cupy", standin.cupy(tmp_path))
    monkeypatch.setattr(on_device, "_warned", [])
    cuda.find.cache_clear()
    config.use(replace(config.current(), device="cuda"))
    yield sys.modules["cupy"]
    cuda.find.cache_clear()


@pytest.fixture
def for_cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What is made for CUDA of nests that run; in the end its compiler has taken all of it."""
    found: list[Any] = []
    made = pipeline.for_device

    def both(*given: Any) -> Any:
        found.append(made(*given[:-1], ("cuda", 0)))
        return made(*given)

    monkeypatch.setattr(pipeline, "for_device", both)
    yield found
    if nvrtc.library() is not None:
        taken = [some for some in found if not isinstance(some, Refusal)]
        nvrtc.accept(
            (text, source.entry)
            for some in taken
            for source in some
            for text in (source.each, source.form(source.parallel, apart=True))
        )
