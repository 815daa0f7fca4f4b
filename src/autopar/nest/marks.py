"""What is noted of parts of the user's text while it is still an `ast`.

A copy of a marked node, or one under another name, is marked as well.
"""

from __future__ import annotations

import ast
from typing import TypeVar

T = TypeVar("T", bound=ast.AST)

MOVED = "_moved"
"""Of a function: it is called before what Python evaluates first."""
LENT = "_lent"
"""Of a slice: it belongs to somebody who only reads what is cut out."""

THROUGH = "_through"
"""Of a slice: a loop goes through what is cut out."""


_SAID = "_said"  # the part of the user's text that a node stands for


def stands_for(node: T, said: ast.AST) -> T:
    """`node`, which was made for `said` of the user's text, and stands in its place."""
    setattr(node, _SAID, said)
    return node


def said(node: ast.AST) -> ast.AST:
    """What the user wrote where there is `node` now."""
    return getattr(node, _SAID, node)


def mark(node: ast.AST, what: str) -> None:
    setattr(node, what, True)


def marked(node: ast.AST, what: str) -> bool:
    return hasattr(node, what)
