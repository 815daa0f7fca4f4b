"""Functions that a function defines for itself, to be written out where it calls them.

``def row(vs, js): return sum(…)`` and ``row = lambda vs, js: sum(…)`` are taken where nothing is
done with the name but to call it, or to hand it to ``map`` and its like: then nobody sees the
function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from autopar.nest.text.building import Renamed
from autopar.nest.trees import all_copied, copied, every
from autopar.records import dataclass

_HANDED = ("map", "filter", "reduce", "accumulate", "min", "max")
"""What calls the functions it is handed, and does nothing else with them."""
_SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.For,
    ast.While,
    ast.If,
    ast.Pass,
    ast.Break,
    ast.Continue,
)


@dataclass(frozen=True, slots=True)
class Own:
    """One such function.

    Attributes
    ----------
    params
        Its parameters, all by position.
    body
        What it does before it returns.
    result
        What it returns.
    """

    params: tuple[str, ...]
    body: tuple[ast.stmt, ...]
    result: ast.expr

    def copied(self, names: Mapping[str, str]) -> tuple[list[ast.stmt], ast.expr]:
        """Its statements and its result, with other names."""
        rename = Renamed(names).visit
        body = [rename(stmt) for stmt in all_copied(self.body)]
        return body, rename(copied(self.result))

    @property
    def stored(self) -> frozenset[str]:
        """Names of its own that it gives values, apart from its parameters."""
        return _stored(self.body)


def apart(nodes: Sequence[ast.stmt]) -> tuple[dict[str, Own], list[ast.stmt]]:
    """The functions that `nodes`, a whole body, define and may be written out; what is left."""
    found: dict[str, Own] = {}
    left: list[ast.stmt] = []
    for k, node in enumerate(nodes):
        one = _own(node)
        name = _name(node)
        if one is None or name is None or not _only_called(name, one, nodes, k):
            left.append(node)
        else:
            found[name] = one
    return found, left


def _name(node: ast.stmt) -> str | None:
    match node:
        case ast.FunctionDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
            return name
    return None


def _own(node: ast.stmt) -> Own | None:
    """The function that `node` defines, if it is a simple one."""
    match node:
        case ast.FunctionDef(args=args, body=[*body, ast.Return(value=ast.expr() as result)]):
            if node.decorator_list or node.returns or getattr(node, "type_params", None):
                return None
            body = [stmt for stmt in body if not _says_nothing(stmt)]
        case ast.Assign(value=ast.Lambda(args=args, body=result)):
            body = []
        case _:
            return None
    others = (args.posonlyargs, args.kwonlyargs, args.vararg, args.kwarg, args.defaults)
    if any(others) or any(arg.annotation for arg in args.args):
        return None
    inside = [inner for stmt in (*body, result) for inner in every(stmt)]
    for inner in inside:
        if isinstance(inner, ast.stmt) and not isinstance(inner, _SIMPLE):
            return None
        if isinstance(inner, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
            return None
    return Own(tuple(arg.arg for arg in args.args), tuple(body), result)


def _says_nothing(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _only_called(name: str, own: Own, nodes: Sequence[ast.stmt], place: int) -> bool:
    """Whether `name` is this function from here on, and nothing is done but to call it."""
    parts = [inner for node in nodes for inner in every(node)]
    if any(isinstance(inner, ast.Global | ast.Nonlocal) for inner in parts):
        return False
    if sum(1 for bound in _bound(nodes) if bound == name) != 1:
        return False
    before = (*nodes[: place + 1],)  # its own text among it: it must not call itself
    if any(_reads(inner, name) for node in before for inner in every(node)):
        return False
    calls = 0
    for inner in parts:
        match inner:
            case ast.Call(func=ast.Name(id=called), args=args, keywords=[]) if called == name:
                if len(args) != len(own.params) or any(isinstance(a, ast.Starred) for a in args):
                    return False
                calls += 1
            case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=handed), *_]) if (
                handed == name and called in _HANDED[:3]
            ):
                calls += 1
            case ast.Call(func=ast.Name(id=called), args=args, keywords=words) if called in _HANDED:
                named = [word.value for word in words if word.arg in ("key", "func")]
                given = [*named, *(args[1:2] if called == "accumulate" else [])]
                calls += sum(1 for value in given if _reads(value, name))
    return calls == sum(1 for inner in parts if _reads(inner, name))


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _bound(nodes: Sequence[ast.stmt]) -> Iterator[str]:
    """All names that are bound in `nodes`, in whichever scope, once for each time."""
    for node in nodes:
        for inner in every(node):
            match inner:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    yield name
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield name
                case ast.ClassDef(name=name) | ast.arg(arg=name):
                    yield name
                case ast.alias(name=name, asname=other):
                    yield other or name.partition(".")[0]
                case ast.ExceptHandler(name=str(name)):
                    yield name


def _stored(nodes: Sequence[ast.stmt]) -> frozenset[str]:
    found = (inner for node in nodes for inner in every(node))
    return frozenset(
        inner.id
        for inner in found
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)
    )
