"""What is asked of isl: formulas in, conditions on parameters out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import islpy as isl

from autopar.deps.affine import Params
from autopar.deps.data import ALWAYS, NEVER, Condition

_SAFE = re.compile(r"\bp(\d+)\b")
_LONGEST = 4000  # characters of a condition; beyond, it is not worth evaluating
_OPERATIONS = 30_000  # of isl for one pair of accesses; a usual pair takes hundreds
_OP: Any = isl.ast_expr_op_type
_SPELL = {
    _OP.and_: "{} and {}",
    _OP.and_then: "{} and {}",
    _OP.or_: "{} or {}",
    _OP.or_else: "{} or {}",
    _OP.minus: "-{}",
    _OP.add: "{} + {}",
    _OP.sub: "{} - {}",
    _OP.mul: "{} * {}",
    # Exact, or of a nonnegative dividend, or rounded down: floor division is right for all.
    _OP.div: "{} // {}",
    _OP.fdiv_q: "{} // {}",
    _OP.pdiv_q: "{} // {}",
    # Of a nonnegative dividend, or only compared with zero: Python's remainder is right for both.
    _OP.pdiv_r: "{} % {}",
    _OP.zdiv_r: "{} % {}",
    _OP.cond: "{1} if {0} else {2}",
    _OP.select: "{1} if {0} else {2}",
    _OP.eq: "{} == {}",
    _OP.le: "{} <= {}",
    _OP.lt: "{} < {}",
    _OP.ge: "{} >= {}",
    _OP.gt: "{} > {}",
}
_CHAINS = {_OP.max: "max", _OP.min: "min"}


class TooHard(Exception):
    """isl gave up within its allowance; the caller assumes the worst."""


class Solver:
    """Sets over one list of parameters, in a context of their own.

    isl contexts are not thread-safe: one `Solver` serves one analysis in one thread.
    """

    def __init__(self, params: Params) -> None:
        self._params = params
        self._context = isl.Context()
        self._build = isl.AstBuild.from_context(self._parse("{ : }"))
        self._known: dict[Any, Condition] = {}

    def solutions(self, dims: Sequence[str], formulas: Sequence[str]) -> Any:
        """Integer points over `dims` that satisfy all `formulas`."""
        where = " and ".join(formulas)
        return self._parse(
            f"{self._declare(where)} -> {{ [{', '.join(dims)}]{' : ' * bool(where)}{where} }}"
        )

    def exists(self, points: Any) -> Condition:
        """When `points` has any, exactly."""
        needed = points.params()
        if needed.is_empty():
            return NEVER
        needed = self._simplify(needed)
        if needed.plain_is_universe():
            return ALWAYS
        known = self._known.get(needed)
        if known is None:
            known = self._known[needed] = self._condition(needed)
        return known

    @contextmanager
    def allowance(self) -> Iterator[None]:
        """A limited amount of work for isl within the block; `TooHard` when it was not enough.

        isl's effort is exponential in the worst case; a nest where that shows is not analysed
        for minutes but gets the dependences that it might have.
        """
        self._context.reset_operations()
        self._context.set_max_operations(_OPERATIONS)
        try:
            yield
        except isl.Error as error:
            raise TooHard(str(error)) from error
        finally:
            self._context.set_max_operations(0)

    def _parse(self, text: str) -> Any:
        return isl.Set.read_from_str(self._context, text)

    def _declare(self, text: str) -> str:
        used = sorted({int(m[1]) for m in _SAFE.finditer(text)})
        return f"[{', '.join(f'p{k}' for k in used)}]"

    def _simplify(self, needed: Any) -> Any:
        """Drop what follows from extents being nonnegative."""
        count = needed.dim(isl.dim_type.param)
        names = [needed.get_dim_name(isl.dim_type.param, k) for k in range(count)]
        extents = [n for n in names if n in self._params.extents]
        if extents:
            known = " and ".join(f"{n} >= 0" for n in extents)
            needed = needed.gist(self._parse(f"[{', '.join(names)}] -> {{ : {known} }}"))
        return needed.coalesce()

    def _condition(self, needed: Any) -> Condition:
        text = _python(self._build.expr_from_set(needed))
        if len(text) > _LONGEST:
            raise TooHard("the condition is too long")
        used = sorted({int(m[1]) for m in _SAFE.finditer(text)})
        place = {k: at for at, k in enumerate(used)}
        text = _SAFE.sub(lambda m: f"p{place[int(m[1])]}", text)
        return Condition(text, tuple(self._params.names[k] for k in used))


def _python(expr: Any, inner: bool = False) -> str:
    """isl's syntax tree as Python text; integers are Python's, so nothing overflows."""
    kind = expr.get_type()
    if kind == isl.ast_expr_type.int:
        value = expr.get_val().to_python()
        return f"({value})" if inner and value < 0 else str(value)
    if kind == isl.ast_expr_type.id:
        return str(expr.get_id().get_name())
    op = expr.get_op_type()
    args = [_python(expr.get_op_arg(k), True) for k in range(expr.get_op_n_arg())]
    if op in _CHAINS:
        return f"{_CHAINS[op]}({', '.join(args)})"
    text = _SPELL[op].format(*args)
    return f"({text})" if inner else text
