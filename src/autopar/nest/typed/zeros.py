"""Scalars that are the int 0, or 0.0, before they are floats or complex numbers.

``z = 0``, then ``z = z * z + c`` for some complex `c`: types are flow-insensitive, so `z` may be an
int or complex everywhere.  Where it makes no difference which zero `z` is, it begins as one of the
type of everything else that it is assigned: the int 0 becomes that zero in all arithmetic with such
numbers, products and sums of zeros are zeros, and comparisons of both say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from autopar.nest import kinds, meaning
from autopar.nest.functions import Function
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Element,
    Expr,
    For,
    If,
    Logic,
    Name,
    Nest,
    Select,
    Stmt,
    Unary,
    While,
)
from autopar.nest.kinds import Kind
from autopar.nest.walking import children, expressions, statements, walk
from autopar.records import replace

_PARTS = frozenset(("abs", "imag", "real"))  # of zero, are zero
KindOf = Callable[[Expr], Kind]


class _Use(Enum):
    """What an expression is while a scalar in it is zero: of which type does not matter, or does.

    ``SAME`` is one value of one type, ``ZERO`` a zero of the type of that scalar, ``TEST`` what is
    true or false alike; of ``OTHER`` nothing is known.
    """

    SAME = 0
    ZERO = 1
    TEST = 2
    OTHER = 3


def begun_as_they_go_on(
    nest: Nest,
    env: Mapping[str, Kind],
    calls: Mapping[str, Function],
    kind_with: Callable[[Mapping[str, Kind]], KindOf],
) -> Nest:
    """`nest` with zeros of another type where that changes nothing but their type.

    Parameters
    ----------
    env
        The kinds of scalars and arrays as they are.
    calls
        The functions that it calls, by path.
    kind_with
        Kinds of expressions where some scalars have other kinds than in `env`.
    """
    for first in ("int", "float"):
        found = _begun_as(first, nest, env, calls, kind_with)
        if found is not nest:
            return found
    return nest


def _begun_as(
    first: str,
    nest: Nest,
    env: Mapping[str, Kind],
    calls: Mapping[str, Function],
    kind_with: Callable[[Mapping[str, Kind]], KindOf],
) -> Nest:
    """The same for zeros that are of this type at first."""
    loops = {stmt.var for stmt in statements(nest.loop) if isinstance(stmt, For)}
    zeros = {
        name: atom
        for name in set(nest.scalars) - loops - {*nest.live_out}
        if (atom := _goes_on_as(first, env.get(name, frozenset()))) is not None
    }
    zeros = {name: atom for name, atom in zeros.items() if _begins(nest, name)}
    while zeros:
        kind = kind_with({name: frozenset((atom,)) for name, atom in zeros.items()})
        uses = _Uses(first, zeros, kind, env, calls)
        wrong = set[str]()
        for stmt in statements(nest.loop):
            if not uses.harmless(stmt):
                wrong |= _named(stmt, zeros)
        if not wrong:
            return replace(nest, loop=_with_zeros(nest.loop, zeros))
        zeros = {name: atom for name, atom in zeros.items() if name not in wrong}
    return nest


def _goes_on_as(first: str, kind: Kind) -> str | None:
    """The one type beside `first`, if it is one of larger numbers that are no ints."""
    others = kind - {first}
    if first not in kind or len(others) != 1:
        return None
    (atom,) = others
    larger = ("float", "complex") if first == "int" else ("complex",)
    return atom if kinds.family(kinds.dtype(atom)) in larger else None


def _begins(nest: Nest, name: str) -> bool:
    return any(
        isinstance(s, Assign) and s.target == Name(name) and _is_zero(s.value)
        for s in statements(nest.loop)
    )


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, Const) and repr(expr.value) in ("0", "0.0")


def _named(stmt: Stmt, zeros: Mapping[str, str]) -> set[str]:
    """Which of `zeros` a statement reads or assigns."""
    parts = (part for top in expressions(stmt) for part in walk(top))
    found = {part.id for part in parts if isinstance(part, Name)}
    if isinstance(stmt, Assign) and isinstance(stmt.target, Name):
        found.add(stmt.target.id)
    return found & zeros.keys()


class _Uses:
    """How scalars are used that are zero at first, of this type or of that."""

    def __init__(
        self,
        first: str,
        zeros: Mapping[str, str],
        kind: KindOf,
        env: Mapping[str, Kind],
        calls: Mapping[str, Function],
    ) -> None:
        self.first = frozenset((first,))
        self.zeros, self.kind, self.env, self.calls = zeros, kind, env, calls

    def harmless(self, stmt: Stmt) -> bool:
        """Whether `stmt` does the same with zeros of another type, but for what is in `zeros`."""
        match stmt:
            case Assign(target=Name(id=name), value=value) if name in self.zeros:
                if _is_zero(value):
                    return True
                wanted = (_Use.SAME, _Use.ZERO)
                return self.use(value) in wanted and self.kind(value) == {self.zeros[name]}
            case Assign(target=Element(array=path, index=index), value=value):
                if any(self.use(part) is not _Use.SAME for part in index):
                    return False
                use = self.use(value)
                return use is _Use.SAME or (use is _Use.ZERO and self.holds(path, value))
            case If() | While():
                return all(self.use(top) is not _Use.OTHER for top in expressions(stmt))
        return all(self.use(top) is _Use.SAME for top in expressions(stmt))

    def holds(self, path: str, value: Expr) -> bool:
        """Whether an element of this array is the same zero, whichever is stored."""
        kind = self.env.get(path, frozenset()) or self.kind(value)
        families = {kinds.family(kinds.dtype(atom)) for atom in kind}
        own = {kinds.family(kinds.dtype(atom)) for atom in self.kind(value)}
        python = any(map(kinds.is_python, kind))  # an element of a list has a type
        return not python and (families == {"complex"} or families == own == {"float"})

    def use(self, expr: Expr) -> _Use:
        match expr:
            case Name(id=name) if name in self.zeros:
                return _Use.ZERO
            case Binary(op=op, left=left, right=right):
                return self.binary(op, left, right)
            case Unary(op="+", operand=operand) if self.use(operand) is _Use.ZERO:
                return _Use.ZERO
            case Unary(op="not", operand=operand) if self.use(operand) is not _Use.OTHER:
                return _Use.SAME if self.use(operand) is _Use.SAME else _Use.TEST
            case Compare(left=left, right=right):
                sides = {self.use(left), self.use(right)}
                if sides <= {_Use.SAME, _Use.ZERO}:
                    return _Use.SAME if sides == {_Use.SAME} else _Use.TEST
                return _Use.OTHER
            case Logic(values=values):
                found = {self.use(value) for value in values}
                if _Use.OTHER in found:
                    return _Use.OTHER
                return _Use.SAME if found == {_Use.SAME} else _Use.TEST
            case Select(test=test, body=body, orelse=orelse):
                found = {self.use(body), self.use(orelse)}
                if self.use(test) is _Use.OTHER or found != {_Use.SAME}:
                    return _Use.OTHER
                return _Use.SAME
            case Call(func=func, args=(operand,)) if self.use(operand) is _Use.ZERO:
                known = self.calls.get(func)
                return _Use.OTHER if known is None or known.form not in _PARTS else _Use.ZERO
        same = all(self.use(child) is _Use.SAME for child in children(expr))
        return _Use.SAME if same else _Use.OTHER

    def binary(self, op: str, left: Expr, right: Expr) -> _Use:
        one, two = self.use(left), self.use(right)
        match one, two:
            case _Use.SAME, _Use.SAME:
                return _Use.SAME
            case _Use.ZERO, _Use.ZERO if op in ("+", "-", "*"):
                return _Use.ZERO
            case _Use.ZERO, _Use.SAME if op == "**":
                power = right.value if isinstance(right, Const) else None
                return _Use.ZERO if type(power) is int and power > 0 else _Use.OTHER
            case (_Use.ZERO, _Use.SAME) if op in ("+", "-", "*", "/"):
                return self.beside(
                    kinds.possible(op, self.first, self.kind(right)), op, left, right
                )
            case (_Use.SAME, _Use.ZERO) if op in ("+", "-", "*"):
                return self.beside(kinds.possible(op, self.kind(left), self.first), op, left, right)
        return _Use.OTHER

    def beside(self, wanted: Kind, op: str, left: Expr, right: Expr) -> _Use:
        """A zero beside a number of which it takes the type, as an int does."""
        found = kinds.possible(op, self.kind(left), self.kind(right))
        families = {kinds.family(kinds.dtype(atom)) for atom in found}
        alike = found == wanted and families <= {"float", "complex"} and len(found) == 1
        return _Use.SAME if alike else _Use.OTHER


def _with_zeros(stmt: Stmt, zeros: Mapping[str, str]) -> For:
    """`stmt` with the first values of `zeros` in their types."""

    def changed(one: Stmt) -> Stmt:
        match one:
            case Assign(target=Name(id=name), value=value) if name in zeros and _is_zero(value):
                return replace(one, value=meaning.zero(zeros[name], one.line))
            case If(body=body, orelse=orelse):
                return replace(one, body=block(body), orelse=block(orelse))
            case While(body=body) | For(body=body):
                return replace(one, body=block(body))
        return one

    def block(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(map(changed, stmts))

    made = changed(stmt)
    assert isinstance(made, For)
    return made
