"""A first look at statements: whether they are about whole arrays."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autopar.nest.text.runs import depths, goes_through
from autopar.runtime.glance import Glance
from autopar.site_spec import SiteSpec

SIZE = 1_000_000
X, M = np.zeros(SIZE), np.zeros((1000, 1000))
OBJECT = SimpleNamespace(x=X, m=M)


def glance(text: str, roots: dict[str, Any], paths: tuple[str, ...] = ()) -> tuple[bool, bool]:
    """Whether a statement on these values is worth a question, and whether it is about arrays."""
    nodes = ast.parse(text).body
    spec = SiteSpec(
        "file", 1, "f", tuple(roots), (), b"", text, None, weight=3, paths=paths,
        depths=depths(nodes, (*roots, *paths)), items=goes_through(nodes),
    )  # fmt: skip
    found = Glance(spec)
    return found.worth(tuple(roots.values())), found.arrays


@pytest.mark.parametrize(
    ("text", "roots", "paths"),
    [
        ("y[i] = alpha * x[i] + y[i]", {"alpha": 2.0, "i": 3, "x": X, "y": X}, ()),
        ("m[i, j] = m[i - 1, j] * m[i, -1]", {"i": 3, "j": 4, "m": M}, ()),
        ("m[i][j] = m[i][0] * x[i]", {"i": 3, "j": 4, "m": M, "x": X}, ()),
        ("x[i] = x[k[i]] + x[k[i - 1]]", {"i": 3, "k": np.zeros(9, int), "x": X}, ()),
        ("o.x[i] = o.x[i] * 2 + o.m[i, j]", {"i": 3, "j": 4, "o": OBJECT}, ("o.x", "o.m")),
        ("x[i] = x[i] * x.shape[0] + x.size", {"i": 3, "x": X}, ()),
    ],
)
def test_elements_are_no_arrays(text: str, roots: dict[str, Any], paths: tuple[str, ...]) -> None:
    assert glance(text, roots, paths) == (False, False)


@pytest.mark.parametrize(
    ("text", "roots", "paths"),
    [
        ("y = np.sin(x) * 2", {"np": np, "x": X}, ()),
        ("y[:] = x[:, None] - x[None, :]", {"x": X, "y": X}, ()),
        ("y = np.exp(x[:, np.newaxis]) * x[np.newaxis]", {"np": np, "x": X}, ()),
        ("y = np.sin(x[...]) * 2", {"np": np, "x": X}, ()),
        ("y = m[None, i] * 2 + m[..., 0]", {"i": 3, "m": M}, ()),
        ("m[i] = m[i] * 2", {"i": 3, "m": M}, ()),
        ("m[i] += m[j]", {"i": 3, "j": 4, "m": M}, ()),
        ("y = np.sin(m.T) + m.T", {"np": np, "m": M}, ()),
        ("y = x[s] * 2", {"s": slice(None), "x": X}, ()),
        ("y = x[s] * 2", {"s": None, "x": X}, ()),
        ("y = x[s] * 2", {"s": [1, 2], "x": X}, ()),
        ("y = m[s] * 2", {"s": (1,), "m": M}, ()),
        ("y = x[k] * 2", {"k": np.zeros(SIZE, int), "x": X}, ()),
        ("k = f(1)\ny = x[k] * 2", {"f": slice, "x": X}, ()),
        ("y = x[f(1)] * 2", {"f": slice, "x": X}, ()),
        ("y = x[x > 0] * 2", {"x": X}, ()),
        ("y = f(x) + x[0]", {"f": len, "x": X}, ()),
        ("s = sum(v * v for v in x)", {"sum": sum, "x": X}, ()),
        ("y = [x[i] * 2 for i in range(len(x))]", {"x": X, "range": range, "len": len}, ()),
        ("y = o.m[i] * 2", {"i": 3, "o": OBJECT}, ("o.m",)),
        ("y = o.x * 2", {"o": OBJECT}, ("o.x",)),
    ],
)
def test_arrays_are(text: str, roots: dict[str, Any], paths: tuple[str, ...]) -> None:
    assert glance(text, roots, paths) == (True, True)


def test_one_use_as_a_whole_is_enough() -> None:
    (node,) = ast.parse("y[i] = x[i, j] * x[i] + z.sum()").body
    names = ("x", "y", "z", "i", "j", "nowhere")
    assert depths((node,), names) == (1, 1, 0, 0, 0, 0)
