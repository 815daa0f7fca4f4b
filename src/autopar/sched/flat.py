"""Nests of parallel loops whose iterations all go to work items of a device, as one range.

    parallel for i in range(n):                 parallel for t in range(n * m):
        parallel for j in range(m):                 i, j = t // m, t % m
            a[i, j] = b[j, i]                       a[i, j] = b[j, i]

A processor has few threads, for which the outermost loop is enough; a device has thousands, and
reads what neighbouring work items want from memory at once where it lies side by side.

References
----------
C. Polychronopoulos, "Loop coalescing: a compiler transformation for parallel machines", ICPP 1987.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autopar.nest.flow import names, written
from autopar.nest.ir import Const, Element, For
from autopar.nest.walking import accesses
from autopar.records import replace
from autopar.sched.bands import any_order, chain, harmless, unit
from autopar.sched.plan import Loop, Plan, whole, with_launched


def flattened(plan: Plan) -> Plan:
    """`plan` with the loops marked that are one range with parallel ones in them."""
    return replace(plan, body=with_launched(plan.body, _marked))


def _marked(outer: Loop) -> Loop:
    return replace(outer, flat=_flat(outer))


def _flat(outer: Loop) -> int:
    """How many of the loops in `outer` have ranges that do not depend on those around them.

    Each of them stands alone in the one around it.
    """
    if not any_order(outer) or outer.cut or not _counts(outer):
        return 0
    changed = written((whole(outer),))
    inner = 0
    for loop in chain(outer)[1:]:
        bounds = (loop.loop.start, loop.loop.stop)
        if not _counts(loop) or names(bounds) & changed or not all(map(harmless, bounds)):
            break
        inner += 1
    return inner


def _counts(loop: Loop) -> bool:
    """Whether it has a step that is known, and nothing assigns its variable."""
    head, step = loop.loop, loop.loop.step
    known = isinstance(step, Const) and type(step.value) is int and step.value != 0
    return (
        known and not head.fold and not head.product and head.var not in written(whole(loop).body)
    )


def by_memory(loops: Sequence[For], layouts: Mapping[str, str]) -> tuple[For, ...]:
    """`loops`, which are one range in any order, with that last along which cells lie side by side.

    Parameters
    ----------
    layouts
        Of each array: ``"C"`` where its last axis is dense, ``"F"`` where its first one is.

    Notes
    -----
    Stores count twice: a device writes whole lines of memory.  Where nothing is gained the order
    stays.
    """
    weights = dict.fromkeys((loop.var for loop in loops), 0)
    for _, access in accesses(loops[-1]):
        dense = {"C": -1, "F": 0}.get(layouts.get(access.array, ""))
        if dense is None:
            continue
        others = access.index[:-1] if dense else access.index[1:]
        for var in weights:
            if unit(access.index[dense], var) and var not in names(others):
                weights[var] += 2 if isinstance(access, Element) else 1
    best = max(loops, key=lambda loop: (weights[loop.var], loop is loops[-1]))
    return (*(loop for loop in loops if loop is not best), best)
