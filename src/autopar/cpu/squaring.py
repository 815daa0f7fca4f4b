"""Squares, and other powers, that stand side by side in kernel text, found at once.

Whether a product is the square that C's ``pow`` returns (`cpu.powers`) takes some operations and a
branch, with a call behind it that no vector holds.  Of several squares in statements that follow
one another, all products and all tests are vectors, with one branch for all of them::

    a = a + squared(x[i] - u)           sq0_, sq1_ = squares_(x[i] - u, y[i] - v)
    b = b + squared(y[i] - v)           a = a + sq0_
                                        b = b + sq1_

References
----------
S. Larsen, S. Amarasinghe, "Exploiting superword level parallelism with multimedia instruction
sets", PLDI 2000: what is packed here is known beforehand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from autopar.cpu.powers import PLAIN, SQUARES
from autopar.nest.trees import children, every
from autopar.records import dataclass, field

MOST = 8
"""Squares that are found at once: the widest vectors have as many."""
_WORD = "squared"
_WORDS = {_WORD: SQUARES, **{word: word for word in PLAIN if word != SQUARES}}
"""Those for one power and, by these, for several."""
_CALL = re.compile(rf"\b({'|'.join(_WORDS)})\(")


def together(lines: Sequence[str]) -> list[str]:
    """The lines of a kernel's body, with squares that do not need one another found at once."""
    if sum(len(_CALL.findall(line)) for line in lines) < 2:
        return list(lines)
    depth = len(lines[0]) - len(lines[0].lstrip())
    tree = ast.parse("\n".join(line[depth:] for line in lines))
    finder = _Finder()
    body = finder.block(tree.body)
    if not finder.count:
        return list(lines)
    text = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    return [" " * depth + line for line in text.splitlines()]


@dataclass(slots=True)
class _Group:
    """Squares that may be found in front of a statement.

    Attributes
    ----------
    at
        Number of that statement in its block.
    found
        The calls.
    changed
        Names that have been assigned since.
    stored
        Whether elements of arrays have been stored since.
    """

    at: int
    found: list[ast.Call] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    stored: bool = False

    def takes(self, call: ast.Call) -> bool:
        """Whether the power may be found there, too."""
        (operand,) = call.args
        if self.found and ast.dump(self.found[0].func) != ast.dump(call.func):
            return False
        parts = list(every(operand))
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        loaded = any(isinstance(part, ast.Subscript) for part in parts)
        return len(self.found) < MOST and not names & self.changed and not (loaded and self.stored)


class _Finder:
    """Groups of squares in the blocks of a kernel; `count` squares have been put together."""

    def __init__(self) -> None:
        self.count = 0

    def block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        groups: list[_Group] = []
        open_: _Group | None = None
        for at, stmt in enumerate(stmts):
            match stmt:
                case ast.Assign() | ast.AugAssign():
                    for call in _calls(stmt):
                        if open_ is None or not open_.takes(call):
                            open_ = _Group(at)
                            groups.append(open_)
                        open_.found.append(call)
                    if open_ is not None:
                        _note(open_, stmt)
                case _:
                    open_ = None
                    for name in ("body", "orelse"):
                        inner = getattr(stmt, name, None)
                        if inner:
                            setattr(stmt, name, self.block(inner))
        first: dict[int, list[ast.stmt]] = {group.at: [] for group in groups}
        for group in groups:
            if len(group.found) > 1:
                first[group.at].append(self.at_once(group))
        for at, stmt in enumerate(stmts):
            made += first.get(at, ())
            made.append(stmt)
        return made

    def at_once(self, group: _Group) -> ast.stmt:
        """The statement that finds them; each call becomes the name of what it found."""
        operands = [call.args[0] for call in group.found]
        (word,) = {call.func.id for call in group.found if isinstance(call.func, ast.Name)}
        targets: list[ast.expr] = []
        for call in group.found:
            name = f"sq{self.count}_"
            self.count += 1
            targets.append(ast.Name(name, ast.Store()))
            call.func, call.args = ast.Name("float64", ast.Load()), [ast.Name(name, ast.Load())]
        call = ast.Call(ast.Name(_WORDS[word], ast.Load()), operands, [])
        return ast.Assign([ast.Tuple(targets, ast.Store())], call)


def _calls(stmt: ast.stmt) -> Iterator[ast.Call]:
    """The squares in `stmt` that are found in any case, none in another's operand."""

    def visit(node: ast.AST) -> Iterator[ast.Call]:
        match node:
            case ast.IfExp(test=test):
                yield from visit(test)
            case ast.BoolOp(values=[first, *_]):
                yield from visit(first)
            case ast.Call(func=ast.Name(id=word)) if word in _WORDS:
                yield node
            case _:
                for child in children(node):
                    yield from visit(child)

    return visit(stmt)


def _note(group: _Group, stmt: ast.Assign | ast.AugAssign) -> None:
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
    for part in (part for target in targets for part in every(target)):
        if isinstance(part, ast.Subscript):
            group.stored = True
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            group.changed.add(part.id)
