"""Python's trees, gone through and copied."""

from __future__ import annotations

import ast
import copy
from pathlib import Path

import pytest

from autopar.nest import trees

FILES = sorted(Path(trees.__file__).parent.rglob("*.py"))[::4]
OPERATORS = ast.boolop, ast.operator, ast.unaryop, ast.cmpop


def walked(top: ast.AST) -> list[ast.AST]:
    return [node for node in ast.walk(top) if not isinstance(node, ast.expr_context)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_node_is_met_as_python_walks(file: Path) -> None:
    tree = ast.parse(file.read_text())
    assert trees.every(tree) == walked(tree)
    for node in walked(tree):
        parts = [p for p in ast.iter_child_nodes(node) if not isinstance(p, ast.expr_context)]
        assert trees.children(node) == parts


def test_nodes_without_all_fields_are_walked_as_well() -> None:
    bare = ast.Call(func=ast.Name("f", ast.Load()), args=[ast.Constant(1), None])
    assert trees.every(bare) == walked(bare)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_copy_says_the_same_and_shares_no_statement_or_expression(file: Path) -> None:
    tree = ast.parse(file.read_text())
    copies: dict[int, ast.AST] = {}
    made = trees.copied(tree, copies)
    assert ast.dump(made, include_attributes=True) == ast.dump(tree, include_attributes=True)
    ours = [node for node in walked(tree) if not isinstance(node, OPERATORS)]
    theirs = [node for node in walked(made) if not isinstance(node, OPERATORS)]
    assert [copies[id(node)] for node in ours] == theirs
    assert not {id(node) for node in ours} & {id(node) for node in theirs}


def test_a_copy_keeps_what_nodes_are_said_to_be() -> None:
    (node,) = ast.parse("for i in range(3): pass").body
    node.meant = "so"  # type: ignore[attr-defined]
    made = trees.copied(node)
    assert vars(made).keys() == vars(copy.deepcopy(node)).keys()
    assert made.meant == "so"  # type: ignore[attr-defined]
    assert [vars(one) for one in trees.all_copied([ast.Pass(lineno=3)])] == [{"lineno": 3}]
