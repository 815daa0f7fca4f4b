"""Integer systems as nests have them, projected exactly without a solver: eliminate and combine.

Nearly all systems of a dependence analysis are loop bounds and subscripts with factors of one, for
which each step of Fourier and Motzkin's elimination is exact in integers too.  A system that needs
more raises `Inexact`, and isl answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd

Terms = tuple[tuple[int, int], ...]  # columns and their factors, sorted; negative: a parameter
Rows = Mapping[Terms, int]  # each says: sum of terms + constant >= 0
Form = tuple[Mapping[int, int], int]

_MOST_ROWS = 48  # of one part; elimination may square their number at each step


class Inexact(Exception):
    """A step would lose or invent integer points."""


class Nothing(Exception):
    """No integers satisfy the system."""


def demand(rows: dict[Terms, int], factors: Mapping[int, int], const: int) -> None:
    """Add ``factors + const >= 0`` to `rows`, tightened to integers; raises `Nothing`."""
    terms = tuple(sorted([pair for pair in factors.items() if pair[1]]))
    if not terms:
        if const < 0:
            raise Nothing
        return
    if len(terms) == 1:
        ((column, factor),) = terms
        if factor not in (1, -1):
            unit = abs(factor)
            terms, const = ((column, factor // unit),), const // unit
    else:
        unit = gcd(*[factor for _, factor in terms])
        if unit != 1:
            terms, const = tuple([(c, f // unit) for c, f in terms]), const // unit
    known = rows.get(terms)
    if known is None or const < known:
        rows[terms] = const


def eliminate(
    rows: Rows, kept: frozenset[int], params: bool, loose: bool = False
) -> dict[Terms, int]:
    """What `rows` say of the columns in `kept`, and with `params` of the parameters.

    With `loose` a step need not be exact: all points are kept, and others may come to them.

    Raises
    ------
    Nothing
        When no integers satisfy `rows`; not always found while some columns are kept.
    Inexact
        When a step would not be exact, or there are too many rows.

    Notes
    -----
    A lower bound ``a*x >= l`` and an upper bound ``b*x <= u`` leave ``a*u >= b*l``.  In integers
    that is exact when a or b is 1, or ``a*u - b*l`` a number of at least ``(a-1)*(b-1)``: the
    *real* and the *dark shadow* of the Omega test are the same then (W. Pugh, *The Omega test*,
    Communications of the ACM 35(8), 1992, section 2.3.1).  Rows are tightened by the common divisor
    of their factors, so two opposite ones may become an equation, which is solved where it has a
    factor of 1 (section 2.1).
    """
    left = dict(rows)
    column: int | None
    while True:
        lows: dict[int, list[tuple[Terms, int]]] = {}
        highs: dict[int, list[tuple[Terms, int]]] = {}
        for terms in left:
            for column, factor in terms:
                if column not in kept and not (params and column < 0):
                    side = lows if factor > 0 else highs
                    side.setdefault(column, []).append((terms, abs(factor)))
        columns = lows.keys() | highs.keys()
        if not columns:
            return left
        if len(left) > _MOST_ROWS:
            raise Inexact
        column = _cheapest(columns, lows, highs)
        if column is None:
            column = _roomy(left, lows, highs)
        if column is None:
            weaker = _weaker(left, lows) or _weaker(left, highs)
            if weaker is not None:
                del left[weaker]
                continue
            if not loose:
                left = _without_equation(left, columns)
                continue
            column = min(columns, key=lambda c: len(lows[c]) * len(highs[c]))
        below, above = lows.get(column, ()), highs.get(column, ())
        here = [(terms, left.pop(terms), factor) for terms, factor in below]
        there = [(terms, left.pop(terms), factor) for terms, factor in above]
        for low, low_const, times in here:
            for high, high_const, factor in there:
                const = low_const * factor + high_const * times
                demand(left, _sum(low, factor, high, times), const)


def _cheapest(
    columns: Iterable[int],
    lows: Mapping[int, Sequence[tuple[Terms, int]]],
    highs: Mapping[int, Sequence[tuple[Terms, int]]],
) -> int | None:
    """The column whose elimination is exact and makes the fewest rows."""
    best, least = None, _MOST_ROWS * _MOST_ROWS
    for column in sorted(columns):
        low, high = lows.get(column, ()), highs.get(column, ())
        made = len(low) * len(high) - len(low) - len(high)
        if made < least:
            units = all(f == 1 for _, f in low) or all(f == 1 for _, f in high)
            if units or not low or not high:
                best, least = column, made
    return best


def _roomy(
    rows: Rows,
    lows: Mapping[int, Sequence[tuple[Terms, int]]],
    highs: Mapping[int, Sequence[tuple[Terms, int]]],
) -> int | None:
    """A column whose elimination is exact since its bounds are wide apart."""
    return next((c for c in sorted(lows) if c in highs and _wide(rows, lows[c], highs[c])), None)


def _wide(
    rows: Rows, lows: Sequence[tuple[Terms, int]], highs: Sequence[tuple[Terms, int]]
) -> bool:
    """Whether there is an integer between each two bounds that are not divided by one alike."""
    for low, a in lows:
        for high, b in highs:
            if a != 1 and b != 1:
                room = rows[low] * b + rows[high] * a
                if room < (a - 1) * (b - 1) or any(_sum(low, b, high, a).values()):
                    return False
    return True


def _weaker(rows: Rows, sides: Mapping[int, Sequence[tuple[Terms, int]]]) -> Terms | None:
    """A bound with a factor that follows from one without and at most one other row."""
    for bounds in sides.values():
        for plain, unit in bounds:
            for steep, factor in bounds if unit == 1 else ():
                if factor == 1:
                    continue
                const = rows[steep] - factor * rows[plain]
                rest = _sum(steep, 1, plain, -factor)
                least = rows.get(tuple(sorted([pair for pair in rest.items() if pair[1]])))
                if const >= 0 if not any(rest.values()) else least is not None and least <= const:
                    return steep
    return None


def _without_equation(rows: Rows, columns: Iterable[int]) -> dict[Terms, int]:
    """`rows` with one column of `columns` replaced by what an equation among them says it is."""
    for terms, const in rows.items():
        opposite = rows.get(tuple([(c, -f) for c, f in terms]))
        if opposite is None or opposite + const:
            continue
        for column, factor in terms:
            if column in columns and factor in (1, -1):
                form = solved(dict(terms), const, column)
                made: dict[Terms, int] = {}
                for row, row_const in rows.items():
                    demand(made, *substituted(dict(row), row_const, column, form))
                return made
    raise Inexact


def solved(factors: Mapping[int, int], const: int, column: int) -> Form:
    """What `column` is when ``factors + const == 0``; its factor is 1 or -1."""
    sign = -factors[column]
    return {c: f * sign for c, f in factors.items() if c != column}, const * sign


def substituted(
    factors: Mapping[int, int], const: int, column: int, form: Form
) -> tuple[dict[int, int], int]:
    """``factors + const`` with `form` in the place of `column`."""
    made = dict(factors)
    times = made.pop(column, 0)
    if times:
        for other, factor in form[0].items():
            made[other] = made.get(other, 0) + times * factor
    return made, const + times * form[1]


def _sum(one: Terms, times: int, two: Terms, factor: int) -> dict[int, int]:
    made = {c: f * times for c, f in one} if times != 1 else dict(one)
    for column, f in two:
        made[column] = made.get(column, 0) + f * factor
    return made


def possible(rows: Rows) -> bool:
    """Whether some integers satisfy `rows`."""
    try:
        eliminate(rows, frozenset(), False)
    except Nothing:
        return False
    return True


def irredundant(rows: Rows, given: Rows) -> dict[Terms, int]:
    """`rows` without those that are sums of two others, or of one and one of `given`."""
    left = {**given, **rows}
    for terms in sorted(rows, key=lambda terms: (-len(terms), terms)):
        const = left.pop(terms)
        if not _follows(terms, const, left):
            left[terms] = const
    return {terms: const for terms, const in left.items() if terms in rows}


def _follows(terms: Terms, const: int, rows: Rows) -> bool:
    for one, first in rows.items():
        rest = _sum(terms, 1, one, -1)
        two = tuple(sorted([pair for pair in rest.items() if pair[1]]))
        second = rows.get(two)
        if second is not None and first + second <= const:
            return True
    return False
