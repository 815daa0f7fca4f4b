"""What each outermost loop of a plain function touches, by running it on arrays that note it.

It knows nothing of autopar: the truth that transfers are compared with.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Touched:
    """Cells of one array, as flat numbers, in one run of one loop."""

    array: np.ndarray[Any, Any]
    needed: set[int] = field(default_factory=set)  # read before they were written
    read: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)


class Log:
    """Runs of outermost loops, in order: the line of each, and what it touched of which array.

    Parameters
    ----------
    joined
        Lines of the loops that are one run with the loop in front of them.
    """

    def __init__(self, joined: Collection[int] = ()) -> None:
        self.runs: list[tuple[int, dict[int, Touched]]] = []
        self.active, self.joined = False, joined

    def begin(self, line: int) -> None:
        if line not in self.joined:
            self.runs.append((line, {}))
        self.active = True

    def end(self) -> None:
        self.active = False

    def touched(self, array: np.ndarray[Any, Any]) -> Touched:
        return self.runs[-1][1].setdefault(id(array), Touched(array))


class Recorded:
    """An array that notes which of its elements are read and written."""

    def __init__(self, array: np.ndarray[Any, Any], log: Log) -> None:
        self.array, self.log = array, log

    def __len__(self) -> int:
        return len(self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def copy(self) -> Recorded:
        return Recorded(self.array.copy(), self.log)

    def _cell(self, key: Any) -> int:
        place = key if isinstance(key, tuple) else (key,)
        assert len(place) == self.array.ndim
        inside = [int(k) % n for k, n in zip(place, self.array.shape, strict=True)]
        return int(np.ravel_multi_index(inside, self.array.shape))

    def __getitem__(self, key: Any) -> Any:
        if self.log.active:
            one, cell = self.log.touched(self.array), self._cell(key)
            one.read.add(cell)
            if cell not in one.written:
                one.needed.add(cell)
        return self.array[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.log.active:
            self.log.touched(self.array).written.add(self._cell(key))
        self.array[key] = value


class _Numpy:
    """NumPy, whose new arrays are recorded."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if name not in ("zeros", "empty", "zeros_like", "empty_like"):
            return found

        def made(shape: Any, *args: Any, **named: Any) -> Recorded:
            like = shape.array if isinstance(shape, Recorded) else shape
            return Recorded(found(like, *args, **named), self.log)

        return made


class _Marked(ast.NodeTransformer):
    """Says where each outermost loop begins and ends."""

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        return [*_call(f"log_.begin({node.lineno})"), node, *_call("log_.end()")]


def _call(text: str) -> Iterable[ast.stmt]:
    return ast.parse(text).body


def recorded(text: str, name: str, data: dict[str, Any], joined: Collection[int] = ()) -> Log:
    """What ``run(**data)`` of the module `text` touches; `joined` as for `Log`."""
    log = Log(joined)
    tree = ast.fix_missing_locations(_Marked().visit(ast.parse(text)))
    space: dict[str, Any] = {"__name__": name, "log_": log}
    exec(compile(tree, name, "exec"), space)
    space["np"] = _Numpy(log)
    arrays = {k: Recorded(v, log) if isinstance(v, np.ndarray) else v for k, v in data.items()}
    space["run"](**arrays)
    return log
