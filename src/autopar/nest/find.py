"""Finds the loops of a module and says for each whether it is a nest.

The largest loop that can be taken is; the loops inside it become candidates of their own, asked
only when the outer one has been declined at run time.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autopar.nest.counted import outermost, promising
from autopar.nest.ir import Nest
from autopar.nest.iteration import COUNTING, called
from autopar.nest.lift import Loop, lift
from autopar.nest.live import live_after_loops, reads_frames
from autopar.verdict import Reason, Refusal, Span

_ITEMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List)
_OFF = re.compile(r"#\s*autopar:\s*off\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One loop and what became of it: exactly one of `nest`, `refusal`.

    `parent` is the index of the enclosing candidate whose fallback contains this loop.
    """

    node: Loop
    function: str
    nest: Nest | None
    refusal: Refusal | None
    parent: int | None


def find(tree: ast.Module, file: str, source: str) -> tuple[Candidate, ...]:
    """All candidate loops of `tree`, in textual order, outer before inner."""
    lines = source.split("\n") if _OFF.search(source) else []
    if _file_is_off(tree, lines):
        return ()
    found: list[Candidate] = []
    everything = reads_frames(tree)
    for scope, function in _scopes(tree):
        live = _everything if everything else live_after_loops(scope)
        _search(scope.body, file, function, live, lines, None, found)
    return tuple(found)


def _everything(loop: Loop, name: str) -> bool:
    """All names are live: someone may look into the frame."""
    return True


def _file_is_off(tree: ast.Module, lines: list[str]) -> bool:
    end = tree.body[0].lineno - 1 if tree.body else len(lines)
    return any(_OFF.match(line.strip()) for line in lines[:end])


def _is_off(node: Loop, lines: list[str]) -> bool:
    """Whether the comment stands in the header of the loop, or alone on the line above it."""
    above = lines[node.lineno - 2 : node.lineno - 1] if node.lineno > 1 else []
    header = lines[node.lineno - 1 : node.body[0].lineno - 1]
    alone = any(_OFF.match(line.strip()) for line in above)
    return alone or any(_OFF.search(line) for line in header)


Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _scopes(tree: ast.Module) -> Iterator[tuple[Scope, str]]:
    def inside(scope: Scope, prefix: str) -> Iterator[tuple[Scope, str]]:
        for node in _own(scope):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = prefix + node.name
                yield node, name
                local = "" if isinstance(node, ast.ClassDef) else "<locals>."
                yield from inside(node, f"{name}.{local}")

    yield tree, "<module>"
    yield from inside(tree, "")


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """Nodes below `scope`, without looking inside nested scopes."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own(node)


def _search(
    nodes: list[ast.stmt],
    file: str,
    function: str,
    live: Callable[[Loop, str], bool],
    lines: list[str],
    parent: int | None,
    found: list[Candidate],
) -> None:
    for node in nodes:
        inner = parent
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, Loop):
            if _is_off(node, lines):
                off = Refusal(Reason.TURNED_OFF, Span(file, node.lineno), "# autopar: off")
                found.append(Candidate(node, function, None, off, parent))
                continue
            if _countable(node):
                nest = lift(node, file, function, functools.partial(live, node))
                if isinstance(nest, Refusal) and _counts(node):
                    found.append(Candidate(node, function, None, nest, parent))
                elif not isinstance(nest, Refusal) and _worth(nest):
                    found.append(Candidate(node, function, nest, None, parent))
                    inner = len(found) - 1
        for block in _blocks(node):
            _search(block, file, function, live, lines, inner, found)


def _countable(node: Loop) -> bool:
    """Whether it may be a loop over a range, or over the items of arrays."""
    if isinstance(node, ast.While):
        return True
    if called(node.iter) is not None:
        return called(node.iter) in COUNTING
    return isinstance(node.iter, _ITEMS)


def _counts(node: Loop) -> bool:
    """Whether the user would expect it to be taken: most other loops are nobody's concern."""
    if isinstance(node, ast.For):
        return called(node.iter) == "range"
    match node.test:
        case ast.Compare(left=left, comparators=[right]):
            sides = {side.id for side in (left, right) if isinstance(side, ast.Name)}
            stepped = (s.target for s in node.body if isinstance(s, ast.AugAssign))
            return any(isinstance(target, ast.Name) and target.id in sides for target in stepped)
    return False


def _worth(nest: Nest) -> bool:
    """Whether to ask for it at run time."""
    loop = outermost(nest)
    return loop is None or promising(loop)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body
