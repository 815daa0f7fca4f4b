"""Integer expressions of a nest as affine text over loop variables and parameters.

The text is in isl's notation.  ``@k@`` stands for the variable of the k-th enclosing loop (0 is
the outermost), to be replaced when the relation it occurs in is known; ``p3`` is a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from autopar.nest.ir import Binary, Compare, Const, Dim, Expr, Logic, Name, Unary

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_ISL = {"==": "=", "!=": "!="}
_MOST_BITS = 62  # of a literal shift


@dataclass(slots=True)
class Params:
    """Parameters in the order of their first use; what may be one is decided by `Facts`."""

    ints: frozenset[str]
    ranks: Mapping[str, int]
    names: list[str] = field(default_factory=list)
    extents: set[str] = field(default_factory=set)
    _safe: dict[str, str] = field(default_factory=dict)

    def use(self, name: str, extent: bool = False) -> str:
        """The safe name of parameter `name`."""
        safe = self._safe.get(name)
        if safe is None:
            safe = self._safe[name] = f"p{len(self.names)}"
            self.names.append(name)
            if extent:
                self.extents.add(safe)
        return safe

    def extent(self, array: str, axis: int | None) -> str | None:
        """Extent of an axis, or None when the array's rank does not say that it has it."""
        rank = self.ranks.get(array)
        if axis is None:
            axis = 0 if rank == 1 else None
        if rank is None or axis is None or not 0 <= axis < rank:
            return None
        return self.use(f"{array}.shape[{axis}]", extent=True)


@dataclass(frozen=True, slots=True)
class Linear:
    """Affine text; `value` when it is a literal, since only those multiply and divide."""

    text: str
    value: int | None = None

    @property
    def fixed(self) -> bool:
        """Whether no loop variable occurs in it."""
        return "@" not in self.text


Scope = Mapping[str, int | None]  # scalar -> depth of the loop whose variable it is here, or None


def read(expr: Expr, scope: Scope, params: Params) -> Linear | None:
    """`expr` as affine text, or None when it is not affine or not known to be an integer."""
    match expr:
        case Const(value=bool()):
            return None
        case Const(value=int(value)):
            return Linear(str(value), value)
        case Name(id=name) if name in scope:
            depth = scope[name]
            return None if depth is None else Linear(f"@{depth}@")
        case Name(id=name) if name in params.ints:
            return Linear(params.use(name))
        case Dim(array=array, axis=axis):
            extent = params.extent(array, axis)
            return None if extent is None else Linear(extent)
        case Unary(op=op, operand=operand) if op != "not":
            return _unary(op, read(operand, scope, params))
        case Binary(op=op, left=left, right=right):
            one = read(left, scope, params)
            return one and _binary(op, one, read(right, scope, params))
    return None


def _unary(op: str, one: Linear | None) -> Linear | None:
    if one is None or op == "+":
        return one
    if one.value is not None:
        value = -one.value if op == "-" else ~one.value
        return Linear(str(value), value)
    return Linear(f"(-{one.text})") if op == "-" else Linear(f"(-{one.text} - 1)")


def _binary(op: str, one: Linear, two: Linear | None) -> Linear | None:
    if two is None:
        return None
    fold = _FOLD.get(op)
    if one.value is not None and two.value is not None and fold:
        folded = fold(one.value, two.value)
        return None if folded is None else Linear(str(folded), folded)
    if op in ("+", "-"):
        return Linear(f"({one.text} {op} {two.text})")
    if op == "*" and one.value is not None:
        return Linear(f"({one.text} * {two.text})")
    if op == "*" and two.value is not None:
        return Linear(f"({two.text} * {one.text})")
    if two.value is None:
        return None
    # Floor division by a positive literal means the same in Python and in isl.
    if op == "//" and two.value > 0:
        return Linear(f"floor({one.text}/{two.value})")
    if op == "%" and two.value > 0:
        return Linear(f"({one.text} - {two.value} * floor({one.text}/{two.value}))")
    if op == "<<" and 0 <= two.value <= _MOST_BITS:
        return Linear(f"({1 << two.value} * {one.text})")
    if op == ">>" and 0 <= two.value <= _MOST_BITS:
        return Linear(f"floor({one.text}/{1 << two.value})")
    return None


_FOLD: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b if b else None,
    "%": lambda a, b: a % b if b else None,
}


def guard(test: Expr, scope: Scope, params: Params, holds: bool = True) -> str | None:
    """Formula that is true wherever `test` is true (false, unless `holds`); None: no such known.

    The result may be true more often than `test`, which adds dependences and never loses one.
    """
    match test:
        case Unary(op="not", operand=operand):
            return guard(operand, scope, params, not holds)
        case Logic(op=op, values=values):
            parts = [guard(v, scope, params, holds) for v in values]
            if (op == "and") == holds:
                return _all([p for p in parts if p is not None])
            known = [p for p in parts if p is not None]
            return f"({' or '.join(known)})" if len(known) == len(parts) else None
        case Compare(op=op, left=left, right=right):
            one, two = read(left, scope, params), read(right, scope, params)
            if one is None or two is None:
                return None
            relation: str = op if holds else _NEGATED[op]
            return f"({one.text} {_ISL.get(relation, relation)} {two.text})"
        case Const(value=bool(value)):
            return None if value == holds else "(1 = 0)"
    number = read(test, scope, params)
    return None if number is None else f"({number.text} {'!=' if holds else '='} 0)"


def _all(parts: list[str]) -> str | None:
    return f"({' and '.join(parts)})" if parts else None


def invariant(expr: Expr, scope: Scope, params: Params) -> bool:
    """Whether `expr` is integer arithmetic on live-in integers alone, affine or not."""
    match expr:
        case Const(value=value):
            return type(value) is int
        case Name(id=name):
            return name not in scope and name in params.ints
        case Dim(array=array, axis=axis):
            rank = params.ranks.get(array)
            return rank is not None and (axis is None or 0 <= axis < rank)
        case Unary(op=op, operand=operand):
            return op != "not" and invariant(operand, scope, params)
        case Binary(op=op, left=left, right=right):
            sides = invariant(left, scope, params) and invariant(right, scope, params)
            return op in ("+", "-", "*", "//", "%") and sides
    return False
