"""Names that several loops give to items, each for itself: another name in each of these loops.

``for v in counts: …`` and then ``for v in weights: …`` have integers under that name, and then
floats; a variable of a nest has one type.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from autopar.nest.ir import COUNTING
from autopar.nest.text.building import Renamed, in_scope_of_its_own, mentions, often
from autopar.nest.text.iteration import called
from autopar.nest.trees import all_copied, every

_SEQUENCES = frozenset(("enumerate", "zip", "reversed", "list", "tuple", "sorted"))


def apart(nodes: Sequence[ast.stmt], live: Callable[[str], bool]) -> Sequence[ast.stmt]:
    """`nodes` with a name for each of such loops.

    Parameters
    ----------
    live
        Whether a name may be read afterwards.
    """
    loops = [part for node in nodes for part in every(node) if _through_items(part)]
    names = [{*_targets(loop)} for loop in loops]
    twice = {name for k, some in enumerate(names) for name in some for s in names[:k] if name in s}
    twice = {name for name in twice if not live(name)}
    if not twice:
        return nodes
    made = all_copied(nodes)
    parts = [part for node in made for part in every(node)]
    copies = [part for part in parts if isinstance(part, ast.For) and _through_items(part)]
    for name in sorted(twice):
        mine = [loop for loop in copies if name in _targets(loop)]
        if _only_there(made, mine, name):
            for number, loop in enumerate(mine[1:], 2):
                rename = Renamed({name: f"<{name} again {number}>"}).visit
                loop.target = rename(loop.target)
                loop.body = list(map(rename, loop.body))
                loop.orelse = list(map(rename, loop.orelse))
    return made


def _through_items(node: ast.AST) -> bool:
    """Whether a loop goes through something other than numbers: these have places of their own."""
    if not isinstance(node, ast.For):
        return False
    name = called(node.iter)
    return name is None or name in _SEQUENCES or name not in COUNTING


def _targets(node: ast.AST) -> Iterator[str]:
    """Names that the loop `node` gives to items."""
    assert isinstance(node, ast.For)
    for part in every(node.target):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _only_there(nodes: Sequence[ast.stmt], loops: Sequence[ast.For], name: str) -> bool:
    """Whether `name` is nothing outside of these loops, none of which stands in another."""
    if in_scope_of_its_own(nodes, name) or any(mentions(loop.iter, name) for loop in loops):
        return False
    inside = {id(part) for loop in loops for stmt in loop.body for part in every(stmt)}
    if any(id(loop) in inside for loop in loops):
        return False
    there = sum(often([loop.target, *loop.body, *loop.orelse], name) for loop in loops)
    return often(nodes, name) == there
