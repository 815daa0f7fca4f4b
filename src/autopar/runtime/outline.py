"""The loops of a nest and how much work stands in each: what does not change from call to call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autopar.nest.ir import Assign, Binary, Call, Expr, For, If, Stmt, While, expressions, walk
from autopar.sched.plan import Node, statement

_SLOW = 300  # operations that a call, a power or a remainder may be worth


@dataclass(frozen=True, slots=True)
class Outline:
    """Statements, as far as their cost goes.

    Attributes
    ----------
    likely, most
        Operations that are not in loops: their rough number, and a bound.
    loops, whiles, branches
        What stands in the loops and the conditional blocks among them; a condition over blocks
        without loops is part of `likely` and `most`.
    """

    likely: int
    most: int
    loops: tuple[tuple[For, Outline], ...]
    whiles: tuple[Outline, ...]
    branches: tuple[tuple[Outline, Outline], ...]

    @property
    def flat(self) -> bool:
        """Whether it costs the same for all parameters."""
        return not (self.loops or self.whiles or self.branches)


def outline(stmts: Iterable[Stmt]) -> Outline:
    """The outline of `stmts`."""
    likely = most = 0
    loops: list[tuple[For, Outline]] = []
    whiles: list[Outline] = []
    branches: list[tuple[Outline, Outline]] = []
    for stmt in stmts:
        weights = [_weight(expr) for top in expressions(stmt) for expr in walk(top)]
        likely += len(weights) + isinstance(stmt, Assign)
        most += 1 + sum(weights)
        match stmt:
            case For(body=body):
                loops.append((stmt, outline(body)))
            case While(body=body):
                whiles.append(outline(body))
            case If(body=body, orelse=orelse):
                one, two = outline(body), outline(orelse)
                if one.flat and two.flat:
                    likely += max(one.likely, two.likely)
                    most += max(one.most, two.most)
                else:
                    branches.append((one, two))
    return Outline(likely, most, tuple(loops), tuple(whiles), tuple(branches))


def _weight(expr: Expr) -> int:
    slow = isinstance(expr, Call) or (isinstance(expr, Binary) and expr.op in ("%", "//", "**"))
    return _SLOW if slow else 1


_MOST_KNOWN = 4096
_known: dict[int, tuple[Node, Outline]] = {}  # by identity: to compare nodes is to walk them


def outlined(node: Node) -> Outline:
    """The outline of a node of a plan, made once."""
    known = _known.get(id(node))
    if known is not None and known[0] is node:
        return known[1]
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    made = outline((statement(node),))
    _known[id(node)] = node, made
    return made
