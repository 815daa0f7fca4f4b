"""What a nest keeps in lists of its own, and the interpreter finds as something else in the end."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from autopar.nest.ir import Holder, Leaves, Places, leaves_in


class Held(ast.Pass):
    """A statement that does nothing, and says which lists have what a name holds.

    It stands where the name begins, and the interpreter is to find it there in the end; see
    `ir.Holder`.

    Attributes
    ----------
    items
        Names of the lists, as their items are in tuples.
    values, first
        Names of another list, and of a number; empty where there is none.
    """

    def __init__(
        self,
        name: str = "",
        kind: str = "",
        items: Leaves = (),
        values: str = "",
        first: str = "",
    ) -> None:
        super().__init__()
        self.name, self.kind = name, kind
        self.items, self.values, self.first = items, values, first


def handed_out(
    names: Sequence[str], held: Mapping[str, Held]
) -> tuple[tuple[str, ...], tuple[Holder, ...]]:
    """What stands for each of `names`, with what is needed besides behind them; and how."""
    live, holders = list(names), list[Holder]()
    for position, name in enumerate(names):
        if name in held:
            one = held[name]
            parts = [*leaves_in(one.items), *filter(None, (one.values, one.first))]
            more = range(len(live), len(live) + len(parts) - 1)
            at = dict(zip(parts, (position, *more), strict=True))
            live[position], live[len(live) :] = parts[0], parts[1:]
            items, values, first = _placed(one.items, at), at.get(one.values), at.get(one.first)
            holders.append(Holder(position, one.kind, items, values, first))
    return tuple(live), tuple(holders)


def _placed(items: Leaves, at: Mapping[str, int]) -> Places:
    if isinstance(items, str):
        return at[items]
    return tuple(_placed(part, at) for part in items)
