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
    Rewriting,
    append,
    assign,
    in_scope_of_its_own,
    load,
    mentions,
    often,
    ours,
    place,
    through,
)
from autopar.nest.text.comprehensions import Builtins
from autopar.nest.text.pieces import (
    Piece,
    Pieces,
    appended,
    begins_first,
    counted,
    counts,
    gone_through,
    uses,
)
from autopar.nest.text.reading import LENGTH
from autopar.nest.trees import all_copied, every


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


class _WrittenOut(Rewriting):
    """Such a comprehension as a loop."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        if self.name not in _chosen(node):
            return node
        assert isinstance(node.value, ast.ListComp)
        (one,) = node.value.generators
        own = {
            part.id: f"<{part.id} of {self.name}>"
            for part in every(one.target)
            if isinstance(part, ast.Name)
        }
        rename, after = Renamed(own).visit, f"<after {self.name}>"
        inside: ast.stmt = append(after, rename(node.value.elt))
        for test in reversed(one.ifs):
            inside = ast.If(rename(test), [inside], [])
        loop = ast.For(rename(one.target), one.iter, [inside], [])
        begun = ast.Assign([ast.Name(after, ast.Store())], ast.List([], ast.Load()))
        made = [begun, loop, assign(self.name, load(after))]
        place(made, node)
        return made


def _given(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names of which `node` gives one to the other."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
            yield name, other


def _is_level(nodes: Sequence[ast.stmt], parts: Sequence[ast.AST], name: str, after: str) -> bool:
    """Whether all that is done with both names is known of levels."""
    for one, known in ((name, _of_level), (after, _of_next)):
        if in_scope_of_its_own(nodes, one) or often(nodes, one) != uses(parts, one, known):
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
        if not places or not _begins(block[places[0]], after):
            continue
        stmts = block[places[0] : places[-1] + 1]
        if often(stmts, after) < often(nodes, after):
            return False  # what is around it sees one that has become this one
        if any(_begins(inner, name) for stmt in stmts for inner in every(stmt)):
            return False  # with another list
        return (name, after) in _given(stmts[-1])
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
        case _:
            yield from counted(node)
            yield from gone_through(node)


def _of_next(node: ast.AST) -> Iterator[ast.expr]:
    """What of `node` may be the next level."""
    match node:
        case ast.Assign(targets=[ast.Name() as one], value=ast.List(elts=[])):
            yield one
        case ast.Assign(targets=[ast.Name()], value=ast.Name() as one):
            yield one
        case _:
            yield from appended(node)
            yield from counted(node)


class _Levels(Pieces):
    """Statements and expressions about levels, about one list for each of them.

    Parameters
    ----------
    after
        By the names of levels, those of the next ones.
    """

    def __init__(self, after: dict[str, str], called: frozenset[str]) -> None:
        pieces = {name: Piece(name, _begin(name), _end(name)) for name in after}
        pieces |= {other: Piece(name, _end(name)) for name, other in after.items()}
        super().__init__(pieces, called)
        self.after = after

    # ------------------------------------------------------------------ statements

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self.after:
                made: list[ast.stmt] = [assign(_begin(name), load(_end(name)))]
                if not isinstance(node.value, ast.Name):  # else the next one, which is behind it
                    self.generic_visit(node)
                    made = [Builtins(self.called), node, assign(_begin(name), ast.Constant(0))]
                return self.statements([*made, assign(_end(name), ours(LENGTH, name))], node)
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self.pieces:
                # Of one that was left behind, there are items that this one has not.
                nothing = ast.Constant(0)
                limits = [self.pieces[name].length, nothing, nothing]
                ok = ast.Call(load("<within>"), limits, [])
                return self.statements([assign(self.name("ok", name), ok)], node)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        match node.iter:
            case ast.Name(id=name) if name in self.after:
                # What it makes grows behind: that is no place for a loop over a range of the list.
                at, piece = self.name("at", name), self.pieces[name]
                body, node.orelse = self.block(node.body), self.block(node.orelse)
                made = through(node, name, at, (piece.begin, piece.stop), body)
                return self.statements(made, node)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        for owner in appended(node):
            if isinstance(owner, ast.Name) and owner.id in self.pieces:
                owner.id = self.pieces[owner.id].whole
        return self.generic_visit(node)


def _begin(name: str) -> str:
    return f"<begin of {name}>"


def _end(name: str) -> str:
    return f"<end of {name}>"
