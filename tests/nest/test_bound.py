"""Nodes of a text in their order."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from autopar.nest import bound

FILES = sorted(Path(bound.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_node_is_met_as_python_walks(file: Path) -> None:
    tree = ast.parse(file.read_text())
    assert bound.every(tree) == list(ast.walk(tree))


def test_nodes_without_all_fields_are_walked_as_well() -> None:
    bare = ast.Call(func=ast.Name("f", ast.Load()), args=[ast.Constant(1), None])
    assert bound.every(bare) == list(ast.walk(bare))
