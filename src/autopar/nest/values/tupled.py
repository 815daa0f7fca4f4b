"""Which names are tuples, and of what.

A name is a tuple of `n` items where all that it is given are such tuples; what it is given may be
another name, so this goes round until nothing is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from autopar.nest import ir, walking
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Expr,
    For,
    Items,
    Load,
    Name,
    Nest,
    Select,
    Stmt,
    View,
)
from autopar.nest.typed.told import Held
from autopar.nest.values import columns
from autopar.records import dataclass, field
from autopar.verdict import Reason, Refusal, Refused, Span

Shape = tuple["Shape", ...] | None
"""A tuple of such for each item; None for a number."""
_MOST_ROUNDS = 20  # until it is known which names are tuples


@dataclass(slots=True)
class Shapes:
    """What is known of the names of a nest.

    Attributes
    ----------
    held
        What is known of live-in arrays and lists.
    shapes
        Of the names that are tuples.
    lists
        How deep lists are that the nest makes of tuples, and the shape of these; see `columns`.
    values
        What each name is given.
    line
        Of the statement at hand.
    """

    nest: Nest
    held: Mapping[str, Held]
    shapes: dict[str, tuple[Shape, ...]] = field(default_factory=dict)
    lists: dict[str, tuple[int, Shape]] = field(default_factory=dict)
    values: dict[str, list[Expr]] = field(default_factory=dict)
    line: int = 0

    def refuse(self, detail: str, reason: Reason = Reason.SYNTAX) -> Refused:
        return Refused(Refusal(reason, Span(self.nest.file, self.line), detail))

    def infer(self) -> None:
        """Find out which names are tuples, of what."""
        for stmt in walking.statements(self.nest.loop):
            match stmt:
                case Assign(target=Name(id=name), value=value):
                    self.values.setdefault(name, []).append(value)
        self.settle()
        for name in dict.fromkeys(filter(None, map(_taken_apart, _parts(self.nest.loop)))):
            rows = [self.fixed(value) for value in self.values.get(name, ())]
            if name not in self.shapes and rows and rows[0] and rows.count(rows[0]) == len(rows):
                self.shapes[name] = rows[0]
        self.settle()
        while columns.found(self):
            self.settle()

    def settle(self) -> None:
        """Go on until nothing is new."""
        for _ in range(_MOST_ROUNDS):
            before = dict(self.shapes)
            for stmt in walking.statements(self.nest.loop):
                match stmt:
                    case Assign(target=Name(id=name), value=value):
                        self.line = stmt.line
                        found = self.joined(name, self.shapes.get(name), self.shape(value))
                        if found is not None:
                            self.shapes[name] = found
            if self.shapes == before:
                return
        raise self.refuse("tuples in one another without end")

    def joined(self, name: str, one: Shape, other: Shape) -> Shape:
        """Both, where not all of one may be known yet."""
        if one is None or other is None:
            return other if one is None else one
        if len(one) != len(other):
            raise self.refuse(f"{user_name(name)}, tuples of {len(one)} and {len(other)} items")
        return tuple(self.joined(name, *both) for both in zip(one, other, strict=True))

    def shape(self, expr: Expr) -> Shape:
        """What `expr` is a tuple of, as far as that is known."""
        match expr:
            case Items(values=values, listed=False):
                return tuple(map(self.shape, values))
            case Name(id=name):
                return self.shapes.get(name)
            case Call(func=func, args=(inner,)) if func.startswith(ir.UNPACK):
                return self.shape(inner) or self.fixed(inner) or (None,) * width(expr)
            case Select(body=body, orelse=orelse):
                both = self.shape(body), self.shape(orelse)
                return self.fixed(expr) if both == (None, None) else self.joined("", *both)
            case View(array=Name(id=name), index=(_,)) if name in self.lists:
                rank, shape = self.lists[name]
                return shape if rank == 1 else None
            case View(array=array, index=(Const(value=int(k)),)):
                whole = self.shape(array)
                return None if whole is None or not -len(whole) <= k < len(whole) else whole[k]
        return None

    def fixed(self, expr: Expr) -> tuple[Shape, ...] | None:
        """What `expr` is a tuple of, if it is a live-in one or an item of such."""
        match expr:
            case Select(body=body, orelse=orelse):
                one, other = self.fixed(body), self.fixed(orelse)
                return one if one == other else None
        found = self.row_of(expr)
        if found is None:
            return None
        held = self.held[found[0]]
        left = held.shape[len(found[1]) :]
        if not 0 < len(left) <= held.fixed:
            return None
        shape: Shape = None
        for size in reversed(left):
            shape = (shape,) * size
        return shape

    def row_of(self, expr: Expr) -> tuple[str, tuple[Expr, ...]] | None:
        """The live-in array or list of which `expr` is an item, and which."""
        match expr:
            case Name(id=path):
                index: tuple[Expr, ...] = ()
            case Load(array=path, index=index):
                pass
            case _:
                return None
        return None if path in self.nest.scalars or path not in self.held else (path, index)


def width(expr: Call) -> int:
    return int(expr.func.removeprefix(ir.UNPACK)[:-1])


def expressions(loop: For) -> Iterator[tuple[Stmt, Expr]]:
    for stmt in walking.statements(loop):
        for expr in chain.from_iterable(map(walking.walk, walking.expressions(stmt))):
            yield stmt, expr


def _parts(loop: For) -> Iterator[Expr]:
    return (expr for _, expr in expressions(loop))


def _taken_apart(expr: Expr) -> str | None:
    """The name that is unpacked, or of which an item is taken, if `expr` does so."""
    match expr:
        case Call(func=func, args=(Name(id=name),)) if func.startswith(ir.UNPACK):
            return name
        case View(array=Name(id=name), index=(Const(value=int()),)):
            return name
    return None


def user_name(name: str) -> str:
    """What is of the user's in a name of ours."""
    return name.strip("<>")
