"""All dependences of a nest, with conditions on what only the call knows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from autopar.deps.affine import Params
from autopar.deps.data import Analysis, Condition, Dependence, Facts
from autopar.deps.domains import Reader
from autopar.deps.order import control_dependences, scalar_dependences
from autopar.deps.relations import all_of, dependences, in_bounds
from autopar.deps.solver import PATIENCE_S, Solver
from autopar.nest.forward import definitions
from autopar.nest.ir import Const, Expr, Nest
from autopar.nest.walking import expressions, statements, walk

_NUMBERS_PATIENCE_S = 0.05  # an analysis that holds for one tuple of numbers is made often


def analyse(nest: Nest, facts: Facts) -> Analysis:
    """Dependences and bounds of `nest`, solved once for all values of its parameters.

    What cannot be read as affine is left unconstrained, so a doubt is a dependence.  The
    subscripts are taken at their word: an access may wrap or leave its array only where the
    caller has listed it in `facts.unreadable` or has checked `Analysis.in_bounds`.

    Results are remembered by value.  Safe to call from several threads.
    """
    return _analyse(nest, facts, _kinds(nest))


def _kinds(nest: Nest) -> tuple[type, ...]:
    """Types of the literals: ``1 == 1.0 == True`` would make different nests equal keys."""
    tops: Iterator[Expr] = (e for s in statements(nest.loop) for e in expressions(s))
    return tuple(type(e.value) for top in tops for e in walk(top) if isinstance(e, Const))


def known(nest: Nest, facts: Facts) -> Params:
    """What an analysis may know of parameters; it adds those that it uses."""
    return Params(
        facts.ints,
        dict(facts.ranks),
        dict(facts.values),
        elements={one.array: one for one in facts.elements},
        unreadable=facts.unreadable,
        meaning=definitions(nest) if facts.elements else {},
        builtins=facts.builtins,
    )


@lru_cache(maxsize=256)
def _analyse(nest: Nest, facts: Facts, _literals: tuple[type, ...]) -> Analysis:
    params = known(nest, facts)
    reader = Reader(nest, facts, params)
    solver = Solver(params, _NUMBERS_PATIENCE_S if facts.values else PATIENCE_S)
    found: list[Dependence] = []
    found += control_dependences(nest.loop, reader.places)
    found += scalar_dependences(nest.loop, reader.places)
    found += dependences(reader.reaches, facts, solver)
    checks: dict[int, list[Condition]] = {}
    for reach in reader.reaches:  # an access is in bounds when it is so in all of its cases
        checks.setdefault(reach.access.id, []).append(in_bounds(reach, params, solver))
    bounds = tuple((access, all_of(conditions)) for access, conditions in checks.items())
    used = {p for d in found for p in d.when.params} | {p for _, c in bounds for p in c.params}
    names = tuple(name for name in params.names if name in used)
    return Analysis(names, tuple(dict.fromkeys(found)), bounds, tuple(sorted(params.wanted)))
