"""What loops are likely to cost at a call: guesses, on which only time depends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from autopar.nest.flow import names
from autopar.nest.ir import ONCE, Binary, Call, Const, Dim, Expr, For, Name, Unary
from autopar.records import dataclass
from autopar.runtime.choice.interval import Env, extent, interval, loop_range, within
from autopar.runtime.choice.outline import EMPTIED, Outline
from autopar.sched.plan import Branch, Loop, Node

_UNKNOWN_TRIPS = 100.0
_INNER_TRIPS = 10.0  # of one that stands in another of these
WHILES = "<whiles>"
"""The name for how often a ``while`` in no other loop is likely to run, if that is known."""


def operations(part: Outline, env: Mapping[str, float]) -> float:
    """Rough number of operations in `part`; loop variables count at the middle of their range."""
    return _total(part, env, _operations)


def interpreted_s(part: Outline, env: Mapping[str, float], op_s: float, light_op_s: float) -> float:
    """Seconds that the interpreter is likely to take for `part`, with what NumPy takes in it.

    Parameters
    ----------
    op_s, light_op_s
        Of an operation, and of one that is done with Python's own numbers alone.
    """

    def weight(inside: Outline) -> tuple[float, float]:
        own_s = (inside.likely - inside.light) * op_s + inside.light * light_op_s
        return own_s + inside.numpy_s, inside.head * light_op_s

    return _total(part, env, weight)


Weight = Callable[[Outline], tuple[float, float]]
"""What stands in an outline outside loops, and at the head of the loop that it is the body of."""


def _operations(part: Outline) -> tuple[float, float]:
    return part.likely, part.head


def _total(part: Outline, env: Mapping[str, float], weight: Weight) -> float:
    total = weight(part)[0]
    trips = env.get(WHILES, _UNKNOWN_TRIPS)
    for loop, body in part.loops:
        count, middle = middle_trips(loop, env)
        if any(_steps_by(inside, loop.var) for inside in _next_loops(body)):
            middle = _harmonic_middle(loop, env) or middle
        inner = {**env, loop.var: middle}
        if loop.var != ONCE:
            inner.pop(WHILES, None)
        once, head = weight(body)
        if not body.flat:
            once = _total(body, inner, weight)
        total += count * (head + once)
    for limit, body in part.whiles:
        inner = {**env, WHILES: _INNER_TRIPS, EMPTIED.id: _INNER_TRIPS}
        if limit is None:
            count = trips
        elif limit == EMPTIED:
            count = max(trips, env.get(EMPTIED.id, trips))
        else:
            above = estimate(limit, env)
            count = trips if above is None else _root(above)
        total += count * _total(body, inner, weight)
    for one, two in part.branches:
        total += max(_total(one, env, weight), _total(two, env, weight))
    return total


def _next_loops(part: Outline) -> Iterator[For]:
    """The loops in `part`, but for those in other loops."""
    for loop, _ in part.loops:
        yield loop
    for pair in part.branches:
        for one in pair:
            yield from _next_loops(one)


def _steps_by(loop: For, var: str) -> bool:
    return not isinstance(loop.step, Const) and var in names((loop.step,))


def _harmonic_middle(loop: For, env: Mapping[str, float]) -> float | None:
    """The value of the variable of which one part is as large as its parts are on average.

    As in a sieve, where the first steps are by far the shortest: the mean of 1 / x from a to b is
    log(b / a) / (b - a).
    """
    start, stop = estimate(loop.start, env), estimate(loop.stop, env)
    if start is None or stop is None or not 0 < start < stop:
        return None
    return (stop - start) / math.log(stop / start)


def usual_trips(loop: For) -> str:
    """The name under which an estimated trip count goes in an environment."""
    return f"trips of loop {loop.id}"


def middle_trips(loop: For, env: Mapping[str, float]) -> tuple[float, float]:
    """Estimated trip count and middle value of the loop variable."""
    known = env.get(usual_trips(loop))
    if known is not None:
        return known, 0.0
    start, stop = estimate(loop.start, env), estimate(loop.stop, env)
    step = estimate(loop.step, env)
    if step and start is None and stop is not None and stop * step > 0:
        start = stop / 2  # from somewhere between 0 and there
    elif step and stop is None and start is not None and start * step < 0:
        stop = start / 2
    if step is None and stop is not None:  # from one to all of them
        return max(_UNKNOWN_TRIPS, _root(abs(stop))), 0.0
    if start is None or stop is None or not step:
        return _UNKNOWN_TRIPS, 0.0
    return max(0.0, (stop - start) / step), (start + stop) / 2


def _root(square: float) -> float:
    return math.sqrt(max(square, 0.0))


_LARGE = 1e15  # beyond, an estimate is not worth an overflow


def estimate(expr: Expr, env: Mapping[str, float]) -> float | None:
    """Rough value of `expr`, or None where nothing is known of it."""
    if isinstance(expr, Name):  # as in `interval`
        return env.get(expr.id)
    if isinstance(expr, Const):
        return expr.value if isinstance(expr.value, (int, float)) else None
    match expr:
        case Dim(array=array, axis=axis):
            return env.get(extent(array, axis or 0))
        case Unary(op="-", operand=operand):
            inner = estimate(operand, env)
            return None if inner is None else -inner
        case Binary(op=op, left=left, right=right):
            a, b = estimate(left, env), estimate(right, env)
            if a is None or b is None:
                return None
            match op:
                case "+":
                    return a + b
                case "-":
                    return a - b
                case "*":
                    return a * b
                case "/" | "//" if b:
                    return a / b
                # A middle value in an exponent says nothing about the largest one.
                case "**" | "<<" if not isinstance(right, Const):
                    return None
                case "**" if 0 < a < _LARGE and abs(b) * math.log2(a + 1) < 50:
                    return float(a**b)
                case "<<" if 0 <= b < 50 and abs(a) < _LARGE:
                    return float(a * 2.0**b)
        case Call(func=func, args=args):
            known = [v for v in (estimate(a, env) for a in args) if v is not None]
            if known and func in ("int", "round", "abs", "float"):
                return known[0]
            if known and func.endswith("sqrt") and known[0] >= 0:
                return float(known[0] ** 0.5)
            if known and func.strip("<>") in ("min", "max"):
                return min(known) if func.strip("<>") == "min" else max(known)
    return None


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the loops of a nest may take, at the most.

    Attributes
    ----------
    brief
        Ids of the loops whose iterations are short.
    lengthy
        Ids of the loops that may run long enough, each time, to keep somebody waiting.
    work
        Of the nest, in operations; infinite for what nobody can know.
    """

    brief: frozenset[int]
    lengthy: frozenset[int]
    work: float


_SHORT, _LENGTHY = 1e3, 1e7  # operations of an iteration, and of a loop


def pace(nest: Outline, env: Env) -> Pace:
    """The pace of the loops in `nest`, which decides where they can be interrupted.

    Not the estimate of `operations`, which is right on average, but a bound: of
    ``range(abs(i - m))`` the middle of `i` says nothing.
    """
    brief: set[int] = set()
    lengthy: set[int] = set()

    def work(part: Outline, env: Env) -> float:
        total: float = part.most
        for loop, body in part.loops:
            found = loop_range(loop, env)
            once = 1 + (body.most if body.flat else work(body, within(env, loop.var, found)))
            # The step of a range is at least 1, whatever it is.
            count = math.inf
            if found is not None:
                count = max(0, found[1] - found[0] + 1) / _least_step(loop, env)
            if once <= _SHORT:
                brief.add(loop.id)
            if count and count * once > _LENGTHY:
                lengthy.add(loop.id)
            total += count * once if count else 0.0
        for _, body in part.whiles:
            work(body, env)
            total = math.inf
        for one, two in part.branches:
            total += max(work(one, env), work(two, env))
        return total

    whole = work(nest, env)
    return Pace(frozenset(brief), frozenset(lengthy), whole)


def _least_step(loop: For, env: Env) -> int:
    found = interval(loop.step, env)
    if found is None or found[0] <= 0 <= found[1]:
        return 1
    return min(abs(found[0]), abs(found[1]))


def launches(nodes: Iterable[Node], env: Mapping[str, float]) -> float:
    """Estimated number of parallel regions that are started for `nodes`."""
    total = 0.0
    for node in nodes:
        if isinstance(node, Loop) and node.spread:
            total += 1
        elif isinstance(node, Loop) and not node.brief:
            count, middle = middle_trips(node.loop, env)
            total += (min(count, 1) if node.swept else count) * launches(
                node.body, {**env, node.loop.var: middle}
            )
        elif isinstance(node, Branch):
            total += max(launches(block, env) for block in (node.body, node.orelse))
    return total
