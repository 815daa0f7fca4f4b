"""Room for the arrays that a nest makes."""

from __future__ import annotations

import builtins

import numpy as np
from harness import site


def test_room_is_made_for_the_sizes_of_each_call(strict):
    """What one call needed is remembered, and the next one with other numbers needs other."""
    here = site(
        "for i in range(n):\n"
        "    t = np.zeros(m + b.shape[0])\n"
        "    for j in range(m):\n"
        "        t[m - 1 - j] = a[j] + i\n"
        "    b[i] = t[0] + len(t)\n"
    )
    random = np.random.default_rng(5)
    sizes = [(4, 5, 6), (4, 9, 6), (4, 5, 6), (4, 5, 8), (6, 5, 6), (4, 9, 6)]
    for n, m, length in sizes:
        a, b = random.random(m), np.zeros(length)
        expected = b.copy()
        for i in range(n):
            expected[i] = a[m - 1] + i + (m + length)
        names = {**vars(builtins), "np": np, "n": n, "m": m, "a": a, "b": b}
        found = here.run(tuple(names[root] for root in here.spec.roots))
        assert found is not None
        assert b.tobytes() == expected.tobytes()
        made = dict(zip(here.spec.live_out, found, strict=True)).get("t")
        if made is not None:
            assert len(made) == m + length
