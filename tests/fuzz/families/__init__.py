"""Grammar of programs over lists, objects, functions and whatever else Python has.

A program is a `Sketch` to which some families have been added; each brings inputs, things to read,
places to store, statements and loops of its own, which meet those of the others.  A family is a
module with a function ``join(sketch)``.
"""

from __future__ import annotations

from ..choices import Choices
from ..program import PLACES, Program
from . import (
    arrays,
    attributes,
    comprehensions,
    dicts,
    draws,
    functions,
    growing,
    iteration,
    leaving,
    lists,
    objects,
    opaque,
    rows,
    runs,
    sorting,
    stacks,
    tuples,
    words,
)
from .sketch import Sketch

FAMILIES = (
    lists, rows, growing, comprehensions, attributes, functions, iteration, tuples, draws, runs,
    leaving, dicts, opaque,
)  # fmt: skip
MORE = (words, objects, sorting, stacks)
"""Those that programs of a grammar of their own begin with: all others stay what they were."""

_IMPORTS = "import numpy as np\n"  # statements on arrays are looked for where there may be some


def program(choices: Choices) -> Program:
    """A whole program."""
    sketch = Sketch(choices)
    first = [sketch.pick(*MORE)] if choices.grammar == "more families" else []
    chosen = first + [sketch.pick(*FAMILIES) for _ in range(sketch.pick(1, 2, 2, 1, 3))]
    if sketch.rarely(3) or set(chosen) <= {iteration, leaving, opaque, draws, functions}:
        chosen.append(arrays)
    for family in dict.fromkeys(chosen):
        family.join(sketch)
    sketch.body()
    place = sketch.pick("function", "result", "try", "module", "result", *PLACES)
    if sketch.loose and place == "else":
        place = "function"
    return Program(
        setup="".join(f"{line}\n" for line in sketch.inputs()),
        loop="".join(f"{line}\n" for line in sketch.lines),
        calls=sketch.calls(),
        place=place,
        order=sketch.pick(1, 2, 3, 0),
        errors=sketch.pick("warn", "ignore"),
        helpers=_IMPORTS + "".join(sketch.helpers.values()),
    )
