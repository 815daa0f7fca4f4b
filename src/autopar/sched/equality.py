"""Which integers are equal wherever the conditions of a nest hold."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from autopar.nest.ir import Condition, Expr
from autopar.nest.polynomial import Polynomial, Symbols, of_names
from autopar.records import dataclass, field

_Form = dict[Symbols, Fraction]


@dataclass(slots=True)
class Equality:
    """What follows from `conditions`, each term of a polynomial taken for a variable of its own.

    Notes
    -----
    Gauss's elimination: each condition that says that something is zero is solved for one of its
    terms.  What is a sum of multiples of such conditions is zero, too.
    """

    conditions: Iterable[Condition]
    _solved: list[tuple[Symbols, _Form]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        for condition in self.conditions:
            # What is said of the iterations of some loop need not hold where there are none.
            if (condition.low, condition.high) != (0, 0) or condition.scope:
                continue
            form = of_names(condition.expr, 0)
            rest = {} if form is None else self._reduced(form)
            pivot = next((term for term in rest if term), None)
            if pivot is not None:
                self._solved.append((pivot, rest))

    def holds(self, one: Expr, two: Expr) -> bool:
        """Whether `one` and `two` are equal for sure."""
        if one == two:
            return True
        first, second = of_names(one, 0), of_names(two, 0)
        return first is not None and second is not None and not self._reduced(first - second)

    def _reduced(self, form: Polynomial) -> _Form:
        found: _Form = {term: Fraction(factor) for term, factor in form.terms}
        for pivot, other in self._solved:
            if pivot in found:
                share = found[pivot] / other[pivot]
                for term, factor in other.items():
                    found[term] = found.get(term, Fraction(0)) - share * factor
                found = {term: factor for term, factor in found.items() if factor}
        return found
