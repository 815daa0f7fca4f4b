"""What a nest keeps in sets and queues of its own, and what dictionaries have, in lists."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from autopar.nest.text import levels, queues, sets
from autopar.nest.text.ahead import counted
from autopar.nest.text.views import with_views


def in_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with lists in place of these.

    Parameters
    ----------
    live
        Whether a name may be read after `nodes`.
    """
    made = levels.as_lists(with_views(nodes), live)
    return sets.as_lists(queues.as_lists(counted(made), live), live)
