"""Sets of integers that a nest makes, as lists in order.

``seen = set()`` becomes ``seen = []``, and ``seen.add(v)`` puts `v` at its place there, unless it
is there already.  So a set is taken where nothing depends on the order that Python has for it: it
may be counted, added to, asked with ``in``, and gone through when it has been sorted.  To find the
place takes as many steps as there are items, so a nest gives up when a set gets large.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from autopar.nest.text.building import Renamed, Rewriting, load, mentions, place
from autopar.nest.text.comprehensions import Builtins
from autopar.nest.trees import all_copied, every

_MOST = 512
"""Items beyond which Python's own sets are faster."""

_ADD = ast.parse(
    f"""
V = VALUE
K = INDEX(V)
P = len(S)
while P > 0 and S[P - 1] > K:
    P = P - 1
if P == 0 or S[P - 1] != K:
    W = WITHIN(P, 0, {_MOST})
    W = WITHIN(len(S), 0, {_MOST - 1})
    S.append(V)
    Q = len(S) - 1
    while Q > P:
        S[Q] = S[Q - 1]
        Q = Q - 1
    S[P] = V
"""
).body


def as_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with lists in place of their sets.

    Parameters
    ----------
    live
        Whether a name may be read afterwards: that of a set must not be.
    """
    made = {name for node in nodes for name in _begun(node)}
    found = {name for name in made if not live(name) and _is_known(nodes, name)}
    if not found:
        return nodes
    return _Lists(found).block(all_copied(nodes))


def _begun(node: ast.stmt) -> Iterator[str]:
    """Names that are given an empty set in `node`."""
    for inner in every(node):
        match inner:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="set"), args=[], keywords=[]),
            ):
                yield name


def _is_known(nodes: Sequence[ast.stmt], name: str) -> bool:
    """Whether all that `nodes` do with the set `name` is what can be done with a list in order."""
    uses = sum(
        isinstance(inner, ast.Name) and inner.id == name for n in nodes for inner in every(n)
    )
    known, added = 0, False
    for node in nodes:
        for inner in every(node):
            match inner:
                case ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=one), attr="add"),
                        args=[value],
                        keywords=[],
                    )
                ) if one == name and not isinstance(value, ast.Starred):
                    known, added = known + 1, True
                case _:
                    known += sum(isinstance(e, ast.Name) and e.id == name for e in _read(inner))
    return added and known == uses


def _read(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of `node` that may be a set, whatever its order."""
    match node:
        case ast.Assign(
            targets=[ast.Name() as target],
            value=ast.Call(func=ast.Name(id="set"), args=[], keywords=[]),
        ):
            yield target
        case ast.Call(func=ast.Name(id="len" | "sorted"), args=[one], keywords=[]):
            yield one
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[one]):
            if isinstance(left, ast.Name | ast.Constant):
                yield one
        case ast.If(test=one) | ast.While(test=one) | ast.IfExp(test=one):
            yield one
        case ast.UnaryOp(op=ast.Not(), operand=one):
            yield one
        case ast.BoolOp(values=values):
            yield from values


class _Lists(Rewriting):
    """Statements and expressions about the sets `names`, about lists."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.count = 0

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self.names:
                node.value = ast.copy_location(ast.List([], ast.Load()), node.value)
                return [ast.copy_location(_CALLED, node), node]
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        call = node.value
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="add")):
                if name in self.names:
                    return self.added(name, self.visit(call.args[0]), node)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        match node.iter:
            case ast.Call(func=ast.Name(id="sorted"), args=[ast.Name(id=name) as whole]) if (
                name in self.names and not any(mentions(inner, name) for inner in node.body)
            ):
                node.iter = whole  # nothing changes it on the way
                node.body = self.block(node.body)
                node.orelse = self.block(node.orelse)
                return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="sorted"), args=[ast.Name(id=name)]) if (
                name in self.names
            ):
                each = self.name(name, "item")
                through = ast.comprehension(ast.Name(each, ast.Store()), load(name), [], 0)
                return _placed(ast.ListComp(load(each), [through]), node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:
            case ast.Compare(
                left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Name(id=name)]
            ) if name in self.names:
                each = self.name(name, "item")
                through = ast.comprehension(ast.Name(each, ast.Store()), load(name), [], 0)
                equal = ast.Compare(load(each), [ast.Eq()], [left])
                asked = ast.Call(load("any"), [ast.GeneratorExp(equal, [through])], [])
                found = asked if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), asked)
                return _placed(found, node)
        return self.generic_visit(node)

    def added(self, name: str, value: ast.expr, node: ast.Expr) -> list[ast.stmt]:
        """``name.add(value)``."""
        words = {"V": "item", "K": "number", "P": "place", "Q": "last", "W": "ok"}
        names = {short: self.name(name, word) for short, word in words.items()}
        names |= {"S": name, "INDEX": "<index>", "WITHIN": "<within>"}
        made = [Renamed(names).visit(stmt) for stmt in all_copied(_ADD)]
        made[0].value = value
        for inner in (inner for stmt in made for inner in every(stmt)):
            if "lineno" in inner._attributes and inner is not value:
                ast.copy_location(inner, node)
        return made

    def name(self, name: str, word: str) -> str:
        """A name that no user can write."""
        self.count += 1
        return f"<{word} {self.count} of {name}>"


_CALLED = Builtins(frozenset({"set", "len", "sorted"}))
"""What `_read` knows by name, of which a list in order needs no call."""


def _placed(made: ast.expr, node: ast.AST) -> ast.expr:
    place([made], node)
    return made
