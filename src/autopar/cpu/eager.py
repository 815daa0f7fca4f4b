"""Parts of a condition that may be evaluated though nobody may want to know.

``s == 3 or (s == 2 and board[i, j] == 1)`` reads a cell only sometimes, which LLVM has to keep: it
may not be there.  But where ``board[i, j - 1]`` and ``board[i - 1, j]`` have been read by then, `i`
is a row of `board` and `j` a column, and without branches several iterations go on at once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autopar.nest.kinds import NUMBERS
from autopar.nest.trees import every

Place = tuple[str, int, str]
"""An array, one of its axes, and the text of a subscript that is within bounds there."""

_MOST = 32  # nodes of what is evaluated: beyond, not to do it is worth a branch
_HARMLESS = (
    ast.Compare, ast.BoolOp, ast.Constant, ast.Name, ast.Tuple, ast.expr_context,
    ast.cmpop, ast.boolop, ast.Not, ast.USub,
    ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor,
)  # fmt: skip
"""What neither fails nor changes anything, besides what `harmless` looks into."""


def certainly(expr: ast.expr) -> Iterator[ast.expr]:
    """`expr` and the parts of it that are evaluated whatever others come to."""
    yield expr
    if not isinstance(expr, ast.BoolOp | ast.IfExp):
        for part in ast.iter_child_nodes(expr):
            if isinstance(part, ast.expr):
                yield from certainly(part)


def reached(before: Sequence[ast.stmt]) -> frozenset[Place]:
    """Subscripts that the accesses of the assignments at the end of `before` have proved.

    Axis by axis: each access is within bounds on all of its axes, or it would not be there.
    """
    found: set[Place] = set()
    changed: set[str] = set()
    for stmt in reversed(before):
        if not isinstance(stmt, ast.Assign | ast.AugAssign):
            break
        targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
        parts = [part for target in targets for part in certainly(target)]
        changed |= {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        for part in (*parts, *certainly(stmt.value)):
            match part:
                case ast.Subscript(value=ast.Name(id=array)) if array not in changed:
                    found |= {
                        (array, axis, ast.unparse(index))
                        for axis, index in enumerate(_indices(part))
                        if changed.isdisjoint(e.id for e in every(index) if isinstance(e, ast.Name))
                    }
    return frozenset(found)


def harmless(expr: ast.expr, known: frozenset[Place]) -> bool:
    """Whether `expr` may be evaluated in any case, if the `known` subscripts are within bounds."""
    nodes = list(every(expr))
    return len(nodes) <= _MOST and all(_does_nothing(node, known) for node in nodes)


def _does_nothing(node: ast.AST, known: frozenset[Place]) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=array)):
            places = enumerate(_indices(node))
            return all((array, axis, ast.unparse(index)) in known for axis, index in places)
        case ast.Call(func=ast.Name(id=name), args=[_]):
            return name in NUMBERS
        case ast.BinOp() | ast.UnaryOp():
            return True  # by its operator, which comes as a node of its own
    return isinstance(node, _HARMLESS)


def _indices(access: ast.Subscript) -> list[ast.expr]:
    return access.slice.elts if isinstance(access.slice, ast.Tuple) else [access.slice]
