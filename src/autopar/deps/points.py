"""Integer points of systems without isl: what depends on one another is solved apart, and once.

The parts of a system that share no column but parameters are solved by themselves and remembered,
as separable subscripts are tested one by one in G. Goff, K. Kennedy, C.-W. Tseng, *Practical
dependence testing*, PLDI 1991, section 4; most parts of a nest are the same for many of its pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd

from autopar.deps import exact
from autopar.deps.affine import Params
from autopar.deps.data import ALWAYS, NEVER, Condition
from autopar.deps.exact import Form, Inexact, Nothing, Rows, Terms, demand, substituted
from autopar.deps.system import Row, System

_SECOND = 64  # column of the outermost difference; loops are never nested as deep
_ASIDE = 1 << 20  # a column for a form that is asked for
_NONE: frozenset[int] = frozenset()
_Part = tuple[frozenset[int], Mapping[Terms, int]]
_Key = frozenset[tuple[Terms, int]]


class Exact:
    """Points over one list of parameters; parts once solved are remembered."""

    def __init__(self, params: Params) -> None:
        self._params = params
        self._shadows: dict[_Key, Rows | None] = {}
        self._possible: dict[_Key, bool] = {}
        self._conditions: dict[_Key, Condition] = {}
        self._ends: dict[tuple[_Key, int], tuple[int | None, int | None]] = {}
        self._bases: dict[System, Points] = {}

    def points(self, systems: Sequence[System], first: int) -> Points:
        """Points of any of `systems`, whose columns from `first` on belong to the second access.

        Raises
        ------
        Inexact
            When more than one system has points, or something cannot be said exactly.
        """
        found = [self._points(system, first) for system in systems]
        some = [points for points in found if not points.is_empty()]
        if len(some) > 1:
            raise Inexact
        return some[0] if some else found[0]

    def _points(self, system: System, first: int) -> Points:
        if system.base is None:
            return self._more(Points(self, first, {}, (), {}), system.rows, first)
        base = self._bases.get(system.base)
        if base is None:
            base = self._bases[system.base] = self._points(system.base, first)
        return self._more(base, system.rows[len(system.base.rows) :], first)

    def _more(self, points: Points, rows: Iterable[tuple[str, Row, int]], first: int) -> Points:
        shift = _SECOND - first
        equal: list[Form] = []
        rest: list[Form] = []
        for kind, row, const in rows:
            factors = {}
            for key, factor in row.items():
                if isinstance(key, str):
                    factors[-1 - int(key[1:])] = factor
                else:
                    factors[key if key < first else key + shift] = factor
            (equal if kind == "==" else rest).append((factors, const))
        if equal:
            points = points.with_equal(equal)
        return points.with_least(rest) if rest else points

    def shadow(self, rows: Rows) -> Rows | None:
        """What `rows` say of the parameters; None: they cannot hold."""
        key = frozenset(rows.items())
        if key not in self._shadows:
            try:
                self._shadows[key] = exact.eliminate(rows, _NONE, True)
            except Nothing:
                self._shadows[key] = None
        return self._shadows[key]

    def possible(self, rows: Rows) -> bool:
        """Whether some parameters satisfy `rows`, extents being nonnegative."""
        if len(rows) < 2 and not self._contrary(rows):
            return True
        key = frozenset(rows.items())
        known = self._possible.get(key)
        if known is None:
            known = self._possible[key] = exact.possible(self._bounded(rows))
        return known

    def _contrary(self, rows: Rows) -> bool:
        """Whether one of `rows` may contradict an extent's being nonnegative."""
        return any(all(f < 0 for _, f in terms) and const < 0 for terms, const in rows.items())

    def _bounded(self, rows: Rows) -> dict[Terms, int]:
        made = dict(rows)
        for column in {column for terms in rows for column, _ in terms}:
            if column < 0 and f"p{-1 - column}" in self._params.extents:
                demand(made, {column: 1}, 0)
        return made

    def ends(self, rows: Rows, column: int) -> tuple[int | None, int | None]:
        """Bounds of `column`, for any parameters: of its fractions, where integers are hard."""
        key = frozenset(rows.items()), column
        known = self._ends.get(key)
        if known is None:
            least: int | None = None
            most: int | None = None
            found = exact.eliminate(self._bounded(rows), frozenset((column,)), False, loose=True)
            for terms, const in found.items():
                ((_, factor),) = terms
                if factor > 0:
                    least = -const
                else:
                    most = const
            known = self._ends[key] = least, most
        return known

    def condition(self, rows: Rows) -> Condition:
        """When the parameters satisfy `rows`, which some do."""
        key = frozenset(rows.items())
        known = self._conditions.get(key)
        if known is None:
            known = self._conditions[key] = self._condition(rows)
        return known

    def _condition(self, rows: Rows) -> Condition:
        extents = {-1 - int(safe[1:]) for safe in self._params.extents}
        kept = {}
        for terms, const in rows.items():
            if const < 0 or any(f < 0 or c not in extents for c, f in terms):
                kept[terms] = const
        if not kept:
            return ALWAYS
        kept = exact.irredundant(kept, {((column, 1),): 0 for column in extents})
        used = sorted({-1 - column for terms in kept for column, _ in terms})
        names = {-1 - k: f"p{at}" for at, k in enumerate(used)}
        texts = []
        for terms, const in sorted(kept.items(), key=lambda row: (len(row[0]), row)):
            opposite = tuple([(c, -f) for c, f in terms])
            if kept.get(opposite) == -const:
                if terms < opposite:
                    texts.append(_text(opposite, -const, names, "=="))
            else:
                texts.append(_text(terms, const, names, ">="))
        return Condition(" and ".join(texts), tuple(self._params.names[k] for k in used))


class Points:
    """Integer points of one system; never changed, further demands make new ones.

    Column `at` of a common loop's difference counts as in the system it was made of.
    """

    __slots__ = ("_facts", "_first", "_needed", "_owner", "_parts", "_solved")

    def __init__(
        self,
        owner: Exact,
        first: int,
        solved: Mapping[int, Form],
        parts: tuple[_Part, ...],
        facts: Mapping[Terms, int] | None,
    ) -> None:
        self._owner = owner
        self._first = first
        self._solved = solved  # columns that equations have removed
        self._parts = parts
        self._facts = facts  # what is demanded of the parameters alone; None: no points
        self._needed: Rows | bool | None = False  # not asked yet

    # ------------------------------------------------------------------ further demands

    def _none(self) -> Points:
        return Points(self._owner, self._first, {}, (), None)

    def with_equal(self, forms: Iterable[Form]) -> Points:
        """The points where all of `forms` are zero."""
        if self._facts is None:
            return self
        solved = dict(self._solved)
        rest: list[Form] = []
        changed: dict[int, Form] = {}
        for factors, const in forms:
            factors, const = _settled(factors, const, solved)
            dims = [column for column, factor in factors.items() if column >= 0 and factor]
            unit = gcd(*factors.values())
            if unit > 1:
                if const % unit:
                    return self._none()
                factors, const = {c: f // unit for c, f in factors.items()}, const // unit
            units = [column for column in dims if factors[column] in (1, -1)]
            if units:
                column = max(units)
                form = exact.solved({c: f for c, f in factors.items() if f}, const, column)
                for other, known in solved.items():
                    if column in known[0]:
                        solved[other] = substituted(*known, column, form)
                solved[column] = changed[column] = form
            else:
                rest += [(factors, const), ({c: -f for c, f in factors.items()}, -const)]
        if changed:
            touched = [part for part in self._parts if not part[0].isdisjoint(changed)]
            parts = tuple(part for part in self._parts if part[0].isdisjoint(changed))
            for _, rows in touched:
                rest += [(dict(terms), const) for terms, const in rows.items()]
            made = Points(self._owner, self._first, solved, parts, self._facts)
        else:
            made = self
        return made.with_least(rest)

    def with_least(self, forms: Iterable[Form]) -> Points:
        """The points where none of `forms` is negative."""
        if self._facts is None:
            return self
        rows: dict[Terms, int] = {}
        try:
            for factors, const in forms:
                demand(rows, *_settled(factors, const, self._solved))
            facts, parts = dict(self._facts), list(self._parts)
            for terms, const in rows.items():
                _join(terms, const, facts, parts)
        except Nothing:
            return self._none()
        return Points(self._owner, self._first, self._solved, tuple(parts), facts)

    def _column(self, at: int) -> int:
        return at if at < self._first else at - self._first + _SECOND

    def at_least(self, at: int, least: int) -> Points:
        """The points whose column `at` is at least this."""
        return self.with_least([({self._column(at): 1}, -least)])

    def at_most(self, at: int, most: int) -> Points:
        """The points whose column `at` is at most this."""
        return self.with_least([({self._column(at): -1}, most)])

    def fixed(self, at: int, value: int) -> Points:
        """The points whose column `at` is this."""
        return self.with_equal([({self._column(at): 1}, -value)])

    # ------------------------------------------------------------------ what is asked

    def _shadow(self) -> Rows | None:
        """What must hold of the parameters; None: there are no points."""
        if self._needed is False:
            self._needed = self._needs()
        assert not isinstance(self._needed, bool)
        return self._needed

    def _needs(self) -> Rows | None:
        if self._facts is None:
            return None
        made: dict[Terms, int] = dict(self._facts)
        for _, rows in self._parts:
            shadow = self._owner.shadow(rows)
            if shadow is None:
                return None
            for terms, const in shadow.items():
                if made.get(terms, const) >= const:
                    made[terms] = const
        return made if self._owner.possible(made) else None

    def is_empty(self) -> bool:
        """Whether there are certainly no points, whatever the parameters."""
        try:
            return self._shadow() is None
        except Inexact:
            return False

    def exists(self) -> Condition:
        """When there are points."""
        needed = self._shadow()
        return NEVER if needed is None else self._owner.condition(needed)

    def union(self, other: Points) -> Points:
        """The points of both; raises `Inexact` where that is not one system."""
        if other.is_empty():
            return self
        if self.is_empty():
            return other
        raise Inexact

    def value(self, at: int) -> int | None:
        """The one value of column `at`, if there is but one."""
        least, most = self.ends(at)
        return least if least == most else None

    def ends(self, at: int) -> tuple[int | None, int | None]:
        """Bounds of column `at`, nearly always the closest; None: none for all parameters."""
        column = self._column(at)
        factors, const = self._solved.get(column, ({column: 1}, 0))
        if not factors:
            return const, const
        asked = self
        if column in self._solved:
            difference = {**factors, _ASIDE: -1}
            opposite = {c: -f for c, f in difference.items()}
            asked = self.with_least([(difference, const), (opposite, -const)])
            column = _ASIDE
        assert asked._facts is not None
        rows = dict(asked._facts)
        for columns, part in asked._parts:
            shadow = part if column in columns else self._owner.shadow(part)
            for terms, least in (shadow or {}).items():
                if rows.get(terms, least) >= least:
                    rows[terms] = least
        return self._owner.ends(rows, column)


def _settled(factors: Mapping[int, int], const: int, solved: Mapping[int, Form]) -> Form:
    """A form without the columns that are solved."""
    made, total = factors, const
    for column in [c for c in factors if c in solved]:
        made, total = substituted(made, total, column, solved[column])
    return made, total


def _join(terms: Terms, const: int, facts: dict[Terms, int], parts: list[_Part]) -> None:
    """Put a row to those that it shares a column with."""
    columns = frozenset([column for column, _ in terms if column >= 0])
    if not columns:
        known = facts.get(terms)
        if known is None or const < known:
            facts[terms] = const
        return
    rows: dict[Terms, int] = {}
    for part in [part for part in parts if not part[0].isdisjoint(columns)]:
        parts.remove(part)
        columns |= part[0]
        rows.update(part[1])
    if const < rows.get(terms, const + 1):
        rows[terms] = const
    parts.append((columns, rows))


def _text(terms: Terms, const: int, names: Mapping[int, str], relation: str) -> str:
    """``terms + const >= 0`` with the subtracted terms on the right."""
    left = [(names[c], f) for c, f in terms if f > 0]
    right = [(names[c], -f) for c, f in terms if f < 0]
    if not left:
        left, right, const = right, left, -const
        relation = "<=" if relation == ">=" else relation
    one = " + ".join(name if f == 1 else f"{f}*{name}" for name, f in left)
    two = " + ".join(name if f == 1 else f"{f}*{name}" for name, f in right)
    if not two:
        return f"{one} {relation} {-const}"
    if const:
        two += f" - {const}" if const > 0 else f" + {-const}"
    return f"{one} {relation} {two}"
