"""Python integers at the call: exact values, ranges, and trip counts of plain expressions.

A plain expression is made of literals, parameters, extents and loop variables.  Everything is
computed in Python integers, so nothing overflows here.
"""

from __future__ import annotations

from collections.abc import Mapping

from autopar.deps.data import highest, lowest
from autopar.kernel import Claim
from autopar.nest.ir import (
    Binary,
    Call,
    Const,
    Dim,
    Expr,
    For,
    Load,
    Name,
    Unary,
    walk,
)

Range = tuple[int, int]
Env = Mapping[str, Range]


def extent(array: str, axis: int) -> str:
    """The name under which the extent of an array goes in an environment."""
    return f"{array}.shape[{axis}]"


def width(array: str) -> str:
    """The name under which the range of an index array's dtype goes in an environment."""
    return f"width({array})"


def interval(expr: Expr, env: Env) -> Range | None:
    """Smallest and largest value of `expr`, or None when something in it is not known."""
    found = _interval(expr, env)
    if found is not None and isinstance(expr, Binary | Unary):
        for inner in walk(expr):
            # NumPy's integers wrap: what does not fit the narrowest of them may be anything.
            if isinstance(inner, Load) and not _contains(env[width(inner.array)], found):
                return None
    return found


def _contains(outer: Range, inner: Range) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _interval(expr: Expr, env: Env) -> Range | None:
    match expr:
        case Const(value=bool()):
            return None
        case Const(value=int(value)):
            return value, value
        case Name(id=name):
            return env.get(name)
        case Load(array=array):
            low, high = env.get(lowest(array)), env.get(highest(array))
            return None if low is None or high is None else (low[0], high[1])
        case Dim(array=array, axis=axis):
            return env.get(extent(array, axis or 0))
        case Unary(op=op, operand=operand):
            found = interval(operand, env)
            if found is None or op not in ("-", "+"):
                return None
            return found if op == "+" else (-found[1], -found[0])
        case Binary(op=op, left=left, right=right):
            a, b = interval(left, env), interval(right, env)
            return None if a is None or b is None else _binary(op, a, b)
        case Call(func=func, args=args):
            found_args = [interval(arg, env) for arg in args]
            known = [r for r in found_args if r is not None]
            # By name: the call has been found to mean the builtins of these names.
            if len(known) != len(args) or len(args) < 2 or func not in ("min", "max"):
                return None
            best = min if func == "min" else max
            return best(r[0] for r in known), best(r[1] for r in known)
    return None


def _binary(op: str, a: Range, b: Range) -> Range | None:
    match op:
        case "+":
            return a[0] + b[0], a[1] + b[1]
        case "-":
            return a[0] - b[1], a[1] - b[0]
        case "*":
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        case "//" if b[0] > 0:
            corners = [x // y for x in a for y in b]
            return min(corners), max(corners)
        case "%" if b[0] > 0:
            return a if a[0] >= 0 and a[1] < b[0] else (0, b[1] - 1)
    return None


def value(expr: Expr, env: Env) -> int | None:
    """The one value of `expr`, or None."""
    found = interval(expr, env)
    return found[0] if found is not None and found[0] == found[1] else None


def loop_range(loop: For, env: Env) -> Range | None:
    """Smallest and largest value of the loop variable; empty ranges come out with low > high."""
    start, stop, step = (interval(e, env) for e in (loop.start, loop.stop, loop.step))
    if start is None or stop is None or step is None:
        return None
    if step[0] > 0:
        return start[0], stop[1] - 1
    if step[1] < 0:
        return stop[0] + 1, start[1]
    return min(start[0], stop[0] + 1), max(start[1], stop[1] - 1)


def holds(claim: Claim, env: Env) -> bool:
    """Whether the claim is true of these parameters."""
    inner = dict(env)
    for loop in claim.scope:
        found = loop_range(loop, inner)
        if found is None:
            inner.pop(loop.var, None)
            continue
        if found[0] > found[1]:
            return True  # the loop does not run, so nothing inside is computed
        inner[loop.var] = found
    found = interval(claim.expr, inner)
    if found is None or found[0] < claim.low or found[1] > claim.high:
        return False
    return not claim.nonzero or found[0] > 0 or found[1] < 0


def trips(loop: For, env: Env) -> int | None:
    """Number of iterations, when it is the same at every entry."""
    start, stop, step = (value(e, env) for e in (loop.start, loop.stop, loop.step))
    if start is None or stop is None or not step:
        return None
    return len(range(start, stop, step))
