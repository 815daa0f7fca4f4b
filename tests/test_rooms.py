"""One way through the house: no room imports a later one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import autopar

PACKAGE = Path(autopar.__file__).parent
ORDER = (
    "records", "digest", "verdict", "config", "journal", "site_spec", "nest", "kernel", "deps",
    "sched", "cpu", "device", "kept", "pipeline", "runtime", "report", "hook",
)  # fmt: skip
INNER = {  # rooms and modules within a room; "": all others
    "nest": ("", "text", "typed", "values", "calls", "arrays", "learn"),
    "runtime": (
        "process", "headroom", "patience", "tries", "earlier", "aside", "peek", "vain", "before",
        "measured", "budget", "copied", "background", "values", "run", "choice", "stand_ins",
        "flat", "",
    ),
}  # fmt: skip
# The package itself and its command line stand at the end of the way.
FILES = sorted(f for f in PACKAGE.rglob("*.py") if f.parent != PACKAGE or f.stem in ORDER)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def modules(file: Path) -> set[str]:
    """What `file` imports, names of modules among them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def imported(file: Path) -> set[str]:
    return {room(name) for name in modules(file) if name.startswith("autopar.")} & set(ORDER)


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_imports_look_back_only(file: Path) -> None:
    own = file.relative_to(PACKAGE).with_suffix("").parts[0]
    later = {r for r in imported(file) if ORDER.index(r) > ORDER.index(own)}
    assert not later


def inner(module: str) -> int:
    """Where a module stands in its room, in the order of what is in that room."""
    _, own, name = [*module.split("."), ""][:3]
    return INNER[own].index(name if name in INNER[own] else "")


@pytest.mark.parametrize(
    "file",
    [f for f in FILES if f.relative_to(PACKAGE).parts[0] in INNER],
    ids=lambda f: str(f.relative_to(PACKAGE)),
)
def test_rooms_within_a_room_look_back_only(file: Path) -> None:
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    own = inner(".".join(("autopar", *parts)))
    names = (n for n in modules(file) if n.startswith(f"autopar.{parts[0]}."))
    assert all(inner(name) <= own for name in names)


@pytest.mark.parametrize("outer", INNER)
def test_all_rooms_within_a_room_are_known(outer: str) -> None:
    folders = {f.name for f in (PACKAGE / outer).iterdir() if f.is_dir()}
    assert folders - {"__pycache__"} <= {*INNER[outer]}


@pytest.mark.parametrize(
    ("library", "allowed"),
    [("llvmlite", {"cpu"}), ("islpy", {"deps", "sched"}), ("pyopencl", {"device"})],
)
def test_heavy_libraries_stay_in_their_room(library: str, allowed: set[str]) -> None:
    users = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            if any(name.split(".")[0] == library for name in names):
                users.add(file.relative_to(PACKAGE).with_suffix("").parts[0])
    assert users
    assert users <= allowed
