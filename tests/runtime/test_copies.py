"""Several threads copy what one would."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autopar import config
from autopar.runtime.run import copies, pool

RNG = np.random.default_rng(7)


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many threads each copy has had; one is not asked for."""
    found: list[int] = []
    run = pool.run

    def counted(task, count, threads, word):  # type: ignore[no-untyped-def]
        found.append(threads)
        return run(task, count, threads, word)

    monkeypatch.setattr(pool, "run", counted)
    monkeypatch.setattr(copies, "_LEAST", 64)
    config.use(replace(config.current(), threads=3))
    return found


@pytest.mark.parametrize(
    ("made", "threads"),
    [
        (lambda: RNG.random(1000), [3]),
        (lambda: RNG.random((7, 300))[:, ::2], [3]),
        (lambda: RNG.random((2, 500)), [2]),
        (lambda: RNG.random((1, 500)), []),
        (lambda: RNG.random((500, 40)).T, [3]),
        (lambda: RNG.random(15), []),
        (lambda: np.array(2.5), []),
        (lambda: np.zeros((0, 3)), []),
    ],
)
def test_each_element_is_copied(made, threads, tasks):
    content = made()
    whole = np.full(tuple(2 * n for n in content.shape), -1.0)
    to = whole[tuple(slice(n) for n in content.shape)] if content.ndim else whole
    copies.copy(to, content)
    assert (to == content).all()
    assert (whole == -1.0).sum() == whole.size - content.size
    assert tasks == threads
