"""Arrays that a nest makes: allocated before it runs, handed out when it is done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from autopar.nest.ir import Nest
from autopar.runtime import interval
from autopar.runtime.decide import State, environment
from autopar.runtime.facts import Values
from autopar.runtime.site import UNSET
from autopar.verdict import Reason, Refusal, Refused, Span


def with_locals(values: Values, state: State) -> Values:
    """`values`, and room for the arrays of the nest.

    Raises
    ------
    Refused
        Where there is no room.
    """
    arrays, known = dict(values.arrays), dict[tuple[int, ...], interval.Env | None]()
    where = Span(state.typed.nest.file, state.typed.nest.loop.line)
    env = environment(state.ints, values)
    try:
        for local in state.locals:
            if local.initial is not None:
                arrays[local.path] = arrays[local.initial].copy()
                continue
            shape = []
            for extent in local.extents:
                inner = interval.inside(local.scope, env, known)
                sizes = (0, 0) if inner is None else interval.interval(extent, inner)
                if sizes is None:
                    raise Refused(Refusal(Reason.WRONG_RANK, where, local.path.strip("<>")))
                shape.append(max(sizes[1], 0))
            arrays[local.path] = np.empty(shape, state.typed.array(local.path).dtype)
    except (MemoryError, ValueError):  # more elements than NumPy can count
        raise Refused(Refusal(Reason.NO_MEMORY, where, "")) from None
    return replace(values, arrays=arrays)


def with_arrays(results: tuple[Any, ...], nest: Nest, values: Values) -> tuple[Any, ...]:
    """`results` with the arrays themselves in place of the flags that they were made."""
    made = {local.flag: local.path for local in nest.locals}
    found = [
        values.arrays[made[name]] if name in made and value is not UNSET else value
        for name, value in zip(nest.live_out, results, strict=True)
    ]
    for turn in nest.turns:
        if found[turn.position] is not UNSET:
            found[turn.position] = values.value(turn.after[found[turn.position]])
    for row in nest.rows:
        if found[row.position] is not UNSET:
            before = (slice(None),) * row.axis
            place = found[row.position]
            items = values.lists.value(row.path)
            found[row.position] = (
                values.arrays[row.path][(*before, place)] if items is None else items[place]
            )
    return tuple(found)
