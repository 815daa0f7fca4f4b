"""Exact integers as polynomials, so that equals look equal: ``(i + 1) * n - n`` is ``i * n``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autopar.nest.ir import Binary, Compare, Const, Dim, Expr, Name, Select, Unary
from autopar.nest.meaning import rebuilt
from autopar.nest.walking import walk
from autopar.records import dataclass

_LONGEST = 60  # operands of one that is worth having
_HIGHEST = 4  # factors of one of its terms
Symbols = tuple[Expr, ...]  # factors of one term, sorted


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Sum of integer coefficients times products of symbols; canonical.

    A symbol is any expression of exact integers that is no sum or product itself: a name, an
    extent, a quotient, a conditional expression.
    """

    terms: tuple[tuple[Symbols, int], ...]

    @staticmethod
    def of(terms: Mapping[Symbols, int]) -> Polynomial:
        """Canonical form: no zeros, sorted."""
        kept = [(symbols, factor) for symbols, factor in terms.items() if factor]
        return Polynomial(tuple(sorted(kept, key=lambda term: (len(term[0]), repr(term[0])))))

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for symbols, factor in other.terms:
            terms[symbols] = terms.get(symbols, 0) + factor
        return Polynomial.of(terms)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other * number(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Symbols, int] = {}
        for symbols, factor in self.terms:
            for more, by in other.terms:
                key = tuple(sorted((*symbols, *more), key=repr))
                terms[key] = terms.get(key, 0) + factor * by
        return Polynomial.of(terms)

    def floor(self, by: int, line: int) -> Polynomial:
        """``self // by``, `by` positive."""
        if all(factor % by == 0 for _, factor in self.terms):
            return Polynomial.of({symbols: factor // by for symbols, factor in self.terms})
        if self.literal is not None:
            return number(self.literal // by)
        return symbol(Binary("//", self.expr(line), Const(by), line))

    @property
    def literal(self) -> int | None:
        """Its value when that is a known number."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def names(self) -> frozenset[str]:
        """Every name in it."""
        parts = (s for symbols, _ in self.terms for s in symbols)
        return frozenset(e.id for part in parts for e in walk(part) if isinstance(e, Name))

    @property
    def size(self) -> int:
        """How many operands it takes to write it down."""
        return sum(1 + sum(1 for s in symbols for _ in walk(s)) for symbols, _ in self.terms)

    def by_power(self, name: str) -> tuple[Polynomial, ...] | None:
        """Coefficients of the powers of `name`, or None where it is not in a product alone."""
        found: dict[int, dict[Symbols, int]] = {0: {}}
        for symbols, factor in self.terms:
            rest = tuple(s for s in symbols if s != Name(name))
            if any(name in symbol(s).names for s in rest):
                return None
            found.setdefault(len(symbols) - len(rest), {})[rest] = factor
        return tuple(Polynomial.of(found.get(k, {})) for k in range(max(found) + 1))

    def slope(self, name: str) -> int | None:
        """By how much it grows as `name` does by one; None where that is no known number."""
        powers = self.by_power(name)
        if powers is None or len(powers) > 2:
            return None
        return powers[1].literal if len(powers) == 2 else 0

    def where(self, known: Mapping[str, Polynomial], line: int) -> Polynomial:
        """The same with the names in `known` replaced."""
        if not self.names & set(known):
            return self
        made = number(0)
        for symbols, factor in self.terms:
            product = number(factor)
            for one in symbols:
                product = product * again(one, known, line)
            made = made + product
        return made

    def expr(self, line: int) -> Expr:
        """As an expression: what is positive first, so that it reads well.

        One that is conditional, plus something, has the sum in both branches: there it is plain
        arithmetic, whose range can be known.
        """
        match [one for symbols, _ in self.terms for one in symbols if isinstance(one, Select)]:
            case [Select(test=test, body=body, orelse=orelse) as only] if (only,) in dict(
                self.terms
            ):
                factor = dict(self.terms)[only,]
                rest = self - symbol(only) * number(factor)
                if rest.terms or factor != 1:
                    then, other = (
                        (again(e, {}, line) * number(factor) + rest).expr(line)
                        for e in (body, orelse)
                    )
                    return Select(test, then, other, line)
        made: Expr | None = None
        first = [term for term in self.terms if term[1] > 0 and term[0]]
        others = [term for term in self.terms if term not in first]
        for symbols, factor in (*first, *others):
            size, op = abs(factor), "+" if factor > 0 else "-"
            product: Expr | None = None
            for one in symbols:
                product = one if product is None else Binary("*", product, one, line)
            if product is None:
                product, size = Const(size), 1
            if size != 1:
                product = Binary("*", Const(size), product, line)
            if made is not None:
                made = Binary(op, made, product, line)
            elif op == "+":
                made = product
            else:
                made = Const(factor) if not symbols else Unary("-", product, line)
        return Const(0) if made is None else made


def number(value: int) -> Polynomial:
    """A constant."""
    return Polynomial.of({(): value})


def symbol(expr: Expr) -> Polynomial:
    """`expr` alone."""
    return Polynomial((((expr,), 1),))


def of_names(expr: Expr, line: int) -> Polynomial | None:
    """`expr`, in which each name is an exact integer that nobody knows more of; see `read`."""
    return read(expr, lambda name: symbol(Name(name)), line)


def short(form: Polynomial | None) -> Polynomial | None:
    """`form`, unless it is too long to be worth anything: products of sums grow fast."""
    if form is None or form.size > _LONGEST:
        return None
    return form if all(len(symbols) <= _HIGHEST for symbols, _ in form.terms) else None


def read(expr: Expr, name: Callable[[str], Polynomial | None], line: int) -> Polynomial | None:
    """`expr`, where `name` knows the exact integers; None when it is not made of those alone.

    Operations that may raise are not taken, so what comes out may be computed anywhere.
    """
    match expr:
        case Const(value=bool()):
            return None
        case Const(value=int(value)):
            return number(value)
        case Name(id=id):
            return name(id)
        case Dim():
            return symbol(expr)
        case Unary(op="-" | "+" | "~" as op, operand=operand):
            inner = read(operand, name, line)
            if inner is None or op == "+":
                return inner
            return number(-1 if op == "~" else 0) - inner
        case Binary(op="+" | "-" | "*" | "//" | "%" as op, left=left, right=right):
            one, two = read(left, name, line), read(right, name, line)
            return None if one is None or two is None else _binary(op, one, two, line)
    return None


def _binary(op: str, one: Polynomial, two: Polynomial, line: int) -> Polynomial | None:
    match op:
        case "+":
            return one + two
        case "-":
            return one - two
        case "*":
            return short(one * two) if short(one) and short(two) else None
    by = two.literal
    if by is None or by <= 0:
        return None
    if op == "//":
        return one.floor(by, line)
    if one.literal is not None:
        return number(one.literal % by)
    return symbol(Binary("%", one.expr(line), Const(by), line))


def chosen(test: Compare, body: Polynomial, orelse: Polynomial, line: int) -> Polynomial:
    """``body if test else orelse``; `test` compares exact integers."""
    match test:
        case Compare(op="==", left=Const(value=left), right=Const(value=right)):
            return body if left == right else orelse
    if body == orelse:
        return body
    return symbol(Select(test, body.expr(line), orelse.expr(line), line))


def again(expr: Expr, known: Mapping[str, Polynomial], line: int) -> Polynomial:
    """What a polynomial was written as, read back with the names in `known` replaced."""

    def name(id: str) -> Polynomial:
        return known.get(id, symbol(Name(id)))

    match expr:
        case Select(test=Compare() as test, body=body, orelse=orelse):
            left, right = again(test.left, known, line), again(test.right, known, line)
            apart = (left - right).literal
            both = (left, right) if apart is None else (number(apart), number(0))
            here = Compare(test.op, both[0].expr(line), both[1].expr(line), line)
            return chosen(here, again(body, known, line), again(orelse, known, line), line)
    found = read(expr, name, line)
    if found is None:
        return symbol(rebuilt(expr, lambda e: again(e, known, line).expr(line)))
    return found
