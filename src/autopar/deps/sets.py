"""What is asked of isl: systems of integer constraints in, conditions on parameters out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from time import thread_time
from typing import Any

import islpy as isl

from autopar.deps.affine import Params
from autopar.deps.data import ALWAYS, NEVER, Condition
from autopar.deps.system import System, TooHard

SAFE = re.compile(r"\bp(\d+)\b")
_LONGEST = 2000  # characters of an exact condition; beyond, it is not worth evaluating
_MOST_PIECES, _MOST_DIVS = 12, 3  # of one condition, and of each of its pieces
_STEEPEST = {2: 50}  # factor in bounds of so many quotients at once; of more, 10
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
_READ = {"==": "=", "%": "mod"}  # as isl reads what Python spells so


class Solver:
    """Sets over one list of parameters, in a context of their own.

    isl contexts are not thread-safe: one `Solver` serves one analysis in one thread.
    """

    def __init__(self, params: Params, patience_s: float) -> None:
        self._params = params
        self._context = isl.Context()
        self.build = isl.AstBuild.from_context(isl.Set.read_from_str(self._context, "{ : }"))
        self._values: dict[int, Any] = {}
        self._deadline = thread_time() + patience_s
        self._spaces: dict[tuple[tuple[str, ...], int], Any] = {}
        self._known: dict[str, Condition] = {}

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

    def points(self, systems: Sequence[System], first: int) -> Solutions:
        """Points of any of `systems`; `first` makes no difference here."""
        found = [self.solutions(system) for system in systems]
        return Solutions(self, reduce(lambda one, two: one.union(two), found))

    def exists(self, points: Any) -> Condition:
        """When `points` has any; exactly, unless that would be very long to say.

        isl has limits of its own on the work it does, but crashes after reaching them.
        """
        self.hurry()
        needed = points.params()
        if needed.is_empty():
            return NEVER
        pieces = needed.get_basic_sets()
        if len(pieces) > _MOST_PIECES or any(map(intricate, pieces)):
            needed = wider(needed)  # isl's time to work on these explodes
        needed = self._simplify(needed)
        if needed.plain_is_universe():
            return ALWAYS
        text = str(needed)
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._condition(needed)
        return known

    def hurry(self) -> None:
        """Raise `TooHard` once the time for this analysis is over."""
        if thread_time() > self._deadline:
            raise TooHard("out of time")

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
        expr = self.build.expr_from_set(needed)
        text = python(expr)[0]
        if len(text) > _LONGEST:
            needed = wider(needed)
            expr = self.build.expr_from_set(needed)
            text = python(expr)[0]
        if thread_time() > self._deadline or not self._says(expr, needed):
            return ALWAYS
        used = sorted({int(m[1]) for m in SAFE.finditer(text)})
        place = {k: at for at, k in enumerate(used)}
        text = SAFE.sub(lambda m: f"p{place[int(m[1])]}", text)
        return Condition(text, tuple(self._params.names[k] for k in used))

    def _says(self, expr: Any, needed: Any) -> bool:
        """Whether a test of isl's holds where it should: its loops do not always go that far.

        See `enumeration`.
        """
        names = (needed.get_dim_name(_DIM.param, k) for k in range(needed.dim(_DIM.param)))
        try:
            test = formula(expr)
        except TooHard:
            return False
        if expr.get_type() == isl.ast_expr_type.int:  # true or false
            test = f"{test} != 0"
        try:
            read = isl.Set.read_from_str(self._context, f"[{', '.join(names)}] -> {{ : {test} }}")
        except isl.Error:
            return False
        return bool(needed.is_subset(read))


class Solutions:
    """What `points.Points` answers, for a set of isl's."""

    __slots__ = ("_set", "_solver")

    def __init__(self, solver: Solver, made: Any) -> None:
        self._solver = solver
        self._set = made

    def is_empty(self) -> bool:
        """Whether there are no points, whatever the parameters."""
        return bool(self._set.is_empty())

    def at_least(self, at: int, least: int) -> Solutions:
        """The points whose column `at` is at least this."""
        bound = self._solver.value(least)
        return Solutions(self._solver, self._set.lower_bound_val(_DIM.set, at, bound))

    def at_most(self, at: int, most: int) -> Solutions:
        """The points whose column `at` is at most this."""
        bound = self._solver.value(most)
        return Solutions(self._solver, self._set.upper_bound_val(_DIM.set, at, bound))

    def fixed(self, at: int, value: int) -> Solutions:
        """The points whose column `at` is this."""
        made = self._set.fix_val(_DIM.set, at, self._solver.value(value))
        return Solutions(self._solver, made)

    def union(self, other: Solutions) -> Solutions:
        """The points of both."""
        return Solutions(self._solver, self._set.union(other._set))

    def exists(self) -> Condition:
        """When there are points; see `Solver.exists`."""
        return self._solver.exists(self._set)

    def value(self, at: int) -> int | None:
        """The one value of column `at`, where it is plain to see."""
        fixed = self._set.plain_get_val_if_fixed(_DIM.set, at)
        return int(fixed.to_python()) if fixed.is_int() else None

    def ends(self, at: int) -> tuple[int | None, int | None]:
        """Smallest and largest value of column `at`; None: no bound for all parameters."""
        ends = self._set.dim_min_val(at), self._set.dim_max_val(at)
        least, most = (int(end.to_python()) if end.is_int() else None for end in ends)
        return least, most


def intricate(piece: Any) -> bool:
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


def wider(needed: Any) -> Any:
    """One convex superset without quotients: true more often, never less."""
    return isl.Set.from_basic_set(needed.remove_divs().simple_hull())


def python(expr: Any) -> tuple[str, int]:
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
    args = [python(expr.get_op_arg(k)) for k in range(expr.get_op_n_arg())]
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


def formula(expr: Any) -> str:
    """isl's syntax tree in the language in which isl reads sets.

    Raises
    ------
    TooHard
        It has something in it that cannot be said there.
    """
    kind = expr.get_type()
    if kind == isl.ast_expr_type.int:
        return str(expr.get_val().to_python())
    if kind == isl.ast_expr_type.id:
        return str(expr.get_id().get_name())
    op = expr.get_op_type()
    args = [formula(expr.get_op_arg(k)) for k in range(expr.get_op_n_arg())]
    if op in _CHAINS:
        return f"{_CHAINS[op]}({', '.join(args)})"
    if op == _OP.minus:
        return f"(-{args[0]})"
    if op not in _SPELL:
        raise TooHard("an operation of another kind")
    spelling, _, _ = _SPELL[op]
    if spelling == "//":
        return f"floor({args[0]}/{args[1]})"
    return f"({args[0]} {_READ.get(spelling, spelling)} {args[1]})"


def _at(shown: tuple[str, int], least: int) -> str:
    text, rank = shown
    return text if rank >= least else f"({text})"
