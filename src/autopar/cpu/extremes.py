"""Sums of 64 bits with the same number in all iterations of a loop: did one of them overflow?

Of ``distance = here + path[k, j]`` for all `j`, the first to leave 64 bits would be that with the
largest ``path[k, j]``, or the smallest.  So an innermost loop keeps these two instead of looking at
each sum::

    for j in range(at, until):
        low = min(low, path[k, j])
        high = max(high, path[k, j])
        …
    if low <= high:
        odd |= …                                  # here + low
        odd |= …                                  # here + high

Where several sums have the same elements, as those of rows that go on together, they share them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from autopar.cpu.pieces import depth_of, end_of
from autopar.cpu.writer import LEAST as _LEAST
from autopar.nest.trees import every
from autopar.records import dataclass

_MOST = f"int64({2**63 - 1})"


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of which it is asked whether it has left 64 bits.

    Attributes
    ----------
    flag
        What is set then.
    number, element
        What is the same in all iterations, and the text of what is another in each.
    """

    flag: str
    number: str
    element: str


def shared(lines: Sequence[str]) -> list[str]:
    """The lines of a kernel's body with extremes in the place of questions, where that helps.

    No two of the kernel's arrays may share memory.
    """
    found: list[str] = []
    number = k = 0
    while k < len(lines):
        if lines[k].lstrip().startswith("for "):
            end = end_of(lines, k)
            loop = _watched(lines[k:end], number)
            if loop is not None:
                found += loop
                number, k = number + 1, end
                continue
        found.append(lines[k])
        k += 1
    return found


def _watched(lines: Sequence[str], number: int) -> list[str] | None:
    """The loop that `lines` are, with its extremes; None where it stays as it is."""
    inside = [line.lstrip() for line in lines[1:]]
    leaves = ("for ", "while ", "break", "continue", "return")
    if any(line.startswith(leaves) for line in inside) or not any(" < 0" in x for x in inside):
        return None
    depth = depth_of(lines[0])
    (loop,) = ast.parse("\n".join(line[depth:] for line in lines)).body
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return None
    known = _Names(loop, every(loop))
    # An element that some iterations do without may not even exist.
    always = _Names(loop, loop.body)
    asked = dict.fromkeys(one for one in map(always.asked, loop.body) if one is not None)
    if not asked:
        return None
    found: list[str] = []
    tracked: list[str] = []
    after: list[str] = []
    for k, element in enumerate(dict.fromkeys(one.element for one in asked)):
        here, low, high = (f"{word}{number}_{k}_" for word in ("here", "low", "high"))
        found += [f"{low} = {_MOST}", f"{high} = {_LEAST}"]
        tracked += [f"{here} = {element}", f"{low} = min({low}, {here})"]
        tracked += [f"{high} = max({high}, {here})"]
        after.append(f"if {low} <= {high}:")
        for one in asked:
            if one.element == element:
                after += (f"    {line}" for end in (low, high) for line in _question(one, end))
    body = _without(loop.body, known, asked)
    tracked += (line for stmt in body for line in ast.unparse(stmt).splitlines())
    found += [lines[0][depth:], *(f"    {line}" for line in tracked), *after]
    return [" " * depth + line for line in found]


def _question(one: _Sum, end: str) -> Iterator[str]:
    """Lines that ask whether the sum with that element has left 64 bits."""
    yield f"sum{end} = {one.number} + {end}"
    yield f"{one.flag} |= (({one.number} ^ sum{end}) & ({end} ^ sum{end})) < 0"


def _without(stmts: Sequence[ast.stmt], known: _Names, asked: Collection[_Sum]) -> list[ast.stmt]:
    """`stmts` without the questions that extremes answer."""
    made: list[ast.stmt] = []
    for stmt in stmts:
        if known.asked(stmt) in asked:
            continue
        if isinstance(stmt, ast.If):
            body = _without(stmt.body, known, asked) or [ast.Pass()]
            made.append(ast.If(stmt.test, body, _without(stmt.orelse, known, asked)))
        else:
            made.append(stmt)
    return made


class _Names:
    """What names in a loop stand for, by the assignments in `where`."""

    def __init__(self, loop: ast.For, where: Sequence[ast.AST]) -> None:
        assert isinstance(loop.target, ast.Name)
        self.var = loop.target.id
        nodes = list(every(loop))
        stores = Counter(n.id for n in nodes if isinstance(n, ast.Name) and _stores(n))
        self.assigned = frozenset(stores)
        self.stored = frozenset(
            n.value.id
            for n in nodes
            if isinstance(n, ast.Subscript) and _stores(n) and isinstance(n.value, ast.Name)
        )
        self.means: dict[str, ast.expr] = {}
        for node in where:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if stores[name] == 1:
                    self.means[name] = value

    def asked(self, stmt: ast.stmt) -> _Sum | None:
        """The sum of which `stmt` asks whether it has left 64 bits, if it does nothing else."""
        match stmt:
            case ast.AugAssign(
                target=ast.Name(id=flag),
                op=ast.BitOr(),
                value=ast.Compare(
                    left=ast.BinOp(
                        left=ast.BinOp(ast.Name(one), ast.BitXor(), ast.Name(total)),
                        op=ast.BitAnd(),
                        right=ast.BinOp(ast.Name(two), ast.BitXor(), ast.Name(other)),
                    ),
                    ops=[ast.Lt()],
                    comparators=[ast.Constant(value=0)],
                ),
            ) if total == other:
                pass
            case _:
                return None
        match self.means.get(total):
            case ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=ast.Name(id=right)) if (
                left,
                right,
            ) == (one, two):
                pass
            case _:
                return None
        for number, element in ((one, two), (two, one)):
            same, text = self.same(number), self.element(element)
            if same is not None and text is not None:
                return _Sum(flag, same, text)
        return None

    def same(self, name: str) -> str | None:
        """What `name` is in all iterations; None where it may differ."""
        found = self.means.get(name)
        if isinstance(found, ast.Name):
            name = found.id
        return None if name in self.assigned else name

    def element(self, name: str) -> str | None:
        """The element of an array that `name` is, if the loop leaves the array alone."""
        found = self.means.get(name)
        match found:
            case ast.Subscript(value=ast.Name(id=array), slice=index) if array not in self.stored:
                inner = [
                    node for node in every(index) if isinstance(node, ast.Name | ast.Subscript)
                ]
                if all(isinstance(n, ast.Name) for n in inner):
                    names = {n.id for n in inner if isinstance(n, ast.Name)}
                    if not names & self.assigned - {self.var}:
                        return ast.unparse(found)
        return None


def _stores(node: ast.Name | ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Store)
