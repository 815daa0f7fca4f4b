"""What is noted of parts of the user's text while it is still an `ast`.

A copy of a marked node, or one under another name, is marked as well.
"""

from __future__ import annotations

import ast

MOVED = "_moved"
"""Of a function: it is called before what Python evaluates first."""
LENT = "_lent"
"""Of a slice: it belongs to somebody who only reads what is cut out."""

THROUGH = "_through"
"""Of a slice: a loop goes through what is cut out."""


def mark(node: ast.AST, what: str) -> None:
    setattr(node, what, True)


def marked(node: ast.AST, what: str) -> bool:
    return hasattr(node, what)
