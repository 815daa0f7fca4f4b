"""Settings for tests: every nest both ways, no silent fallback, a cache of the test's own."""

from __future__ import annotations

import functools
import gc
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import processor
import pytest
from hypothesis import settings

from autopar import config, pipeline
from autopar.cpu import machine, team
from autopar.device import opencl
from autopar.runtime import background, budget, measured

# The suite is the same every time; the long runs are what looks for new programs.
settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile("suite")

# Most of what compiling makes is gone without anybody's looking for it.
gc.set_threshold(200_000, 20, 50)

# Threads look for more work only as long as tells whether it works: others need the processors.
team.SPINS = 1_000

_OPTIMISED = 16
"""One kernel of so many is optimised as for a user; by its text, so that it is always the same."""


@pytest.fixture(autouse=True)
def plainly(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most kernels are made as their text says, which takes LLVM a tenth of the time.

    Most tests are about what autopar writes, which must mean the same either way: the others are
    optimised, and all of what tests run in processes of their own, or with `optimised`.
    """
    if "optimised" in request.fixturenames:
        return
    best = machine.assemble

    def assemble(text: str, endless: bool = False) -> bytes:
        told = re.sub(r"kernel_\w+", "", text)  # which hashes all of autopar's own text
        optimised = zlib.crc32(told.encode()) % _OPTIMISED == 0
        return best(text, endless) if optimised else machine.as_written(text)

    monkeypatch.setattr(machine, "assemble", assemble)


@pytest.fixture(scope="module", autouse=True)
def lasting() -> Iterator[None]:
    """What a file leaves stays until the end: to look for garbage in it takes a tenth of all."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def known_processor() -> Iterator[None]:
    """OpenCL devices, of which tests need one, know the processor; see `processor`."""
    exact = opencl._exact

    def told(cl: Any, device: Any) -> bool:
        processor.tell(device)
        return exact(cl, device)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(opencl, "_exact", told)
        yield


@pytest.fixture
def optimised() -> None:
    """All kernels are made as for a user."""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One kernel cache for the whole run, so that equal kernels compile once."""
    path = tmp_path_factory.mktemp("cache")
    path.chmod(0o700)
    return path


@pytest.fixture(autouse=True)
def same_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions by the constants, whatever was measured, or won by kernels of earlier tests."""
    monkeypatch.setattr(measured, "_untouched", lambda: True)
    monkeypatch.setattr(budget.BUDGET, "won_s", 0.0)
    monkeypatch.setattr(
        background.BACKGROUND, "barred", True
    )  # a copy of pytest is of no use to anybody


@pytest.fixture
def strict(cache: Path) -> Iterator[None]:
    """Verify every nest and raise when one is left to the interpreter."""
    before = config.current()
    config.use(replace(before, verify=True, fail_on_fallback=True, cache_dir=cache, threads=3))
    yield
    config.use(before)


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A cache for all tests that change autopar in the way that a text describes."""

    @functools.cache
    def made(change: str) -> Path:
        path = tmp_path_factory.mktemp("cache")
        path.chmod(0o700)
        return path

    return made


@pytest.fixture
def apart(
    strict: None, tmp_path: Path, caches: Callable[[str], Path]
) -> Callable[[str | None], None]:
    """Takes another cache, for tests that change autopar: what others keep is not read.

    An empty one, or, where the change is told, that of all tests which make the same.
    """

    def take(change: str | None = None) -> None:
        if change is None:
            path = tmp_path / "cache"
            path.mkdir(mode=0o700)
        else:
            path = caches(change)
        config.use(replace(config.current(), cache_dir=path))

    return take


@pytest.fixture
def kernel_texts(apart: Callable[[str | None], None], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Those of all kernels that the test has written."""
    apart(None)
    found: list[str] = []
    emitted = pipeline.emit

    def noted(*args: Any) -> Any:
        program = emitted(*args)
        found.extend(kernel.text for kernel in program.kernels)
        return program

    monkeypatch.setattr(pipeline, "emit", noted)
    return found


@pytest.fixture
def quiet() -> Iterator[None]:
    """No floating-point warnings, so that kernels need not be able to name them."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def lenient(cache: Path) -> Iterator[None]:
    """Verify every nest that is taken; declining is fine."""
    before = config.current()
    config.use(replace(before, verify=True, cache_dir=cache, threads=3))
    yield
    config.use(before)
