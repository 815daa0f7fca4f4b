"""Declines loops of programs without NumPy before the imports that an analysis needs."""

from __future__ import annotations

import functools
import pickle
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from types import FunctionType

from autopar import config
from autopar.nest.ir import Assign, Element, Load, Name, Nest, Put, View
from autopar.nest.text.counted import counted
from autopar.nest.walking import buckets, expressions, extended, grown, statements, walk, written
from autopar.runtime.background import BACKGROUND
from autopar.runtime.before import Before
from autopar.runtime.choice import estimate
from autopar.runtime.choice.interval import extent
from autopar.runtime.choice.outline import outline
from autopar.runtime.peek import follow
from autopar.runtime.process import used
from autopar.sched.machine import MACHINE
from autopar.site_spec import SiteSpec
from autopar.verdict import COPIES, Reason, Refusal, Span

_LARGEST = 2**63  # float() of a larger int may overflow
_DICTS = (dict, defaultdict, Counter)
_NUMBERS = (float, int, bool, complex)
_DEEPEST = 8  # lists within lists
_SOME = 4  # texts that are looked at
_BETWEEN_S = 3e-4  # of work, at least, between questions, which take some twentieth of that
_LEAST_S = 1e-6
_LONGEST_PAUSE = 256  # calls that are left alone in a row

Sizes = tuple[int, ...]  # of a list, along each axis


class Early:
    """What can be said of a site while NumPy has not been imported by anyone."""

    def __init__(self, spec: SiteSpec) -> None:
        self.nest: Nest = pickle.loads(spec.nest)
        self.spec, self.before = spec, Before(spec)
        own = {*self.nest.scalars} - {*spec.roots} | buckets(self.nest).keys()
        self.arrays = [path for path in dict.fromkeys(_subscripted(self.nest)) if path not in own]
        self.paths = (*self.spec.roots, *(path for path in self.arrays if "." in path))
        self.written = frozenset(written(self.nest))
        self.extended, self.grown = extended(self.nest), grown(self.nest)
        likely = dict.fromkeys((*self.nest.paths, *self.nest.roots), "int")
        self.outline = outline((counted(self.nest, likely, {}).loop,))
        self.costs = functools.lru_cache(256)(self._costs)
        self.waited_s = self.missing_s = self.each_s = 0.0
        self.last = 0.0, 0.0  # when a call was left, and what it was thought to take
        self.calls = 1  # since then, that one among them

    def refusal(self, values: tuple[object, ...], worth: bool) -> Refusal | None:
        """Why the loop is left now, or None when it may be worth the imports.

        Parameters
        ----------
        worth
            Whether that is so by all that somebody else knows of the time it takes.
        """
        at = Span(self.spec.file, self.spec.line)
        known = dict(zip(self.spec.roots, values, strict=True))
        found = {path: _value(path, known) for path in self.paths}
        shapes = {p: None if p in self.extended else _shape(one) for p, one in found.items()}
        for path in self.arrays:
            if shapes.get(path) is None and not self.may_grow(path, found.get(path)):
                # Somebody may import NumPy later, so this is for now only.
                return Refusal(Reason.NOT_ARRAY, at, f"{path} is {_kind(_value(path, known))}")
        settings = config.current()
        if settings.verify or settings.fail_on_fallback:
            return None
        ints = tuple(v if type(v) is int else None for v in values)
        bools = tuple(map(_holds_bools, found.values()))
        work_s, copies_s = self.costs(ints, tuple(shapes.values()), bools)
        work_s = max(work_s, self.before.known_s)
        # What functions do is no part of that work.
        calls = any(type(value) is FunctionType for value in values)
        if copies_s > work_s / 2 and not calls:
            return Refusal(Reason.TOO_SMALL, at, COPIES)
        if worth or self.before.compiled or BACKGROUND.here:  # a copy can afford them
            return None
        expected_s = self.likely(work_s)
        tiny = expected_s < MACHINE.dispatch_s
        threshold_s = MACHINE.compile_s + (MACHINE.import_s if self.arrays else 0.0)
        if not tiny and self.waited_s + expected_s >= threshold_s:
            return None
        self.last, self.calls = (used(), work_s), 1
        self.missing_s, self.each_s = threshold_s - self.waited_s, expected_s
        return Refusal(Reason.TOO_SMALL if tiny else Reason.NOT_YET, at, "")

    def likely(self, work_s: float) -> float:
        """Seconds that a call is likely to take, which has at most `work_s`.

        Loops are left early, so what the last call was thought to take counts for no more than all
        that this thread has done since.
        """
        began, last_s = self.last
        if not last_s:
            return work_s
        took_s = min(last_s, (used() - began) / self.calls)
        self.waited_s += took_s * self.calls
        return work_s * took_s / last_s

    def pause(self) -> int:
        """How many more calls like the last one to leave alone: questions must not cost much."""
        each_s = max(self.each_s, _LEAST_S)
        count = int(min(_BETWEEN_S / each_s, self.missing_s / each_s / 2, _LONGEST_PAUSE))
        self.calls += count
        return count

    def may_grow(self, path: str, value: object) -> bool:
        """Whether `value` has nothing that is read from before, and gets something.

        A list is appended to; a dictionary gets keys.
        """
        if type(value) in _DICTS:
            return not value and path in self.written
        return type(value) is list and (path in self.extended or (path in self.grown and not value))

    def _costs(
        self, ints: tuple[int | None, ...], shapes: tuple[Sizes | None, ...], bools: Sequence[bool]
    ) -> tuple[float, float]:
        """Seconds of the loop itself, and of copies of its lists."""
        known = zip(self.spec.roots, ints, strict=True)
        env = {k: float(v) for k, v in known if v is not None and abs(v) < _LARGEST}
        copies_s = 0.0
        for path, shape, cheap in zip(self.paths, shapes, bools, strict=True):
            count = 1.0 if shape else 0.0
            for axis, size in enumerate(shape or ()):
                env[extent(path, axis)] = size
                count *= size
            copies_s += count * MACHINE.item_s
            if path in self.written:
                copies_s += count * (MACHINE.item_s if cheap else MACHINE.new_item_s)
        op_s = MACHINE.listed_op_s
        return estimate.operations(self.outline, env) * op_s, copies_s


def _value(path: str, known: dict[str, object]) -> object:
    """What is behind `path`, where looking it up runs nothing of the user's."""
    root, *names = path.split(".")
    return follow(known.get(root), names)


def _shape(value: object) -> Sizes | None:
    """How long a list of numbers is, and the first of its lists; None for what is never taken.

    A text, bytes, or a dictionary of integers or characters, is looked up like a list.
    """
    if type(value) in (str, bytes, bytearray):
        assert isinstance(value, str | bytes | bytearray)
        return (len(value),) if value else None
    if type(value) in _DICTS:
        assert isinstance(value, dict)
        key = next(iter(value), None)
        plain = type(key) is int or (type(key) is str and len(key) == 1)
        return (len(value),) if plain else None
    shape: list[int] = []
    whole = value
    while type(value) in (list, tuple) and value and len(shape) < _DEEPEST:
        assert isinstance(value, list | tuple)
        shape.append(len(value))
        value = value[0]
    if type(value) is str and shape:
        assert isinstance(value, str)
        return _of_texts(value, shape, whole)
    return tuple(shape) if shape and type(value) in _NUMBERS else None


def _of_texts(first: str, shape: list[int], whole: object) -> Sizes | None:
    """The same of characters, or of texts of one length, as far as a few show."""
    if len(first) == 1:
        return tuple(shape)
    assert isinstance(whole, list | tuple)
    alike = len(shape) == 1 and all(
        type(one) is str and len(one) == len(first) for one in (*whole[:_SOME], whole[-1])
    )
    return (*shape, len(first)) if alike and first else None


def _holds_bools(value: object) -> bool:
    """Whether the first item of a list is a bool: there are two, and no more are made."""
    return type(value) is list and bool(value) and type(value[0]) is bool


def _kind(value: object) -> str:
    """What a list, or another thing, is and holds."""
    held: list[str] = []
    while type(value) in (list, tuple) and value and len(held) < _DEEPEST:
        assert isinstance(value, list | tuple)
        held.append(type(value).__name__)
        value = value[0]
    name = type(value).__name__
    if type(value) in (list, tuple, *_DICTS) and not value:
        what = f"an empty {name}"
    elif type(value) in _DICTS:
        what = f"a {name} whose keys are no integers"
    else:
        what = f"{'' if held else 'of type '}{name}"
    return f"a {' of '.join((*held, what))}" if held else what


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
