"""Loops that call methods of the user's objects: which are worth writing out at a call.

Whose methods these are only a call knows; then `runtime.flat.calls` writes them out in the text.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Sequence

from autopar.nest.bound import stored
from autopar.nest.trees import children, every
from autopar.records import dataclass

BUILTINS = frozenset(
    (
        "abs", "bool", "complex", "divmod", "enumerate", "float", "int", "len", "list", "map",
        "max", "min", "pow", "range", "reversed", "round", "sum", "tuple", "zip", "any", "all",
    )
)  # fmt: skip
"""Those that text which is written out may call."""
_OTHERS = frozenset(dir(builtins))
_STATEMENTS = (
    ast.Assign, ast.AugAssign, ast.Break, ast.Continue, ast.Expr, ast.For, ast.If, ast.Pass,
    ast.While,
)  # fmt: skip
_NOT_TAKEN = (
    ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.JoinedStr, ast.Dict,
    ast.Set, ast.SetComp, ast.DictComp, ast.Starred, ast.Delete,
)  # fmt: skip
_PLACED = (ast.stmt, ast.expr)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, slots=True)
class Calling:
    """A loop that calls methods.

    Attributes
    ----------
    roots
        Names whose values it needs.
    live_out
        Names that it assigns and that may be read after it, in the order of the text.
    """

    roots: tuple[str, ...]
    live_out: tuple[str, ...]


def calling(loop: ast.stmt, live_after: Callable[[str], bool]) -> Calling | None:
    """What `loop` hands over, if it calls methods and all that is written in it is simple."""
    if not isinstance(loop, ast.For) or loop.orelse or not _simple([loop]):
        return None
    if not calls(loop):
        return None
    if any(map(_leaves, loop.body)):
        return None
    own = stored([loop])
    inputs = exposed([loop])
    places: dict[str, tuple[int, int]] = {}
    for node in every(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in own:
            here = node.lineno, node.col_offset
            places[node.id] = min(here, places.get(node.id, here))
    hidden = _of_comprehensions(loop)
    live = [name for name in own - hidden if live_after(name)]
    return Calling(tuple(sorted(inputs)), tuple(sorted(live, key=places.__getitem__)))


def taken(stmts: Sequence[ast.stmt]) -> bool:
    """Whether all in `stmts`, of a function, is of the kinds that can be written out."""
    return _simple(stmts, (ast.Return, ast.AnnAssign))


def _simple(nodes: Sequence[ast.stmt], more: tuple[type, ...] = ()) -> bool:
    for top in nodes:
        for node in every(top):
            if isinstance(node, ast.stmt) and not isinstance(node, (*_STATEMENTS, *more)):
                return False
            if isinstance(node, _NOT_TAKEN):
                return False
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if name in _OTHERS and name not in BUILTINS:
                    return False
            if isinstance(node, ast.Name | ast.Attribute):
                word = node.id if isinstance(node, ast.Name) else node.attr
                if word.startswith("__"):  # which a class may spell in another way
                    return False
            if isinstance(node, ast.For | ast.While) and node.orelse:
                return False
    return True


def calls(loop: ast.stmt) -> bool:
    """Whether `loop` calls what may be a method, or has to do with objects in lists."""
    own = stored([loop])
    return any(_is_method(node) or _is_member(node, own) for node in every(loop))


def line_numbers(loop: ast.stmt) -> tuple[int, ...]:
    """The lines of what `loop` consists of, counted from its own."""
    return tuple(n.lineno - loop.lineno for n in every(loop) if isinstance(n, _PLACED))


def on_lines(loop: ast.stmt, first: int, found: tuple[int, ...]) -> None:
    """Let a loop that was read by itself have the lines of `line_numbers` again."""
    nodes = [node for node in every(loop) if isinstance(node, _PLACED)]
    assert len(nodes) == len(found)
    for node, line in zip(nodes, found, strict=True):
        node.lineno = node.end_lineno = first + line


def _is_method(node: ast.AST) -> bool:
    """Whether it calls what may be a function of the user's that is handed an object."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    inner: ast.expr = node.func
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    return isinstance(inner, ast.Name) and inner.id not in ("np", "numpy", "math", "random")


def _is_member(node: ast.AST, own: frozenset[str]) -> bool:
    """Whether it is an attribute of an item, or of what `own` names, those of the loop, mean."""
    match node:
        case ast.Attribute(value=ast.Name(id=name)):
            return name in own
        case ast.Attribute(value=ast.Subscript(slice=ast.Constant(value=str()))):
            return False
        case ast.Attribute(value=ast.Subscript()):
            return True
    return False


def _leaves(stmt: ast.stmt) -> bool:
    """Whether a ``break`` or ``continue`` belongs to the loop around `stmt`."""
    if isinstance(stmt, ast.Break | ast.Continue):
        return True
    return isinstance(stmt, ast.If) and any(map(_leaves, (*stmt.body, *stmt.orelse)))


def _of_comprehensions(top: ast.AST) -> frozenset[str]:
    """Names that only comprehensions bind."""
    inside = {
        id(node): node.id
        for one in every(top)
        if isinstance(one, _COMPREHENSIONS)
        for part in one.generators
        for node in every(part.target)
        if isinstance(node, ast.Name)
    }
    outside = {
        node.id
        for node in every(top)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inside
    }
    return frozenset(inside.values()) - outside


def exposed(stmts: Iterable[ast.stmt]) -> frozenset[str]:
    """Names that `stmts` may read before they have assigned them."""
    found: set[str] = set()
    _after(stmts, frozenset(), found)
    return frozenset(found)


def _after(stmts: Iterable[ast.stmt], sure: frozenset[str], found: set[str]) -> frozenset[str]:
    """Names that are assigned for sure once `stmts` are done."""
    for stmt in stmts:
        match stmt:
            case ast.For(target=target, iter=source, body=body):
                _reads(source, sure, found)
                inside = sure | stored([target])
                _reads(target, sure, found)
                _after(body, inside, found)
            case ast.While(test=test, body=body):
                _reads(test, sure, found)
                _after(body, sure, found)
            case ast.If(test=test, body=body, orelse=orelse):
                _reads(test, sure, found)
                one, two = (_after(part, sure, found) for part in (body, orelse))
                sure |= one & two
            case ast.AugAssign(target=target, value=value):
                if isinstance(target, ast.Name) and target.id not in sure:
                    found.add(target.id)
                _reads(target, sure, found)
                _reads(value, sure, found)
                sure |= stored([target])
            case ast.Assign(targets=targets, value=value):
                _reads(value, sure, found)
                for target in targets:
                    _reads(target, sure, found)
                    sure |= stored([target])
            case _:
                _reads(stmt, sure, found)
    return sure


def _reads(node: ast.AST, sure: frozenset[str], found: set[str]) -> None:
    """Add to `found` what `node` reads that is not `sure` to be assigned."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in sure:
            found.add(node.id)
        return
    if isinstance(node, _COMPREHENSIONS):
        inside = sure
        for part in node.generators:
            _reads(part.iter, inside, found)
            inside = inside | stored([part.target])
            for test in part.ifs:
                _reads(test, inside, found)
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            _reads(node.elt, inside, found)
        return
    for child in children(node):
        _reads(child, sure, found)
