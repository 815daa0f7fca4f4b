"""Loops that stand next to one another: which of them may be one nest.

What they hand on in arrays then stays on a device, for nobody can look at it in between, and the
schedule may fuse them.  Each is a candidate of its own as well, asked where they are declined
together.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from autopar.nest.text.lift import Loop, exits
from autopar.nest.trees import every

_MOST_LOOPS = 6
_MOST_STATEMENTS = 40
"""Beyond, the analysis takes long, and a call must do much to be worth all the kernels."""


def neighbours(
    block: Sequence[ast.stmt], fits: Callable[[Loop], bool]
) -> Iterator[tuple[ast.stmt, ...]]:
    """Runs of statements in `block` that begin and end with a loop and have several.

    Between loops there may be assignments of numbers to names.

    Parameters
    ----------
    fits
        Whether a loop may be taken at all.
    """
    first = 0
    while first < len(block):
        last = first
        loops = statements = 0
        for k in range(first, len(block)):
            node = block[k]
            if isinstance(node, Loop):
                if not fits(node) or node.orelse or exits(node):
                    break
                statements += _size(node)
                if loops == _MOST_LOOPS or (loops and statements > _MOST_STATEMENTS):
                    break
                loops, last = loops + 1, k
            elif not loops or not _assigns_number(node):
                break
        if loops > 1:
            yield tuple(block[first : last + 1])
        first = last + 1


def _size(node: ast.stmt) -> int:
    return sum(isinstance(inner, ast.stmt) for inner in every(node))


def _assigns_number(node: ast.stmt) -> bool:
    """Whether `node` gives a name a value that is likely to be a number."""
    match node:
        case (
            ast.Assign(targets=[ast.Name()], value=value)
            | ast.AugAssign(target=ast.Name(), value=value)
        ):
            return all(map(_plain, every(value)))
    return False


def _plain(node: ast.AST) -> bool:
    return isinstance(
        node,
        ast.Name
        | ast.Constant
        | ast.BinOp
        | ast.UnaryOp
        | ast.operator
        | ast.unaryop
        | ast.Subscript
        | ast.Attribute
        | ast.Tuple
        | ast.expr_context,
    ) and not (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
