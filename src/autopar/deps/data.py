"""What dependence analysis is told, and what it answers: plain frozen data, no isl objects."""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import index
from typing import Any, Literal

from autopar.records import dataclass, field

_PARAM = re.compile(r"\bp(\d+)\b")


@dataclass(frozen=True, slots=True)
class Equation:
    """``sum(first[k] * i[k]) == sum(second[k] * j[k]) + const`` for subscripts ``i`` and ``j``.

    Attributes
    ----------
    first_extents, second_extents
        Extents that the equation needs to be understood; None for the other axes.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    const: int
    first_extents: tuple[int | None, ...]
    second_extents: tuple[int | None, ...]

    def turned(self) -> Equation:
        """The same with ``i`` and ``j`` exchanged."""
        return Equation(
            self.second, self.first, -self.const, self.second_extents, self.first_extents
        )


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two array paths, sorted, whose views share memory; or one, for its own elements.

    Attributes
    ----------
    where
        Element ``i`` of `first` and ``j`` of `second` share memory only where all of these hold;
        none: nothing is known.
    """

    first: str
    second: str
    where: tuple[Equation, ...] = ()


@dataclass(frozen=True, slots=True)
class Elements:
    """What holds of the elements of an integer array that nothing changes during the nest.

    All of them lie between the parameters ``min(array)`` and ``max(array)``, whose magnitude is
    2**53 at the most.

    Attributes
    ----------
    distinct
        No two are equal.
    rising
        None is smaller than one before it; said of 1-d arrays only.
    roomy
        Each is so far from the ends of its dtype that a sum with an integer of up to `ROOM` is
        exact.
    scalable
        The same of its product with one of 1 to `ROOM`.
    consecutive
        Each is larger by one than that before it; said of 1-d arrays only.
    like
        Another array, or none, that has the same elements in the same places.
    """

    array: str
    distinct: bool
    rising: bool
    roomy: bool
    scalable: bool = False
    consecutive: bool = False
    like: str = ""


ROOM = 1024
"""See `Elements.roomy`."""


def lowest(array: str) -> str:
    """The parameter that is the smallest element of an index array."""
    return f"min({array})"


def highest(array: str) -> str:
    """The parameter that is the largest element of an index array."""
    return f"max({array})"


@dataclass(frozen=True, slots=True)
class Facts:
    """What one call has established before the nest is analysed; part of a variant's key.

    Attributes
    ----------
    ints
        Live-in paths that hold an integer whose arithmetic is exact (Python's, or NumPy's without
        wrap-around); never a name that the nest assigns.
    ranks
        Array path and its number of dimensions.
    same
        Classes of array paths that are the identical view: memory, shape, strides, dtype.
    tangled
        Pairs that overlap in another way; that of `a` with itself means that different index
        tuples of `a` may be the same memory.  Arrays in neither are disjoint.
    steps
        `For.id` and the sign of a step that is not a literal.
    unreadable
        Accesses whose subscripts must not be believed, because they may wrap or leave the array.
    builtins
        ``min`` and ``max`` where these names still mean the builtins, read in ranges and in
        subscripts; ``int``, read of an element of an index array.
    elements
        What is known of the contents of arrays that the nest reads subscripts or ranges from.
    values
        Live-in paths and extents (``A.shape[0]``), sorted, with the numbers that they are at this
        call.  They are for the proof alone: what is compiled must be right for all numbers.
    """

    ints: frozenset[str]
    ranks: tuple[tuple[str, int], ...]
    same: tuple[tuple[str, ...], ...] = ()
    tangled: frozenset[Overlap] = frozenset()
    steps: tuple[tuple[int, int], ...] = ()
    unreadable: frozenset[int] = frozenset()
    builtins: frozenset[str] = frozenset()
    elements: tuple[Elements, ...] = ()
    values: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """A Python expression over integers; ``p0`` in `text` stands for ``params[0]``, and so on."""

    text: str
    params: tuple[str, ...] = ()

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether the condition is true of `values`, which may name more than `params`."""
        return _predicate(self.text, len(self.params))(*(index(values[p]) for p in self.params))

    def __str__(self) -> str:
        return _PARAM.sub(lambda m: self.params[int(m[1])], self.text)


ALWAYS = Condition("True")
NEVER = Condition("False")


Blame = tuple[str, Literal["repeats", "falls"]]


@dataclass(frozen=True, slots=True)
class Dependence:
    """`sink` must not run before `source` when `when` holds.

    Attributes
    ----------
    source, sink
        Statement ids.
    variable
        Array path or scalar; empty for control.
    kind
        ``true`` write then read, ``anti`` read then write, ``output`` write then write,
        ``control`` source decides whether sink runs.
    level
        The common loop that carries it, 1 outermost; None within one iteration of all of them.
    distance
        Steps of the loop variable from source to sink per common loop (iterations, for the loop
        that carries it); None where that is not one known number.
    direction
        Per common loop: ``<`` sink in a later iteration, ``=``, ``>`` earlier, ``*`` any.
    when
        Condition on the parameters; exact where everything is affine, else a superset.
    least
        Per common loop: no distance is smaller, in iterations; None, or nothing at all, where no
        such number is known.
    blame
        Index array and what is wrong with it, where that is why the dependence is assumed.
    """

    source: int
    sink: int
    variable: str
    kind: Literal["true", "anti", "output", "control"]
    level: int | None
    distance: tuple[int | None, ...]
    direction: tuple[str, ...]
    when: Condition
    source_line: int
    sink_line: int
    source_text: str
    sink_text: str
    scalar: bool = False
    least: tuple[int | None, ...] = ()
    blame: Blame | None = None

    @property
    def ends(self) -> Ends:
        """Source, sink, variable, kind and level."""
        return self.source, self.sink, self.variable, self.kind, self.level


_Decide = Callable[[Mapping[str, int]], frozenset[int]]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything known about a nest before its parameters are; evaluated again at each call.

    Attributes
    ----------
    params
        What `held` and `inside` want to know: an integer path as written (``n``, ``p.n``), an
        extent (``A.shape[0]``), or the first and last value of a loop variable whose range is not
        affine, ``loop7.first`` and ``loop7.last`` (7 is `For.id`;
        ``last = start + (trips - 1) * step``, also when ``trips`` is 0); or the smallest or largest
        element of an array in `Facts.elements`, as `lowest` and `highest` name them.
    dependences
        All that may exist for some values.
    in_bounds
        Access id and when every execution of it has ``0 <= index < extent`` on each axis.
    wanted
        Names for `Facts.values` that would make something readable that is not, sorted.
    """

    params: tuple[str, ...]
    dependences: tuple[Dependence, ...]
    in_bounds: tuple[tuple[int, Condition], ...]
    wanted: tuple[str, ...] = ()
    _compiled: list[_Decide] = field(default_factory=list, init=False, repr=False, compare=False)

    def held(self, values: Mapping[str, int]) -> frozenset[int]:
        """Positions in `dependences` of those that exist for `values`; microseconds."""
        return self._decide(0, values)

    def inside(self, values: Mapping[str, int]) -> frozenset[int]:
        """Ids of the accesses that stay in bounds, without wrapping, for `values`."""
        return self._decide(1, values)

    def _decide(self, which: int, values: Mapping[str, int]) -> frozenset[int]:
        if not self._compiled:
            self._compiled.extend(choice.function() for choice in self._choices())
        return self._compiled[which](values)

    def _choices(self) -> tuple[_Choice, _Choice]:
        held = ((k, d.when) for k, d in enumerate(self.dependences))
        return _choice(self.params, held), _choice(self.params, self.in_bounds)

    def __reduce__(self) -> tuple[object, ...]:
        """With what the conditions compile to: that takes longer than to read it from disk."""
        data = self.params, self.dependences, self.in_bounds, self.wanted
        return _revived, (data, self._choices())


@dataclass(frozen=True, slots=True)
class Private:
    """Which arrays are private to which loops; evaluated again at each call.

    Attributes
    ----------
    params
        What `held` wants to know, as in `Analysis`.
    shared
        Array path, `For.id`, and a condition under which the array is *not* private to the loop.
    """

    params: tuple[str, ...]
    shared: tuple[tuple[str, int, Condition], ...]

    def held(self, values: Mapping[str, int]) -> frozenset[tuple[str, int]]:
        """The pairs of an array and a loop of which no condition is true."""
        pairs = frozenset((array, loop) for array, loop, _ in self.shared)
        return pairs - {(array, loop) for array, loop, when in self.shared if when.holds(values)}


Ends = tuple[int, int, str, str, int | None]
"""What tells dependences apart that are of several accesses: see `Dependence.ends`."""

Columns = tuple[tuple[int, int], ...]
"""For each statement by its id: which of the loops around it counts columns, from 0, or `FIRST`."""

FIRST = -1
"""In place of a loop: the statement goes before those of all columns, in an order of its own."""

Cells = tuple[tuple[int, frozenset[int]], ...]
"""Loops by `For.id`, and the accesses to a cell that each of their iterations has to itself."""


@dataclass(frozen=True, slots=True)
class Trail:
    """How a loop trails the others of its group.

    Attributes
    ----------
    loop
        Its `For.id`.
    behind
        So many rows after the first loop has come to a row, this one may.
    ahead
        So many rows at the beginning of a block have to wait for the block before.
    """

    loop: int
    behind: int
    ahead: int


Group = tuple[Trail, ...]
"""Loops next to one another, in order; the first one trails none."""


START, END = "<start>", "<end>"
"""Parameters of a `Crossing` that are none of the call: they say what a part of the loop is."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """When a part of a loop has both ends of a dependence that the loop carries.

    Attributes
    ----------
    ends
        The dependences that this is said of; several of these may be said of one.
    loop
        `For.id` of the loop that carries them.
    within
        Whether one starts at the value `START` of the loop variable or after it, and ends before
        it is `END`; in the order of the iterations.
    near
        Whether the values of the loop variable at both ends of one differ by less than `END`.
    beside
        By `For.id` of a loop around: whether both ends of one lie before that loop's value, and
        whether both lie after it.
    """

    ends: Ends
    loop: int
    within: Condition
    near: Condition
    beside: tuple[tuple[int, Condition, Condition], ...] = ()


@dataclass(frozen=True, slots=True)
class Crossings:
    """Everything that is known about where loops could be cut.

    Attributes
    ----------
    params
        What the conditions want to know beside `START` and `END`, as in `Analysis`.
    """

    params: tuple[str, ...]
    found: tuple[Crossing, ...]


@lru_cache(maxsize=4096)
def _predicate(text: str, count: int) -> Callable[..., bool]:
    args = ", ".join(f"p{k}" for k in range(count))
    made: Callable[..., bool] = eval(f"lambda {args}: bool({text})")
    return made


@dataclass(frozen=True, slots=True)
class _Choice:
    """A function that evaluates each different condition once and names what it decides.

    Attributes
    ----------
    code
        The function as the only one of a module, by `marshal`.
    always
        What needs no condition.
    groups
        What each condition decides, in the order of their bits.
    """

    code: bytes
    always: frozenset[int]
    groups: tuple[frozenset[int], ...]

    def function(self) -> _Decide:
        known: dict[int, frozenset[int]] = {}

        def combine(got: int) -> frozenset[int]:
            chosen = self.always.union(*(g for bit, g in enumerate(self.groups) if got >> bit & 1))
            return known.setdefault(got, chosen)

        space: dict[str, object] = {"index": index, "known": known, "combine": combine}
        exec(marshal.loads(self.code), space)
        made: _Decide = space["decide"]  # type: ignore[assignment]
        return made


def _choice(params: tuple[str, ...], conditions: Iterable[tuple[int, Condition]]) -> _Choice:
    places: dict[str, list[int]] = {}
    for place, condition in conditions:
        numbers = [params.index(p) for p in condition.params]
        text = _PARAM.sub(lambda m, n=numbers: f"p{n[int(m[1])]}", condition.text)  # type: ignore[misc]
        places.setdefault(text, []).append(place)
    always = frozenset(places.pop(ALWAYS.text, ()))
    places.pop(NEVER.text, None)
    used = sorted({int(m[1]) for text in places for m in _PARAM.finditer(text)})
    lines = ["def decide(values):"]
    lines += [f"    p{k} = index(values[{params[k]!r}])" for k in used]
    lines += ["    got = 0"]
    for bit, text in enumerate(places):
        lines += [f"    if {text}:", f"        got |= {1 << bit}"]
    lines += ["    return known.get(got) or combine(got)"]
    code = marshal.dumps(compile("\n".join(lines), "<conditions>", "exec"))
    return _Choice(code, always, tuple(frozenset(g) for g in places.values()))


def _revived(data: tuple[Any, ...], choices: tuple[_Choice, _Choice]) -> Analysis:
    found = Analysis(*data)
    found._compiled.extend(choice.function() for choice in choices)
    return found
