"""What was found, as files that people read and tests replay."""

from __future__ import annotations

import textwrap
from pathlib import Path

from .program import Program, read

FOUND = Path(__file__).parents[1] / "regressions" / "found"


def keep(program: Program, message: str, folder: Path = FOUND) -> Path:
    """Write `program` to a file named after its content, with what was wrong as its docstring."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{program.key}.py"
    said = message.replace("\\", "/").replace('"""', "'''")
    said = textwrap.fill(" ".join(said.split()), 96)
    path.write_text(f'"""{said}\n"""\n\n{program}', encoding="utf-8")
    return path


def load(path: Path) -> Program:
    """The program of a file that `keep` wrote."""
    return read(path.read_text(encoding="utf-8"))
