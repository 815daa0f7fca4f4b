"""Arrays stay on a device from one loop to the next."""

from __future__ import annotations

from typing import Any

import pytest
from outcome import both

from autopar import journal

HEAD = (
    "import numpy as np\nrng = np.random.default_rng(3)\nn = 64\n"
    "a, b = rng.random((n, n)), rng.random((n, n))\nc, d = np.zeros((n, n)), np.zeros(n)\n"
)
# What moves at the least, in elements: what is read before it is written, and what is written.
CHAINS = {
    "written, then read": (
        "for i in range(n):\n    for j in range(n):\n        c[i, j] = a[i, j] + 1.0\n"
        "for i in range(n):\n    for j in range(n):\n        b[i, j] = c[j, i] * 2.0\n",
        3 * 64 * 64,
    ),
    "three in a row": (
        "for i in range(n):\n    for j in range(n):\n        c[i, j] = a[i, j] + b[j, i]\n"
        "for i in range(n):\n    d[i] = 0.0\n"
        "for i in range(n):\n    for j in range(n):\n        d[i] += c[i, j]\n",
        3 * 64 * 64 + 64,
    ),
    "the same one, again and again": (
        "for i in range(n):\n    for j in range(n):\n        a[i, j] = a[i, j] + 1.0\n"
        "for i in range(n):\n    for j in range(n):\n        a[i, j] = a[i, j] * 2.0\n"
        "for i in range(n):\n    for j in range(n):\n        a[i, j] = a[i, j] - 3.0\n",
        2 * 64 * 64,
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_what_is_handed_on_does_not_move(name: str, pocl: None, noted: Any) -> None:
    loops, least = CHAINS[name]
    found = both(HEAD + loops)
    assert {*found.loops_after(HEAD).values()} == {"compiled"}
    records = [one for one in journal.records() if one.line > HEAD.count("\n")]
    assert all(one.device.startswith("opencl") for one in records)
    assert noted == [least * 8]
    assert [bool(one.transfer_bytes) for one in records] == [True] + [False] * (len(records) - 1)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Bytes of arrays that moved, for each run on a device."""
    from autopar.runtime.running import Runner

    moved: list[int] = []
    offloaded = Runner.offloaded

    def kept(self: Runner, *more: Any) -> Any:
        launch = offloaded(self, *more)
        if launch is not None:
            moved.append(launch.moved)
        return launch

    monkeypatch.setattr(Runner, "offloaded", kept)
    return moved


def test_a_histogram_beside_others_runs_in_parallel(pocl: None) -> None:
    """What a loop by itself would need copies for, it needs them for next to others, too."""
    loops = (
        "v, h, k = np.zeros(9000), np.zeros(7, int), np.arange(9000) % 7\n"
        "for i in range(9000):\n    v[i] = k[i] * 0.5\n"
        "for i in range(9000):\n    h[k[i]] += 1\n"
    )
    both(HEAD + loops)
    assert [one.status for one in journal.records() if one.parallel_loops] == ["parallel"] * 2
