"""Lists of the text that are pieces of others: what queues and levels of a search have in common.

A piece has the items of a list between two places there, which change as the nest goes on.  It may
be counted, asked whether it has items, and summed up.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from autopar.nest.text.building import Rewriting, load, mentions, ours, place
from autopar.nest.text.reading import LENGTH
from autopar.nest.trees import every
from autopar.records import dataclass

GOES_THROUGH = ("sum", "min", "max", "any", "all")
"""Builtins that do no more with a list than to go through it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the list `whole`.

    Attributes
    ----------
    first, end
        The names that say where it begins, and what comes behind it; None: where the list does.
    """

    whole: str
    first: str | None = None
    end: str | None = None

    @property
    def begin(self) -> ast.expr:
        """Where it begins."""
        return ast.Constant(0) if self.first is None else load(self.first)

    @property
    def stop(self) -> ast.expr:
        """What comes behind it."""
        return ours(LENGTH, self.whole) if self.end is None else load(self.end)

    @property
    def length(self) -> ast.expr:
        """How many items it has."""
        return ast.BinOp(self.stop, ast.Sub(), self.begin)

    @property
    def some(self) -> ast.expr:
        """Whether it has any."""
        return ast.Compare(self.stop, [ast.Gt()], [self.begin])

    @property
    def places(self) -> ast.expr:
        """Where its items are."""
        return ast.Call(load("range"), [self.begin, self.stop], [])

    def item(self, at: str) -> ast.expr:
        """That at a place of the list."""
        return ast.Subscript(load(self.whole), load(at), ast.Load())


def counted(node: ast.AST) -> Iterator[ast.expr]:
    """What of `node` is counted, or asked whether it has items."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[one], keywords=[]):
            yield one
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield from asked(test)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield from asked(test)


def gone_through(node: ast.AST) -> Iterator[ast.expr]:
    """What of `node` is gone through, and no more, while nothing changes it."""
    match node:
        case ast.For(iter=ast.Name() as one, body=body):
            if not any(mentions(inner, one.id) for inner in body):
                yield one
        case ast.Call(func=ast.Name(id=func), args=[one], keywords=[]) if func in GOES_THROUGH:
            yield one


def appended(node: ast.AST) -> Iterator[ast.expr]:
    """What gets one more item by the statement `node`."""
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=one, attr="append"), args=[item], keywords=[])
        ) if not isinstance(item, ast.Starred):
            yield one


def asked(test: ast.expr) -> Iterator[ast.expr]:
    """What of `test` is asked for its truth, and is nothing that is a question itself."""
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from asked(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from asked(operand)
        case _:
            yield test


def uses(
    parts: Sequence[ast.AST], name: str, known: Callable[[ast.AST], Iterator[ast.expr]]
) -> int:
    """How many uses of `name` are among those that are `known`."""
    return sum(is_named(one, name) for part in parts for one in known(part))


def is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def begins_first(
    nodes: Sequence[ast.stmt], name: str, begins: Callable[[ast.stmt, str], bool]
) -> bool:
    """Whether `name` has begun, by a statement that says so, wherever it is used."""
    for node in nodes:
        if begins(node, name):
            return True
        if not mentions(node, name):
            continue
        if not isinstance(node, ast.For | ast.While | ast.If):
            return False
        head = [node.target, node.iter] if isinstance(node, ast.For) else [node.test]
        if any(mentions(part, name) for part in head):
            return False
        if not all(begins_first(block, name, begins) for block in (node.body, node.orelse)):
            return False
    return True


def counts(nodes: Sequence[ast.stmt], names: Collection[str]) -> frozenset[str]:
    """The builtin that `nodes` count items of these lists with, if they do."""
    for node in nodes:
        for inner in every(node):
            match inner:
                case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if name in names:
                    return frozenset({"len"})
    return frozenset()


class Pieces(Rewriting):
    """Statements and expressions about pieces of lists, by name.

    Parameters
    ----------
    called
        Builtins that are called for them; see `counts`.
    """

    def __init__(self, pieces: Mapping[str, Piece], called: frozenset[str]) -> None:
        self.pieces, self.called = pieces, called
        self.count = 0

    def name(self, word: str, name: str) -> str:
        """A name that no user can write."""
        self.count += 1
        return f"<{word} {self.count} of {name}>"

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self.test(node.test)
        return self.generic_visit(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.test(node.test)
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self.test(node.test)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.ifs = list(map(self.test, node.ifs))
        return self.generic_visit(node)

    def test(self, node: ast.expr) -> ast.expr:
        """`node`, which is asked for its truth."""
        match node:
            case ast.BoolOp(values=values):
                node.values = list(map(self.test, values))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                node.operand = self.test(operand)
            case ast.Name(id=name) if name in self.pieces:
                return self.placed(self.pieces[name].some, node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if name in self.pieces:
                return self.placed(self.pieces[name].length, node)
            case ast.Call(func=ast.Name(id=func), args=[ast.Name(id=name)]) if (
                name in self.pieces and func in GOES_THROUGH
            ):
                at, piece = self.name("place", name), self.pieces[name]
                each = ast.comprehension(ast.Name(at, ast.Store()), piece.places, [], 0)
                node.args = [ast.GeneratorExp(piece.item(at), [each])]
                return self.placed(node, node)
        return self.generic_visit(node)

    def placed(self, made: ast.expr, node: ast.AST) -> ast.expr:
        place([made], node)
        return made

    def statements(self, made: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
        """`made`, in the place of `node`."""
        place(made, node)
        return made
