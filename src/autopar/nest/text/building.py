"""Pieces of ``ast`` that are ours: statements and expressions that stand for others."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from autopar.nest.trees import copied, every

SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
"""What has names of its own."""


class Renamed(ast.NodeTransformer):
    """Other names for some variables, but where an inner function has its own."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        args = node.args
        params = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        inner = {name: other for name, other in self.names.items() if name not in params}
        node.body = Renamed(inner).visit(node.body)
        return node


class Rewriting(ast.NodeTransformer):
    """Statements, each of which may become several."""

    def block(self, nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
        """All that `nodes` become."""
        made: list[ast.stmt] = []
        for node in nodes:
            found = self.visit(node)
            made += found if isinstance(found, list) else [found]
        return made


def called(function: ast.expr, names: Sequence[str]) -> ast.expr | None:
    """``function(*names)``; of a lambda, what it computes."""
    match function:
        case ast.Lambda(args=ast.arguments(args=params, defaults=[]) as own, body=body):
            others = (own.posonlyargs, own.kwonlyargs, own.vararg, own.kwarg)
            if any(others) or len(params) != len(names):
                return None
            meant = {p.arg: name for p, name in zip(params, names, strict=True)}
            made: ast.expr = Renamed(meant).visit(copied(body))
            return made
        case ast.Name() | ast.Attribute():
            return ast.Call(function, [load(name) for name in names], [])
    return None


class _Spread(ast.NodeTransformer):
    """What is said of a tuple, said of its items."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        self.name, self.names = name, names

    def items(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        found: list[ast.expr] = []
        for node in nodes:
            match node:
                case ast.Starred(value=ast.Name(id=name)) if name == self.name:
                    found += [load(item, node) for item in self.names]
                case _:
                    found.append(self.visit(node))
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.func = self.visit(node.func)
        node.args = self.items(node.args)
        node.keywords = [self.visit(word) for word in node.keywords]
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        node.elts = self.items(node.elts)
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        node.elts = self.items(node.elts)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int(k))) if (
                name == self.name and type(k) is int and 0 <= k < len(self.names)
            ):
                return load(self.names[k], node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != self.name:
            return node
        made = ast.Tuple([load(item, node) for item in self.names], ast.Load())
        return ast.copy_location(made, node)


def spread(node: ast.expr, name: str, names: Sequence[str]) -> ast.expr:
    """`node`, in which `name` is a tuple of these `names`."""
    made: ast.expr = _Spread(name, names).visit(node)
    return made


def stores(node: ast.AST, name: str) -> bool:
    """Whether `name` is bound in `node`, or a parameter there."""
    for inner in every(node):
        match inner:
            case ast.Name(id=found, ctx=ast.Store()) | ast.arg(arg=found) if found == name:
                return True
    return False


def loops(
    generators: Sequence[ast.comprehension], body: list[ast.stmt], done: ast.expr | None = None
) -> ast.stmt:
    """`body` in loops over `generators`, which are left once `done`."""
    first, *rest = generators
    inside = body
    if rest:
        inside = [loops(rest, body, done)]
        if done is not None:
            inside.append(ast.If(copied(done), [ast.Break()], []))
    for test in reversed(first.ifs):
        inside = [ast.If(test, inside, [])]
    return ast.For(first.target, first.iter, inside, [])


def place(nodes: Sequence[ast.AST], where: ast.AST) -> None:
    """Give what is ours in `nodes` the place of `where`."""
    for node in nodes:
        for inner in every(node):
            if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
                ast.copy_location(inner, where)


def load(name: str, node: ast.AST | None = None) -> ast.Name:
    made = ast.Name(name, ast.Load())
    return made if node is None else ast.copy_location(made, node)


def assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def append(name: str, value: ast.expr) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(load(name), "append", ast.Load()), [value], []))


def ours(function: str, *args: str) -> ast.expr:
    """A call of something that has a meaning in the IR only."""
    return ast.Call(load(function), [load(arg) for arg in args], [])


def zero(flag: str) -> ast.expr:
    """An integer that is zero unless `flag`."""
    return ast.BinOp(load(flag), ast.Mult(), ast.Constant(1))


def last_name(func: ast.expr) -> str:
    """The name of a function, without the module that it is in."""
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in every(node))


def often(nodes: Sequence[ast.AST], name: str) -> int:
    """How often `name` stands in `nodes`."""
    parts = (inner for node in nodes for inner in every(node))
    return sum(isinstance(inner, ast.Name) and inner.id == name for inner in parts)


def in_scope_of_its_own(nodes: Sequence[ast.AST], name: str) -> bool:
    """Whether `name` stands in a function or a class that `nodes` define."""
    parts = (inner for node in nodes for inner in every(node))
    return any(isinstance(inner, SCOPES) and mentions(inner, name) for inner in parts)


def through(
    loop: ast.For, whole: str, at: str, ends: tuple[ast.expr, ast.expr], body: list[ast.stmt]
) -> list[ast.stmt]:
    """`loop` as one that counts, by the name `at`, from one place of the list `whole` to another.

    Where it ends is asked before each iteration, with `body` in place of its own.
    """
    begin, stop = ends
    item = ast.Subscript(load(whole), load(at), ast.Load())
    more = ast.BinOp(load(at), ast.Add(), ast.Constant(1))
    first: list[ast.stmt] = [ast.Assign([loop.target], item), assign(at, more)]
    test = ast.Compare(load(at), [ast.Lt()], [stop])
    return [assign(at, begin), ast.While(test, [*first, *body], loop.orelse)]
