"""Declines loops of programs without NumPy before the imports that an analysis needs."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator

from autopar import config
from autopar.kernel import SiteSpec
from autopar.nest.ir import Assign, Element, Load, Name, Nest, Put, View
from autopar.nest.text.counted import counted
from autopar.nest.walking import expressions, extended, grown, statements, walk, written
from autopar.runtime.choice import estimate
from autopar.runtime.choice.interval import extent
from autopar.runtime.choice.outline import outline
from autopar.runtime.peek import follow
from autopar.sched.machine import MACHINE
from autopar.verdict import Reason, Refusal, Span

_LARGEST = 2**63  # float() of a larger int may overflow
_NUMBERS = (float, int, bool, complex)
_DEEPEST = 8  # lists within lists

Sizes = tuple[int, ...]  # of a list, along each axis


class Early:
    """What can be said of a site while NumPy has not been imported by anyone."""

    def __init__(self, spec: SiteSpec) -> None:
        self.nest: Nest = pickle.loads(spec.nest)
        self.spec = spec
        own = set(self.nest.scalars) - set(spec.roots)
        self.arrays = [path for path in dict.fromkeys(_subscripted(self.nest)) if path not in own]
        self.paths = (*self.spec.roots, *(path for path in self.arrays if "." in path))
        self.written = frozenset(written(self.nest))
        self.extended, self.grown = extended(self.nest), grown(self.nest)
        likely = dict.fromkeys((*self.nest.paths, *self.nest.roots), "int")
        self.outline = outline((counted(self.nest, likely, {}).loop,))
        self.costs = functools.lru_cache(256)(self._costs)
        self.waited_s = 0.0

    def refusal(self, values: tuple[object, ...]) -> Refusal | None:
        """Why the loop is left now, or None when it may be worth the imports."""
        at = Span(self.spec.file, self.spec.line)
        known = dict(zip(self.spec.roots, values, strict=True))
        found = {path: _value(path, known) for path in self.paths}
        shapes = {p: None if p in self.extended else _shape(one) for p, one in found.items()}
        for path in self.arrays:
            if shapes.get(path) is None and not self.may_grow(path, found.get(path)):
                # Somebody may import NumPy later, so this is for now only.
                kind = type(_value(path, known)).__name__
                return Refusal(Reason.NOT_ARRAY, at, f"{path} is {kind}, and NumPy is not imported")
        settings = config.current()
        if settings.verify or settings.fail_on_fallback:
            return None
        ints = tuple(v if type(v) is int else None for v in values)
        work_s, copies_s = self.costs(ints, tuple(shapes.values()))
        if copies_s > work_s / 2:
            return Refusal(Reason.TOO_SMALL, at, "its lists would take as long to copy")
        self.waited_s += work_s
        if self.waited_s >= MACHINE.compile_s + (MACHINE.import_s if self.arrays else 0.0):
            return None
        tiny = work_s < MACHINE.dispatch_s
        return Refusal(Reason.TOO_SMALL if tiny else Reason.NOT_YET, at, "")

    def may_grow(self, path: str, value: object) -> bool:
        """Whether `value` is a list that is appended to, of which nothing is read from before."""
        return type(value) is list and (path in self.extended or (path in self.grown and not value))

    def _costs(
        self, ints: tuple[int | None, ...], shapes: tuple[Sizes | None, ...]
    ) -> tuple[float, float]:
        """Seconds of the loop itself, and of copies of its lists."""
        known = zip(self.spec.roots, ints, strict=True)
        env = {k: float(v) for k, v in known if v is not None and abs(v) < _LARGEST}
        copies_s = 0.0
        for path, shape in zip(self.paths, shapes, strict=True):
            count = 1.0 if shape else 0.0
            for axis, size in enumerate(shape or ()):
                env[extent(path, axis)] = size
                count *= size
            copies_s += count * MACHINE.item_s
            copies_s += count * MACHINE.new_item_s if path in self.written else 0.0
        op_s = MACHINE.listed_op_s
        return estimate.operations(self.outline, env) * op_s, copies_s


def _value(path: str, known: dict[str, object]) -> object:
    """What is behind `path`, where looking it up runs nothing of the user's."""
    root, *names = path.split(".")
    return follow(known.get(root), names)


def _shape(value: object) -> Sizes | None:
    """How long a list of numbers is, and the first of its lists; None for what is never taken.

    A text, or a dictionary of integers, is looked up like a list.
    """
    if type(value) is str:
        return (len(value),)
    if type(value) is dict:
        return (len(value),) if type(next(iter(value), None)) is int else None
    shape: list[int] = []
    while type(value) in (list, tuple) and value and len(shape) < _DEEPEST:
        assert isinstance(value, list | tuple)
        shape.append(len(value))
        value = value[0]
    return tuple(shape) if shape and type(value) in _NUMBERS else None


def _subscripted(nest: Nest) -> Iterator[str]:
    for stmt in statements(nest.loop):
        match stmt:
            case Assign(target=Element(array=path)) | Put(target=View(array=Name(id=path))):
                yield path
        for top in expressions(stmt):
            for expr in walk(top):
                match expr:
                    case Load(array=path) | View(array=Name(id=path)):
                        yield path
