"""Lists that are gone through to make the next one: the levels of a search.

::

    layer = [s]                      layer = [s]; begin, end = 0, 1
    while layer:                     while end > begin:
        after = []
        for u in layer:                  for u in layer[begin:end]:
            … after.append(v)                … layer.append(v)
        layer = after                    begin, end = end, len(layer)

So is ``layer = [v for v in layer if …]``.  One list has all of them, one after the other: each is
a part of it, and the next one grows at its end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from autopar.nest.text.building import (
    Renamed,
    append,
    assign,
    load,
    mentions,
    ours,
    place,
)
from autopar.nest.text.comprehensions import Builtins
from autopar.nest.text.queues import GOES_THROUGH, asked, begins_first, counts, is_named
from autopar.nest.text.reading import LENGTH
from autopar.nest.trees import all_copied, every

_ELSEWHERE = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def as_lists(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with one list for all levels.

    Parameters
    ----------
    live
        Whether a name may be read afterwards: those of levels must not be.
    """
    found, nodes = _found(nodes, live), [*nodes]
    for name in sorted({one for node in nodes for part in every(node) for one in _chosen(part)}):
        written = _WrittenOut(name).block(all_copied(nodes))
        more = _found(written, live)
        if name in more:
            found, nodes = more, written
    if not found:
        return nodes
    return _Levels(found, counts(nodes, {*found, *found.values()})).block(all_copied(nodes))


def _found(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> dict[str, str]:
    """The names of levels, and of the next ones."""
    parts = [part for node in nodes for part in every(node)]
    given = [pair for part in parts for pair in _given(part)]
    found: dict[str, str] = {}
    for name, after in sorted(set(given)):
        alone = sum(name in pair or after in pair for pair in given) == 1
        if alone and not (live(name) or live(after)) and _is_level(nodes, parts, name, after):
            found[name] = after
    return found


def _chosen(node: ast.AST) -> Iterator[str]:
    """The name of a level that is made of what is in it: ``layer = [v for v in layer if …]``."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.ListComp(generators=[ast.comprehension(iter=ast.Name(id=found)) as one]),
        ) if name == found and not one.is_async:
            yield name


class _WrittenOut(ast.NodeTransformer):
    """Such a comprehension as a loop."""

    def __init__(self, name: str) -> None:
        self.name = name

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in nodes:
            found = self.visit(node)
            made += found if isinstance(found, list) else [found]
        return made

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        if self.name not in _chosen(node):
            return node
        assert isinstance(node.value, ast.ListComp)
        (through,) = node.value.generators
        own = {
            part.id: f"<{part.id} of {self.name}>"
            for part in every(through.target)
            if isinstance(part, ast.Name)
        }
        rename, after = Renamed(own).visit, f"<after {self.name}>"
        inside: ast.stmt = append(after, rename(node.value.elt))
        for test in reversed(through.ifs):
            inside = ast.If(rename(test), [inside], [])
        loop = ast.For(rename(through.target), through.iter, [inside], [])
        begun = ast.Assign([ast.Name(after, ast.Store())], ast.List([], ast.Load()))
        return _placed([begun, loop, assign(self.name, load(after))], node)


def _given(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names of which `node` gives one to the other."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
            yield name, other


def _is_level(nodes: Sequence[ast.stmt], parts: Sequence[ast.AST], name: str, after: str) -> bool:
    """Whether all that is done with both names is known of levels."""
    for part in parts:
        if isinstance(part, _ELSEWHERE) and (mentions(part, name) or mentions(part, after)):
            return False
    for one, uses in ((name, _of_level), (after, _of_next)):
        number = sum(isinstance(part, ast.Name) and part.id == one for part in parts)
        known = sum(is_named(used, one) for part in parts for used in uses(part))
        if number != known:
            return False
    begun = [p for p in parts if _begins(p, name)]
    return bool(begun) and begins_first(nodes, name, _begins) and _in_one_block(nodes, name, after)


def _begins(node: ast.AST, name: str) -> bool:
    """Whether a level begins with some items that are written out."""
    match node:
        case ast.Assign(targets=[ast.Name(id=found)], value=ast.List(elts=items)):
            return found == name and not any(
                isinstance(item, ast.Starred) or mentions(item, name) for item in items
            )
    return False


def _in_one_block(nodes: Sequence[ast.stmt], name: str, after: str) -> bool:
    """Whether the next level begins and becomes this one in one block, and is nothing elsewhere."""
    for block in _blocks(nodes):
        places = [k for k, node in enumerate(block) if mentions(node, after)]
        if not places:
            continue
        if len(places) > 1 or isinstance(block[places[0]], ast.Assign):
            stmts = block[places[0] : places[-1] + 1]
            if any(_begins(inner, name) for stmt in stmts for inner in every(stmt)):
                return False  # with another list
            return _begins(stmts[0], after) and (name, after) in _given(stmts[-1])
    return False


def _blocks(nodes: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """All blocks, the outer ones first."""
    yield nodes
    for node in nodes:
        for word in ("body", "orelse", "finalbody"):
            block = getattr(node, word, None)
            if isinstance(block, list):
                yield from _blocks(block)


def _of_level(node: ast.AST) -> Iterator[ast.expr]:
    """What of `node` may be a level."""
    match node:
        case ast.Assign(targets=[ast.Name() as one], value=ast.List() | ast.Name()):
            yield one
        case ast.For(iter=ast.Name() as one, body=body):
            if not any(mentions(inner, one.id) for inner in body):
                yield one
        case ast.Call(func=ast.Name(id=func), args=[one], keywords=[]) if func in GOES_THROUGH:
            yield one
        case _:
            yield from _counted(node)


def _of_next(node: ast.AST) -> Iterator[ast.expr]:
    """What of `node` may be the next level."""
    match node:
        case ast.Assign(targets=[ast.Name() as one], value=ast.List(elts=[])):
            yield one
        case ast.Assign(targets=[ast.Name()], value=ast.Name() as one):
            yield one
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=one, attr="append"), args=[item], keywords=[])
        ) if not isinstance(item, ast.Starred):
            yield one
        case _:
            yield from _counted(node)


def _counted(node: ast.AST) -> Iterator[ast.expr]:
    """What of `node` is counted, or asked whether it has items."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[one], keywords=[]):
            yield one
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield from asked(test)


class _Levels(ast.NodeTransformer):
    """Statements and expressions about levels, about one list for each of them.

    Parameters
    ----------
    after
        By the names of levels, those of the next ones.
    called
        Builtins that are called for them.
    """

    def __init__(self, after: dict[str, str], called: frozenset[str]) -> None:
        self.called = called
        self.lists = {one: name for name, two in after.items() for one in (name, two)}
        self.after = after
        self.count = 0

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in nodes:
            found = self.visit(node)
            made += found if isinstance(found, list) else [found]
        return made

    # ------------------------------------------------------------------ statements

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self.after:
                if isinstance(node.value, ast.Name):  # the next one, which has grown behind it
                    made = [assign(_begin(name), load(_end(name)))]
                else:
                    self.generic_visit(node)
                    made = [Builtins(self.called), node, assign(_begin(name), ast.Constant(0))]
                return _placed([*made, assign(_end(name), ours(LENGTH, name))], node)
            case ast.Assign(targets=[ast.Name(id=after)]) if after in self.lists:
                # Of one that was left behind, there are items that this one has not.
                self.count += 1
                name, nothing = self.lists[after], ast.Constant(0)
                over = ast.BinOp(ours(LENGTH, name), ast.Sub(), load(_end(name)))
                ok = ast.Call(load("<within>"), [over, nothing, nothing], [])
                return _placed([assign(f"<ok {self.count} of {name}>", ok)], node)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        match node.iter:
            case ast.Name(id=name) if name in self.after:
                self.count += 1
                at = f"<at {self.count} of {name}>"
                body = [
                    ast.Assign([node.target], ast.Subscript(load(name), load(at), ast.Load())),
                    assign(at, ast.BinOp(load(at), ast.Add(), ast.Constant(1))),
                    *self.block(node.body),
                ]
                more = ast.Compare(load(at), [ast.Lt()], [load(_end(name))])
                loop = ast.While(more, body, self.block(node.orelse))
                return _placed([assign(at, load(_begin(name))), loop], node)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self.test(node.test)
        return self.generic_visit(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.test(node.test)
        return self.generic_visit(node)

    # ------------------------------------------------------------------ expressions

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self.test(node.test)
        return self.generic_visit(node)

    def test(self, node: ast.expr) -> ast.expr:
        """`node`, which is asked for its truth."""
        match node:
            case ast.BoolOp(values=values):
                node.values = list(map(self.test, values))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                node.operand = self.test(operand)
            case ast.Name(id=name) if name in self.lists:
                more = ast.Compare(self.length(name), [ast.Gt()], [ast.Constant(0)])
                place([more], node)
                return more
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if name in self.lists:
                length = self.length(name)
                place([length], node)
                return length
            case ast.Call(func=ast.Name(id=func), args=[ast.Name(id=name)]) if (
                name in self.after and func in GOES_THROUGH
            ):
                self.count += 1
                at = f"<at {self.count} of {name}>"
                item = ast.Subscript(load(name), load(at), ast.Load())
                places = ast.Call(load("range"), [load(_begin(name)), load(_end(name))], [])
                each = ast.comprehension(ast.Name(at, ast.Store()), places, [], 0)
                node.args = [ast.GeneratorExp(item, [each])]
                place([node], node)
                return node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=after) as owner, attr="append")) if (
                after in self.lists
            ):
                owner.id = self.lists[after]
        return self.generic_visit(node)

    def length(self, name: str) -> ast.expr:
        """How many items a level has, or the next one so far."""
        if name in self.after:
            return ast.BinOp(load(_end(name)), ast.Sub(), load(_begin(name)))
        whole = self.lists[name]
        return ast.BinOp(ours(LENGTH, whole), ast.Sub(), load(_end(whole)))


def _begin(name: str) -> str:
    return f"<begin of {name}>"


def _end(name: str) -> str:
    return f"<end of {name}>"


def _placed(made: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
    place(made, node)
    return made
