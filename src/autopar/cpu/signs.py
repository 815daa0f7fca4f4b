"""Numbers that cannot be negative, or zero, whatever they are computed from.

``math.sqrt(dx * dx + dy * dy)`` raises for negative numbers, which no sum of squares is: nothing
needs to be looked at, and nothing undone.  A nan counts as neither, as in comparisons.  ``-0.0``
counts as negative: NumPy divides by it, and what that gives is negative.
"""

from __future__ import annotations

from collections.abc import Collection

from autopar.nest.ir import Binary, Call, Const, Expr, Name, Unary
from autopar.nest.show import text
from autopar.nest.typed.types import Typed, kind_of
from autopar.nest.walking import walk

_EXACT = frozenset(("int", "float", "np.float64", "np.float32"))
"""Types whose results have the sign that mathematics says: they do not wrap."""


def nonnegative(expr: Expr, typed: Typed, known: Collection[str]) -> bool:
    """Whether `expr` never has a sign, unless it is nan; of scalars among `known`, that is so.

    Rounding to nearest is monotonic, so no sum or product of such numbers gets below zero.
    """
    if not kind_of(typed, expr) <= _EXACT:
        return False
    match expr:
        case Const(value=value):
            return not isinstance(value, complex) and (value > 0 or str(value) in ("0", "0.0"))
        case Name(id=name):
            return name in known
        case Binary(op="*", left=left, right=right) if _same(left, right):
            return kind_of(typed, left) <= _EXACT
        case Binary(op="+" | "*" | "/", left=left, right=right):
            return nonnegative(left, typed, known) and nonnegative(right, typed, known)
        case Binary(op="**", left=left, right=Const(value=2)):
            return kind_of(typed, left) <= _EXACT
        case Unary(op="+", operand=operand):
            return nonnegative(operand, typed, known)
        case Call(func=func, args=args):
            function = dict(typed.calls).get(func)
            if function is None or not all(kind_of(typed, arg) <= _EXACT for arg in args):
                return False
            if function.form == "abs":
                return True
            if function.form not in ("libm", "ufunc"):
                return False
            if function.name == "sqrt":  # that of -0.0 is -0.0
                return nonnegative(args[0], typed, known)
            return function.name in ("exp", "fabs", "hypot")
    return False


def positive(expr: Expr, typed: Typed, known: Collection[str]) -> bool:
    """Whether ``expr <= 0`` is never true."""
    if not kind_of(typed, expr) <= _EXACT:
        return False
    match expr:
        case Const(value=value):
            return not isinstance(value, complex) and value > 0
        case Binary(op="+", left=left, right=right):
            one, other = positive(left, typed, known), positive(right, typed, known)
            # A sum is zero only if both numbers are: rounding never makes it so.
            return (one and (other or nonnegative(right, typed, known))) or (
                other and nonnegative(left, typed, known)
            )
    return False


def _same(one: Expr, other: Expr) -> bool:
    """Whether both are surely the same number: no call is among them."""
    return text(one) == text(other) and not any(isinstance(part, Call) for part in walk(one))
