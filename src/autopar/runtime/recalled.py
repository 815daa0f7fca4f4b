"""What was found at earlier calls, by what a glance shows of them, and what index arrays held then.

A glance shows that two calls are asked the same, but not what is in their arrays.  Of index arrays
that may decide what is chosen, so small ones are compared with copies: those that were looked at
then, and that kernels read in their place (`choice.contents`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from autopar.records import dataclass
from autopar.runtime.choice.contents import equal
from autopar.runtime.choice.variants import Choice, Known
from autopar.runtime.run.repeat import Repeat
from autopar.runtime.values.again import Array, Glance, Seen
from autopar.runtime.values.facts import Aliases

if TYPE_CHECKING:
    from autopar.runtime.engine import Engine

_GLANCED = 1 << 16  # bytes of index arrays that are compared with what they held

Looked: TypeAlias = tuple[tuple[int, Array], ...]
"""Places of index arrays among those of a call, and the copies that kernels read."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was chosen at a call, and how to run it again.

    Attributes
    ----------
    looked
        For other contents than these, something else may have to be chosen.
    """

    choice: Choice
    repeat: Repeat | None
    looked: Looked

    def read(self, arrays: Sequence[Array]) -> Sequence[Array] | None:
        """`arrays` as kernels read them; None where one holds something else than it did."""
        if not self.looked:
            return arrays
        read = list(arrays)
        for place, copy in self.looked:
            if not equal(arrays[place], copy):
                return None
            read[place] = copy
        return read


class Earlier:
    """What was found at calls that look alike: a state, and by how arrays share memory, choices.

    Such calls are alike in whether all arrays are `owning` their memory.  The `functions` are kept,
    since calls are told apart by their numbers.
    """

    __slots__ = ("choices", "forgotten", "functions", "owning", "state")

    def __init__(self, state: Known | Engine, owning: bool, functions: tuple[object, ...]) -> None:
        self.state, self.owning, self.functions = state, owning, functions
        self.forgotten = state.forgotten if isinstance(state, Known) else 0
        self.choices: dict[Aliases, Found] = {}


def looked_at(
    glance: Glance | None, indices: Collection[str], seen: Seen, read: Mapping[str, Array]
) -> Looked | None:
    """Copies of index arrays that were looked at at a call.

    None where something may have been chosen for what others hold, or nobody knows whether it was;
    and where they are so large that a glance at them would not be one.

    Parameters
    ----------
    indices
        Paths of all index arrays.
    read
        What kernels read for each array that is `seen`, by its path.
    """
    if not indices:
        return ()
    assert glance is not None
    found: list[tuple[int, Array]] = []
    for place, (path, array) in enumerate(zip(glance.arrays, seen[1], strict=True)):
        if read[path] is not array:
            if path not in indices:
                return None
            found.append((place, read[path]))
    size = sum(copy.nbytes for _, copy in found)
    return tuple(found) if found and size <= _GLANCED else None
