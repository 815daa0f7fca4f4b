"""What a nest keeps in sets, queues and heaps of its own, and what dictionaries have, in lists."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from autopar.nest.text import ahead, hashed, heaps, levels, own_names, queues, sets, views
from autopar.nest.text.unfolded import unfolded
from autopar.nest.trees import every

_PARTS = frozenset(("keys", "values", "items"))
_QUEUES = frozenset(("deque", "pop", "popleft"))


def in_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with lists in place of these.

    Parameters
    ----------
    live
        Whether a name may be read after `nodes`.
    """
    words, filled, loops = _words(nodes)  # gone through once: most nests have none of these
    if "yield" in words:  # no nest, and the reason is to be said in the user's words
        return nodes
    if loops > 1:
        nodes = own_names.apart(nodes, live)
    if words & _PARTS:
        nodes = views.with_views(nodes)
    if filled or "append" in words:
        nodes = ahead.counted(levels.as_lists(nodes, live))
    if words & hashed.WORDS:
        nodes = hashed.as_lists(unfolded(nodes), live)
    if words & heaps.WORDS:
        nodes = heaps.as_lists(nodes, live)
    if words & _QUEUES:
        nodes = queues.as_lists(nodes, live)
    return sets.as_lists(nodes, live) if "add" in words else nodes


def _words(nodes: Sequence[ast.stmt]) -> tuple[set[str], bool, int]:
    """Names and attributes in `nodes`, whether a comprehension makes a list there, and loops."""
    words: set[str] = set()
    filled, loops = False, 0
    for node in nodes:
        for part in every(node):
            if isinstance(part, ast.Name):
                words.add(part.id)
            elif isinstance(part, ast.Attribute):
                words.add(part.attr)
            elif isinstance(part, ast.Yield | ast.YieldFrom):
                words.add("yield")
            elif isinstance(part, ast.ListComp):
                filled = True
            elif isinstance(part, ast.For):
                loops += 1
            elif isinstance(part, ast.Set | ast.Dict | ast.SetComp | ast.DictComp):
                words.add("set" if isinstance(part, ast.Set | ast.SetComp) else "dict")
    return words, filled, loops
