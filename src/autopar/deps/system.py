"""Systems of integer constraints, as they are put to a solver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from autopar.deps.affine import Atom, Entry, Floor, Linear
from autopar.records import dataclass

_MOST_QUOTIENTS = 8  # in one system; what isl does is exponential in them
_MOST_ENTRIES = 12  # elements of index arrays in one system

Row = Mapping[int | str, int]  # coefficient per dimension (int) and per parameter (str)


class TooHard(Exception):
    """An answer would cost more than it is worth; the caller assumes the worst."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An element of a 1-d index array: where it stands in the array, and its column."""

    array: str
    row: Row
    const: int
    column: int


class System:
    """Constraints over `width` dimensions; columns beyond stand for quotients and for `cells`."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.columns = width
        self.rows: list[tuple[str, Row, int]] = []
        self.base: System | None = None  # whose rows come first
        self.cells: list[Cell] = []
        self._cells: dict[object, int] = {}
        self._quotients: dict[tuple[object, int, int], int] = {}

    def extended(self) -> System:
        """The same constraints, to add to."""
        made = System(self.width)
        made.columns, made.rows, made.base = self.columns, list(self.rows), self
        made.cells, made._cells = list(self.cells), dict(self._cells)
        made._quotients = dict(self._quotients)
        return made

    def add(self, atoms: Iterable[Atom], variables: Sequence[Row]) -> None:
        """Demand `atoms`, where `variables` says what each loop variable is in dimensions."""
        for atom in atoms:
            try:
                self.rows.append((atom.kind, *self._row(atom.form, variables)))
            except TooHard:
                self.leave_out(atom.form)

    def equate(self, one: Linear, here: Sequence[Row], two: Linear, there: Sequence[Row]) -> None:
        """Demand that `one` in `here` is `two` in `there`."""
        self._demand("==", one, here, two, there, 0)

    def exceed(self, one: Linear, here: Sequence[Row], two: Linear, there: Sequence[Row]) -> None:
        """Demand that `one` in `here` is more than `two` in `there`."""
        self._demand(">=", one, here, two, there, 1)

    def _demand(
        self,
        kind: str,
        one: Linear,
        here: Sequence[Row],
        two: Linear,
        there: Sequence[Row],
        least: int,
    ) -> None:
        """The difference of both is `least`, or may be more."""
        try:
            left, const = self._row(one, here)
            right, other = self._row(two, there)
        except TooHard:
            self.leave_out(one)
            return
        for key, factor in right.items():
            left[key] = left.get(key, 0) - factor
        self.rows.append((kind, left, const - other - least))

    def leave_out(self, form: Linear) -> None:
        """Do without a constraint: there are only more points then."""

    def _row(self, form: Linear, variables: Sequence[Row]) -> tuple[dict[int | str, int], int]:
        """`form` in dimensions and parameters."""
        made: dict[int | str, int] = {}
        for symbol, factor in form.terms:
            if isinstance(symbol, Floor):
                part: Row = {self._quotient(symbol, variables): 1}
            elif isinstance(symbol, Entry):
                part = {self._cell(symbol, variables): 1}
            else:
                part = {symbol: 1} if isinstance(symbol, str) else variables[symbol]
            for key, inner in part.items():
                made[key] = made.get(key, 0) + factor * inner
        return made, form.const

    def _quotient(self, floor: Floor, variables: Sequence[Row]) -> int:
        """Dimension q with ``0 <= inner - by * q < by``, the only such integer."""
        inner, const = self._row(floor.inner, variables)
        key = frozenset(inner.items()), const, floor.by
        found = self._quotients.get(key)
        if found is None:
            if len(self._quotients) >= _MOST_QUOTIENTS:
                raise TooHard("too many quotients")
            found = self._quotients[key] = self.columns
            self.columns += 1
            rest = inner | {found: -floor.by}
            self.rows.append((">=", rest, const))
            self.rows.append((">=", {k: -c for k, c in rest.items()}, floor.by - 1 - const))
        return found

    def _cell(self, entry: Entry, variables: Sequence[Row]) -> int:
        """Column of an element: one for each place, since nothing changes the array."""
        key: object = object()  # nothing is known to be equal to an element of an unknown place
        places: list[tuple[Row, int]] = []
        if entry.place is not None:
            for form in entry.place:
                row, const = self._row(form, variables)
                places.append(({k: c for k, c in row.items() if c}, const))
            key = entry.array, tuple((frozenset(row.items()), const) for row, const in places)
        found = self._cells.get(key)
        if found is None:
            if len(self._cells) >= _MOST_ENTRIES:
                raise TooHard("too many elements of index arrays")
            found = self._cells[key] = self.columns
            self.columns += 1
            self.rows.append((">=", {found: 1, entry.low: -1}, 0))
            self.rows.append((">=", {found: -1, entry.high: 1}, 0))
            if entry.consecutive:
                place, at = places[0]
                least = place.get(entry.low, 0) + 1
                self.rows.append(("==", {**place, entry.low: least, found: -1}, at))
            if len(places) == 1:
                self.cells.append(Cell(entry.array, *places[0], found))
        return found
