"""Expressions of a nest as kernel text, every cast explicit, every possible error checked."""

from __future__ import annotations

from autopar.cpu.calls import Calls
from autopar.cpu.writer import INT64, Value
from autopar.nest import kinds
from autopar.nest.ir import (
    EITHER,
    GIVEN,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    Load,
    Logic,
    Name,
    Select,
    Unary,
)
from autopar.nest.kinds import Kind, dtype, family
from autopar.nest.typed.types import Typed, kind_of
from autopar.nest.walking import walk
from autopar.records import dataclass, replace
from autopar.verdict import Reason


@dataclass(slots=True)
class ScalarWriter(Calls):
    """Writes the statements that compute expressions; one per kernel."""

    def raw_value(self, expr: Expr) -> Value:
        match expr:
            case Const(value=const):
                return self.constant(const)
            case Name(id=name):
                return self.name(expr, name)
            case Dim(array=path, axis=axis):
                ndim = self.typed.array(path).ndim
                return self.python_int(f"{self.names[path]}.shape[{(axis or 0) % ndim}]", expr)
            case Load():
                array = self.typed.array(expr.array)
                going_on = self.goes_on((expr.array, expr.index))
                return Value(self.element(expr), array.kind, array.dtype, pending=going_on)
            case Unary():
                return self.unary(expr)
            case Binary():
                return self.binary(expr)
            case Compare():
                return self.compare(expr)
            case Logic():
                return self.logic(expr)
            case Select():
                return self.select(expr)
            case Call():
                return self.call(expr)
        raise self.refuse(Reason.SYNTAX, expr)

    def name(self, expr: Expr, name: str) -> Value:
        scalars = dict(self.typed.scalars)
        if name in scalars:
            kind = scalars[name]
            plain = None if self.careful else self.known_int(expr, name, kind)
            going_on = self.goes_on(name)
            return Value(self.names[name], kind, self.storage(name), None, plain, going_on)
        atom = dict(self.typed.numbers).get(name)
        if atom is None:
            raise self.refuse(Reason.WRONG_TYPE, expr)
        plain = expr if atom == "int" and not self.careful else None
        return Value(self.names[name], frozenset((atom,)), dtype(atom), None, plain)

    def known_int(self, expr: Expr, name: str, kind: Kind) -> Expr | None:
        """`expr` in loop variables and parameters, when that is all that it is."""
        around = frozenset(v for v, plain in self.plain_loops.items() if plain)
        if kind != {"int"}:
            return None
        if name in around:
            return expr
        meant = self.definitions.get(name)
        return meant if meant is not None and is_plain(self.typed, meant, around) else None

    def storage(self, name: str) -> str:
        found = kinds.storage(dict(self.typed.scalars)[name])
        assert found is not None, name
        return found

    def element(self, access: Load | Element) -> str:
        """``A[…]`` with every index in bounds, wrapped as Python wraps negative ones."""
        return f"{self.names[access.array]}[{', '.join(self.place(access))}]"

    def place(self, access: Load | Element) -> list[str]:
        """The texts of the indices of `access`."""
        array = self.names[access.array]
        index = []
        for axis, expr in enumerate(access.index):
            place = self.checked_at.get((access.id, axis))
            if place:
                index.append(place)
                continue
            value = self.value(expr)
            if any(family(dtype(a)) not in ("int", "uint") for a in value.kind):
                raise self.refuse(Reason.WRONG_TYPE, expr)
            if access.id in self.inside or place is not None:
                index.append(value.text)
                continue
            if value.may_be_int:
                self.within(value, -INT64, INT64)
            extent = f"{array}.shape[{axis}]"
            if value.dtype == "uint64":
                self.fail_if(f"{value.text} >= uint64({extent})")
            k = self.temp(f"int64({value.text})")
            self.write(f"if {k} < 0:")
            self.write(f"    {k} += {extent}")
            self.fail_if(f"{k} < 0 or {k} >= {extent}")
            index.append(k)
        return index

    # ------------------------------------------------------------------ tags

    def tag(self, expr: Expr) -> str:
        """Text of the tag of `expr`: which of its possible atoms it is at run time."""
        kind = kind_of(self.typed, expr)
        if len(kind) == 1:
            return str(kinds.tag(next(iter(kind))))
        match expr:
            case Name(id=name) if name in self.tagged:
                return f"{self.names[name]}_tag"
            case Unary(op="-" | "+", operand=operand) if kind_of(self.typed, operand) == kind:
                return self.tag(operand)
            case Binary(op=op, left=left, right=right):
                return self.binary_tag(op, left, right)
            case Select(test=test, body=body, orelse=orelse):
                self.temps += 1
                held = f"v{self.temps}_"
                # Statements, so that a test inside a branch is evaluated only there.
                for branch, word in ((body, f"if {self.condition(test)}:"), (orelse, "else:")):
                    self.write(word)
                    with self.indented():
                        self.write(f"{held} = {self.tag(branch)}")
                return held
            case Logic(op=op, values=(first, *others), line=line):
                rest = others[0] if len(others) == 1 else Logic(op, tuple(others), line)
                both = (rest, first) if op == "and" else (first, rest)
                return self.tag(Select(first, *both, line))
            case Call(func=func, args=(_, found)) if func == EITHER:
                return f"int64({self.value(found).text})"
            case Call(func=func, args=(first, _)) if func == GIVEN:
                return self.tag(first)
            case Call(func=func, args=(*others, last), line=line) if others:
                form = dict(self.typed.calls)[func].form
                if form in ("min", "max"):
                    best = others[0] if len(others) == 1 else replace(expr, args=tuple(others))
                    test = Compare("<" if form == "min" else ">", last, best, line)
                    return self.tag(Select(test, last, best, line))
        raise self.refuse(Reason.MIXED_TYPE, expr)

    def binary_tag(self, op: str, left: Expr, right: Expr) -> str:
        a, b = self.tag(left), self.tag(right)
        text = "0"
        for left_atom in sorted(kind_of(self.typed, left)):
            for right_atom in sorted(kind_of(self.typed, right)):
                step = kinds.binary(op, left_atom, right_atom)
                assert step is not None
                here = f"{a} == {kinds.tag(left_atom)} and {b} == {kinds.tag(right_atom)}"
                text = f"({kinds.tag(step.out)} if {here} else {text})"
        return text


def ambiguous_names(typed: Typed, expr: Expr) -> frozenset[str]:
    """Scalars whose run-time atom decides the atom of `expr`."""
    scalars = dict(typed.scalars)
    if len(kind_of(typed, expr)) == 1:
        return frozenset()
    return frozenset(
        e.id for e in walk(expr) if isinstance(e, Name) and len(scalars.get(e.id, ())) > 1
    )


def is_plain(typed: Typed, expr: Expr, loops: frozenset[str]) -> bool:
    """Whether `expr` is a Python int of literals, parameters, extents and `loops` only."""
    match expr:
        case Const(value=value):
            return type(value) is int and abs(value) <= INT64
        case Name(id=name):
            return name in typed.ints or name in loops
        case Dim():
            return True
        case Unary(op="-" | "+", operand=operand):
            return is_plain(typed, operand, loops)
        case Binary(op="+" | "-" | "*", left=left, right=right):
            return is_plain(typed, left, loops) and is_plain(typed, right, loops)
        case Binary(op="//" | "%", left=left, right=right):
            # The divisor is claimed to be positive where the quotient is computed.
            return is_plain(typed, left, loops) and is_plain(typed, right, loops)
        case Call(func=func, args=args):
            minmax = dict(typed.calls)[func].form in ("min", "max") and len(args) > 1
            return minmax and all(is_plain(typed, a, loops) for a in args)
    return False
