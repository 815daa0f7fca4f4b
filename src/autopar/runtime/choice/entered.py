"""Numbers that closed forms of induction variables need, at one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from autopar.deps.data import Analysis
from autopar.nest.ir import Nest
from autopar.nest.show import text
from autopar.nest.walking import accesses
from autopar.records import replace
from autopar.runtime.choice import interval
from autopar.runtime.values.facts import Values
from autopar.verdict import Reason, Refusal, Refused, Span

if TYPE_CHECKING:
    from autopar.nest.typed.induction import Given

_MAX_INT = 2**63 - 1
Words = Mapping[tuple[int, str], str]
"""By statement and the text of an access in it, what the user wrote there."""


def entered(values: Values, given: tuple[Given, ...], nest: Nest) -> Values:
    """`values` and what the closed forms need beside them.

    Raises
    ------
    Refused
        For a number that does not fit 64 bits.
    """
    env = {path: (n, n) for path, n in values.numbers.items() if type(n) is int}
    for path, array in values.arrays.items():
        for axis, size in enumerate(array.shape):
            env[interval.extent(path, axis)] = (size, size)
    numbers = dict(values.numbers)
    for one in given:
        found = interval.value(one.value, env)
        if found is not None and one.step:
            found = max(0, -(-found // one.step))
        if found is None or abs(found) > _MAX_INT:
            where = Span(nest.file, nest.loop.line)
            raise Refused(Refusal(Reason.BIG_INTEGER, where, one.name.strip("<>")))
        numbers[one.name] = found
        env[one.name] = (found, found)
    return replace(values, numbers=numbers)


def words(nest: Nest, ours: Nest) -> Words:
    """What accesses of `ours` are in `nest`, as the user wrote it."""
    written = {access.id: text(access) for _, access in accesses(nest.loop)}
    return {
        (stmt.id, text(access)): written[access.id]
        for stmt, access in accesses(ours.loop)
        if access.id in written
    }


def in_words(found: Analysis, known: Words) -> Analysis:
    """`found` with accesses named as the user wrote them."""
    deps = tuple(
        replace(
            dep,
            source_text=known.get((dep.source, dep.source_text), dep.source_text),
            sink_text=known.get((dep.sink, dep.sink_text), dep.sink_text),
        )
        for dep in found.dependences
    )
    return replace(found, dependences=deps)
