"""Two loops as tiles along diagonals: the ranges that make each iteration run once."""

from __future__ import annotations

from collections.abc import Callable

from autopar.nest.flow import names
from autopar.nest.forward import substitute
from autopar.nest.ir import Binary, Call, Const, Dim, Expr, For, Name, Unary
from autopar.nest.typed.types import Typed
from autopar.records import dataclass, replace
from autopar.sched.plan import Loop, Node

ZERO, ONE = Const(0), Const(1)


@dataclass(frozen=True, slots=True)
class Band:
    """A loop directly around another whose iterations may run in tiles.

    In what follows `u` counts `outer`, and `w` counts `inner` plus `skew` times `u`, both in the
    direction in which they run.

    Attributes
    ----------
    outer, inner
        Both run in order; before `inner`, `outer` only assigns scalars of its iteration.
    skew
        Multiple of the outer loop that makes every distance in the inner one non-negative.
    around
        The loops around `outer`, outermost first.
    rows
        Iterations of `outer`; negative where it does not run.
    first, columns
        Least `w`, and how many follow from there, at the most.
    """

    outer: Loop
    inner: Loop
    skew: int
    around: tuple[For, ...]
    rows: Expr
    first: Expr
    columns: Expr


def measured(
    outer: Loop, inner: Loop, skew: int, around: tuple[For, ...], typed: Typed
) -> Band | None:
    """The band of these loops; None where the inner range is not bounded by two of its ends."""
    one, two, up = outer.loop, inner.loop, unit(outer.loop)
    last = minus(one.stop, Const(up))

    def extreme(bound: Expr, sign: int, low: bool) -> Expr | None:
        """What ``sign * bound`` plus the skew comes to at least, or at the most."""
        match bound:
            case Call(func=func, args=args):
                form = dict(typed.calls)[func].form
                parts = [extreme(arg, sign, low) for arg in args]
                if form not in ("min", "max") or None in parts:
                    return None
                best = form if sign > 0 else {"min": "max", "max": "min"}[form]
                return Call(f"<{best}>", tuple(p for p in parts if p is not None), two.line)

        def at(value: Expr) -> Expr:
            here = substitute(bound, {one.var: value})
            return plus(times(here, sign), times(value, skew * up))

        if one.var not in names((bound,)):
            return at(one.start if low else last)
        if not _linear(bound, one.var):
            return None
        return Call("<min>" if low else "<max>", (at(one.start), at(last)), two.line)

    sign = unit(two)
    first, end = extreme(two.start, sign, True), extreme(two.stop, sign, False)
    if first is None or end is None:
        return None
    rows = minus(one.stop, one.start) if up > 0 else minus(one.start, one.stop)
    return Band(outer, inner, skew, around, rows, first, minus(end, first))


def _linear(expr: Expr, var: str) -> bool:
    """Whether `expr` has its extremes at the ends of the range of `var`."""
    match expr:
        case Name() | Const() | Dim():
            return True
        case Unary(operand=operand):
            return _linear(operand, var)
        case Binary(op="+" | "-", left=left, right=right):
            return _linear(left, var) and _linear(right, var)
        case Binary(op="*", left=left, right=right):
            sides = [side for side in (left, right) if var in names((side,))]
            return len(sides) < 2 and all(_linear(side, var) for side in sides)
    return var not in names((expr,))


def unit(loop: For) -> int:
    """The step of `loop` where it is 1 or -1, else 0."""
    match loop.step:
        case Const(value=bool()):
            return 0
        case Const(value=1) | Unary(op="-", operand=Const(value=-1)):
            return 1
        case Const(value=-1) | Unary(op="-", operand=Const(value=1)):
            return -1
    return 0


def plain(expr: Expr, typed: Typed, loops: frozenset[str]) -> bool:
    """Whether `expr` is a Python int of literals, parameters, extents and `loops` only."""

    def inside(expr: Expr) -> bool:
        match expr:
            case Const(value=value):
                return type(value) is int
            case Name(id=name):
                return name in typed.ints or name in loops
            case Dim():
                return True
            case Unary(op="-" | "+", operand=operand):
                return inside(operand)
            case Binary(op="//" | "%", right=right) if not (
                isinstance(right, Const) and type(right.value) is int and right.value > 0
            ):
                return False
            case Binary(op="+" | "-" | "*" | "//" | "%", left=left, right=right):
                return inside(left) and inside(right)
            case Call(func=func, args=args):
                form = dict(typed.calls)[func].form
                return form in ("min", "max") and len(args) > 1 and all(map(inside, args))
        return False

    return inside(expr)


def tiled(band: Band, rows: int, columns: int, fresh: Callable[[], int]) -> Loop:
    """`band` in tiles of so many rows and columns.

    Parameters
    ----------
    fresh
        Gives ids of loops that nothing else has.

    Notes
    -----
    Tiles ``(b, c)`` whose ``b + c`` is the same depend on none of each other: that is the
    wavefront method of Lamport [1]_, on tiles of a band made permutable by skewing [2]_.

    References
    ----------
    .. [1] L. Lamport, "The parallel execution of DO loops", CACM 17(2), 1974.
    .. [2] M. Wolf, M. Lam, "A loop transformation theory and an algorithm to maximize
       parallelism", IEEE TPDS 2(4), 1991.
    """
    one, two = band.outer.loop, band.inner.loop
    pair = tuple(loop.var.strip("<>") for loop in (one, two))
    step, tile = (Name(f"<{' '.join(pair)} {word}>") for word in ("diagonal", "tile"))
    line = one.line

    def loop(var: Name, start: Expr, stop: Expr, body: Node, parallel: bool) -> Loop:
        made = For(var.id, start, stop, ONE, (), fresh(), line)
        return Loop(made, (body,), parallel, stands_for=pair if parallel else ())

    high = _count(band.rows, rows)
    wide = _best("max", ONE, _count(band.columns, columns), line)
    begin = times(tile, rows)
    if unit(one) > 0:
        above = plus(one.start, begin)
        below = _best("min", one.stop, plus(above, Const(rows)), line)
    else:
        above = minus(one.start, begin)
        below = _best("max", one.stop, minus(above, Const(rows)), line)
    # Column w of row u is inner iteration w - skew * u, counted in its direction.
    left = plus(band.first, times(minus(step, tile), columns))
    left = minus(left, times(Name(one.var), band.skew * unit(one)))
    right = plus(left, Const(columns))
    if unit(two) > 0:
        near, far = _best("max", two.start, left, line), _best("min", two.stop, right, line)
    else:
        near = _best("min", two.start, times(left, -1), line)
        far = _best("max", two.stop, times(right, -1), line)
    inner = replace(band.inner, loop=replace(two, start=near, stop=far), stands_for=())
    outer = Loop(
        replace(one, start=above, stop=below), (*band.outer.body[:-1], inner), False, stands_for=()
    )
    low = _best("max", ZERO, minus(plus(step, ONE), wide), line)
    along = loop(tile, low, _best("min", high, plus(step, ONE), line), outer, True)
    return loop(step, ZERO, minus(plus(high, wide), ONE), along, False)


def _count(length: Expr, size: int) -> Expr:
    """Tiles of `size` that `length` takes."""
    return Binary("//", plus(length, Const(size - 1)), Const(size), 0)


def _best(name: str, one: Expr, two: Expr, line: int) -> Expr:
    return Call(f"<{name}>", (one, two), line)


def plus(one: Expr, two: Expr) -> Expr:
    """``one + two``, with literals added up."""
    match one, two:
        case Const(value=int(a)), Const(value=int(b)):
            return Const(a + b)
        case Const(value=0), _:
            return two
        case _, Const(value=int(b)) if b < 0:
            return minus(one, Const(-b))
        case _, Const(value=0):
            return one
        case Binary(op="+", left=left, right=Const(value=int(a))), Const(value=int(b)):
            return plus(left, Const(a + b))
        case Binary(op="-", left=left, right=Const(value=int(a))), Const(value=int(b)):
            return plus(left, Const(b - a))
    return Binary("+", one, two, 0)


def minus(one: Expr, two: Expr) -> Expr:
    """``one - two``, with literals added up."""
    match one, two:
        case Const(value=int(a)), Const(value=int(b)):
            return Const(a - b)
        case Const(value=0), _:
            return times(two, -1)
        case _, Const(value=0):
            return one
        case _, Const(value=int(b)) if b < 0:
            return plus(one, Const(-b))
        case Binary(op="+", left=left, right=Const(value=int(a))), Const(value=int(b)):
            return plus(left, Const(a - b))
        case Binary(op="-", left=left, right=Const(value=int(a))), Const(value=int(b)):
            return minus(left, Const(a + b))
    return ZERO if one == two else Binary("-", one, two, 0)


def times(expr: Expr, factor: int) -> Expr:
    """``expr * factor``."""
    match expr, factor:
        case Const(value=int(a)), _:
            return Const(a * factor)
        case _, 0:
            return ZERO
        case _, 1:
            return expr
        case _, -1:
            return Unary("-", expr, 0)
    return Binary("*", expr, Const(factor), 0)
