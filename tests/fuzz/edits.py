"""Changes to the nest as data: programs that the grammar of the text would hardly think of.

The nest is read into the IR, one or two parts of it are exchanged, and its text is printed again.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from autopar.nest import ir, show, walking
from autopar.nest.text.lift import lift_text
from autopar.verdict import Refused

from .choices import Choices

_GROWING = ("*", "**", "<<")


def edited(loop: str, choices: Choices) -> str | None:
    """Text of the loop with a part of it exchanged; None where that makes no usable program."""
    try:
        nest = lift_text(loop)
    except Refused:
        return None
    tree = nest.loop
    for _ in range(choices.number(1, 2)):
        tree = choices.pick(_expression, _statement, _statement, _subscript)(tree, choices)
    text = "\n".join(show.lines(tree)) + "\n"
    return None if "<" in "".join(nest.scalars) or _may_grow(tree) or "while" in text else text


# ---------------------------------------------------------------------------- kinds of edits


def _expression(tree: ir.For, choices: Choices) -> ir.For:
    """One expression of a value in place of another."""
    found = [
        e
        for s in walking.statements(tree)
        if isinstance(s, ir.Assign)
        for e in walking.walk(s.value)
    ]
    if len(found) < 2:
        return tree
    return _put(tree, choices.pick(*found), choices.pick(*found))


def _subscript(tree: ir.For, choices: Choices) -> ir.For:
    """One subscript in place of another, or shifted."""
    found = [k for s in walking.statements(tree) for _, a in walking.accesses(s) for k in a.index]
    if not found:
        return tree
    old, new = choices.pick(*found), choices.pick(*found)
    shifted = ir.Binary("+", new, ir.Const(choices.number(1, 2)), tree.line)
    return _put(tree, old, choices.pick(new, shifted))


def _statement(tree: ir.For, choices: Choices) -> ir.For:
    """The statements of one loop in another order, or one of them twice, or one left out."""
    loops = [s for s in walking.statements(tree) if isinstance(s, ir.For)]
    loop = choices.pick(*loops)
    body = list(loop.body)
    at = choices.number(0, len(body) - 1)
    what = choices.number(0, 2)
    if what == 0:
        body.reverse()
    elif what == 1:
        body.append(body[at])
    elif len(body) > 1:
        del body[at]
    return _put(tree, loop, replace(loop, body=tuple(body)))


def _put(node: Any, old: Any, new: Any) -> Any:
    """`node` with every part that is `old` replaced by `new`."""
    if node is old:
        return new
    if isinstance(node, tuple):
        return tuple(_put(part, old, new) for part in node)
    if not hasattr(node, "__dataclass_fields__"):
        return node
    parts = {f.name: getattr(node, f.name) for f in fields(node)}
    return replace(node, **{name: _put(part, old, new) for name, part in parts.items()})


def _may_grow(tree: ir.For) -> bool:
    """Whether a scalar is multiplied: its Python integer could outgrow the memory."""
    return any(
        isinstance(e, ir.Binary)
        and e.op in _GROWING
        and any(isinstance(part, ir.Name) and part.id in "rq" for part in walking.walk(e))
        for stmt in walking.statements(tree)
        for top in walking.expressions(stmt)
        for e in walking.walk(top)
    )
