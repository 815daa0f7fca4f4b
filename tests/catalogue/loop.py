"""One entry of the catalogue: a plain function with loops, and what it is called with.

A loop is written and registered like this; nothing else is needed::

    @loop(n=9, k=(0, 1, -1, 9), a="n + 9", b="n")
    def shifted(a, b, n, k):
        "A distance known only at the call."
        for i in range(n):
            a[i + k] = a[i] + b[i]

Each keyword is a parameter of the function, or a number that the others are made from:

* a number is itself; a tuple of numbers means several calls, one for each (all combinations);
* a text is the shape of an array of random float64, of integers after ``int``, or of another type:
  ``"n, m"``, ``"int n"``, ``"float32 n"``;
* a function is called with those of its parameters that are numbers here, or ``rng``; a tuple of
  functions means several calls.  Where it returns a `dict`, each item is a parameter: that is how
  views of one base are made.

The random values differ from run to run of one call; what a function makes without ``rng``, such
as an index array, is a fact of the call.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import pkgutil
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

ALL: list[Loop] = []


@dataclass(frozen=True, eq=False)
class Loop:
    """A registered function and its inputs by name, in order."""

    function: Callable[..., Any]
    inputs: dict[str, Any]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def category(self) -> str:
        return self.function.__module__.rpartition(".")[2]

    @property
    def file(self) -> str:
        return inspect.getsourcefile(self.function) or "<catalogue>"

    @cached_property
    def source(self) -> str:
        """The function as a module of its own, at the lines where it stands in its file."""
        lines, first = inspect.getsourcelines(self.function)
        text = textwrap.dedent("".join(lines))
        head = ast.parse(text).body[0].lineno  # of the ``def``, below the decorator
        return "\n" * (first + head - 2) + "\n".join(text.splitlines()[head - 1 :]) + "\n"

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """One for each combination of what is given as a tuple."""
        ways = [v if isinstance(v, tuple) else (v,) for v in self.inputs.values()]
        return tuple(
            Case(self, number, dict(zip(self.inputs, chosen, strict=True)))
            for number, chosen in enumerate(itertools.product(*ways))
        )


@dataclass(frozen=True, eq=False)
class Case:
    """One call of a loop."""

    loop: Loop
    number: int
    inputs: dict[str, Any]

    @property
    def label(self) -> str:
        """Name of the loop, and what sets this call apart."""
        varied = [k for k, v in self.loop.inputs.items() if isinstance(v, tuple)]
        shown = (_text(name, self.inputs[name], self.number) for name in varied)
        return " ".join([self.loop.name, *shown])

    def arguments(self, seed: int) -> dict[str, Any]:
        """Fresh arguments; equal for equal seeds."""
        rng = np.random.default_rng(seed)
        numbers: dict[str, Any] = {"rng": rng, "np": np}
        made: dict[str, Any] = {}
        for name, given in self.inputs.items():
            if isinstance(given, str):
                made[name] = _array(given, numbers, rng)
            elif callable(given):
                wanted = inspect.signature(given).parameters
                found = given(**{p: numbers[p] for p in wanted})
                made |= found if isinstance(found, dict) else {name: found}
            else:
                made[name] = numbers[name] = given
        return {p: made[p] for p in inspect.signature(self.loop.function).parameters}


def loop(**inputs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function; see the module."""

    def registered(function: Callable[..., Any]) -> Callable[..., Any]:
        ALL.append(Loop(function, inputs))
        return function

    return registered


def catalogue() -> Iterator[Loop]:
    """All loops, by category."""
    from . import loops

    for module in pkgutil.iter_modules(loops.__path__):
        importlib.import_module(f"{loops.__name__}.{module.name}")
    home = loops.__name__ + "."
    return (one for one in ALL if one.function.__module__.startswith(home))


def _array(spec: str, numbers: dict[str, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    head, _, rest = spec.partition(" ")
    kind, shape = (head, rest) if hasattr(np, head) or head == "int" else ("float64", spec)
    extents = eval(shape, {}, numbers)
    if kind == "bool":
        return rng.integers(0, 2, extents).astype(bool)
    if "int" in kind:
        return rng.integers(-9, 10, extents).astype(np.int64 if kind == "int" else kind)
    # Uniform numbers lie on a grid, on which short sums are exact and their order cannot be seen.
    return np.cbrt(rng.uniform(-8.0, 8.0, extents)).astype(kind)


def _text(name: str, given: Any, number: int) -> str:
    return f"{name}#{number}" if callable(given) else f"{name}={given}"
