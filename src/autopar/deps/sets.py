"""What is asked of isl: systems of integer constraints in, conditions on parameters out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import islpy as isl

from autopar.deps.affine import Atom, Entry, Floor, Linear, Params
from autopar.deps.data import ALWAYS, NEVER, Condition

_SAFE = re.compile(r"\bp(\d+)\b")
_LONGEST = 2000  # characters of an exact condition; beyond, it is not worth evaluating
_PATIENCE_S = 2.0  # for one nest; a four-deep one with six statements takes 0.02
_MOST_PIECES, _MOST_DIVS = 12, 3  # of one condition, and of each of its pieces
_STEEPEST = {2: 50}  # factor in bounds of so many quotients at once; of more, 10
_MOST_QUOTIENTS = 8  # in one system; what isl does is exponential in them
_MOST_ENTRIES = 12  # elements of index arrays in one system
_DIM: Any = isl.dim_type
_OP: Any = isl.ast_expr_op_type
_SPELL = {  # operator, how tightly it binds, and the least that its right operand needs
    _OP.or_: ("or", 1, 1),
    _OP.or_else: ("or", 1, 1),
    _OP.and_: ("and", 2, 2),
    _OP.and_then: ("and", 2, 2),
    _OP.eq: ("==", 3, 4),
    _OP.le: ("<=", 3, 4),
    _OP.lt: ("<", 3, 4),
    _OP.ge: (">=", 3, 4),
    _OP.gt: (">", 3, 4),
    _OP.add: ("+", 4, 4),
    _OP.sub: ("-", 4, 5),
    _OP.mul: ("*", 5, 6),
    # Exact, or of a nonnegative dividend, or rounded down: floor division is right for all.
    _OP.div: ("//", 5, 6),
    _OP.fdiv_q: ("//", 5, 6),
    _OP.pdiv_q: ("//", 5, 6),
    # Of a nonnegative dividend, or only compared with zero: Python's remainder is right for both.
    _OP.pdiv_r: ("%", 5, 6),
    _OP.zdiv_r: ("%", 5, 6),
}
_CHAINS = {_OP.max: "max", _OP.min: "min"}

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
        self.cells: list[Cell] = []
        self._quotients: dict[tuple[object, int, int], int] = {}
        self._cells: dict[object, int] = {}

    def also(self, rows: Iterable[tuple[str, Row, int]]) -> System:
        """A copy with more constraints, which name no new columns."""
        made = System(self.width)
        made.columns, made.rows = self.columns, [*self.rows, *rows]
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
        try:
            left, const = self._row(one, here)
            right, other = self._row(two, there)
        except TooHard:
            self.leave_out(one)
            return
        for key, factor in right.items():
            left[key] = left.get(key, 0) - factor
        self.rows.append(("==", left, const - other))

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
            if len(places) == 1:
                self.cells.append(Cell(entry.array, *places[0], found))
        return found


class Solver:
    """Sets over one list of parameters, in a context of their own.

    isl contexts are not thread-safe: one `Solver` serves one analysis in one thread.
    """

    def __init__(self, params: Params) -> None:
        self._params = params
        self._context = isl.Context()
        self._build = isl.AstBuild.from_context(isl.Set.read_from_str(self._context, "{ : }"))
        self._values: dict[int, Any] = {}
        self._deadline = monotonic() + _PATIENCE_S
        self._spaces: dict[tuple[tuple[str, ...], int], Any] = {}
        self._known: dict[str, Condition] = {}
        self.remembered: dict[object, Condition] = {}  # answers by question, for the caller

    def value(self, number: int) -> Any:
        """`number` for isl, of any size."""
        made = self._values.get(number)
        if made is None:
            made = self._values[number] = isl.Val(str(number), context=self._context)
        return made

    def solutions(self, system: System) -> Any:
        """Integer points of `system`; the quotients become isl's existential variables."""
        used = {key for _, row, _ in system.rows for key in row if isinstance(key, str)}
        params = tuple(sorted(used, key=lambda safe: int(safe[1:])))
        column = {p: k for k, p in enumerate(params)}
        count = len(params) + system.columns + 1
        matrices = []
        for kind in ("==", ">="):
            rows = [(row, const) for k, row, const in system.rows if k == kind]
            matrix = isl.Mat.alloc(self._context, 0, count).add_zero_rows(len(rows))
            for at, (row, const) in enumerate(rows):
                for key, factor in row.items():
                    if factor:
                        to = column[key] if isinstance(key, str) else len(params) + key
                        matrix = matrix.set_element_val(at, to, self.value(factor))
                if const:
                    matrix = matrix.set_element_val(at, count - 1, self.value(const))
            matrices.append(matrix)
        build: Any = isl.BasicSet.from_constraint_matrices
        made = build(
            self._space(params, system.width), *matrices, _DIM.param, _DIM.set, _DIM.div, _DIM.cst
        )
        return isl.Set.from_basic_set(made)

    def exists(self, points: Any) -> Condition:
        """When `points` has any; exactly, unless that would be very long to say.

        isl has limits of its own on the work it does, but crashes after reaching them.
        """
        if monotonic() > self._deadline:
            raise TooHard("out of time")
        needed = points.params()
        if needed.is_empty():
            return NEVER
        pieces = needed.get_basic_sets()
        if len(pieces) > _MOST_PIECES or any(map(_intricate, pieces)):
            needed = _wider(needed)  # isl's time to work on these explodes
        needed = self._simplify(needed)
        if needed.plain_is_universe():
            return ALWAYS
        text = str(needed)
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._condition(needed)
        return known

    def _space(self, params: tuple[str, ...], width: int) -> Any:
        space = self._spaces.get((params, width))
        if space is None:
            space = isl.Space.set_alloc(self._context, len(params), width)
            for k, name in enumerate(params):
                space = space.set_dim_name(_DIM.param, k, name)
            self._spaces[params, width] = space
        return space

    def _simplify(self, needed: Any) -> Any:
        """Drop what follows from extents being nonnegative."""
        count = needed.dim(_DIM.param)
        names = [needed.get_dim_name(_DIM.param, k) for k in range(count)]
        known = System(0)
        known.rows += [(">=", {name: 1}, 0) for name in names if name in self._params.extents]
        if known.rows:
            needed = needed.gist(self.solutions(known).params())
        return needed.coalesce()

    def _condition(self, needed: Any) -> Condition:
        text = _python(self._build.expr_from_set(needed))[0]
        if len(text) > _LONGEST:
            text = _python(self._build.expr_from_set(_wider(needed)))[0]
        used = sorted({int(m[1]) for m in _SAFE.finditer(text)})
        place = {k: at for at, k in enumerate(used)}
        text = _SAFE.sub(lambda m: f"p{place[int(m[1])]}", text)
        return Condition(text, tuple(self._params.names[k] for k in used))


def _intricate(piece: Any) -> bool:
    """Whether to eliminate the quotients of `piece` may take isl for ever.

    A quotient that is no more than ``floor(form / by)`` is cheap, and one with other bounds too;
    but several, as in ``exists a, b: 2a <= p and 7b <= q - a``, are an integer program, which takes
    hours with three parameters, or with large factors.
    """
    quotients, params = piece.dim(_DIM.div), piece.dim(_DIM.param)
    if quotients > _MOST_DIVS:
        return True
    if quotients < 2:
        return False
    matrix = piece.inequalities_matrix(_DIM.div, _DIM.param, _DIM.set, _DIM.cst)
    rows = [
        tuple(matrix.get_element_val(row, k).to_python() for k in range(matrix.cols()))
        for row in range(matrix.rows())
    ]
    ends = {row[:-1]: row[-1] for row in rows}
    settled: set[int] = set()  # quotients that are one integer, given the parameters
    for _ in range(quotients):
        for column in range(quotients):
            others = set(range(quotients)) - settled - {column}
            for row in rows:
                opposite = ends.get(tuple(-c for c in row[:-1]))
                if opposite is None or any(row[k] for k in others):
                    continue
                if row[-1] + opposite < abs(row[column]):
                    settled.add(column)
    loose = set(range(quotients)) - settled
    steepest = max((abs(row[k]) for row in rows for k in loose), default=0)
    return len(loose) > 1 and steepest > (1 if params > 2 else _STEEPEST.get(len(loose), 10))


def _wider(needed: Any) -> Any:
    """One convex superset without quotients: true more often, never less."""
    return isl.Set.from_basic_set(needed.remove_divs().simple_hull())


def _python(expr: Any) -> tuple[str, int]:
    """isl's syntax tree as Python text, and how tightly it binds.

    Integers are Python's, so nothing overflows.
    """
    kind = expr.get_type()
    if kind == isl.ast_expr_type.int:
        value = expr.get_val().to_python()
        return str(value), 7 if value >= 0 else 6
    if kind == isl.ast_expr_type.id:
        return str(expr.get_id().get_name()), 7
    op = expr.get_op_type()
    args = [_python(expr.get_op_arg(k)) for k in range(expr.get_op_n_arg())]
    if op in _CHAINS:
        return f"{_CHAINS[op]}({', '.join(text for text, _ in args)})", 7
    if op == _OP.minus:
        return f"-{_at(args[0], 6)}", 6
    if op in (_OP.cond, _OP.select):
        test, body, orelse = (_at(arg, 1) for arg in args)
        return f"{body} if {test} else {orelse}", 0
    spelling, rank, right = _SPELL[op]
    # Comparisons must not chain.
    return f"{_at(args[0], rank + (rank == 3))} {spelling} {_at(args[1], right)}", rank


def _at(shown: tuple[str, int], least: int) -> str:
    text, rank = shown
    return text if rank >= least else f"({text})"
