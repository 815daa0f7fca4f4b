"""Integer expressions and conditions of a nest, read as affine forms where they are affine."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Literal

from autopar.deps.data import ROOM, Elements, highest, lowest
from autopar.nest.ir import (
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Expr,
    Load,
    Logic,
    Name,
    Select,
    Unary,
)
from autopar.records import dataclass, field

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TRUTH: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_MOST_BITS = 62  # of a literal shift
_MOST_ALTERNATIVES = 8  # of one formula; alternatives of formulas that hold together multiply


@dataclass(slots=True)
class Params:
    """Parameters in the order of their first use; what may be one is decided by `Facts`.

    Attributes
    ----------
    known
        Those that are numbers here.
    wanted
        Those whose numbers would have made something affine that is not.
    elements
        What is known of index arrays, by their paths.
    unreadable
        As in `Facts`.
    meaning
        What scalars stand for, for the subscripts of index arrays.
    builtins
        As in `Facts`.
    """

    ints: frozenset[str]
    ranks: Mapping[str, int]
    known: Mapping[str, int] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)
    elements: Mapping[str, Elements] = field(default_factory=dict)
    unreadable: frozenset[int] = frozenset()
    meaning: Mapping[str, Expr] = field(default_factory=dict)
    builtins: frozenset[str] = frozenset()
    names: list[str] = field(default_factory=list)
    extents: set[str] = field(default_factory=set)
    _safe: dict[str, str] = field(default_factory=dict)

    def use(self, name: str, extent: bool = False) -> str:
        """The safe name of parameter `name`, ``p0``, ``p1`` and so on."""
        safe = self._safe.get(name)
        if safe is None:
            safe = self._safe[name] = f"p{len(self.names)}"
            self.names.append(name)
            if extent:
                self.extents.add(safe)
        return safe

    def extent(self, array: str, axis: int | None) -> str | None:
        """Extent of an axis, or None when the array's rank does not say that it has it."""
        axis = self.axis(array, axis)
        return None if axis is None else self.use(f"{array}.shape[{axis}]", extent=True)

    def axis(self, array: str, axis: int | None) -> int | None:
        """`axis`, or the only one there is for None; None when the array may not have it."""
        rank = self.ranks.get(array)
        if axis is None:
            axis = 0 if rank == 1 else None
        return axis if rank is not None and axis is not None and 0 <= axis < rank else None


@dataclass(frozen=True, slots=True)
class Floor:
    """``inner // by`` for a positive literal `by`: rounded down, as in Python."""

    inner: Linear
    by: int


@dataclass(frozen=True, slots=True)
class Entry:
    """``array[place]`` of an array in `Facts.elements`.

    Attributes
    ----------
    place
        One form for each axis; None where a subscript may wrap or is not affine.
    load
        `Load.id` where there is no `place`, so that two of them are two; else -1.
    low, high
        The parameters between which it lies.
    consecutive
        Whether it is ``place + low``.
    """

    array: str
    place: tuple[Linear, ...] | None
    load: int
    low: str
    high: str
    consecutive: bool = False


# variable of the loop at this depth (0 outermost), parameter, quotient, element of an index array
Symbol = int | str | Floor | Entry


@dataclass(frozen=True, slots=True)
class Linear:
    """Sum of coefficients times symbols, and a constant; canonical, so equal forms are equal."""

    terms: tuple[tuple[Symbol, int], ...]
    const: int = 0

    @staticmethod
    def of(terms: Mapping[Symbol, int], const: int = 0) -> Linear:
        """Canonical form: no zeros, sorted."""
        kept = ((s, c) for s, c in terms.items() if c)
        return Linear(tuple(sorted(kept, key=lambda term: repr(term[0]))), const)

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for symbol, factor in other.terms:
            terms[symbol] = terms.get(symbol, 0) + factor
        return Linear.of(terms, self.const + other.const)

    def __sub__(self, other: Linear) -> Linear:
        return self + other.times(-1)

    def times(self, factor: int) -> Linear:
        """All of it multiplied."""
        return Linear.of({s: c * factor for s, c in self.terms}, self.const * factor)

    def floor(self, by: int) -> Linear:
        """``self // by``, `by` positive."""
        if not self.terms:
            return Linear((), self.const // by)
        return self if by == 1 else Linear(((Floor(self, by), 1),))

    @property
    def literal(self) -> int | None:
        """Its value when that is a known number."""
        return None if self.terms else self.const

    @property
    def fixed(self) -> bool:
        """Whether no loop variable occurs in it."""
        return all(_fixed(symbol) for symbol, _ in self.terms)

    @property
    def entry(self) -> tuple[Entry, int] | None:
        """The element and the factor, where it is an element times that plus a constant."""
        match self.terms:
            case ((Entry() as found, factor),):
                return found, factor
        return None

    @property
    def indirect(self) -> bool:
        """Whether an element of an index array is among its terms."""
        return any(isinstance(symbol, Entry) for symbol, _ in self.terms)


def _fixed(symbol: Symbol) -> bool:
    match symbol:
        case Floor(inner=inner):
            return inner.fixed
        case Entry(place=place):
            return place is not None and all(form.fixed for form in place)
    return isinstance(symbol, str)


@dataclass(frozen=True, slots=True)
class Atom:
    """``form == 0`` or ``form >= 0``."""

    kind: Literal["==", ">="]
    form: Linear


Formula = tuple[tuple[Atom, ...], ...]  # alternatives, each of atoms that hold together
Scope = Mapping[str, int | None]  # scalar -> depth of the loop whose variable it is here, or None


def variable(depth: int) -> Linear:
    """The variable of the loop at `depth`."""
    return Linear(((depth, 1),))


def parameter(safe: str) -> Linear:
    """The parameter with this safe name."""
    return Linear(((safe, 1),))


def number(value: int) -> Linear:
    """A constant."""
    return Linear((), value)


def at_least(form: Linear, least: Linear, beyond: int = 0) -> Atom:
    """``form >= least + beyond``."""
    return Atom(">=", form - least - number(beyond))


def read(expr: Expr, scope: Scope, params: Params) -> Linear | None:
    """`expr` as an affine form, or None when it is not one or not known to be an integer."""
    match expr:
        case Const(value=bool()):
            return None
        case Const(value=int(value)):
            return number(value)
        case Name(id=name) if name in scope:
            depth = scope[name]
            if depth is None:
                return read(params.meaning[name], scope, params) if name in params.meaning else None
            return variable(depth)
        case Load(array=array) if array in params.elements:
            return _entry(expr, scope, params)
        case Call(func="int", args=(Load() as made,)) if "int" in params.builtins:
            return read(made, scope, params)
        case Name(id=name) if name in params.known:
            return number(params.known[name])
        case Name(id=name) if name in params.ints:
            return parameter(params.use(name))
        case Dim(array=array, axis=axis):
            length = params.known.get(f"{array}.shape[{params.axis(array, axis)}]")
            if length is not None:
                return number(length)
            extent = params.extent(array, axis)
            return None if extent is None else parameter(extent)
        case Unary(op=op, operand=operand) if op != "not":
            inner = read(operand, scope, params)
            if inner is None or op == "+":
                return inner
            if inner.indirect:
                return None  # NumPy's integers wrap
            return inner.times(-1) if op == "-" else inner.times(-1) - number(1)
        case Binary(op=op, left=left, right=right):
            one, two = read(left, scope, params), read(right, scope, params)
            if one is None or two is None:
                made_of = None
            elif one.indirect or two.indirect:
                made_of = _moved(op, one, two, params)
                if made_of is None and op in ("+", "-", "*"):
                    sides = (side for side in (left, right) if invariant(side, scope, params))
                    params.wanted |= {name for side in sides for name in numbers(side, params)}
            else:
                made_of = _binary(op, one, two)
            if made_of is None:
                params.wanted |= _needed(op, left, right, scope, params)
            return made_of
        case Select(test=Compare(op=op, left=left, right=right), body=body, orelse=orelse):
            one, two = read(left, scope, params), read(right, scope, params)
            apart = None if one is None or two is None else (one - two).literal
            if apart is not None:
                holds = _TRUTH[op](apart, 0)
                return read(body if holds else orelse, scope, params)
            if invariant(left, scope, params) and invariant(right, scope, params):
                params.wanted |= numbers(left, params) | numbers(right, params)
    return None


def _entry(load: Load, scope: Scope, params: Params) -> Linear:
    """An element of an index array; of one that wraps or leaves it only the range is known."""
    place: list[Linear] = []
    if load.id not in params.unreadable:
        axes = (read(axis, scope, params) for axis in load.index)
        place = [axis for axis in axes if axis is not None]
    known = len(place) == len(load.index)
    elements = params.elements[load.array]
    array = elements.like or load.array
    low, high = params.use(lowest(array)), params.use(highest(array))
    if known:
        entry = Entry(array, tuple(place), -1, low, high, elements.consecutive)
    else:
        entry = Entry(array, None, load.id, low, high)
    return Linear(((entry, 1),))


def _moved(op: str, one: Linear, two: Linear, params: Params) -> Linear | None:
    """An element and small literals, where NumPy's integers have room for what is computed."""
    if op in ("+", "*") and one.literal is not None:
        one, two = two, one
    by, found = two.literal, one.entry
    if by is None or found is None:
        return None
    entry, factor = found
    known = params.elements[entry.array]
    if op == "*":
        exact = known.scalable and 0 < by * factor <= ROOM and abs(one.const * by) <= ROOM
        return one.times(by) if exact else None
    if op not in ("+", "-"):
        return None
    # What was added before counts too.
    exact = abs(one.const) + abs(by) <= ROOM
    exact &= known.roomy if factor == 1 else known.scalable
    return one + number(by if op == "+" else -by) if exact else None


def _needed(op: str, left: Expr, right: Expr, scope: Scope, params: Params) -> set[str]:
    """Parameters that must be numbers for ``left op right`` to be affine."""
    if op in ("*", "//", "%", "<<", ">>") and invariant(right, scope, params):
        return numbers(right, params) if _integral(left, scope, params) else set()
    if op == "*" and invariant(left, scope, params):
        return numbers(left, params) if _integral(right, scope, params) else set()
    return set()


def _integral(expr: Expr, scope: Scope, params: Params) -> bool:
    """Whether `expr` may become affine: arithmetic on integers and the nest's scalars."""
    match expr:
        case Name(id=name):
            return name in scope or name in params.ints
        case Unary(operand=operand):
            return _integral(operand, scope, params)
        case Binary(left=left, right=right):
            return _integral(left, scope, params) and _integral(right, scope, params)
    return invariant(expr, scope, params)


def numbers(expr: Expr, params: Params) -> set[str]:
    """The parameters in an `invariant` expression."""
    match expr:
        case Name(id=name):
            return {name}
        case Dim(array=array, axis=axis):
            axis = params.axis(array, axis)
            return set() if axis is None else {f"{array}.shape[{axis}]"}
        case Unary(operand=operand):
            return numbers(operand, params)
        case Binary(left=left, right=right):
            return numbers(left, params) | numbers(right, params)
    return set()


def _binary(op: str, one: Linear, two: Linear) -> Linear | None:
    if op == "+":
        return one + two
    if op == "-":
        return one - two
    if op == "*" and one.literal is not None:
        return two.times(one.literal)
    by = two.literal
    if by is None:
        return None
    if op == "*":
        return one.times(by)
    if op in ("<<", ">>") and 0 <= by <= _MOST_BITS:
        return one.times(1 << by) if op == "<<" else one.floor(1 << by)
    if op in ("//", "%") and by:
        quotient = one.floor(by) if by > 0 else one.times(-1).floor(-by)
        return quotient if op == "//" else one - quotient.times(by)
    return None


def guard(test: Expr, scope: Scope, params: Params, holds: bool = True) -> Formula | None:
    """Formula that is true wherever `test` is true (false, unless `holds`); None: nothing known.

    The result may be true more often than `test`, which adds dependences and never loses one.
    """
    match test:
        case Unary(op="not", operand=operand):
            return guard(operand, scope, params, not holds)
        case Logic(op=op, values=values):
            parts = [guard(v, scope, params, holds) for v in values]
            known = [p for p in parts if p is not None]
            if (op == "and") == holds:
                return together(known)
            alternatives = tuple(part for formula in known for part in formula)
            few = len(alternatives) <= _MOST_ALTERNATIVES
            return alternatives if few and len(known) == len(parts) else None
        case Compare(op=op, left=left, right=right):
            one, two = read(left, scope, params), read(right, scope, params)
            if one is None or two is None:
                return None
            return _RELATIONS[op if holds else _NEGATED[op]](one - two)
        case Const(value=bool(value)):
            return None if value == holds else ()
    truth = read(test, scope, params)
    return None if truth is None else _RELATIONS["!=" if holds else "=="](truth)


_RELATIONS: dict[str, Callable[[Linear], Formula]] = {
    "==": lambda form: ((Atom("==", form),),),
    ">=": lambda form: ((Atom(">=", form),),),
    ">": lambda form: ((Atom(">=", form - number(1)),),),
    "<=": lambda form: ((Atom(">=", form.times(-1)),),),
    "<": lambda form: ((Atom(">=", form.times(-1) - number(1)),),),
    "!=": lambda form: _RELATIONS[">"](form) + _RELATIONS["<"](form),
}


def together(formulas: Sequence[Formula]) -> Formula | None:
    """All of `formulas` at once; those that would make it too long are left out."""
    made: Formula = ((),)
    for formula in dict.fromkeys(formulas):
        if len(made) * len(formula) <= _MOST_ALTERNATIVES:
            made = tuple((*one, *two) for one, two in product(made, formula))
    return None if made == ((),) else made


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
