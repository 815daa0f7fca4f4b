"""Functions whose bytecode another compiler reads, and which therefore must stay as they are."""

from __future__ import annotations

import ast

from autopar.nest.trees import every

_READERS = frozenset({"numba", "torch"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def foreign(tree: ast.Module) -> set[ast.AST]:
    """All nodes inside functions that a compiler such as Numba may be given.

    In a module that imports one, these are the decorated functions and those whose name is used
    other than in a plain call: ``fast = njit(slow)``.
    """
    nodes = list(every(tree))
    if not any(_imports_a_reader(node) for node in nodes):
        return set()
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    passed = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called
    }
    return {
        inner
        for node in nodes
        if isinstance(node, Function) and (node.decorator_list or node.name in passed)
        for inner in every(node)
    }


def _imports_a_reader(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or ""]
    else:
        return False
    return any(name.partition(".")[0] in _READERS for name in names)
