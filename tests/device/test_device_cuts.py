"""Loops cut at the value of a variable of a loop around: a device is sent the parts."""

from __future__ import annotations

from typing import Any

import pytest
from outcome import same
from test_cut_at_variables import HEAD, LOOPS

from autopar.runtime.running import Runner


@pytest.mark.parametrize("name", LOOPS)
def test_parts_run_on_a_device(
    name: str, pocl: None, apart: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart()
    parallel: list[int] = []
    offloaded = Runner.offloaded

    def noted(self: Runner, state: Any, variant: Any, *more: Any) -> Any:
        launch = offloaded(self, state, variant, *more)
        if launch is not None:
            parallel.append(sum(kernel.parallel for kernel in variant.program.kernels))
        return launch

    monkeypatch.setattr(Runner, "offloaded", noted)
    assert same(HEAD + LOOPS[name])
    assert parallel
    assert all(parallel)
