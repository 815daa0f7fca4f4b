"""Sets, dictionaries, queues and lists of tuples that a nest has made, of which it had the items.

They are filled as the interpreter has filled them: in the order in which the items came, so that
they are gone through in the same order later.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence
from typing import Any

from autopar.nest.ir import Holder, Places


def held(holder: Holder, found: Sequence[Any]) -> Any:
    """What `holder` stands for, of what the nest has left behind.

    Parameters
    ----------
    found
        By place, as in `Nest.live_out`: a list in each of those of the holder, and a number.
    """
    items = _items(holder.items, found)
    if holder.values is not None:
        made = _dictionary(holder.kind)
        # Counter has an `update` of its own, which counts.
        dict.update(made, zip(items, _items(holder.values, found), strict=True))
        return made
    if holder.first is not None:
        items = list(items)[found[holder.first] :]
    match holder.kind:
        case "set":
            return set(items)
        case "deque":
            return collections.deque(items)
    assert holder.kind == "list"
    return list(items)


def _dictionary(kind: str) -> dict[Any, Any]:
    match kind:
        case "Counter":
            return collections.Counter()
        case "defaultdict int":
            return collections.defaultdict(int)
        case "defaultdict float":
            return collections.defaultdict(float)
    assert kind == "dict"
    return {}


def _items(places: Places, found: Sequence[Any]) -> Iterable[Any]:
    if isinstance(places, int):
        items: list[Any] = found[places]
        return items
    return zip(*(_items(part, found) for part in places), strict=True)
