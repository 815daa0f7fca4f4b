"""What a nest wants to know of a call: the paths that it reads, and what as."""

from __future__ import annotations

from autopar.nest.ir import Asked, Nest
from autopar.nest.text.asked import questions
from autopar.nest.typed.types import roles
from autopar.nest.walking import extended, grown, written
from autopar.records import dataclass


@dataclass(frozen=True, slots=True)
class LiveIns:
    """Paths by what they are used as.

    Attributes
    ----------
    arrays, calls, numbers
        See `types.roles`.
    extended
        Lists that are appended to.
    grown
        Those of which something is read as well.
    written
        Arrays that may be written.
    questions
        What the nest asks.
    """

    arrays: frozenset[str]
    calls: frozenset[str]
    numbers: frozenset[str]
    extended: frozenset[str]
    grown: frozenset[str]
    written: frozenset[str]
    questions: tuple[Asked, ...]


def live_ins(nest: Nest) -> LiveIns:
    """All that is read of a call of `nest`."""
    asked = questions(nest)
    read = grown(nest)
    more = extended(nest) | read
    return LiveIns(*roles(nest), more, read, frozenset(written(nest)), asked)
