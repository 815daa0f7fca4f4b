"""What a nest wants to know of a call: the paths that it reads, and what as."""

from __future__ import annotations

from autopar.nest.ir import Asked, Nest
from autopar.nest.text.asked import questions
from autopar.nest.typed.types import roles
from autopar.nest.walking import buckets, extended, grown, written
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
    buckets
        Lists of lists to whose rows something is appended; see `walking.buckets`.
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
    buckets: tuple[tuple[str, int], ...]
    written: frozenset[str]
    questions: tuple[Asked, ...]


def live_ins(nest: Nest) -> LiveIns:
    """All that is read of a call of `nest`."""
    asked = questions(nest)
    read = grown(nest)
    more = extended(nest) | read
    rows = tuple(buckets(nest).items())
    return LiveIns(*roles(nest), more, read, rows, frozenset(written(nest)), asked)
