"""What a nest keeps in sets and queues of its own, in lists."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from autopar.nest.text import queues, sets


def in_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with lists in place of these.

    Parameters
    ----------
    live
        Whether a name may be read after `nodes`.
    """
    return sets.as_lists(queues.as_lists(nodes, live), live)
