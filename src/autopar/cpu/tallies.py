"""Integers that loops count up or down in small steps, which need no look at each of them.

Python's integers have no end, and those of kernels do: each sum is checked, which keeps loops from
becoming vector instructions.  One that is set to small numbers, and changed by a few at a time,
and that is far from the ends of 64 bits where a loop begins, would take years to come to them.
"""

from __future__ import annotations

from autopar.nest.ir import Assign, Binary, Const, Expr, For, Name
from autopar.nest.walking import inside

INTEGER = frozenset(("int",))
"""The kind of what is never anything but one of Python's integers."""
FAR = 2**61
"""Where a loop begins, counters are smaller: as many steps more would be needed."""
_STEPS = 64  # by so much they change in an iteration, at the most: 2**55 iterations
_SMALL = 2**31


def tallies(loop: For) -> frozenset[str]:
    """Scalars that are only counted in `loop`, if they are integers."""
    steps: dict[str, int] = {}
    other = {loop.var}
    for stmt in inside(loop.body):
        match stmt:
            case Assign(target=Name(id=name), value=value):
                step = _step(name, value)
                if step is None:
                    other.add(name)
                else:
                    steps[name] = steps.get(name, 0) + step
            case For(var=name):
                other.add(name)
    return frozenset(name for name, step in steps.items() if 0 < step <= _STEPS) - other


def counts(expr: Expr, known: frozenset[str]) -> bool:
    """Whether `expr` is one of the `known` counters and a small number."""
    return any(_step(name, expr) for name in known)


def _step(name: str, value: Expr) -> int | None:
    """By how much ``name = value`` counts; 0 where it begins anew; None where it does not."""
    match value:
        case Const(value=int() as start) if abs(start) <= _SMALL:
            return 0
        case Binary(op="+" | "-", left=Name(id=read), right=Const(value=int() as by)):
            pass
        case Binary(op="+", left=Const(value=int() as by), right=Name(id=read)):
            pass
        case _:
            return None
    return abs(by) if read == name and abs(by) <= _STEPS else None
