"""Runs one loop both ways and compares: the interpreter is the truth."""

from __future__ import annotations

import builtins
import pickle
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from autopar import journal
from autopar.nest.text.lift import lift_text
from autopar.records import replace
from autopar.runtime.site import Site
from autopar.site_spec import SiteSpec


def site(source: str, seen: bool = True) -> Site:
    """A site for the loop that ends `source`, as the hook would make it.

    Parameters
    ----------
    seen
        Whether somebody sees what variables are left with.
    """
    nest = lift_text(source)
    if not seen:
        nest = replace(nest, live_out=())
    journal.clear()
    spec = SiteSpec(
        nest.file, nest.loop.line, nest.function, nest.roots, nest.live_out,
        pickle.dumps(nest), source, None,
    )  # fmt: skip
    return Site(spec, None)


def run(source: str, **names: Any) -> tuple[Site, dict[str, Any] | None]:
    """Run the loop on `names` under AUTOPAR_VERIFY (see ``tests/conftest.py``).

    Returns
    -------
    Site
        For its journal record.
    dict or None
        The live-out values, or None when the interpreter was left to run it.
    """
    return _run(site(source), names)


def run_unseen(source: str, **names: Any) -> tuple[Site, dict[str, Any] | None]:
    """`run`, where nobody sees what variables are left with: arrays alone."""
    return _run(site(source, seen=False), names)


def _run(here: Site, names: Mapping[str, Any]) -> tuple[Site, dict[str, Any] | None]:
    space = {**vars(builtins), **names}
    found = here.run(tuple(space[root] for root in here.spec.roots))
    return here, None if found is None else dict(zip(here.spec.live_out, found, strict=True))


def same_warnings(source: str, array: np.ndarray[Any, Any], **names: Any) -> Site:
    """Assert that the loop leaves in a copy of `array`, its ``a``, and says what Python does."""
    made = array.copy(), array.copy()
    said: list[list[tuple[str, int]]] = []
    for a in made:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            if a is made[0]:
                exec(compile(source, "<text>", "exec"), {"a": a, **names})
            else:
                here, _ = run_unseen(source, a=a, **names)
        said.append([(str(w.message), w.lineno) for w in caught])
    assert sorted(said[0]) == sorted(said[1])
    assert made[0].tobytes() == made[1].tobytes() or np.isnan(made[0]).any()
    return here
