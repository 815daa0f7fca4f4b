"""Assignments that only bring one more value into an accumulator, recognised by their text."""

from __future__ import annotations

import ast
from dataclasses import dataclass

_CLASSES: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "+", ast.Mult: "*",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


@dataclass(frozen=True)
class Update:
    """``target = value``, where `value` is `target` and more under an operation of class `kind`."""

    target: ast.expr
    kind: str
    value: ast.expr


@dataclass(frozen=True)
class Idiom:
    """``if x < target: target = x; place = i``: the smallest (or greatest), and where it is.

    `partners` are the other scalars that it sets.
    """

    target: ast.expr
    kind: str
    assign: ast.Assign
    partners: tuple[str, ...]


def same(one: ast.AST, two: ast.AST) -> bool:
    """Whether the two are the same text."""
    kinds = (ast.Name, ast.Subscript)
    if isinstance(one, kinds) != isinstance(two, kinds):
        return False
    return ast.unparse(one) == ast.unparse(two)


def read(target: ast.expr) -> ast.expr:
    """`target` as an expression."""
    found: ast.expr = ast.parse(ast.unparse(target), mode="eval").body
    return found


def mentions(expr: ast.AST, target: ast.expr) -> int:
    """How often `target` stands in `expr`."""
    return sum(same(n, target) for n in ast.walk(expr) if isinstance(n, ast.Name | ast.Subscript))


def update(node: ast.Assign | ast.AugAssign) -> Update | None:
    """The update that the statement is, or None.

    Sums and products count as updates of their class whatever their types; that the order does not
    matter is decided by the values: it does for floats.
    """
    if isinstance(node, ast.AugAssign):
        kind = _CLASSES.get(type(node.op))
        if kind is None or mentions(node.value, node.target):
            return None
        return Update(node.target, kind, ast.BinOp(read(node.target), node.op, node.value))
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name | ast.Subscript):
        return None
    target, value = node.targets[0], node.value
    found = _chosen(target, value) or _combined(target, value)
    return None if found is None else Update(target, found, value)


def _combined(target: ast.expr, value: ast.expr) -> str | None:
    if mentions(value, target) != 1:
        return None
    match value:
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=args):
            return name if any(same(a, target) for a in args) else None
        case ast.BoolOp(op=op, values=[first, *_]) if same(first, target):
            return "and" if isinstance(op, ast.And) else "or"
        case ast.BinOp(op=op):
            kind = _CLASSES.get(type(op))
            return kind if kind is not None and _term(value, target, kind) else None
    return None


def _term(value: ast.expr, target: ast.expr, kind: str) -> bool:
    """Whether `target` is an operand of the chain `value`, and not subtracted."""
    if same(value, target):
        return True
    if not isinstance(value, ast.BinOp) or _CLASSES.get(type(value.op)) != kind:
        return False
    sides = [value.left] if isinstance(value.op, ast.Sub) else [value.left, value.right]
    return any(_term(side, target, kind) for side in sides)


def _chosen(target: ast.expr, value: ast.expr) -> str | None:
    """``x if x < target else target`` and its like."""
    if not isinstance(value, ast.IfExp):
        return None
    sides = {ast.unparse(value.body), ast.unparse(value.orelse)}
    found = _compared(value.test, target)
    if found is None or sides != {ast.unparse(target), ast.unparse(found[1])}:
        return None
    takes_new = not same(value.body, target)
    return found[0] if takes_new else {"min": "max", "max": "min"}[found[0]]


def _compared(test: ast.expr, target: ast.expr) -> tuple[str, ast.expr] | None:
    """Which of `target` and the other side survives if the other is taken when `test` holds."""
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() as op], comparators=[right]):
            pass
        case ast.Compare(left=right, ops=[ast.Gt() | ast.GtE() as op], comparators=[left]):
            pass
        case _:
            return None
    del op
    if same(right, target) and not mentions(left, target):
        return "min", left
    if same(left, target) and not mentions(right, target):
        return "max", right
    return None


def idiom(node: ast.If) -> Idiom | None:
    """The search for an extreme value that the `if` is, or None."""
    if node.orelse or not all(isinstance(stmt, ast.Assign) for stmt in node.body):
        return None
    for stmt in node.body:
        assert isinstance(stmt, ast.Assign)
        target = stmt.targets[0]
        found = _compared(node.test, target)
        if found is None or ast.unparse(found[1]) != ast.unparse(stmt.value):
            continue
        others = [s for s in node.body if s is not stmt and isinstance(s, ast.Assign)]
        names = {t.id for s in others for t in s.targets if isinstance(t, ast.Name)}
        plain = all(isinstance(t, ast.Name) for s in others for t in s.targets)
        if not plain or any(_reads(s.value, target, names) for s in others):
            return None
        kind = found[0] if not others else f"{found[0]}@{node.lineno}"
        return Idiom(target, kind, stmt, tuple(sorted(names)))
    return None


def _reads(value: ast.expr, target: ast.expr, names: set[str]) -> bool:
    used = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    return bool(used & names) or mentions(value, target) > 0
