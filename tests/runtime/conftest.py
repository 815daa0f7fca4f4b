"""Calls that are like earlier ones sooner than users have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from autopar import config
from autopar.runtime import engine, hunch, steady
from autopar.runtime.choice import weighed
from autopar.runtime.run.replay import Replay


@pytest.fixture
def soon(lenient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small nests have kernels, too, and calls like the last one are steady from the second on."""
    config.use(replace(config.current(), verify=False))
    monkeypatch.setattr(weighed, "eager", lambda: True)
    monkeypatch.setattr(hunch, "wanted", lambda: True)  # that all loops are asked
    monkeypatch.setattr(engine, "AFTER", 1)
    monkeypatch.setattr(steady, "certain", lambda choice: True)


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call that was handed to machine code was one of its calls."""
    found: list[bool] = []
    run = Replay.run

    def noted(self: Replay, roots: tuple[Any, ...]) -> Any:
        warned = run(self, roots)
        found.append(warned is not None)
        return warned

    monkeypatch.setattr(Replay, "run", noted)
    return found
