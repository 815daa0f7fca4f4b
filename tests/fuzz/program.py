"""A generated program as text: its inputs, its loop, the place the loop stands in."""

from __future__ import annotations

import ast
import hashlib
import itertools
import math
import random
import re
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from types import SimpleNamespace
from typing import Any, TypeGuard

import numpy as np

from .values import values

FILE = "<program>"
_APART = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.FunctionDef)
PLACES = ("function", "module", "result", "else", "try", "twice", "if", "inner", "method")
_HELPERS = {
    "np": np,
    "math": math,
    "random": random,
    "itertools": itertools,
    "values": values,
    "SimpleNamespace": SimpleNamespace,
}


@dataclass(frozen=True)
class Program:
    """One program.

    Attributes
    ----------
    setup
        Python text that binds the inputs.
    calls
        What is changed in the inputs before each run; the same compiled program meets them all.
    loop
        The nest, as a statement without indentation.
    place
        What stands around the loop, one of `PLACES`; or ``beside``, where it stands there twice,
        with an assignment in between.
    threads
        How many threads a parallel loop may use.
    order
        Of the chunks of parallel loops: 0 as the threads take them, 1 backwards, else a seed.
    errors
        For ``np.errstate``: ``warn`` as by default, or ``ignore``, which gives shorter kernels.
    helpers
        Definitions of the functions that the loop calls.
    """

    setup: str
    loop: str
    calls: tuple[str, ...] = ("",)
    place: str = "function"
    threads: int = 3
    order: int = 1
    errors: str = "warn"
    helpers: str = ""

    # ------------------------------------------------------------------ as a program

    def inputs(self, call: str) -> dict[str, Any]:
        """Fresh values of everything the loop may read."""
        space: dict[str, Any] = dict(_HELPERS)
        with np.errstate(all="ignore"):
            exec(self.setup + call, space)
        return {k: v for k, v in space.items() if k not in ("values", "__builtins__")}

    def source(self, names: list[str]) -> str:
        """Text of the whole module; but for ``module``, it defines ``program(names…)``."""
        if self.place == "module":
            return self.helpers + self.loop
        if self.place in _AROUND:
            body = _AROUND[self.place](self.loop, names)
        else:
            body = _PLACES[self.place](self.loop)
        return f"{self.helpers}def program({', '.join(names)}):\n{textwrap.indent(body, '    ')}"

    @property
    def key(self) -> str:
        """Short name by content."""
        return hashlib.sha256(repr(asdict(self)).encode()).hexdigest()[:12]

    # ------------------------------------------------------------------ as a file

    def __str__(self) -> str:
        lines = []
        for name, value in asdict(self).items():
            if isinstance(value, str) and "\n" in value:
                lines.append(f'{name} = """\\\n{value}"""')
            else:
                lines.append(f"{name} = {value!r}")
        return "\n".join(lines) + "\n"


def read(text: str) -> Program:
    """What `str` of a program, perhaps with a docstring in front, was made from."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return replace(Program("", ""), **found)


# ---------------------------------------------------------------------------- places


def _function(loop: str) -> str:
    return f"{loop}return locals()\n"


def _result(loop: str) -> str:
    """Only some names are read afterwards; which are unbound decides the exception."""
    names = sorted({n.id for n in _own(ast.parse(loop)) if _stored(n)}, reverse=True)
    return f"{loop}return {', '.join(names[:2])},\n" if names else loop


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of comprehensions and functions, whose names are nobody else's."""
    yield node
    if not isinstance(node, _APART):
        for part in ast.iter_child_nodes(node):
            yield from _own(part)


def _stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _else(loop: str) -> str:
    return f"{loop}else:\n    ended = True\nreturn locals()\n"


def _try(loop: str) -> str:
    return (
        f"try:\n{textwrap.indent(loop, '    ')}"
        "except Exception as error:\n    caught = repr(error)\n"
        "else:\n    caught = ''\nreturn locals()\n"
    )


def _twice(loop: str) -> str:
    # Through a text: a loop over numbers would be taken, and the inner one not be asked twice.
    return f"for turn in 'ab':\n{textwrap.indent(loop, '    ')}return locals()\n"


def _beside(loop: str) -> str:
    return f"{loop}beside = 1.5\n{loop}return locals()\n"


def _if(loop: str) -> str:
    return f"if n >= 0:\n{textwrap.indent(loop, '    ')}s = t = r = q = 0\nreturn locals()\n"


def _inner(loop: str, names: list[str]) -> str:
    """A function in the function, whose names are those of the outer one."""
    mine = sorted({n.id for n in ast.walk(ast.parse(loop)) if _stored(n)} & {*names})
    told = f"nonlocal {', '.join(mine)}\n" if mine else ""
    return f"def inner():\n{textwrap.indent(told + _function(loop), '    ')}return inner()\n"


def _method(loop: str, names: list[str]) -> str:
    """A method, of the object `p` where there is one."""
    body = textwrap.indent(_function(re.sub(r"\bp\.", "self.", loop)), "    " * 2)
    given = ", ".join(["p" if "p" in names else "Machine()", *names])
    return (
        f"class Machine:\n    def run({', '.join(['self', *names])}):\n{body}"
        f"return Machine.run({given})\n"
    )


_AROUND = {"inner": _inner, "method": _method}
_PLACES = {
    "function": _function, "result": _result, "else": _else, "try": _try, "twice": _twice,
    "if": _if, "beside": _beside,
}  # fmt: skip
