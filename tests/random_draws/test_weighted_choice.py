"""``rng.choice(n, p=weights)``: each as likely as its weight says."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(1)
old = np.random.RandomState(4)
np.random.seed(3)
P = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]])
L = [[0.9, 0.1], [0.5, 0.5]]
w = np.array([0.25, 0.5, 0.25])
v = np.array([1.5, 2.5, 4.0])
fit = np.arange(1.0, 9.0)
h = np.array([0.25, 0.5, 0.25], dtype=np.float32)
whole = np.array([0, 1, 0])
bad = [0.5, 0.6, 0.1], [0.5, -0.1, 0.6], [0.5, 0.5], [float("nan"), 0.5, 0.5]
near = np.array([0.3, 0.3, 0.4 + 1.3e-8])
n, s, c, x = 3, 0, 0, 0.0
seen = []
ints, pair = [1, 2, 3], (4, 5)
counts = np.zeros(8, dtype=int)
"""
TAKEN = {
    "a row": "s = rng.choice(3, p=P[s])\n    counts[s] += 1",
    "a row of lists": "s = rng.choice(2, p=L[s])\n    seen.append(s)",
    "an array": "c = c * 3 % 1009 + old.choice(n, p=w)",
    "that of the module": "c = c * 3 % 1009 + np.random.choice(3, p=w)",
    "what is computed": "counts[rng.choice(8, p=fit / fit.sum())] += 1\n    fit[k % 8] += 0.5",
    "a list that is written out": "c = c * 3 % 1009 + rng.choice(3, p=[0.2, 0.3, 0.5])",
    "an item": "x += rng.choice(v, p=w)",
    "as long as it is": "c = c * 3 % 1009 + old.choice(len(w), p=w)",
    "single precision": "c = c * 3 % 1009 + rng.choice(3, p=h)",
    "integers": "c += rng.choice(3, p=whole)",
    "one, said": "c += rng.choice(3, size=None, replace=True, p=w)",
    "numbers that are written out": "c = c * 3 % 1009 + rng.choice([1, 2, 3], p=w)",
    "steps": "c += np.random.choice([-1, 1])\n    x = np.random.choice((0.5, -1))",
    "types": "q = rng.choice([1, 2, 3])\n    q2 = old.choice([1, 2.5], p=[0.5, 0.5])",
    "as likely": "c += rng.choice(3, p=None) + rng.choice(n)",
}
LEFT = {
    "several": "x += rng.choice(3, size=2, p=w).sum()",
    "not again": "c += rng.choice(3, replace=False, p=w)",
    "numbers of other types": "q = rng.choice([True, 2, 3], p=w)",
    "names that are written out": "q = rng.choice([n, s, 3])",
    "large ones": "q = rng.choice([9223372036854775808, 1])",
    "a list": "q = rng.choice(ints)\n    seen.append(q)",
    "a list, with weights": "q = old.choice(ints, p=w)",
    "a tuple": "q = np.random.choice(pair)",
    "too few": "c += rng.choice(4, p=w)",
    "none": "c += rng.choice(0, p=w[:0])",
    "two axes": "c += rng.choice(3, p=P)",
    "a float": "c += rng.choice(3.0, p=w)",
    "no number": "c += rng.choice(3, p=0.5)",
    "nearly": "c += rng.choice(3, p=near)",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    code = f"{HEAD}for k in range(60):\n    {TAKEN[title]}\n"
    found = both(f"{code}after = rng.random(), old.random_sample(), np.random.rand()\n")
    assert found.loops[HEAD.count("\n") + 1] == "compiled"
    assert not found.error


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title: str) -> None:
    code = f"{HEAD}try:\n    for k in range(5):\n        {LEFT[title]}\n"
    both(f"{code}except (TypeError, ValueError) as error:\n    c = str(error)\nx += rng.random()\n")


@pytest.mark.parametrize("which", range(4))
def test_no_probabilities(which: int) -> None:
    code = f"{HEAD}p = np.array(bad[{which}])\ntry:\n    for k in range(5):\n"
    code += "        x += rng.random()\n        c += rng.choice(3, p=p)\n"
    code += "except ValueError as error:\n    c = str(error)\n"
    found = both(f"{code}x += rng.random()\n")
    assert "compiled" not in found.loops.values()


def test_many_at_random() -> None:
    code = f"""{HEAD}
rows = old.dirichlet(np.full(7, 0.3), size=300)
rows[::5] = np.maximum(rows[::5] - 1e-3, 0.0)
rows /= rows.sum(axis=1)[:, None]
for k in range(300):
    for j in range(40):
        c = (c * 7 + rng.choice(7, p=rows[k])) % 1000003
"""
    found = both(f"{code}x = rng.random()\n")
    assert found.loops[HEAD.count("\n") + 5] == "compiled"
