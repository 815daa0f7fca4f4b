"""Python integers at the call: exact values, ranges, and trip counts of plain expressions.

A plain expression is made of literals, parameters, extents and loop variables.  Everything is
computed in Python integers, so nothing overflows here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from autopar.deps.data import highest, lowest
from autopar.kernel import Claim
from autopar.nest.ir import Binary, Call, Const, Dim, Expr, For, Load, Name, Unary
from autopar.nest.walking import walk

Range = tuple[int, int]
Env = Mapping[str, Range]


def extent(array: str, axis: int) -> str:
    """The name under which the extent of an array goes in an environment."""
    return f"{array}.shape[{axis}]"


SEEN = "<index arrays>"
"""In an environment where ranges of index arrays are."""


def width(array: str) -> str:
    """The name under which the range of an index array's dtype goes in an environment."""
    return f"width({array})"


def interval(expr: Expr, env: Env) -> Range | None:
    """Smallest and largest value of `expr`, or None when something in it is not known."""
    # Dozens of these are asked for at a call: `isinstance` is much faster than `match`.
    if isinstance(expr, Name):
        return env.get(expr.id)
    if isinstance(expr, Const):
        number = expr.value
        return (number, number) if type(number) is int else None
    if isinstance(expr, Binary):
        a = interval(expr.left, env)
        b = None if a is None else interval(expr.right, env)
        found = None if a is None or b is None else _binary(expr.op, a, b)
        return None if found is None or _wraps(expr, found, env) else found
    match expr:
        case Load(array=array):
            low, high = env.get(lowest(array)), env.get(highest(array))
            return None if low is None or high is None else (low[0], high[1])
        case Dim(array=array, axis=axis):
            return env.get(extent(array, axis or 0))
        case Unary(op=op, operand=operand):
            found = interval(operand, env)
            if found is None or op not in ("-", "+"):
                return None
            found = found if op == "+" else (-found[1], -found[0])
            return None if _wraps(expr, found, env) else found
        case Call(func=func, args=args):
            found_args = [interval(arg, env) for arg in args]
            known = [r for r in found_args if r is not None]
            # By name: the call has been found to mean the builtins of these names; <min> is ours.
            name = func.strip("<>")
            if len(known) != len(args) or len(args) < 2 or name not in ("min", "max"):
                return None
            best = min if name == "min" else max
            return best(r[0] for r in known), best(r[1] for r in known)
    return None


def _wraps(expr: Expr, found: Range, env: Env) -> bool:
    """Whether `found` may not fit the narrowest of the index arrays that `expr` is made of.

    NumPy's integers wrap: then it may be anything.
    """
    if SEEN not in env:
        return False
    for inner in walk(expr):
        if isinstance(inner, Load):
            held = env.get(width(inner.array))
            if held is None or found[0] < held[0] or held[1] < found[1]:
                return True
    return False


def _binary(op: str, a: Range, b: Range) -> Range | None:
    if op == "+":
        return a[0] + b[0], a[1] + b[1]
    if op == "-":
        return a[0] - b[1], a[1] - b[0]
    match op:
        case "*":
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        case "//" if b[0] > 0:
            corners = [x // y for x in a for y in b]
            return min(corners), max(corners)
        case "%" if b[0] > 0:
            if b[0] == b[1] and a[0] // b[0] == a[1] // b[0]:
                return a[0] % b[0], a[1] % b[0]
            return a if a[0] >= 0 and a[1] < b[0] else (0, b[1] - 1)
    return None


def value(expr: Expr, env: Env) -> int | None:
    """The one value of `expr`, or None."""
    found = interval(expr, env)
    return found[0] if found is not None and found[0] == found[1] else None


def loop_range(loop: For, env: Env) -> Range | None:
    """Smallest and largest value of the loop variable; empty ranges come out with low > high."""
    start = interval(loop.start, env)
    stop = None if start is None else interval(loop.stop, env)
    step = None if stop is None else interval(loop.step, env)
    if start is None or stop is None or step is None:
        return None
    if step[0] > 0:
        return start[0], stop[1] - 1
    if step[1] < 0:
        return stop[0] + 1, start[1]
    return min(start[0], stop[0] + 1), max(start[1], stop[1] - 1)


def within(env: Env, var: str, found: Range | None) -> dict[str, Range]:
    """`env` in a loop over `var`, whose range is `found` if it is known."""
    inner = dict(env)
    if found is None:
        inner.pop(var, None)
    else:
        inner[var] = found
    return inner


Inner = dict[tuple[int, ...], Env | None]  # by the loops around; None: they do not run


def failing(claims: Iterable[Claim], env: Env, known: Inner) -> Claim | None:
    """The first of `claims` that is not true of these parameters.

    Claims stand in the same few loops: what is in `known` of these parameters is used and added to.
    """
    return next((claim for claim in claims if not holds(claim, env, known)), None)


def holds(claim: Claim, env: Env, known: Inner | None = None) -> bool:
    """Whether the claim is true of these parameters."""
    inner = inside(claim.scope, env, {} if known is None else known)
    if inner is None:
        return True  # a loop does not run, so nothing inside is computed
    found = interval(claim.expr, inner)
    if found is None or found[0] < claim.low or found[1] > claim.high:
        return False
    return not claim.nonzero or found[0] > 0 or found[1] < 0


def inside(scope: Sequence[For], env: Env, known: Inner) -> Env | None:
    """`env` in the loops `scope`; None where they do not run."""
    if not scope:
        return env
    key = tuple([id(loop) for loop in scope])
    if key not in known:
        around = inside(scope[:-1], env, known)
        found = None if around is None else loop_range(scope[-1], around)
        runs = around is not None and (found is None or found[0] <= found[1])
        known[key] = within(around, scope[-1].var, found) if around is not None and runs else None
    return known[key]


def trips(loop: For, env: Env) -> int | None:
    """Number of iterations, when it is the same at every entry."""
    start, stop, step = (value(e, env) for e in (loop.start, loop.stop, loop.step))
    if start is None or stop is None or not step:
        return None
    # Of any size: `len` of a range must fit 64 bits.
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)
