"""What loops are likely to cost at a call: guesses, on which only time depends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Expr,
    For,
    If,
    Name,
    Stmt,
    Unary,
    While,
    expressions,
    walk,
)
from autopar.runtime.interval import Env, extent, interval, loop_range
from autopar.sched.plan import Branch, Loop, Node

_UNKNOWN_TRIPS = 100.0


def operations(stmts: Iterable[Stmt], env: Mapping[str, float]) -> float:
    """Rough number of operations in `stmts`; loop variables count at the middle of their range."""
    total = 0.0
    for stmt in stmts:
        total += sum(1 for top in expressions(stmt) for _ in walk(top))
        match stmt:
            case Assign():
                total += 1
            case If(body=body, orelse=orelse):
                total += max(operations(body, env), operations(orelse, env))
            case While(body=body):
                total += _UNKNOWN_TRIPS * operations(body, env)
            case For():
                count, middle = middle_trips(stmt, env)
                inner = {**env, stmt.var: middle}
                total += count * (1 + operations(stmt.body, inner))
    return total


def usual_trips(loop: For) -> str:
    """The name under which an estimated trip count goes in an environment."""
    return f"trips of loop {loop.id}"


def middle_trips(loop: For, env: Mapping[str, float]) -> tuple[float, float]:
    """Estimated trip count and middle value of the loop variable."""
    known = env.get(usual_trips(loop))
    if known is not None:
        return known, 0.0
    start, stop, step = (_estimate(e, env) for e in (loop.start, loop.stop, loop.step))
    if start is None or stop is None or not step:
        return _UNKNOWN_TRIPS, 0.0
    return max(0.0, (stop - start) / step), (start + stop) / 2


_LARGE = 1e15  # beyond, an estimate is not worth an overflow


def _estimate(expr: Expr, env: Mapping[str, float]) -> float | None:
    match expr:
        case Const(value=int() | float() as found):
            return found
        case Name(id=name):
            return env.get(name)
        case Dim(array=array, axis=axis):
            return env.get(extent(array, axis or 0))
        case Unary(op="-", operand=operand):
            inner = _estimate(operand, env)
            return None if inner is None else -inner
        case Binary(op=op, left=left, right=right):
            a, b = _estimate(left, env), _estimate(right, env)
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
            known = [v for v in (_estimate(a, env) for a in args) if v is not None]
            if known and func in ("int", "round", "abs", "float"):
                return known[0]
            if known and func.endswith("sqrt") and known[0] >= 0:
                return float(known[0] ** 0.5)
            if known and func in ("min", "max"):
                return min(known) if func == "min" else max(known)
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
_SLOW = 300  # operations that a call, a power or a remainder may be worth


def pace(nest: For, env: Env) -> Pace:
    """The pace of the loops in `nest`, which decides where they can be interrupted.

    Not the estimate of `operations`, which is right on average, but a bound: of
    ``range(abs(i - m))`` the middle of `i` says nothing.
    """
    brief: set[int] = set()
    lengthy: set[int] = set()

    def work(stmts: Iterable[Stmt], env: Env) -> float:
        total = 0.0
        for stmt in stmts:
            total += 1 + sum(_weight(e) for top in expressions(stmt) for e in walk(top))
            match stmt:
                case For():
                    inner = dict(env)
                    inner.pop(stmt.var, None)
                    found = loop_range(stmt, env)
                    if found is not None:
                        inner[stmt.var] = found
                    once = 1 + work(stmt.body, inner)
                    # The step of a range is at least 1, whatever it is.
                    least = _least_step(stmt, env)
                    count = math.inf if found is None else max(0, found[1] - found[0] + 1) / least
                    if once <= _SHORT:
                        brief.add(stmt.id)
                    if count and count * once > _LENGTHY:
                        lengthy.add(stmt.id)
                    total += count * once if count else 0.0
                case While():
                    work(stmt.body, env)
                    total = math.inf
                case If(body=body, orelse=orelse):
                    total += max(work(body, env), work(orelse, env))
        return total

    whole = work((nest,), env)
    return Pace(frozenset(brief), frozenset(lengthy), whole)


def _weight(expr: Expr) -> int:
    slow = isinstance(expr, Call) or (isinstance(expr, Binary) and expr.op in ("%", "//", "**"))
    return _SLOW if slow else 1


def _least_step(loop: For, env: Env) -> int:
    found = interval(loop.step, env)
    if found is None or found[0] <= 0 <= found[1]:
        return 1
    return min(abs(found[0]), abs(found[1]))


def launches(nodes: Iterable[Node], env: Mapping[str, float]) -> float:
    """Estimated number of parallel regions that are started for `nodes`."""
    total = 0.0
    for node in nodes:
        if isinstance(node, Loop) and node.parallel:
            total += 1
        elif isinstance(node, Loop):
            count, middle = middle_trips(node.loop, env)
            total += count * launches(node.body, {**env, node.loop.var: middle})
        elif isinstance(node, Branch):
            total += max(launches(block, env) for block in (node.body, node.orelse))
    return total
