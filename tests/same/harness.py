"""Runs one loop both ways and compares: the interpreter is the truth."""

from __future__ import annotations

import builtins
import pickle
from typing import Any

from autopar import journal
from autopar.kernel import SiteSpec
from autopar.nest.text.lift import lift_text
from autopar.runtime.site import Site


def site(source: str) -> Site:
    """A site for the loop that ends `source`, as the hook would make it."""
    nest = lift_text(source)
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
    here = site(source)
    space = {**vars(builtins), **names}
    found = here.run(tuple(space[root] for root in here.spec.roots))
    return here, None if found is None else dict(zip(here.spec.live_out, found, strict=True))
