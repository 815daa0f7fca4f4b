"""Loops in pieces within which no subscript starts from the beginning again.

On a torus, ``(j - 1) % n`` is ``n - 1`` once, and ``j - 1`` in all other iterations.  LLVM divides
in each, and does not know that the elements lie side by side.  So an innermost loop that goes
through such remainders, or quotients, is cut where one of them starts anew: in a piece, all
quotients stay what they are in its first iteration, and all remainders grow with the variable::

    while at_ < end_:
        left_ = (at_ - 1) % n
        base_ = (at_ - 1) - left_
        until_ = at_ + min(end_ - at_, n - left_)
        for j in range(at_, until_):
            … (j - 1) - base_ …
        at_ = until_

References
----------
Index-set splitting: R. Allen, K. Kennedy, *Optimizing Compilers for Modern Architectures*, section
5.7; here the places are found as the loop runs, from Python's division, which rounds down.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autopar.records import dataclass

_LONG = 64
"""Iterations, or a divisor, that are worth a piece of a loop, where they are known."""


def cut(lines: Sequence[str]) -> list[str]:
    """The lines of a kernel's body with innermost loops in pieces where that helps."""
    if not any(" % " in line or " // " in line for line in lines):
        return list(lines)
    found: list[str] = []
    number = k = 0
    while k < len(lines):
        end = k + 1
        if lines[k].lstrip().startswith("for "):
            depth = _depth(lines[k])
            while end < len(lines) and _depth(lines[end]) > depth:
                end += 1
            pieces = _pieces(lines[k:end], number)
            if pieces is not None:
                found += [" " * depth + line for line in pieces]
                number, k = number + 1, end
                continue
        found.append(lines[k])
        k += 1
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _pieces(lines: Sequence[str], number: int) -> list[str] | None:
    """The loop that `lines` are, in pieces; None where it stays as it is."""
    inside = [line.lstrip() for line in lines[1:]]
    if any(line.startswith(("for ", "while ", "break")) for line in inside):
        return None
    if not any(" % " in line or " // " in line for line in inside):
        return None
    depth = _depth(lines[0])
    (loop,) = ast.parse("\n".join(line[depth:] for line in lines)).body
    assert isinstance(loop, ast.For)
    match loop:
        case ast.For(target=ast.Name(id=var), iter=ast.Call(args=[start, stop])):
            pass
        case _:
            return None
    if _short(start, stop):
        return None
    stored = {
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    periods: dict[str, _Period] = {}
    replaced = _Replacing(var, stored, periods, number)
    body = [replaced.visit(stmt) for stmt in loop.body]
    if not periods:
        return None
    at, end, until = f"at{number}_", f"end{number}_", f"until{number}_"
    nearest = ", ".join((f"{end} - {at}", *(period.length() for period in periods.values())))
    return [
        f"{at} = int64({ast.unparse(start)})",
        f"{end} = int64({ast.unparse(stop)})",
        f"while {at} < {end}:",
        *(f"    {line}" for period in periods.values() for line in period.start(var, at)),
        f"    {until} = {at} + min({nearest})",
        f"    for {var} in range({at}, {until}):",
        *(f"        {line}" for stmt in body for line in ast.unparse(stmt).splitlines()),
        f"    {at} = {until}",
    ]


def _short(start: ast.expr, stop: ast.expr) -> bool:
    """Whether a loop is known to have few iterations: LLVM writes them out."""
    try:
        low, high = ast.literal_eval(start), ast.literal_eval(stop)
    except ValueError:
        return False
    return bool(high - low < _LONG)


@dataclass(frozen=True, slots=True)
class _Period:
    """What is divided in each iteration of a loop, and by what.

    Attributes
    ----------
    over, by
        The two; `over` goes one up, or down, from iteration to iteration.
    up
        Which of the two.
    name
        What tells its variables from those of others.
    """

    over: ast.expr
    by: str
    up: bool
    name: str

    def start(self, var: str, at: str) -> Iterator[str]:
        """Lines that find quotient and remainder of the first iteration of a piece, at `at`."""
        over = ast.parse(ast.unparse(self.over), mode="eval")
        first = ast.unparse(_Renaming(var, at).visit(over))
        yield f"left{self.name} = ({first}) % {self.by}"
        yield f"turns{self.name} = ({first}) // {self.by}"
        yield f"base{self.name} = ({first}) - left{self.name}"

    def length(self) -> str:
        """How many iterations from there have the same quotient."""
        return f"{self.by} - left{self.name}" if self.up else f"left{self.name} + 1"


class _Renaming(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self.new if node.id == self.old else node.id, node.ctx)


class _Replacing(ast.NodeTransformer):
    """Puts what needs no division in place of quotients and remainders, and notes them."""

    def __init__(
        self, var: str, stored: set[str], periods: dict[str, _Period], number: int
    ) -> None:
        self.var, self.stored, self.periods, self.number = var, stored, periods, number

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mod | ast.FloorDiv) or not self.long(node.right):
            return node
        slope = self.slope(node.left)
        if slope not in (1, -1):
            return node
        by = ast.unparse(node.right)
        key = f"{ast.unparse(node.left)} % {by}"
        if key not in self.periods:
            name = f"{self.number}_{len(self.periods)}_"
            self.periods[key] = _Period(node.left, by, slope > 0, name)
        name = self.periods[key].name
        if isinstance(node.op, ast.FloorDiv):
            return ast.Name(f"turns{name}", ast.Load())
        return ast.BinOp(node.left, ast.Sub(), ast.Name(f"base{name}", ast.Load()))

    def long(self, divisor: ast.expr) -> bool:
        """Whether iterations agree on the divisor, which is not known to be small."""
        match divisor:
            case ast.Constant(value=int() as value):
                return value >= _LONG
        return self.slope(divisor) == 0

    def slope(self, expr: ast.expr) -> int | None:
        """By how much an integer grows from iteration to iteration; None if that is not known."""
        match expr:
            case ast.Constant(value=int()):
                return 0
            case ast.Name(id=name):
                return 1 if name == self.var else None if name in self.stored else 0
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()
            ):
                return 0
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                found = self.slope(operand)
                return None if found is None else -found
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                one, two = self.slope(left), self.slope(right)
                if one is None or two is None:
                    return None
                return one + two if isinstance(op, ast.Add) else one - two
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return 0 if self.slope(left) == self.slope(right) == 0 else None
        return None
